//! What the service and the authority providers keep in a ledger, beside custody.

mod owners;
mod requests;
mod revoked;

pub use owners::Owners;
pub(crate) use owners::{Owner, Owning};
pub use requests::KeptRequests;
pub use revoked::Revoked;
