//! Checking and beginning a configuration.

use swampbox_material::Shown;
use swampbox_material::json::Json;

use super::person::login;
use crate::arguments::{ConfigCommand, LedgerArguments};
use crate::config::{Config, NO_SERVICE, example};
use crate::failure::{Exit, Failure};
use crate::output::Output;

pub(super) fn run(command: ConfigCommand, out: &mut Output) -> Result<Exit, Failure> {
    match command {
        ConfigCommand::Check { at } => check(&at, out),
        ConfigCommand::Example => out.page(example(login()?.as_str()).as_bytes()),
    }
}

fn check(at: &LedgerArguments, out: &mut Output) -> Result<Exit, Failure> {
    let config = Config::load(at.config.as_deref())?;
    config.check_authority()?;
    let mut missing = config.exposed();
    missing.extend(config.missing_authority());
    missing.extend(config.missing_actuators()?);
    let serves = config.has_service();
    if serves {
        config.service(None)?;
    }
    let staff = config.staff();
    for remark in config.remarks().iter().chain(&staff.notes).chain(&staff.short) {
        out.remark(format_args!("note: {}", Shown::json(remark)));
    }
    if let Some(last) = missing.pop() {
        for failure in &missing {
            out.report(failure);
        }
        return Err(last);
    }
    let path = config.path().map(|path| path.to_string_lossy());
    if at.json {
        let path = path.as_deref().map_or(Json::Null, Json::from);
        out.json(&Json::object([("config", path), ("serves", Json::Bool(serves))]))?;
    } else {
        let more = if serves { String::new() } else { format!("; {NO_SERVICE}") };
        match path {
            Some(path) => out.line(format_args!("{} is well formed{more}", Shown::text(&path)))?,
            None => {
                out.line(format_args!("there is no configuration, and none is needed{more}"))?
            }
        }
    }
    Ok(Exit::Done)
}
