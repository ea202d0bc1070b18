//! The GitHub issue as the effect of a release. Each snapshot shows what `gh` was asked.

use std::time::{Duration, SystemTime};

use insta::assert_snapshot;
use swampbox_authority::{
    AuthorityDecision, AuthorityProvider, AuthorityRequest, Clock, ClockError, DecisionDocument,
    NoDecision, Timestamp, ValidityWindow, Verdict,
};
use swampbox_boundary::{Actuator, ReleaseBoundary, ReleaseResult};
use swampbox_custody::{Custody, MemoryCustody, Submission};
use swampbox_experiments::{
    Limits,
    github::{Gh, GitHubIssueActuator, IssueConsequence},
};
use swampbox_material::Material;

use crate::{
    answers::{BODY, OLD, creates, issue, issue_material, listing},
    scripted::{PATIENT, ScriptedGh, prints},
};

#[test]
fn an_exact_address_releases_the_consequence() {
    let gh = ScriptedGh::new(&[creates(7)]);
    assert_snapshot!(released(&gh, PATIENT, issue_material("A title", Some("A body"))));
}

#[test]
fn no_body_is_null_in_material() {
    let gh = ScriptedGh::new(&[creates(7)]);
    assert_snapshot!(released(&gh, PATIENT, issue_material("A title", None)));
}

#[test]
fn anything_but_an_exact_success_is_uncertain() {
    for piece in ["exit 1".to_owned(), prints("done\n"), format!("{}; exit 3", creates(7))] {
        let gh = ScriptedGh::new(&[piece]);
        let result = release(gh.gh(PATIENT), issue_material("A title", None));
        assert_eq!(outcome(&result), "UNCERTAIN actuator_outcome_uncertain");
    }
}

#[test]
fn a_gh_that_hangs_is_uncertain() {
    let gh = ScriptedGh::new(&["sleep 600".to_owned()]);
    let limits = Limits { deadline: Duration::from_millis(200), ..PATIENT };
    let result = release(gh.gh(limits), issue_material("A title", None));
    assert_eq!(outcome(&result), "UNCERTAIN actuator_outcome_uncertain");
}

#[test]
fn a_missing_gh_executed_nothing() {
    let empty = tempfile::TempDir::new().unwrap();
    let result = release(Gh::on_path(empty.path(), PATIENT), issue_material("A title", None));
    assert_eq!(outcome(&result), "CONTAINED actuator_definitely_not_executed");
}

#[test]
fn an_independent_look_tells_whether_exactly_this_issue_is_there() {
    let mut seen = String::new();
    for (name, piece) in [
        ("there twice", listing(&[OLD, &issue(2, BODY), &issue(5, BODY)])),
        ("there with another body", listing(&[OLD, &issue(2, "null")])),
        ("not readable", "exit 1".to_owned()),
    ] {
        let gh = ScriptedGh::new(&[piece]);
        let actuator = GitHubIssueActuator::new(gh.gh(PATIENT));
        let material = issue_material("A title", Some("First line.\nSecond line."));
        let observation = actuator.observe(&material);
        let (sighting, evidence) = (observation.sighting().as_str(), observation.evidence());
        seen += &format!("{name}: {sighting}, {evidence}\n");
    }
    assert_snapshot!(seen);
}

#[test]
fn material_that_is_no_issue_executed_nothing() {
    let mut seen = String::new();
    for json in [
        r#"{"consequence_type": "note", "target": "owner/name", "payload": {"title": "t", "body": null}}"#,
        r#"{"consequence_type": "github_issue", "target": "owner", "payload": {"title": "t", "body": null}}"#,
        r#"{"consequence_type": "github_issue", "target": "owner/name", "payload": {"title": "t"}}"#,
        r#"{"consequence_type": "github_issue", "target": "owner/name", "payload": {"title": "t", "body": null, "labels": []}}"#,
        r#"{"consequence_type": "github_issue", "target": "owner/name", "payload": {"title": "t", "Body": null}}"#,
        r#"{"consequence_type": "github_issue", "target": "owner/name", "payload": {"title": 1, "body": null}}"#,
        r#"{"consequence_type": "github_issue", "target": "owner/name", "payload": {"title": "t", "body": false}}"#,
        r#"{"consequence_type": "github_issue", "target": "owner/name", "payload": {"title": "t", "body": ""}}"#,
        r#"{"consequence_type": "github_issue", "target": "owner/name", "payload": {"title": "t ", "body": null}}"#,
        r#"{"consequence_type": "github_issue", "target": "owner/name", "payload": ["t", null]}"#,
    ] {
        let gh = ScriptedGh::new(&[]);
        let material = Material::from_json(json.as_bytes()).unwrap();
        let code = IssueConsequence::from_material(&material).unwrap_err().code();
        let result = release(gh.gh(PATIENT), material);
        assert_eq!(outcome(&result), "CONTAINED actuator_definitely_not_executed");
        assert_eq!(gh.calls(), "none\n");
        seen += &format!("{code}: {json}\n");
    }
    assert_snapshot!(seen);
}

#[test]
fn an_issue_survives_the_way_through_material() {
    for body in [None, Some("line\n\tline")] {
        let consequence = IssueConsequence::new("owner/name", "A title", body).unwrap();
        let material = consequence.to_material().unwrap();
        assert_eq!(IssueConsequence::from_material(&material), Ok(consequence));
    }
}

fn released(gh: &ScriptedGh, limits: Limits, material: Material) -> String {
    let result = release(gh.gh(limits), material);
    format!("{}\n{}\n\n{}", outcome(&result), result.reason(), gh.calls())
}

fn outcome(result: &ReleaseResult) -> String {
    format!("{} {}", result.status(), result.reason().code())
}

fn release(gh: Gh, material: Material) -> ReleaseResult {
    let custody = MemoryCustody::new("actuator".parse().unwrap());
    let (execution, consequence) = ("exec-A".parse().unwrap(), "X".parse().unwrap());
    custody.register(&execution).unwrap();
    let submission =
        Submission { execution: execution.clone(), consequence, material, parent: None };
    let consequence = custody.submit(submission).unwrap().consequence_id;
    ReleaseBoundary::new(&custody, Allowing, GitHubIssueActuator::new(gh), Now)
        .release(&execution, &consequence)
}

struct Now;

impl Clock for Now {
    fn now(&self) -> Result<Timestamp, ClockError> {
        Timestamp::try_from(SystemTime::now()).map_err(ClockError::new)
    }
}

struct Allowing;

impl AuthorityProvider for Allowing {
    fn evaluate(&self, asked: &AuthorityRequest) -> Result<DecisionDocument, NoDecision> {
        let issued_at = asked.evaluated_at;
        let window =
            ValidityWindow::new(issued_at, issued_at.after(Duration::from_secs(600)).unwrap());
        let id = "decision-1".parse().unwrap();
        let decision =
            AuthorityDecision::about(&asked.snapshot, id, Verdict::Allow, window.unwrap());
        Ok(decision.unwrap().into())
    }
}
