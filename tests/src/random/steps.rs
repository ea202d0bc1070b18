//! Random steps.

use super::authority;
use super::cast::{CONSEQUENCES, Cast, Known, Standing};
use super::number::Numbers;
use super::payload;
use crate::model::{Release, Step};

/// How deep steps may be nested in releases.
pub(super) const MAX_NESTING: u64 = 8;

/// Seconds that meet the edges of the windows that the scripted decisions have.
const SECONDS: [&str; 16] = [
    "0",
    "1",
    "5",
    "10",
    "9.999999999",
    "10.000000001",
    "0.000000001",
    "-0.000000001",
    "-1",
    "-5.5",
    "299.999999999",
    "300",
    "2.5e2",
    "0.0000000019",
    "400000000000",
    "-1e12",
];

pub(super) struct Generator {
    pub(super) numbers: Numbers,
    pub(super) cast: Cast,
}

impl Generator {
    /// Most executions registered and most consequences submitted, then steps of every kind.
    pub(super) fn scenario_steps(mut self) -> Vec<Step> {
        let mut steps = Vec::new();
        for execution in self.cast.executions.clone() {
            if self.numbers.chance(95) {
                steps.push(Step::Register { execution: execution.to_owned() });
            }
        }
        for _ in 0..self.cast.consequences.len() {
            if self.numbers.chance(60) {
                steps.push(self.submit(None));
            }
        }
        let count = 5 + self.numbers.below(20);
        steps.extend(self.steps(count, 0, None));
        steps
    }

    /// Steps inside a release speak of its own consequence (`held`) more often than of others.
    fn steps(&mut self, count: usize, nesting: u64, held: Option<&Known>) -> Vec<Step> {
        (0..count).map(|_| self.step(nesting, held)).collect()
    }

    fn step(&mut self, nesting: u64, held: Option<&Known>) -> Step {
        match self.numbers.below(100) {
            0..3 => self.register(),
            3..8 => self.end(held),
            8..20 => self.submit(held),
            20..27 => self.read(held),
            27..37 => self.transfer(held),
            37..42 => {
                let known = self.known(held, |standing| standing == Standing::Quarantined);
                Step::Inspect { consequence: self.id(known.id) }
            }
            42..51 => self.adopt(held),
            51..55 => {
                let known = self.known(held, is_submitted);
                Step::State { consequence: self.id(known.id) }
            }
            55..60 => Step::Advance { by: self.seconds() },
            _ => {
                let known = self.known(held, is_submitted);
                Step::Release(self.release(&known, nesting))
            }
        }
    }

    fn register(&mut self) -> Step {
        let execution = self.cast.execution(&mut self.numbers);
        Step::Register { execution: self.id(execution) }
    }

    fn end(&mut self, held: Option<&Known>) -> Step {
        let known = self.known(held, is_submitted);
        let execution = self.cast.holder(&mut self.numbers, known.id);
        self.cast.guess_ended(execution);
        Step::End { execution: self.id(execution) }
    }

    /// Mostly a new consequence, often with a parent that its submitter may hold.
    fn submit(&mut self, held: Option<&Known>) -> Step {
        let is_new = |standing| standing == Standing::NotSubmitted;
        let known = self.cast.consequence(&mut self.numbers, is_new);
        let parent = match self.numbers.below(100) {
            0..35 if self.cast.has(is_submitted) => Some(self.known(held, is_submitted).id),
            35..37 => Some(known.id),
            _ => None,
        };
        let execution = match parent {
            Some(parent) => self.cast.holder(&mut self.numbers, parent),
            None => self.cast.execution(&mut self.numbers),
        };
        let submitted = Standing::HeldBy(execution);
        let succeeds = parent.is_none_or(|parent| self.cast.standing(parent) == submitted);
        if known.standing == Standing::NotSubmitted && succeeds {
            self.cast.guess(known.id, submitted);
        }
        let mut material = known.material;
        if self.numbers.chance(4) {
            material.payload = payload::outside_the_domain(&mut self.numbers);
        }
        Step::Submit {
            execution: self.id(execution),
            consequence: self.id(known.id),
            material,
            parent: parent.map(|parent| self.id(parent)),
        }
    }

    fn read(&mut self, held: Option<&Known>) -> Step {
        let known = self.known(held, is_submitted);
        let execution = self.cast.holder(&mut self.numbers, known.id);
        Step::Read { execution: self.id(execution), consequence: self.id(known.id) }
    }

    fn transfer(&mut self, held: Option<&Known>) -> Step {
        let known = self.known(held, is_submitted);
        let source = self.cast.holder(&mut self.numbers, known.id);
        let target = self.cast.another(&mut self.numbers, source);
        if known.standing == Standing::HeldBy(source) {
            self.cast.guess(known.id, Standing::HeldBy(target));
        }
        Step::Transfer {
            source: self.id(source),
            target: self.id(target),
            consequence: self.id(known.id),
        }
    }

    fn adopt(&mut self, held: Option<&Known>) -> Step {
        let known = self.known(held, |standing| standing == Standing::Quarantined);
        let execution = self.cast.execution(&mut self.numbers);
        if known.standing == Standing::Quarantined {
            self.cast.guess(known.id, Standing::HeldBy(execution));
        }
        Step::Adopt { execution: self.id(execution), consequence: self.id(known.id) }
    }

    fn release(&mut self, known: &Known, nesting: u64) -> Release {
        let mut release = self.plain_release(known);
        if nesting < MAX_NESTING && self.numbers.chance(2) {
            release.during_evaluation = self.tower(known, nesting + 1);
            return release;
        }
        let others = (self.cast.executions.as_slice(), CONSEQUENCES.as_slice());
        release.authority = authority::authority(&mut self.numbers, &known.material, others);
        release.actuator = self.actuator();
        if nesting < MAX_NESTING {
            release.during_evaluation = self.nested(known, nesting);
            release.during_actuation = self.nested(known, nesting);
        }
        if self.numbers.chance(15) {
            release.advance_before_validation = Some(self.seconds());
        }
        if self.numbers.chance(15) {
            release.advance_before_actuation = Some(self.seconds());
        }
        release
    }

    fn nested(&mut self, known: &Known, nesting: u64) -> Vec<Step> {
        if !self.numbers.chance(40 / (nesting + 1)) {
            return Vec::new();
        }
        let count = 1 + self.numbers.below(3);
        self.steps(count, nesting + 1, Some(known))
    }

    /// Releases within releases down to the deepest that is allowed.
    fn tower(&mut self, known: &Known, nesting: u64) -> Vec<Step> {
        if nesting >= MAX_NESTING {
            return self.steps(1, nesting, Some(known));
        }
        let mut release = self.plain_release(known);
        if self.numbers.chance(50) {
            release.during_evaluation = self.tower(known, nesting + 1);
        } else {
            let other = self.known(None, is_submitted);
            release.during_actuation = self.tower(&other, nesting + 1);
        }
        vec![Step::Release(release)]
    }

    fn plain_release(&mut self, known: &Known) -> Release {
        let execution = self.cast.holder(&mut self.numbers, known.id);
        Release::plain(self.id(execution), self.id(known.id))
    }

    fn actuator(&mut self) -> Option<String> {
        let outcome = match self.numbers.below(100) {
            0..25 => return None,
            25..35 => "SUCCEEDED",
            35..80 => "DEFINITE_NOT_EXECUTED",
            80..86 => "UNCERTAIN",
            86..92 => "panic",
            _ => self.numbers.pick(&["", "succeeded", "SUCCEEDED ", "FAILED", "RELEASED", "\u{0}"]),
        };
        Some(outcome.to_owned())
    }

    fn seconds(&mut self) -> String {
        self.numbers.pick(&SECONDS).to_owned()
    }

    /// Inside a release mostly its own consequence, else one whose standing pleases.
    fn known(&mut self, held: Option<&Known>, pleases: impl Fn(Standing) -> bool) -> Known {
        match held {
            Some(held) if self.numbers.chance(60) => {
                Known { standing: self.cast.standing(held.id), ..held.clone() }
            }
            _ => self.cast.consequence(&mut self.numbers, pleases),
        }
    }

    /// The id, or now and then one that is strange or bad.
    fn id(&mut self, id: &str) -> String {
        if self.numbers.chance(99) {
            return id.to_owned();
        }
        authority::strange_id(&mut self.numbers)
    }
}

fn is_submitted(standing: Standing) -> bool {
    standing != Standing::NotSubmitted
}
