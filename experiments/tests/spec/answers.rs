//! The repository `owner/name` as GitHub's API shows it, and an attempt at one issue in it.

use swampbox_experiments::github::{IssueConsequence, Options, run};
use swampbox_material::Material;

use crate::scripted::{PATIENT, ScriptedGh, prints};

pub(crate) const BODY: &str = r#""First line.\nSecond line.""#;

pub(crate) const OLD: &str = r#"{"number":1,"title":"old","body":null,"html_url":"https://github.com/owner/name/issues/1","repository_url":"https://api.github.com/repos/owner/name","state":"closed"}"#;

pub(crate) fn options(gh: &ScriptedGh) -> Options {
    Options {
        repository: "owner/name".to_owned(),
        title: "A title".to_owned(),
        body: Some("First line.\nSecond line.".to_owned()),
        live: true,
        confirm_disposable_target: true,
        gh: gh.gh(PATIENT),
    }
}

pub(crate) fn attempt(gh: &ScriptedGh, options: Options) -> String {
    let report = run(&options);
    format!("{report}exit status {}\n\n{}", report.exit_code().code(), gh.calls())
}

pub(crate) fn creates(number: u64) -> String {
    prints(&format!("https://github.com/owner/name/issues/{number}\n"))
}

pub(crate) fn listing(items: &[&str]) -> String {
    prints(&format!("[{}]", items.join(",")))
}

pub(crate) fn issue(number: u64, body: &str) -> String {
    item(number, r#""A title""#, body)
}

pub(crate) fn item(number: u64, title: &str, body: &str) -> String {
    OLD.replace(r#""number":1"#, &format!(r#""number":{number}"#))
        .replace("issues/1", &format!("issues/{number}"))
        .replace(r#""old""#, title)
        .replace("null", body)
}

pub(crate) fn pull(number: u64) -> String {
    issue(number, BODY)
        .replace("/issues/", "/pull/")
        .replace('}', r#","pull_request":{"url":"x"}}"#)
}

pub(crate) fn issue_material(title: &str, body: Option<&str>) -> Material {
    IssueConsequence::new("owner/name", title, body).unwrap().to_material().unwrap()
}
