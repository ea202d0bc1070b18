//! What an attempt leaves behind for people and programs.

use std::fmt;

use serde::Serialize;
use swampbox_material::Shown;

use super::{Created, Issue, IssueConsequence, Options, Outcome, ReadError, identical};
use crate::ExitCode;

/// The report of one attempt, or of none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Report {
    experiment: &'static str,
    /// How it ended.
    pub outcome: Outcome,
    /// Why, in a sentence.
    pub detail: String,
    /// The repository as given.
    pub repository: String,
    /// The title as given.
    pub title: String,
    /// The body as given.
    pub body: Option<String>,
    /// How many times `gh issue create` was started: 0 or 1.
    pub create_attempts: u8,
    /// What `gh` said it created.
    pub created: Option<Created>,
    /// How many issues the first read showed.
    pub issues_before: Option<usize>,
    /// How many issues the second read showed.
    pub issues_after: Option<usize>,
    /// The issues with exactly this title and body in the second read.
    pub matching_after: Option<Vec<u64>>,
    /// The commands that an attempt consists of, in order, whether or not they were run.
    pub plan: Vec<Vec<String>>,
    #[serde(skip)]
    inert_as_asked: bool,
}

impl Report {
    pub(super) fn new(options: &Options) -> Self {
        Self {
            experiment: "github",
            outcome: Outcome::NotAttemptedLiveGate,
            detail: String::new(),
            repository: options.repository.clone(),
            title: options.title.clone(),
            body: options.body.clone(),
            create_attempts: 0,
            created: None,
            issues_before: None,
            issues_after: None,
            matching_after: None,
            plan: Vec::new(),
            inert_as_asked: !options.live && !options.confirm_disposable_target,
        }
    }

    /// Notes what the second read showed.
    pub(super) fn after(
        &mut self,
        read: &Result<Vec<Issue>, ReadError>,
        consequence: &IssueConsequence,
    ) {
        if let Ok(issues) = read {
            self.issues_after = Some(issues.len());
            self.matching_after = Some(identical(issues, consequence));
        }
    }

    pub(super) fn end(mut self, outcome: Outcome, detail: impl Into<String>) -> Self {
        self.outcome = outcome;
        self.detail = detail.into();
        self
    }

    /// The outcome's exit status. Asked for neither gate, an inert run did what it was asked: 0.
    pub fn exit_code(&self) -> ExitCode {
        if self.outcome == Outcome::NotAttemptedLiveGate && self.inert_as_asked {
            return ExitCode::Ok;
        }
        self.outcome.exit_code()
    }

    /// One JSON object on one line.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).map(|text| text + "\n").unwrap_or_default()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "outcome      {}", self.outcome.code())?;
        writeln!(f, "             {}", self.detail)?;
        writeln!(f, "repository   {}", Shown::text(&self.repository))?;
        writeln!(f, "title        {}", Shown::text(&self.title))?;
        match &self.body {
            Some(body) => writeln!(f, "body         {}", Shown::text(body))?,
            None => writeln!(f, "body         none")?,
        }
        writeln!(f, "creations    {}", self.create_attempts)?;
        if let Some(created) = &self.created {
            writeln!(f, "reported     {}", created.url)?;
        }
        if let Some(count) = self.issues_before {
            writeln!(f, "read before  issues: {count}")?;
        }
        if let (Some(count), Some(matching)) = (self.issues_after, &self.matching_after) {
            writeln!(f, "read after   issues: {count}, exactly this one: {matching:?}")?;
        }
        if self.outcome == Outcome::NotAttemptedLiveGate {
            writeln!(f, "an attempt would run, without a shell:")?;
            for command in &self.plan {
                let words = command.iter().map(|word| Shown::text(word).to_string());
                writeln!(f, "  [{}]", words.collect::<Vec<_>>().join(", "))?;
            }
        }
        Ok(())
    }
}
