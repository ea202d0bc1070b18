//! Requests for approval whose consequence goes into other hands.

use crate::at_once::{allow, ask, proposed, reason, release, served, story, transfer, voting};

#[test]
fn what_was_allowed_is_not_after_it_went_away_and_back() {
    let served = served();
    let (agent, id) = proposed(&served);
    let other = served.execution("both", "other");
    ask(&agent, &id);
    allow(&served, "carl", &id);
    assert_eq!(transfer(&agent, &id, "other")().status, 200);
    assert_eq!(transfer(&other, &id, &id)().status, 200);
    assert_eq!(reason(&release(&agent, &id)()), "authority_pending");
    assert_eq!(story(&served, &id).effects, 0);
    allow(&served, "carl", &id);
    assert_eq!(reason(&release(&agent, &id)()), "actuator_succeeded");
    assert!(served.verifies());
}

#[test]
fn nobody_votes_while_it_is_in_other_hands_and_what_was_asked_is_not_after_it_came_back() {
    let served = served();
    let (agent, id) = proposed(&served);
    let other = served.execution("both", "other");
    ask(&agent, &id);
    let votes = ["both", "carl"].map(|name| voting(&served, name, &id, "ALLOW"));
    assert_eq!(transfer(&agent, &id, "other")().status, 200);
    for vote in votes {
        assert_eq!(vote().outcome(), "409 request_closed");
    }
    assert_eq!(transfer(&other, &id, &id)().status, 200);
    assert_eq!(reason(&release(&agent, &id)()), "authority_pending");
    assert_eq!(story(&served, &id).effects, 0);
}

#[test]
fn a_request_is_void_after_its_consequence_was_quarantined_and_adopted_by_who_held_it() {
    let served = served();
    let (agent, id) = proposed(&served);
    let other = served.execution("both", "other");
    assert_eq!(transfer(&agent, &id, "other")().status, 200);
    ask(&other, &id);
    let vote = voting(&served, "carl", &id, "ALLOW");
    assert_eq!(transfer(&other, &id, &id)().status, 200);
    assert_eq!(agent.post(&format!("/v1/executions/{id}/end"), "").status, 200);
    let adopt = format!("/v1/consequences/{id}/adopt");
    let adopted = served.as_one("olga").post(&adopt, r#"{"execution_id":"other"}"#);
    assert_eq!(adopted.status, 200);
    assert_eq!(vote().outcome(), "409 request_closed");
    assert_eq!(reason(&release(&other, &id)()), "authority_pending");
}
