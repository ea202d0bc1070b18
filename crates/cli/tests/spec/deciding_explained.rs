//! `policy explain` says what a release would come to.

use insta::assert_snapshot;

use crate::deciding::told;
use crate::deciding_edge::{asking, replace};
use crate::ledger::{Ledger, NOBODY, receiver, steady};

/// What is explained, and what a release then comes to.
fn explained(ledger: &Ledger) -> String {
    told(ledger, &["policy explain X", "release X --execution A"])
}

/// Decides with the clock of its own, after the question.
const LATER: &str = "now=$(date -u +%FT%T.%NZ); \
                     sed \"s/2000-01-01T00:00:00Z/$now/\" decision.json > later.json; \
                     mv later.json decision.json";

#[test]
fn a_decision_that_begins_after_the_question_is_explained_as_it_is_released() {
    let ledger = asking(&receiver(204), LATER);
    assert_snapshot!(explained(&ledger));
}

#[test]
fn a_window_that_is_over_before_the_last_answer_is_explained_as_over() {
    let ledger = asking(&receiver(204), "sleep 1.2");
    replace(&ledger, |text| {
        let rule = "[[rules]]\neffect = \"ALLOW\"\nwindow_seconds = 1\nreason = \"r\"\n";
        format!("{rule}{}", text.replace("first = [\"gate\"]", "all = [\"rules\", \"gate\"]"))
    });
    assert_snapshot!(explained(&ledger));
}

#[test]
fn a_decision_that_was_used_up_or_taken_back_is_explained_as_that() {
    let ledger = Ledger::with_a_request(NOBODY);
    let key = ledger.run("key generate key.pem").stdout;
    ledger.write(
        "swampbox.toml",
        format!(
            "[authority]\nfirst = [\"signed\"]\n[signed]\ndirectory = \".\"\n\
             [[http]]\ntarget = \"{NOBODY}\"\nprivate = true\n[[keys]]\nname = \"manager\"\n\
             public_key = \"{}\"\nvalid_from = \"2000-01-01T00:00:00Z\"\n\
             valid_until = \"9999-01-01T00:00:00Z\"\n",
            key.trim()
        ),
    );
    ledger.write("X.json", ledger.run("sign X --key key.pem").stdout);
    let before = explained(&ledger);
    let used = explained(&ledger);
    let as_json = told(&ledger, &["policy explain X --json"]);
    assert_eq!(
        ledger.run("key revoke manager --reason lost --config swampbox.toml").status,
        Some(0)
    );
    let revoked = explained(&ledger);
    assert_snapshot!(format!("{before}\n{used}\n{}\n{revoked}", steady(&as_json)));
}

#[test]
fn what_nothing_would_carry_out_is_explained_as_that() {
    let ledger = asking(&receiver(204), "true");
    replace(&ledger, |text| text.split("[[http]]").next().unwrap().to_owned());
    assert_snapshot!(explained(&ledger));
}

/// A configuration in which a rule allows for some seconds, and another provider takes longer.
fn with_a_slow_provider(how: &str, rules: &str) -> Ledger {
    let ledger = asking(&receiver(204), "sleep 9");
    replace(&ledger, |text| {
        let text = text.replace("first = [\"gate\"]", how);
        format!("{rules}{text}")
    });
    ledger
}

#[test]
fn a_provider_that_a_release_does_not_get_to_is_not_asked_when_it_is_explained() {
    let rule = "[[rules]]\neffect = \"ALLOW\"\nwindow_seconds = 8\nreason = \"r\"\n";
    let first = with_a_slow_provider("first = [\"rules\", \"gate\"]", rule);
    let as_json = steady(&told(&first, &["policy explain X --json"]));
    let first = explained(&first);

    let rule = "[[rules]]\neffect = \"DENY\"\nreason = \"r\"\n";
    let all = with_a_slow_provider("all = [\"rules\", \"gate\"]", rule);
    let denied = explained(&all);
    assert!(!all.directory().join("question.json").exists());
    assert_snapshot!(format!("{as_json}\n{first}\n{denied}"));
}

#[test]
fn a_configuration_that_changes_while_a_provider_decides_is_explained_as_it_is_released() {
    let ledger = asking(&receiver(204), "echo >> swampbox.toml");
    assert_snapshot!(explained(&ledger));
}
