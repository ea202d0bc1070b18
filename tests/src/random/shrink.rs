//! Makes a failing scenario small enough to read.

use crate::model::{Authority, Material, Overrides, Release, Scenario, Step, Value};

/// The smallest scenario that greedy removal finds on which `fails` still holds.
///
/// Steps are taken out, nested ones too, and payloads and the scripts of releases are made plainer,
/// one change at a time, as long as the scenario goes on failing. The scenario itself is given back
/// where it doesn't fail.
pub fn shrink(scenario: &Scenario, fails: impl Fn(&Scenario) -> bool) -> Scenario {
    let mut smallest = scenario.clone();
    loop {
        let smaller = smaller_steps(&smallest.steps)
            .into_iter()
            .map(|steps| Scenario { steps, ..smallest.clone() });
        let Some(failing) = smaller.into_iter().find(|smaller| fails(smaller)) else {
            return smallest;
        };
        smallest = failing;
    }
}

/// Each way to take out one step or to make one plainer; the last steps first, since what
/// follows a failure is never needed.
fn smaller_steps(steps: &[Step]) -> Vec<Vec<Step>> {
    let mut found = Vec::new();
    for (index, step) in steps.iter().enumerate().rev() {
        let replaced_by = |middle: &[Step]| {
            let before = steps.iter().take(index);
            let after = steps.iter().skip(index + 1);
            before.chain(middle).chain(after).cloned().collect()
        };
        found.push(replaced_by(&[]));
        for smaller in plainer(step) {
            found.push(replaced_by(&[smaller]));
        }
    }
    found
}

fn plainer(step: &Step) -> Vec<Step> {
    match step {
        Step::Release(release) => {
            smaller_releases(release).into_iter().map(Step::Release).collect()
        }
        Step::Submit { execution, consequence, material, parent } => {
            let with = |payload: Value, parent: &Option<String>| Step::Submit {
                execution: execution.clone(),
                consequence: consequence.clone(),
                material: Material { payload, ..material.clone() },
                parent: parent.clone(),
            };
            let mut found = Vec::new();
            if parent.is_some() {
                found.push(with(material.payload.clone(), &None));
            }
            if material.payload != Value::Null {
                found.push(with(Value::Null, parent));
            }
            found
        }
        _ => Vec::new(),
    }
}

fn smaller_releases(release: &Release) -> Vec<Release> {
    let mut found = Vec::new();
    for during_evaluation in smaller_steps(&release.during_evaluation) {
        found.push(Release { during_evaluation, ..release.clone() });
    }
    for during_actuation in smaller_steps(&release.during_actuation) {
        found.push(Release { during_actuation, ..release.clone() });
    }
    for overrides in smaller_overrides(&release.authority) {
        let authority = Authority::Decision(overrides);
        found.push(Release { authority, ..release.clone() });
    }
    if release.actuator.is_some() {
        found.push(Release { actuator: None, ..release.clone() });
    }
    if release.advance_before_validation.is_some() {
        found.push(Release { advance_before_validation: None, ..release.clone() });
    }
    if release.advance_before_actuation.is_some() {
        found.push(Release { advance_before_actuation: None, ..release.clone() });
    }
    found
}

fn smaller_overrides(authority: &Authority) -> Vec<Overrides> {
    let Authority::Decision(overrides) = authority else {
        return vec![Overrides::default()];
    };
    let mut found = Vec::new();
    for (name, _) in &overrides.fields {
        let mut smaller = overrides.clone();
        smaller.fields.retain(|(known, _)| known != name);
        found.push(smaller);
    }
    if overrides.issued_offset.is_some() {
        found.push(Overrides { issued_offset: None, ..overrides.clone() });
    }
    if overrides.valid_for.is_some() {
        found.push(Overrides { valid_for: None, ..overrides.clone() });
    }
    found
}
