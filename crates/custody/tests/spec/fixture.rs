//! A small store that has a consequence in every state, and tables of what can be done there.

use std::fmt::Debug;
use std::str::FromStr;

use swampbox_custody::{
    AttemptRecord, ConsequenceRow, Custody, CustodyError, ExecutionState, Instance, MemoryCustody,
    ReleaseState, Settlement, Snapshot, Submission,
};
use swampbox_material::{Material, Value};

/// Two that are active, one that has ended, one that was never registered.
pub(crate) const EXECUTIONS: [&str; 4] = ["ann", "bob", "ended", "unknown"];

/// Held by ann, held by bob, quarantined; and in ann's custody: with a release in progress,
/// RELEASED, UNCERTAIN. The last one is not there.
pub(crate) const CONSEQUENCES: [&str; 7] =
    ["anns", "bobs", "quarantined", "releasing", "released", "uncertain", "absent"];

/// An identifier of whatever kind is wanted.
pub(crate) fn id<T: FromStr<Err: Debug>>(text: &str) -> T {
    text.parse().unwrap()
}

pub(crate) fn empty() -> MemoryCustody {
    MemoryCustody::new(id::<Instance>("box"))
}

/// The store with [`EXECUTIONS`] and [`CONSEQUENCES`].
pub(crate) fn inhabited() -> MemoryCustody {
    let store = empty();
    for execution in ["ann", "bob", "ended"] {
        store.register(&id(execution)).unwrap();
    }
    for (execution, consequence) in [
        ("ann", "anns"),
        ("bob", "bobs"),
        ("ended", "quarantined"),
        ("ann", "releasing"),
        ("ann", "released"),
        ("ann", "uncertain"),
    ] {
        store.submit(root(execution, consequence)).unwrap();
    }
    store.end(&id("ended")).unwrap();
    settled(&store, "ann", "released", Settlement::Released);
    settled(&store, "ann", "uncertain", Settlement::Uncertain);
    store.mark(&id("ann"), &id("releasing"), &AttemptRecord::default()).unwrap();
    store
}

/// A submission without a parent.
pub(crate) fn root(execution: &str, consequence: &str) -> Submission {
    Submission {
        execution: id(execution),
        consequence: id(consequence),
        material: Material::new("note", "inbox", Value::from(consequence)),
        parent: None,
    }
}

/// A row as a store would keep it, in the custody of ann.
pub(crate) fn row(consequence: &str, release_state: ReleaseState) -> ConsequenceRow {
    let submission = root("ann", consequence);
    ConsequenceRow {
        snapshot: Snapshot {
            consequence_id: submission.consequence,
            origin_execution_id: submission.execution.clone(),
            current_execution_id: Some(submission.execution),
            parent_consequence_id: None,
            material: submission.material,
            release_state,
        },
        mark: None,
    }
}

/// One whole attempt: marked, then settled.
pub(crate) fn settled(
    store: &impl Custody,
    execution: &str,
    consequence: &str,
    settlement: Settlement,
) {
    let mark = store.mark(&id(execution), &id(consequence), &AttemptRecord::default()).unwrap();
    store.settle(mark, settlement, "").unwrap();
}

/// Makes one request of a store as [`inhabited`]. A refusal must leave everything as it was.
pub(crate) fn attempt<T>(
    request: impl FnOnce(&MemoryCustody) -> Result<T, CustodyError>,
) -> Result<T, CustodyError> {
    let store = inhabited();
    let before = observed(&store);
    let answer = request(&store);
    if answer.is_err() {
        assert_eq!(before, observed(&store), "a refusal changed something");
    }
    answer
}

/// Everything that can be seen in the store without changing it, one answer a line.
pub(crate) fn observed(store: &impl Custody) -> Vec<String> {
    let mut lines = Vec::new();
    for consequence in CONSEQUENCES {
        let it = &id(consequence);
        lines.push(format!("state of {consequence}: {}", state(store.state(it))));
        lines.push(format!("inspect {consequence}: {}", held(store.inspect(it))));
        for execution in EXECUTIONS {
            let who = &id(execution);
            let seen = held(store.read(who, it));
            lines.push(format!("{execution} reads {consequence}: {seen}"));
            let offered = held(store.request_release(who, it));
            lines.push(format!("{execution} asks to release {consequence}: {offered}"));
        }
    }
    lines
}

/// Which answers of [`observed`] one request changes, from what to what.
pub(crate) fn changes(request: impl FnOnce(&MemoryCustody)) -> String {
    let store = inhabited();
    let before = observed(&store);
    request(&store);
    let mut lines = Vec::new();
    for (old, new) in before.iter().zip(observed(&store)) {
        if *old != new {
            let (_, answer) = new.split_once(": ").unwrap();
            lines.push(format!("{old} -> {answer}"));
        }
    }
    lines.join("\n")
}

/// The state and custodian that an answer shows, or the code of its refusal.
pub(crate) fn held(answer: Result<Snapshot, CustodyError>) -> String {
    match answer {
        Ok(snapshot) => match &snapshot.current_execution_id {
            Some(custodian) => format!("{} by {custodian}", snapshot.release_state),
            None => format!("{} by nobody", snapshot.release_state),
        },
        Err(error) => error.code().to_string(),
    }
}

/// The state, or the code of its refusal.
pub(crate) fn state(answer: Result<ReleaseState, CustodyError>) -> String {
    answer.map_or_else(|error| error.code().to_string(), |state| state.to_string())
}

/// The execution's state, or the code of its refusal.
pub(crate) fn life(answer: Result<ExecutionState, CustodyError>) -> String {
    answer.map_or_else(|error| error.code().to_string(), |state| state.to_string())
}

/// A table with a line for each of `rows` and a cell for each of `columns`.
pub(crate) fn table(
    rows: &[&str],
    columns: &[&str],
    cell: impl Fn(&str, &str) -> String,
) -> String {
    let mut lines =
        vec![[vec![String::new()], columns.iter().map(ToString::to_string).collect()].concat()];
    for row in rows {
        let cells = columns.iter().map(|column| cell(row, column)).collect();
        lines.push([vec![row.to_string()], cells].concat());
    }
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max();
    let widths: Vec<usize> = (0..=columns.len()).filter_map(width).collect();
    let aligned = lines.iter().map(|line| {
        let cells = line.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
        cells.collect::<Vec<_>>().join(" | ").trim_end().to_owned()
    });
    aligned.collect::<Vec<_>>().join("\n")
}
