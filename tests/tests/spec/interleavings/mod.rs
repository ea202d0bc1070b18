//! What may happen at the same time, in every order in which it can.
//!
//! A model checker runs each story once for every schedule of its threads. The snapshot beneath a
//! story is the whole of what can come of it: an ending that is not listed, or one that no
//! schedule reaches any longer, fails the test.

mod attempt;
mod explore;
mod locks;
mod releases;
mod store;
mod world;

use explore::{endings, endings_within};
use world::World;
