//! The stream of events.

use std::io::{BufRead, BufReader};

use swampbox_service::Limits;
use ureq::Agent;

use crate::served::{Served, write};

/// The numbers of the first events that a stream gives.
fn first(served: &Served, query: &str, last: Option<u64>, count: usize) -> Vec<u64> {
    let url = served.as_nobody().url(&format!("/v1/events/stream{query}"));
    let agent: Agent = Agent::config_builder().build().into();
    let mut request =
        agent.get(url).header("authorization", format!("Bearer {}", served.key("udo")));
    if let Some(last) = last {
        request = request.header("last-event-id", last.to_string());
    }
    let lines = BufReader::new(request.call().unwrap().into_body().into_reader()).lines();
    let ids = lines.filter_map(|line| Some(line.unwrap().strip_prefix("id: ")?.parse().unwrap()));
    ids.take(count).collect()
}

#[test]
fn a_stream_gives_each_event_once_and_in_order_and_goes_on_where_it_stopped() {
    let served = Served::new();
    let agent = served.execution("ann", "A");
    std::thread::scope(|scope| {
        let listeners: Vec<_> =
            (0..4).map(|_| scope.spawn(|| first(&served, "?from=1", None, 150))).collect();
        for number in 0..160 {
            agent.post("/v1/consequences", &write(&format!("file-{number}"), ""));
        }
        for listener in listeners {
            assert_eq!(listener.join().unwrap(), (1..=150).collect::<Vec<_>>());
        }
    });
    assert_eq!(first(&served, "", Some(100), 50), (101..=150).collect::<Vec<_>>());
}

#[test]
fn a_stream_of_events_that_are_longer_than_a_page_of_it_gives_all_of_them() {
    let mut limits = Limits::default();
    // Less than the events have together.
    limits.bytes_in_flight = 1 << 20;
    let served = Served::with(limits);
    let agent = served.execution("ann", "A");
    for number in 0..20 {
        let long = write(&format!("file-{number}"), &"x".repeat(100 << 10));
        assert_eq!(agent.post("/v1/consequences", &long).status, 201);
    }
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                assert_eq!(first(&served, "?from=1", None, 21), (1..=21).collect::<Vec<_>>())
            });
        }
    });
}
