//! What a store is given to keep of an attempt: with the mark, before the actuator is entered, and
//! with the outcome.

use std::sync::Arc;

use insta::assert_snapshot;
use swampbox_authority::{AuthorityProvider, AuthorityRequest, DecisionDocument};
use swampbox_boundary::{
    Actuator, ActuatorFailure, ActuatorReport, Admission, Admitted, ReleaseBoundary, Requested,
};
use swampbox_custody::{AttemptRecord, Custody};

use crate::fixture::{Answer, NOW, Reported, Script, allows, held, parsed};
use crate::watched::{Fault, Watched};

fn record_of(script: &Script) -> AttemptRecord {
    let store = held();
    let store = Watched::new(&store);
    drop(script.release(&store, "exec-A", "X"));
    let [record] = &store.records()[..] else {
        panic!("there is one mark");
    };
    record.clone()
}

#[test]
fn a_decision_that_came_as_text_is_kept_letter_by_letter() {
    let text = br#" { "valid_until" : "2026-01-01T14:05:00+02:00",	"verdict":"\u0041LLOW",
        "issued_at": "2026-01-01T12:00:00.000Z", "execution_id": "exec-A",
        "bound_consequence": {"target": "inbox", "payload": {"n": 1}, "consequence_type": "note"},
        "decision_id": "decision-1", "consequence_id": "X" }
"#;
    let record = record_of(&Script::new().authority(|_| Ok(DecisionDocument::read(text))));
    assert_eq!(record.decision.as_bytes(), text);
}

#[test]
fn a_decision_made_in_the_program_is_kept_as_its_document() {
    let record = record_of(&Script::new());
    assert_snapshot!(record.decision);
}

/// The readings are those of the request, of the validation and of the entry.
#[test]
fn the_time_that_is_kept_is_that_of_the_validation() {
    let record = record_of(&Script::new().clock(|number| {
        let readings = [NOW, "2026-01-01T14:00:01.5+02:00", "2026-01-01T12:00:02Z"];
        Ok(parsed(readings[number - 1]))
    }));
    assert_eq!(record.admitted_at, "2026-01-01T12:00:01.5Z");
}

#[test]
fn the_mark_is_recorded_before_the_actuator_is_entered() {
    let store = held();
    let store = &Watched::new(&store);
    let script = Script::new().actuator(|_| {
        assert_eq!(store.records().len(), 1);
        Ok(ActuatorReport::succeeded(""))
    });
    assert_eq!(script.release(store, "exec-A", "X").status().as_str(), "RELEASED");
}

/// An authority and an actuator that give themselves a name.
struct Named<'n>(&'n str);

impl AuthorityProvider for Named<'_> {
    fn evaluate(&self, request: &AuthorityRequest) -> Answer {
        Ok(allows(request).into())
    }

    fn name(&self) -> &str {
        self.0
    }
}

impl Actuator for Named<'_> {
    fn actuate(&self, _admission: Admission<'_>) -> Reported {
        Ok(ActuatorReport::succeeded(""))
    }

    fn name(&self) -> &str {
        self.0
    }
}

fn names(provider: impl AuthorityProvider, actuator: impl Actuator) -> [String; 2] {
    let store = held();
    let store = Watched::new(&store);
    let boundary = ReleaseBoundary::new(&store, provider, actuator, Script::new());
    drop(boundary.release(&parsed("exec-A"), &parsed("X")));
    let AttemptRecord { provider, actuator, .. } = store.records().remove(0);
    [provider, actuator]
}

#[test]
fn the_names_of_provider_and_actuator_are_kept_whatever_points_to_them() {
    let (policy, post) = (Named("the policy"), Named("the post"));
    let expected = ["the policy", "the post"];
    assert_eq!(names(&policy, &post), expected);
    assert_eq!(names(Arc::new(&policy), Box::new(&post)), expected);
    let provider: Box<dyn AuthorityProvider + '_> = Box::new(&policy);
    let actuator: Arc<dyn Actuator + '_> = Arc::new(&post);
    assert_eq!(names(provider, actuator), expected);
    assert_eq!(names(policy, post), expected);
}

#[test]
fn without_a_name_of_its_own_each_has_the_name_of_its_type() {
    let script = Script::new();
    let expected = [std::any::type_name::<Script>(); 2];
    assert_eq!(names(&script, &script), expected);
    assert_eq!(names(Box::new(&script), Arc::new(&script)), expected);
    let provider: Arc<dyn AuthorityProvider + '_> = Arc::new(&script);
    let actuator: Box<dyn Actuator + '_> = Box::new(&script);
    assert_eq!(names(provider, actuator), expected);
}

#[test]
fn an_outcome_is_settled_with_the_words_that_it_rests_on() {
    let reports: [fn() -> Reported; 6] = [
        || Ok(ActuatorReport::succeeded("HTTP status 201")),
        || Ok(ActuatorReport::succeeded("")),
        || Ok(ActuatorReport::definite_not_executed("connection refused")),
        || Ok(ActuatorReport::uncertain("no answer within 10 s")),
        || Err(ActuatorFailure::new("connection reset")),
        || panic!("out of order"),
    ];
    let settlements = reports.map(|report| {
        let store = held();
        let store = Watched::new(&store);
        drop(Script::new().actuator(|_| report()).release(&store, "exec-A", "X"));
        store.settlements().join(", then ")
    });
    let settlements = settlements.join("\n");
    assert_snapshot!(settlements);
}

#[test]
fn an_outcome_that_could_not_be_stored_is_not_settled_again() {
    let store = held();
    let store = Watched::failing(&store, Fault::Settle);
    drop(Script::new().release(&store, "exec-A", "X"));
    assert_eq!(store.settlements(), ["Released: delivered"]);
}

/// What a store is given to keep of one attempt that ends and one that is refused.
fn kept(release: impl Fn(&Watched)) -> String {
    let store = held();
    let store = Watched::new(&store);
    release(&store);
    release(&store);
    format!("{:?}, {:?}, {:?}", store.records(), store.settlements(), store.refusals())
}

#[test]
fn a_store_behind_a_pointer_is_given_the_same_to_keep() {
    let release = |store: &dyn Custody| drop(Script::new().release(&store, "exec-A", "X"));
    let expected = kept(|store| release(store));
    assert_eq!(kept(|store| release(&Arc::new(store))), expected);
    assert_eq!(kept(|store| release(&Box::new(store))), expected);
    assert_eq!(kept(|store| release(&(Arc::new(store) as Arc<dyn Custody + '_>))), expected);
    assert_eq!(kept(|store| release(&(Box::new(store) as Box<dyn Custody + '_>))), expected);
}

fn admitted<'s>(store: &'s Watched<'s>) -> Admitted<'s, Watched<'s>> {
    let requested = Requested::new(store, &parsed("exec-A"), &parsed("X")).unwrap();
    let request = requested.request(&Script::new()).unwrap();
    let evaluated = requested.answered(Ok(allows(&request).into())).unwrap();
    evaluated.admit(&Script::new(), "an authority", "an actuator").unwrap()
}

#[test]
fn an_attempt_that_is_dropped_is_settled_with_words_that_say_so() {
    let store = held();
    let store = Watched::new(&store);
    drop(admitted(&store));
    drop(admitted(&store).enter(Ok(()), &Script::new()).unwrap());
    let settlements = ["NotEntered: the attempt was dropped", "Uncertain: the attempt was dropped"];
    assert_eq!(store.settlements(), settlements);
}
