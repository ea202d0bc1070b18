//! Actuators: what carries a released consequence out.
//!
//! - [`HttpActuator`] sends an HTTP request.
//! - [`CommandActuator`] runs a command that the operator has declared.
//! - [`FileActuator`] writes a file below a directory that the operator has configured. It is there on
//!   Linux only.
//! - [`GitActuator`] commits a patch or pushes a commit.
//! - [`GitHubActuator`] creates an issue or a comment.
//!
//! A [`Registry`] says which of them carries out what.

mod command;
#[cfg(target_os = "linux")]
mod file;
mod git;
mod github;
mod hidden;
mod http;
mod outlook;
mod payload;
mod registry;
mod secret;

pub use command::{
    CommandActuator, CommandActuatorBuilder, DeclaredCommand, ExitCodes, InvalidCommand,
    InvalidExitCodes,
};
#[cfg(target_os = "linux")]
pub use file::{FileActuator, FileActuatorBuilder, InvalidRoot};
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
