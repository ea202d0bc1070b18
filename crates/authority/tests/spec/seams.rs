//! What a program brings: an authority and a clock, each of which may fail.

use std::sync::Arc;

use swampbox_authority::{
    AuthorityProvider, AuthorityRequest, Clock, ClockError, DecisionDocument, NoDecision, Timestamp,
};

use crate::fixture::{NOW, held, judged, parsed, with};

/// Allows whatever it is asked at noon, and is out of order at any other time.
struct AtNoon;

impl AuthorityProvider for AtNoon {
    fn evaluate(&self, request: &AuthorityRequest) -> Result<DecisionDocument, NoDecision> {
        if request.evaluated_at == parsed(NOW) {
            Ok(with(&[]).into())
        } else {
            Err(NoDecision::new("closed"))
        }
    }
}

/// Stands still, or is broken.
struct Stopped(Option<&'static str>);

impl Clock for Stopped {
    fn now(&self) -> Result<Timestamp, ClockError> {
        self.0.map(parsed).ok_or_else(|| ClockError::new("it stopped"))
    }
}

fn asked(provider: impl AuthorityProvider, clock: impl Clock) -> String {
    let request = AuthorityRequest {
        snapshot: held(),
        evaluated_at: match clock.now() {
            Ok(now) => now,
            Err(error) => return format!("{}: {error}", error.code()),
        },
    };
    match provider.evaluate(&request) {
        Ok(answer) => judged(answer),
        Err(error) => format!("{}: {error}", error.code()),
    }
}

#[test]
fn an_authority_and_a_clock_may_be_behind_a_reference_or_an_arc() {
    let (provider, clock) = (AtNoon, Stopped(Some(NOW)));
    let allowed = r#"[decision-1] allowed by "decision-1""#;
    assert_eq!(asked(&provider, &clock), allowed);
    let provider: Arc<dyn AuthorityProvider> = Arc::new(provider);
    let clock: Arc<dyn Clock> = Arc::new(clock);
    assert_eq!(asked(provider, clock), allowed);
}

/// One that gives itself a name.
struct Named;

impl AuthorityProvider for Named {
    fn evaluate(&self, request: &AuthorityRequest) -> Result<DecisionDocument, NoDecision> {
        AtNoon.evaluate(request)
    }

    fn name(&self) -> &str {
        "the policy of noon"
    }
}

fn names(provider: impl AuthorityProvider) -> String {
    provider.name().to_owned()
}

#[test]
fn an_authority_has_the_name_of_its_type_unless_it_gives_itself_one() {
    assert_eq!(names(AtNoon), std::any::type_name::<AtNoon>());
    assert_eq!(names(Named), "the policy of noon");
}

#[test]
fn a_reference_an_arc_and_a_box_have_the_name_of_the_authority_that_they_point_to() {
    assert_eq!(names(&AtNoon), names(AtNoon));
    assert_eq!(names(Arc::new(AtNoon)), names(AtNoon));
    assert_eq!(names(Box::new(AtNoon) as Box<dyn AuthorityProvider>), names(AtNoon));
    assert_eq!(names(&Named), names(Named));
    assert_eq!(names(Arc::new(Named) as Arc<dyn AuthorityProvider>), names(Named));
    assert_eq!(names(Box::new(Named)), names(Named));
}

#[test]
fn an_authority_that_gives_no_decision_says_why() {
    assert_eq!(
        asked(AtNoon, Stopped(Some("2026-01-01T18:00:00Z"))),
        "authority_unavailable: the authority gave no decision: closed"
    );
}

#[test]
fn a_clock_that_cannot_be_read_says_why() {
    assert_eq!(asked(AtNoon, Stopped(None)), "clock_invalid: the clock can't be read: it stopped");
}
