//! More than the service takes: some are refused, and nobody else notices.

use std::io::{BufRead, BufReader, Write};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Resource, getrlimit, setrlimit};
use swampbox_boundary::{Actuator, ActuatorFailure, ActuatorReport, Admission, Observation};
use swampbox_material::Material;
use swampbox_material::json::Json;
use swampbox_service::Limits;

use crate::effects::{ByName, Lines, lines_of, proposal};
use crate::raw::{connect, head, outcomes, rest};
use crate::served::{Answer, Client, Served, ballot, digest_of, write};

/// Waits in each call until it is let go on.
struct Blocked {
    entered: Sender<()>,
    go_on: Mutex<Receiver<()>>,
}

impl Blocked {
    fn wait(&self) {
        self.entered.send(()).unwrap();
        // Its sender being dropped lets everything go on.
        self.go_on.lock().unwrap().recv().unwrap_err();
    }
}

impl Actuator for Blocked {
    fn actuate(&self, _: Admission<'_>) -> Result<ActuatorReport, ActuatorFailure> {
        self.wait();
        Ok(ActuatorReport::succeeded("at last"))
    }

    fn observe(&self, _: &Material) -> Observation {
        self.wait();
        Observation::unknown("it was not looked for")
    }

    fn name(&self) -> &str {
        "blocked"
    }
}

/// A service with an actuator that blocks and one that does not; what tells when the first is entered,
/// and what has to be dropped to let it go on.
fn served(limits: Limits) -> (Served, Receiver<()>, Sender<()>) {
    let (entered, heard) = channel();
    let (let_go, go_on) = channel();
    let served = Served::made_of(limits, |mut parts, home| {
        let blocked = Blocked { entered, go_on: Mutex::new(go_on) };
        parts.effects = Arc::new(ByName(vec![Box::new(blocked), Box::new(Lines::within(home))]));
        parts
    });
    (served, heard, let_go)
}

/// Proposes something, has it allowed, and gives its id.
fn allowed(served: &Served, agent: &Client<'_>, proposal: &str) -> String {
    let held = agent.post("/v1/consequences", proposal);
    let id = held.text("consequence_id").to_owned();
    agent.post(&format!("/v1/consequences/{id}/release"), "");
    let carl = served.as_one("carl");
    let ballot = ballot(&digest_of(&carl, &id), "ALLOW");
    assert_eq!(carl.post(&format!("/v1/approvals/{id}/decision"), &ballot).status, 200);
    id
}

#[test]
fn a_blocked_actuator_takes_up_its_own_places_and_no_others() {
    let mut limits = Limits::default();
    limits.releases_of_one_actuator = 2;
    let (served, entered, let_go) = served(limits);
    let agent = served.execution("ann", "A");
    let release = |id: &str| agent.post(&format!("/v1/consequences/{id}/release"), "");
    let stuck = [(); 3].map(|()| allowed(&served, &agent, &proposal("blocked", "1")));
    let other = allowed(&served, &agent, &proposal("lines", "1"));
    thread::scope(|scope| {
        let at_work = [&stuck[0], &stuck[1]].map(|id| {
            let at_work = scope.spawn(|| release(id));
            entered.recv().unwrap();
            at_work
        });
        let refused = release(&stuck[2]);
        assert_eq!(refused.outcome(), "503 overloaded");
        let observe = format!("/v1/consequences/{}/observe", stuck[2]);
        assert_eq!(served.as_one("olga").post(&observe, "").outcome(), "503 overloaded");
        assert_eq!(release(&other).text("status"), "RELEASED");
        assert_eq!(lines_of(served.home.path(), &other), 1);
        let state = agent.get(&format!("/v1/consequences/{}/state", stuck[2]));
        assert_eq!(state.text("release_state"), "CONTAINED");
        drop(let_go);
        for at_work in at_work {
            assert_eq!(at_work.join().unwrap().text("status"), "RELEASED");
        }
    });
    assert_eq!(release(&stuck[2]).text("status"), "RELEASED", "nothing had happened to it");
    assert!(served.verifies());
}

#[test]
fn looking_for_an_effect_takes_no_place_of_what_needs_only_the_ledger() {
    let mut limits = Limits::default();
    limits.operations = 1;
    let (served, entered, let_go) = served(limits);
    let agent = served.execution("ann", "A");
    let held = agent.post("/v1/consequences", &proposal("blocked", "1"));
    let observe = format!("/v1/consequences/{}/observe", held.text("consequence_id"));
    thread::scope(|scope| {
        let looking = scope.spawn(|| served.as_one("olga").post(&observe, "").status);
        entered.recv().unwrap();
        assert_eq!(served.as_nobody().get("/healthz").status, 200);
        assert_eq!(agent.get("/v1/consequences").outcome(), "200");
        drop(let_go);
        assert_eq!(looking.join().unwrap(), 200);
    });
}

#[test]
fn who_asks_too_often_is_refused_and_nobody_else() {
    let mut limits = Limits::default();
    (limits.requests_per_second, limits.burst) = (1, 3);
    let served = Served::with(limits);
    let ann = served.as_one("ann");
    let outcomes = [(); 5].map(|()| ann.post("/v1/executions", "").outcome());
    assert_eq!(&outcomes[..3], ["201", "201", "201"]);
    assert_eq!(&outcomes[3..], ["429 rate_limited", "429 rate_limited"]);
    assert_eq!(served.as_one("amy").post("/v1/executions", "").outcome(), "201");
    assert_eq!(served.as_nobody().get("/healthz").outcome(), "200");
}

#[test]
fn one_stream_too_many_is_refused_and_leaves_its_place_when_it_ends() {
    let mut limits = Limits::default();
    limits.streams = 1;
    let served = Served::with(limits);
    let open = || {
        let mut stream = connect(&served);
        let head = head(&served, "GET", "/v1/events/stream?from=1", "udo");
        stream.write_all(format!("{head}\r\n").as_bytes()).unwrap();
        let mut lines = BufReader::new(stream);
        let mut first = String::new();
        lines.read_line(&mut first).unwrap();
        (lines, first)
    };
    let (first, status) = open();
    assert_eq!(status, "HTTP/1.1 200 OK\r\n");
    assert_eq!(served.as_one("udo").get("/v1/events/stream").outcome(), "503 overloaded");
    drop(first);
    // That it is gone is noticed when something is to be sent.
    let agent = served.as_one("ann");
    let begun = Instant::now();
    loop {
        agent.post("/v1/executions", "");
        let (_stream, status) = open();
        if status == "HTTP/1.1 200 OK\r\n" {
            break;
        }
        assert!(begun.elapsed() < Duration::from_secs(30), "{status}");
    }
}

#[test]
fn a_thousand_connections_on_which_nothing_comes_keep_nobody_from_an_answer() {
    raise_the_number_of_open_files();
    let served = Served::new();
    let idle: Vec<_> = (0..1_000)
        .map(|number| {
            let mut stream = connect(&served);
            // Some say nothing at all, and some begin.
            let begun = "GET /v1/consequences HTTP/1.1\r\nHost: ".get(..number % 38).unwrap();
            stream.write_all(begun.as_bytes()).unwrap();
            stream
        })
        .collect();
    let agent = served.execution("ann", "A");
    let id = allowed(&served, &agent, &write("note", "x"));
    let released = agent.post(&format!("/v1/consequences/{id}/release"), "");
    assert_eq!(released.text("status"), "RELEASED");
    assert_eq!(idle.len(), 1_000);
}

#[test]
fn a_thousand_requests_at_once_are_all_answered_and_some_perhaps_with_try_again() {
    raise_the_number_of_open_files();
    let served = Served::new();
    let agent = served.execution("ann", "A");
    let open: Vec<_> = (0..1_000)
        .map(|number| {
            let mut stream = connect(&served);
            let body = write(&format!("file-{number}"), "x");
            let credential = agent.credential();
            let head = format!(
                "POST /v1/consequences HTTP/1.1\r\nAuthorization: Bearer {credential}\r\n\
                 Connection: close\r\nContent-Length: {}\r\n\r\n",
                body.len()
            );
            stream.write_all(format!("{head}{body}").as_bytes()).unwrap();
            stream
        })
        .collect();
    let mut taken = 0;
    for mut stream in open {
        let told = outcomes(&rest(&mut stream));
        assert!(matches!(&*told[0], "201" | "503 overloaded"), "{told:?}");
        taken += usize::from(told[0] == "201");
    }
    let mut found = 0;
    let mut after = String::new();
    loop {
        let page = agent.get(&format!("/v1/consequences?limit=1000{after}")).body;
        let ids: Vec<String> = page.as_object().unwrap().get("consequences").map(ids).unwrap();
        found += ids.len();
        match ids.last() {
            Some(last) => after = format!("&after={last}"),
            None => break,
        }
    }
    assert_eq!(found, taken, "what was acknowledged is there, and nothing else");
    assert!(taken > 0);
    assert!(served.verifies());
}

#[test]
fn a_page_of_long_items_is_a_short_one_and_the_next_goes_on() {
    let served = Served::with(Limits::default());
    let agent = served.execution("ann", "A");
    let long = "x".repeat(1 << 20);
    for number in 0..12 {
        let held = agent.post("/v1/consequences", &write(&format!("file-{number}"), &long));
        assert_eq!(held.status, 201);
    }
    let pages = |path: &str, list: &str, named: &str| {
        let (mut lengths, mut next) = (Vec::new(), String::new());
        loop {
            let page = served.as_one("olga").get(&format!("{path}?limit=1000{next}"));
            let Json::List(items) = page.part(list) else { panic!("no {list}") };
            lengths.push(items.len());
            match page.part("next") {
                Json::Null => return lengths,
                Json::String(id) => next = format!("&{named}={id}"),
                number => next = format!("&{named}={number}"),
            }
        }
    };
    assert_eq!(pages("/v1/consequences", "consequences", "after"), [4, 4, 4]);
    let events = pages("/v1/events", "events", "from");
    let last = served.as_one("udo").get("/v1/ledger");
    let last = last.part("last_event").as_object().unwrap().get("sequence").unwrap().to_string();
    assert_eq!(events.iter().sum::<usize>().to_string(), last);
}

/// Bounds in which one of three bodies of 3 MiB of one caller has room, and two pages of 4 MiB.
fn narrow() -> Limits {
    let mut limits = Limits::default();
    limits.bytes_in_flight = 18 << 20;
    limits.patience = Duration::from_millis(100);
    limits
}

#[test]
fn a_body_has_its_room_before_it_is_read_and_is_refused_if_there_is_none_in_time() {
    let served = Served::with(narrow());
    let agent = served.execution("ann", "A");
    let bodies = [1, 2, 3].map(|number| write(&format!("file-{number}"), &"x".repeat(3 << 20)));
    let coming = bodies.map(|body| {
        let mut stream = connect(&served);
        let head = format!(
            "POST /v1/consequences HTTP/1.1\r\nAuthorization: Bearer {}\r\nConnection: close\r\n\
             Content-Length: {}\r\n\r\n",
            agent.credential(),
            body.len()
        );
        let (most, last) = body.split_at(body.len() - 1);
        let last = last.to_owned();
        // Who is refused may be so while it still sends.
        drop(stream.write_all(format!("{head}{most}").as_bytes()));
        (stream, last)
    });
    let mut told: Vec<String> = Vec::new();
    for (mut stream, last) in coming {
        drop(stream.write_all(last.as_bytes()));
        let answer = rest(&mut stream);
        assert!(!answer.contains(" 503 ") || answer.contains("retry-after: 1"), "{answer}");
        told.extend(outcomes(&answer));
    }
    told.sort();
    assert_eq!(told, ["201", "503 overloaded", "503 overloaded"]);
    assert_eq!(agent.post("/v1/consequences", &write("later", "x")).outcome(), "201");
}

#[test]
fn bodies_that_come_at_once_take_turns_and_none_is_refused_for_another() {
    let mut limits = Limits::default();
    // Fewer than come have room at once, and two would have some of theirs and wait for the rest.
    limits.bytes_in_flight = 16 << 20;
    limits.patience = Duration::from_secs(60);
    let served = Served::with(limits);
    let agent = served.execution("ann", "A");
    let outcomes: Vec<_> = thread::scope(|scope| {
        let submit = |number: usize| {
            let body = write(&format!("file-{number}"), &"x".repeat(1 << 20));
            let agent = &agent;
            scope.spawn(move || agent.post("/v1/consequences", &body).outcome())
        };
        let coming: Vec<_> = (0..24).map(submit).collect();
        assert_eq!(served.as_one("olga").get("/v1/executions").status, 200);
        coming.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(outcomes, ["201"; 24]);
}

#[test]
fn a_body_that_is_read_into_more_than_all_of_the_bytes_in_flight_is_let_in_alone() {
    let mut limits = narrow();
    limits.bytes_in_flight = 1 << 20;
    let (served, _entered, _let_go) = served(limits);
    let agent = served.execution("ann", "A");
    let numbers = format!("[{}0]", "0,".repeat(100_000));
    let held = agent.post("/v1/consequences", &proposal("lines", &numbers));
    assert_eq!(held.outcome(), "201");
    assert_eq!(agent.get("/v1/consequences").status, 200, "all of it is free again");
}

#[test]
fn answers_that_nobody_reads_take_from_the_bytes_in_flight_until_they_are_gone() {
    let served = Served::with(narrow());
    let agent = served.execution("ann", "A");
    for number in 0..4 {
        let long = write(&format!("file-{number}"), &"x".repeat(1 << 20));
        assert_eq!(agent.post("/v1/consequences", &long).status, 201);
    }
    let head = head(&served, "GET", "/v1/consequences", "olga");
    // What of the first answers is on its way is held by the system; the rest waits in the service.
    let asked = format!("{head}\r\n").repeat(20);
    let unread = [(); 2].map(|()| {
        let mut stream = connect(&served);
        stream.write_all(asked.as_bytes()).unwrap();
        stream
    });
    let (begun, reader) = (Instant::now(), served.as_one("olga"));
    let wait_for = |outcome: &str| {
        while reader.get("/v1/consequences").outcome() != outcome {
            assert!(begun.elapsed() < Duration::from_secs(25), "it is never {outcome}");
        }
    };
    wait_for("503 overloaded");
    assert_eq!(agent.get("/v1/consequences").status, 200, "others have their share");
    assert_eq!(served.as_nobody().get("/readyz").status, 200);
    let told = served.as_one("udo").get_text("/metrics");
    let held = told.lines().find_map(|line| line.strip_prefix("swampbox_bytes_in_flight "));
    assert!(held.is_some_and(|held| held.parse::<u32>().unwrap() > 4 << 20), "{held:?}");
    drop(unread);
    wait_for("200");
}

#[test]
fn a_story_has_the_beginning_of_a_long_list_and_says_so() {
    let served = Served::with(Limits::default());
    let agent = served.execution("ann", "A");
    let parent = agent.post("/v1/consequences", &write("parent", "x"));
    let parent = parent.text("consequence_id").to_owned();
    let long = "x".repeat(1 << 19);
    for number in 0..4 {
        let child = write(&format!("file-{number}"), &long);
        let child = child.replacen('{', &format!(r#"{{"parent_consequence_id":{parent:?},"#), 1);
        assert_eq!(agent.post("/v1/consequences", &child).status, 201);
    }
    let operator = served.as_one("olga");
    let length = |answer: &Answer, list: &str| match answer.part(list) {
        Json::List(items) => items.len(),
        other => panic!("{list} is {other}"),
    };
    let story = operator.get(&format!("/v1/consequences/{parent}/story"));
    assert_eq!(length(&story, "children"), 2);
    assert_eq!(story.part("more").to_string(), r#"["children"]"#);
    let all = operator.get(&format!("/v1/consequences?parent={parent}"));
    assert_eq!(length(&all, "consequences"), 4);
}

#[test]
fn a_page_of_long_requests_for_approval_is_a_short_one_and_the_next_goes_on() {
    let served = Served::with(Limits::default());
    let agent = served.execution("ann", "A");
    let long = "x".repeat(1 << 20);
    for number in 0..6 {
        let held = agent.post("/v1/consequences", &write(&format!("file-{number}"), &long));
        let id = held.text("consequence_id");
        let asked = agent.post(&format!("/v1/consequences/{id}/release"), "");
        assert_eq!(asked.text("reason"), "authority_pending");
    }
    let (mut lengths, mut after) = (Vec::new(), "0".to_owned());
    while after != "null" {
        let page = served.as_one("carl").get(&format!("/v1/approvals?after={after}"));
        let Json::List(requests) = page.part("requests") else { panic!("no requests") };
        lengths.push(requests.len());
        after = page.part("next").to_string();
    }
    // What comes after the last one is known only once it was asked for.
    assert_eq!(lengths, [4, 2]);
}

#[test]
fn who_comes_when_there_is_no_room_is_taken_in_once_there_is() {
    let mut limits = Limits::default();
    limits.connections = 2;
    limits.head_time = Duration::from_millis(300);
    let served = Served::with(limits);
    let idle = [connect(&served), connect(&served)];
    assert_eq!(served.as_nobody().get("/healthz").status, 200);
    drop(idle);
}

#[test]
fn a_service_that_stops_ends_streams_and_tells_those_who_wait_for_a_decision() {
    let served = Served::new();
    let agent = served.execution("ann", "A");
    let held = agent.post("/v1/consequences", &write("note", "x"));
    let id = held.text("consequence_id").to_owned();
    let mut stream = connect(&served);
    let head = head(&served, "GET", "/v1/events/stream?from=1", "udo");
    stream.write_all(format!("{head}\r\n").as_bytes()).unwrap();
    let mut waiting = connect(&served);
    let body = r#"{"wait_seconds":200}"#;
    let ask = format!(
        "POST /v1/consequences/{id}/release HTTP/1.1\r\nAuthorization: Bearer {}\r\n\
         Content-Length: {}\r\n\r\n{body}",
        agent.credential(),
        body.len()
    );
    waiting.write_all(ask.as_bytes()).unwrap();
    let carl = served.as_one("carl");
    while carl.get(&format!("/v1/approvals/{id}")).status != 200 {
        thread::yield_now();
    }
    drop(carl);
    drop(agent);
    drop(served);
    assert!(rest(&mut waiting).contains("authority_pending"));
    assert!(rest(&mut stream).contains("consequence_submitted"));
}

/// The ids in a list of consequences.
fn ids(list: &Json) -> Vec<String> {
    let Json::List(items) = list else { panic!("no list") };
    let id = |item: &Json| {
        item.as_object().unwrap().get("consequence_id").unwrap().as_str().unwrap().to_owned()
    };
    items.iter().map(id).collect()
}

/// Both ends of a thousand connections are open here.
fn raise_the_number_of_open_files() {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    setrlimit(Resource::Nofile, limit).unwrap();
    let enough = limit.maximum.is_none_or(|most| most >= 2_500);
    assert!(enough, "a thousand connections take 2,500 open files, and this machine gives fewer");
}
