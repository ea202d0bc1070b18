use std::time::Duration;

use crate::Failure;
use crate::ledger_baseline::Rows;
use crate::ledger_world::{Home, beside_each_other, shares};
use crate::measure::{median, per_second};
use crate::report::{Aim, Figure, Line};
use crate::world::{Succeeds, boundary_of, note, release, submit};

/// Submits and full releases by 1, 8 and 64 callers, against SQLite that stores the same rows in the
/// same tables: with a commit for each operation, with 64 operations to a commit, which is as many as
/// 64 callers can wait for at once, and with 512, which is the most that the ledger commits together.
///
/// A release is two operations that have to be on disk one after the other: the mark and the
/// settlement. SQLite is told what to store, and neither reads, nor judges, nor hashes.
pub(crate) fn throughput() -> Result<Vec<Line>, Failure> {
    let [one, eight, many] =
        [against_sqlite(1, 100)?, against_sqlite(8, 50)?, against_sqlite(64, 200)?];
    let compared =
        |names: [&'static str; 2], measured: [Duration; 2], against: [Duration; 2], aim| {
            names.into_iter().zip(measured).zip(against).map(move |((name, measured), against)| {
                let (measured, against) = (per_second(1, measured), per_second(1, against));
                Line {
                    name,
                    measured: Figure::PerSecond(measured),
                    against: Some((Figure::PerSecond(against), measured / against)),
                    aim,
                }
            })
        };
    let by_one = ["submit by 1 / SQLite, a commit each", "release by 1 / SQLite, a commit each"];
    let by_eight = ["submit by 8 / SQLite, a commit each", "release by 8 / SQLite, a commit each"];
    let by_many = ["submit by 64 / SQLite, a commit each", "release by 64 / SQLite, a commit each"];
    let ideal = ["submit by 64 / SQLite, 64 a commit", "release by 64 / SQLite, 64 a commit"];
    let more = ["submit by 64 / SQLite, 512 a commit", "release by 64 / SQLite, 512 a commit"];
    Ok(compared(by_one, one.ledger, one.one_by_one, Aim::None)
        .chain(compared(by_eight, eight.ledger, eight.one_by_one, Aim::None))
        .chain(compared(by_many, many.ledger, many.one_by_one, Aim::RatioAtLeast(3.0)))
        .chain(compared(ideal, many.ledger, many.by_64, Aim::RatioAtLeast(0.5)))
        .chain(compared(more, many.ledger, many.by_512, Aim::None))
        .collect())
}

/// How long a submit and a release take on the average.
struct Taken {
    ledger: [Duration; 2],
    one_by_one: [Duration; 2],
    by_64: [Duration; 2],
    by_512: [Duration; 2],
}

/// Measured in turns, with the same rows.
fn against_sqlite(callers: usize, each: usize) -> Result<Taken, Failure> {
    const ROUNDS: usize = 3;
    const ONE_BY_ONE: usize = 100;
    let mut taken = [(); 8].map(|()| Vec::new());
    // The first round only warms up.
    for round in 0..=ROUNDS {
        let (ledger, home) = lives(callers, each)?;
        let rows = Rows::of(&home)?;
        let one_by_one = rows.store(1, ONE_BY_ONE)?;
        let [by_64, by_512] = [rows.store(64, usize::MAX)?, rows.store(512, usize::MAX)?];
        let round_took = [ledger, one_by_one, by_64, by_512].into_iter().flatten();
        for (taken, took) in taken.iter_mut().zip(round_took).filter(|_| round > 0) {
            taken.push(took);
        }
    }
    let [a, b, c, d, e, f, g, h] = taken.map(median);
    Ok(Taken { ledger: [a, b], one_by_one: [c, d], by_64: [e, f], by_512: [g, h] })
}

/// How long a submit and a release take on the average, where `callers` threads first submit `each`
/// and then release them; and the ledger that they leave.
fn lives(callers: usize, each: usize) -> Result<([Duration; 2], Home), Failure> {
    let home = Home::new()?;
    let boundary = boundary_of(home.create()?, Succeeds);
    let custody = boundary.custody();
    let shares = shares(custody, "caller", callers, each)?;
    let material = note("to be released")?;
    let submits = beside_each_other(&shares, |share| {
        share.ids.iter().try_for_each(|id| submit(custody, &share.execution, id, material.clone()))
    })?;
    let releases = beside_each_other(&shares, |share| {
        share.ids.iter().try_for_each(|id| release(&boundary, &share.execution, id))
    })?;
    drop(boundary);
    let count = u32::try_from(callers * each)?;
    Ok(([submits / count, releases / count], home))
}
