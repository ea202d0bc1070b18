//! Effects that can be counted, because they are real: lines in a file.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use swampbox_boundary::{Actuator, ActuatorFailure, ActuatorReport, Admission};
use swampbox_material::{Code, Material};
use swampbox_service::{Effects, NoEffect};

/// The name of the file.
const LINES: &str = "lines";

/// Appends the id of what it carries out to a file.
pub(crate) struct Lines {
    file: PathBuf,
}

impl Lines {
    pub(crate) fn within(home: &Path) -> Self {
        Self { file: home.join(LINES) }
    }
}

impl Actuator for Lines {
    fn actuate(&self, admission: Admission<'_>) -> Result<ActuatorReport, ActuatorFailure> {
        let mut file = OpenOptions::new().create(true).append(true).open(&self.file).unwrap();
        let line = format!("{}\n", admission.consequence_id());
        file.write_all(line.as_bytes()).map_err(ActuatorFailure::new)?;
        Ok(ActuatorReport::succeeded("a line was appended"))
    }

    fn name(&self) -> &str {
        "lines"
    }
}

/// How often the effect of a consequence happened in this directory.
pub(crate) fn lines_of(home: &Path, consequence: &str) -> usize {
    let all = fs::read_to_string(home.join(LINES)).unwrap_or_default();
    all.lines().filter(|line| *line == consequence).count()
}

/// The actuators of a service, each for the target of its name.
pub(crate) struct ByName(pub(crate) Vec<Box<dyn Actuator>>);

impl Effects for ByName {
    fn admit(&self, material: &Material) -> Result<(), NoEffect> {
        self.actuator(material).map(drop)
    }

    fn actuator(&self, material: &Material) -> Result<&dyn Actuator, NoEffect> {
        let found = self.0.iter().find(|actuator| *actuator.name() == **material.target());
        let found = found.map(|actuator| actuator as &dyn Actuator);
        found.ok_or_else(|| NoEffect::new(Code::NoActuator, "there is none for this target"))
    }
}

/// A proposal to do something with this payload, which is JSON.
pub(crate) fn proposal(target: &str, payload: &str) -> String {
    format!(r#"{{"consequence_type":"note","target":{target:?},"payload":{payload}}}"#)
}

/// Keeps the material that it is given, as JSON, in a file of the consequence's name.
pub(crate) struct Kept {
    home: PathBuf,
}

impl Kept {
    pub(crate) fn within(home: &Path) -> Self {
        Self { home: home.to_owned() }
    }
}

impl Actuator for Kept {
    fn actuate(&self, admission: Admission<'_>) -> Result<ActuatorReport, ActuatorFailure> {
        let file = self.home.join(admission.consequence_id().as_str());
        let payload = admission.material().payload().to_json();
        fs::write(file, payload).map_err(ActuatorFailure::new)?;
        Ok(ActuatorReport::succeeded("it was kept"))
    }

    fn name(&self) -> &str {
        "kept"
    }
}
