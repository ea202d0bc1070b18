//! A ledger that was changed by other means than the program: verification names the place.

use std::fs;

use insta::assert_snapshot;
use rusqlite::types::Value;
use swampbox_custody::{Custody, RefusedRelease};
use swampbox_ledger::EventFilter;
use swampbox_material::Code;

use crate::ledgers::{Home, id};
use crate::lived::{chain_again, lived, lived_and_approved, tamper, told, unprotected};

/// What is said of each change, made in a ledger of its own.
fn told_of_each<const N: usize>(changes: [&str; N]) -> String {
    let told = changes.map(|sql| {
        let (home, _) = lived();
        tamper(&home, sql);
        format!("{sql}\n    {}", told(&home.path()))
    });
    told.join("\n")
}

/// As `told_of_each`, by somebody who makes the chain of hashes right again.
fn told_of_each_chained<const N: usize>(changes: [&str; N]) -> String {
    let told = changes.map(|sql| {
        let (home, _) = lived();
        let connection = unprotected(&home);
        connection.execute_batch(sql).unwrap();
        chain_again(&connection);
        drop(connection);
        format!("{sql}\n    {}", told(&home.path()))
    });
    told.join("\n")
}

#[test]
fn a_changed_event_is_named() {
    assert_snapshot!(told_of_each([
        "UPDATE events SET body = replace(body, 'inbox', 'outbox') WHERE sequence = 6",
        "UPDATE events SET at = '2026-01-01T12:00:01Z' WHERE sequence = 6",
        "UPDATE events SET at = NULL WHERE sequence = 6",
        "UPDATE events SET kind = 'consequence_adopted' WHERE sequence = 6",
        "UPDATE events SET hash = zeroblob(32) WHERE sequence = 6",
        "UPDATE events SET hash = x'00' WHERE sequence = 6",
        "UPDATE events SET previous = zeroblob(32) WHERE sequence = 6",
        "UPDATE events SET body = CAST(x'ff' AS TEXT) WHERE sequence = 6",
    ]));
}

#[test]
fn an_event_that_is_found_by_the_wrong_name_is_named() {
    assert_snapshot!(told_of_each([
        "UPDATE events SET execution = 'B' WHERE sequence = 6",
        "UPDATE events SET recipient = 'A' WHERE kind = 'consequence_transferred'",
        "UPDATE events SET consequence = NULL WHERE sequence = 6",
    ]));
}

#[test]
fn events_deleted_inserted_and_reordered_are_named() {
    assert_snapshot!(told_of_each([
        "DELETE FROM events WHERE sequence = 1",
        "DELETE FROM events WHERE sequence = 6",
        "DELETE FROM events WHERE sequence = 6;
         UPDATE events SET sequence = sequence - 1 WHERE sequence > 6",
        "INSERT INTO events SELECT 0, at, kind, execution, recipient, consequence, body,
             previous, hash FROM events WHERE sequence = 1",
        "INSERT INTO events SELECT 1000, at, kind, execution, recipient, consequence, body,
             previous, hash FROM events WHERE sequence = 1",
        "UPDATE events SET sequence = -6 WHERE sequence = 6;
         UPDATE events SET sequence = 6 WHERE sequence = 7;
         UPDATE events SET sequence = 7 WHERE sequence = -6",
    ]));
}

#[test]
fn events_cut_off_leave_rows_that_no_event_gives() {
    assert_snapshot!(told_of_each([
        "DELETE FROM events WHERE sequence = (SELECT max(sequence) FROM events)",
        "DELETE FROM events WHERE sequence > 10",
        "DELETE FROM events",
    ]));
}

#[test]
fn a_chain_made_right_again_does_not_hide_a_change() {
    assert_snapshot!(told_of_each_chained([
        "UPDATE events SET body = replace(body, 'inbox', 'outbox') WHERE sequence = 6",
        "UPDATE events SET body = body || ' ' WHERE sequence = 6",
        "UPDATE events SET body = '{' WHERE sequence = 6",
        "UPDATE events SET body = replace(body, 'CONTAINED', 'RELEASED') WHERE sequence = 6",
        "UPDATE events SET body = '{\"execution_id\":\"A\",\"x\":1}' WHERE sequence = 1",
        "UPDATE events SET kind = 'something_else' WHERE sequence = 1",
        "UPDATE events SET at = 'noon' WHERE sequence = 1",
        "UPDATE events SET body = replace(body, 'ALLOW', 'DENY') WHERE kind = 'attempt_marked'",
        "UPDATE events SET body = replace(body, 'RELEASED', 'DONE')
             WHERE kind = 'attempt_settled'",
    ]));
}

#[test]
fn an_event_that_could_not_have_happened_is_named() {
    assert_snapshot!(told_of_each_chained([
        // Registered twice.
        "UPDATE events SET execution = 'A', body = '{\"execution_id\":\"A\"}' WHERE sequence = 2",
        // Never registered.
        "DELETE FROM events WHERE sequence = 1;
         UPDATE events SET sequence = sequence - 1",
        // Submitted twice.
        "UPDATE events SET consequence = 'X', body = replace(body, 'left', 'X')
             WHERE kind = 'consequence_submitted' AND consequence = 'left'",
        // Transferred by somebody else.
        "UPDATE events SET execution = 'leased', body = replace(body, '\"A\"', '\"leased\"')
             WHERE kind = 'consequence_transferred'",
        // Adopted although it was not quarantined.
        "UPDATE events SET consequence = 'X', body = replace(body, 'left', 'X')
             WHERE kind = 'consequence_adopted'",
        // An attempt on what was released already.
        "UPDATE events SET consequence = 'did', body = replace(body, '\"maybe\"', '\"did\"')
             WHERE kind = 'attempt_marked' AND consequence = 'maybe'",
        // A fencing number for the second time.
        "UPDATE events SET body = replace(body, '\"fence\":2', '\"fence\":1')
             WHERE kind = 'attempt_marked'",
        // Settled without an attempt.
        "UPDATE events SET body = replace(body, '\"fence\":2', '\"fence\":9')
             WHERE kind = 'attempt_settled'",
        // Resolved although it is not UNCERTAIN.
        "UPDATE events SET consequence = 'X', body = replace(body, '\"maybe\"', '\"X\"')
             WHERE kind = 'resolution_attached'",
    ]));
}

/// A ledger in which no table is empty.
fn lived_in_all_tables() -> Home {
    let home = lived_and_approved();
    let refusal = RefusedRelease {
        execution: id("A"),
        consequence: id("never"),
        reason: Code::ConsequenceNotFound,
        decision: None,
        basis: None,
    };
    home.open().note_refusal(&refusal).unwrap();
    home
}

#[test]
fn a_change_in_any_column_of_any_table_is_named() {
    let home = lived_in_all_tables();
    let columns = "SELECT m.name, c.name, c.type FROM sqlite_schema m, pragma_table_info(m.name) c
         WHERE m.type = 'table' AND m.name <> 'events' ORDER BY m.name, c.cid";
    let columns = home.rows(columns);
    let told = columns.lines().map(|line| {
        let [table, column, kind] = line.split(" | ").collect::<Vec<_>>()[..] else { panic!() };
        let other = match kind {
            "INTEGER" => format!("coalesce({column}, 0) + 100"),
            _ => format!("coalesce({column}, '') || 'x'"),
        };
        let home = lived_in_all_tables();
        tamper(
            &home,
            &format!(
                "UPDATE {table} SET {column} = {other}
                 WHERE {column} IS (SELECT min({column}) FROM {table})"
            ),
        );
        format!("{table}.{column}\n    {}", told(&home.path()))
    });
    assert_snapshot!(told.collect::<Vec<_>>().join("\n"));
}

#[test]
fn a_change_that_every_check_of_the_table_allows_is_named() {
    assert_snapshot!(told_of_each([
        "UPDATE consequences SET state = 'CONTAINED' WHERE id = 'did'",
        "UPDATE consequences SET state = 'CONTAINED' WHERE id = 'maybe'",
        "UPDATE consequences SET custodian = 'A' WHERE id = 'X'",
        "UPDATE consequences SET custodian = NULL WHERE id = 'X'",
        "UPDATE consequences SET fence = 3 WHERE id = 'X'",
        "UPDATE consequences SET material = replace(material, '1', '1.0') WHERE id = 'X'",
        "UPDATE consequences SET material = CAST(x'ff' AS TEXT) WHERE id = 'X'",
        "UPDATE executions SET state = 'ACTIVE' WHERE id = 'gone'",
        "UPDATE attempts SET settlement = 'NOT_EXECUTED' WHERE consequence = 'maybe'",
        "UPDATE attempts SET settlement = NULL, detail = NULL WHERE consequence = 'did'",
        "UPDATE resolutions SET verdict = 'confirmed_not_executed'",
        "UPDATE resolutions SET evidence = '{}'",
    ]));
}

#[test]
fn rows_deleted_and_inserted_are_named() {
    assert_snapshot!(told_of_each([
        "DELETE FROM consequences WHERE id = 'later'",
        "DELETE FROM attempts WHERE fence = 2",
        "DELETE FROM resolutions",
        "DELETE FROM bindings",
        "DELETE FROM ledger",
        "INSERT INTO executions VALUES ('0', 'ACTIVE')",
        "INSERT INTO executions VALUES ('C', 'ACTIVE')",
        "INSERT INTO executions VALUES ('zz', 'ACTIVE')",
        "INSERT INTO consequences
             SELECT 'M', origin, custodian, parent, state, fence, latest, told, custody_changed,
                 material
             FROM consequences WHERE id = 'X'",
        "INSERT INTO resolutions SELECT 1, consequence, verdict, resolved_by, evidence
             FROM resolutions",
    ]));
}

#[test]
fn a_way_to_the_events_about_a_consequence_that_leads_elsewhere_is_named() {
    assert_snapshot!(told_of_each([
        "DELETE FROM links WHERE sequence = 9",
        "UPDATE links SET before = 0 WHERE sequence = 9",
        "UPDATE links SET before = -before WHERE sequence = 9",
        "UPDATE links SET before = 9 WHERE sequence = 9",
        "UPDATE links SET sequence = 10 WHERE sequence = 9",
        "UPDATE links SET sequence = 1000 WHERE sequence = 9",
        "INSERT INTO links VALUES (1, 0)",
        "INSERT INTO links VALUES (1000, 0)",
        "INSERT INTO landmarks VALUES ('X', 9)",
        "UPDATE consequences SET latest = 6 WHERE id = 'X'",
        "UPDATE consequences SET told = 1 WHERE id = 'X'",
        "UPDATE consequences SET custody_changed = 6 WHERE id = 'X'",
    ]));
}

/// Whatever it leads to, it ends.
#[test]
fn a_way_to_the_events_about_a_consequence_that_leads_nowhere_ends() {
    let greatest = i64::MAX;
    let changes = [
        format!("UPDATE consequences SET latest = {greatest} WHERE id = 'X'"),
        format!("INSERT INTO landmarks VALUES ('X', {greatest})"),
        format!("INSERT INTO landmarks VALUES ('X', -{greatest})"),
        "UPDATE links SET before = sequence WHERE sequence = 9".to_owned(),
        "UPDATE links SET before = 9 WHERE sequence = 6".to_owned(),
        format!("UPDATE links SET before = {greatest} WHERE sequence = 6"),
        format!("UPDATE consequences SET latest = -{greatest} WHERE id = 'X'"),
        "DELETE FROM links".to_owned(),
    ];
    let found = changes.map(|change| {
        let (home, _) = lived();
        tamper(&home, &change);
        let filter = EventFilter { consequence: Some(id("X")), ..EventFilter::default() };
        let events = home.open().history().events(&filter).unwrap();
        let events: Vec<u64> = events.iter().map(|event| event.sequence).collect();
        format!("{change}\n    {events:?}, {}", told(&home.path()))
    });
    assert_snapshot!(found.join("\n"));
}

#[test]
fn a_changed_definition_is_named() {
    assert_snapshot!(told_of_each([
        "CREATE TRIGGER t AFTER INSERT ON consequences BEGIN DELETE FROM attempts; END",
        "DROP INDEX held",
        "CREATE TABLE more (a)",
    ]));
}

#[test]
fn a_ledger_under_the_id_of_another_is_named() {
    let (home, _) = lived();
    let (other, _) = lived();
    let id: String = other.sql().query_row("SELECT id FROM ledger", [], |row| row.get(0)).unwrap();
    home.sql().execute("UPDATE ledger SET id = ?1", [id]).unwrap();
    assert_snapshot!(told(&home.path()));
}

#[test]
fn an_event_of_another_ledger_is_named() {
    let (home, _) = lived();
    let (other, _) = lived();
    let query = "SELECT body, previous, hash FROM events WHERE sequence = 6";
    let [body, previous, hash]: [Value; 3] = other
        .sql()
        .query_row(query, [], |row| Ok([row.get(0)?, row.get(1)?, row.get(2)?]))
        .unwrap();
    let replace = "UPDATE events SET body = ?1, previous = ?2, hash = ?3 WHERE sequence = 6";
    home.sql().execute(replace, (body, previous, hash)).unwrap();
    assert_snapshot!(told(&home.path()));
}

#[test]
fn a_page_with_other_bytes_is_found() {
    let (home, _) = lived();
    let mut bytes = fs::read(home.path()).unwrap();
    let inbox = bytes.windows(5).position(|window| window == b"inbox").unwrap();
    bytes[inbox] ^= 1;
    fs::write(home.path(), &bytes).unwrap();
    let flipped = told(&home.path());
    bytes[inbox] ^= 1;
    let page = 2048 * 5;
    bytes[page..page + 64].fill(0xa5);
    fs::write(home.path(), &bytes).unwrap();
    assert_snapshot!(format!("one bit: {flipped}\na page: {}", told(&home.path())));
}

#[test]
fn a_file_that_was_cut_off_is_found() {
    let (home, _) = lived();
    let bytes = fs::read(home.path()).unwrap();
    fs::write(home.path(), &bytes[..bytes.len() - 4096 * 3]).unwrap();
    assert_snapshot!(told(&home.path()));
}

#[test]
fn an_untouched_copy_still_verifies() {
    let (home, _) = lived();
    let copy = Home::new();
    fs::copy(home.path(), copy.path()).unwrap();
    assert_eq!(told(&home.path()), told(&copy.path()));
}

#[test]
fn text_that_is_no_text_is_named_as_tampering() {
    let seen = [
        "UPDATE consequences SET material = CAST(x'80' AS TEXT) WHERE id = 'X'",
        "UPDATE consequences SET custodian = CAST(x'80' AS TEXT) WHERE id = 'X'",
        "UPDATE attempts SET detail = CAST(x'ff' AS TEXT) WHERE fence = 1",
        "UPDATE events SET body = CAST(x'80' AS TEXT) WHERE sequence = 2",
        "UPDATE events SET consequence = CAST(x'80' AS TEXT) WHERE sequence = 7",
        "UPDATE ledger SET id = CAST(x'80' AS TEXT)",
    ]
    .map(|sql| {
        let (home, _) = lived();
        tamper(&home, sql);
        told(&home.path())
    });
    assert_snapshot!(seen.join("\n"));
}
