//! What a patch says is what becomes of it, or it is refused.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use insta::assert_snapshot;
use swampbox_actuators::Declared;

use crate::git_fixture::{PATCH, Project, git};

/// Each patch and why it is refused, which is told before it is submitted.
fn refusals(patches: &[String]) -> String {
    let project = Project::new();
    let actuator = project.local().build();
    let told = patches.iter().map(|patch| {
        let told = match actuator.check(&project.patch_of(patch)) {
            Ok(()) => "taken".to_owned(),
            Err(error) => error.to_string(),
        };
        format!("{}\n  {told}\n", patch.escape_debug())
    });
    told.collect()
}

/// The header of a new file and what comes after its `diff --git`.
fn new_file(rest: &str) -> String {
    format!("diff --git a/new b/new\nnew file mode 100644\n{rest}")
}

#[test]
fn all_names_of_a_file_are_the_same() {
    let hunk = "@@ -1 +1 @@\n-hello\n+x\n";
    let marks = |old: &str, new: &str| format!("--- {old}\n+++ {new}\n{hunk}");
    let under =
        |names: &str, old: &str, new: &str| format!("diff --git {names}\n{}", marks(old, new));
    let added = "--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+x\n";
    assert_snapshot!(refusals(&[
        marks("/dev/null", "/dev/null"),
        under("a/x b/x", "a/README", "b/OTHER"),
        under("a/x b/y", "a/README", "b/README"),
        under("a/x b/x", "a/README", "b/README"),
        under("a/README b/README", "a/README", "b/OTHER"),
        under("a/README b/README", "/dev/null", "b/README"),
        under("a/README b/README", "a/README", "/dev/null"),
        under("a/README b/README ", "a/README", "b/README"),
        under("a/README b/README b/README", "a/README", "b/README"),
        under("a/README", "a/README", "b/README"),
        under("\"a/README\" x\"b/README\"", "a/README", "b/README"),
        format!("diff --git a/new b/old\nnew file mode 100644\n{added}"),
        new_file("--- a/new\n+++ b/new\n@@ -0,0 +1 @@\n+x\n"),
        "diff --git a/x b/y\nrename from x\nrename to z\n".into(),
        "diff --git a/x b/y\nrename from x\n".into(),
        "diff --git a/x b/y\nrename from x\ncopy to y\n".into(),
        "diff --git a/x b/x\nrename from x\nrename to x\n".into(),
        format!("diff --git a/x b/y\nrename from x\nrename to y\n{}", marks("a/y", "b/y")),
        "diff --git a/x b/y\nold mode 100644\nnew mode 100755\n".into(),
    ]));
}

#[test]
fn nothing_stands_behind_a_name() {
    let named = |name: &str| format!("--- a/{name}\n+++ b/{name}\n@@ -1 +1 @@\n-hello\n+x\n");
    let mut patches: Vec<String> = [
        "README\t2026-01-01 00:00:00 +0000",
        "README\t",
        "README\r",
        "README\u{b}",
        "a b\t\t",
        "visible\thidden/../x",
        "a\"b",
        "a\\b",
    ]
    .map(named)
    .into();
    patches.extend([
        "--- \"a/x\" y\n+++ \"b/x\" y\n@@ -1 +1 @@\n-a\n+b\n".into(),
        "--- \"a/\\101\"\n+++ \"b/\\101\"\n@@ -1 +1 @@\n-a\n+b\n".into(),
        "--- \"a/x\n+++ \"b/x\n@@ -1 +1 @@\n-a\n+b\n".into(),
        "--- \"a/\\x\"\n+++ \"b/\\x\"\n@@ -1 +1 @@\n-a\n+b\n".into(),
        "--- /dev/null\t\n+++ b/x\n@@ -0,0 +1 @@\n+b\n".into(),
        "--- /dev/null\n+++ b/visible\thidden/../x\n@@ -0,0 +1 @@\n+b\n".into(),
    ]);
    assert_snapshot!(refusals(&patches));
}

#[test]
fn a_hunk_stands_where_it_says_and_changes_something() {
    let file = |hunks: &str| format!("--- a/f\n+++ b/f\n{hunks}");
    let added = |hunks: &str| format!("--- /dev/null\n+++ b/f\n{hunks}");
    let deleted = |hunks: &str| format!("--- a/f\n+++ /dev/null\n{hunks}");
    assert_snapshot!(refusals(&[
        file("@@ -0 +0 @@\n-a\n+b\n"),
        file("@@ -0,1 +1 @@\n-a\n+b\n"),
        file("@@ -1,0 +1,0 @@\n"),
        file("@@ -01 +01 @@\n-a\n+b\n"),
        file("@@ -1 +2 @@\n-a\n+b\n"),
        file("@@ -5 +5 @@\n-a\n+b\n@@ -2 +2 @@\n-a\n+b\n"),
        file("@@ -2 +2,2 @@\n-a\n+b\n+c\n@@ -5 +5 @@\n-a\n+b\n"),
        file("@@ -1 +1 @@x\n-a\n+b\n"),
        file("@@ -1 +1 @@\n a\n"),
        file("@@ -1 +1 @@\n-Hello\n+Hello\n"),
        file("@@ -1 +1 @@\n\\ No newline at end of file\n-a\n+b\n"),
        file("@@ -1 +1 @@\n-a\n\\\n+b\n"),
        file("@@ -1 +1 @@\n-a\n\\ approved by all\n+b\n"),
        file("@@ -1,2 +1 @@\n-a\n\\ No newline at end of file\n-b\n+c\n"),
        file("@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n@@ -3 +3 @@\n-a\n+b\n"),
        added("@@ -1 +1 @@\n-x\n+y\n"),
        added("@@ -0,0 +2 @@\n+y\n"),
        added("@@ -0,0 +1 @@\n+y\n@@ -0,0 +2 @@\n+y\n"),
        added("@@ -1,0 +2 @@\n+y\n"),
        deleted("@@ -1 +1 @@\n-x\n+y\n"),
        deleted("@@ -2 +1,0 @@\n-x\n"),
    ]));
}

#[test]
fn the_lines_of_a_header_do_not_contradict_each_other() {
    let git = |lines: &str| format!("diff --git a/x b/x\n{lines}");
    let moved = |lines: &str| format!("diff --git a/x b/y\nrename from x\nrename to y\n{lines}");
    let marks = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n";
    assert_snapshot!(refusals(&[
        git(""),
        git("index 1111111..2222222 100644\n"),
        git("old mode 100644\n"),
        git("new mode 100644\n"),
        git("old mode 100644\nnew mode 100644\n"),
        git("old mode 100644\nold mode 100644\nnew mode 100755\n"),
        git("new file mode 100644\nold mode 100644\nnew mode 100755\n"),
        git("new file mode 100644\ndeleted file mode 100644\n"),
        git(&format!("old mode 100644\nnew mode 100755\nindex 1111111..2222222 100644\n{marks}")),
        git(&format!("index 1111111..2222222 100600\n{marks}")),
        git(&format!("index yes..no\n{marks}")),
        git(&format!("similarity index 100%\n{marks}")),
        git("dissimilarity index 80%\n"),
        moved("similarity index 90%\n"),
        moved("similarity index 101%\n"),
        moved("similarity index 100%\n--- a/x\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n"),
        moved("new file mode 100644\n"),
        format!("{marks}{marks}"),
        format!("{marks}{}", moved("")),
    ]));
}

#[test]
fn a_path_that_leads_elsewhere_is_refused_before_it_is_submitted() {
    let paths = [
        "",
        "x/",
        "../x",
        "a//etc/x",
        "/x",
        ".",
        ".git/config",
        ".GIT/x",
        "git~1/x",
        ".git./x",
        ".git::$INDEX_ALLOCATION/x",
        ".g\u{200c}it/x",
        ".gitmodules",
        "x/.GitModules",
        "gitmod~1",
    ];
    let mut patches: Vec<String> = Vec::new();
    for path in paths {
        patches.push(format!("--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-a\n+b\n"));
    }
    patches.push("diff --git a/.git/x b/.git/x\nold mode 100644\nnew mode 100755\n".into());
    patches.push("diff --git a/x b/../y\nrename from x\nrename to ../y\n".into());
    assert_snapshot!(refusals(&patches));
}

#[test]
fn a_file_that_is_otherwise_than_the_patch_says_is_not_changed() {
    let project = Project::new();
    let patches = [
        // The file is not executable.
        "diff --git a/greeting.txt b/greeting.txt\nold mode 100755\nnew mode 100644\n".to_owned(),
        PATCH.replacen("--- a", "index 1111111..2222222 100755\n--- a", 1),
        "diff --git a/greeting.txt b/greeting.txt\ndeleted file mode 100755\n--- a/greeting.txt\n\
         +++ /dev/null\n@@ -1,2 +0,0 @@\n-hello\n-world\n"
            .to_owned(),
        "diff --git a/greeting.txt b/g\nold mode 100755\nnew mode 100644\nrename from greeting.txt\n\
         rename to g\n"
            .to_owned(),
        // Git would make a file that is not there.
        "--- a/none\n+++ b/none\n@@ -0,0 +1 @@\n+x\n".to_owned(),
    ];
    let told = patches.map(|patch| {
        let told = project.release_of(project.local().build(), project.patch_of(&patch));
        format!("{}\n  {}\n", patch.escape_debug(), told.replace('\n', "\n  "))
    });
    assert_snapshot!(told.concat());
}

#[test]
fn what_git_writes_is_taken_and_gives_the_same_files() {
    let options: [&[&str]; 6] = [
        &[],
        &["--no-renames"],
        &["--find-copies-harder", "--full-index"],
        &["--unified=12"],
        &["--break-rewrites=10%", "--no-renames"],
        &["-c", "core.quotePath=false"],
    ];
    for options in options {
        let project = Project::new();
        let work = project.path("work");
        let strange = ["a b", "tab\there", "quote\"d", "back\\slash", "ünïcode", "c b/c", "-dash"];
        for name in strange {
            let path = work.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, format!("{name}\n1\n2\n3\n4\n5\n6\n7\n8\n9\nno end")).unwrap();
        }
        git(&work, &["add", "."]);
        git(&work, &["commit", "--quiet", "--message=Strange"]);
        git(&work, &["push", "--quiet", project.bare().to_str().unwrap(), "HEAD:main"]);
        let base = git(&work, &["rev-parse", "HEAD"]);

        for (number, name) in strange.into_iter().enumerate() {
            let path = work.join(name);
            match number % 3 {
                0 => {
                    fs::write(&path, format!("{name} again\n1\n2\n3\n4\n5\n6\n7\n8\n10\n")).unwrap()
                }
                1 => fs::rename(&path, work.join(format!("{name} moved"))).unwrap(),
                _ => fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap(),
            }
        }
        fs::copy(work.join("lines.txt"), work.join("copied lines")).unwrap();
        fs::write(work.join("empty"), "").unwrap();
        fs::write(work.join("greeting.txt"), "").unwrap();
        fs::write(work.join("lines.txt"), "0\n1\n2\n3\n4\n4.5\n5\n6\n8\n9\n10\n").unwrap();
        fs::create_dir(work.join("new dir")).unwrap();
        fs::write(work.join("new dir/x"), "x").unwrap();
        git(&work, &["add", "."]);
        git(&work, &["commit", "--quiet", "--message=Next"]);

        let mut arguments = vec!["diff", "--cached", &*base];
        match options {
            ["-c", ..] => arguments = [options, &arguments[..]].concat(),
            _ => arguments.extend(options),
        }
        let patch = git(&work, &arguments) + "\n";
        let mut project = project;
        project.base = base;
        let told = project.release_of(project.local().build(), project.patch_of(&patch));
        assert!(told.starts_with("SUCCEEDED"), "{options:?}: {told}\n{patch}");
        let tree = git(&work, &["rev-parse", "HEAD^{tree}"]);
        assert_eq!(project.git(&["rev-parse", "main^{tree}"]), tree, "{options:?}");
    }
}
