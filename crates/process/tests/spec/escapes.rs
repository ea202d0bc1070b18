//! What escapes when a program is cut off, and what a subreaper does about it. To be one is a matter of
//! the whole process, so each test runs this very program again, in a role.

use std::env;
use std::fs;
use std::process::Command;

use swampbox_process::{RunError, become_subreaper};
use tempfile::TempDir;

use crate::processes::{CUT_OFF_BY_OUTPUT, FLOOD, PATIENT, id_in, runs, script, shell};

const ROLE: &str = "SWAMPBOX_PROCESS_ROLE";
const HOME: &str = "SWAMPBOX_PROCESS_HOME";

/// Leaves a process in a session of its own whose parent has ended, as a daemon is.
const DAEMON: &str = r#"
    sh -c 'setsid sh -c "echo \$\$ > \"$0/daemon.part\"; mv \"$0/daemon.part\" \"$0/daemon\"; exec sleep 600" "$0" &' "$1" \
        < /dev/null > /dev/null 2>&1
    until [ -s "$1/daemon" ]; do :; done"#;

/// Nothing, unless this process was started to play a role.
#[test]
fn plays_its_role() {
    let (Ok(role), Ok(home)) = (env::var(ROLE), env::var(HOME)) else { return };
    let arguments = |text: &str| ["-ec", text, "sh", &home].map(str::to_owned).to_vec();
    let is_cut_off = |text: &str| {
        let ended = shell(CUT_OFF_BY_OUTPUT).run(&arguments(&format!("{text}\n{FLOOD}")), None);
        assert!(matches!(ended, Err(RunError::OutputTooLarge(_))), "{ended:?}");
    };
    match role.as_str() {
        "no subreaper" => is_cut_off(DAEMON),
        "subreaper" => {
            become_subreaper().unwrap();
            is_cut_off(DAEMON);
            assert_eq!(children(), "");
        }
        "subreaper of a program that ends" => {
            become_subreaper().unwrap();
            assert!(shell(PATIENT).run(&arguments(DAEMON), None).unwrap().is_outlived);
            assert!(!shell(PATIENT).run(&arguments("true"), None).unwrap().is_outlived);
            // Of what is cut off later, the daemon is no orphan.
            is_cut_off("");
        }
        "subreaper of two at once" => {
            become_subreaper().unwrap();
            std::thread::scope(|scope| {
                let text = format!("{DAEMON}\nuntil [ -e \"$1/go\" ]; do :; done");
                let beside = scope.spawn(move || shell(PATIENT).run(&arguments(&text), None));
                is_cut_off(r#"until [ -s "$1/daemon" ]; do :; done"#);
                fs::write(format!("{home}/go"), "").unwrap();
                beside.join().unwrap().unwrap();
            });
        }
        "subreaper of the dead" => {
            become_subreaper().unwrap();
            // It has ended before the program does, and waits to be reaped.
            let orphan = r#"
                (true & echo $! > "$1/orphan")
                at="/proc/$(cat "$1/orphan")/stat"
                while [ -e "$at" ] && ! grep -q ") Z" "$at" 2> /dev/null; do :; done"#;
            shell(PATIENT).run(&arguments(orphan), None).unwrap();
            assert_eq!(children(), "");
        }
        other => panic!("there is no role {other}"),
    }
}

/// The children of this process, whether they run or not.
fn children() -> String {
    let own = std::process::id().to_string();
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let stats = processes.filter_map(|one| fs::read_to_string(one.path().join("stat")).ok());
    let is_child = |stat: &String| {
        stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.split(' ').nth(1) == Some(&own))
    };
    stats.filter(is_child).collect()
}

/// Whether the daemon that a role has started runs after the process that played it is gone. It is
/// killed then.
fn daemon_survives(role: &str) -> bool {
    let home = TempDir::new().unwrap();
    play(role, &home);
    let daemon = id_in(home.path(), "daemon");
    let survives = runs(&daemon);
    shell(PATIENT).run(&script(&format!("kill -9 {daemon} || :"), &home), None).unwrap();
    survives
}

fn play(role: &str, home: &TempDir) {
    let mut command = Command::new(env::current_exe().unwrap());
    command.args(["--exact", "escapes::plays_its_role", "--nocapture", "--test-threads=1"]);
    let ended = command.env(ROLE, role).env(HOME, home.path()).output().unwrap();
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stdout));
}

#[test]
fn a_daemon_escapes_a_process_that_is_no_subreaper() {
    assert!(daemon_survives("no subreaper"));
}

#[test]
fn a_daemon_does_not_escape_a_subreaper_when_its_program_is_cut_off() {
    assert!(!daemon_survives("subreaper"));
}

#[test]
fn a_daemon_of_a_program_that_has_ended_by_itself_is_left_alone() {
    assert!(daemon_survives("subreaper of a program that ends"));
}

#[test]
fn a_daemon_that_could_be_of_another_program_is_left_alone() {
    assert!(daemon_survives("subreaper of two at once"));
}

#[test]
fn a_subreaper_reaps_the_orphans_that_have_ended() {
    play("subreaper of the dead", &TempDir::new().unwrap());
}
