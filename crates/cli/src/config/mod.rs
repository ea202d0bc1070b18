//! The configuration file: who decides, and who carries out what.

mod actuators;
mod authority;
mod cedar;
mod example;
mod file;
mod oidc;
mod problem;
mod service;

use std::env;
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use swampbox_material::{Code, Material};

use crate::failure::Failure;

pub(crate) use authority::Named;
pub(crate) use example::example;

/// The configuration of one command.
#[derive(Debug)]
pub(crate) struct Config {
    file: file::File,
    /// Where it was read; none if there is no file, and everything is as it is without one.
    path: Option<PathBuf>,
}

/// The longest file that is read, in bytes.
const MAX_BYTES: u64 = 1 << 20;

impl Config {
    /// Reads the file that is named, or that the environment names, or the one in the user's directory
    /// if there is one.
    pub(crate) fn load(named: Option<&Path>) -> Result<Self, Failure> {
        let variable = env::var_os("SWAMPBOX_CONFIG").filter(|path| !path.is_empty());
        match named.or(variable.as_deref().map(Path::new)) {
            Some(path) => Self::read(path),
            None => match default_path().filter(|path| path.exists()) {
                Some(path) => Self::read(&path),
                None => Ok(Self { file: file::File::default(), path: None }),
            },
        }
    }

    fn read(path: &Path) -> Result<Self, Failure> {
        let subject = path.to_string_lossy();
        let text = bounded(path)?;
        let file = toml::from_str(&text).map_err(|error| {
            Failure::new(Code::ConfigInvalid, &subject, problem::told(&text, &error))
        })?;
        // What it names is found from there, wherever a command runs that it names.
        let path =
            std::path::absolute(path).map_err(|error| Failure::unreadable(&subject, &error))?;
        Ok(Self { file, path: Some(path) })
    }

    /// Refuses what could not be carried out, before it is submitted. Without a file that is only what
    /// an actuator for it would not take.
    pub(crate) fn admit(&self, material: &Material) -> Result<(), Failure> {
        let registry = self.registry()?;
        match registry.check(material) {
            Err(error) if self.path.is_some() || error.code() == Code::PayloadSchema => {
                Err(Failure::refusal(error.code(), error))
            }
            _ => Ok(()),
        }
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

    /// What a file that the configuration names holds, without the end of its last line.
    #[cfg(feature = "cedar")]
    fn text(&self, path: &Path) -> Result<String, Failure> {
        bounded(&self.beside(path))
    }

    /// The credential in a file that its owner alone may read, without the end of its line.
    fn secret(&self, path: &Path) -> Result<String, Failure> {
        secret(&self.beside(path))
    }

    /// What a text in it stands for.
    fn parsed<T: FromStr<Err: ToString>>(&self, place: &str, text: &str) -> Result<T, Failure> {
        text.parse().map_err(|error: T::Err| self.invalid(place, error))
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
    let text = bounded(path)?;
    let mode = fs::metadata(path).map_or(0, |found| found.permissions().mode());
    if mode & 0o077 != 0 {
        let message = "others than its owner may read this credential; set its mode to 0600";
        return Err(Failure::new(Code::ConfigInvalid, &path.to_string_lossy(), message));
    }
    Ok(text.trim_end_matches(['\r', '\n']).to_owned())
}

/// The text of a file, which is a file and no longer than a configuration may be.
fn bounded(path: &Path) -> Result<String, Failure> {
    let subject = path.to_string_lossy();
    let unreadable = |error| Failure::unreadable(&subject, &error);
    let refused = |message: String| Failure::new(Code::ConfigInvalid, &subject, message);
    if !fs::metadata(path).map_err(unreadable)?.is_file() {
        return Err(refused("it is no file".to_owned()));
    }
    let mut text = String::new();
    let file = File::open(path).map_err(unreadable)?;
    file.take(MAX_BYTES + 1).read_to_string(&mut text).map_err(unreadable)?;
    if text.len() as u64 > MAX_BYTES {
        return Err(refused(format!("it has more than {MAX_BYTES} bytes")));
    }
    Ok(text)
}

fn default_path() -> Option<PathBuf> {
    let home = || env::var_os("HOME").map(|home| PathBuf::from(home).join(".config"));
    let directory = env::var_os("XDG_CONFIG_HOME").map(PathBuf::from).or_else(home)?;
    Some(directory.join("swampbox").join("config.toml"))
}
