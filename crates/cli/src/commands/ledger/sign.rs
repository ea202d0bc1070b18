//! Signing a decision about what is shown.

use std::time::Duration;

use swampbox_authority::{AuthorityDecision, Clock, ValidityWindow, Verdict};
use swampbox_custody::{ConsequenceId, Refusal};
use swampbox_experiments::parts::SystemClock;
use swampbox_ledger::{SecretKey, new_id};
use swampbox_material::Code;
use swampbox_policy::signed::{self, DecisionSigner, PublicKey};

use super::{id, place};
use crate::arguments::Sign;
use crate::display::{Hands, Name};
use crate::failure::{Exit, Failure};
use crate::output::Output;

/// A key in a file.
struct Key {
    secret: SecretKey,
    public: PublicKey,
}

impl DecisionSigner for Key {
    fn public_key(&self) -> PublicKey {
        self.public
    }

    fn sign(&self, message: &[u8]) -> [u8; 64] {
        self.secret.sign(message)
    }
}

pub(super) fn run(sign: &Sign, out: &mut Output) -> Result<Exit, Failure> {
    let consequence: ConsequenceId = id(&sign.consequence)?;
    let secret = SecretKey::load(&sign.key).map_err(|error| Failure::plain(error.code(), error))?;
    let public = secret.public().to_string().parse::<PublicKey>();
    let public = public.map_err(|error| Failure::plain(error.code(), error))?;
    let found = place::open(&sign.at)?.history().consequence(&consequence)?;
    let found = found.ok_or_else(|| {
        let refusal = Refusal::ConsequenceNotFound(consequence.clone());
        Failure::refusal(refusal.code(), refusal)
    })?;
    let snapshot = &found.snapshot;
    out.remark(format_args!("{}, {}", Name(consequence.as_str()), Hands(snapshot)));
    out.remark(snapshot.material.shown().to_string().trim_end());
    let now = SystemClock.now().map_err(|error| Failure::plain(error.code(), error))?;
    let until = now.after(Duration::from_secs(sign.window));
    let window = until
        .map_err(|error| error.to_string())
        .and_then(|until| ValidityWindow::new(now, until).map_err(|error| error.to_string()));
    let window = window.map_err(|error| Failure::plain(Code::InvalidArguments, error))?;
    let verdict = if sign.deny { Verdict::Deny } else { Verdict::Allow };
    let decision = AuthorityDecision::about(snapshot, id(&new_id())?, verdict, window);
    let decision = decision.ok_or_else(|| {
        let message = "nobody holds it, so there is nobody to decide for; adopt it first";
        Failure::refusal(Code::ConsequenceNotInActiveCustody, message)
    })?;
    out.line(signed::sign(&decision, &Key { secret, public }).trim_end())?;
    Ok(Exit::Done)
}
