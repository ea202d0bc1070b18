//! Who may ask for what.

use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

use insta::assert_snapshot;
use swampbox_custody::{ExecutionId, Principal};
use swampbox_material::json::Json;
use swampbox_policy::approvals::{Approvals, ByName, Directory, Quorum, Terms, UnknownPrincipal};
use swampbox_service::{
    ApiKey, HeldApprovals, KeptRequests, KeyRing, Limits, Owners, Role, openapi,
};

use crate::raw::{exchange, outcomes};
use crate::served::{Answer, Client, Served, ballot, digest_of, write};

/// Every operation of the document, with its path.
fn operations() -> Vec<(String, String, bool)> {
    let document = openapi::document();
    let paths = document.as_object().unwrap().get("paths").unwrap().clone();
    let mut all = Vec::new();
    for (path, operations) in paths.as_object().unwrap().iter() {
        for (method, operation) in operations.as_object().unwrap().iter() {
            let security = operation.as_object().unwrap().get("security").unwrap();
            let open = matches!(security, Json::List(schemes) if schemes.is_empty());
            all.push((method.to_string(), path.to_string(), open));
        }
    }
    all
}

fn ask(client: &Client<'_>, method: &str, path: &str) -> Answer {
    let path = path.replace("{consequence_id}", "X").replace("{execution_id}", "E");
    match method {
        "get" => client.get(&path),
        _ => client.post(&path, "{}"),
    }
}

#[test]
fn nothing_but_what_is_open_to_all_is_answered_without_a_credential_or_with_a_false_one() {
    let served = Served::new();
    let stranger = ApiKey::generate().unwrap();
    served.execution("ann", "E");
    for credential in [None, Some(stranger.reveal()), Some(""), Some("swx_RQ.c2VjcmV0")] {
        let client = match credential {
            None => served.as_nobody(),
            Some(credential) => served.with_credential(credential),
        };
        for (method, path, open) in operations() {
            let outcome = ask(&client, &method, &path).outcome();
            let expected = if open { "200" } else { "401 unauthenticated" };
            assert_eq!(outcome, expected, "{method} {path} with {credential:?}");
        }
    }
}

#[test]
fn each_role_gets_as_far_as_this() {
    let served = Served::new();
    let token = served.execution("ann", "E");
    let mut table = String::new();
    for (method, path, open) in
        operations().into_iter().filter(|(_, path, _)| !path.ends_with("stream"))
    {
        if open {
            continue;
        }
        write!(table, "{method:4} {path:48}").unwrap();
        for name in ["ann", "olga", "carl", "udo"] {
            let may = ask(&served.as_one(name), &method, &path).outcome() != "403 forbidden";
            write!(table, " {}", if may { name } else { "-" }).unwrap();
        }
        // Ends itself, so it goes last.
        let may =
            path.ends_with("/end") || ask(&token, &method, &path).outcome() != "403 forbidden";
        writeln!(table, " {}", if may { "execution" } else { "-" }).unwrap();
    }
    assert_snapshot!(table);
}

#[test]
fn the_token_of_one_execution_does_nothing_with_what_another_holds() {
    let served = Served::new();
    let (ann, amy) = (served.execution("ann", "A"), served.execution("amy", "B"));
    let held = ann.post("/v1/consequences", &write("a", "a"));
    let id = held.text("consequence_id");
    let path = |rest: &str| format!("/v1/consequences/{id}{rest}");
    assert_eq!(amy.get(&path("")).outcome(), "404 not_visible");
    let to_amy = r#"{"target_execution_id":"B"}"#;
    assert_eq!(amy.post(&path("/transfer"), to_amy).outcome(), "409 same_execution");
    let to_ann = r#"{"target_execution_id":"A"}"#;
    assert_eq!(amy.post(&path("/transfer"), to_ann).outcome(), "404 not_visible");
    assert_eq!(amy.post(&path("/release"), "").text("reason"), "not_current_custodian");
    assert_eq!(amy.post("/v1/executions/A/end", "").outcome(), "403 forbidden");
    let listed = amy.get("/v1/consequences");
    assert_eq!(listed.body.to_string(), r#"{"consequences":[],"next":null}"#);
    assert_eq!(amy.get("/v1/consequences?custodian=A").outcome(), "403 forbidden");
}

/// Knows that cora is ann under another name.
struct Aliases;

impl Directory for Aliases {
    fn behind(&self, execution: &ExecutionId) -> Result<Principal, UnknownPrincipal> {
        ByName.behind(execution)
    }

    fn known_as(&self, name: &Principal) -> Result<Principal, UnknownPrincipal> {
        Ok(if name.as_str() == "cora" { "ann".parse().unwrap() } else { name.clone() })
    }
}

#[test]
fn nobody_decides_about_their_own_proposal_under_another_name() {
    let served = Served::made_of(Limits::default(), |mut parts, _| {
        let owners: Arc<dyn Directory> =
            Arc::new(Owners::of(parts.ledger.clone(), Arc::new(Aliases)));
        let quorum = Quorum::new(1, ["carl", "cora"].map(|name| name.parse().unwrap())).unwrap();
        let minute = Duration::from_secs(60);
        let terms = Terms::new(quorum, minute, minute).unwrap();
        let kept = KeptRequests::of(parts.ledger.clone());
        let approvals = Approvals::new(kept, parts.clock.clone(), owners.clone(), terms);
        let approvals: Arc<HeldApprovals> = Arc::new(approvals.unwrap());
        (parts.principals, parts.authority) = (owners, approvals.clone());
        parts.approvals = Some(approvals);
        parts
    });
    let agent = served.execution("ann", "A");
    let held = agent.post("/v1/consequences", &write("a", "a"));
    let id = held.text("consequence_id");
    agent.post(&format!("/v1/consequences/{id}/release"), "");
    let decide = |name: &str| {
        let ballot = ballot(&digest_of(&served.as_one(name), id), "ALLOW");
        served.as_one(name).post(&format!("/v1/approvals/{id}/decision"), &ballot).outcome()
    };
    assert_eq!(decide("cora"), "403 approver_is_proposer");
    assert_eq!(decide("carl"), "200");
}

#[test]
fn an_execution_adopts_what_its_own_principal_left_and_nothing_else() {
    let served = Served::new();
    let first = served.execution("ann", "A");
    let held = first.post("/v1/consequences", &write("a", "a"));
    let adopt = format!("/v1/consequences/{}/adopt", held.text("consequence_id"));
    served.as_one("olga").post("/v1/executions/A/end", "");
    assert_eq!(served.execution("amy", "B").post(&adopt, "").outcome(), "403 forbidden");
    let again = served.execution("ann", "C").post(&adopt, "");
    assert_eq!(again.text("current_execution_id"), "C");
}

#[test]
fn the_token_of_an_execution_is_good_only_while_whoever_made_it_is_an_agent() {
    let mut served = Served::new();
    let token = served.execution("ann", "A").credential().to_owned();
    let amys = served.execution("amy", "B").credential().to_owned();
    let mut told = String::new();
    for roles in [&[Role::Agent][..], &[], &[Role::Approver], &[Role::Agent, Role::Approver]] {
        served = served.again_made_of(|mut parts, _| {
            let hash = || ApiKey::generate().unwrap().hash();
            parts.keys =
                KeyRing::new().with("amy".parse().unwrap(), hash(), [Role::Agent]).unwrap();
            if !roles.is_empty() {
                let (ann, roles) = ("ann".parse().unwrap(), roles.iter().copied());
                parts.keys = parts.keys.with(ann, hash(), roles).unwrap();
            }
            parts
        });
        let outcome = |token: &str| {
            let client = served.with_credential(token);
            // The second time it may be known already.
            client.get("/v1/consequences");
            client.post("/v1/consequences", &write("a", "a")).outcome()
        };
        writeln!(told, "{roles:?}: {}", outcome(&token)).unwrap();
        assert_eq!(outcome(&amys), "201");
    }
    assert_snapshot!(told);
}

#[test]
fn the_scheme_of_a_credential_is_written_in_any_case() {
    let served = Served::new();
    let key = served.key("udo");
    let headers =
        ["Bearer KEY", "bearer KEY", "BEARER   KEY", "Basic KEY", "BearerKEY", "KEY", "Bearer"];
    let told = headers.map(|header| {
        let line = format!("Authorization: {}\r\n", header.replace("KEY", key));
        let request = format!("GET /v1/ledger HTTP/1.1\r\n{line}Connection: close\r\n\r\n");
        format!("{header:13} {}", outcomes(&exchange(&served, request.as_bytes())).join(", "))
    });
    assert_snapshot!(told.join("\n"));
}
