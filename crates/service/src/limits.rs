use std::time::Duration;

/// The bounds of a service. Whatever is over one is refused with a code, and nothing has happened.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// The longest body of a request, in bytes (`too_large`). 4 MiB.
    pub body_bytes: usize,
    /// How long the head of a request may take to come. The connection is closed then. 10 s.
    pub head_time: Duration,
    /// How long the body of a request may take to come (`request_timeout`). 30 s.
    pub body_time: Duration,
    /// How long the other side may take to read on. The connection is closed then. 30 s.
    pub write_time: Duration,
    /// How many connections may be open. One more waits to be taken in. 4,096.
    pub connections: usize,
    /// How many bytes of requests and answers may be held at once, in all (`overloaded`): bodies that
    /// come, and answers until they were read. 256 MiB; more than 4 GiB counts as 4 GiB.
    pub bytes_in_flight: usize,
    /// How many operations on the ledger may be at work. 256.
    pub operations: u32,
    /// How many releases may be at work. 256.
    pub releases: u32,
    /// How many of them may be of one actuator, so that a slow one leaves room for the others. 32.
    pub releases_of_one_actuator: u32,
    /// How long a request waits for its place among those at work, and for bytes (`overloaded`). 5 s.
    pub patience: Duration,
    /// The longest time that a release waits for a decision, whatever it asks for. 5 min.
    pub wait: Duration,
    /// How many streams of events may be open (`overloaded`). 10,000.
    pub streams: usize,
    /// How many requests a principal or execution may make in a second, on the average
    /// (`rate_limited`). 1,000.
    pub requests_per_second: u32,
    /// How many more than that may come at once. 2,000.
    pub burst: u32,
    /// How long a session of the console lasts in which nobody does anything. 30 min.
    pub session_idle: Duration,
    /// How long a session of the console lasts at the most. 12 h.
    pub session_age: Duration,
    /// How long what is at work may take to end once the service is told to stop. 30 s.
    pub grace: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body_bytes: 4 << 20,
            head_time: Duration::from_secs(10),
            body_time: Duration::from_secs(30),
            write_time: Duration::from_secs(30),
            connections: 4_096,
            bytes_in_flight: 256 << 20,
            operations: 256,
            releases: 256,
            releases_of_one_actuator: 32,
            patience: Duration::from_secs(5),
            wait: Duration::from_secs(300),
            streams: 10_000,
            requests_per_second: 1_000,
            burst: 2_000,
            session_idle: Duration::from_secs(30 * 60),
            session_age: Duration::from_secs(12 * 3_600),
            grace: Duration::from_secs(30),
        }
    }
}
