//! What operators and auditors do in the console.

use std::collections::BTreeSet;

use swampbox_custody::{AttemptRecord, Custody, Settlement};
use swampbox_ledger::LedgerCustody;
use swampbox_material::json::Json;

use crate::console::waiting;
use crate::person::Person;
use crate::served::{Served, SystemClock, write};

fn ledger(served: &Served) -> LedgerCustody {
    LedgerCustody::open(served.home.path().join("ledger.db"), Box::new(SystemClock)).unwrap()
}

#[test]
fn an_operator_ends_an_execution_and_adopts_what_it_held() {
    let served = waiting();
    served.execution("ann", "B");
    let olga = Person::logged_in(&served, "olga");
    assert_eq!(olga.post("/executions/A/end", &[]).header("location"), "/executions");
    assert!(olga.get("/executions?state=ENDED").text().starts_with("Executions"));
    assert!(olga.get("/quarantine").ways().contains("send /quarantine/X/adopt"));
    let refused = olga.post("/quarantine/X/adopt", &[("execution_id", "A")]);
    assert_eq!(refused.status, 409);
    assert!(refused.text().contains("execution_not_active"));
    let adopted = olga.post("/quarantine/X/adopt", &[("execution_id", "B")]);
    assert_eq!(adopted.header("location"), "/consequences/X");
    let page = olga.get("/consequences/X").text();
    assert!(page.contains("adopted by B") && page.contains("quarantined: A has ended"), "{page}");
    assert!(olga.get("/quarantine").text().contains("Nothing is quarantined."));
}

#[test]
fn an_operator_explains_what_is_uncertain_and_it_stays_so() {
    let served = waiting();
    let ledger = ledger(&served);
    let (execution, consequence) = ("A".parse().unwrap(), "X".parse().unwrap());
    let record = AttemptRecord {
        admitted_at: "2026-01-01T12:00:00Z".to_owned(),
        provider: "approvals".to_owned(),
        actuator: "file".to_owned(),
        ..AttemptRecord::default()
    };
    let mark = ledger.mark(&execution, &consequence, &record).unwrap();
    ledger.settle(mark, Settlement::Uncertain, "nobody knows").unwrap();
    let (olga, udo) = (Person::logged_in(&served, "olga"), Person::logged_in(&served, "udo"));
    assert!(
        olga.get("/").text().contains("1 UNCERTAIN, not explained"),
        "{}",
        olga.get("/").text()
    );
    assert!(!udo.get("/consequences/X").ways().contains("send /consequences/X/resolve"));
    let seen = olga.post("/consequences/X/observe", &[]);
    assert!(seen.text().contains("Seen\nabsent"), "{}", seen.text());
    let fields = [("verdict", "confirmed_not_executed"), ("evidence", "looked <b>there</b>")];
    let resolved = olga.post("/consequences/X/resolve", &fields);
    assert_eq!(resolved.header("location"), "/consequences/X");
    let page = udo.get("/consequences/X").text();
    assert!(page.contains("confirmed_not_executed, by olga at"), "{page}");
    assert!(page.contains("State\nUNCERTAIN") && page.contains("looked <b>there</b>"));
    assert!(olga.get("/").text().contains("0 UNCERTAIN, not explained"));
}

#[test]
fn an_auditor_verifies_the_ledger_and_an_operator_signs_it() {
    let served = waiting();
    let (olga, udo) = (Person::logged_in(&served, "olga"), Person::logged_in(&served, "udo"));
    assert_eq!(olga.post("/ledger/checkpoint", &[]).header("location"), "/ledger#checkpoints");
    assert!(!udo.get("/ledger").ways().contains("send /ledger/checkpoint"));
    let page = udo.get("/ledger").text();
    assert!(page.contains("Signed with the key") && !page.contains("None was signed."), "{page}");
    let verified = udo.post("/ledger/verify", &[]);
    assert!(verified.text().contains("The ledger is what its history says."));
}

#[test]
fn long_lists_come_in_pages_and_each_item_once() {
    let served = Served::new();
    let agent = served.execution("ann", "A");
    for number in 0..120 {
        let body =
            write("note", "x").replacen('{', &format!(r#"{{"consequence_id":"X {number}","#), 1);
        assert_eq!(agent.post("/v1/consequences", &body).status, 201);
        agent.post(&format!("/v1/consequences/X%20{number}/release"), "");
        served.execution("ann", &format!("E&{number}"));
    }
    let (olga, carl) = (Person::logged_in(&served, "olga"), Person::logged_in(&served, "carl"));
    let through = |person: &Person<'_>, first: &str, prefix: &str| {
        let (mut seen, mut pages) = (BTreeSet::new(), 0);
        let mut next = Some(first.to_owned());
        while let Some(path) = next {
            let page = person.get(&path);
            assert_eq!(page.status, 200, "{path}");
            let own = page.ways().into_iter().filter(|way| way.starts_with(prefix));
            own.for_each(|way| assert!(seen.insert(way), "twice on {path}"));
            (next, pages) = (page.next(), pages + 1);
        }
        (seen.len(), pages)
    };
    assert_eq!(through(&olga, "/consequences?target=files", "/consequences/X"), (120, 6));
    assert_eq!(through(&carl, "/decide", "/decide/X"), (120, 7));
    assert_eq!(through(&olga, "/executions", "send /executions/"), (121, 3));
    assert_eq!(olga.post("/executions/A/end", &[]).status, 303);
    assert_eq!(through(&olga, "/quarantine", "/consequences/X"), (120, 6));
}

#[test]
fn the_history_of_a_consequence_comes_in_pages() {
    let served = waiting();
    let ledger = ledger(&served);
    let [a, b, x] = ["A", "B", "X"];
    ledger.register(&b.parse().unwrap()).unwrap();
    for turn in 0..60 {
        let (from, to) = if turn % 2 == 0 { (a, b) } else { (b, a) };
        ledger.transfer(&from.parse().unwrap(), &to.parse().unwrap(), &x.parse().unwrap()).unwrap();
    }
    let udo = Person::logged_in(&served, "udo");
    let (mut moves, mut pages) = (0, 0);
    let mut next = Some("/consequences/X".to_owned());
    while let Some(path) = next {
        let page = udo.get(&path);
        moves += page.text().matches("transferred from").count();
        (next, pages) = (page.next(), pages + 1);
    }
    assert_eq!((moves, pages), (60, 4));
}

/// The parts of a page that the script keeps as they are now.
fn live(person: &Person<'_>, path: &str) -> Vec<String> {
    let tags = person.get(path).tags();
    let live = tags.iter().filter(|tag| tag.contains("data-live"));
    live.map(|tag| tag.split("id=\"").nth(1).unwrap().split('"').next().unwrap().to_owned())
        .collect()
}

#[test]
fn of_many_checkpoints_the_last_are_shown_and_the_others_are_on_further_pages() {
    let served = Served::new();
    let olga = served.as_one("olga");
    let signed: Vec<Json> = (0..101)
        .map(|_| {
            let answer = olga.post("/v1/ledger/checkpoint", "");
            assert_eq!(answer.status, 201);
            answer.body
        })
        .collect();
    let shown = olga.get("/v1/ledger").body;
    let shown = shown.as_object().unwrap().get("checkpoints");
    assert_eq!(shown, Some(&Json::List(signed[1..].to_vec())));

    let person = Person::logged_in(&served, "olga");
    let count = |path: &str| person.get(path).text().matches("Signed with the key").count();
    assert_eq!(count("/ledger"), 20);
    assert_eq!(count("/ledger?skip=100"), 1);
    assert!(person.get("/ledger?skip=101").text().contains("There are no more."));
}

#[test]
fn whatever_may_become_other_on_a_page_is_kept_as_it_is_now() {
    let served = waiting();
    let (carl, olga) = (Person::logged_in(&served, "carl"), Person::logged_in(&served, "olga"));
    assert_eq!(live(&carl, "/"), ["overview"]);
    assert_eq!(live(&carl, "/decide"), ["queue"]);
    assert_eq!(live(&carl, "/decide/X"), [""; 0], "what somebody decides about stays as it is");
    for list in ["/consequences", "/executions", "/quarantine"] {
        assert_eq!(live(&carl, list), ["found"]);
    }
    let parts = ["consequence", "resolution", "resolutions", "lineage", "history"];
    assert_eq!(live(&carl, "/consequences/X"), parts);
    assert_eq!(live(&olga, "/ledger"), ["last", "checkpoints"]);
}
