//! The acceptance matrix: eight cases, each in a world of its own, and the bypass beside them.

use std::fmt;

use serde::Serialize;

use super::{
    actuator::{Effect, Route, SimulatedActuator},
    admission::{SyntheticAdmission, Verdict},
    boundary::{ExactBoundary, Receipt, ReceiptReason},
    store::{Artifact, ArtifactStore, AuthorState, Consequence},
};
use crate::ExitCode;

/// Runs the eight cases and the bypass. Nothing outside the process is touched.
pub fn run() -> Matrix {
    let cases = CASES.iter().zip(1..).map(|(plan, number)| plan.run(number)).collect();
    Matrix { cases, bypass: bypass() }
}

/// What the eight cases and the bypass showed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Matrix {
    /// The cases, in the order of the acceptance list.
    pub cases: Vec<Case>,
    /// What happens without the boundary.
    pub bypass: Bypass,
}

/// One case of the matrix.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Case {
    /// From 1 to 8.
    pub case: u8,
    /// What is tried.
    pub name: &'static str,
    /// The reason that the rule demands.
    pub expected: ReceiptReason,
    /// The reason that the boundary gave.
    pub observed: ReceiptReason,
    /// What the artifact claimed about its past.
    pub provenance: &'static [&'static str],
    /// Whether the author had ended when the artifact was presented.
    pub author_ended: bool,
    /// Whether somebody other than the author could read the artifact then.
    pub artifact_readable: bool,
    /// The boundary's receipt.
    pub receipt: Receipt,
    /// What happened in the simulated world.
    pub effects: Vec<Effect>,
}

impl Case {
    /// Whether the case went as the rule demands: the expected reason, the artifact readable, and
    /// one effect through the boundary exactly where it was to commit.
    pub fn holds(&self) -> bool {
        let routes: &[Route] = match self.expected {
            ReceiptReason::ExactAllow => &[Route::Boundary],
            _ => &[],
        };
        self.observed == self.expected
            && self.artifact_readable
            && self.effects.iter().map(|effect| effect.route).eq(routes.iter().copied())
            && self.effects.iter().all(|effect| effect.consequence == self.receipt.consequence)
    }
}

/// The surviving record of an ended author, handed straight to the actuator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Bypass {
    /// Whether the author had ended.
    pub author_ended: bool,
    /// What happened in the simulated world.
    pub effects: Vec<Effect>,
}

impl Bypass {
    /// Whether the record just ran, which is what the bypass is there to show.
    pub fn ran(&self) -> bool {
        self.author_ended && self.effects.iter().map(|effect| effect.route).eq([Route::Direct])
    }
}

impl Matrix {
    /// [`ExitCode::Ok`] if every case holds and the bypass ran, else [`ExitCode::Anomaly`].
    pub fn exit_code(&self) -> ExitCode {
        if self.cases.iter().all(Case::holds) && self.bypass.ran() {
            ExitCode::Ok
        } else {
            ExitCode::Anomaly
        }
    }

    /// JSON lines: one object for each case, then one for the bypass.
    pub fn to_json(&self) -> String {
        let cases = self.cases.iter().map(|case| line("case", case, case.holds()));
        let bypass = std::iter::once(line("bypass", &self.bypass, self.bypass.ran()));
        cases.chain(bypass).collect()
    }
}

impl fmt::Display for Matrix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:<3}{:<46}{:<15}{:<22}{:<9}holds",
            "#", "case", "status", "reason", "effects"
        )?;
        for case in &self.cases {
            writeln!(
                f,
                "{:<3}{:<46}{:<15}{:<22}{:<9}{}",
                case.case,
                case.name,
                case.receipt.status.as_str(),
                case.observed.as_str(),
                case.effects.len(),
                if case.holds() { "yes" } else { "NO" },
            )?;
        }
        writeln!(f)?;
        let count = self.bypass.effects.len();
        writeln!(
            f,
            "Without the boundary the ended author's record just runs: effects {count}, admission asked 0."
        )
    }
}

fn line<T: Serialize>(kind: &'static str, shown: &T, holds: bool) -> String {
    #[derive(Serialize)]
    struct Line<'a, T> {
        experiment: &'static str,
        kind: &'static str,
        holds: bool,
        shown: &'a T,
    }
    let line = Line { experiment: "inheritance", kind, holds, shown };
    serde_json::to_string(&line).map(|text| text + "\n").unwrap_or_default()
}

struct Plan {
    name: &'static str,
    expected: ReceiptReason,
    author_ends: bool,
    provenance: &'static [&'static str],
    answer: fn() -> SyntheticAdmission,
}

const CASES: [Plan; 8] = [
    Plan {
        name: "exact ALLOW",
        expected: ReceiptReason::ExactAllow,
        author_ends: false,
        provenance: &[],
        answer: || SyntheticAdmission::On(Verdict::Allow),
    },
    Plan {
        name: "no admission",
        expected: ReceiptReason::NoAdmission,
        author_ends: false,
        provenance: &[],
        answer: || SyntheticAdmission::Silent,
    },
    Plan {
        name: "DENY",
        expected: ReceiptReason::Denied,
        author_ends: false,
        provenance: &[],
        answer: || SyntheticAdmission::On(Verdict::Deny),
    },
    Plan {
        name: "HOLD",
        expected: ReceiptReason::Held,
        author_ends: false,
        provenance: &[],
        answer: || SyntheticAdmission::On(Verdict::Hold),
    },
    Plan {
        name: "a different consequence admitted",
        expected: ReceiptReason::ConsequenceMismatch,
        author_ends: false,
        provenance: &[],
        answer: || {
            let payload = "delete everything older than 8 days".to_owned();
            SyntheticAdmission::AllowOther(Consequence { payload, ..consequence() })
        },
    },
    Plan {
        name: "provenance without admission",
        expected: ReceiptReason::NoAdmission,
        author_ends: false,
        provenance: &["made by author-A", "reviewed by reviewer-R", "an earlier version had ALLOW"],
        answer: || SyntheticAdmission::Silent,
    },
    Plan {
        name: "a malformed result",
        expected: ReceiptReason::MalformedAdmission,
        author_ends: false,
        provenance: &[],
        answer: || SyntheticAdmission::Raw(r#"{"verdict":"ALLOW"}"#.to_owned()),
    },
    Plan {
        name: "readable after its author ended",
        expected: ReceiptReason::NoAdmission,
        author_ends: true,
        provenance: &["made by author-A"],
        answer: || SyntheticAdmission::Silent,
    },
];

impl Plan {
    fn run(&self, number: u8) -> Case {
        let published = artifact(self.provenance);
        let store = store_with(&published, self.author_ends);
        let found = store.read(&published.artifact_id);
        let mut actuator = SimulatedActuator::default();
        let boundary = ExactBoundary::new((self.answer)());
        let receipt = boundary.present(found.unwrap_or(&published), &mut actuator);
        Case {
            case: number,
            name: self.name,
            expected: self.expected,
            observed: receipt.reason,
            provenance: self.provenance,
            author_ended: store.author(AUTHOR) == Some(AuthorState::Ended),
            artifact_readable: found == Some(&published),
            receipt,
            effects: actuator.effects().to_vec(),
        }
    }
}

fn bypass() -> Bypass {
    let published = artifact(&[]);
    let store = store_with(&published, true);
    let mut actuator = SimulatedActuator::default();
    if let Some(survivor) = store.read(&published.artifact_id) {
        actuator.act_directly(&survivor.consequence);
    }
    Bypass {
        author_ended: store.author(AUTHOR) == Some(AuthorState::Ended),
        effects: actuator.effects().to_vec(),
    }
}

const AUTHOR: &str = "author-A";

fn artifact(provenance: &[&str]) -> Artifact {
    Artifact {
        artifact_id: "artifact-X".to_owned(),
        author: AUTHOR.to_owned(),
        consequence: consequence(),
        provenance: provenance.iter().map(|&claim| claim.to_owned()).collect(),
    }
}

fn consequence() -> Consequence {
    Consequence {
        consequence_type: "cleanup".to_owned(),
        target: "archive".to_owned(),
        payload: "delete everything older than 90 days".to_owned(),
    }
}

fn store_with(artifact: &Artifact, author_ends: bool) -> ArtifactStore {
    let mut store = ArtifactStore::default();
    // A fresh store refuses nothing; were it to, the artifact would not be readable and the case fail.
    let _ = store.publish(artifact.clone());
    if author_ends {
        store.end(AUTHOR);
    }
    store
}
