//! Carries out a consequence that is a file.

mod digest;
mod present;
mod replace;
mod request;
mod root;

use std::collections::BTreeMap;
use std::io;
use std::os::fd::AsFd;
use std::path::Path;
use std::time::Duration;

use rustix::io::Errno;
use swampbox_boundary::{Actuator, ActuatorFailure, ActuatorReport, Admission, Observation};
use swampbox_material::{Material, MaterialError, Shown};

use crate::outlook::{outlook, place};
use crate::{Declaration, Declared};
use digest::Digest;
use present::Present;
use replace::{Failure, NEW_FILE, replace};
use request::Request;
pub use root::InvalidRoot;
use root::Root;

/// Writes one file for each admission, below directories that the operator has configured. Whoever
/// looks finds the old file or the new one, and never a part.
///
/// # Material
///
/// The consequence type is [`FileActuator::CONSEQUENCE_TYPE`]. The target is the name of a configured
/// root. The payload is a mapping of these fields and no others:
///
/// | field | value |
/// | --- | --- |
/// | `path` | below the root, names with `/` between them: at most 1,024 bytes, and 255 each. None is empty, `.` or `..`, and none holds a NUL. The directories have to be there already |
/// | `content` | a string of at most 16,777,216 bytes, the whole file as UTF-8 |
/// | `expected_sha256` | the SHA-256 of the file that stands there and is to be replaced, as 64 hexadecimal digits in lower case. Null if nothing may stand there |
/// | `mode` | optional: the permission bits as an integer from 0 to 511, which is 777 in octal. Without it a file that is replaced passes on its own, and a new one has 644. The umask has no say |
///
/// # How it is done
///
/// From the root down each directory is opened by way of its parent's descriptor, and no link is
/// followed, neither on the way nor at the end. The content goes to a new file in the same directory,
/// named `.swampbox-` and the SHA-256 of the attempt's id, and is synced. What stands at the path is
/// looked at before that and again after it. Then the new file is renamed to the path, in one step
/// that replaces nothing where nothing was expected, and the directory is synced.
///
/// Meanwhile the directory is locked (`flock`), so that of two that expect the same file, in whatever
/// process, one finds that it has changed. A program that doesn't ask for the lock can still change
/// the file between the last look and the rename, and its change is lost then. A directory that
/// somebody moves takes what is being written in it along. Only regular files are replaced, of at most
/// 64 MiB. Owner, extended attributes and other names of the old file are not
/// passed on. This is for local file systems: one that answers for another machine may say that a
/// rename failed which was done.
///
/// # Outcome
///
/// | what happened | outcome |
/// | --- | --- |
/// | the material is not as above; no such root is configured | DEFINITE_NOT_EXECUTED |
/// | a directory is missing, is a link, or can't be opened to be read; another holds its lock for too long | DEFINITE_NOT_EXECUTED |
/// | what stands at the path is not as expected, or is no regular file | DEFINITE_NOT_EXECUTED |
/// | creating, writing or syncing the temporary file fails: the disk is full, or read-only | DEFINITE_NOT_EXECUTED |
/// | the rename is refused; something stands at the path by then and nothing was expected; the file system knows no rename that replaces nothing | DEFINITE_NOT_EXECUTED |
/// | the rename fails with an error that doesn't say that nothing was done | UNCERTAIN |
/// | the rename is done, and syncing the directory fails | UNCERTAIN |
/// | the rename is done, and the directory synced | SUCCEEDED |
///
/// Whenever it is not SUCCEEDED the temporary file is removed, and if that fails the detail says so. A
/// process that is killed leaves it behind.
///
/// The detail of a report names the root, and holds neither the path nor another value of the payload.
#[derive(Clone, Debug)]
pub struct FileActuator {
    roots: BTreeMap<String, Root>,
    patience: Duration,
}

const MAX_PATIENCE: Duration = Duration::from_secs(60 * 60);

impl FileActuator {
    /// The type of the consequences that it carries out.
    pub const CONSEQUENCE_TYPE: &str = "file.write";

    /// A JSON Schema of the payload. It takes all that this actuator takes, and a little more: that
    /// bounds are in bytes, and count for each name, it can't say.
    pub const PAYLOAD_SCHEMA: &str = include_str!("payload.schema.json");

    /// An actuator that has no root yet.
    pub fn builder() -> FileActuatorBuilder {
        let patience = Duration::from_secs(10);
        FileActuatorBuilder { actuator: FileActuator { roots: BTreeMap::new(), patience } }
    }
}

impl Actuator for FileActuator {
    /// Compares what stands at the path with the content, by their digests.
    fn observe(&self, material: &Material) -> Observation {
        let request = match Request::read(material, &self.roots) {
            Ok(request) => request,
            Err(error) => return Observation::unknown(error.to_string()),
        };
        let inside = format!("below the root {}", Shown::brief(material.target()));
        let directory = match request.root.directory(request.write.path.parents) {
            Ok(directory) => directory,
            Err(Errno::NOENT) => {
                return Observation::absent(format!("{inside} the directory is not there"));
            }
            Err(error) => {
                let cause = io::Error::from(error);
                return Observation::unknown(format!(
                    "{inside} the directory can't be opened: {cause}"
                ));
            }
        };
        match Present::look(directory.as_fd(), request.write.path.name) {
            Ok(None) => Observation::absent(format!("{inside} nothing stands at the path")),
            Ok(Some(Present { digest, bytes, mode })) => {
                let found = format!(
                    "{inside} a file of {bytes} bytes with mode {:o} and SHA-256 {digest} stands \
                     at the path",
                    mode.as_raw_mode()
                );
                if digest == Digest::of(request.write.content.as_bytes()) {
                    Observation::present(format!("{found}: it is the content"))
                } else {
                    Observation::absent(format!("{found}: it is not the content"))
                }
            }
            Err(problem) => Observation::unknown(format!("{inside} {problem}")),
        }
    }

    fn name(&self) -> &str {
        Self::CONSEQUENCE_TYPE
    }

    fn actuate(&self, admission: Admission<'_>) -> Result<ActuatorReport, ActuatorFailure> {
        let material = admission.material();
        let request = match Request::read(material, &self.roots) {
            Ok(request) => request,
            Err(error) => return Ok(ActuatorReport::definite_not_executed(error.to_string())),
        };
        let root = Shown::brief(material.target());
        Ok(match replace(&request, admission.attempt_id(), self.patience) {
            Ok(()) => ActuatorReport::succeeded(format!(
                "the file stands below the root {root}, and its directory is synced"
            )),
            Err(Failure::NotDone(detail)) => ActuatorReport::definite_not_executed(format!(
                "nothing was changed below the root {root}: {detail}"
            )),
            Err(Failure::Unknown(detail)) => {
                ActuatorReport::uncertain(format!("below the root {root}: {detail}"))
            }
        })
    }
}

impl Declared for FileActuator {
    fn declarations(&self) -> Vec<Declaration> {
        let (consequence_type, payload_schema) = (Self::CONSEQUENCE_TYPE, Self::PAYLOAD_SCHEMA);
        vec![Declaration { consequence_type, payload_schema }]
    }

    fn check(&self, material: &Material) -> Result<(), MaterialError> {
        Request::read(material, &self.roots).map(drop)
    }

    fn outlook(&self, material: &Material) -> Result<String, MaterialError> {
        let Request { root, write } = Request::read(material, &self.roots)?;
        let does = match write.expected {
            None => "makes a new file",
            Some(_) => "replaces the file",
        };
        let mode = match (write.mode, write.expected) {
            (Some(mode), _) => format!("its mode is {:o} then", mode.as_raw_mode()),
            (None, None) => format!("its mode is {:o} then", NEW_FILE.as_raw_mode()),
            (None, Some(_)) => "it keeps its mode".into(),
        };
        let root = place(root.path());
        Ok(outlook(self.name(), &format!("it {does} below the directory {root}; {mode}")))
    }
}

/// Makes a [`FileActuator`].
///
/// ```no_run
/// use swampbox_actuators::FileActuator;
///
/// let actuator = FileActuator::builder().root("site", "/srv/site")?.build();
/// # Ok::<(), swampbox_actuators::InvalidRoot>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct FileActuatorBuilder {
    actuator: FileActuator,
}

impl FileActuatorBuilder {
    /// Lets the target `name` stand for the directory at this absolute path, which is opened now. A
    /// second one of the same name takes the place of the first. Links in the path are followed: it is
    /// the operator's.
    ///
    /// # Errors
    ///
    /// If the path is not absolute, or is no directory that can be opened.
    pub fn root(
        mut self,
        name: impl Into<String>,
        path: impl AsRef<Path>,
    ) -> Result<Self, InvalidRoot> {
        let name = name.into();
        let root = Root::open(&name, path.as_ref())?;
        self.actuator.roots.insert(name, root);
        Ok(self)
    }

    /// How long to wait for others that write into the same directory. 10 seconds by default, at
    /// most an hour, and what is above counts as that.
    pub fn patience(mut self, patience: Duration) -> Self {
        self.actuator.patience = patience.min(MAX_PATIENCE);
        self
    }

    /// The actuator.
    pub fn build(self) -> FileActuator {
        self.actuator
    }
}
