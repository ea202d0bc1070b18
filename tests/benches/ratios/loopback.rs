use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

use ureq::Agent;

use crate::Failure;

/// A server on loopback that answers everybody with the same 200, one after the other, each on a
/// connection of their own.
pub(crate) struct Server {
    address: SocketAddr,
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    pub(crate) fn answering(body: &str) -> Result<Self, Failure> {
        let length = body.len();
        let answer = format!(
            "HTTP/1.1 200 OK\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
        );
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let is_over = Arc::new(AtomicBool::new(false));
        let thread = thread::spawn({
            let is_over = is_over.clone();
            move || {
                for stream in listener.incoming() {
                    if is_over.load(Ordering::Relaxed) {
                        break;
                    }
                    // A client that gets no answer says so itself.
                    drop(stream.and_then(|stream| serve(stream, answer.as_bytes())));
                }
            }
        });
        Ok(Self { address, is_over, thread: Some(thread) })
    }

    /// The URL of the server, with nothing after its port.
    pub(crate) fn origin(&self) -> String {
        format!("http://{}", self.address)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        // It waits for one more connection.
        if TcpStream::connect(self.address).is_ok() {
            self.thread.take().map(JoinHandle::join);
        }
    }
}

fn serve(stream: TcpStream, answer: &[u8]) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut request = BufReader::new(&stream);
    let mut length = 0;
    let mut line = String::new();
    while request.read_line(&mut line)? > 0 && line != "\r\n" {
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().map_err(io::Error::other)?;
        }
        line.clear();
    }
    io::copy(&mut request.take(length), &mut io::sink())?;
    (&stream).write_all(answer)
}

/// The client that ours are built upon, as it comes, but deaf to the environment like ours.
pub(crate) fn bare_client() -> Agent {
    Agent::config_builder().proxy(None).build().new_agent()
}
