use rusqlite::Connection;
use sha2::{Digest, Sha256};
use swampbox_ledger::{Expectations, verify};

use crate::Failure;
use crate::ledger_world::{Home, beside_each_other, shares};
use crate::measure::{in_turns, per_second, timed};
use crate::report::{Aim, Figure, Line};
use crate::world::{Succeeds, boundary_of, note, release, submit};

/// Verifying a ledger of submitted and released consequences, against hashing alone: what the hash of
/// each event covers, already in memory.
pub(crate) fn verifying_and_hashing() -> Result<Vec<Line>, Failure> {
    const ROUNDS: usize = 5;
    let home = Home::new()?;
    live(&home)?;
    let hashed = hashed(&home.sql()?)?;
    let count = hashed.len();
    let whole = || {
        let verified = verify(home.path(), &Expectations::default())?;
        if verified.events == count as u64 { Ok(()) } else { Err("an event was left out".into()) }
    };
    let [verifying, hashing] = in_turns(
        ROUNDS,
        [&|| timed(whole), &|| timed(|| Ok(hashed.iter().map(Sha256::digest).collect::<Vec<_>>()))],
    )?;
    let (verifying, hashing) = (per_second(count, verifying), per_second(count, hashing));
    Ok(vec![Line {
        name: "verify, events a second / SHA-256 of the same bytes",
        measured: Figure::PerSecond(verifying),
        against: Some((Figure::PerSecond(hashing), verifying / hashing)),
        aim: Aim::None,
    }])
}

fn live(home: &Home) -> Result<(), Failure> {
    let boundary = boundary_of(home.create()?, Succeeds);
    let custody = boundary.custody();
    let material = note("to be released")?;
    beside_each_other(&shares(custody, "caller", 64, 100)?, |share| {
        share.ids.iter().try_for_each(|id| {
            submit(custody, &share.execution, id, material.clone())?;
            release(&boundary, &share.execution, id)
        })
    })?;
    Ok(())
}

/// What the hash of each event covers: the hash before it, its number, and three texts with their
/// lengths.
fn hashed(connection: &Connection) -> Result<Vec<Vec<u8>>, Failure> {
    let events = "SELECT previous, sequence, coalesce(at, ''), kind, body, hash FROM events";
    let mut events = connection.prepare(&format!("{events} ORDER BY sequence"))?;
    let mut rows = events.query([])?;
    let mut hashed = Vec::new();
    while let Some(row) = rows.next()? {
        let mut bytes: Vec<u8> = row.get(0)?;
        bytes.extend(row.get::<_, i64>(1)?.to_be_bytes());
        for column in 2..5 {
            let text: String = row.get(column)?;
            bytes.extend((text.len() as u64).to_be_bytes());
            bytes.extend(text.as_bytes());
        }
        if Sha256::digest(&bytes)[..] != row.get::<_, Vec<u8>>(5)? {
            return Err("a hash does not cover these bytes".into());
        }
        hashed.push(bytes);
    }
    Ok(hashed)
}
