//! Scripts, and the processes that they leave behind.

use std::fs;
use std::path::Path;
use std::time::Duration;

use swampbox_process::{Limits, Tool};
use tempfile::TempDir;

/// Time enough for everything that ends by itself, even on a busy machine.
pub(crate) const PATIENT: Limits =
    Limits { deadline: Duration::from_secs(60), max_output_bytes: 1024 * 1024 };

/// As patient, and cut off by the first thousand bytes: a script is ended by what it has done, and not
/// by the time that this took.
pub(crate) const CUT_OFF_BY_OUTPUT: Limits = Limits { max_output_bytes: 1000, ..PATIENT };

/// What a script ends with that is to be cut off.
pub(crate) const FLOOD: &str = "while :; do echo noise; done";

/// What comes of a run whose time is up, with the first time that was enough for it to get as far as it
/// had to: one second, and twice as long again and again on a busy machine.
pub(crate) fn when_the_time_is_up<T>(run: impl Fn(Limits) -> Option<T>) -> T {
    let times = [1, 2, 4, 8, 16, 32, 64].map(Duration::from_secs);
    let mut runs = times.iter().map(|time| run(Limits { deadline: *time, ..PATIENT }));
    runs.find_map(|far_enough| far_enough).expect("a minute is enough to begin")
}

/// A shell that can be given a script with `-c`.
pub(crate) fn shell(limits: Limits) -> Tool {
    Tool::new("/bin/sh", "/usr/bin:/bin", limits)
}

/// The arguments with which a shell runs `script`, which knows `directory` as `$1`.
pub(crate) fn script(script: &str, directory: &TempDir) -> Vec<String> {
    let directory = directory.path().display().to_string();
    vec!["-ec".to_owned(), script.to_owned(), "sh".to_owned(), directory]
}

/// The id that a script has written to a file of its directory.
pub(crate) fn id_in(directory: &Path, file: &str) -> String {
    fs::read_to_string(directory.join(file)).unwrap().trim().to_owned()
}

/// Whether a process runs, as opposed to being gone or only waiting to be reaped.
pub(crate) fn runs(id: &str) -> bool {
    let Ok(stat) = fs::read_to_string(format!("/proc/{id}/stat")) else {
        return false;
    };
    let state = stat.rsplit_once(") ").unwrap().1;
    !state.starts_with(['Z', 'X'])
}

/// The ids of the processes in whose environment `variable` stands.
pub(crate) fn running_with(variable: &str) -> Vec<String> {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let marked = processes.filter(|process| {
        let environment = fs::read(process.path().join("environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|one| one == variable.as_bytes())
    });
    let ids = marked.map(|process| process.file_name().into_string().unwrap());
    ids.filter(|id| runs(id)).collect()
}
