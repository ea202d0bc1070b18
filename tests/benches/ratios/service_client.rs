use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use swampbox_material::json::Json;

use crate::Failure;

/// A client that costs next to nothing: one connection, kept open.
pub(crate) struct Client {
    stream: BufReader<TcpStream>,
    address: SocketAddr,
}

impl Client {
    pub(crate) fn to(address: SocketAddr) -> Result<Self, Failure> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        // The answers are short, and there may be ten thousand of these.
        Ok(Self { stream: BufReader::with_capacity(1_024, stream), address })
    }

    /// Asks, and gives the document that is answered, which is no problem.
    pub(crate) fn ask(
        &mut self,
        method: &str,
        path: &str,
        credential: &str,
        body: &str,
    ) -> Result<Json, Failure> {
        let length = self.begin(method, path, credential, body)?;
        let mut text = vec![0; length.ok_or("no length")?];
        self.stream.read_exact(&mut text)?;
        Ok(Json::read(&text)?)
    }

    /// Asks, and reads the head of the answer; gives the length of what follows, if it is said.
    pub(crate) fn begin(
        &mut self,
        method: &str,
        path: &str,
        credential: &str,
        body: &str,
    ) -> Result<Option<usize>, Failure> {
        let (address, length) = (self.address, body.len());
        let head = format!(
            "{method} {path} HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {credential}\r\n\
             content-length: {length}\r\n\r\n{body}"
        );
        self.stream.get_mut().write_all(head.as_bytes())?;
        let (mut line, mut length) = (String::new(), None);
        self.stream.read_line(&mut line)?;
        let is_done = line.starts_with("HTTP/1.1 20");
        while line != "\r\n" {
            line.clear();
            if self.stream.read_line(&mut line)? == 0 {
                return Err("the connection was closed".into());
            }
            if let Some(value) = line.strip_prefix("content-length: ") {
                length = Some(value.trim().parse()?);
            }
        }
        if is_done {
            return Ok(length);
        }
        let mut text = vec![0; length.unwrap_or_default()];
        self.stream.read_exact(&mut text)?;
        Err(String::from_utf8_lossy(&text).into())
    }

    /// Reads lines until one begins like this.
    pub(crate) fn wait_for(&mut self, beginning: &str) -> Result<(), Failure> {
        let mut line = String::new();
        while !line.starts_with(beginning) {
            line.clear();
            if self.stream.read_line(&mut line)? == 0 {
                return Err("the stream has ended".into());
            }
        }
        Ok(())
    }
}

/// How many descriptors this process may have, once it has asked for as many as it can.
pub(crate) fn descriptors() -> Result<u64, Failure> {
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum })?;
    Ok(getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX))
}

/// The memory that this process takes now, in bytes.
pub(crate) fn memory() -> Result<u64, Failure> {
    let status = fs::read_to_string("/proc/self/status")?;
    let kibibytes = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kibibytes = kibibytes.ok_or("the system does not tell how much memory is taken")?;
    Ok(kibibytes.trim().trim_end_matches(" kB").parse::<u64>()? << 10)
}
