//! Step 1: what is refused before the clock is read or anybody is asked.

use insta::assert_snapshot;

use crate::fixture::{Script, inhabited, json};

/// From top to bottom, each release would also fail the checks of those below it.
#[test]
fn the_first_check_of_custody_that_fails_is_the_reason() {
    let releases = [
        ("unknown", "absent"),
        ("ended", "absent"),
        ("exec-B", "absent"),
        ("exec-B", "releasing"),
        ("exec-B", "released"),
        ("exec-B", "uncertain"),
        ("exec-B", "quarantined"),
        ("exec-B", "X"),
        ("exec-A", "X"),
    ];
    let answers = releases.map(|(execution, consequence)| {
        let script = Script::new();
        let result = script.release(&inhabited(), execution, consequence);
        if execution != "exec-A" {
            assert_eq!(script.counts(), [0, 0, 0]);
        }
        format!("{execution} releases {consequence}: {}", json(&result))
    });
    let answers = answers.join("\n");
    assert_snapshot!(answers);
}
