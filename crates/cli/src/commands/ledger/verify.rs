use swampbox_ledger::{Checkpoint, Expectations, LedgerError, LedgerProblem, Verified};
use swampbox_material::json::Json;

use super::place;
use crate::arguments::{Expect, LedgerArguments};
use crate::failure::{Exit, Failure};
use crate::input;
use crate::output::{Output, Painted};

pub(super) fn run(
    expect: &Expect,
    at: &LedgerArguments,
    out: &mut Output,
) -> Result<Exit, Failure> {
    let verified = swampbox_ledger::verify(place::path(at)?, &expectations(expect)?);
    report(verified, at.json, out)
}

/// Says that a ledger is what its history says, or where it is not.
pub(super) fn report(
    verified: Result<Verified, LedgerError>,
    json: bool,
    out: &mut Output,
) -> Result<Exit, Failure> {
    let verified = match verified {
        Ok(verified) => verified,
        Err(error) => return tampered(error, json, out),
    };
    if json {
        out.json(&Json::object([
            ("result", Json::from("VERIFIED")),
            ("verified", verified.to_document()),
        ]))?;
        return Ok(Exit::Done);
    }
    let Verified { events, signed_events, head, .. } = &verified;
    out.line(Painted::good("VERIFIED"))?;
    out.line(format_args!("ledger {}, {events} events, head {head}", verified.ledger_id))?;
    out.line(format_args!(
        "executions {}, consequences {}, attempts {}, resolutions {}",
        verified.executions, verified.consequences, verified.attempts, verified.resolutions
    ))?;
    out.line(format_args!("{signed_events} of {events} events are signed for"))?;
    for key in &verified.keys {
        out.line(format_args!("  by {key}"))?;
    }
    Ok(Exit::Done)
}

pub(super) fn expectations(expect: &Expect) -> Result<Expectations, Failure> {
    let keys = expect.keys.iter().map(|key| {
        key.parse()
            .map_err(|error: swampbox_ledger::InvalidPublicKey| Failure::plain(error.code(), error))
    });
    let checkpoints = expect.checkpoints.iter().map(|file| {
        let input = input::read(file)?;
        let checkpoint = Checkpoint::read(&input.text);
        checkpoint.map_err(|error| Failure::new(error.code(), &input.name, error))
    });
    Ok(Expectations {
        trusted_keys: keys.collect::<Result<_, _>>()?,
        checkpoints: checkpoints.collect::<Result<_, _>>()?,
    })
}

fn tampered(error: LedgerError, json: bool, out: &mut Output) -> Result<Exit, Failure> {
    match error.problem() {
        LedgerProblem::Tampered(discrepancy) if json => {
            out.json(&Json::object([
                ("result", Json::from("TAMPERED")),
                ("discrepancy", discrepancy.to_document()),
            ]))?;
            Ok(Exit::No)
        }
        _ => Err(error.into()),
    }
}
