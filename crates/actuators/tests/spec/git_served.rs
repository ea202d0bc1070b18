//! A remote over HTTP, whose connection is cut where it hurts.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use insta::assert_snapshot;
use swampbox_actuators::{GitRepository, Secret};
use swampbox_boundary::Actuator;

use crate::fixture::{wait_for_end, without_port};
use crate::git_fixture::{Project, allowed, builder, isolated, without_words};

/// What the server does with a request.
#[derive(Clone, Copy, PartialEq)]
enum Fault {
    None,
    /// Closes the connection without a look at the request.
    Reset,
    /// Reads the request and closes the connection.
    Ignore,
    /// Does what is asked, and closes the connection without an answer.
    Silence,
    /// Does what is asked, and sends so many bytes of the answer.
    Cut(usize),
    /// Answers with this status, and repeats the request.
    Status(u16),
    /// Reads the request, and waits until the client has gone.
    Wait,
}

/// The bare repository of a project, served by `git http-backend`.
struct Server {
    address: SocketAddr,
}

impl Server {
    /// `fault` says what to do with a request, by its first line.
    fn start(project: &Project, fault: impl Fn(&str) -> Fault + Send + Sync + 'static) -> Self {
        project.git(&["config", "http.receivepack", "true"]);
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (root, fault) = (project.path(""), Arc::new(fault));
        // It ends with the test's process.
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (root, fault) = (root.clone(), fault.clone());
                thread::spawn(move || {
                    drop(serve(&mut stream.unwrap(), &root, &*fault));
                });
            }
        });
        Self { address }
    }

    fn url(&self) -> String {
        format!("http://{}/project.git", self.address)
    }

    fn anonymous(&self, text: &str) -> String {
        without_port(text, self.address.port())
    }
}

fn serve(stream: &mut TcpStream, root: &Path, fault: &dyn Fn(&str) -> Fault) -> io::Result<()> {
    stream.peek(&mut [0])?;
    // What comes first may have to be known before it is read.
    let mut begin = [0; 512];
    let length = stream.peek(&mut begin)?;
    let begin = String::from_utf8_lossy(&begin[..length]).into_owned();
    let fault = fault(begin.lines().next().unwrap());
    if fault == Fault::Reset {
        return Ok(());
    }
    let request = Request::read(stream)?;
    match fault {
        Fault::Ignore => Ok(()),
        Fault::Wait => {
            wait_for_end(stream);
            Ok(())
        }
        Fault::Status(status) => {
            let head = request.head.replace("\r\n", " ");
            let length = head.len();
            write!(
                stream,
                "HTTP/1.1 {status} No\r\nContent-Type: text/plain\r\nContent-Length: {length}\r\n\
                 Connection: close\r\n\r\n{head}"
            )
        }
        Fault::None | Fault::Reset => stream.write_all(&request.answer(root)),
        Fault::Silence => {
            request.answer(root);
            Ok(())
        }
        Fault::Cut(length) => {
            let answer = request.answer(root);
            stream.write_all(&answer[..length.min(answer.len())])
        }
    }
}

struct Request {
    head: String,
    body: Vec<u8>,
}

impl Request {
    fn read(stream: &mut TcpStream) -> io::Result<Self> {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte)?;
            head.extend(byte);
        }
        let mut request = Self { head: String::from_utf8(head).unwrap(), body: Vec::new() };
        let length = request.header("content-length").map_or(0, |text| text.parse().unwrap());
        request.body = vec![0; length];
        stream.read_exact(&mut request.body)?;
        Ok(request)
    }

    fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (found, value) = line.split_once(": ")?;
            found.eq_ignore_ascii_case(name).then_some(value)
        })
    }

    /// What git's own server answers.
    fn answer(&self, root: &Path) -> Vec<u8> {
        let mut words = self.head.split(' ');
        let (method, target) = (words.next().unwrap(), words.next().unwrap());
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let header = |name| self.header(name).unwrap_or_default();
        let mut backend = isolated("git")
            .arg("http-backend")
            .env("GIT_PROJECT_ROOT", root)
            .env("GIT_HTTP_EXPORT_ALL", "1")
            .env("REQUEST_METHOD", method)
            .env("PATH_INFO", path)
            .env("QUERY_STRING", query)
            .env("CONTENT_TYPE", header("content-type"))
            .env("CONTENT_LENGTH", self.body.len().to_string())
            .env("HTTP_CONTENT_ENCODING", header("content-encoding"))
            .env("GIT_PROTOCOL", header("git-protocol"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        backend.stdin.take().unwrap().write_all(&self.body).unwrap();
        let output = backend.wait_with_output().unwrap().stdout;
        let end = output.windows(4).position(|bytes| bytes == b"\r\n\r\n").unwrap();
        let head = String::from_utf8_lossy(&output[..end]);
        let status = head.lines().find_map(|line| line.strip_prefix("Status: "));
        let mut answer = format!(
            "HTTP/1.1 {}\r\n{head}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
            status.unwrap_or("200 OK"),
            output.len() - end - 4,
        )
        .into_bytes();
        answer.extend(&output[end + 4..]);
        answer
    }
}

/// What comes of the patch where requests that begin like this meet with a fault.
fn released(begin: &'static str, fault: Fault) -> String {
    let project = Project::new();
    let server = Server::start(
        &project,
        move |line| {
            if line.starts_with(begin) { fault } else { Fault::None }
        },
    );
    let remote = project.remote_at(&server.url());
    let outcome = project.release(builder().repository("project", remote).build());
    server.anonymous(&without_words(&outcome))
}

const ASKING: &str = "GET /project.git/info/refs?service=git-upload-pack";
const FETCHING: &str = "POST /project.git/git-upload-pack";
const COMPARING: &str = "GET /project.git/info/refs?service=git-receive-pack";
const PUSHING: &str = "POST /project.git/git-receive-pack";

#[test]
fn a_patch_is_pushed_over_http() {
    assert_snapshot!(released("", Fault::None));
}

#[test]
fn nobody_who_listens_is_definitely_not_executed() {
    let project = Project::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let remote = project.remote_at(&format!("http://127.0.0.1:{port}/project.git"));
    let outcome = project.release(builder().repository("project", remote).build());
    assert_snapshot!(without_words(&outcome));
}

#[test]
fn faults_before_the_push_are_definitely_not_executed() {
    let mut told = String::new();
    for begin in [ASKING, FETCHING, COMPARING] {
        for (name, fault) in [
            ("reset", Fault::Reset),
            ("ignored", Fault::Ignore),
            ("no answer", Fault::Silence),
            ("cut in the header", Fault::Cut(20)),
            ("cut in the body", Fault::Cut(250)),
            ("403", Fault::Status(403)),
            ("500", Fault::Status(500)),
        ] {
            told +=
                &format!("{begin} {name}\n  {}\n", released(begin, fault).replace('\n', "\n  "));
        }
    }
    assert_snapshot!(told);
}

#[test]
fn faults_in_the_push_are_uncertain() {
    let mut told = String::new();
    for (name, fault) in [
        ("reset", Fault::Reset),
        ("ignored", Fault::Ignore),
        ("no answer", Fault::Silence),
        ("cut in the header", Fault::Cut(20)),
        ("cut in the body", Fault::Cut(250)),
        ("403", Fault::Status(403)),
        ("500", Fault::Status(500)),
    ] {
        told += &format!("{name}\n  {}\n", released(PUSHING, fault).replace('\n', "\n  "));
    }
    assert_snapshot!(told);
}

#[test]
fn a_slow_answer_is_uncertain_only_if_the_push_has_begun() {
    let mut told = String::new();
    for begin in [COMPARING, PUSHING] {
        let project = Project::new();
        let server = Server::start(&project, move |line| {
            if line.starts_with(begin) { Fault::Wait } else { Fault::None }
        });
        let remote = project.remote_at(&server.url());
        let timeout = Duration::from_secs(5);
        let actuator = builder().repository("project", remote).timeout(timeout).build();
        told += &format!("{begin}\n  {}\n", project.release(actuator).replace('\n', "\n  "));
    }
    assert_snapshot!(told);
}

#[test]
fn an_answer_that_breaks_off_leaves_a_look_unknown() {
    let mut told = String::new();
    for fault in [Fault::Cut(20), Fault::Cut(250), Fault::Silence, Fault::Status(404)] {
        let project = Project::new();
        let server = Server::start(&project, move |_| fault);
        let remote = project.remote_at(&server.url());
        let seen = builder().repository("project", remote).build().observe(&project.patch());
        told += &format!("{}: {}\n", seen.sighting().as_str(), without_words(seen.evidence()));
    }
    assert_snapshot!(told);
}

#[test]
fn a_redirect_is_not_followed() {
    let project = Project::new();
    let target = Server::start(&project, |_| Fault::None);
    let url = target.url();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let request = Request::read(&mut stream).unwrap();
            let path = request.head.split(' ').nth(1).unwrap().replace("/project.git", "");
            let answer = format!(
                "HTTP/1.1 307 There\r\nLocation: {url}{path}\r\nContent-Length: 0\r\n\
                 Connection: close\r\n\r\n"
            );
            stream.write_all(answer.as_bytes()).unwrap();
        }
    });
    let remote = project.remote_at(&format!("http://{address}/project.git"));
    let outcome = project.release(builder().repository("project", remote).build());
    assert_snapshot!(without_words(&outcome));
}

#[test]
fn a_login_is_sent_and_never_shown() {
    let project = Project::new();
    let (user, password) = ("agent", "hunter2hunter2");
    let expected = "Basic YWdlbnQ6aHVudGVyMmh1bnRlcjI=";
    let (heard, all) = channel();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    // It repeats what it heard in every way that git might show.
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let request = Request::read(&mut stream).unwrap();
            let sent = request.header("authorization").unwrap_or_default().to_owned();
            let body = format!("fatal: {sent} {password}");
            let answer = format!(
                "HTTP/1.1 401 {sent} {password}\r\nContent-Type: text/plain\r\n\
                 WWW-Authenticate: Basic realm=\"{sent} {password}\"\r\nContent-Length: {}\r\n\
                 Connection: close\r\n\r\n{body}",
                body.len()
            );
            stream.write_all(answer.as_bytes()).unwrap();
            heard.send(sent).unwrap();
        }
    });
    let url = format!("http://{address}/project.git").parse().unwrap();
    let remote = allowed(GitRepository::remote(url, project.path("mirror")))
        .login(user, password.parse::<Secret>().unwrap());
    let actuator = builder().repository("project", remote).build();
    let outcome = project.release(&actuator);
    assert_eq!(all.recv().unwrap(), expected);
    for shown in [outcome.clone(), format!("{actuator:?}")] {
        assert!(!shown.contains(password) && !shown.contains("YWdlbnQ6"), "{shown}");
    }
    assert_snapshot!(without_words(&outcome));
}
