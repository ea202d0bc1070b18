//! Carries out a consequence that is a command.

mod declared;
mod exit_codes;
mod invocation;

use std::collections::BTreeMap;
use std::os::unix::process::ExitStatusExt;

use swampbox_boundary::{Actuator, ActuatorFailure, ActuatorReport, Admission, Observation};
use swampbox_material::{Material, MaterialError, Shown};
use swampbox_process::{Finished, RunError};

use crate::outlook::outlook;
use crate::{Declaration, Declared};
pub use declared::{DeclaredCommand, InvalidCommand};
use exit_codes::Meaning;
pub use exit_codes::{ExitCodes, InvalidExitCodes};
use invocation::Invocation;

/// Runs one command for each admission, once. The operator [declares](DeclaredCommand) which programs
/// may be run, where and with what before all that the material adds. There is no shell: an argument
/// arrives as it is written, whatever it looks like.
///
/// # Material
///
/// The consequence type is [`CommandActuator::CONSEQUENCE_TYPE`]. The target is the name of a declared
/// command. The payload is a mapping of these fields and no others:
///
/// | field | value |
/// | --- | --- |
/// | `arguments` | a list of strings, which follow those that are declared: at most 256, with at most 65,536 bytes together, and none with a NUL |
/// | `stdin` | optional: a string of at most 1,048,576 bytes, which the program can read as UTF-8 from its standard input. That is empty without it |
///
/// An argument that begins with `-` is an option to most programs. Where the material must not choose
/// any, let the declared arguments end with `--`, or run a program that knows no options.
///
/// # Outcome
///
/// | what happened | outcome |
/// | --- | --- |
/// | the material is not as above; no such command is declared; the program can't be started: it or its directory is missing, it is not executable, the system takes no such arguments | DEFINITE_NOT_EXECUTED |
/// | it ended with an exit code that is [declared](ExitCodes) to mean "done" | SUCCEEDED |
/// | it ended with one that is declared to mean "not done", and nothing that it had started [outlived it](swampbox_process#what-outlives-a-program) as far as can be seen | DEFINITE_NOT_EXECUTED |
/// | it ended with one that is declared to mean "not done", and something did | UNCERTAIN |
/// | it ended with any other | UNCERTAIN |
/// | it was ended by a signal | UNCERTAIN |
/// | it ran out of time, or wrote more than it may, and was killed | UNCERTAIN |
/// | what became of it can't be found out | UNCERTAIN |
///
/// Once the program was started nothing counts but its exit code and, where that means "not done", that
/// nobody is left who could still do it: neither what it wrote, nor whether it has read its standard input.
/// What it wrote is thrown away. A program that is killed is killed
/// [with what it has started](swampbox_process#what-is-killed), which is all but certain only in a
/// [subreaper](swampbox_process::become_subreaper). Of
/// one that ends by itself what is left in its process group is killed; a daemon stays, and is seen only in
/// a subreaper.
///
/// The detail of a report names the command, and never holds a value of the payload or what the
/// program wrote.
#[derive(Clone, Debug)]
pub struct CommandActuator {
    commands: BTreeMap<String, DeclaredCommand>,
}

impl CommandActuator {
    /// The type of the consequences that it carries out.
    pub const CONSEQUENCE_TYPE: &str = "command.run";

    /// A JSON Schema of the payload. It takes all that this actuator takes, and a little more: that
    /// bounds are in bytes, and count for the arguments together, it can't say.
    pub const PAYLOAD_SCHEMA: &str = include_str!("payload.schema.json");

    /// An actuator that knows no command yet.
    pub fn builder() -> CommandActuatorBuilder {
        CommandActuatorBuilder { commands: BTreeMap::new() }
    }

    fn run(&self, invocation: &Invocation<'_>) -> ActuatorReport {
        let Invocation { command, .. } = invocation;
        let name = Shown::brief(invocation.name);
        let uncertain = |what: &str| ActuatorReport::uncertain(format!("{name} {what}"));
        match command.run(&invocation.arguments, invocation.stdin) {
            Ok(finished) => judge(name, &finished, command.exit_codes()),
            Err(RunError::NotStarted(error)) => ActuatorReport::definite_not_executed(format!(
                "nothing was started: {name} can't be run: {error}"
            )),
            Err(RunError::TimedOut(limit)) => {
                uncertain(&format!("did not end within {limit:?} and was killed"))
            }
            Err(RunError::OutputTooLarge(limit)) => {
                uncertain(&format!("wrote more than {limit} bytes and was killed"))
            }
            Err(RunError::InputNotRead(error) | RunError::Lost(error)) => {
                uncertain(&format!("could not be followed to its end: {error}"))
            }
        }
    }
}

fn judge(name: Shown<'_>, finished: &Finished, codes: &ExitCodes) -> ActuatorReport {
    let status = finished.status;
    let Some(code) = status.code() else {
        let signal = status.signal().map_or("a signal".into(), |signal| format!("signal {signal}"));
        return ActuatorReport::uncertain(format!("{name} was ended by {signal}"));
    };
    let ended = format!("{name} ended with exit code {code}");
    match codes.meaning(code) {
        Some(Meaning::Done) => ActuatorReport::succeeded(format!("{ended}, declared to mean done")),
        Some(Meaning::NotDone) if finished.is_outlived => ActuatorReport::uncertain(format!(
            "{ended}, declared to mean not done, but something that it had started was still there"
        )),
        Some(Meaning::NotDone) => {
            ActuatorReport::definite_not_executed(format!("{ended}, declared to mean not done"))
        }
        None => ActuatorReport::uncertain(format!("{ended}, not declared to mean anything")),
    }
}

impl Actuator for CommandActuator {
    fn observe(&self, _material: &Material) -> Observation {
        Observation::unknown("what a command has done is not known to anybody but the command")
    }

    fn name(&self) -> &str {
        Self::CONSEQUENCE_TYPE
    }

    fn actuate(&self, admission: Admission<'_>) -> Result<ActuatorReport, ActuatorFailure> {
        Ok(match Invocation::read(admission.material(), &self.commands) {
            Ok(invocation) => self.run(&invocation),
            Err(error) => ActuatorReport::definite_not_executed(error.to_string()),
        })
    }
}

impl Declared for CommandActuator {
    fn declarations(&self) -> Vec<Declaration> {
        let (consequence_type, payload_schema) = (Self::CONSEQUENCE_TYPE, Self::PAYLOAD_SCHEMA);
        vec![Declaration { consequence_type, payload_schema }]
    }

    fn check(&self, material: &Material) -> Result<(), MaterialError> {
        Invocation::read(material, &self.commands).map(drop)
    }

    fn outlook(&self, material: &Material) -> Result<String, MaterialError> {
        let invocation = Invocation::read(material, &self.commands)?;
        Ok(outlook(self.name(), &invocation.command.outlook()))
    }
}

/// Makes a [`CommandActuator`].
///
/// ```
/// use std::time::Duration;
/// use swampbox_actuators::{CommandActuator, DeclaredCommand, ExitCodes};
///
/// let codes = ExitCodes::new([0], [64])?;
/// let deploy = DeclaredCommand::new("/usr/local/bin/deploy", codes)?
///     .arguments(["--plan", "--"])?
///     .variable("LANG", "C.UTF-8")?
///     .directory("/srv/app")?
///     .timeout(Duration::from_secs(120));
/// let actuator = CommandActuator::builder().declare("deploy", deploy).build();
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct CommandActuatorBuilder {
    commands: BTreeMap<String, DeclaredCommand>,
}

impl CommandActuatorBuilder {
    /// Lets the target `name` stand for this command. A second one of the same name takes the place
    /// of the first.
    pub fn declare(mut self, name: impl Into<String>, command: DeclaredCommand) -> Self {
        self.commands.insert(name.into(), command);
        self
    }

    /// The actuator.
    pub fn build(self) -> CommandActuator {
        CommandActuator { commands: self.commands }
    }
}
