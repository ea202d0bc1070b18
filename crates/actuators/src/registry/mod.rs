//! Which actuator carries out what.

mod schema;

use std::fmt;
use std::sync::Arc;

use swampbox_boundary::{Actuator, ActuatorFailure, ActuatorReport, Admission, Observation};
use swampbox_material::{Code, Material, MaterialError, Path, Pattern, Shown};

use schema::Schema;

/// An actuator that says what it carries out.
pub trait Declared: Actuator {
    /// The consequence types that it takes, each with the JSON Schema (draft 2020-12) of its payload.
    fn declarations(&self) -> Vec<Declaration>;

    /// Whether material whose payload fits the schema can be carried out at all, whatever state the
    /// world is in: with this actuator as it is configured, and without a look at anything outside. It
    /// says what a schema can't; by default nothing. What it refuses, [`actuate`](Actuator::actuate) has
    /// to refuse too.
    ///
    /// # Errors
    ///
    /// What is wrong, with its path in the material.
    fn check(&self, material: &Material) -> Result<(), MaterialError> {
        let _ = material;
        Ok(())
    }

    /// What would be done with material, in one sentence without a full stop: all that this actuator, as
    /// it is configured, adds to what stands in the material. Somebody allows a consequence because
    /// of it, so it is another one whenever the configuration would have something else done. It holds no
    /// credential, and no value of a variable or a header; so a change of those alone does not show. By
    /// default it names the actuator.
    ///
    /// # Errors
    ///
    /// As those of [`check`](Self::check).
    fn outlook(&self, material: &Material) -> Result<String, MaterialError> {
        self.check(material)?;
        Ok(format!("{} carries it out, once", self.name()))
    }
}

/// One consequence type that an actuator takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Declaration {
    /// The consequence type.
    pub consequence_type: &'static str,
    /// The JSON Schema of the payload, as JSON text.
    pub payload_schema: &'static str,
}

/// Actuators by the consequences that they carry out. It is an actuator itself: each consequence goes
/// to the one whose type and target pattern match, and where none or several do, nothing is done.
///
/// ```
/// use std::sync::Arc;
/// use swampbox_actuators::{HttpActuator, Registry};
/// use swampbox_material::{Code, Material, Value};
///
/// let mut registry = Registry::new();
/// let http = Arc::new(HttpActuator::builder().build());
/// registry.route("http.request", "https://api.example.com".parse()?, http)?;
///
/// let other = Material::new("http.request", "https://example.org", Value::Null);
/// assert_eq!(registry.check(&other).unwrap_err().code(), Code::NoActuator);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct Registry {
    routes: Vec<Route>,
}

struct Route {
    consequence_type: &'static str,
    target: Pattern,
    schema: Schema,
    actuator: Arc<dyn Declared>,
}

/// A route that can't be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidRoute {
    /// The actuator does not take this type.
    #[error("{actuator} does not carry out {}; it takes {takes}", Shown::text(.consequence_type))]
    WrongType {
        /// The type of the route.
        consequence_type: String,
        /// The actuator, by its name.
        actuator: String,
        /// What it takes, in words.
        takes: String,
    },
    /// What the actuator declares is no JSON Schema.
    #[error("what {actuator} declares for its payload is no JSON Schema: {problem}")]
    InvalidSchema {
        /// The actuator, by its name.
        actuator: String,
        /// What is wrong.
        problem: String,
    },
}

/// A consequence that nothing here would carry out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Inadmissible {
    /// `no_actuator`: no route matches.
    #[error("nothing here carries out {} on {}", Shown::brief(.0), Shown::brief(.1))]
    NoActuator(String, String),
    /// `no_actuator`: several routes match.
    #[error("{} on {} would be carried out by each of {names}; make the patterns of their targets apart", Shown::brief(.consequence_type), Shown::brief(.target))]
    Several {
        /// The consequence type.
        consequence_type: String,
        /// The target.
        target: String,
        /// The actuators, by their names.
        names: String,
    },
    /// `payload_schema`: the payload is not what the actuator takes.
    #[error("the payload does not fit: {problem} at {path}")]
    Payload {
        /// What is wrong.
        problem: String,
        /// Where in the material.
        path: Path,
    },
    /// `payload_schema`: the payload fits the schema, and can't be carried out all the same.
    #[error("it can never be carried out: {0}")]
    Impossible(MaterialError),
}

impl Inadmissible {
    /// The stable code.
    pub fn code(&self) -> Code {
        match self {
            Inadmissible::NoActuator(..) | Inadmissible::Several { .. } => Code::NoActuator,
            Inadmissible::Payload { .. } | Inadmissible::Impossible(_) => Code::PayloadSchema,
        }
    }
}

impl Registry {
    /// One without routes.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many routes there are.
    pub fn len(&self) -> usize {
        self.routes.len()
    }

    /// Whether there is none, so that nothing is carried out.
    pub fn is_empty(&self) -> bool {
        self.routes.is_empty()
    }

    /// Sends consequences of this type, whose target matches the pattern, to an actuator.
    ///
    /// # Errors
    ///
    /// If the actuator does not take this type, or declares no JSON Schema for it.
    pub fn route(
        &mut self,
        consequence_type: &str,
        target: Pattern,
        actuator: Arc<dyn Declared>,
    ) -> Result<(), InvalidRoute> {
        let declarations = actuator.declarations();
        let declared = declarations.iter().find(|one| one.consequence_type == consequence_type);
        let Some(declared) = declared else {
            let takes = declarations.iter().map(|one| format!("`{}`", one.consequence_type));
            return Err(InvalidRoute::WrongType {
                consequence_type: consequence_type.into(),
                actuator: actuator.name().into(),
                takes: takes.collect::<Vec<_>>().join(", "),
            });
        };
        let schema = Schema::read(declared.payload_schema).map_err(|problem| {
            InvalidRoute::InvalidSchema { actuator: actuator.name().into(), problem }
        })?;
        let consequence_type = declared.consequence_type;
        self.routes.push(Route { consequence_type, target, schema, actuator });
        Ok(())
    }

    /// Whether a consequence could be carried out: exactly one route matches, the payload is what its
    /// actuator declares, and the actuator finds nothing in it that [it could never carry
    /// out](Declared::check). To be asked before it is submitted.
    ///
    /// # Errors
    ///
    /// `no_actuator`, `payload_schema`.
    pub fn check(&self, material: &Material) -> Result<(), Inadmissible> {
        let route = self.find(material)?;
        route.schema.check(material.payload())?;
        route.actuator.check(material).map_err(Inadmissible::Impossible)
    }

    /// The actuator that would carry a consequence out, by its name.
    ///
    /// # Errors
    ///
    /// `no_actuator`.
    pub fn actuator_of(&self, material: &Material) -> Result<&str, Inadmissible> {
        self.find(material).map(|route| route.actuator.name())
    }

    /// The actuator that a consequence goes to.
    ///
    /// # Errors
    ///
    /// `no_actuator`.
    pub fn route_of(&self, material: &Material) -> Result<&dyn Declared, Inadmissible> {
        self.find(material).map(|route| &*route.actuator)
    }

    /// The name of the actuator that a consequence goes to, and the targets that go the same way.
    ///
    /// # Errors
    ///
    /// As for [`route_of`](Self::route_of).
    pub fn place_of(&self, material: &Material) -> Result<(&str, &Pattern), Inadmissible> {
        self.find(material).map(|route| (route.actuator.name(), &route.target))
    }

    /// What would be [done](Declared::outlook) with a consequence, for whoever decides about it.
    ///
    /// # Errors
    ///
    /// `no_actuator`; `payload_schema` for what could never be carried out.
    pub fn outlook(&self, material: &Material) -> Result<String, Inadmissible> {
        let route = self.find(material)?;
        route.actuator.outlook(material).map_err(Inadmissible::Impossible)
    }

    fn find(&self, material: &Material) -> Result<&Route, Inadmissible> {
        let (consequence_type, target) = (material.consequence_type(), material.target());
        let matches = |route: &&Route| {
            *route.consequence_type == **consequence_type && route.target.matches(target)
        };
        let mut routes = self.routes.iter().filter(matches);
        let none = || Inadmissible::NoActuator(consequence_type.to_string(), target.to_string());
        let first = routes.next().ok_or_else(none)?;
        let others: Vec<&str> = routes.map(|route| route.actuator.name()).collect();
        if others.is_empty() {
            return Ok(first);
        }
        Err(Inadmissible::Several {
            consequence_type: consequence_type.to_string(),
            target: target.to_string(),
            names: [&[first.actuator.name()], &others[..]].concat().join(", "),
        })
    }
}

impl Actuator for Registry {
    fn actuate(&self, admission: Admission<'_>) -> Result<ActuatorReport, ActuatorFailure> {
        match self.find(admission.material()) {
            Ok(route) => route.actuator.actuate(admission),
            Err(error) => Ok(ActuatorReport::definite_not_executed(error.to_string())),
        }
    }

    fn observe(&self, material: &Material) -> Observation {
        match self.find(material) {
            Ok(route) => route.actuator.observe(material),
            Err(error) => Observation::unknown(error.to_string()),
        }
    }

    fn name(&self) -> &str {
        "registry"
    }
}

impl fmt::Debug for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let actuator = self.actuator.name();
        write!(f, "{} on {} by {actuator}", self.consequence_type, self.target)
    }
}
