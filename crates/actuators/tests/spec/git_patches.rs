//! What a patch may do, and what it may not.

use insta::assert_snapshot;

use crate::git_fixture::{PATCH, Project};

/// Each patch and what comes of it.
fn table(patches: &[&str]) -> String {
    let project = Project::new();
    let mut table = String::new();
    for patch in patches {
        let outcome = project.release_of(project.local().build(), project.patch_of(patch));
        table += &format!("{}\n  {}\n", patch.escape_debug(), outcome.replace('\n', "\n  "));
    }
    table
}

/// The patch releases, and this is what it changed.
fn change(patch: &str) -> String {
    let project = Project::new();
    let outcome = project.release_of(project.local().build(), project.patch_of(patch));
    assert!(outcome.starts_with("SUCCEEDED"), "{outcome}");
    project.git(&["diff-tree", "-r", "-M", "--raw", "--abbrev", "main^", "main"])
}

#[test]
fn files_are_added_changed_made_executable_renamed_and_deleted() {
    assert_snapshot!(change(
        "diff --git a/new/file b/new/file\nnew file mode 100755\n--- /dev/null\n+++ b/new/file\n\
         @@ -0,0 +1 @@\n+new\n\
         diff --git a/empty b/empty\nnew file mode 100644\n\
         diff --git a/lines.txt b/numbers\nsimilarity index 100%\nrename from lines.txt\n\
         rename to numbers\n\
         diff --git a/greeting.txt b/greeting.txt\nold mode 100644\nnew mode 100755\n\
         --- a/greeting.txt\n+++ b/greeting.txt\n@@ -1,2 +1 @@\n hello\n-world\n",
    ));
}

#[test]
fn a_file_is_deleted() {
    assert_snapshot!(change(
        "diff --git a/greeting.txt b/greeting.txt\ndeleted file mode 100644\n--- a/greeting.txt\n\
         +++ /dev/null\n@@ -1,2 +0,0 @@\n-hello\n-world\n"
    ));
}

#[test]
fn a_unified_diff_without_gits_header_is_taken() {
    assert_snapshot!(change("--- a/greeting.txt\n+++ b/greeting.txt\n@@ -2 +2 @@\n-world\n+all\n"));
}

#[test]
fn a_patch_that_does_not_fit_is_definitely_not_executed() {
    assert_snapshot!(table(&[
        &PATCH.replace(" hello", " hallo"),
        &PATCH.replace("greeting", "nothing"),
        "diff --git a/greeting.txt b/greeting.txt\nnew file mode 100644\n--- /dev/null\n\
         +++ b/greeting.txt\n@@ -0,0 +1 @@\n+x\n",
        // It would fit two lines further down.
        "--- a/lines.txt\n+++ b/lines.txt\n@@ -2,3 +2,2 @@\n 4\n-5\n 6\n",
        "--- a/greeting.txt\n+++ b/greeting.txt\n@@ -1,2 +1,2 @@\n-hello\n+hello\n world\n",
    ]));
}

#[test]
fn links_submodules_and_other_modes_are_refused() {
    assert_snapshot!(table(&[
        "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+/etc/passwd\n\
         \\ No newline at end of file\n",
        "diff --git a/link b/link\n--- a/link\n+++ b/link\n@@ -1 +1 @@\n-greeting.txt\n\
         \\ No newline at end of file\n+/etc/passwd\n\\ No newline at end of file\n",
        "--- a/link\n+++ /dev/null\n@@ -1 +0,0 @@\n-greeting.txt\n\\ No newline at end of file\n",
        "diff --git a/link b/other\nsimilarity index 100%\nrename from link\nrename to other\n",
        "diff --git a/link b/other\nsimilarity index 100%\ncopy from link\ncopy to other\n",
        "diff --git a/link/x b/link/x\nnew file mode 100644\n--- /dev/null\n+++ b/link/x\n\
         @@ -0,0 +1 @@\n+x\n",
        "diff --git a/m b/m\nnew file mode 160000\n--- /dev/null\n+++ b/m\n@@ -0,0 +1 @@\n\
         +Subproject commit 1111111111111111111111111111111111111111\n",
        "--- a/module\n+++ /dev/null\n@@ -1 +0,0 @@\n\
         -Subproject commit 1111111111111111111111111111111111111111\n",
        "diff --git a/greeting.txt b/greeting.txt\nold mode 100644\nnew mode 100600\n",
        "diff --git a/greeting.txt b/greeting.txt\nold mode 100644\nnew mode 104755\n",
    ]));
}

#[test]
fn paths_that_lead_elsewhere_are_refused() {
    let added = |path: &str| {
        format!(
            "diff --git a/{path} b/{path}\nnew file mode 100644\n--- /dev/null\n+++ b/{path}\n\
             @@ -0,0 +1 @@\n+x\n"
        )
    };
    let patches = [
        ".git/config",
        ".GIT/config",
        "dir/.git/hooks/post-commit",
        ".git",
        "git~1/config",
        ".g\u{200c}it/config",
        ".gitmodules",
        "dir/.GitModules",
        "../outside",
        "dir/../../outside",
        "./here",
        "dir//file",
        "/etc/passwd",
    ]
    .map(added);
    assert_snapshot!(table(&patches.each_ref().map(String::as_str)));
}

#[test]
fn a_line_that_belongs_to_nothing_is_refused() {
    assert_snapshot!(table(&[
        "",
        "\n",
        "nothing",
        "nothing\n",
        PATCH.trim_end(),
        &format!("From somebody\n{PATCH}"),
        &format!("{PATCH}-- \n2.47.3\n"),
        &format!("{PATCH}+one more\n"),
        &PATCH.replace("-1,2 +1,3", "-1,2 +1,4"),
        &PATCH.replace("-1,2 +1,3", "-1,2 +1,2"),
        &PATCH.replace("-1,2 +1,3", "-1,99999999999999999999 +1,3"),
        &PATCH.replace("@@ -1,2 +1,3 @@", "@@ nonsense @@"),
        &PATCH.replace("@@ -1,2 +1,3 @@\n", ""),
        &PATCH.replace("--- a/", "--- "),
        &PATCH.replace("+++ b/", "+++ c/"),
        &PATCH.replace("--- a", "approved by all\n--- a"),
        &PATCH.replace("diff --git a/", "diff --git "),
        "--- a/greeting.txt\n+++ b/lines.txt\n@@ -1 +1 @@\n-hello\n+x\n",
        "--- a/greeting.txt\t1970-01-01\n+++ b/greeting.txt\n@@ -1 +1 @@\n-hello\n+x\n",
        &PATCH.replace("there", "th\0ere"),
        "diff --git a/b b/b\nnew file mode 100644\nindex 0000000..1111111\nGIT binary patch\n\
         literal 1\nIcmZPo000310RR91\n\n",
        "diff --git a/b b/b\nBinary files a/b and b/b differ\n",
    ]));
}
