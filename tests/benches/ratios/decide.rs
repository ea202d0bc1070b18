use std::time::Duration;

use ed25519_dalek::{Signer, SigningKey};
use swampbox_authority::{
    AuthorityDecision, AuthorityProvider, AuthorityRequest, Clock, ValidityWindow, Verdict,
    validate,
};
use swampbox_custody::{ReleaseState, Snapshot};
use swampbox_policy::signed::{
    DECISION_TYPE, DecisionSigner, FixedEnvelope, MemoryRevocations, Role, Signed, TrustedKey,
    TrustedKeys, pre_authentication_encoding, sign,
};
use swampbox_policy::{AllOf, FirstThatAnswers, Rule, Rules, WindowLength};

use crate::Failure;
use crate::decide_approvals::approvals;
#[cfg(feature = "cedar")]
use crate::decide_cedar::cedar;
use crate::decide_outside::{command, http};
use crate::measure::{in_turns, timed_each};
use crate::report::{Aim, Figure, Line};
use crate::world::{SystemClock, note};

/// How long a provider takes to decide, beside what it can't do without, or beside one that has less
/// to look at.
pub(crate) fn each_provider() -> Result<Vec<Line>, Failure> {
    let groups = [rules, combinations, signed, approvals, command, http, cedar];
    let mut lines = Vec::new();
    for group in groups {
        lines.extend(group()?);
    }
    Ok(lines)
}

const ROUNDS: usize = 21;

/// How many decisions are measured together, where one alone is too quick.
const TOGETHER: u32 = 100;

/// The last of the rules matches, and all before it have to be looked at.
fn rules() -> Result<Vec<Line>, Failure> {
    let request = request("asked")?;
    let [one, hundred, many] = [last_of(1)?, last_of(100)?, last_of(10_000)?];
    let [one, hundred, many] = in_turns(
        ROUNDS,
        [
            &|| decisions(&one, &request, TOGETHER),
            &|| decisions(&hundred, &request, TOGETHER),
            &|| decisions(&many, &request, 10),
        ],
    )?;
    let alone = Line {
        name: "rules: the only one",
        measured: Figure::Time(one),
        against: None,
        aim: Aim::None,
    };
    Ok(vec![
        alone,
        Line::of_times("rules: the last of 100 / the only one", hundred, one, Aim::None),
        Line::of_times("rules: the last of 10,000 / the only one", many, one, Aim::None),
    ])
}

/// So many rules, of which the last one only is about what is [asked](request).
fn last_of(count: usize) -> Result<Rules, Failure> {
    let rules = (1..=count).map(|number| {
        let target = if number == count { "inbox".into() } else { format!("inbox-{number}-*") };
        rule(&target)
    });
    Ok(Rules::new(rules.collect::<Result<_, _>>()?)?)
}

fn rule(target: &str) -> Result<Rule, Failure> {
    Ok(Rule {
        consequence_type: "note".parse()?,
        target: target.parse()?,
        execution: "*".parse()?,
        principal: "*".parse()?,
        effect: Verdict::Allow,
        lasts: WindowLength::new(Duration::from_secs(60))?,
        reason: "a note is harmless".into(),
    })
}

/// Of two lists of rules each, against the one that allows.
fn combinations() -> Result<Vec<Line>, Failure> {
    let request = request("asked")?;
    let one = last_of(1)?;
    let all = AllOf::new(last_of(1)?).and(last_of(1)?);
    let first = FirstThatAnswers::new(Rules::new(vec![rule("elsewhere")?])?).then(last_of(1)?);
    let [one, all, first] = in_turns(
        ROUNDS,
        [&|| decisions(&one, &request, TOGETHER), &|| decisions(&all, &request, TOGETHER), &|| {
            decisions(&first, &request, TOGETHER)
        }],
    )?;
    Ok(vec![
        Line::of_times("all of two lists of rules / one list", all, one, Aim::None),
        Line::of_times("the second of two lists answers / one list", first, one, Aim::None),
    ])
}

/// Against checking the signature over the same bytes and nothing else.
fn signed() -> Result<Vec<Line>, Failure> {
    let request = request("asked")?;
    let decision = decision(&request)?;
    let key = SigningKey::from_bytes(&[7; 32]);
    let all = Role::new("all", "*".parse()?, "*".parse()?);
    let trusted = TrustedKey::new("ops", key.public_key(), decision.window, [all]);
    let envelope = FixedEnvelope::new(sign(&decision, &key).into_bytes());
    let keys = TrustedKeys::new([trusted])?;
    let provider = Signed::new(envelope, keys, MemoryRevocations::new(), SystemClock);

    let payload = decision.to_document().to_string();
    let message = pre_authentication_encoding(DECISION_TYPE, payload.as_bytes());
    let signature = Signer::sign(&key, &message);
    let public = key.verifying_key();
    let [provider, bare] = in_turns(
        ROUNDS,
        [&|| decisions(&provider, &request, TOGETHER), &|| {
            timed_each(TOGETHER, || Ok(public.verify_strict(&message, &signature)?))
        }],
    )?;
    Ok(vec![Line::of_times("signed / Ed25519 over the same bytes", provider, bare, Aim::None)])
}

#[cfg(not(feature = "cedar"))]
fn cedar() -> Result<Vec<Line>, Failure> {
    eprintln!("Cedar is left out; `cargo xtask bench --cedar decide` measures it too");
    Ok(Vec::new())
}

/// What providers are asked: whether a small note may be released, now.
pub(crate) fn request(id: &str) -> Result<AuthorityRequest, Failure> {
    let snapshot = Snapshot {
        consequence_id: id.parse()?,
        origin_execution_id: "agent".parse()?,
        current_execution_id: Some("agent".parse()?),
        parent_consequence_id: None,
        material: note("to be decided about")?,
        release_state: ReleaseState::Contained,
    };
    Ok(AuthorityRequest { snapshot, evaluated_at: SystemClock.now()? })
}

/// A decision that allows it, for an hour.
pub(crate) fn decision(request: &AuthorityRequest) -> Result<AuthorityDecision, Failure> {
    let from = request.evaluated_at;
    let window = ValidityWindow::new(from, from.after(Duration::from_secs(60 * 60))?)?;
    let decision =
        AuthorityDecision::about(&request.snapshot, "decision".parse()?, Verdict::Allow, window);
    Ok(decision.ok_or("nobody holds what is asked about")?)
}

/// How long a decision takes on the average of so many. They allow; a provider that refused quickly
/// would not be worth measuring.
pub(crate) fn decisions(
    provider: &impl AuthorityProvider,
    request: &AuthorityRequest,
    count: u32,
) -> Result<Duration, Failure> {
    let AuthorityRequest { snapshot, evaluated_at } = request;
    let custodian = snapshot.current_execution_id.as_ref().ok_or("nobody holds it")?;
    // A decision may begin after the question, with the last vote.
    let now = SystemClock.now()?.max(*evaluated_at);
    validate(&provider.evaluate(request)?, snapshot, custodian, now)?;
    timed_each(count, || Ok(provider.evaluate(request)?))
}
