//! What the exit status of an experiment says.

/// The exit status of an experiment. The numbers are part of the public interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitCode {
    /// 0: the experiment showed what it set out to show.
    Ok,
    /// 2: the input is invalid. Nothing was run.
    Invalid,
    /// 3: something outside stood in the way before any effect was attempted.
    Blocked,
    /// 4: a gate for live mode is missing or does not hold. Nothing was attempted.
    Gate,
    /// 5: what was observed is not what the rules or the report of an effect say.
    Anomaly,
    /// 6: an effect was attempted and nobody can say whether it happened.
    Uncertain,
}

impl ExitCode {
    /// The name as the documentation has it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Invalid => "invalid",
            Self::Blocked => "blocked",
            Self::Gate => "gate",
            Self::Anomaly => "anomaly",
            Self::Uncertain => "uncertain",
        }
    }

    /// The status as the number that the process ends with.
    pub const fn code(self) -> u8 {
        match self {
            Self::Ok => 0,
            Self::Invalid => 2,
            Self::Blocked => 3,
            Self::Gate => 4,
            Self::Anomaly => 5,
            Self::Uncertain => 6,
        }
    }
}
