//! One who follows the events from service to service.

use std::io::{BufRead, BufReader};

use swampbox_material::json::Json;

use super::remote::Remote;
use super::victim::key;

/// What came of each event: the first is number 1.
#[derive(Default)]
pub(super) struct Follower {
    events: Vec<String>,
}

impl Follower {
    /// Goes on after the last event that came, until the service is gone.
    pub(super) fn follow(&mut self, remote: &Remote) {
        let last = self.events.len();
        let mut request = remote
            .agent
            .get(remote.url("/v1/events/stream?from=1"))
            .header("authorization", format!("Bearer {}", key("olga")));
        if last > 0 {
            request = request.header("last-event-id", last.to_string());
        }
        let Ok(response) = request.call() else { return };
        let mut lines = BufReader::new(response.into_body().into_reader()).lines();
        let mut id = None;
        // Only an event that came in whole counts: an empty line ends it.
        let mut data = None;
        while let Some(Ok(line)) = lines.next() {
            match line.split_once(": ") {
                Some(("id", number)) => id = number.parse().ok(),
                Some(("data", text)) => data = Some(text.to_owned()),
                _ => {}
            }
            if let ("", Some(data)) = (&*line, data.take_if(|_| line.is_empty())) {
                let expected = self.events.len() + 1;
                assert_eq!(id.take(), Some(expected), "{data}");
                self.events.push(data);
            }
        }
    }

    /// Follows to the end, and compares all that ever came with the history. Gives how much it was.
    pub(super) fn compare(mut self, remote: &Remote) -> usize {
        let came = self.events.len();
        let mut from = 1;
        let mut history = Vec::new();
        loop {
            let page = remote.get(&format!("/v1/events?limit=1000&from={from}"), "olga").unwrap();
            let Json::List(events) = page.part("events") else { panic!("{}", page.body) };
            history.extend(events.iter().map(Json::to_string));
            from += events.len();
            if events.len() < 1_000 {
                break;
            }
        }
        assert!(came <= history.len(), "{came} events came, and there are {}", history.len());
        history.truncate(came);
        self.events.truncate(came);
        assert!(self.events == history, "what came is not what the history says");
        came
    }
}
