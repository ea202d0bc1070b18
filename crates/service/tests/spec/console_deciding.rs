//! Deciding in the console.

use std::sync::Arc;
use std::time::Duration;

use insta::assert_snapshot;
use swampbox_material::json::Json;
use swampbox_policy::approvals::{Approvals, Quorum, Terms};
use swampbox_service::{HeldApprovals, KeptRequests, Limits};

use crate::console::waiting;
use crate::person::{Page, Person};
use crate::served::{Client, Served, write};

/// Submits X, or another one, and asks for its release.
fn propose(agent: &Client<'_>, id: &str, content: &str, more: &str) {
    let begin = format!(r#"{{"consequence_id":{id:?},{more}"#);
    let body = write(&format!("note-{id}"), content).replacen('{', &begin, 1);
    let held = agent.post("/v1/consequences", &body);
    assert_eq!(held.status, 201, "{}", held.body);
    let asked = agent.post(&format!("/v1/consequences/{id}/release"), "");
    assert_eq!(asked.text("reason"), "authority_pending");
}

/// The page without what differs from run to run.
fn told(page: &Page) -> String {
    let digest = |word: &str| word.len() == 64 && word.bytes().all(|b| b.is_ascii_hexdigit());
    let line = |line: &str| {
        let words = line.split(' ').map(|word| match word {
            word if digest(word) => "[digest]".to_owned(),
            word if word.starts_with('"') && word.ends_with("/files\";") => "[files];".to_owned(),
            word if word.len() == 10 && word.starts_with("20") => "[day]".to_owned(),
            word if word.len() == 8 && word.matches(':').count() == 2 => "[time]".to_owned(),
            word => word.to_owned(),
        });
        words.collect::<Vec<_>>().join(" ")
    };
    page.text().lines().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn who_has_seen_it_all_allows_it_and_the_effect_follows() {
    let served = waiting();
    let carl = Person::logged_in(&served, "carl");
    assert!(carl.get("/decide").html.contains(r#"href="/decide/X""#));
    let page = carl.read_to_the_end("X");
    assert_snapshot!(told(&page));
    let voted = carl.vote("X", &page, "ALLOW");
    assert_eq!((voted.status, voted.header("location")), (303, "/consequences/X"));
    let agent = served.as_one("ann").post("/v1/executions", r#"{"execution_id":"B"}"#);
    assert_eq!(agent.status, 201);
    assert!(carl.get("/consequences/X").text().contains("It is allowed."));
    assert!(carl.get("/decide").text().contains("Nothing waits for a decision."));
}

#[test]
fn what_is_denied_stays_and_the_reason_is_kept() {
    let served = Served::new();
    let agent = served.execution("ann", "A");
    propose(&agent, "X", "hello", "");
    let carl = Person::logged_in(&served, "carl");
    let page = carl.read_to_the_end("X");
    assert_eq!(carl.vote("X", &page, "DENY").status, 303);
    let release = agent.post("/v1/consequences/X/release", "");
    assert_eq!(release.text("reason"), "authority_not_allowed");
    assert_eq!(served.file("note-X"), None);
    assert!(carl.get("/consequences/X").text().contains("carl denied it at"));
}

/// What the API says of the longest window, and the field of the console for it.
fn windows(longest: Duration) -> (Json, String, u16) {
    let served = Served::made_of(Limits::default(), |mut parts, _| {
        let quorum = Quorum::new(1, ["carl".parse().unwrap()]).unwrap();
        let terms = Terms::new(quorum, Duration::from_secs(3_600), longest).unwrap();
        let kept = KeptRequests::of(parts.ledger.clone());
        let principals = parts.principals.clone();
        let approvals = Approvals::new(kept, parts.clock.clone(), principals, terms);
        let approvals: Arc<HeldApprovals> = Arc::new(approvals.unwrap());
        parts.authority = approvals.clone();
        parts.approvals = Some(approvals);
        parts
    });
    propose(&served.execution("ann", "A"), "X", "hello", "");
    let sheet = served.as_one("carl").get("/v1/approvals/X");
    let carl = Person::logged_in(&served, "carl");
    let page = carl.read_to_the_end("X");
    let field = page.tags().into_iter().find(|tag| tag.contains("window_seconds")).unwrap();
    let proposed = field.split("value=\"").nth(1).unwrap().split('"').next().unwrap();
    let digest = page.value("digest").unwrap();
    let vote = [("digest", &*digest), ("verdict", "ALLOW"), ("reason", "r")];
    let voted = carl.post("/decide/X", &[&vote[..], &[("window_seconds", proposed)]].concat());
    (sheet.part("longest_window_seconds").clone(), field, voted.status)
}

#[test]
fn the_longest_window_is_told_and_what_is_proposed_is_never_longer() {
    let told = [60, 300, 3_600].map(|longest| {
        let (told, field, voted) = windows(Duration::from_secs(longest));
        assert_eq!(told, Json::from(longest));
        format!("{field} -> {voted}")
    });
    assert_snapshot!(told.join("\n"));
}

#[test]
fn nobody_decides_before_every_page_was_shown_in_their_session() {
    let served = Served::new();
    let agent = served.execution("ann", "A");
    propose(&agent, "X", &"a line of text\n".repeat(1_500), "");
    let carl = Person::logged_in(&served, "carl");
    let first = carl.get("/decide/X");
    let pages =
        first.text().split(" of ").filter_map(|rest| rest.split('\n').next()?.parse().ok()).next();
    let pages: usize = pages.unwrap();
    assert!(pages > 3 && !first.lets_decide());
    let last = format!("/decide/X?page={pages}");

    // Not by going to the end, and not by what no person sees.
    assert!(!carl.get(&last).lets_decide());
    for header in
        [("sec-fetch-dest", "empty"), ("sec-purpose", "prefetch"), ("swampbox-looks", "1")]
    {
        (2..pages)
            .for_each(|page| drop(carl.get_with(&format!("/decide/X?page={page}"), &[header])));
    }
    assert!(!carl.get(&last).lets_decide());
    assert!(carl.get(&last).text().contains("Not all of it was shown yet."));

    // Nor by a form that was never shown.
    let sheet = served.as_one("carl").get("/v1/approvals/X");
    let digest = sheet.part("request").as_object().unwrap().get("digest").unwrap();
    let fields = [
        ("digest", digest.as_str().unwrap()),
        ("verdict", "ALLOW"),
        ("reason", "r"),
        ("window_seconds", "60"),
    ];
    let forged = carl.post("/decide/X", &fields);
    assert_eq!(forged.status, 409);
    assert!(forged.text().contains("material_not_shown"), "{}", forged.text());

    let shown = carl.read_to_the_end("X");
    assert!(shown.lets_decide());
    assert!(!carl.get("/decide/X").lets_decide(), "the means are on the last page alone");
    let other = Person::logged_in(&served, "carl");
    assert_eq!(other.vote("X", &shown, "ALLOW").status, 409, "another session saw nothing of it");
    assert_eq!(agent.post("/v1/consequences/X/release", "").text("reason"), "authority_pending");
    assert_eq!(carl.vote("X", &shown, "ALLOW").status, 303);
    assert_eq!(agent.post("/v1/consequences/X/release", "").text("status"), "RELEASED");
}

#[test]
fn a_decision_about_what_has_changed_meanwhile_is_refused_and_the_new_state_is_shown() {
    let served = Served::new();
    let agent = served.execution("ann", "A");
    propose(&agent, "X", "hello", "");
    let carl = Person::logged_in(&served, "carl");
    let page = carl.read_to_the_end("X");
    assert_eq!(agent.post("/v1/approvals/X/withdraw", "").status, 200);

    let closed = carl.vote("X", &page, "ALLOW");
    assert_eq!(closed.status, 409);
    assert!(closed.text().contains("request_closed"));
    assert!(closed.text().contains("is withdrawn."));

    agent.post("/v1/consequences/X/release", "");
    let changed = carl.vote("X", &page, "ALLOW");
    assert_eq!(changed.status, 409);
    assert_snapshot!(told(&changed));
    assert_eq!(agent.post("/v1/consequences/X/release", "").text("reason"), "authority_pending");
    assert_eq!(served.file("note-X"), None);
}

#[test]
fn of_two_who_decide_the_second_is_told_that_it_is_decided() {
    let served = waiting();
    let (carl, cora) = (Person::logged_in(&served, "carl"), Person::logged_in(&served, "cora"));
    let (by_carl, by_cora) = (carl.read_to_the_end("X"), cora.read_to_the_end("X"));
    assert_eq!(cora.vote("X", &by_cora, "DENY").status, 303);
    let late = carl.vote("X", &by_carl, "ALLOW");
    assert_eq!(late.status, 409);
    assert!(late.text().contains("is denied."), "{}", late.text());
}

#[test]
fn nobody_decides_in_the_console_about_what_their_own_execution_proposes() {
    let served = Served::new();
    propose(&served.execution("both", "A"), "X", "hello", "");
    let both = Person::logged_in(&served, "both");
    let page = both.read_to_the_end("X");
    let voted = both.vote("X", &page, "ALLOW");
    assert_eq!(voted.status, 403);
    assert!(voted.text().contains("approver_is_proposer"));
}

#[test]
fn a_request_is_shown_beside_its_parent_and_the_last_one_released_to_the_same_target() {
    let served = Served::new();
    let agent = served.execution("ann", "A");
    let carl = Person::logged_in(&served, "carl");
    propose(&agent, "before", &format!("{}old{}", "same ".repeat(60), " end".repeat(60)), "");
    let page = carl.read_to_the_end("before");
    assert!(page.text().contains("none released this type to this target"));
    assert_eq!(carl.vote("before", &page, "ALLOW").status, 303);
    let release = agent.post("/v1/consequences/before/release", "");
    assert_eq!(release.text("status"), "RELEASED");

    agent.post(
        "/v1/consequences",
        &write("parent", "hello").replacen('{', r#"{"consequence_id":"P","#, 1),
    );
    let content = format!("{}new{}", "same ".repeat(60), " end".repeat(60));
    propose(&agent, "X", &content, r#""parent_consequence_id":"P","#);
    assert_snapshot!(told(&carl.read_to_the_end("X")));
}

#[test]
fn a_vote_that_can_not_be_counted_says_why() {
    let served = waiting();
    let carl = Person::logged_in(&served, "carl");
    let page = carl.read_to_the_end("X");
    let digest = page.value("digest").unwrap();
    let told = [
        ("ALLOW", " ", "60"),
        ("ALLOW", "r", "0"),
        ("ALLOW", "r", "99999999"),
        ("ALLOW", "r", "1.5"),
        ("allow", "r", "60"),
    ]
    .map(|(verdict, reason, window)| {
        let fields = [
            ("digest", digest.as_str()),
            ("verdict", verdict),
            ("reason", reason),
            ("window_seconds", window),
        ];
        let page = carl.post("/decide/X", &fields);
        let code =
            page.text().lines().find_map(|line| line.strip_prefix("Code: ").map(str::to_owned));
        format!("{} {}", page.status, code.unwrap())
    });
    assert_eq!(
        told,
        [
            "400 ballot_invalid",
            "400 ballot_invalid",
            "400 ballot_invalid",
            "400 invalid_arguments",
            "400 invalid_arguments"
        ]
    );
}
