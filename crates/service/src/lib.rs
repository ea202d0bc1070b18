//! A ledger, its authority and its actuators behind HTTP.
//!
//! Agents propose and ask for releases, people decide, and auditors look, each with a credential of
//! their own. The service adds who may ask to what the crates below it decide, and no rule of custody or
//! release: a request becomes one call of [`Custody`](swampbox_custody::Custody) or one attempt at the
//! [release boundary](swampbox_boundary).
//!
//! - **Who asks.** A [`Principal`](swampbox_custody::Principal) shows an API key, or a token of an
//!   [`Issuer`] that is believed, and has [`Role`]s. To
//!   act as an execution one shows the token that was given when it was made, and nothing else will do.
//! - **Exact.** Bodies are read by the strict reader of [`swampbox_material`] from the very bytes that
//!   came, and answers are written by it.
//! - **Bounded.** Every size, time and number has its [`Limits`]. What is over one is refused, with a
//!   code, before anything has happened.
//! - **Shown before decided.** People look and decide in a console of plain pages, in which the means to
//!   decide are not there before all of the material has been shown.
//! - **Nothing waits for a slow actuator** but what needs that same one.
//!
//! [`Service`] is made of [`Parts`], and [serves](Service::serve) until it is told to stop.

mod api;
mod budget;
mod console;
mod file;
mod issuer;
mod kept;
mod limits;
mod metrics;
mod parts;
mod principal;
mod release;
mod secret;
mod server;
mod stream;
mod traced;
mod work;

pub use api::openapi;
pub use file::read_regular;
pub use issuer::{InvalidIssuer, Issuer, IssuerTerms, KeySource};
pub use kept::{KeptRequests, Owners, Revoked};
pub use limits::Limits;
pub use parts::{Effects, HeldApprovals, NoEffect, Parts};
pub use principal::{InvalidKey, InvisibleName, KeyHash, KeyRing, Role, UnknownRole};
pub use secret::ApiKey;
pub use server::{InvalidCertificate, Service, Stop, Stopper, Tls, runtime};
pub use traced::SPANS;
