//! How an attempt ended.

use serde::Serialize;

use crate::ExitCode;

/// The outcome of an attempt. Each name is its stable code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// `gh` named an issue, and the second read shows exactly it.
    VerifiedSuccess,
    /// `gh` named an issue, and the second read does not show exactly it.
    ExternalResultUnverified,
    /// `gh` was started and did not report an exact success. There may be an issue or none.
    ExternalResultUncertain,
    /// A gate for live mode is closed. No process was started.
    NotAttemptedLiveGate,
    /// The repository, the title or the body is invalid. No process was started.
    NotAttemptedInvalidConsequence,
    /// The first read failed, or can't be believed.
    NotAttemptedPrereadFailed,
    /// There is an issue with exactly this title and body already.
    NotAttemptedPreexisting,
    /// The `gh` command could not be started.
    NotAttemptedSpawnFailed,
}

impl Outcome {
    /// The stable code.
    pub const fn code(self) -> &'static str {
        match self {
            Self::VerifiedSuccess => "verified_success",
            Self::ExternalResultUnverified => "external_result_unverified",
            Self::ExternalResultUncertain => "external_result_uncertain",
            Self::NotAttemptedLiveGate => "not_attempted_live_gate",
            Self::NotAttemptedInvalidConsequence => "not_attempted_invalid_consequence",
            Self::NotAttemptedPrereadFailed => "not_attempted_preread_failed",
            Self::NotAttemptedPreexisting => "not_attempted_preexisting",
            Self::NotAttemptedSpawnFailed => "not_attempted_spawn_failed",
        }
    }

    pub(super) const fn exit_code(self) -> ExitCode {
        match self {
            Self::VerifiedSuccess => ExitCode::Ok,
            Self::ExternalResultUnverified => ExitCode::Anomaly,
            Self::ExternalResultUncertain => ExitCode::Uncertain,
            Self::NotAttemptedLiveGate => ExitCode::Gate,
            Self::NotAttemptedInvalidConsequence => ExitCode::Invalid,
            Self::NotAttemptedPrereadFailed
            | Self::NotAttemptedPreexisting
            | Self::NotAttemptedSpawnFailed => ExitCode::Blocked,
        }
    }
}
