//! What is decided by what has changed since, or was taken back.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use insta::assert_snapshot;
use swampbox_material::json::Json;

use crate::deciding::{FILE, configured, digest, hidden, told};
use crate::deciding_screen::Terminal;
use crate::ledger::{Ledger, receiver, steady};
use crate::run::Ran;
use crate::service::{self, Serving, text};

/// Replaces the configuration in one step, as an editor does.
pub(crate) fn replace(ledger: &Ledger, change: impl FnOnce(&str) -> String) {
    let path = ledger.directory().join("swampbox.toml");
    let changed = change(&fs::read_to_string(&path).unwrap());
    ledger.write("new.toml", changed);
    fs::rename(ledger.directory().join("new.toml"), path).unwrap();
}

/// X waits for a provider that does this before it answers with what `decision.json` says.
pub(crate) fn asking(origin: &str, meddling: &str) -> Ledger {
    let ledger = Ledger::with_a_request(origin);
    let script = format!("cat > question.json; {meddling}; cat decision.json");
    ledger.write("gate.sh", script);
    ledger.write("decision.json", ledger.decision());
    let at = ledger.directory().display();
    ledger.write(
        "swampbox.toml",
        format!(
            "[authority]\nfirst = [\"gate\"]\n[providers.gate]\n\
             command = [\"/bin/sh\", \"-c\", \"cd {at}; . ./gate.sh\"]\n\
             [[http]]\ntarget = \"{origin}\"\nprivate = true\n"
        ),
    );
    ledger
}

#[test]
fn whatever_changes_in_the_configuration_while_it_is_decided_stops_the_release() {
    let cases = [
        "true",
        "echo '[[rules]]\neffect = \"DENY\"\nreason = \"no\"' >> swampbox.toml",
        "echo >> swampbox.toml",
        "rm swampbox.toml",
        "echo none > swampbox.toml",
        "rm swampbox.toml; mkfifo swampbox.toml",
    ];
    let shown = cases.map(|meddling| {
        let ledger = asking(&receiver(204), meddling);
        let ran = ledger.run("release X --execution A --config swampbox.toml");
        format!("{meddling}\n{}", hidden(&ledger, &steady(&ran.to_string())))
    });
    assert_snapshot!(shown.join("\n"));
}

#[test]
fn a_release_that_waits_goes_by_the_configuration_as_it_is_then() {
    let ledger = configured(&receiver(204), "");
    told(&ledger, &["submit file.json --execution A --consequence F"]);
    let mut release = ledger.command("release F --execution A --wait 60 --config swampbox.toml");
    let release = release.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    while ledger.run("decide --list --config swampbox.toml").stdout.is_empty() {}
    let digest = digest(&ledger, "F");
    fs::copy(ledger.directory().join("swampbox.toml"), ledger.directory().join("old.toml"))
        .unwrap();
    replace(&ledger, |text| text.replace("git.*", "*"));
    ledger.run(&format!("decide F --allow --digest {digest} --reason r --config old.toml"));
    let ended = Ran::of(release.wait_with_output().unwrap());
    assert_snapshot!(hidden(&ledger, &steady(&ended.to_string())));
    assert!(!ledger.directory().join("site/index.html").exists());
}

#[test]
fn a_release_that_waits_outlives_its_request_and_waits_for_the_next_one() {
    let ledger = configured(&receiver(204), "");
    replace(&ledger, |text| text.replace("[approvals]", "[approvals]\nexpires_after_seconds = 1"));
    told(&ledger, &["submit file.json --execution A --consequence F"]);
    let mut release = ledger.command("release F --execution A --wait 60 --config swampbox.toml");
    let release = release.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let asked = || {
        let list = ledger.run("decide --list --json --config swampbox.toml").stdout;
        let request = Json::read(list.lines().next()?.as_bytes()).ok()?;
        Some(text(&request, "request_id"))
    };
    let first = std::iter::repeat_with(asked).flatten().next().unwrap();
    std::iter::repeat_with(asked).flatten().find(|next| *next != first).unwrap();
    // Whichever stands now is decided.
    let allowed = || {
        let ran = ledger.run("decide F --json --config swampbox.toml").stdout;
        let digest = ran.split_once(r#""digest":""#)?.1.split('"').next()?.to_owned();
        let words = format!("decide F --allow --digest {digest} --reason r --config swampbox.toml");
        (ledger.run(&words).status == Some(0)).then_some(())
    };
    std::iter::repeat_with(allowed).flatten().next().unwrap();
    let ended = Ran::of(release.wait_with_output().unwrap());
    assert!(ended.stdout.contains("RELEASED"), "{ended}");
}

#[test]
fn a_service_decides_nothing_by_a_configuration_that_was_changed_under_it() {
    let ledger = service::configured("");
    let serving = Serving::on(&ledger, "");
    let token = serving.execution(&ledger, "ann", "A");
    serving.proposed(&token, "hello\n");
    let shown = digest(&ledger, "X");
    let allow = format!("decide X --allow --digest {shown} --reason r --config swampbox.toml");
    assert_eq!(ledger.run(&allow).status, Some(0));
    replace(&ledger, |text| text.replace("approvers", "quorum = 2\napprovers"));
    let refused = serving.release(&token);
    assert_snapshot!(hidden(&ledger, &refused.to_string()));
    assert!(!ledger.directory().join("site/index.html").exists());
}

#[test]
fn whatever_a_decision_comes_from_it_can_be_taken_back_by_its_id() {
    let revoked = |ledger: &Ledger, id: &str| {
        let ran = ledger.run(&format!("key revoke --decision {id} --reason mistaken"));
        assert_eq!(ran.status, Some(0), "{ran}");
    };
    let people = configured(&receiver(204), "");
    told(&people, &["submit file.json --execution A --consequence F", "release F --execution A"]);
    let digest = digest(&people, "F");
    let allow = format!("decide F --allow --digest {digest} --reason r --json");
    let allowed = people.run(&format!("{allow} --config swampbox.toml")).stdout;
    revoked(&people, &text(&Json::read(allowed.as_bytes()).unwrap(), "request_id"));
    let of_people = told(&people, &["release F --execution A"]);

    let file = Ledger::with_a_request(&receiver(204));
    file.write("decision.json", file.decision());
    revoked(&file, "decision-X");
    let of_a_file = file.story(&["release X --execution A --decision decision.json"]);

    let gate = asking(&receiver(204), "true");
    revoked(&gate, "decision-X");
    let of_a_command = told(&gate, &["release X --execution A"]);
    assert_snapshot!(format!("{of_people}\n{of_a_file}\n{of_a_command}"));
}

/// One provider is the authority itself, and of several the answer that is not usable is handed on.
#[test]
fn what_is_wrong_with_a_decision_is_said_with_its_code_whatever_asked_for_it() {
    let wrong = [
        (r#""consequence_id": "X""#, r#""consequence_id": "Y""#),
        (r#""execution_id": "A""#, r#""execution_id": "B""#),
        (r#""verdict""#, r#""verdikt""#),
        ("GET", "PUT"),
    ];
    let rule = "[[rules]]\neffect = \"ALLOW\"\nreason = \"r\"\n[authority]\n";
    let authorities = [
        ("first = [\"gate\"]", "[authority]\nfirst = [\"gate\"]"),
        ("first = [\"gate\", \"rules\"]", &format!("{rule}first = [\"gate\", \"rules\"]")),
        ("all = [\"rules\", \"gate\"]", &format!("{rule}all = [\"rules\", \"gate\"]")),
    ];
    let ledger = asking(&receiver(204), "true");
    let mut shown = String::new();
    for (right, wrong) in wrong {
        ledger.write("decision.json", ledger.decision().replace(right, wrong));
        for (name, authority) in authorities {
            replace(&ledger, |text| {
                let (_, rest) = text.split_once("[providers.gate]").unwrap();
                format!("{authority}\n[providers.gate]{rest}")
            });
            let ran = ledger.run("release X --execution A --json --config swampbox.toml");
            let result = Json::read(ran.stdout.as_bytes()).unwrap();
            let id = result.as_object().unwrap().get("authority_decision_id").unwrap();
            shown += &format!("{wrong:24} {name:26} {} {id}\n", text(&result, "reason"));
        }
    }
    assert_snapshot!(shown);
}

#[test]
fn an_envelope_that_is_no_file_or_has_no_end_is_refused_at_once() {
    let ledger = configured(&receiver(204), "[signed]\ndirectory = \"decisions\"\n");
    replace(&ledger, |text| text.replace("[\"rules\", \"approvals\"]", "[\"signed\"]"));
    ledger.write("file.json", FILE);
    told(&ledger, &["submit file.json --execution A --consequence F"]);
    let decisions = ledger.directory().join("decisions");
    fs::create_dir(&decisions).unwrap();
    let envelope = decisions.join("F.json");
    let pipe = rustix::fs::FileType::Fifo;
    rustix::fs::mknodat(rustix::fs::CWD, &envelope, pipe, rustix::fs::Mode::RWXU, 0).unwrap();
    let fifo = told(&ledger, &["release F --execution A"]);
    fs::remove_file(&envelope).unwrap();
    fs::File::create(&envelope).unwrap().set_len(3 << 30).unwrap();
    let large = told(&ledger, &["release F --execution A"]);
    fs::remove_file(&envelope).unwrap();
    fs::create_dir(&envelope).unwrap();
    let directory = told(&ledger, &["release F --execution A"]);
    assert_snapshot!(format!("{fifo}\n{large}\n{directory}"));
}

/// Through the service, and in a terminal that shows the queue already.
#[test]
fn nobody_decides_by_a_configuration_that_was_changed_since() {
    let ledger = service::configured("");
    let serving = Serving::on(&ledger, "");
    let token = serving.execution(&ledger, "ann", "A");
    serving.proposed(&token, "hello\n");
    let shown = digest(&ledger, "X");
    let mut terminal = Terminal::open(200);
    let child = terminal.run(ledger.command("decide --config swampbox.toml"));
    terminal.wait_for(&["[q]uit: "]);
    replace(&ledger, |text| text.replace("approvers = [\"alice\"", "approvers = [\"bob\""));
    let through = format!("decide --service {} --key-file alice.key", serving.url);
    let refused = ledger.run(&format!("{through} X --allow --digest {shown} --reason r"));
    assert_snapshot!(refused.stderr);
    terminal.say("a");
    terminal.wait_for(&["reason: "]);
    terminal.say("r");
    terminal.wait_for(&["[300]: "]);
    terminal.say("");
    terminal.wait_for(&["it can't be told who is who"]);
    drop(terminal);
    child.wait_with_output().unwrap();
}

/// Where there is none, it is its coming.
#[test]
fn a_configuration_that_comes_while_it_is_decided_stops_the_release() {
    let ledger = Ledger::with_a_request(&receiver(204));
    ledger.write("decision.json", ledger.decision());
    let at = ledger.directory();
    let release = |script: &str| {
        let words = ["release", "X", "--execution", "A", "--provider", "--", "sh", "-c", script];
        let mut command = ledger.command_of(&words);
        Ran::of(command.env("XDG_CONFIG_HOME", at.join("config")).output().unwrap())
    };
    let configured =
        "mkdir -p config/swampbox; echo > config/swampbox/config.toml; cat decision.json";
    let refused = release(configured);
    assert!(refused.stdout.contains("authority_revoked"), "{refused}");
    fs::remove_dir_all(at.join("config")).unwrap();
    let released = release("cat decision.json");
    assert!(released.stdout.contains("RELEASED"), "{released}");
}

#[cfg(feature = "cedar")]
#[test]
fn a_policy_that_changes_while_it_is_decided_stops_the_release() {
    let cases = [
        ("true", "actuator_succeeded"),
        ("echo >> policies.cedar", "authority_revoked"),
        ("rm schema.cedarschema", "authority_revoked"),
    ];
    for (meddling, reason) in cases {
        let ledger = asking(&receiver(204), meddling);
        ledger.write("policies.cedar", "@id(\"all\") permit (principal, action, resource);");
        ledger.write(
            "schema.cedarschema",
            "entity Execution = { principal: String }; entity Target; \
             type Lineage = { origin: String, custodian: String, parent?: String }; \
             action \"http.request\" appliesTo { principal: [Execution], resource: [Target], \
             context: { lineage: Lineage, payload: { method: String, url: String } } };",
        );
        replace(&ledger, |text| {
            let cedar = "[cedar]\npolicies = \"policies.cedar\"\nschema = \"schema.cedarschema\"\n";
            format!("{}{cedar}", text.replace("first = [\"gate\"]", "all = [\"cedar\", \"gate\"]"))
        });
        let ran = ledger.run("release X --execution A --json --config swampbox.toml");
        let result = Json::read(ran.stdout.as_bytes()).unwrap();
        assert_eq!(text(&result, "reason"), reason, "{meddling}: {ran}");
    }
}

#[test]
fn explaining_leaves_nothing_behind_of_a_provider_that_is_cut_off() {
    // Its parent has ended, and it is in a session of its own.
    let daemon = "sh -c 'setsid sh daemon.sh > daemon.out 2>&1 < /dev/null &'\n\
                  until [ -e daemon ]; do :; done; yes";
    let ledger = asking(&receiver(204), daemon);
    ledger.write("daemon.sh", "echo $$ > daemon.part; mv daemon.part daemon; exec sleep 1000");
    let ran = ledger.run("policy explain X --config swampbox.toml");
    assert_eq!(ran.status, Some(1), "{ran}");
    let daemon = fs::read_to_string(ledger.directory().join("daemon")).unwrap();
    let gone = !Path::new("/proc").join(daemon.trim()).exists();
    assert!(gone, "process {daemon} outlived the command: {ran}");
}
