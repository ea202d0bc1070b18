//! What a proposer writes does nothing in the console but be read.

use std::collections::BTreeSet;

use swampbox_custody::{Custody, Submission};
use swampbox_ledger::LedgerCustody;
use swampbox_material::{Material, Value};

use crate::console::PAGES;
use crate::person::{Page, Person};
use crate::served::{Served, SystemClock, write};

const SCRIPT: &str = "</code></bdo><script>alert(1)</script><img src=x onerror=alert(1)>\"'>\
                      <a href=\"javascript:alert(1)\">";
const UNSEEN: &str = "\u{202e}\u{200b}\u{feff}\u{0}\u{7f}\u{2066}";

/// A character that a page never holds: it would not be seen.
fn is_unseen(c: char) -> bool {
    UNSEEN.contains(c)
}

/// An id can't hold a control character, and anything else.
fn hostile_id(begin: &str) -> String {
    let seen = UNSEEN.chars().filter(|c| !c.is_control());
    format!("{begin}{SCRIPT}{}", seen.collect::<String>())
}

fn path(id: &str) -> String {
    id.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

/// Whether everything in the page is ours but the text.
fn is_inert(page: &Page) {
    let tags = page.tags();
    let names: BTreeSet<&str> = tags.iter().map(|tag| tag.split(' ').next().unwrap()).collect();
    let ours = "!DOCTYPE html head meta title link script body a header span nav ul li ol form input \
        button main h1 h2 h3 div section p dl dt dd details summary bdo mark code pre time label \
        textarea select option datalist table thead tbody tr th td strong svg rect line figure \
        figcaption fieldset legend";
    let ours: BTreeSet<&str> = ours.split_whitespace().collect();
    for name in names {
        assert!(ours.contains(name.trim_start_matches('/')), "<{name}> in {}", page.html);
    }
    for tag in &tags {
        // What stands in quotes is a value.
        let bare: String = tag.split('"').step_by(2).collect();
        assert!(!bare.contains(" on") && !bare.contains("style="), "{tag}");
    }
    assert_eq!(page.html.matches("<script").count(), 1);
    assert!(page.ways().iter().all(|way| way.trim_start_matches("send ").starts_with('/')));
    // What somebody searches for stands in its field again as it is.
    let fields = tags.iter().filter(|tag| tag.starts_with("input "));
    let text = fields.fold(page.html.clone(), |html, field| html.replace(field.as_str(), ""));
    assert!(!text.contains(is_unseen), "what is not seen is shown by an escape: {text}");
    assert!(page.header("content-security-policy").starts_with("default-src 'none'"));
}

#[test]
fn nothing_that_a_proposer_writes_is_more_than_text_on_any_page() {
    let served = Served::new();
    let (execution, id) = (hostile_id("A"), hostile_id("X"));
    let json = |text: &str| Value::from(text).to_json();
    let body = format!(r#"{{"execution_id":{}}}"#, json(&execution));
    let made = served.as_one("ann").post("/v1/executions", &body);
    let agent = served.with_credential(made.text("token"));
    let place = path(&id);
    for (id, length) in [(id.as_str(), 3_000), ("long", 350_000)] {
        let payload = [
            ("path", json(SCRIPT)),
            ("content", json(&format!("{SCRIPT}{UNSEEN}{}", "<b>".repeat(length)))),
        ];
        let payload = payload.map(|(key, value)| format!("{key:?}:{value}")).join(",");
        let body = format!(
            r#"{{"consequence_id":{},"consequence_type":"file.write","target":"files",
                "payload":{{{payload},"expected_sha256":null}}}}"#,
            json(id)
        );
        let held = agent.post("/v1/consequences", &body);
        assert_eq!(held.status, 201, "{}", held.body);
        let asked = agent.post(&format!("/v1/consequences/{}/release", path(id)), "");
        assert_eq!(asked.text("reason"), "authority_pending");
    }

    // What no actuator takes gets into a ledger by other ways, and so it does here.
    let ledger = LedgerCustody::open(served.home.path().join("ledger.db"), Box::new(SystemClock));
    let ledger = ledger.unwrap();
    let holder = hostile_id("E").parse().unwrap();
    ledger.register(&holder).unwrap();
    for parent in [None, Some("Y".parse().unwrap())] {
        let consequence = if parent.is_some() { "Z" } else { "Y" }.parse().unwrap();
        let text = format!("{SCRIPT}{UNSEEN}");
        let material = Material::new(text.clone(), text.clone(), Value::from(text.as_str()));
        ledger
            .submit(Submission { execution: holder.clone(), consequence, material, parent })
            .unwrap();
    }
    let quarantined = hostile_id("Q").parse().unwrap();
    let material = Material::new(SCRIPT, SCRIPT, Value::from(UNSEEN));
    let gone = hostile_id("G").parse().unwrap();
    ledger.register(&gone).unwrap();
    ledger
        .submit(Submission {
            execution: gone.clone(),
            consequence: quarantined,
            material,
            parent: None,
        })
        .unwrap();
    ledger.end(&gone).unwrap();

    let mut paths: Vec<String> = PAGES.iter().map(|path| (*path).to_owned()).collect();
    paths.extend([
        format!("/decide/{place}"),
        format!("/decide/{place}?page=2"),
        "/decide/long".to_owned(),
        "/decide/long?page=170".to_owned(),
        "/consequences/long?page=90".to_owned(),
        format!("/consequences/{place}"),
        format!("/consequences/{}", path(&hostile_id("Q"))),
        "/consequences/Y".to_owned(),
        "/consequences/Z".to_owned(),
        format!("/consequences/{}", path(SCRIPT)),
        format!("/consequences?target={}&type={}", path(SCRIPT), path(SCRIPT)),
        format!("/consequences?custodian={}", path(&execution)),
        format!("/consequences?{}=x", path(SCRIPT)),
        format!("/executions?state={}", path(SCRIPT)),
    ]);
    for name in ["olga", "carl", "udo"] {
        let person = Person::logged_in(&served, name);
        for path in &paths {
            is_inert(&person.get(path));
        }
    }
    let carl = Person::logged_in(&served, "carl");
    let last = carl.read_to_the_end(&place);
    is_inert(&last);
    let reason = format!("{SCRIPT}{UNSEEN}");
    let fields = [
        ("digest", &*last.value("digest").unwrap()),
        ("verdict", "DENY"),
        ("reason", &reason),
        ("window_seconds", "60"),
    ];
    assert_eq!(carl.post(&format!("/decide/{place}"), &fields).status, 303);
    is_inert(&carl.get(&format!("/consequences/{place}")));
    is_inert(&carl.post(&format!("/decide/{}", path(&hostile_id("N"))), &[]));
}

#[test]
fn nothing_of_a_long_text_is_cut_off() {
    let served = Served::new();
    let agent = served.execution("ann", "A");
    let content: String = (0..20_000).map(|number| format!("{number:09}.")).collect();
    let body = write("note", &content).replacen('{', r#"{"consequence_id":"X","#, 1);
    assert_eq!(agent.post("/v1/consequences", &body).status, 201);
    agent.post("/v1/consequences/X/release", "");
    let carl = Person::logged_in(&served, "carl");
    let mut seen = String::new();
    let mut next = Some("/decide/X".to_owned());
    while let Some(path) = next {
        let page = carl.get(&path);
        let (_, sheet) = page.html.split_once(r#"<div class="sheet""#).unwrap();
        for line in sheet.split(r#"<bdo dir="ltr">"#).skip(1) {
            seen.push_str(line.split("</bdo>").next().unwrap());
        }
        next = page.next();
    }
    assert!(seen.contains(&content), "all of it, in its order");
}

#[test]
fn an_id_of_dots_has_a_page_like_every_other() {
    let served = Served::new();
    let agent = served.execution("ann", "A");
    let carl = Person::logged_in(&served, "carl");
    for (id, place) in [(".", "~."), ("..", "~.."), ("~", "~~"), ("a/../b", "a%2F..%2Fb")] {
        let body = write("note", "x").replacen('{', &format!(r#"{{"consequence_id":{id:?},"#), 1);
        assert_eq!(agent.post("/v1/consequences", &body).status, 201);
        let list = carl.get("/consequences");
        assert!(list.html.contains(&format!(r#"href="/consequences/{place}""#)), "{id}");
        let page = carl.get(&format!("/consequences/{place}"));
        assert_eq!(page.status, 200, "{id}");
        assert!(page.text().contains(&format!("Id\n{id}\n")), "{}", page.text());
    }
}
