//! Signed statements about how far the history had come, and the keys that sign them.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use insta::assert_snapshot;
use swampbox_custody::Custody;
use swampbox_ledger::{Checkpoint, Expectations, PublicKey, SecretKey, verify};

use crate::ledgers::{Home, NOW, id};
use crate::lived::{chain_again, lived, redacted, submission, tamper, told, told_of, unprotected};

/// The key of the example in RFC 8410, and its public half.
const EXAMPLE: &str = "-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC
-----END PRIVATE KEY-----
";
const EXAMPLE_PUBLIC: &str = "19bf44096984cdfe8541bac167dc3b96c85086aa30b6b6cb0c5c38ad703166e1";

/// What verification says when these keys are trusted and these checkpoints were kept elsewhere.
fn told_with(home: &Home, trusted: &[&SecretKey], kept: &[&Checkpoint]) -> String {
    let expectations = Expectations {
        trusted_keys: trusted.iter().map(|key| key.public()).collect(),
        checkpoints: kept.iter().map(|checkpoint| (*checkpoint).clone()).collect(),
    };
    told_of(verify(home.path(), &expectations), &home.path())
}

/// The checkpoint among the events of a ledger.
fn kept(home: &Home) -> Checkpoint {
    home.open().history().newest_checkpoints(0, 1).unwrap().remove(0)
}

fn other_key(home: &Home) -> SecretKey {
    SecretKey::create(home.directory().join("other key")).unwrap()
}

#[test]
fn a_checkpoint_says_what_it_covers_in_a_text_that_is_signed() {
    let (home, key) = lived();
    let checkpoint = kept(&home);
    assert_eq!(checkpoint.key(), key.public());
    assert_eq!(checkpoint.at(), NOW);
    assert_snapshot!(redacted(&checkpoint.to_document().to_string()));
}

#[test]
fn a_checkpoint_is_read_again_from_its_document() {
    let (home, _) = lived();
    let checkpoint = kept(&home);
    let text = checkpoint.to_document().to_string();
    assert_eq!(Checkpoint::read(text.as_bytes()).unwrap(), checkpoint);
}

#[test]
fn a_document_that_is_no_checkpoint_is_refused() {
    let (home, _) = lived();
    let text = kept(&home).to_document().to_string();
    let key = kept(&home).key().to_string();
    let documents = [
        ("other events", text.replace("length 23", "length 24")),
        ("another time", text.replace("12:00:00", "12:00:01")),
        ("another key", text.replace(&key, EXAMPLE_PUBLIC)),
        ("no key", text.replace(&key, &"0".repeat(64))),
        ("upper case", text.replace(&key, &key.to_uppercase())),
        ("a field more", text.replacen('{', r#"{"more":1,"#, 1)),
        ("no object", "[]".into()),
        ("no JSON", "checkpoint".into()),
    ];
    let told = documents.map(|(what, text)| {
        let error = Checkpoint::read(text.as_bytes()).unwrap_err();
        format!("{what}: {}: {error}", error.code())
    });
    assert_snapshot!(redacted(&told.join("\n")));
}

#[test]
fn a_checkpoint_of_an_empty_ledger_covers_nothing() {
    let home = Home::new();
    let key = other_key(&home);
    let checkpoint = home.create().checkpoint(&key).unwrap();
    assert_eq!(checkpoint.length(), 0);
    assert_snapshot!(told_with(&home, &[&key], &[&checkpoint]));
}

#[test]
fn the_newest_checkpoints_come_first_and_no_more_than_are_asked_for() {
    let (home, key) = lived();
    let ledger = home.open();
    let mut signed = vec![kept(&home)];
    signed.extend([(); 2].map(|()| ledger.checkpoint(&key).unwrap()));
    signed.reverse();
    let newest = |skip, limit| ledger.history().newest_checkpoints(skip, limit).unwrap();
    assert_eq!(newest(0, usize::MAX), signed);
    assert_eq!(newest(0, 2), signed[..2]);
    assert_eq!(newest(1, 1), signed[1..2]);
    assert_eq!(newest(usize::MAX, 1), []);
}

#[test]
fn checkpoints_by_several_keys_verify_if_all_are_trusted() {
    let (home, first) = lived();
    let second = other_key(&home);
    home.open().checkpoint(&second).unwrap();
    assert_snapshot!(
        [
            told_with(&home, &[], &[]),
            told_with(&home, &[&first, &second], &[]),
            told_with(&home, &[&first], &[]),
        ]
        .join("\n")
    );
}

#[test]
fn a_checkpoint_signed_by_somebody_else_is_named() {
    let (home, key) = lived();
    let forger = other_key(&home);
    let checkpoint = kept(&home);
    tamper(
        &home,
        "DELETE FROM events WHERE sequence >= 24; DELETE FROM links WHERE sequence >= 24",
    );
    tamper(&home, "DELETE FROM consequences WHERE id = 'later'");
    home.open().checkpoint(&forger).unwrap();
    assert_snapshot!(
        [
            told_with(&home, &[], &[]),
            told_with(&home, &[&key], &[]),
            told_with(&home, &[&key], &[&checkpoint]),
        ]
        .join("\n")
    );
}

#[test]
fn a_forged_signature_is_named() {
    let (home, _) = lived();
    let connection = unprotected(&home);
    connection
        .execute_batch(
            "UPDATE events SET body = replace(body, '12:00:00', '13:00:00')
             WHERE kind = 'checkpoint_signed'",
        )
        .unwrap();
    chain_again(&connection);
    drop(connection);
    assert_snapshot!(told(&home.path()));
}

#[test]
fn a_checkpoint_stripped_from_the_middle_breaks_the_chain() {
    let (home, _) = lived();
    tamper(
        &home,
        "DELETE FROM events WHERE kind = 'checkpoint_signed';
         UPDATE events SET sequence = sequence - 1 WHERE sequence > 24",
    );
    assert_snapshot!(told(&home.path()));
}

#[test]
fn a_history_changed_before_a_checkpoint_is_named_though_the_chain_was_made_right() {
    let (home, key) = lived();
    let connection = unprotected(&home);
    connection
        .execute_batch(
            "UPDATE events SET body = replace(body, 'inbox', 'outbox') WHERE consequence = 'X';
             UPDATE consequences SET material = replace(material, 'inbox', 'outbox')
                 WHERE id = 'X'",
        )
        .unwrap();
    chain_again(&connection);
    drop(connection);
    assert_snapshot!(told_with(&home, &[&key], &[]));
}

#[test]
fn a_tail_cut_off_with_its_checkpoint_shows_to_whoever_kept_the_checkpoint() {
    let (home, key) = lived();
    let checkpoint = kept(&home);
    tamper(
        &home,
        "DELETE FROM resolutions;
         DELETE FROM consequences WHERE id = 'later'; DELETE FROM links WHERE sequence >= 24;
         DELETE FROM events WHERE sequence >= 22",
    );
    assert_snapshot!(
        [told_with(&home, &[&key], &[]), told_with(&home, &[&key], &[&checkpoint])].join("\n")
    );
}

/// What it covers is all there; that it was an event itself shows that something came after.
#[test]
fn a_checkpoint_taken_off_the_end_shows_to_whoever_kept_it() {
    let (home, _) = lived();
    let checkpoint = kept(&home);
    tamper(
        &home,
        "DELETE FROM consequences WHERE id = 'later'; DELETE FROM links WHERE sequence >= 24;
         DELETE FROM events WHERE sequence >= 24",
    );
    assert_snapshot!(told_with(&home, &[], &[&checkpoint]));
}

#[test]
fn a_tail_cut_off_after_the_checkpoint_does_not_show() {
    let (home, key) = lived();
    let checkpoint = kept(&home);
    tamper(
        &home,
        "DELETE FROM consequences WHERE id = 'later'; DELETE FROM links WHERE sequence >= 24;
         DELETE FROM events WHERE consequence = 'later'",
    );
    assert_snapshot!(told_with(&home, &[&key], &[&checkpoint]));
}

#[test]
fn two_ledgers_whose_files_were_swapped_show_to_whoever_kept_a_checkpoint() {
    let (home, _) = lived();
    let (other, _) = lived();
    let checkpoint = kept(&home);
    fs::copy(other.path(), home.path()).unwrap();
    assert_snapshot!(told_with(&home, &[], &[&checkpoint]));
}

#[test]
fn two_branches_of_one_history_are_told_apart() {
    let (home, key) = lived();
    let branch = Home::new();
    swampbox_ledger::backup(home.path(), branch.path()).unwrap();
    home.open().submit(submission("A", "here")).unwrap();
    let here = home.open().checkpoint(&key).unwrap();
    branch.open().submit(submission("A", "there")).unwrap();
    let there = branch.open().checkpoint(&key).unwrap();
    assert_snapshot!(
        [
            told_with(&home, &[&key], &[&here]),
            told_with(&home, &[&key], &[&there]),
            told_with(&branch, &[&key], &[&here]),
        ]
        .join("\n")
    );
}

#[test]
fn a_checkpoint_kept_elsewhere_has_to_be_by_a_trusted_key() {
    let (home, _) = lived();
    let (other, stranger) = (kept(&home), other_key(&home));
    assert_snapshot!(told_with(&home, &[&stranger], &[&other]));
}

fn file(home: &Home, text: impl AsRef<[u8]>, mode: u32) -> PathBuf {
    let path = home.directory().join("a key");
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
    path
}

#[test]
fn a_new_key_is_readable_by_its_owner_alone_and_read_again() {
    let home = Home::new();
    let path = home.directory().join("key");
    let key = SecretKey::create(&path).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o7777, 0o600);
    assert_eq!(SecretKey::load(&path).unwrap().public(), key.public());
    let another = SecretKey::create(home.directory().join("another")).unwrap();
    assert_ne!(another.public(), key.public());
}

#[test]
fn a_key_of_another_tool_is_read() {
    let home = Home::new();
    let key = SecretKey::load(file(&home, EXAMPLE, 0o600)).unwrap();
    assert_eq!(key.public().to_string(), EXAMPLE_PUBLIC);
    assert_eq!(EXAMPLE_PUBLIC.parse::<PublicKey>().unwrap(), key.public());
}

#[test]
fn a_secret_key_shows_its_public_half_only() {
    let home = Home::new();
    let key = SecretKey::load(file(&home, EXAMPLE, 0o600)).unwrap();
    assert_eq!(format!("{key:?}"), format!("SecretKey(of {EXAMPLE_PUBLIC})"));
}

#[test]
fn a_key_file_is_never_replaced() {
    let home = Home::new();
    let path = file(&home, "something", 0o600);
    let error = SecretKey::create(&path).unwrap_err();
    assert_eq!(error.code().as_str(), "key_exists");
    assert_eq!(fs::read(&path).unwrap(), b"something");
}

#[test]
fn a_key_file_that_others_may_read_or_write_is_refused() {
    let home = Home::new();
    let told = [0o640, 0o604, 0o620, 0o602, 0o610, 0o400, 0o600, 0o700].map(|mode| {
        let path = file(&home, EXAMPLE, mode);
        let answer = SecretKey::load(&path);
        let answer = answer.map_or_else(|error| error.code().to_string(), |_| "ok".into());
        format!("{mode:o}: {answer}")
    });
    assert_snapshot!(told.join("\n"));
}

#[test]
fn a_key_file_with_something_else_in_it_is_refused() {
    let home = Home::new();
    let texts: [(&str, Vec<u8>); 6] = [
        ("nothing", Vec::new()),
        ("no UTF-8", vec![0xff]),
        ("a public key", EXAMPLE.replace("PRIVATE", "PUBLIC").into()),
        ("too short", EXAMPLE.replace("VhC", "").into()),
        ("another algorithm", EXAMPLE.replace("K2Vw", "K2Vu").into()),
        ("more than a key", EXAMPLE.replace("VhC", "VhCAAAA").into()),
    ];
    let told = texts.map(|(what, text)| {
        let path = file(&home, text, 0o600);
        let error = SecretKey::load(&path).unwrap_err();
        let error = error.to_string().replace(&*path.to_string_lossy(), "PATH");
        format!("{what}: {error}")
    });
    assert_snapshot!(told.join("\n"));
}

#[test]
fn a_pipe_holds_no_key_and_is_not_waited_for() {
    let home = Home::new();
    let pipe = home.directory().join("pipe");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &pipe,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
        0,
    )
    .unwrap();
    assert_eq!(SecretKey::load(pipe).unwrap_err().code().as_str(), "key_invalid");
}

#[test]
fn a_key_that_is_not_there_is_unusable() {
    let home = Home::new();
    let error = SecretKey::load(home.directory().join("none")).unwrap_err();
    assert_eq!(error.code().as_str(), "key_unusable");
}

#[test]
fn a_public_key_that_is_none_is_refused() {
    let texts = ["", "00", &"0".repeat(64), &EXAMPLE_PUBLIC.to_uppercase(), &"f".repeat(65)];
    let told = texts.map(|text| text.parse::<PublicKey>().unwrap_err().to_string());
    assert_snapshot!(told.join("\n"));
}

#[test]
fn a_clock_that_fails_signs_nothing() {
    let (home, key) = lived();
    let ledger =
        swampbox_ledger::LedgerCustody::open(home.path(), Box::new(crate::lived::Broken)).unwrap();
    ledger.register(&id("still works")).unwrap();
    let error = ledger.checkpoint(&key).unwrap_err();
    assert_eq!(error.to_string(), "the custody store failed: the clock can't be read");
    drop(ledger);
    assert_eq!(home.count("events"), 26, "one execution more, and nothing else");
}

#[test]
fn a_checkpoint_that_was_taken_out_shows_to_whoever_kept_it_though_all_it_covers_is_there() {
    let (home, key) = lived();
    let checkpoint = kept(&home);
    tamper(
        &home,
        "DELETE FROM consequences WHERE id = 'later'; DELETE FROM links WHERE sequence >= 24;
         DELETE FROM events WHERE sequence >= 24",
    );
    home.open().register(&id("Z")).unwrap();
    assert_snapshot!(
        [told_with(&home, &[&key], &[]), told_with(&home, &[], &[&checkpoint])].join("\n")
    );
}
