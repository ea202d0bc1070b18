//! Actuators: what carries a released consequence out.
//!
//! [`HttpActuator`] sends an HTTP request. [`GitActuator`] commits a patch or pushes a commit.
//! [`GitHubActuator`] creates an issue or a comment. A [`Registry`] says which actuator carries out
//! what.

mod git;
mod github;
mod http;
mod payload;
mod registry;
mod secret;

pub use git::{
    BranchPattern, GitActuator, GitActuatorBuilder, GitIdentity, GitRepository,
    InvalidBranchPattern, InvalidGitIdentity, InvalidRemoteUrl, RemoteUrl,
};
pub use github::{GitHubActuator, GitHubApi, InvalidGitHubApi};
pub use http::{
    Connection, HttpActuator, HttpActuatorBuilder, InvalidConnection, InvalidNotDone,
    InvalidOrigin, NotDone, Origin,
};
pub use registry::{Declaration, Declared, Inadmissible, InvalidRoute, Registry};
pub use secret::{InvalidSecret, Secret};
