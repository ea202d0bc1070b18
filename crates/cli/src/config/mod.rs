//! The configuration file: who decides, and who carries out what.

mod actuators;
mod authority;
mod cedar;
mod envelopes;
mod example;
mod file;
mod names;
mod oidc;
mod problem;
mod read;
mod routes;
mod service;
mod surroundings;
mod targets;
mod traces;
mod watched;

use std::env;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use swampbox_custody::Principal;
use swampbox_material::{Code, Material};
use swampbox_service::{Effects, InvisibleName};

use crate::failure::Failure;

pub(crate) use authority::Named;
pub(crate) use example::example;
pub(crate) use read::{bytes, flaw};
pub(crate) use service::NO_SERVICE;
#[cfg(feature = "otlp")]
pub(crate) use traces::TraceTerms;

use read::Unread;
use watched::Sources;

/// The configuration of one command.
#[derive(Debug)]
pub(crate) struct Config {
    file: file::File,
    /// Where it was read; none if there is no file, and everything is as it is without one.
    path: Option<PathBuf>,
    /// What it, and the policies that it names, said when they were read.
    sources: Sources,
}

impl Config {
    /// Reads the file that is named, or that the environment names, or the one in the user's directory
    /// if there is one.
    pub(crate) fn load(named: Option<&Path>) -> Result<Self, Failure> {
        let variable = env::var_os("SWAMPBOX_CONFIG").filter(|path| !path.is_empty());
        if let Some(path) = named.or(variable.as_deref().map(Path::new)) {
            return Self::read(path);
        }
        let none = Self { file: file::File::default(), path: None, sources: Sources::default() };
        let Some(path) = default_path() else { return Ok(none) };
        // One that can't be looked for may be there.
        if path.try_exists().unwrap_or(true) {
            return Self::read(&path);
        }
        none.sources.note(path, None);
        Ok(none)
    }

    fn read(path: &Path) -> Result<Self, Failure> {
        let subject = path.to_string_lossy();
        let text = read::text(path).map_err(|unread| match unread.is_missing() {
            true => {
                let message = "there is no such file; `swampbox config example` prints one to \
                               begin with";
                Failure::new(Code::InputUnreadable, &subject, message)
            }
            false => unread.failure(path),
        })?;
        let file = toml::from_str(&text).map_err(|error| {
            Failure::new(Code::ConfigInvalid, &subject, problem::told(&text, &error))
        })?;
        // What it names is found from there, wherever a command runs that it names.
        let path =
            std::path::absolute(path).map_err(|error| Failure::unreadable(&subject, &error))?;
        let sources = Sources::default();
        sources.note(path.clone(), Some(&text));
        Ok(Self { file, path: Some(path), sources })
    }

    /// Whether the file, or a policy that it names, is not any more what was read.
    pub(crate) fn has_changed(&self) -> bool {
        self.sources.have_changed()
    }

    /// Refuses what could not be carried out, before it is submitted. Without a file that is only what
    /// an actuator for it would not take.
    pub(crate) fn admit(&self, material: &Material) -> Result<(), Failure> {
        match self.routes()?.admit(material) {
            Err(error) if self.path.is_some() || error.code() == Code::PayloadSchema => {
                Err(Failure::refusal(error.code(), error))
            }
            _ => Ok(()),
        }
    }

    /// Each file that says who decides, and that somebody else may write.
    pub(crate) fn exposed(&self) -> Vec<Failure> {
        let paths = self.sources.paths();
        paths.iter().filter_map(|path| read::exposed(path)).collect()
    }

    /// Where it was read, if there is a file.
    pub(crate) fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// A path in it, which begins at the file's directory.
    fn beside(&self, path: &Path) -> PathBuf {
        let directory = self.path.as_deref().and_then(Path::parent);
        directory.map_or_else(|| path.into(), |directory| directory.join(path))
    }

    /// What a file with policies holds. What is decided by it rests on that.
    #[cfg(feature = "cedar")]
    fn text(&self, path: &Path) -> Result<String, Failure> {
        let path = self.beside(path);
        let text = read::text(&path).map_err(|unread| unread.failure(&path))?;
        self.sources.note(path, Some(&text));
        Ok(text)
    }

    /// The credential in the file that `field` names, which its owner alone may read.
    fn secret(&self, place: &str, field: &str, path: &Path) -> Result<String, Failure> {
        let path = self.beside(path);
        read::secret(&path).map_err(|unread| self.no_credential(place, field, &path, unread))
    }

    /// Refuses a file that others than its owner may read.
    fn private(&self, place: &str, field: &str, path: &Path) -> Result<(), Failure> {
        let path = self.beside(path);
        let read = read::private(&path).map(drop);
        read.map_err(|unread| self.no_credential(place, field, &path, unread))
    }

    fn no_credential(&self, place: &str, field: &str, path: &Path, unread: Unread) -> Failure {
        match unread {
            // Some write the credential there, and it is not repeated.
            Unread::Denied(error) => {
                let problem = format!(
                    "the file that `{field}` names can't be read: {error}; write the credential \
                     into a file that you alone may read, and the path of that here"
                );
                self.invalid(place, problem)
            }
            refused @ Unread::Refused(_) => refused.failure(path),
        }
    }

    /// What a text in it stands for.
    fn parsed<T: FromStr<Err: ToString>>(&self, place: &str, text: &str) -> Result<T, Failure> {
        text.parse().map_err(|error: T::Err| self.invalid(place, error))
    }

    /// The name of a principal, in which everything can be seen.
    fn principal(&self, place: &str, name: &str) -> Result<Principal, Failure> {
        let name = self.parsed(place, name)?;
        InvisibleName::check(name).map_err(|error| self.invalid(place, error))
    }

    /// Something that is well formed and wrong all the same, at this place in the file.
    fn invalid(&self, place: &str, problem: impl ToString) -> Failure {
        let subject = self.path.as_deref().unwrap_or(Path::new("the configuration"));
        let message = format!("{place}: {}", problem.to_string());
        Failure::new(Code::ConfigInvalid, &subject.to_string_lossy(), message)
    }
}

/// The credential in a file that its owner alone may read, without the end of its line.
pub(crate) fn secret(path: &Path) -> Result<String, Failure> {
    read::secret(path).map_err(|unread| unread.failure(path))
}

fn default_path() -> Option<PathBuf> {
    let home = || env::var_os("HOME").map(|home| PathBuf::from(home).join(".config"));
    let directory = env::var_os("XDG_CONFIG_HOME").map(PathBuf::from).or_else(home)?;
    Some(directory.join("swampbox").join("config.toml"))
}
