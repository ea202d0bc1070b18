//! A request, as it is shown to whoever decides.

use std::fmt;

use swampbox_authority::Verdict;
use swampbox_material::json::Json;
use swampbox_material::{Material, Shown};
use swampbox_policy::approvals::Request;

use crate::display::Name;

/// Everything that there is to see before somebody decides.
pub(super) struct Sheet {
    pub(super) request: Request,
    /// The material of what it was derived from, if that is there.
    pub(super) parent: Option<Material>,
    /// What happens if it is allowed.
    pub(super) will: String,
    /// The longest that a decision may hold, in whole seconds.
    pub(super) longest_window: u64,
    /// Who is behind the execution that proposed it, if that can be told.
    pub(super) proposed_by: Option<String>,
}

/// A request on one line.
pub(super) fn summary(request: &Request) -> String {
    let question = request.question();
    let (allowed, needed) = (request.allowed_by(), question.quorum.needed());
    format!(
        "{}  {} on {}, asked by {}; {allowed} of {needed} allowed it; until {}",
        Name(question.consequence_id.as_str()),
        Shown::brief(question.material.consequence_type()),
        Shown::brief(question.material.target()),
        Name(question.asked_by.as_str()),
        question.expires_at
    )
}

impl Sheet {
    pub(super) fn to_document(&self) -> Json {
        let differences =
            self.parent.iter().flat_map(|parent| self.request.differences_from(parent).into_iter());
        let differences = differences.map(|found| Json::from(found.to_string().as_str()));
        Json::object([
            ("request", self.request.to_document()),
            ("proposed_by", self.proposed_by.as_deref().map_or(Json::Null, Json::from)),
            ("digest", Json::from(self.request.digest().to_string().as_str())),
            ("differs_from_parent", Json::List(differences.collect())),
            ("if_allowed", Json::from(self.will.as_str())),
            ("longest_window_seconds", Json::from(self.longest_window)),
        ])
    }
}

impl fmt::Display for Sheet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let request = &self.request;
        let question = request.question();
        let name = |text: &str| Name(text).to_string();
        writeln!(f, "Request {} is {}", question.id, request.state().as_str())?;
        let (origin, holder) = (&question.origin_execution_id, &question.execution_id);
        writeln!(
            f,
            "  {} was submitted by {}, as {}, and is held by {}",
            name(question.consequence_id.as_str()),
            self.proposed_by.as_deref().map_or("nobody who is known".into(), name),
            name(origin.as_str()),
            name(holder.as_str())
        )?;
        writeln!(
            f,
            "  {} asked at {}; it is void from {}",
            name(question.asked_by.as_str()),
            question.asked_at,
            question.expires_at
        )?;
        let eligible = question.quorum.eligible().iter().map(|one| name(one.as_str()));
        let eligible = eligible.collect::<Vec<_>>().join(", ");
        writeln!(f, "  {} of {eligible} have to allow it", question.quorum.needed())?;
        writeln!(f, "  a decision holds for {} s at the most", self.longest_window)?;
        for vote in request.votes() {
            let verb = if vote.verdict == Verdict::Allow { "allowed" } else { "denied" };
            let (who, reason) = (name(vote.approver.as_str()), Shown::text(&vote.reason));
            let seconds = vote.window.as_secs();
            writeln!(f, "  {who} {verb} it at {} for {seconds} s: {reason}", vote.at)?;
        }
        writeln!(f, "\nIf it is allowed, {}", Shown::json(&self.will))?;
        writeln!(f, "\n{}", question.material.shown().to_string().trim_end())?;
        if let Some(parent) = &question.parent_consequence_id {
            writeln!(f, "\nIt was derived from {}", name(parent.as_str()))?;
            match self.parent.as_ref().map(|parent| request.differences_from(parent)) {
                None => writeln!(f, "  which is not there any more")?,
                Some(differences) if differences.is_empty() => {
                    writeln!(f, "  and is the same material")?;
                }
                Some(differences) => {
                    for difference in differences {
                        writeln!(f, "  {difference}")?;
                    }
                }
            }
        }
        writeln!(f, "\ndigest {}", request.digest())
    }
}
