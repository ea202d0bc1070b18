//! Everything that is known of one consequence.

use swampbox_authority::DecisionDocument;
use swampbox_custody::{ConsequenceId, Refusal, ReleaseState, Settlement};
use swampbox_ledger::{
    Attached, Attempt, Consequence, ConsequenceFilter, Event, EventFilter, History,
};
use swampbox_material::Shown;
use swampbox_material::json::Json;

use super::list::line;
use super::told::Told;
use super::{PAGE, PAGE_BYTES, id, place};
use crate::arguments::LedgerArguments;
use crate::display::{Hands, Name};
use crate::failure::{Exit, Failure};
use crate::output::{Output, Painted};

pub(super) fn run(
    consequence: &str,
    at: &LedgerArguments,
    out: &mut Output,
) -> Result<Exit, Failure> {
    let consequence: ConsequenceId = id(consequence)?;
    let ledger = place::open(at)?;
    let record = Record::read(ledger.history(), &consequence)?;
    if at.json {
        out.json(&record.to_document())?;
    } else {
        record.show(out)?;
    }
    Ok(Exit::Done)
}

struct Record {
    consequence: Consequence,
    events: Vec<Event>,
    attempts: Vec<Attempt>,
    resolutions: Vec<Attached>,
    children: Vec<Consequence>,
    /// Others of the same material: of an UNCERTAIN one all, by which it may have been tried again, and
    /// of any other those that are UNCERTAIN, and may have done the same already.
    same: Vec<Consequence>,
}

impl Record {
    fn read(history: History<'_>, id: &ConsequenceId) -> Result<Self, Failure> {
        let consequence = history.consequence(id)?.ok_or_else(|| {
            let refusal = Refusal::ConsequenceNotFound(id.clone());
            Failure::refusal(refusal.code(), refusal)
        })?;
        let about = EventFilter { consequence: Some(id.clone()), ..EventFilter::default() };
        Ok(Self {
            events: history.events(&about)?,
            attempts: history.attempts(id)?,
            resolutions: history.resolutions(id)?,
            children: history.children(id)?,
            same: same_material(history, &consequence)?,
            consequence,
        })
    }

    fn show(&self, out: &mut Output) -> Result<(), Failure> {
        let snapshot = &self.consequence.snapshot;
        let (name, state) = (Name(snapshot.consequence_id.as_str()), snapshot.release_state);
        let releasing = if self.consequence.releasing.is_some() { ", being released" } else { "" };
        out.line(format_args!("{name}  {}{releasing}", Painted::state(state)))?;
        out.line(Hands(snapshot))?;
        out.bytes(snapshot.material.shown().to_string().as_bytes())?;
        section("History", self.events.iter().map(Told), out)?;
        section("Attempts", self.attempts.iter().map(attempt), out)?;
        section("Resolutions", self.resolutions.iter().map(resolution), out)?;
        consequences("Derived from it", &self.children, out)?;
        consequences("Of the same material", &self.same, out)
    }

    fn to_document(&self) -> Json {
        let all = |consequences: &[Consequence]| {
            Json::List(consequences.iter().map(Consequence::to_document).collect())
        };
        Json::object([
            ("consequence", self.consequence.to_document()),
            ("events", Json::List(self.events.iter().map(Event::to_document).collect())),
            ("attempts", Json::List(self.attempts.iter().map(Attempt::to_document).collect())),
            (
                "resolutions",
                Json::List(self.resolutions.iter().map(Attached::to_document).collect()),
            ),
            ("children", all(&self.children)),
            ("same_material", all(&self.same)),
        ])
    }
}

/// UNCERTAIN is never tried again, but somebody may have submitted the same anew. Whoever looks at one
/// of the two sees the other.
fn same_material(
    history: History<'_>,
    consequence: &Consequence,
) -> Result<Vec<Consequence>, Failure> {
    let (id, material) = (&consequence.snapshot.consequence_id, &consequence.snapshot.material);
    let mut same = Vec::new();
    let is_uncertain = consequence.snapshot.release_state == ReleaseState::Uncertain;
    let mut filter = ConsequenceFilter {
        state: (!is_uncertain).then_some(ReleaseState::Uncertain),
        consequence_type: Some(material.consequence_type().to_string()),
        target: Some(material.target().to_string()),
        limit: PAGE,
        bytes: PAGE_BYTES,
        ..ConsequenceFilter::default()
    };
    loop {
        let page = history.consequences(&filter)?;
        let Some(last) = page.last() else { return Ok(same) };
        filter.after = Some(last.snapshot.consequence_id.clone());
        let is_same = |other: &Consequence| {
            other.snapshot.consequence_id != *id && other.snapshot.material == *material
        };
        same.extend(page.into_iter().filter(is_same));
    }
}

fn section(
    title: &str,
    lines: impl ExactSizeIterator<Item: std::fmt::Display>,
    out: &mut Output,
) -> Result<(), Failure> {
    if lines.len() == 0 {
        return Ok(());
    }
    out.line(format_args!("\n{}", Painted::title(title)))?;
    for text in lines {
        out.line(text)?;
    }
    Ok(())
}

fn consequences(
    title: &str,
    consequences: &[Consequence],
    out: &mut Output,
) -> Result<(), Failure> {
    if consequences.is_empty() {
        return Ok(());
    }
    out.line(format_args!("\n{}", Painted::title(title)))?;
    consequences.iter().try_for_each(|consequence| line(consequence, out))
}

fn attempt(attempt: &Attempt) -> String {
    let Attempt { fence, provider, actuator, admitted_at, decision_digest, .. } = attempt;
    let decision = DecisionDocument::read(attempt.decision.as_bytes()).decision_id();
    let decision = decision.map_or_else(String::new, |id| Name(id.as_str()).to_string());
    let ended = match &attempt.ended {
        None => "it goes on".to_owned(),
        Some((settlement, detail)) => format!("{}: {}", end(*settlement), Shown::json(detail)),
    };
    let basis = attempt.basis.as_deref();
    let basis = basis
        .map_or_else(String::new, |basis| format!("       resting on {}\n", Shown::json(basis)));
    format!(
        "{fence:>5}  {}  decision {decision} (SHA-256 {decision_digest}) from {}\n{basis}       {} as {}\n       {ended}",
        Shown::json(admitted_at),
        Shown::brief(provider),
        Name(attempt.id.as_str()),
        Shown::brief(actuator),
    )
}

fn end(settlement: Settlement) -> &'static str {
    match settlement {
        Settlement::NotEntered => "not entered",
        Settlement::NotExecuted => "surely not executed",
        Settlement::Released => "released",
        Settlement::Uncertain => "uncertain",
    }
}

fn resolution(attached: &Attached) -> String {
    let resolution = &attached.resolution;
    format!(
        "{:>5}  {}  {} by {}: {}",
        attached.sequence,
        Shown::json(attached.at.as_deref().unwrap_or("at a time unknown")),
        resolution.verdict(),
        Name(resolution.by()),
        Shown::line(resolution.evidence()),
    )
}
