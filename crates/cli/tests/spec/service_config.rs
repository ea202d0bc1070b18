//! What a configuration says of the service.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

use insta::assert_snapshot;
use ureq::Agent;

use crate::deciding::surround;
use crate::deciding::{hidden, told};
use crate::ledger::Ledger;
use crate::run::Ran;
use crate::service::{Serving, configured, key};

const ANN: &str = "[[service.principals]]\nname = \"ann\"\nroles = [\"agent\"]\nkey_sha256 = \
                   \"0000000000000000000000000000000000000000000000000000000000000000\"\n";

/// An issuer whose keys are elsewhere.
const OIDC: &str = "issuer = \"https://login.example.com\"\naudience = \"swampbox\"\n\
                    key_set_url = \"https://login.example.com/keys\"\n\
                    roles = { builders = [\"agent\"] }\n";

/// Somebody who decides.
const RULES: &str = "[authority]\nfirst = [\"rules\"]\n";

#[test]
fn what_is_wrong_with_the_service_is_said_with_its_place() {
    let ledger = Ledger::new();
    ledger.write("open.key", "secret\n");
    ledger.write("empty.pem", "");
    ledger.write("closed.key", "secret\n");
    let closed = ledger.directory().join("closed.key");
    fs::set_permissions(closed, fs::Permissions::from_mode(0o600)).unwrap();
    let cases = [
        "[service]\n".to_owned(),
        format!("[service]\nlistne = \"127.0.0.1:1\"\n{ANN}"),
        format!("[service]\nlisten = \"localhost\"\n{ANN}"),
        format!("[service]\nlisten = \"0.0.0.0:7800\"\n{ANN}"),
        format!("[service]\nlisten = \"[::]:7800\"\n{ANN}"),
        format!("{RULES}[service]\nlisten = \"0.0.0.0:7800\"\nbehind_proxy = true\n{ANN}"),
        format!("{RULES}[service]\nlisten = \"[::ffff:127.0.0.1]:7800\"\n{ANN}"),
        format!("[service]\ntls = {{ certificate = \"empty.pem\", key = \"open.key\" }}\n{ANN}"),
        format!("[service]\ntls = {{ certificate = \"empty.pem\", key = \"closed.key\" }}\n{ANN}"),
        format!("{RULES}[service]\ncheckpoint_key = \"nowhere.pem\"\n{ANN}"),
        format!("[service.limits]\nconnections = 0\n{ANN}"),
        format!("[service.limits]\nwait_seconds = 9223372036854775807\n{ANN}"),
        format!("[service.limits]\nsession_idle_seconds = 0\n{ANN}"),
        format!("[service.limits]\nsession_age_seconds = 86401\n{ANN}"),
        format!("[service.limits]\nstreams = -1\n{ANN}"),
        format!("[service.limits]\nbytes_in_flight = 16777215\n{ANN}"),
        format!("[service.limits]\nbody_bytes = 67108864\nbytes_in_flight = 134217727\n{ANN}"),
        format!("[service.limits]\nbody_byte = 1\n{ANN}"),
        format!("{ANN}{ANN}"),
        ANN.replace("[\"agent\"]", "[]"),
        ANN.replace("\"agent\"", "\"admin\""),
        ANN.replace("00\"", "0\""),
        ANN.replace("\"ann\"", "\" ann\""),
        ANN.replace("\"ann\"", "\"ann\\u200B\""),
        ANN.replace("\"agent\"", "\"agent\", \"auditor\", \"agent\""),
    ];
    let said = cases.map(|text| {
        ledger.write("swampbox.toml", &text);
        format!("{text}{}", told(&ledger, &["config check"]))
    });
    assert_snapshot!(said.join("\n"));
}

#[test]
fn where_there_is_a_service_nothing_is_allowed_by_a_name_that_an_agent_chooses() {
    let ledger = Ledger::new();
    let rule = |more: &str| format!("{RULES}[[rules]]\n{more}\nreason = \"r\"\n");
    let allows = "effect = \"ALLOW\"\n";
    let own = rule(&format!("{allows}execution = \"triage-*\""));
    let cases = [
        format!("{own}{ANN}"),
        format!("{own}[service.oidc]\n{OIDC}"),
        rule(&format!("{allows}execution = \"triage\"\nprincipal = \"ann\"")) + ANN,
        rule(&format!("{allows}execution = \"**\"\nprincipal = \"ann\"")) + ANN,
        rule("effect = \"DENY\"\nexecution = \"triage-*\"") + ANN,
        own,
    ];
    let said = cases.map(|text| {
        ledger.write("swampbox.toml", &text);
        format!("{text}{}", told(&ledger, &["config check"]))
    });
    ledger.write("swampbox.toml", format!("{}{ANN}", rule(allows) + "execution = \"x\"\n"));
    let others = told(&ledger, &["policy check", "serve --listen 127.0.0.1:0"]);
    let doctor = told(&ledger, &["doctor"]);
    let doctor = doctor.lines().filter(|line| line.contains("principal")).collect::<Vec<_>>();
    assert_snapshot!(format!("{}\n{others}\n{}", said.join("\n"), doctor.join("\n")));
}

#[test]
fn what_a_service_does_not_begin_with_is_found_before_it_begins() {
    let ledger = Ledger::new();
    // A service that begins after all ends at once, since this is taken.
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let serve = format!("serve --listen {}", taken.local_addr().unwrap());
    let authority = |text: &str| format!("[authority]\n{text}\n{ANN}");
    let cases = [
        String::new(),
        "[service]\n".to_owned(),
        format!("{RULES}[service]\n"),
        ANN.to_owned(),
        authority(""),
        authority("first = [\"rules\"]\nall = [\"approvals\"]"),
        authority("first = [\"rules\", \"rules\"]"),
        authority("first = [\"board\"]"),
        authority("first = [\"approvals\"]"),
        authority("first = [\"signed\"]"),
        format!("{RULES}{ANN}[approvals]\napprovers = [\"a\"]\nquorum = 2\n"),
        format!("{RULES}{ANN}[[rules]]\neffect = \"ALLOW\"\n"),
        format!(
            "{RULES}{ANN}[[keys]]\nname = \"k\"\npublic_key = \"0\"\nvalid_from = \"\"\n\
                 valid_until = \"\"\n"
        ),
        format!("{RULES}{ANN}[[principals]]\nexecution = \"*\"\nprincipal = \" a\"\n"),
        format!("{RULES}{ANN}[providers.board]\nurl = \"ftp://127.0.0.1\"\n"),
        format!("{RULES}{ANN}[providers.rules]\nurl = \"http://127.0.0.1\"\n"),
        format!("{RULES}{ANN}[git]\nname = \"\"\nemail = \"e\"\n"),
        format!("{RULES}{ANN}[[git.repositories]]\ntarget = \"p\"\nbranches = [\"*\"]\n"),
    ];
    let said = cases.map(|text| {
        ledger.write("swampbox.toml", &text);
        let (served, checked) = (told(&ledger, &[&serve]), told(&ledger, &["config check"]));
        let doctor = told(&ledger, &["doctor"]);
        let why = served.lines().find_map(|line| line.split_once("error: ")).unwrap().1;
        if text.contains("service") {
            assert!(checked.contains(why) && checked.contains("exit status 2"), "{text}{checked}");
            assert!(doctor.contains(why) && doctor.contains("exit status 1"), "{text}{doctor}");
        }
        format!("{text}{}", checked.split_once('\n').unwrap().1)
    });
    assert_snapshot!(hidden(&ledger, &said.join("\n")));
}

#[test]
fn a_level_of_the_log_that_is_none_is_found_before_a_service_begins() {
    let ledger = configured("");
    let mut doctor = ledger.command("doctor --config swampbox.toml");
    let shown = Ran::of(doctor.env("SWAMPBOX_LOG", "loud").output().unwrap());
    assert_eq!(shown.status, Some(1), "{shown}");
    let service = shown.stdout.lines().find(|line| line.contains("  service  "));
    assert_snapshot!(service.unwrap());
}

/// So that whoever takes the `# ` away from what they need has a configuration.
#[test]
fn what_the_example_says_of_the_service_is_a_configuration_too() {
    let ledger = Ledger::new();
    surround(&ledger);
    with_certificate(&ledger);
    ledger.run("key generate checkpoint.pem");
    let example = ledger.run("config example").stdout;
    let mut inside = false;
    let lines = example.lines().map(|line| {
        inside = (inside || line == "# [service]") && !line.is_empty();
        let entry = line.strip_prefix('#').map(str::trim_start).filter(|_| inside);
        entry.unwrap_or(line)
    });
    let text = lines.collect::<Vec<_>>().join("\n");
    ledger.write("swampbox.toml", text.replace("64 hexadecimal digits", &"0".repeat(64)));
    let checked = ledger.run("config check --config swampbox.toml");
    assert_eq!(checked.status, Some(0), "{checked}");
}

#[test]
fn the_doctor_looks_at_the_service_too() {
    let ledger = configured("");
    let doctor = |of: &Ledger| {
        let shown = told(of, &["doctor"]);
        shown.lines().filter(|line| line.contains("  service  ")).collect::<Vec<_>>().join("\n")
    };
    let config = fs::read_to_string(ledger.directory().join("swampbox.toml")).unwrap();
    let look = |config: &str, address: &str| {
        ledger.write("swampbox.toml", format!("{config}[service]\nlisten = \"{address}\"\n"));
        doctor(&ledger).replace(address, "ADDRESS")
    };
    let serving = Serving::on(&ledger, "");
    let free = look(&config, "127.0.0.1:0");
    let own = look(&config, serving.url.strip_prefix("http://").unwrap());
    let other = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = other.local_addr().unwrap().to_string();
    std::thread::spawn(move || other.incoming().for_each(drop));
    let others = look(&config, &address);
    let short = look(&config.replace("\"alice\", ", "\"mia\", "), "127.0.0.1:0");
    assert_snapshot!(hidden(&ledger, &[free, own, others, short].join("\n")));
}

#[test]
fn with_a_certificate_it_is_served_over_tls() {
    let ledger = configured(
        "[service]\nlisten = \"0.0.0.0:0\"\n\
         tls = { certificate = \"localhost.pem\", key = \"localhost.key\" }\n",
    );
    with_certificate(&ledger);
    let serving = Serving::from(ledger.command("serve --config swampbox.toml"));
    let url = serving.url.replace("0.0.0.0", "127.0.0.1");
    assert!(url.starts_with("https://"), "{url}");
    let decide = |more: &str| {
        ledger.run(&format!("decide --list --service {url} --key-file alice.key {more}"))
    };
    let trusted = decide("--ca localhost.pem");
    assert_eq!((trusted.status, trusted.stderr.as_str()), (Some(0), ""));
    let stranger = decide("");
    assert!(stranger.stderr.contains("service_unreachable"), "{stranger}");
}

/// Whether a session of the console comes to its end while somebody, or only a script, asks again and again.
fn session_ends(bound: &str, by_script: bool) -> bool {
    let ledger = configured(&format!("[service.limits]\n{bound} = 1\n"));
    let serving = Serving::on(&ledger, "");
    let agent: Agent = Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .build()
        .into();
    let form = [("key", key(&ledger, "alice"))];
    let answer = agent.post(format!("{}/login", serving.url)).send_form(form).unwrap();
    let cookie = answer.headers().get("set-cookie").unwrap().to_str().unwrap();
    let cookie = cookie.split(';').next().unwrap();
    let until = Instant::now() + Duration::from_secs(5);
    while Instant::now() < until {
        let request = agent.get(format!("{}/", serving.url)).header("cookie", cookie);
        let request = if by_script { request.header("swampbox-looks", "1") } else { request };
        // It may be told to ask less often.
        if [303, 401].contains(&request.call().unwrap().status().as_u16()) {
            return true;
        }
    }
    false
}

#[test]
fn the_configuration_says_how_long_a_session_of_the_console_lasts() {
    assert!(session_ends("session_age_seconds", false));
    assert!(session_ends("session_idle_seconds", true));
}

/// A certificate for the loopback interface, and its key.
pub(crate) fn with_certificate(ledger: &Ledger) {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tls");
    for (name, to) in [("localhost.pem", "localhost.pem"), ("localhost.key", "localhost.key")] {
        ledger.write(to, fs::read(from.join(name)).unwrap());
        ledger.write(&to.replace("localhost", "service"), fs::read(from.join(name)).unwrap());
        for file in [to.to_owned(), to.replace("localhost", "service")] {
            let mode = fs::Permissions::from_mode(0o600);
            fs::set_permissions(ledger.directory().join(file), mode).unwrap();
        }
    }
}
