//! Making API keys.

use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use swampbox_custody::Principal;
use swampbox_material::Code;
use swampbox_material::json::Json;
use swampbox_service::{ApiKey, KeyRing, Role};

use super::id;
use crate::arguments::{NewPrincipal, RoleName};
use crate::failure::{Exit, Failure};
use crate::output::Output;

/// Makes a key, shows it once, and prints the lines that make it known. They hold its hash alone.
pub(super) fn run(made: &NewPrincipal, out: &mut Output) -> Result<Exit, Failure> {
    let name: Principal = id(&made.name)?;
    let key = ApiKey::generate()?;
    let roles: Vec<Role> = made.roles.iter().map(|role| role.role()).collect();
    // What the configuration would not take is not made.
    if let Err(error) = KeyRing::new().with(name.clone(), key.hash(), roles.iter().copied()) {
        return Err(Failure::plain(Code::InvalidArguments, error));
    }
    if let Some(file) = &made.key_file {
        write(file, &key).map_err(|error| not_written(file, &error))?;
    }
    let roles = roles.iter().map(|role| role.as_str());
    let hash = key.hash().to_string();
    if made.json {
        let mut fields = vec![
            ("name", Json::from(name.as_str())),
            ("roles", Json::List(roles.map(Json::from).collect())),
            ("key_sha256", Json::from(hash.as_str())),
        ];
        if made.key_file.is_none() {
            fields.push(("key", Json::from(key.reveal())));
        }
        out.json(&Json::object(fields))?;
        return Ok(Exit::Done);
    }
    let quoted = |text: &str| toml::Value::from(text).to_string();
    let roles = roles.map(quoted).collect::<Vec<_>>().join(", ");
    out.line(format_args!(
        "\n[[service.principals]]\nname = {}\nroles = [{roles}]\nkey_sha256 = \"{hash}\"",
        quoted(name.as_str())
    ))?;
    match &made.key_file {
        Some(_) => {}
        None => out.remark(format_args!("{}\nis the key; it is not shown again", key.reveal())),
    }
    Ok(Exit::Done)
}

fn write(file: &Path, key: &ApiKey) -> io::Result<()> {
    let mut file = File::options().write(true).create_new(true).mode(0o600).open(file)?;
    file.write_all(format!("{}\n", key.reveal()).as_bytes())?;
    file.sync_all()
}

fn not_written(file: &Path, error: &io::Error) -> Failure {
    let file = file.to_string_lossy();
    match error.kind() {
        io::ErrorKind::AlreadyExists => {
            let message = "there is a file already; no key is written there";
            Failure::new(Code::KeyExists, &file, message)
        }
        _ => Failure::new(Code::KeyUnusable, &file, error),
    }
}

impl RoleName {
    fn role(self) -> Role {
        match self {
            RoleName::Agent => Role::Agent,
            RoleName::Operator => Role::Operator,
            RoleName::Approver => Role::Approver,
            RoleName::Auditor => Role::Auditor,
        }
    }
}
