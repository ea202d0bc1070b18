//! The release boundary's actuator for one GitHub issue.

use swampbox_boundary::{Actuator, ActuatorFailure, ActuatorReport, Admission, Observation};
use swampbox_material::{Map, Material, MaterialError, Value};

use super::{CreateError, Gh, InvalidConsequence, IssueConsequence, identical};

/// Creates an issue with `gh`, once for each admission. The report's detail is the issue's address.
///
/// - DEFINITE_NOT_EXECUTED: the material is no issue, or `gh` could not be started.
/// - SUCCEEDED: `gh` ended well and printed exactly the address of an issue of the repository.
/// - UNCERTAIN: anything else after the start.
///
/// SUCCEEDED is what `gh` said. Whether the issue is there takes a read of its own.
#[derive(Debug, Clone)]
pub struct GitHubIssueActuator {
    gh: Gh,
}

impl GitHubIssueActuator {
    /// An actuator that runs this `gh`.
    pub fn new(gh: Gh) -> Self {
        Self { gh }
    }
}

impl Actuator for GitHubIssueActuator {
    fn actuate(&self, admission: Admission<'_>) -> Result<ActuatorReport, ActuatorFailure> {
        let consequence = match IssueConsequence::from_material(admission.material()) {
            Ok(consequence) => consequence,
            Err(error) => return Ok(ActuatorReport::definite_not_executed(error.to_string())),
        };
        Ok(match self.gh.create_issue(&consequence) {
            Ok(created) => ActuatorReport::succeeded(created.url),
            Err(CreateError::NotStarted(error)) => ActuatorReport::definite_not_executed(error),
            Err(error) => ActuatorReport::uncertain(error.to_string()),
        })
    }

    /// Reads every issue of the repository, and looks for exactly this title and body.
    fn observe(&self, material: &Material) -> Observation {
        let consequence = match IssueConsequence::from_material(material) {
            Ok(consequence) => consequence,
            Err(error) => return Observation::unknown(error.to_string()),
        };
        let issues = match self.gh.read_issues(consequence.repository()) {
            Ok(issues) => issues,
            Err(error) => return Observation::unknown(error.to_string()),
        };
        let numbers = identical(&issues, &consequence);
        let numbers: Vec<String> = numbers.iter().map(u64::to_string).collect();
        if numbers.is_empty() {
            Observation::absent(format!("none of {} issues is exactly this one", issues.len()))
        } else {
            Observation::present(format!("exactly this one is issue {}", numbers.join(", ")))
        }
    }
}

impl IssueConsequence {
    /// The type of material that is an issue.
    pub const CONSEQUENCE_TYPE: &'static str = "github_issue";

    /// Reads material: the target is the repository, the payload exactly a `title` and a `body`,
    /// which is null for no body.
    ///
    /// # Errors
    ///
    /// [`InvalidConsequence`], which names the part that was refused.
    pub fn from_material(material: &Material) -> Result<Self, InvalidConsequence> {
        if **material.consequence_type() != *Self::CONSEQUENCE_TYPE {
            return Err(InvalidConsequence::Type);
        }
        let payload = material.payload().as_map().filter(|map| map.len() == 2);
        let payload = payload.ok_or(InvalidConsequence::Payload)?;
        let title =
            payload.get("title").and_then(Value::as_str).ok_or(InvalidConsequence::Payload)?;
        let body = match payload.get("body") {
            Some(Value::Null) => None,
            Some(Value::String(body)) => Some(&**body),
            _ => return Err(InvalidConsequence::Payload),
        };
        Self::new(material.target(), title, body)
    }

    /// The material that [`IssueConsequence::from_material`] reads back.
    ///
    /// # Errors
    ///
    /// None in practice: the keys are distinct and the depth is 1.
    pub fn to_material(&self) -> Result<Material, MaterialError> {
        let body = self.body().map_or(Value::Null, Value::from);
        let payload = Map::new([("title", Value::from(self.title())), ("body", body)])?;
        Ok(Material::new(Self::CONSEQUENCE_TYPE, self.repository().as_str(), payload.into()))
    }
}
