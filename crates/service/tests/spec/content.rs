//! What stands in paths, queries and bodies, whoever wrote it.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::sync::Arc;

use insta::assert_snapshot;
use swampbox_material::json::Json;
use swampbox_service::{Limits, openapi};

use crate::effects::{ByName, Kept, Lines, proposal};
use crate::person::Person;
use crate::raw::{connect, exchange, head, outcomes};
use crate::served::{Client, Served, ballot, digest_of, write};

fn served() -> Served {
    Served::made_of(Limits::default(), |mut parts, home| {
        let (kept, lines) = (Kept::within(home), Lines::within(home));
        parts.effects = Arc::new(ByName(vec![Box::new(kept), Box::new(lines)]));
        parts
    })
}

/// The outcome of a request that no client library would send.
fn raw(served: &Served, method: &str, path: &str, principal: &str, body: &[u8]) -> String {
    let head = head(served, method, path, principal);
    let framing = format!("Content-Length: {}\r\nConnection: close\r\n\r\n", body.len());
    let request = [head.as_bytes(), framing.as_bytes(), body].concat();
    outcomes(&exchange(served, &request)).join(", ")
}

#[test]
fn a_path_names_what_it_says_and_nothing_else() {
    let served = Served::new();
    let long = format!("/v1/consequences/{}/state", "x".repeat(257));
    let paths = [
        "/v1/consequences/X/state",
        "/v1/consequences/a%2Fb/state",
        "/v1/consequences/%2e%2e%2f%2e%2e%2fetc%2fpasswd/state",
        "/v1/consequences/../executions",
        "/v1/consequences/X/../../executions",
        "/v1/consequences/%00/state",
        "/v1/consequences/%0d%0aX:1/state",
        "/v1/consequences/%20X/state",
        "/v1/consequences/%ff/state",
        "/v1/consequences/%c0%af/state",
        "/v1/consequences/%ed%a0%80/state",
        "/v1/consequences/%zz/state",
        "/v1/consequences//state",
        "//v1/consequences/X/state",
        "/v1/consequences/X/state/",
        "/V1/consequences/X/state",
        "/v1/consequences/X%2Fstate",
        &long,
        "/",
        "/v1",
        "/v1/ledger.db",
        "http://elsewhere.example/v1/consequences/X/state",
    ];
    let told = paths.map(|path| {
        let shown = if path.len() > 200 { "(an id of 257 bytes)" } else { path };
        format!("{shown} {}", raw(&served, "GET", path, "udo", b""))
    });
    assert_snapshot!(told.join("\n"));
}

#[test]
fn a_query_is_read_strictly() {
    let served = Served::new();
    let queries = [
        "/v1/events?",
        "/v1/events?from=0",
        "/v1/events?from=18446744073709551615",
        "/v1/events?from=18446744073709551616",
        "/v1/events?from=-1",
        "/v1/events?from=1.0",
        "/v1/events?from=1e3",
        "/v1/events?from=",
        "/v1/events?from",
        "/v1/events?from=1&from=1",
        "/v1/events?from=1&%66rom=1",
        "/v1/events?form=1",
        "/v1/events?limit=0",
        "/v1/events?limit=1000",
        "/v1/events?limit=1001",
        "/v1/events?limit=99999999999999999999",
        "/v1/events?execution=%ff",
        "/v1/events?execution=%",
        "/v1/events?execution=%E4",
        "/v1/events?execution=%C3%A4",
        "/v1/events?execution=%00",
        "/v1/events?execution=%20",
        "/v1/events?%ff=1",
        "/v1/events?a&b",
        "/v1/events/stream?from=x",
        "/v1/ledger?verbose=1",
        "/v1/consequences?type=%00&target=%0d%0a",
        "/v1/consequences?quarantined=1",
        "/v1/consequences?state=released",
    ];
    let told = queries.map(|path| format!("{path} {}", raw(&served, "GET", path, "udo", b"")));
    let ends = "/v1/executions/X/end?force=true";
    let ended = format!("{ends} {}", raw(&served, "POST", ends, "olga", b""));
    assert_snapshot!(format!("{}\n{ended}", told.join("\n")));
}

/// Numbers about which a store and a reader may think differently.
const NUMBERS: [&str; 13] = [
    "0",
    "1",
    "007",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "-1",
    "%2B1",
    "+1",
    "1.0",
    "x",
    "",
];

/// The status of what is asked for with these headers, without waiting for the rest of the answer.
fn status(served: &Served, path: &str, principal: &str, header: &str) -> String {
    let mut stream = connect(served);
    let head = head(served, "GET", path, principal);
    stream.write_all(format!("{head}{header}Connection: close\r\n\r\n").as_bytes()).unwrap();
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line).unwrap();
    line.split(' ').nth(1).unwrap().to_owned()
}

#[test]
fn a_number_in_a_query_is_one_in_digits_and_however_great_no_failure_of_the_store() {
    let served = served();
    let agent = served.execution("ann", "A");
    let held = agent.post("/v1/consequences", &proposal("kept", "1"));
    let id = held.text("consequence_id");
    agent.post(&format!("/v1/consequences/{id}/release"), "");
    let document = openapi::document();
    let paths = document.as_object().unwrap().get("paths").unwrap().as_object().unwrap();
    let mut told = Vec::new();
    for (path, operations) in paths.iter() {
        let Some(get) = operations.as_object().unwrap().get("get") else { continue };
        let Some(Json::List(parameters)) = get.as_object().unwrap().get("parameters") else {
            continue;
        };
        let principal = if path.starts_with("/v1/approvals") { "carl" } else { "udo" };
        for parameter in parameters {
            let [name, within] = ["name", "in"]
                .map(|field| parameter.as_object().unwrap().get(field).unwrap().as_str().unwrap());
            let said = parameter.to_string();
            if !["Limit\"", "Sequence64\""].iter().any(|schema| said.contains(schema)) {
                continue;
            }
            let outcomes = NUMBERS.map(|number| match within {
                "header" => status(&served, path, principal, &format!("{name}: {number}\r\n")),
                _ => status(&served, &format!("{path}?{name}={number}"), principal, ""),
            });
            told.push(format!("{path} {name}\n  {}", outcomes.join(" ")));
        }
    }
    let paged =
        [("carl", "after"), ("carl", "page"), ("udo", "page"), ("udo", "from"), ("udo", "skip")];
    for (principal, name) in paged {
        let path = match (principal, name) {
            (_, "after") => "/decide".to_owned(),
            (_, "skip") => "/ledger".to_owned(),
            ("carl", _) => format!("/decide/{id}"),
            _ => format!("/consequences/{id}"),
        };
        let person = Person::logged_in(&served, principal);
        let outcomes =
            NUMBERS.map(|number| person.get(&format!("{path}?{name}={number}")).status.to_string());
        let path = path.replace(id, "ID");
        told.push(format!("the console's {path} {name}\n  {}", outcomes.join(" ")));
    }
    assert_snapshot!(format!("{}\n{}", NUMBERS.join(" "), told.join("\n")));
}

#[test]
fn a_body_is_one_json_text_that_is_read_strictly() {
    let served = served();
    let nested = format!(
        "{}{}",
        r#"{"consequence_type":"note","target":"kept","payload":"#,
        "[".repeat(100_000)
    );
    let payload = |payload: &str| proposal("kept", payload).into_bytes();
    let cases: Vec<(&str, Vec<u8>)> = vec![
        ("nothing", b"".to_vec()),
        ("null", b"null".to_vec()),
        ("a list", b"[]".to_vec()),
        ("a hundred thousand lists", nested.into_bytes()),
        ("seventeen lists", payload(&format!("{}{}", "[".repeat(17), "]".repeat(17)))),
        ("the same key twice", payload(r#"{"a":1,"a":1}"#)),
        ("the same key twice, escaped", payload(r#"{"a":1,"\u0061":1}"#)),
        ("a field twice", br#"{"target":"kept","target":"lines","payload":1}"#.to_vec()),
        ("no UTF-8", b"{\"target\":\"\xff\"}".to_vec()),
        ("UTF-8 of a surrogate", b"{\"target\":\"\xed\xa0\x80\"}".to_vec()),
        ("a byte order mark", b"\xef\xbb\xbf{}".to_vec()),
        ("UTF-16", b"{\0}\0".to_vec()),
        ("a lone surrogate", payload(r#""\ud800""#)),
        ("a number beyond bounds", payload("1e400")),
        ("too many digits", payload(&"9".repeat(4_301))),
        ("NaN", payload("NaN")),
        ("a comment", payload("/* */ 1")),
        ("two texts", b"{} {}".to_vec()),
        ("no JSON at all", b"consequence_type=note&target=kept".to_vec()),
        ("a target that is a number", br#"{"consequence_type":"note","target":1,"payload":1}"#.to_vec()),
        ("no payload", br#"{"consequence_type":"note","target":"kept"}"#.to_vec()),
        ("one field more", br#"{"consequence_type":"note","target":"kept","payload":1,"execution_id":"B"}"#.to_vec()),
        ("an id with a line feed", br#"{"consequence_id":"a\nb","consequence_type":"note","target":"kept","payload":1}"#.to_vec()),
        ("its own parent", br#"{"consequence_id":"X","parent_consequence_id":"X","consequence_type":"note","target":"kept","payload":1}"#.to_vec()),
    ];
    let agent = served.execution("ann", "A");
    let told: Vec<String> = cases
        .iter()
        .map(|(name, body)| {
            let head = format!(
                "POST /v1/consequences HTTP/1.1\r\nAuthorization: Bearer {}\r\n\
                 Content-Length: {}\r\nConnection: close\r\n\r\n",
                agent.credential(),
                body.len()
            );
            let answers = exchange(&served, &[head.as_bytes(), body].concat());
            format!("{name}: {}", outcomes(&answers).join(", "))
        })
        .collect();
    assert_snapshot!(told.join("\n"));
    assert_eq!(
        agent.get("/v1/consequences").body.to_string(),
        r#"{"consequences":[],"next":null}"#
    );
}

#[test]
fn a_number_of_seconds_is_a_whole_one_within_its_bounds() {
    let served = served();
    let agent = served.execution("ann", "A");
    let id = agent.post("/v1/consequences", &proposal("kept", "1"));
    let id = id.text("consequence_id");
    let release = format!("/v1/consequences/{id}/release");
    agent.post(&release, "");
    let carl = served.as_one("carl");
    let digest = digest_of(&carl, id);
    let numbers =
        ["-1", "1.5", "1.0", "1e3", "18446744073709551616", "\"1\"", "null", "true", "[1]"];
    let mut told = Vec::new();
    for number in numbers {
        let wait = agent.post(&release, &format!(r#"{{"wait_seconds":{number}}}"#));
        let vote = ballot(&digest, "ALLOW").replace(":60}", &format!(":{number}}}"));
        let vote = carl.post(&format!("/v1/approvals/{id}/decision"), &vote);
        told.push(format!("{number}: {}, {}", wait.outcome(), vote.outcome()));
    }
    for number in ["0", "3601", "18446744073709551615"] {
        let vote = ballot(&digest, "ALLOW").replace(":60}", &format!(":{number}}}"));
        let vote = carl.post(&format!("/v1/approvals/{id}/decision"), &vote);
        told.push(format!("a window of {number}: {}", vote.outcome()));
    }
    assert_snapshot!(told.join("\n"));
    assert_eq!(served.as_one("carl").get("/v1/approvals").body.to_string().matches(id).count(), 1);
}

/// As it is written and read back, value by value.
const EXACT: &str = concat!(
    r#"{"big":-123456789012345678901234567890123456789,"minus_zero":-0.0,"one":1.0,"integer":1,"#,
    r#""hundred":100.0,"small":5e-324,"great":1.7976931348623157e+308,"zero_byte":"\u0000","#,
    r#""invisible":"a\u200bb\u202ec","line":"\r\n","delete":"\u007f","empty":{},"none":[],"#,
    r#""":null,"$serde_json::private::Number":"1e400","#,
    r#""nested":{"$serde_json::private::RawValue":"{","$serde_spanned_private_value":[true]},"#,
    r#""formula":"=HYPERLINK(\"http://x\")","markup":"<script>alert(1)</script>"}"#
);

#[test]
fn what_is_proposed_is_shown_kept_and_carried_out_exactly_as_it_came() {
    let served = served();
    let agent = served.execution("ann", "A");
    let held = agent.post("/v1/consequences", &proposal("kept", EXACT));
    let id = held.text("consequence_id").to_owned();
    let came = Json::read(EXACT.as_bytes()).unwrap();
    assert_eq!(held.part("payload"), &came);
    let release = format!("/v1/consequences/{id}/release");
    agent.post(&release, "");
    let read = agent.get(&format!("/v1/consequences/{id}"));
    assert_eq!(read.part("payload"), &came);
    let carl = served.as_one("carl");
    let sheet = carl.get(&format!("/v1/approvals/{id}"));
    let request = sheet.part("request").as_object().unwrap();
    let shown = request.get("material").unwrap().as_object().unwrap().get("payload");
    assert_eq!(shown, Some(&came));
    allow(&carl, &id);
    assert_eq!(agent.post(&release, "").text("status"), "RELEASED");
    let carried_out = fs::read(served.home.path().join(&id)).unwrap();
    assert_eq!(Json::read(&carried_out).unwrap(), came);
    let story = served.as_one("udo").get(&format!("/v1/consequences/{id}/story"));
    let kept = story.part("consequence").as_object().unwrap().get("payload");
    assert_eq!(kept, Some(&came));
    assert!(served.verifies());
}

#[test]
fn what_differs_only_in_kind_is_another_consequence() {
    let served = served();
    let agent = served.execution("ann", "A");
    let pairs =
        [("1", "1.0"), ("true", "1"), (r#""a""#, r#""A""#), ("[1,2]", "[2,1]"), ("{}", "[]")];
    for (number, (first, second)) in pairs.iter().enumerate() {
        let key = format!("key-{number}");
        let headers = [("idempotency-key", key.as_str())];
        let submit = |payload: &str| {
            agent.post_with("/v1/consequences", &proposal("kept", payload), &headers)
        };
        assert_eq!(submit(first).outcome(), "201");
        assert_eq!(submit(first).outcome(), "200");
        assert_eq!(submit(second).outcome(), "409 idempotency_mismatch", "{first} {second}");
    }
}

#[test]
fn a_path_that_leaves_the_directory_of_the_actuator_is_not_taken_in() {
    let served = Served::new();
    let agent = served.execution("ann", "A");
    for name in ["../escaped", "/tmp/escaped", "a/../../escaped", "..", "./escaped", ""] {
        let outcome = agent.post("/v1/consequences", &write(name, "x")).outcome();
        assert_eq!(outcome, "422 payload_schema", "{name}");
    }
    assert!(!served.home.path().join("escaped").exists());
}

fn allow(approver: &Client<'_>, id: &str) {
    let ballot = ballot(&digest_of(approver, id), "ALLOW");
    let voted = approver.post(&format!("/v1/approvals/{id}/decision"), &ballot);
    assert_eq!(voted.status, 200, "{}", voted.body);
}

#[test]
fn where_a_body_may_be_left_out_it_is_an_object_or_nothing() {
    let served = served();
    let agent = served.execution("ann", "A");
    let held = agent.post("/v1/consequences", &proposal("kept", "1"));
    let id = held.text("consequence_id");
    let of = |rest: &str| format!("/v1/consequences/{id}/{rest}");
    agent.post(&of("release"), "");
    let operations = [
        ("ann", "/v1/executions".to_owned()),
        ("A", of("release")),
        ("A", of("adopt")),
        ("olga", of("adopt")),
        ("olga", of("observe")),
        ("udo", "/v1/ledger/verify".to_owned()),
        ("olga", "/v1/ledger/checkpoint".to_owned()),
        ("cora", format!("/v1/approvals/{id}/withdraw")),
        ("A", "/v1/executions/A/end".to_owned()),
    ];
    let bodies = ["null", "[]", "\"\"", "0", "false", r#"{"more":1}"#, " { } ", ""];
    let told = operations.map(|(who, path)| {
        let client = if who == "A" { agent.clone() } else { served.as_one(who) };
        let outcomes =
            bodies.map(|body| format!("  {body:12} {}", client.post(&path, body).outcome()));
        format!("{who} {}\n{}", path.replace(id, "ID"), outcomes.join("\n"))
    });
    assert_snapshot!(told.join("\n"));
}
