//! Asks a program of the machine.

mod run;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use swampbox_authority::{AuthorityProvider, AuthorityRequest, DecisionDocument, NoDecision};
use swampbox_material::json::{Json, MAX_DOCUMENT_BYTES};
use swampbox_material::{Code, Shown};

use crate::outside::{question, within_bounds};
use run::Program;
use swampbox_process::Finished;

/// Asks a program, started anew for each question, with no shell.
///
/// It reads the snapshot as one JSON document from its standard input, with one more field,
/// `evaluated_at`: when the boundary asks, by its own clock. A decision that is issued at that time
/// has begun, however the clocks differ. It writes one decision document to its standard output and
/// exits with 0. What it writes to standard error is looked at only if it exits with anything else.
///
/// | what the program does | answer |
/// | --- | --- |
/// | exits with 0 | what it wrote, read strictly; if it is nothing, is not JSON, or holds two documents, the boundary refuses it as `authority_invalid` |
/// | exits with another status, or is ended by a signal | no decision (`authority_unavailable`), with the beginning of what it wrote to standard error |
/// | has not ended in time | it is killed; no decision |
/// | writes more than it may, to standard output or to standard error | it is killed; no decision |
/// | can't be started | no decision |
///
/// Its environment holds the variables that are given here and no others. It leads a process group of
/// its own; when the answer is there, or when it is killed, so is what is left of the group.
///
/// A decision stands as long as its window holds; the program is not asked again at the edge. It
/// rests on `{"command": program}`.
///
/// ```
/// use std::time::Duration;
/// use swampbox_policy::CommandProvider;
///
/// let gate = CommandProvider::builder("/usr/local/bin/gate")?
///     .arguments(["--strict"])
///     .variable("PATH", "/usr/bin:/bin")
///     .timeout(Duration::from_secs(5))
///     .named("gate")
///     .build();
/// # Ok::<(), swampbox_policy::InvalidProgram>(())
/// ```
#[derive(Clone, Debug)]
pub struct CommandProvider {
    program: Program,
    name: String,
}

/// Text that names no program here (`invalid_document`).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{} names no program: it is no absolute path", Shown::brief(&path.to_string_lossy()))]
pub struct InvalidProgram {
    path: PathBuf,
}

impl CommandProvider {
    /// How long the program may take, unless something else is said: 10 seconds.
    pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(10);

    /// How much it may write, unless something else is said: 64 KiB.
    pub const DEFAULT_ANSWER_BYTES: usize = 64 << 10;

    /// A provider that runs the program at this path with no arguments and no environment, to be
    /// changed.
    ///
    /// # Errors
    ///
    /// If the path is not absolute: which program runs would depend on where and by whom.
    pub fn builder(program: impl Into<PathBuf>) -> Result<CommandProviderBuilder, InvalidProgram> {
        let path = program.into();
        if !path.is_absolute() {
            return Err(InvalidProgram { path });
        }
        let program = Program {
            path,
            arguments: Vec::new(),
            environment: BTreeMap::new(),
            timeout: Self::DEFAULT_TIMEOUT,
            max_output_bytes: Self::DEFAULT_ANSWER_BYTES,
        };
        Ok(CommandProviderBuilder { provider: Self { program, name: "command".into() } })
    }

    fn shown(&self) -> String {
        Shown::brief(&self.program.path.to_string_lossy()).to_string()
    }
}

impl AuthorityProvider for CommandProvider {
    fn evaluate(&self, request: &AuthorityRequest) -> Result<DecisionDocument, NoDecision> {
        let finished = self.program.run(&question(request));
        let program = self.shown();
        let Finished { status, stdout, stderr, .. } =
            finished.map_err(|error| NoDecision::new(format!("{program}: {error}")))?;
        if !status.success() {
            let said = String::from_utf8_lossy(&stderr);
            let said = match said.trim() {
                "" => "nothing".to_owned(),
                said => Shown::brief(said).to_string(),
            };
            return Err(NoDecision::new(format!(
                "the program {program} ended with {status} and said {said}"
            )));
        }
        let path = self.program.path.to_string_lossy();
        let basis = Json::object([("command", Json::from(&*path))]);
        Ok(DecisionDocument::read(&stdout).resting_on(basis))
    }

    fn name(&self) -> &str {
        &self.name
    }
}

/// Makes a [`CommandProvider`].
#[derive(Clone, Debug)]
#[must_use]
pub struct CommandProviderBuilder {
    provider: CommandProvider,
}

impl CommandProviderBuilder {
    /// The arguments, exactly as the program gets them.
    pub fn arguments<A: Into<String>>(mut self, arguments: impl IntoIterator<Item = A>) -> Self {
        self.provider.program.arguments = arguments.into_iter().map(Into::into).collect();
        self
    }

    /// One variable of the environment. A second of the same name takes the place of the first.
    pub fn variable(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.provider.program.environment.insert(name.into(), value.into());
        self
    }

    /// How long it may take, from its start to its end. [10 seconds](CommandProvider::DEFAULT_TIMEOUT)
    /// by default; from a millisecond to an hour, and what is outside counts as the nearer of the two.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.provider.program.timeout = within_bounds(timeout);
        self
    }

    /// How many bytes it may write to standard output, and as many to standard error. [64
    /// KiB](CommandProvider::DEFAULT_ANSWER_BYTES) by default; at most 64 MiB, which counts for
    /// anything above. A decision repeats the material, so payloads have to fit into it.
    pub fn answer_limit(mut self, bytes: usize) -> Self {
        self.provider.program.max_output_bytes = bytes.min(MAX_DOCUMENT_BYTES);
        self
    }

    /// The name under which its decisions are recorded; `command` by default.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.provider.name = name.into();
        self
    }

    /// The provider.
    pub fn build(self) -> CommandProvider {
        self.provider
    }
}

impl InvalidProgram {
    /// The stable code.
    pub fn code(&self) -> Code {
        Code::InvalidDocument
    }
}
