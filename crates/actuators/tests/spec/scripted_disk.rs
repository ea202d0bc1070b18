//! A file system that does what its test scripts: a FUSE server with one directory of files in memory.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::fd::AsRawFd;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

use rustix::io::Errno;
use rustix::mount::{MountFlags, UnmountFlags, mount, unmount};
use tempfile::TempDir;

/// The steps of which one can fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    OpenDirectory,
    LookUp,
    OpenPresent,
    ReadPresent,
    Create,
    Write,
    SetMode,
    Sync,
    Rename,
    Remove,
    SyncDirectory,
}

/// What is done about a step.
pub(crate) enum Fault {
    /// It is not done, and answered with this error.
    Instead(Errno),
    /// It is done, and answered with this error.
    After(Errno),
    /// It is done, after something else has happened to the files.
    Meanwhile(fn(&mut Files)),
    /// The disk is gone before it is done.
    Gone,
    /// The disk is gone after it was done.
    GoneAfter,
}

/// The contents of the files, by name.
pub(crate) type Files = BTreeMap<String, Vec<u8>>;

/// A mounted disk. It is unmounted when it is dropped.
pub(crate) struct ScriptedDisk {
    mounted: TempDir,
    disk: Arc<Mutex<Disk>>,
    server: Option<JoinHandle<()>>,
}

impl ScriptedDisk {
    /// None if nobody may mount one here. Each fault strikes when its step comes for the first time.
    pub(crate) fn with(files: &[(&str, &str)], faults: Vec<(Step, Fault)>) -> Option<Self> {
        let device = OpenOptions::new().read(true).write(true).open("/dev/fuse").ok()?;
        let mounted = TempDir::new().unwrap();
        let options = format!("fd={},rootmode=40000,user_id=0,group_id=0\0", device.as_raw_fd());
        let options = std::ffi::CString::from_vec_with_nul(options.into()).unwrap();
        mount("scripted", mounted.path(), "fuse", MountFlags::empty(), options.as_c_str()).ok()?;
        let files = files.iter().map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec()));
        let disk = Disk { files: files.collect(), names: BTreeMap::new(), faults };
        let disk = Arc::new(Mutex::new(disk));
        let served = Arc::clone(&disk);
        let server = thread::spawn(move || serve(device, &served));
        Some(Self { mounted, disk, server: Some(server) })
    }

    pub(crate) fn path(&self) -> &Path {
        self.mounted.path()
    }

    /// The names of the files, and the content of the short ones that is text.
    pub(crate) fn list(&self) -> String {
        let disk = self.disk.lock().unwrap();
        let shown = disk.files.iter().map(|(name, content)| {
            let name = if name.starts_with(".swampbox-") { "(temporary file)" } else { name };
            format!("{name} = {:?}", String::from_utf8_lossy(content))
        });
        shown.collect::<Vec<_>>().join(", ")
    }

    /// Whether every fault has struck.
    pub(crate) fn has_failed(&self) -> bool {
        self.disk.lock().unwrap().faults.is_empty()
    }
}

impl Drop for ScriptedDisk {
    fn drop(&mut self) {
        unmount(self.mounted.path(), UnmountFlags::DETACH).unwrap();
        drop(self.server.take().map(JoinHandle::join));
    }
}

struct Disk {
    files: Files,
    /// The name that each file was last found by, by the number that stands for it.
    names: BTreeMap<u64, String>,
    faults: Vec<(Step, Fault)>,
}

const ROOT: u64 = 1;
const HEADER: usize = 40;

/// What is said to a request.
enum Answer {
    Bytes(Vec<u8>),
    Error(Errno),
    /// Some requests are not answered.
    Silence,
    Gone,
}

/// Answers one request after the other until the disk is unmounted.
fn serve(mut device: File, disk: &Mutex<Disk>) {
    let mut buffer = vec![0; 1 << 20];
    while let Ok(length) = device.read(&mut buffer) {
        let request = &buffer[..length];
        let (unique, answer) = (u64_at(request, 8), disk.lock().unwrap().answer(request));
        let (error, bytes) = match answer {
            Answer::Bytes(bytes) => (0, bytes),
            Answer::Error(error) => (-error.raw_os_error(), Vec::new()),
            Answer::Silence => continue,
            Answer::Gone => return,
        };
        let mut reply = u32::try_from(16 + bytes.len()).unwrap().to_ne_bytes().to_vec();
        reply.extend(error.to_ne_bytes());
        reply.extend(unique.to_ne_bytes());
        reply.extend(bytes);
        // Whoever asked may have been killed.
        drop(device.write_all(&reply));
    }
}

impl Disk {
    fn answer(&mut self, request: &[u8]) -> Answer {
        let step = step(request);
        let Some(place) = self.faults.iter().position(|(at, _)| Some(*at) == step) else {
            return self.done(request);
        };
        match self.faults.remove(place).1 {
            Fault::Instead(error) => Answer::Error(error),
            Fault::Gone => Answer::Gone,
            Fault::After(error) => {
                self.done(request);
                Answer::Error(error)
            }
            Fault::GoneAfter => {
                self.done(request);
                Answer::Gone
            }
            Fault::Meanwhile(happens) => {
                happens(&mut self.files);
                self.done(request)
            }
        }
    }

    /// Does what is asked, as a disk does that nothing is wrong with.
    fn done(&mut self, request: &[u8]) -> Answer {
        let (node, body) = (u64_at(request, 16), &request[HEADER..]);
        match opcode(request) {
            // Forgetting and interrupting are not answered.
            2 | 36 | 42 => Answer::Silence,
            26 => Answer::Bytes(init()),
            1 => self.entry(text(body)),
            3 => self.attributes(node),
            // Only the mode is set here, and nobody asks for it again.
            4 => self.attributes(node),
            10 => match self.files.remove(text(body)) {
                Some(_) => Answer::Bytes(Vec::new()),
                None => Answer::Error(Errno::NOENT),
            },
            12 => self.rename(&body[8..], 0),
            45 => self.rename(&body[16..], u32_at(body, 8)),
            14 | 27 => Answer::Bytes(opened()),
            15 => {
                let (offset, size) = (u64_at(body, 8), u32_at(body, 16));
                let content = self.files.get(&self.names[&node]).cloned().unwrap_or_default();
                let rest = content.into_iter().skip(usize::try_from(offset).unwrap());
                Answer::Bytes(rest.take(usize::try_from(size).unwrap()).collect())
            }
            16 => {
                let size = u32_at(body, 16);
                let file = self.files.entry(self.names[&node].clone()).or_default();
                file.truncate(usize::try_from(u64_at(body, 8)).unwrap());
                file.extend(&body[40..]);
                Answer::Bytes([size.to_ne_bytes(), [0; 4]].concat())
            }
            35 => {
                let name = text(&body[16..]);
                self.files.insert(name.to_owned(), Vec::new());
                match self.entry(name) {
                    Answer::Bytes(entry) => Answer::Bytes([entry, opened()].concat()),
                    other => other,
                }
            }
            // Releasing, syncing and flushing.
            18 | 20 | 25 | 29 | 30 => Answer::Bytes(Vec::new()),
            _ => Answer::Error(Errno::NOSYS),
        }
    }

    fn rename(&mut self, names: &[u8], flags: u32) -> Answer {
        let (from, to) = (text(names), text(&names[text(names).len() + 1..]));
        if flags == 1 && self.files.contains_key(to) {
            return Answer::Error(Errno::EXIST);
        }
        match self.files.remove(from) {
            Some(content) => {
                self.files.insert(to.to_owned(), content);
                Answer::Bytes(Vec::new())
            }
            None => Answer::Error(Errno::NOENT),
        }
    }

    /// The file of this name, under a number of its own. Nothing is remembered by the kernel, so that
    /// each step asks anew.
    fn entry(&mut self, name: &str) -> Answer {
        if !self.files.contains_key(name) {
            return Answer::Error(Errno::NOENT);
        }
        let known = self.names.iter().find(|(_, known)| *known == name).map(|(node, _)| *node);
        let node = known.unwrap_or(ROOT + 1 + u64::try_from(self.names.len()).unwrap());
        self.names.insert(node, name.to_owned());
        let head = [node, 0, 0, 0, 0].map(u64::to_ne_bytes).concat();
        Answer::Bytes([head, self.file(node)].concat())
    }

    fn attributes(&self, node: u64) -> Answer {
        Answer::Bytes([vec![0; 16], self.file(node)].concat())
    }

    fn file(&self, node: u64) -> Vec<u8> {
        let content = self.names.get(&node).and_then(|name| self.files.get(name));
        let size = u64::try_from(content.map_or(0, Vec::len)).unwrap();
        let mode: u32 = if node == ROOT { 0o040_755 } else { 0o100_640 };
        let longs = [node, size, 1, 0, 0, 0].map(u64::to_ne_bytes).concat();
        let words = [0, 0, 0, mode, 1, 0, 0, 0, 4096, 0].map(u32::to_ne_bytes).concat();
        [longs, words].concat()
    }
}

fn step(request: &[u8]) -> Option<Step> {
    Some(match opcode(request) {
        1 => Step::LookUp,
        4 => Step::SetMode,
        10 => Step::Remove,
        12 | 45 => Step::Rename,
        14 => Step::OpenPresent,
        15 => Step::ReadPresent,
        16 => Step::Write,
        20 => Step::Sync,
        27 => Step::OpenDirectory,
        30 => Step::SyncDirectory,
        35 => Step::Create,
        _ => return None,
    })
}

/// Version 7.31 of the protocol, with writes of at most 64 KiB and none of its options.
fn init() -> Vec<u8> {
    let words = [7, 31, 0, 0, 0, 64 * 1024, 1].map(u32::to_ne_bytes).concat();
    [words, vec![0; 36]].concat()
}

/// Nothing is cached, so that a read is asked for once.
fn opened() -> Vec<u8> {
    const DIRECT: u32 = 1;
    [vec![0; 8], DIRECT.to_ne_bytes().to_vec(), vec![0; 4]].concat()
}

fn opcode(request: &[u8]) -> u32 {
    u32_at(request, 4)
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_ne_bytes(bytes[at..at + 4].try_into().unwrap())
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_ne_bytes(bytes[at..at + 8].try_into().unwrap())
}

/// The text that ends with a NUL.
fn text(bytes: &[u8]) -> &str {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap();
    std::str::from_utf8(&bytes[..end]).unwrap()
}
