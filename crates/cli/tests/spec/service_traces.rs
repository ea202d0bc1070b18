//! The traces of `swampbox serve`, as a collector gets them.

use insta::assert_snapshot;

use crate::service::configured;

/// What a configuration with this collector is answered.
fn checked(traces: &str) -> String {
    let ledger = configured(&format!("[service.traces]\n{traces}\n"));
    ledger.write("collector.token", "a-token-of-the-collector\n");
    std::fs::set_permissions(
        ledger.directory().join("collector.token"),
        std::os::unix::fs::PermissionsExt::from_mode(0o600),
    )
    .unwrap();
    let ran = ledger.run("config check --config swampbox.toml");
    let directory = ledger.directory().to_string_lossy().into_owned();
    let shown = ran.to_string().replace(&directory, "DIRECTORY");
    format!("{traces}\n{}", shown.replace(&format!("`{}`", crate::deciding::me()), "`ME`"))
}

#[cfg(not(feature = "otlp"))]
#[test]
fn a_program_without_traces_says_how_to_get_them() {
    assert_snapshot!(checked("url = \"http://127.0.0.1:4318/v1/traces\""));
}

#[cfg(feature = "otlp")]
mod with_them {
    use std::net::TcpListener;
    use std::sync::mpsc::{Receiver, channel};
    use std::thread;

    use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
    use opentelemetry_proto::tonic::common::v1::any_value::Value;
    use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue};
    use opentelemetry_proto::tonic::trace::v1::Span;
    use prost::Message;
    use rustix::process::Signal;
    use swampbox_material::json::Json;
    use tiny_http::{Response, Server};
    use ureq::Agent;

    use super::*;
    use crate::service::{Serving, key};

    const CALLER: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    /// What a collector was sent.
    struct Sent {
        body: Vec<u8>,
        credential: Option<String>,
    }

    /// A collector that answers with this: its URL, and what it is sent.
    fn collector(status: u16) -> (String, Receiver<Sent>) {
        let server = Server::http("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1/traces", server.server_addr());
        let (sender, got) = channel();
        thread::spawn(move || {
            for mut request in server.incoming_requests() {
                let mut body = Vec::new();
                request.as_reader().read_to_end(&mut body).unwrap();
                let shown =
                    request.headers().iter().find(|header| header.field.equiv("authorization"));
                let credential = shown.map(|header| header.value.to_string());
                drop(request.respond(Response::empty(status)));
                if sender.send(Sent { body, credential }).is_err() {
                    break;
                }
            }
        });
        (url, got)
    }

    fn value(value: &Option<AnyValue>) -> String {
        match value.as_ref().and_then(|value| value.value.as_ref()) {
            Some(Value::StringValue(text)) => text.clone(),
            Some(Value::IntValue(number)) => number.to_string(),
            other => format!("{other:?}"),
        }
    }

    fn attributes(all: &[KeyValue]) -> String {
        let mut all: Vec<_> = all
            .iter()
            .filter(|one| !one.key.ends_with("_ns") && !one.key.starts_with("telemetry.sdk."))
            .map(|one| match &*one.key {
                "swampbox.decision.id" => format!(" {}=DECISION", one.key),
                key => format!(" {key}={}", value(&one.value)),
            })
            .collect();
        all.sort();
        all.concat()
    }

    /// A span, with those in it below it.
    fn tree(spans: &[Span], parent: &[u8], depth: usize) -> String {
        let within = spans.iter().filter(|span| span.parent_span_id == parent);
        within
            .map(|span| {
                let failed = span.status.as_ref().is_some_and(|status| status.code == 2);
                format!(
                    "{}{} {}{}{}\n{}",
                    "  ".repeat(depth),
                    span.name,
                    ["?", "internal", "server", "client"][span.kind as usize],
                    if failed { " ERROR" } else { "" },
                    attributes(&span.attributes),
                    tree(spans, &span.span_id, depth + 1)
                )
            })
            .collect()
    }

    fn post(serving: &Serving, credential: &str, path: &str, body: &str) -> Json {
        let agent: Agent = Agent::config_builder().http_status_as_error(false).build().into();
        let request = agent.post(format!("{}{path}", serving.url)).header("traceparent", CALLER);
        let request = request.header("authorization", format!("Bearer {credential}"));
        let mut answer = request.send(body).unwrap();
        Json::read(&answer.body_mut().read_to_vec().unwrap()).unwrap()
    }

    #[test]
    fn a_trace_goes_on_with_that_of_the_caller_and_shows_who_was_asked_and_what_was_done() {
        let (url, got) = collector(200);
        let ledger = configured(&format!(
            "[[rules]]\nconsequence_type = \"file.write\"\ntarget = \"site\"\neffect = \"ALLOW\"\n\
             reason = \"files of the site\"\n\
             [service.traces]\nurl = \"{url}\"\ntoken_file = \"alice.key\"\n"
        ));
        let config = std::fs::read_to_string(ledger.directory().join("swampbox.toml")).unwrap();
        ledger.write("swampbox.toml", config.replace("[\"approvals\"]", "[\"rules\"]"));
        let serving = Serving::on(&ledger, "");
        let ann = key(&ledger, "ann");
        let made = post(&serving, &ann, "/v1/executions", r#"{"execution_id":"A"}"#);
        let token = crate::service::text(&made, "token");
        let proposal = r#"{"consequence_id":"X","consequence_type":"file.write","target":"site",
            "payload":{"path":"index.html","content":"a secret payload","expected_sha256":null}}"#;
        post(&serving, &token, "/v1/consequences", proposal);
        let released = post(&serving, &token, "/v1/consequences/X/release", "");
        assert_eq!(crate::service::text(&released, "status"), "RELEASED");
        post(&serving, &token, "/v1/consequences/Y/release", "");
        post(&serving, "wrong", "/v1/executions", "");
        serving.signal(Signal::TERM);
        assert_eq!(serving.ended().0, Some(0));

        let (mut spans, mut resources) = (Vec::new(), Vec::new());
        for Sent { body, credential } in got.try_iter() {
            assert_eq!(credential, Some(format!("Bearer {}", key(&ledger, "alice"))));
            for secret in ["secret", "index.html", &token, &ann] {
                assert!(!body.windows(secret.len()).any(|part| part == secret.as_bytes()));
            }
            let sent = ExportTraceServiceRequest::decode(&*body).unwrap();
            for of_one in sent.resource_spans {
                resources.push(attributes(&of_one.resource.unwrap().attributes));
                spans.extend(of_one.scope_spans.into_iter().flat_map(|scope| scope.spans));
            }
        }
        resources.dedup();
        spans.sort_by_key(|span| span.start_time_unix_nano);
        let trace = [10, 247, 101, 25, 22, 205, 67, 221, 132, 72, 235, 33, 28, 128, 49, 156];
        assert!(spans.iter().all(|span| span.trace_id == trace), "{spans:#?}");
        let parent = [183, 173, 107, 113, 105, 32, 51, 49];
        let shown = format!("{}\n{}", resources.join("\n"), tree(&spans, &parent, 0));
        assert_snapshot!(shown.replace(env!("CARGO_PKG_VERSION"), "VERSION"));
    }

    #[test]
    fn a_collector_that_takes_nothing_is_complained_of_once_and_holds_up_nobody() {
        let (refusing, got) = collector(503);
        let nowhere = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        for url in [refusing, format!("http://{nowhere}/v1/traces")] {
            let ledger = configured(&format!("[service.traces]\nurl = \"{url}\"\n"));
            let mut serving = Serving::on(&ledger, "");
            serving.execution(&ledger, "ann", "A");
            serving.wait_for("traces can't be sent");
            serving.execution(&ledger, "ann", "B");
            serving.signal(Signal::TERM);
            let (status, log) = serving.ended();
            assert_eq!(status, Some(0));
            let complaints = log.iter().filter(|line| line.contains("traces can't be sent"));
            assert_eq!(complaints.count(), 1, "{log:#?}");
        }
        assert!(got.try_iter().count() > 0);
    }

    #[test]
    fn a_collector_that_can_not_be_meant_is_refused() {
        let token = "token_file = \"collector.token\"";
        let all = [
            "url = \"localhost\"".to_owned(),
            "url = \"ftp://example.com/\"".to_owned(),
            "url = \"http://127.0.0.1:4318/v1/traces\"\nsampled = 1.5".to_owned(),
            "url = \"http://127.0.0.1:4318/v1/traces\"\nsampled = nan".to_owned(),
            "url = \"http://127.0.0.1:4318/v1/traces\"\nport = 1".to_owned(),
            format!("url = \"http://collector.example.com/v1/traces\"\n{token}"),
            format!("url = \"https://collector.example.com/v1/traces\"\n{token}"),
        ];
        assert_snapshot!(all.map(|traces| checked(&traces)).join("\n"));
    }
}
