//! A process told apart from every other that may get its number.

use std::fs;
use std::io;

use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};
use swampbox_material::json::{Fields, Json};
use swampbox_material::{Code, MaterialError, Path};

use crate::binding::Life;

/// One process of this machine: its number, and what tells it apart from a later process of the
/// same number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    number: u32,
    /// In ticks of the kernel's clock since the machine started.
    started: u64,
    /// Which start of the machine that was.
    boot: String,
    /// The namespaces in which number and time mean this.
    within: String,
}

/// There is no such process, or it can't be seen (`process_not_found`).
#[derive(Debug, thiserror::Error)]
#[error("process {number} can't be found: {cause}")]
pub struct ProcessNotFound {
    number: u32,
    cause: io::Error,
}

impl ProcessNotFound {
    /// The stable code.
    pub fn code(&self) -> Code {
        Code::ProcessNotFound
    }
}

impl Process {
    /// The process that has this number now.
    ///
    /// # Errors
    ///
    /// `process_not_found`: none has, it has ended and only its parent has not heard of it, or
    /// this system does not tell (it is read from `/proc`).
    pub fn running(number: u32) -> Result<Self, ProcessNotFound> {
        Self::find(number).map_err(|cause| ProcessNotFound { number, cause })
    }

    /// The number by which the system calls it.
    pub fn number(&self) -> u32 {
        self.number
    }

    fn find(number: u32) -> io::Result<Self> {
        let Stat { started, ended } = Stat::read(number)?;
        if ended {
            return Err(io::Error::other("it has ended"));
        }
        let process = process_of(number)?;
        if process != Some(number) {
            // It may end while its process goes on.
            return Err(io::Error::other("it is a thread, and not a process"));
        }
        Ok(Self { number, started, boot: boot()?, within: namespaces()? })
    }

    /// Whether it still runs. A process that is stopped or asleep does.
    pub(crate) fn life(&self) -> Life {
        match boot() {
            Ok(boot) if boot != self.boot => {
                return Life::Gone("the machine has been started anew since".into());
            }
            Ok(_) => {}
            Err(error) => return Life::Unknown(format!("this system does not tell: {error}")),
        }
        if !namespaces().is_ok_and(|here| here == self.within) {
            return Life::Unknown(format!("process {} is in another namespace", self.number));
        }
        match Stat::read(self.number) {
            Ok(stat) if stat.started != self.started => {
                Life::Gone(format!("process {} is another one now", self.number))
            }
            Ok(Stat { ended: false, .. }) => Life::Alive,
            Ok(Stat { ended: true, .. }) => Life::Gone(format!("process {} ended", self.number)),
            // What can't be seen may be hidden and alive.
            Err(_) if is_free(self.number) => {
                Life::Gone(format!("there is no process {}", self.number))
            }
            Err(error) => Life::Unknown(format!("process {} can't be seen: {error}", self.number)),
        }
    }

    pub(crate) fn to_document(&self) -> Json {
        Json::object([
            ("number", Json::from(u64::from(self.number))),
            ("started", Json::from(self.started)),
            ("boot", Json::from(self.boot.as_str())),
            ("within", Json::from(self.within.as_str())),
        ])
    }

    pub(crate) fn read(document: &Json, path: &Path) -> Result<Option<Self>, MaterialError> {
        let mut fields = Fields::of(document, path)?;
        let number = number(fields.required("number")?).and_then(|n| u32::try_from(n).ok());
        let started = self::number(fields.required("started")?);
        let boot = fields.string("boot")?.to_string();
        let within = fields.string("within")?.to_string();
        fields.finish()?;
        Ok(number.zip(started).map(|(number, started)| Self { number, started, boot, within }))
    }
}

pub(crate) fn number(written: &Json) -> Option<u64> {
    match written {
        Json::Number(number) => number.as_str().parse().ok(),
        _ => None,
    }
}

/// What the system tells of a process.
struct Stat {
    started: u64,
    /// It runs nothing any more; only its parent has not heard of it yet.
    ended: bool,
}

impl Stat {
    fn read(number: u32) -> io::Result<Self> {
        let text = fs::read(format!("/proc/{number}/stat"))?;
        Self::parse(&String::from_utf8_lossy(&text))
            .ok_or_else(|| io::Error::other("/proc is not as expected"))
    }

    /// The name of the program stands in parentheses and may hold anything, so what follows is
    /// counted from the last one.
    fn parse(text: &str) -> Option<Self> {
        let (_, rest) = text.rsplit_once(')')?;
        let fields: Vec<&str> = rest.split_whitespace().collect();
        let [state, threads, started] = [0, 17, 19].map(|index| fields.get(index).copied());
        // While other threads run, a process whose first thread has ended is shown like one that
        // has ended.
        let ended = matches!(state?, "Z" | "X") && threads?.parse::<u64>().ok()? <= 1;
        Some(Self { started: started?.parse().ok()?, ended })
    }
}

/// The process that a thread belongs to. Processes and threads share their numbers.
fn process_of(thread: u32) -> io::Result<Option<u32>> {
    let text = fs::read(format!("/proc/{thread}/status"))?;
    let text = String::from_utf8_lossy(&text);
    let group = text.lines().find_map(|line| line.strip_prefix("Tgid:"));
    Ok(group.and_then(|group| group.trim().parse().ok()))
}

/// Whether no process has this number, hidden ones included.
fn is_free(number: u32) -> bool {
    let pid = i32::try_from(number).ok().and_then(Pid::from_raw);
    pid.is_none_or(|pid| test_kill_process(pid) == Err(Errno::SRCH))
}

fn boot() -> io::Result<String> {
    Ok(fs::read_to_string("/proc/sys/kernel/random/boot_id")?.trim().to_owned())
}

fn namespaces() -> io::Result<String> {
    let pid = fs::read_link("/proc/self/ns/pid")?;
    // Older kernels have no namespaces of time.
    let time = fs::read_link("/proc/self/ns/time").unwrap_or_default();
    Ok(format!("{} {}", pid.to_string_lossy(), time.to_string_lossy()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_is_alive_and_one_with_another_start_is_gone() {
        let own = Process::running(std::process::id()).unwrap();
        assert_eq!(own.life(), Life::Alive);
        let other = Process { started: own.started + 1, ..own.clone() };
        assert!(matches!(other.life(), Life::Gone(_)));
        let before = Process { boot: "another".into(), ..own.clone() };
        assert!(matches!(before.life(), Life::Gone(_)));
    }

    #[test]
    fn a_thread_is_no_process() {
        let error = std::thread::scope(|scope| {
            let thread = scope.spawn(|| {
                let number = rustix::thread::gettid().as_raw_nonzero().get();
                Process::running(number.try_into().unwrap()).unwrap_err().to_string()
            });
            thread.join().unwrap()
        });
        assert!(error.ends_with("it is a thread, and not a process"), "{error}");
    }

    #[test]
    fn of_a_process_in_another_namespace_nothing_is_known() {
        let own = Process::running(std::process::id()).unwrap();
        let elsewhere = Process { within: "pid:[1] ".into(), number: u32::MAX >> 1, ..own };
        assert!(matches!(elsewhere.life(), Life::Unknown(_)));
    }

    #[test]
    fn the_name_of_a_program_may_hold_anything() {
        let stat = |name: &str, state: &str, threads: u32| {
            let text =
                format!("7 ({name}) {state} 1 7 7 0 -1 4 0 0 0 0 0 0 0 0 20 0 {threads} 0 99 0");
            Stat::parse(&text).map(|stat| (stat.started, stat.ended))
        };
        assert_eq!(stat("a) Z 1 (b", "S", 1), Some((99, false)));
        assert_eq!(stat("stopped", "T", 1), Some((99, false)));
        assert_eq!(stat("zombie", "Z", 1), Some((99, true)));
        assert_eq!(stat("first thread ended", "Z", 2), Some((99, false)));
        assert_eq!(Stat::parse("7 (a) S").map(|stat| stat.started), None);
    }

    #[test]
    fn a_process_survives_being_stored() {
        let own = Process::running(std::process::id()).unwrap();
        let read = Process::read(&own.to_document(), &Path::root()).unwrap();
        assert_eq!(read, Some(own));
    }
}
