//! Looking at the outside world for the effect of a consequence.

use swampbox_boundary::{Actuator, Sighting};
use swampbox_custody::{ConsequenceId, Refusal};
use swampbox_material::Shown;
use swampbox_material::json::Json;

use super::{id, place};
use crate::arguments::LedgerArguments;
use crate::config::Config;
use crate::display::Name;
use crate::failure::{Exit, Failure};
use crate::output::{Output, Painted};

pub(super) fn run(
    consequence: &str,
    at: &LedgerArguments,
    out: &mut Output,
) -> Result<Exit, Failure> {
    let id: ConsequenceId = id(consequence)?;
    let found = place::open(at)?.history().consequence(&id)?;
    let found = found.ok_or_else(|| {
        let refusal = Refusal::ConsequenceNotFound(id.clone());
        Failure::refusal(refusal.code(), refusal)
    })?;
    let material = &found.snapshot.material;
    let routes = Config::load(at.config.as_deref())?.routes()?;
    routes.name_of(material).map_err(|error| Failure::refusal(error.code(), error))?;
    let observation = routes.observe(material);
    let sighting = observation.sighting();
    if at.json {
        out.json(&Json::object([
            ("consequence_id", Json::from(id.as_str())),
            ("sighting", Json::from(sighting.as_str())),
            ("evidence", Json::from(observation.evidence())),
        ]))?;
    } else {
        let word = match sighting {
            Sighting::Present => Painted::good(sighting.as_str()),
            Sighting::Absent => Painted::held(sighting.as_str()),
            Sighting::Unknown => Painted::bad(sighting.as_str()),
        };
        out.line(format_args!("{}  {word}", Name(id.as_str())))?;
        out.line(format_args!("  {}", Shown::json(observation.evidence())))?;
    }
    Ok(match sighting {
        Sighting::Present => Exit::Done,
        Sighting::Absent => Exit::No,
        Sighting::Unknown => Exit::Uncertain,
    })
}
