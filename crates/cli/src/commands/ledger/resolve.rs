use swampbox_custody::ConsequenceId;
use swampbox_ledger::{Finding, Resolution, ResolutionError};
use swampbox_material::Value;
use swampbox_material::json::Json;

use super::{id, place};
use crate::arguments::{Resolve, Verdict};
use crate::display::Name;
use crate::failure::{Exit, Failure};
use crate::input;
use crate::output::{Output, Painted};

pub(super) fn run(resolve: Resolve, out: &mut Output) -> Result<Exit, Failure> {
    let consequence: ConsequenceId = id(&resolve.consequence)?;
    let finding = match resolve.verdict {
        Verdict::ConfirmedExecuted => Finding::ConfirmedExecuted,
        Verdict::ConfirmedNotExecuted => Finding::ConfirmedNotExecuted,
        Verdict::Unresolved => Finding::Unresolved,
    };
    let input = input::read(&resolve.evidence)?;
    let evidence = Value::from_json(&input.text);
    let evidence = evidence.map_err(|error| Failure::material(&input.name, &error))?;
    let by = resolve.by.as_str();
    let resolution = Resolution::new(finding, evidence.clone(), by)
        .map_err(|error| Failure::plain(error.code(), error))?;
    place::open(&resolve.at)?.resolve(&consequence, resolution).map_err(|error| match error {
        ResolutionError::Store(failure) => failure.into(),
        refused => Failure::refusal(refused.code(), refused),
    })?;
    if resolve.at.json {
        out.json(&Json::object([
            ("consequence_id", Json::from(consequence.as_str())),
            ("verdict", Json::from(finding.as_str())),
            ("by", Json::from(by)),
            ("evidence", Json::from(&evidence)),
        ]))?;
    } else {
        let (name, by) = (Name(consequence.as_str()), Name(by));
        let state = Painted::bad("UNCERTAIN");
        out.line(format_args!("{name}  {state}, and {finding} by {by}"))?;
    }
    Ok(Exit::Done)
}
