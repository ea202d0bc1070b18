//! Deciding through a service, and beside it.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use insta::assert_snapshot;
use swampbox_material::json::Json;

use crate::deciding::{hidden, me};
use crate::deciding_edge::replace;
use crate::deciding_screen::Terminal;
use crate::ledger::{Ledger, receiver, steady};
use crate::run::Ran;
use crate::service::{Serving, configured, text};

/// A service with a consequence that waits, and the token of its execution.
fn waiting(principal: &str) -> (Ledger, Serving, String) {
    let ledger = configured("");
    let serving = Serving::on(&ledger, "");
    let token = serving.execution(&ledger, principal, "A");
    serving.proposed(&token, "\u{202e}hello\n");
    (ledger, serving, token)
}

fn decide(ledger: &Ledger, serving: &Serving, words: &str) -> Ran {
    ledger.run(&format!("decide --service {} --key-file alice.key {words}", serving.url))
}

fn digest(shown: &Ran) -> String {
    let (_, digest) = shown.stdout.split_once(r#""digest":""#).unwrap_or_else(|| panic!("{shown}"));
    digest.split('"').next().unwrap().to_owned()
}

#[test]
fn an_approver_sees_the_whole_through_the_service_and_decides_about_that() {
    let (ledger, serving, token) = waiting("ann");
    let list = decide(&ledger, &serving, "--list");
    let sheet = decide(&ledger, &serving, "X");
    let digest = digest(&decide(&ledger, &serving, "X --json"));
    let allowed =
        decide(&ledger, &serving, &format!("X --allow --digest {digest} --reason agreed"));
    let told = format!("{list}{sheet}{allowed}{}", decide(&ledger, &serving, "--list"));
    assert_snapshot!(steady(&hidden(&ledger, &told)));
    assert_eq!(text(&serving.release(&token), "status"), "RELEASED");
    let written = fs::read_to_string(ledger.directory().join("site/index.html")).unwrap();
    assert_eq!(written, "\u{202e}hello\n");
}

#[test]
fn in_a_terminal_the_queue_of_a_service_is_gone_through_like_ones_own() {
    let (ledger, serving, token) = waiting("ann");
    let mut terminal = Terminal::open(12);
    let words = format!("decide --service {} --key-file alice.key", serving.url);
    let child = terminal.run(ledger.command(&words));
    while !terminal.wait_for(&["for more", "[a]llow"]).ends_with("[a]llow") {
        terminal.say("");
    }
    terminal.wait_for(&["[q]uit: "]);
    terminal.say("d");
    terminal.wait_for(&["reason: "]);
    terminal.say("not today");
    terminal.wait_for(&["[300]: "]);
    terminal.say("");
    terminal.wait_for(&["denied"]);
    assert_eq!(Ran::of(child.wait_with_output().unwrap()).status, Some(0));
    assert_eq!(text(&serving.release(&token), "reason"), "authority_not_allowed");
}

#[test]
fn the_longest_window_of_a_service_is_shown_and_no_longer_one_is_proposed() {
    let ledger = configured("");
    replace(&ledger, |text| {
        text.replace("[approvals]", "[approvals]\nlongest_window_seconds = 60")
    });
    let serving = Serving::on(&ledger, "");
    let token = serving.execution(&ledger, "ann", "A");
    serving.proposed(&token, "hello\n");
    let shown = decide(&ledger, &serving, "X").stdout;
    let longest = shown.lines().find(|line| line.contains("a decision holds"));
    assert_eq!(longest.map(str::trim), Some("a decision holds for 60 s at the most"));
    let sheet = decide(&ledger, &serving, "X --json");
    assert!(sheet.stdout.contains(r#""longest_window_seconds":60"#), "{sheet}");
    let allow = format!("X --allow --digest {} --reason agreed", digest(&sheet));
    let longer = decide(&ledger, &serving, &format!("{allow} --window 61"));
    assert!(longer.stderr.contains("ballot_invalid"), "{longer}");

    let mut terminal = Terminal::open(200);
    let words = format!("decide --service {} --key-file alice.key", serving.url);
    let child = terminal.run(ledger.command(&words));
    terminal.wait_for(&["[q]uit: "]);
    terminal.say("a");
    terminal.wait_for(&["reason: "]);
    terminal.say("agreed");
    terminal.wait_for(&["at most 60 [60]: "]);
    terminal.press("\u{4}");
    assert_eq!(Ran::of(child.wait_with_output().unwrap()).status, Some(0));

    let allowed = decide(&ledger, &serving, &allow);
    assert_eq!(allowed.status, Some(0), "{allowed}");
    assert_eq!(text(&serving.release(&token), "status"), "RELEASED");
}

#[test]
fn what_the_service_refuses_is_refused_with_its_code() {
    let (ledger, serving, _) = waiting("ann");
    let zeros = "0".repeat(64);
    let changed = decide(&ledger, &serving, &format!("X --deny --digest {zeros} --reason no"));
    let unknown = decide(&ledger, &serving, "nothing/at%all..");
    let url = &serving.url;
    let others = decide(&ledger, &serving, "X --withdraw");
    let auditor = ledger.run(&format!("decide --service {url} --key-file udo.key --list"));
    let nobody = ledger.run(&format!("decide --service {url} --list"));
    let mut stranger = ledger.command(&format!("decide --service {url} --list"));
    let stranger = Ran::of(stranger.env("SWAMPBOX_KEY", "swk_unknown").output().unwrap());
    let told = [changed, unknown, others, auditor, nobody, stranger];
    let told = told.map(|ran| ran.to_string()).concat();
    assert_snapshot!(steady(&told));
}

#[test]
fn a_key_goes_where_nobody_else_reads_it() {
    let ledger = configured("");
    let decide = |url: &str, more: &str| {
        let ran = ledger.run(&format!("decide --list --key-file alice.key --service {url} {more}"));
        format!("$ decide --list --service {url} {more}\n{ran}")
    };
    let refused = [
        "http://box.example.com",
        "http://192.0.2.1:7800",
        "ftp://127.0.0.1",
        "127.0.0.1:7800",
        "https://me@box.example.com",
        "https://box.example.com/?key=1",
        "http://localhost.example.com",
    ];
    let refused = refused.map(|url| decide(url, "")).concat();
    let nowhere = decide("http://127.0.0.1:1", "");
    let other = receiver(204);
    let other = decide(&other, "").replace(&other, "http://127.0.0.1:PORT");
    let file = ledger.directory().join("alice.key");
    fs::set_permissions(file, fs::Permissions::from_mode(0o640)).unwrap();
    let exposed = decide("http://127.0.0.1:1", "");
    assert_snapshot!(format!("{refused}{nowhere}{other}{exposed}"));
}

#[test]
fn what_is_no_credential_is_said_with_the_place_and_is_not_repeated() {
    let ledger = configured("");
    let decide = "decide --list --service http://127.0.0.1:1";
    let flawed =
        ["", "\n", "swk_hid\nden\n", "swk_hidden\r\nswk_hidden\r\n", "swk_hid den", "swk_h\u{ef}d"];
    let config = "[authority]\nfirst = [\"board\"]\n[providers.board]\n\
                  url = \"http://127.0.0.1:1\"\ntoken_file = \"flawed.key\"\n";
    ledger.write("flawed.toml", config);
    let said = flawed.map(|text| {
        ledger.write("flawed.key", text);
        let file = ledger.directory().join("flawed.key");
        fs::set_permissions(file, fs::Permissions::from_mode(0o600)).unwrap();
        let in_file = ledger.run(&format!("{decide} --key-file flawed.key"));
        let in_config = ledger.run("config check --config flawed.toml");
        let mut set = ledger.command(decide);
        let set = Ran::of(set.env("SWAMPBOX_KEY", text).output().unwrap());
        format!("{text:?}\n{in_file}{in_config}{set}")
    });
    let said = hidden(&ledger, &said.join("\n"));
    assert!(!said.replace("swk_hid", "").contains("hid"), "{said}");
    assert_snapshot!(said);
}

/// Answers everything with this document.
fn answering(document: &'static str) -> String {
    let server = tiny_http::Server::http("127.0.0.1:0").unwrap();
    let url = format!("http://{}", server.server_addr());
    std::thread::spawn(move || {
        for request in server.incoming_requests() {
            drop(request.respond(tiny_http::Response::from_string(document)));
        }
    });
    url
}

#[test]
fn what_a_false_service_says_neither_reaches_the_terminal_nor_is_taken_for_a_request() {
    let ledger = configured("");
    let list = answering(
        r#"{"requests":[{"format":"\u001b[2J"}],"malformed":["\u001b[31mred"],"next":null}"#,
    );
    let list = ledger.run(&format!("decide --list --service {list} --key-file alice.key"));
    let sheet = answering(
        r#"{"request":{},"parent":null,"if_allowed":"\u001b[0m",
            "longest_window_seconds":60,"proposed_by":"ann"}"#,
    );
    let sheet = ledger.run(&format!("decide X --service {sheet} --key-file alice.key"));
    assert_snapshot!(format!("{list}{sheet}"));
}

#[test]
fn a_request_that_is_not_what_its_digest_is_of_is_not_shown() {
    let (ledger, serving, _) = waiting("ann");
    let honest = Json::read(decide(&ledger, &serving, "X --json").stdout.as_bytes()).unwrap();
    let request = honest.as_object().unwrap().get("request").unwrap().to_string();
    for (with, is_shown) in [("hello", true), ("Hello", false)] {
        let request = request.replace("hello", with);
        let sheet = format!(
            r#"{{"request":{request},"parent":null,"if_allowed":"it happens",
                "longest_window_seconds":60,"proposed_by":"ann"}}"#
        );
        let url = answering(Box::leak(sheet.into_boxed_str()));
        let ran = ledger.run(&format!("decide X --service {url} --key-file alice.key"));
        assert_eq!(ran.status == Some(0), is_shown, "{ran}");
    }
}

/// Who made an execution through the service is who proposes, also for those who decide beside it.
#[test]
fn nobody_decides_in_a_terminal_about_what_they_proposed_through_the_service() {
    let (ledger, _serving, _) = waiting(&me());
    let digest = digest(&ledger.run("decide X --json --config swampbox.toml"));
    let own = ledger
        .run(&format!("decide X --allow --digest {digest} --reason mine --config swampbox.toml"));
    assert!(own.stderr.contains("approver_is_proposer"), "{own}");
    assert_eq!(own.status, Some(1));
}

#[test]
fn a_rule_goes_by_who_made_an_execution_and_not_by_what_it_is_called() {
    let ledger =
        configured("[[rules]]\nprincipal = \"ann\"\neffect = \"ALLOW\"\nreason = \"ann may\"\n");
    let config = fs::read_to_string(ledger.directory().join("swampbox.toml")).unwrap();
    ledger.write("swampbox.toml", config.replace("first = [", "first = [\"rules\", "));
    let serving = Serving::on(&ledger, "");
    let mut numbers = 1..;
    let mut release = |principal: &str, execution: &str| {
        let token = serving.execution(&ledger, principal, execution);
        let number = numbers.next().unwrap();
        let body = format!(
            r#"{{"consequence_id":"{number}","consequence_type":"file.write","target":"site",
                "payload":{{"path":"{number}","content":"x","expected_sha256":null}}}}"#
        );
        assert_eq!(serving.post(&token, "/v1/consequences", &body).0, 201);
        let (_, ended) = serving.post(&token, &format!("/v1/consequences/{number}/release"), "");
        (text(&ended, "status"), ended.as_object().unwrap().get("reason").unwrap().to_string())
    };
    let of = |outcome: &str, reason: &str| (outcome.to_owned(), reason.to_owned());
    assert_eq!(release(&me(), "ann"), of("CONTAINED", "\"authority_pending\""));
    assert_eq!(release("ann", "whatever"), of("RELEASED", "\"actuator_succeeded\""));
    let explained = ledger.run("policy explain 1 --config swampbox.toml");
    assert!(explained.stdout.contains("no rule matches"), "{explained}");
}
