//! Executions, consequences, lineage, and the rules of custody.
//!
//! A consequence is held by one execution, its custodian. It can be read, transferred, derived
//! from and released by that execution alone. When the execution ends, what it held is
//! quarantined: visible to inspection, usable by nobody, until an active execution adopts it.
//!
//! - [`rules`] has every transition, once, as a pure function from the rows it reads to the row
//!   it leaves, or to a [`Refusal`].
//! - [`Custody`] is the seam between the rules and where rows are kept.
//! - [`MemoryCustody`] keeps them in memory, for many threads at once.
//!
//! ```
//! use swampbox_custody::{Custody, MemoryCustody, Submission};
//! use swampbox_material::{Code, Material, Value};
//!
//! let custody = MemoryCustody::new("example".parse()?);
//! let (a, b) = ("exec-A".parse()?, "exec-B".parse()?);
//! custody.register(&a)?;
//! custody.register(&b)?;
//! custody.submit(Submission {
//!     execution: a.clone(),
//!     consequence: "X".parse()?,
//!     material: Material::new("note", "inbox", Value::from("hello")),
//!     parent: None,
//! })?;
//! custody.end(&a)?;
//!
//! let x = "X".parse()?;
//! assert_eq!(custody.read(&b, &x).unwrap_err().code(), Code::NotVisible);
//! assert_eq!(custody.inspect(&x)?.current_execution_id, None);
//! assert_eq!(custody.adopt(&b, &x)?.current_execution_id, Some(b));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod custody;
mod id;
mod memory;
mod refusal;
mod row;
pub mod rules;
mod snapshot;

pub use custody::{
    AttemptRecord, Custody, CustodyError, Mark, RefusedRelease, Settlement, StoreFailure,
    Submission,
};
pub use id::{
    AttemptId, ConsequenceId, DecisionId, ExecutionId, IdProblem, InvalidIdentifier,
    MAX_IDENTIFIER_BYTES, Principal,
};
pub use memory::{Instance, Lock, LockFamily, MemoryCustody, StdLocks};
pub use refusal::Refusal;
pub use row::{ConsequenceRow, MarkRow};
pub use snapshot::{ExecutionState, ReleaseState, Snapshot};
