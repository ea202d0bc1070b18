//! The console in a real browser. It runs where `SWAMPBOX_BROWSER` names one, as `cargo xtask ci` does
//! where there is one.

use std::env;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use swampbox_authority::{AuthorityDecision, Clock, DecisionDocument, ValidityWindow, Verdict};
use swampbox_custody::{AttemptRecord, Custody, Settlement};
use swampbox_ledger::LedgerCustody;
use swampbox_material::json::Json;

use crate::person::Person;
use crate::served::{Client, Served, SystemClock};

/// Submits something under this id.
fn submit(agent: &Client<'_>, id: &str, content: &str, more: &str) {
    let content = Json::from(content);
    let body = format!(
        r#"{{"consequence_id":{id:?},{more}"consequence_type":"file.write","target":"files",
            "payload":{{"path":"{id}.txt","content":{content},"expected_sha256":null}}}}"#
    );
    let held = agent.post("/v1/consequences", &body);
    assert_eq!(held.status, 201, "{}", held.body);
}

fn release(agent: &Client<'_>, id: &str, body: &str) -> String {
    let ended = agent.post(&format!("/v1/consequences/{id}/release"), body);
    ended.text("reason").to_owned()
}

/// Does something of each kind that is to be seen.
fn live(served: &Served, agent: &Client<'_>) {
    let carl = Person::logged_in(served, "carl");
    for number in 1..=5 {
        let id = format!("deploy-{number}");
        submit(agent, &id, &format!("version = {number}\n"), "");
        release(agent, &id, "");
        let page = carl.read_to_the_end(&id);
        let verdict = if number == 4 { "DENY" } else { "ALLOW" };
        assert_eq!(carl.vote(&id, &page, verdict).status, 303);
        release(agent, &id, "");
    }
    submit(agent, "base", "colour = \"green\"\nsize = 3\n", "");
    let parent = r#""parent_consequence_id":"base","#;
    submit(agent, "derived", "colour = \"gr\u{435}en\"\nsize = 3\n", parent);
    submit(agent, "derived-again", "colour = \"blue\"\n", parent);
    let hostile =
        "</code><script>alert(1)</script>\u{202e}txt.exe\u{200b}<img src=x onerror=alert(1)>";
    submit(agent, "hostile", hostile, "");
    submit(agent, "plain", "hello\n", "");
    submit(agent, "waits", &"each line of it is to be seen\n".repeat(600), "");
    submit(agent, "keyboard", &"each line of it is to be seen\n".repeat(600), "");
    submit(agent, "unsure", "sent, and no answer came\n", "");
    for id in ["derived", "hostile", "plain", "waits", "keyboard"] {
        assert_eq!(release(agent, id, ""), "authority_pending");
    }
    submit(&served.execution("ann", "build-6"), "left", "what an ended execution held\n", "");
    assert_eq!(served.as_one("olga").post("/v1/executions/build-6/end", "").status, 200);
    served.as_one("olga").post("/v1/ledger/checkpoint", "");
    lose_sight(served, "unsure");
}

/// A consequence of which nobody knows what became.
fn lose_sight(served: &Served, id: &str) {
    let path = served.home.path().join("ledger.db");
    let ledger = LedgerCustody::open(path, Box::new(SystemClock)).unwrap();
    let (execution, consequence) = ("build-7".parse().unwrap(), id.parse().unwrap());
    let snapshot = ledger.read(&execution, &consequence).unwrap();
    let now = SystemClock.now().unwrap();
    let window = ValidityWindow::new(now, now.after(Duration::from_secs(60)).unwrap()).unwrap();
    let decision = "decision-1".parse().unwrap();
    let decision = AuthorityDecision::about(&snapshot, decision, Verdict::Allow, window).unwrap();
    let record = AttemptRecord {
        decision: DecisionDocument::from(decision).as_received().to_string(),
        admitted_at: now.to_string(),
        provider: "rules".to_owned(),
        actuator: "file.write".to_owned(),
        ..AttemptRecord::default()
    };
    let mark = ledger.mark(&execution, &consequence, &record).unwrap();
    ledger.settle(mark, Settlement::Uncertain, "no answer came in time").unwrap();
}

#[test]
fn a_person_decides_in_a_browser_with_the_keyboard_alone_and_sees_the_effect() {
    let Some(browser) = env::var_os("SWAMPBOX_BROWSER") else {
        eprintln!("left out: SWAMPBOX_BROWSER names no browser");
        return;
    };
    let served = Served::new();
    let agent = served.execution("ann", "build-7");
    live(&served, &agent);
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let screenshots = here.join("../../target/screenshots");
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| release(&agent, "keyboard", r#"{"wait_seconds":60}"#));
        let status = Command::new("node")
            .arg(here.join("tests/browser/console.mjs"))
            .env("SWAMPBOX_BROWSER", browser)
            .env("CONSOLE", format!("http://{}", served.address))
            .env("SCREENSHOTS", screenshots)
            .env("APPROVER_KEY", served.key("carl"))
            .env("OPERATOR_KEY", served.key("olga"))
            .env("EXECUTION_TOKEN", agent.credential())
            .status()
            .unwrap();
        assert!(status.success(), "{status}");
        assert_eq!(waiting.join().unwrap(), "actuator_succeeded");
    });
    assert!(served.file("keyboard.txt").unwrap().starts_with("each line of it"));
}
