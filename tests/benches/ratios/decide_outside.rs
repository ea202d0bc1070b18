use std::process::{Command, Stdio};

use swampbox_policy::{CommandProvider, HttpProvider};
use tempfile::NamedTempFile;

use crate::Failure;
use crate::decide::{decision, decisions, request};
use crate::loopback::{Server, bare_client};
use crate::measure::{in_turns, timed};
use crate::report::{Aim, Line};

const ROUNDS: usize = 101;

/// A program that writes a decision, against the same program run by the standard library.
pub(crate) fn command() -> Result<Vec<Line>, Failure> {
    const PROGRAM: &str = "/bin/cat";
    let request = request("asked")?;
    let answer = NamedTempFile::new_in(env!("CARGO_TARGET_TMPDIR"))?;
    std::fs::write(answer.path(), decision(&request)?.to_document().to_string())?;
    let path = answer.path().to_str().ok_or("the build lies at a path that is not UTF-8")?;
    let provider = CommandProvider::builder(PROGRAM)?.arguments([path]).build();
    let run = || {
        let mut program = Command::new(PROGRAM);
        Ok(program.arg(path).env_clear().stdin(Stdio::null()).output()?)
    };
    let [provider, bare] =
        in_turns(ROUNDS, [&|| decisions(&provider, &request, 1), &|| timed(run)])?;
    Ok(vec![Line::of_times("command / the same by std::process", provider, bare, Aim::None)])
}

/// A server that answers with a decision, against the bare client that sends the same question.
pub(crate) fn http() -> Result<Vec<Line>, Failure> {
    let request = request("asked")?;
    let server = Server::answering(&decision(&request)?.to_document().to_string())?;
    let url = format!("{}/decide", server.origin());
    let provider = HttpProvider::builder(url.parse()?).build();
    let question = request.snapshot.to_document().to_string();
    let client = bare_client();
    let ask = || {
        let post = client.post(&url).content_type("application/json");
        Ok(post.send(&question)?.body_mut().read_to_vec()?)
    };
    let [provider, bare] =
        in_turns(ROUNDS, [&|| decisions(&provider, &request, 1), &|| timed(ask)])?;
    Ok(vec![Line::of_times("http / the same by ureq", provider, bare, Aim::None)])
}
