//! Pushes one commit to one branch, and tells what came of it.

use std::ffi::OsString;

use swampbox_boundary::ActuatorReport;

use super::command::{Call, Git, exit_code};
use super::names::{BranchName, CommitId};
use super::remote::Talk;
use super::store::Store;

/// Writes the hook that git runs when it has compared its branches with the remote's and before it
/// sends anything. It is run once here: if the system lets nobody run it, git would pass over it in
/// silence, and its trace would be missing after a push too. The shell writes it, so that no process
/// that another thread starts holds it open for writing.
const HOOK: &str = r#"
set -e
printf '#!/bin/sh\n: >"${0%%/*}/begun"\n' >"$1/pre-push"
chmod 700 "$1/pre-push"
"$1/pre-push"
rm "$1/begun"
"#;

/// Moves the remote's branch from `base` to `commit`, or makes it if there is no base.
///
/// # Errors
///
/// Why the branch surely was not moved.
pub(crate) fn push(
    git: &Git<'_>,
    talk: &Talk<'_>,
    store: &Store,
    branch: &BranchName,
    base: Option<&CommitId>,
    commit: &CommitId,
) -> Result<ActuatorReport, String> {
    let hooks = git.scratch("hooks");
    let arguments = ["-c".into(), HOOK.into(), "sh".into(), hooks.clone().into_os_string()];
    let prepare = Call::new("preparing the push", arguments);
    let prepared = git.shell(&prepare)?;
    if exit_code(&prepared) != Some(0) {
        return Err(prepare.failed(&prepared));
    }

    let full = branch.to_ref();
    let expected = base.map(CommitId::as_str).unwrap_or_default();
    let refspec = format!("{commit}:{full}");
    let mut setting = OsString::from("core.hooksPath=");
    setting.push(&hooks);
    let lease = format!("--force-with-lease={full}:{expected}");
    let push = ["push", "--porcelain", "--no-progress", "--atomic", "--verify", &lease];
    let mut arguments = vec!["-c".into(), setting];
    arguments.extend(push.map(OsString::from));
    arguments.extend(["--end-of-options", talk.url(), &refspec].map(OsString::from));
    let call = talk.call(Some(store), "the push", arguments);
    let finished = git.run(&call)?;
    let moved = match base {
        Some(base) => format!("branch `{branch}` from {base} to {commit}"),
        None => format!("new branch `{branch}` to {commit}"),
    };
    match said(&finished.stdout, &refspec) {
        Some(Said::Updated) => Ok(ActuatorReport::succeeded(format!("pushed the {moved}"))),
        Some(Said::Refused(words)) => {
            Err(format!("the branch was not moved: git reports {}", call.quoted(words)))
        }
        Some(Said::Other) => {
            let problem = "git said something else of it than that it was moved or refused";
            Ok(ActuatorReport::uncertain(format!("git may have pushed the {moved}: {problem}")))
        }
        None if !hooks.join("begun").exists() => Err(call.failed(&finished)),
        None => {
            let problem = call.failed(&finished);
            Ok(ActuatorReport::uncertain(format!("git may have pushed the {moved}: {problem}")))
        }
    }
}

/// What git said of the branch.
enum Said<'a> {
    Updated,
    Refused(&'a [u8]),
    Other,
}

/// Reads the line of the branch: a sign, `from:to`, and words, with tabs between.
fn said<'a>(output: &'a [u8], refspec: &str) -> Option<Said<'a>> {
    let line = output.split(|byte| *byte == b'\n').find_map(|line| {
        let mut parts = line.splitn(3, |byte| *byte == b'\t');
        let (sign, what, words) = (parts.next()?, parts.next()?, parts.next()?);
        (what == refspec.as_bytes()).then_some((sign, words))
    });
    let (sign, words) = line?;
    let refused = ["[rejected] ", "[remote rejected] "];
    Some(match sign {
        b" " | b"*" => Said::Updated,
        // Somebody else has moved it to the same commit.
        b"=" => Said::Refused(words),
        b"!" if refused.iter().any(|begin| words.starts_with(begin.as_bytes())) => {
            Said::Refused(words)
        }
        _ => Said::Other,
    })
}
