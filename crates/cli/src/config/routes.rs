//! Who carries out what, and what nobody does as long as something that it needs is missing.

use std::sync::Arc;

use swampbox_actuators::{Declared, Registry};
use swampbox_boundary::{Actuator, ActuatorFailure, ActuatorReport, Admission, Observation};
use swampbox_material::{Code, Material, Pattern};
use swampbox_service::{Effects, NoEffect};

use super::Config;
use crate::failure::Failure;

/// The actuators of a configuration.
///
/// What needs a directory or a credential that is not there is refused with that (`no_actuator`), and
/// everything else is carried out.
#[derive(Default)]
pub(crate) struct Routes {
    registry: Registry,
    broken: Vec<Broken>,
}

/// A route without what it needs. It still stands for its targets, so that none of them goes to
/// another one that matches too.
struct Broken {
    consequence_types: &'static [&'static str],
    target: Pattern,
    failure: Failure,
}

/// It goes to whoever proposed, too, and names no file.
const MISSING: &str = "nothing can carry it out: something that its actuator needs is not there; \
                       `swampbox doctor` says what";

impl Config {
    /// Adds what carries out these types on these targets, or why nothing does.
    pub(super) fn route(
        &self,
        routes: &mut Routes,
        place: &str,
        (consequence_types, target): (&'static [&'static str], Pattern),
        actuator: Result<Arc<dyn Declared>, Failure>,
    ) -> Result<(), Failure> {
        match actuator {
            Err(failure) => routes.broken.push(Broken { consequence_types, target, failure }),
            Ok(actuator) => {
                for consequence_type in consequence_types {
                    let routed =
                        routes.registry.route(consequence_type, target.clone(), actuator.clone());
                    routed.map_err(|error| self.invalid(place, error))?;
                }
            }
        }
        Ok(())
    }
}

impl Routes {
    /// How many there are that carry something out.
    pub(crate) fn len(&self) -> usize {
        self.registry.len()
    }

    /// What is missing.
    pub(crate) fn into_missing(self) -> Vec<Failure> {
        self.broken.into_iter().map(|broken| broken.failure).collect()
    }

    /// The actuator of a consequence, by its name.
    pub(crate) fn name_of(&self, material: &Material) -> Result<&str, NoEffect> {
        self.whole(material)?;
        self.registry.actuator_of(material).map_err(|error| NoEffect::new(error.code(), error))
    }

    /// Refuses what a route stands for that can't carry it out.
    fn whole(&self, material: &Material) -> Result<(), NoEffect> {
        let stands_for = |broken: &&Broken| {
            let consequence_type = &**material.consequence_type();
            broken.consequence_types.contains(&consequence_type)
                && broken.target.matches(material.target())
        };
        match self.broken.iter().any(|broken| stands_for(&broken)) {
            false => Ok(()),
            true => Err(NoEffect::new(Code::NoActuator, MISSING)),
        }
    }
}

impl Effects for Routes {
    fn admit(&self, material: &Material) -> Result<(), NoEffect> {
        self.whole(material)?;
        self.registry.admit(material)
    }

    fn actuator(&self, material: &Material) -> Result<&dyn Actuator, NoEffect> {
        self.whole(material)?;
        self.registry.actuator(material)
    }

    fn lane(&self, material: &Material) -> Result<String, NoEffect> {
        self.whole(material)?;
        self.registry.lane(material)
    }

    fn outlook(&self, material: &Material) -> Result<String, NoEffect> {
        self.whole(material)?;
        Effects::outlook(&self.registry, material)
    }
}

impl Actuator for Routes {
    fn actuate(&self, admission: Admission<'_>) -> Result<ActuatorReport, ActuatorFailure> {
        match self.whole(admission.material()) {
            Ok(()) => self.registry.actuate(admission),
            Err(error) => Ok(ActuatorReport::definite_not_executed(error.to_string())),
        }
    }

    fn observe(&self, material: &Material) -> Observation {
        match self.whole(material) {
            Ok(()) => self.registry.observe(material),
            Err(error) => Observation::unknown(error.to_string()),
        }
    }
}
