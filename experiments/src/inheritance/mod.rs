//! The legacy inheritance path: what happens to a record when its author has ended.
//!
//! An artifact stays readable for ever. Whether it may become an effect is asked of an admission
//! provider, and an [`ExactBoundary`] commits only what was admitted, field by field. Beside it
//! stands the bypass: handed straight to the actuator, the surviving record just runs.
//!
//! This path is older than the canonical release boundary and shares no code with it. It knows no
//! custody, no window and no single use; [`run`] shows the one rule it does have.

mod actuator;
mod admission;
mod boundary;
mod matrix;
mod store;

pub use actuator::{Effect, Route, SimulatedActuator};
pub use admission::{
    Admission, AdmissionProvider, MalformedAdmission, SyntheticAdmission, Verdict,
};
pub use boundary::{ExactBoundary, Receipt, ReceiptReason, ReceiptStatus};
pub use matrix::{Bypass, Case, Matrix, run};
pub use store::{Artifact, ArtifactStore, AuthorState, Consequence, StoreError};
