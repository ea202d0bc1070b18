//! Looking at a ledger: events, consequences, attempts and executions, whole and in pages.

use insta::assert_snapshot;
use swampbox_custody::{Custody, ExecutionState, RefusedRelease, ReleaseState, Settlement};
use swampbox_ledger::{
    ConsequenceFilter, Event, EventFilter, ExecutionFilter, History, LedgerCustody,
};
use swampbox_material::Code;

use crate::ledgers::{Home, id, mark, mark_once};
use crate::lived::{lived, redacted};

fn opened() -> (Home, LedgerCustody) {
    let (home, _) = lived();
    let ledger = home.open();
    (home, ledger)
}

/// Number and kind of each event.
fn events(history: History<'_>, filter: EventFilter) -> String {
    let events = history.events(&filter).unwrap();
    let told = events.iter().map(|event| format!("{} {}", event.sequence, event.kind));
    told.collect::<Vec<_>>().join(", ")
}

/// The ids of the consequences.
fn ids(history: History<'_>, filter: ConsequenceFilter) -> String {
    let found = history.consequences(&filter).unwrap();
    let ids = found.iter().map(|found| found.snapshot.consequence_id.to_string());
    ids.collect::<Vec<_>>().join(" ")
}

#[test]
fn the_timeline_of_a_consequence_is_the_events_about_it() {
    let (_home, ledger) = opened();
    let about = |consequence| EventFilter { consequence: Some(id(consequence)), ..all() };
    let told = ["X", "left", "maybe", "did-not", "missing"]
        .map(|name| format!("{name}: {}", events(ledger.history(), about(name))));
    assert_snapshot!(told.join("\n"));
}

#[test]
fn the_last_change_of_custody_is_none_that_left_it_where_it_was() {
    let (_home, ledger) = opened();
    let last = |name| ledger.history().last_change_of_custody(&id(name)).unwrap();
    let all = ["X", "left", "maybe", "did-not", "missing"].map(last);
    assert_eq!(all, [Some(9), Some(12), Some(16), Some(19), None]);
    ledger.transfer(&id("B"), &id("A"), &id("X")).unwrap();
    let back = last("X");
    assert!(back > Some(9), "it came back to whom it was taken from");
    ledger.end(&id("A")).unwrap();
    assert!(last("X") > back, "it was quarantined");
}

#[test]
fn the_events_of_an_execution_are_those_by_it_and_transfers_to_it() {
    let (_home, ledger) = opened();
    let by = |execution| EventFilter { execution: Some(id(execution)), ..all() };
    let told = ["A", "B", "gone", "leased"]
        .map(|name| format!("{name}: {}", events(ledger.history(), by(name))));
    assert_snapshot!(told.join("\n"));
}

#[test]
fn events_come_in_pages() {
    let (_home, ledger) = opened();
    let mut filter = EventFilter { execution: Some(id("B")), limit: 2, ..all() };
    let mut paged = Vec::new();
    loop {
        let page = ledger.history().events(&filter).unwrap();
        let Some(last) = page.last() else { break };
        filter.from = last.sequence + 1;
        assert!(page.len() <= 2);
        paged.extend(page);
    }
    let whole = EventFilter { execution: Some(id("B")), ..all() };
    assert_eq!(paged, ledger.history().events(&whole).unwrap());
}

/// Many enough that some of them are landmarks, and fewer between two landmarks than there are.
#[test]
fn many_events_about_one_consequence_come_in_the_same_pages_as_all_of_them_at_once() {
    let (_home, ledger) = opened();
    let x = id("X");
    for round in 0..75 {
        let (source, target) = if round % 2 == 0 { ("B", "A") } else { ("A", "B") };
        ledger.transfer(&id(source), &id(target), &x).unwrap();
        ledger.register(&id(&format!("between-{round}"))).unwrap();
        ledger.note_refusal(&refusal("B", "X")).unwrap();
    }
    let every: Vec<Event> = ledger.history().events(&all()).unwrap();
    let about = |body: &str| body.contains(r#""consequence_id":"X""#);
    let by_b = |body: &str| body.contains(r#":"B""#);
    let of = |wanted: &dyn Fn(&str) -> bool| -> Vec<u64> {
        let wanted = every.iter().filter(|event| about(&event.body) && wanted(&event.body));
        wanted.map(|event| event.sequence).collect()
    };
    for (execution, wanted) in [(None, of(&|_| true)), (Some(id("B")), of(&by_b))] {
        for limit in [1, 7, 64, 65, 200] {
            let consequence = Some(x.clone());
            let execution = execution.clone();
            let mut filter = EventFilter { execution, consequence, limit, ..all() };
            let mut paged = Vec::new();
            loop {
                let page = ledger.history().page_of_events(&filter).unwrap();
                paged.extend(page.items.iter().map(|event| event.sequence));
                assert_eq!(page.more, paged.len() < wanted.len());
                if !page.more {
                    break;
                }
                assert_eq!(page.items.len(), limit);
                filter.from = paged.last().unwrap() + 1;
            }
            assert_eq!(paged, wanted, "{limit} at a time");
        }
    }
    for from in &of(&|_| true) {
        let filter = EventFilter { consequence: Some(x.clone()), from: *from, ..all() };
        let rest = ledger.history().events(&filter).unwrap();
        assert_eq!(rest.first().map(|event| event.sequence), Some(*from));
    }
}

#[test]
fn no_event_has_a_number_that_is_greater_than_a_store_can_keep() {
    let (_home, ledger) = opened();
    for consequence in [None, Some(id("X")), Some(id("missing"))] {
        for from in [i64::MAX as u64 - 1, i64::MAX as u64, i64::MAX as u64 + 1, u64::MAX] {
            let filter = EventFilter { consequence: consequence.clone(), from, ..all() };
            let page = ledger.history().page_of_events(&filter).unwrap();
            assert_eq!((page.items, page.more), (Vec::new(), false));
        }
    }
}

#[test]
fn what_is_read_at_once_has_so_many_bytes_and_one_item_more() {
    let (_home, ledger) = opened();
    let history = ledger.history();
    let every = history.events(&all()).unwrap();
    let [first, second, third, ..] = &every[..] else { panic!("few events") };
    let read = |from: u64, bytes: usize| {
        let page = history.page_of_events(&EventFilter { from, bytes, ..all() }).unwrap();
        (page.items.len(), page.more)
    };
    let of = |event: &Event| event.body.len();
    assert_eq!(read(0, 0), (1, true), "the first comes however long it is");
    assert_eq!(read(0, of(first)), (1, true));
    assert_eq!(read(0, of(first) + 1), (2, true));
    assert_eq!(read(0, of(first) + of(second)), (2, true));
    assert_eq!(read(0, of(first) + of(second) + of(third)), (3, true));
    assert_eq!(read(every.len() as u64, 0), (1, false), "nothing comes after it");
    assert_eq!(read(0, usize::MAX), (every.len(), false));

    let found = |bytes| {
        let filter = ConsequenceFilter { bytes, ..ConsequenceFilter::default() };
        let page = history.page_of_consequences(&filter).unwrap();
        (page.items.len(), page.more)
    };
    let in_all = history.consequences(&ConsequenceFilter::default()).unwrap().len();
    assert_eq!(found(0), (1, true));
    assert_eq!(found(usize::MAX), (in_all, false));
    let one = history.page_of_attempts(&id("maybe"), 0).unwrap();
    assert_eq!((one.items, one.more), (history.attempts(&id("maybe")).unwrap(), false));
    let one = history.page_of_resolutions(&id("maybe"), 0).unwrap();
    assert_eq!((one.items, one.more), (history.resolutions(&id("maybe")).unwrap(), false));
}

#[test]
fn a_limit_tells_whether_there_is_more() {
    let (_home, ledger) = opened();
    let every = ledger.history().events(&all()).unwrap().len();
    let more = |limit| {
        let filter = EventFilter { limit, ..all() };
        ledger.history().page_of_events(&filter).unwrap().more
    };
    assert_eq!([every - 1, every, every + 1].map(more), [true, false, false]);
}

fn refusal(execution: &str, consequence: &str) -> RefusedRelease {
    RefusedRelease {
        execution: id(execution),
        consequence: id(consequence),
        reason: Code::AuthorityNotAllowed,
        decision: None,
        basis: None,
    }
}

fn all() -> EventFilter {
    EventFilter::default()
}

#[test]
fn consequences_are_found_by_what_they_are() {
    let (_home, ledger) = opened();
    ledger.end(&id("B")).unwrap();
    let any = ConsequenceFilter::default;
    let filters = [
        ("all", any()),
        ("contained", ConsequenceFilter { state: Some(ReleaseState::Contained), ..any() }),
        ("released", ConsequenceFilter { state: Some(ReleaseState::Released), ..any() }),
        ("uncertain", ConsequenceFilter { state: Some(ReleaseState::Uncertain), ..any() }),
        ("held by A", ConsequenceFilter { custodian: Some(id("A")), ..any() }),
        ("quarantined", ConsequenceFilter { quarantined: true, ..any() }),
        (
            "quarantined and released",
            ConsequenceFilter { quarantined: true, state: Some(ReleaseState::Released), ..any() },
        ),
        ("submitted by gone", ConsequenceFilter { origin: Some(id("gone")), ..any() }),
        ("of a type", ConsequenceFilter { consequence_type: Some("note".into()), ..any() }),
        ("of another", ConsequenceFilter { consequence_type: Some("Note".into()), ..any() }),
        ("with a target", ConsequenceFilter { target: Some("inbox".into()), ..any() }),
        ("with another", ConsequenceFilter { target: Some("inbo".into()), ..any() }),
        ("derived from X", ConsequenceFilter { parent: Some(id("X")), ..any() }),
        ("after did", ConsequenceFilter { after: Some(id("did")), ..any() }),
        ("two after did", ConsequenceFilter { after: Some(id("did")), limit: 2, ..any() }),
        ("none", ConsequenceFilter { limit: 0, ..any() }),
    ];
    let told = filters.map(|(what, filter)| format!("{what}: {}", ids(ledger.history(), filter)));
    assert_snapshot!(told.join("\n"));
}

#[test]
fn a_consequence_is_shown_with_its_children_and_attempts() {
    let (_home, ledger) = opened();
    let history = ledger.history();
    let shown = history.consequence(&id("X")).unwrap().unwrap().to_document();
    let children = history.children(&id("X")).unwrap();
    let children = children.iter().map(|child| child.to_document().to_string());
    let attempts = history.attempts(&id("maybe")).unwrap();
    let attempts = attempts.iter().map(|attempt| attempt.to_document().to_string());
    let told = [shown.to_string(), children.collect(), attempts.collect()].join("\n");
    assert_snapshot!(redacted(&told));
    assert_eq!(history.consequence(&id("missing")).unwrap(), None);
    assert!(history.children(&id("maybe")).unwrap().is_empty());
    assert!(history.attempts(&id("X")).unwrap().is_empty());
}

#[test]
fn the_last_attempts_come_first_and_so_many() {
    let (_home, ledger) = opened();
    let _mark = mark(&ledger, "B", "X");
    let told = |limit| {
        let outcomes = ledger.history().outcomes(limit).unwrap();
        let told = outcomes.iter().map(|outcome| {
            let ended = outcome.settlement.map(|settlement| settlement.state().as_str());
            format!("{} {} {}", outcome.fence, outcome.consequence, ended.unwrap_or("going on"))
        });
        told.collect::<Vec<_>>()
    };
    let all = ["4 X going on", "3 did-not CONTAINED", "2 maybe UNCERTAIN", "1 did RELEASED"];
    assert_eq!(told(10), all);
    assert_eq!(told(2), all[..2]);
    assert!(told(0).is_empty());
}

#[test]
fn which_of_these_decisions_was_used_up_is_told() {
    let (_home, ledger) = opened();
    let first = |names: &[&str]| {
        let decisions: Vec<_> = names.iter().map(|name| id(name)).collect();
        let found = ledger.history().first_consumed(&decisions).unwrap();
        found.map(|decision| decision.to_string())
    };
    assert_eq!(first(&["once", "other"]), None);
    let _mark = mark_once(&ledger, "B", "X", "once").unwrap();
    assert_eq!(first(&["other", "once"]), Some("once".to_owned()));
    assert_eq!(first(&["other"]), None);
    assert_eq!(first(&[]), None);
}

#[test]
fn what_waits_for_somebody_is_counted() {
    let (_home, ledger) = opened();
    let counted = || {
        let counts = ledger.history().counts().unwrap();
        (counts.quarantined, counts.unresolved)
    };
    assert_eq!(counted(), (0, 0), "what is UNCERTAIN has a resolution");
    ledger.end(&id("B")).unwrap();
    let mark = mark(&ledger, "A", "derived");
    ledger.settle(mark, Settlement::Uncertain, "nobody knows").unwrap();
    assert_eq!(counted(), (3, 1));
}

#[test]
fn a_release_in_progress_shows() {
    let (_home, ledger) = opened();
    let mark = mark(&ledger, "B", "X");
    let shown = ledger.history().consequence(&id("X")).unwrap().unwrap();
    assert_eq!(shown.releasing.as_ref(), Some(mark.attempt()));
    let attempts = ledger.history().attempts(&id("X")).unwrap();
    assert_eq!(attempts[0].ended, None);
    assert_eq!(attempts[0].id, *mark.attempt());
}

#[test]
fn executions_are_listed_with_what_their_life_hangs_on() {
    let (_home, ledger) = opened();
    let listed = |filter: ExecutionFilter| {
        let found = ledger.history().executions(&filter).unwrap();
        found.iter().map(|execution| execution.to_document().to_string() + "\n").collect::<String>()
    };
    let any = ExecutionFilter::default;
    let told = [
        listed(any()),
        listed(ExecutionFilter { state: Some(ExecutionState::Ended), ..any() }),
        listed(ExecutionFilter { after: Some(id("A")), limit: 1, ..any() }),
    ];
    assert_snapshot!(told.join("---\n"));
}
