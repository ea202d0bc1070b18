use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::{fs, iter};

use rustix::process::{Resource, getrlimit};
use swampbox_boundary::{Actuator, ActuatorFailure, ActuatorOutcome, ActuatorReport, Admission};

use crate::Failure;
use crate::measure::percentile;
use crate::report::{Aim, Figure, Line};
use crate::service::{At, middle, releases};
use crate::service_world::{PLACES, Served};

/// What a service bears: an actuator of which all places are taken and none comes back, and open streams.
pub(crate) fn blocked_and_open() -> Result<Vec<Line>, Failure> {
    let mut lines = beside_a_blocked_actuator()?;
    lines.push(open_streams()?);
    Ok(lines)
}

/// Releases by one actuator, while all places of another are taken, against before and after.
fn beside_a_blocked_actuator() -> Result<Vec<Line>, Failure> {
    const ROUNDS: usize = 1_000;
    let ((entered, heard), (let_go, go_on)) = (channel(), channel());
    let blocked = Blocked { entered, go_on: Mutex::new(go_on) };
    let served = Served::new(vec![Box::new(At("notes")), Box::new(blocked)])?;
    let client = served.client()?;
    releases(&client, ROUNDS / 2)?;
    let mut alone = releases(&client, ROUNDS / 2)?;
    let stuck = (0..PLACES).map(|_| served.client()).collect::<Result<Vec<_>, _>>()?;
    let beside = thread::scope(|scope| {
        let at_work: Vec<_> = stuck
            .iter()
            .map(|client| {
                scope.spawn(move || {
                    let id = client.propose("blocked")?;
                    client.ask(&id)?;
                    client.decide(&id)?;
                    client.release(&id)
                })
            })
            .collect();
        let all_in = iter::repeat_with(|| heard.recv()).take(PLACES).all(|heard| heard.is_ok());
        let beside = if all_in { releases(&client, ROUNDS) } else { Err("it ended".into()) };
        drop(let_go);
        for thread in at_work {
            thread.join().map_err(|_| "a thread panicked")??;
        }
        beside
    })?;
    alone.extend(releases(&client, ROUNDS / 2)?);
    let (name, tail) = (
        "release over HTTP beside a blocked actuator / alone: 50th percentile",
        "release over HTTP beside a blocked actuator / alone: 99th percentile",
    );
    let tails = [&beside, &alone].map(|times| percentile(times.clone(), 99));
    Ok(vec![
        Line::of_times(name, middle(&beside), middle(&alone), Aim::None),
        Line::of_times(tail, tails[0], tails[1], Aim::RatioAtMost(2.0)),
    ])
}

/// How much memory an open stream takes, with 10,000 of them or as many as this machine opens.
fn open_streams() -> Result<Line, Failure> {
    let served = Served::new(vec![Box::new(At("notes"))])?;
    // Both ends are open here, and the rest of the process needs some files too.
    let files = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    let count = usize::try_from(files.saturating_sub(500) / 2)?.min(10_000);
    let request = format!(
        "GET /v1/events/stream HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\n\r\n",
        served.auditor.reveal()
    );
    let open = || {
        let mut stream = TcpStream::connect(served.address)?;
        stream.write_all(request.as_bytes())?;
        stream.read_exact(&mut [0; 15])?;
        Ok::<_, Failure>(stream)
    };
    let warm = (0..100).map(|_| open()).collect::<Result<Vec<_>, _>>()?;
    let before = resident()?;
    let streams = (0..count).map(|_| open()).collect::<Result<Vec<_>, _>>()?;
    let each = resident()?.saturating_sub(before) / u64::try_from(count)?;
    drop((warm, streams));
    let name = "memory of an open stream of events, of 10,000 or what the machine opens";
    Ok(Line { name, measured: Figure::Bytes(each), against: None, aim: Aim::None })
}

/// How much memory this process holds, in bytes.
fn resident() -> Result<u64, Failure> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).ok_or("no VmRSS")?;
    Ok(line.trim().trim_end_matches(" kB").parse::<u64>()? << 10)
}

/// Waits in each call until it is let go on.
struct Blocked {
    entered: Sender<()>,
    go_on: Mutex<Receiver<()>>,
}

impl Actuator for Blocked {
    fn actuate(&self, _: Admission<'_>) -> Result<ActuatorReport, ActuatorFailure> {
        self.entered.send(()).map_err(ActuatorFailure::new)?;
        let go_on = self.go_on.lock().unwrap_or_else(PoisonError::into_inner);
        // Nothing is ever sent; that the sender is dropped lets everything go on.
        while go_on.recv().is_ok() {}
        Ok(ActuatorOutcome::Succeeded.into())
    }

    fn name(&self) -> &str {
        "blocked"
    }
}
