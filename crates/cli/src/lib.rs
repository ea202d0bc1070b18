//! Contains the consequences of agents until an authority releases them.
