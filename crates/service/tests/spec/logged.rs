//! What the log says: whose requests were answered how, and nothing that anybody sent.

use std::fmt;
use std::sync::{Arc, Mutex};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use crate::raw::{exchange, head};
use crate::served::{Served, write};

/// Keeps every line at every level.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

impl Subscriber for Log {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("swampbox")
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut line = Line(event.metadata().level().to_string());
        event.record(&mut line);
        self.0.lock().unwrap().push(line.0);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.0.push_str(&format!(" {field}={value:?}"));
    }
}

#[test]
fn nothing_that_a_caller_wrote_is_logged_or_counted() {
    const MARK: &str = "zebra";
    let log = Log::default();
    tracing::subscriber::set_global_default(log.clone()).unwrap();
    let served = Served::new();
    let agent = served.execution("ann", MARK);
    let held = agent.post("/v1/consequences", &write(MARK, &format!("{MARK}\nINFO forged")));
    let id = held.text("consequence_id");
    agent.post(&format!("/v1/consequences/{id}/release"), "");
    agent.post(&format!("/v1/consequences/{MARK}%0aINFO%20forged/release"), "");
    agent.get(&format!("/v1/{MARK}"));
    served.as_one("udo").get(&format!("/v1/events?{MARK}=1"));
    served.with_credential(MARK).get("/v1/events");
    served.as_one("ann").post("/v1/executions", &format!(r#"{{"execution_id":"{MARK}\n"}}"#));
    let hostile = head(&served, "GET", &format!("/v1/events/{MARK}"), "udo");
    let headers = format!("User-Agent: {MARK}\u{1b}[2J\r\nX-Forwarded-For: {MARK}\r\n");
    exchange(&served, format!("{hostile}{headers}Connection: close\r\n\r\n").as_bytes());
    let metrics = served.as_one("udo").get_text("/metrics");
    let lines = log.0.lock().unwrap();
    assert!(lines.len() > 8, "{lines:#?}");
    let secrets = [MARK, "forged", agent.credential(), served.key("ann"), served.key("udo")];
    for line in lines.iter().map(String::as_str).chain(metrics.lines()) {
        assert!(!line.contains(char::is_control), "{line:?}");
        for secret in secrets {
            assert!(!line.contains(secret), "{line}");
        }
    }
}
