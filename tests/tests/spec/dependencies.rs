//! What a program takes on with the release boundary, and how little it needs to use it.

use std::collections::BTreeSet;
use std::process::Command;

use insta::assert_snapshot;

const PROGRAM: &str = include_str!("../../../crates/boundary/examples/embedding.rs");

#[test]
fn the_boundary_brings_only_the_core_and_what_the_core_may_use() {
    let tree = cargo("tree --locked --package=swampbox-boundary --edges=normal --prefix=none");
    let names: BTreeSet<&str> = tree.lines().filter_map(|line| line.split(' ').next()).collect();
    assert_snapshot!(Vec::from_iter(names).join("\n"), @"
    deranged
    itoa
    memchr
    num-conv
    powerfmt
    proc-macro2
    quote
    serde
    serde_core
    serde_derive
    serde_json
    swampbox-authority
    swampbox-boundary
    swampbox-custody
    swampbox-material
    syn
    thiserror
    thiserror-impl
    time
    time-core
    unicode-ident
    zmij
    ");
}

#[test]
fn forty_lines_that_use_only_the_core_crates_compile_and_release() {
    let lines = PROGRAM.lines().filter(|line| !line.is_empty());
    assert!(lines.count() <= 40);
    let mut imports = PROGRAM.lines().filter(|line| line.starts_with("use "));
    assert!(imports.all(|line| line.starts_with("use swampbox_")));
    let said = cargo("run --locked --quiet --package=swampbox-boundary --example=embedding");
    assert_snapshot!(said, @r#"
    "hello"
    RELEASED: the effect happened: it was printed
    "#);
}

#[test]
fn the_page_on_embedding_shows_that_program() {
    let page = include_str!("../../../docs/embedding.md");
    assert!(page.contains(&format!("```rust\n{PROGRAM}```\n")));
}

/// What cargo writes when it is run with these words.
fn cargo(words: &str) -> String {
    let output = Command::new(env!("CARGO"))
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
        .args(words.split(' '))
        .output()
        .unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let complained = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}{complained}");
    said
}
