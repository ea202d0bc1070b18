//! Requests as they are kept.

use std::fmt::Write as _;

use insta::assert_snapshot;
use swampbox_authority::Verdict::{Allow, Deny};
use swampbox_material::json::{Json, Object};
use swampbox_policy::approvals::{Entry, Request, Shelf, State};

use super::fixture::{World, parsed, terms};

/// A request of which one of the two approvals that it needs is there.
const OPEN: &str = r#"{
    "format": "swampbox-approval/2",
    "request_id": "approval-1",
    "consequence_id": "X",
    "origin_execution_id": "exec-A",
    "execution_id": "exec-B",
    "parent_consequence_id": null,
    "material_digest": "6da8f89abc8e20972f9865eb115b7b99ba6e56abf35b88235f5e5fd8ae48b17a",
    "material_bytes": 62,
    "asked_by": "bob",
    "asked_at": "2026-01-01T12:00:00Z",
    "expires_at": "2026-01-01T13:00:00Z",
    "quorum": 2,
    "eligible": ["carol", "dave"],
    "custody_mark": 7,
    "proposers_may_decide": false,
    "longest_window_seconds": 600,
    "carried_out_by": "/bin/mail",
    "material": {"consequence_type": "note", "target": "inbox", "payload": {"n": 1}},
    "digest": "38ffa0890309341c83285f03da4db67cd259d3843d2d77bdbec20384957cdf8f",
    "votes": [{
        "approver": "carol@phone",
        "principal": "carol",
        "verdict": "ALLOW",
        "reason": "looked at it",
        "window_seconds": 300,
        "at": "2026-01-01T12:01:00Z"
    }],
    "state": "open",
    "closed": null
}"#;

fn json(text: &str) -> Json {
    Json::read(text.as_bytes()).unwrap()
}

fn object(json: Json) -> Object {
    let Json::Map(object) = json else { panic!("an object was expected") };
    object
}

/// What is made of the request with one field replaced by other JSON.
fn with(field: &str, text: &str) -> String {
    let mut document = object(json(OPEN));
    document.insert(field, json(text));
    read(&Json::Map(document))
}

/// The same with one field of its vote replaced.
fn with_vote(field: &str, text: &str) -> String {
    let document = object(json(OPEN));
    let Some(Json::List(votes)) = document.get("votes") else { panic!("it has votes") };
    let mut vote = object(votes[0].clone());
    vote.insert(field, json(text));
    with("votes", &Json::List(vec![Json::Map(vote)]).to_string())
}

fn read(document: &Json) -> String {
    match Request::from_document(document) {
        Ok(request) => format!("{}, digest {}", request.state(), request.digest()),
        Err(error) => format!("{}: {error}", error.code()),
    }
}

/// The digest is of fixed bytes: it may not change with the program.
#[test]
fn a_request_is_read_and_written_as_it_was() {
    assert_eq!(read(&json(OPEN)).split(',').next(), Some("open"));
    let request = Request::from_document(&json(OPEN)).unwrap();
    assert_eq!(request.to_document(), json(OPEN));
    assert_snapshot!(read(&json(OPEN)));
}

/// A request as it was written before it told what it rests on.
const OLDER: &str = r#"{
    "format": "swampbox-approval/1",
    "request_id": "approval-1",
    "consequence_id": "X",
    "origin_execution_id": "exec-A",
    "execution_id": "exec-A",
    "parent_consequence_id": null,
    "material_digest": "6da8f89abc8e20972f9865eb115b7b99ba6e56abf35b88235f5e5fd8ae48b17a",
    "material_bytes": 62,
    "asked_by": "alice",
    "asked_at": "2026-01-01T12:00:00Z",
    "expires_at": "2026-01-01T13:00:00Z",
    "quorum": 1,
    "eligible": ["alice", "bob", "carol", "dave", "erin"],
    "material": {"consequence_type": "note", "target": "inbox", "payload": {"n": 1}},
    "digest": "c4f94392190305295c79998a5f2ce04ffda3d81b4febe6873e0be9a004e6c4cb",
    "votes": [{
        "approver": "carol",
        "principal": "carol",
        "verdict": "ALLOW",
        "reason": "looked at it",
        "window_seconds": 300,
        "at": "2026-01-01T12:00:00Z"
    }],
    "state": "allowed",
    "closed": null
}"#;

#[test]
fn a_request_of_the_older_form_is_read_and_is_void() {
    let document = json(OLDER);
    assert_eq!(Request::from_document(&document).unwrap().to_document(), document);
    let world = World::new();
    let entry = Entry {
        consequence: parsed("X"),
        execution: parsed("exec-A"),
        state: State::Allowed,
        document,
    };
    world.shelf.put(entry, None).unwrap();
    world.show();
    world.release("exec-A");
    assert_snapshot!(world.story());
}

#[test]
fn a_request_in_every_state_is_read_as_it_was_written() {
    type Step = fn(&World);
    let ask: Step = |world| world.release("exec-A");
    let allow: Step = |world| world.vote("carol", Allow);
    let deny: Step = |world| world.vote("carol", Deny);
    let withdraw: Step = |world| world.withdraw("alice");
    let expire: Step = |world| {
        world.at("13:00:00");
        world.show();
    };
    let make_void: Step = |world| {
        drop(world.again_under(terms(2)).show(&parsed("X")).unwrap());
    };
    let mut states = Vec::new();
    for steps in [
        &[ask][..],
        &[ask, allow],
        &[ask, deny],
        &[ask, withdraw],
        &[ask, allow, withdraw],
        &[ask, expire],
        &[ask, allow, expire],
        &[ask, deny, expire],
        &[ask, make_void],
        &[ask, allow, ask],
    ] {
        let world = World::new();
        steps.iter().for_each(|step| step(&world));
        let kept = world.shelf.get(&parsed("X")).unwrap().unwrap().document;
        let request = Request::from_document(&kept).unwrap();
        assert_eq!(request.to_document(), kept);
        let closed = object(kept).get("closed").unwrap().to_string();
        states.push(format!("{}: {closed}", request.state()));
    }
    assert_snapshot!(states.join("\n"));
}

#[test]
fn every_field_is_required_and_no_other_is_known() {
    let mut answers = String::new();
    for (name, _) in object(json(OPEN)).iter() {
        let rest = object(json(OPEN));
        let rest = rest.iter().filter(|(key, _)| *key != name);
        let rest = Json::object(rest.map(|(key, value)| (key.clone(), value.clone())));
        writeln!(answers, "{}", read(&rest)).unwrap();
    }
    writeln!(answers, "{}", with("note", "null")).unwrap();
    writeln!(answers, "{}", with_vote("note", "null")).unwrap();
    for closed in [r#"{"at": "2026-01-01T12:02:00Z", "by": "bob", "note": 1}"#, r#"{"by": "bob"}"#]
    {
        let mut document = object(json(OPEN));
        document.insert("state", Json::from("withdrawn"));
        document.insert("closed", json(closed));
        writeln!(answers, "{}", read(&Json::Map(document))).unwrap();
    }
    assert_snapshot!(answers);
}

#[test]
fn every_field_has_its_type() {
    let mut answers = String::new();
    for (name, _) in object(json(OPEN)).iter() {
        for wrong in ["true", "\" \"", "-1", "1.0", "[7]", "{}"] {
            writeln!(answers, "{name} = {wrong}: {}", with(name, wrong)).unwrap();
        }
    }
    assert_snapshot!(answers);
}

#[test]
fn what_is_no_object_or_of_another_form_is_no_request() {
    let answers = [
        read(&Json::Null),
        read(&json("[]")),
        read(&json("{}")),
        with("format", r#""swampbox-approval/3""#),
    ];
    assert_snapshot!(answers.join("\n"));
}

#[test]
fn what_the_digest_covers_can_not_be_changed() {
    let mut answers = String::new();
    for (field, other) in [
        ("request_id", r#""approval-2""#),
        ("consequence_id", r#""Y""#),
        ("origin_execution_id", r#""exec-B""#),
        ("execution_id", r#""exec-A""#),
        ("parent_consequence_id", r#""Y""#),
        ("material", r#"{"consequence_type": "note", "target": "inbox", "payload": {"n": 2}}"#),
        ("material_bytes", "63"),
        ("asked_by", r#""alice""#),
        ("asked_at", r#""2026-01-01T11:00:00Z""#),
        ("expires_at", r#""2026-01-01T14:00:00Z""#),
        ("quorum", "1"),
        ("eligible", r#"["carol", "dave", "mallory"]"#),
        ("custody_mark", "8"),
        ("proposers_may_decide", "true"),
        ("longest_window_seconds", "601"),
        ("carried_out_by", "null"),
    ] {
        writeln!(answers, "{field}: {}", with(field, other)).unwrap();
    }
    assert_snapshot!(answers);
}

#[test]
fn votes_that_can_not_have_been_counted_are_not() {
    let vote = |name: &str, verdict: &str, at: &str| {
        format!(
            r#"{{"approver": "{name}", "principal": "{name}", "verdict": "{verdict}",
                "reason": "r", "window_seconds": 300, "at": "2026-01-01T{at}Z"}}"#
        )
    };
    let votes = |votes: &[String]| with("votes", &format!("[{}]", votes.join(",")));
    let carol = vote("carol", "ALLOW", "12:01:00");
    let answers = [
        votes(&[carol.clone(), carol.clone()]),
        votes(&[vote("mallory", "ALLOW", "12:01:00")]),
        votes(&[vote("carol", "DENY", "12:01:00"), vote("dave", "ALLOW", "12:02:00")]),
        votes(&[vote("carol", "ALLOW", "11:59:59")]),
        votes(&[carol.clone(), vote("dave", "ALLOW", "12:00:59")]),
        votes(&[carol, vote("dave", "ALLOW", "12:02:00")]),
        with_vote("verdict", r#""allow""#),
        with_vote("reason", r#""""#),
        with_vote("window_seconds", "0"),
        with_vote("window_seconds", "0.5"),
        with_vote("at", r#""yesterday""#),
    ];
    assert_snapshot!(answers.join("\n"));
}

#[test]
fn a_state_that_the_votes_do_not_lead_to_is_not_believed() {
    let mut answers = String::new();
    for state in ["allowed", "denied", "used", "expired", "withdrawn", "void", "OPEN"] {
        for closed in [
            "null",
            r#"{"at": "2026-01-01T12:02:00Z"}"#,
            r#"{"at": "2026-01-01T12:02:00Z", "by": "bob"}"#,
            r#"{"at": "2026-01-01T12:02:00Z", "because": "whim"}"#,
            r#"{"at": "2026-01-01T12:02:00Z", "because": "terms"}"#,
        ] {
            let mut document = object(json(OPEN));
            document.insert("state", Json::from(state));
            document.insert("closed", json(closed));
            writeln!(answers, "{state} {closed}: {}", read(&Json::Map(document))).unwrap();
        }
    }
    assert_snapshot!(answers);
}
