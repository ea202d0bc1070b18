//! What is refused before anything is sent.

use std::net::TcpListener;

use insta::assert_snapshot;
use swampbox_actuators::Origin;
use swampbox_material::{Material, Value};

use crate::fixture::{assert_nobody_connected, local, release, release_in, without_port};

/// Each payload, in which `ORIGIN` stands for the target, with what comes of it. Nobody connects.
fn table(payloads: &[&str]) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let origin = format!("http://127.0.0.1:{port}");
    let mut table = String::new();
    for payload in payloads {
        let sent = payload.replace("ORIGIN", &origin);
        let outcome = release(local().build(), &origin, &sent);
        table += &format!("{payload}\n  {}\n", without_port(&outcome, port));
    }
    assert_nobody_connected(&listener);
    table
}

/// The same for one field beside a good method and URL.
fn fields(fields: &[&str]) -> String {
    let payloads: Vec<String> = fields
        .iter()
        .map(|field| format!(r#"{{"method": "POST", "url": "ORIGIN/", {field}}}"#))
        .collect();
    table(&payloads.iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn another_type_of_consequence_is_refused() {
    let payload = Value::from_json(br#"{"method": "GET", "url": "http://127.0.0.1/"}"#).unwrap();
    let material = Material::new("HTTP.request", "http://127.0.0.1", payload);
    assert_snapshot!(release_in("store", local().build(), material));
}

#[test]
fn a_target_that_is_no_origin_is_refused() {
    let payload = r#"{"method": "GET", "url": "http://127.0.0.1:1/"}"#;
    let actuator = local().build();
    assert_snapshot!(release(actuator, "http://user:secret@127.0.0.1:1", payload));
}

#[test]
fn an_origin_has_one_form() {
    let mut told = String::new();
    for text in [
        "",
        "example.com",
        "//example.com",
        "ftp://example.com",
        "HTTP://example.com",
        "http:/example.com",
        "http://",
        "http://:81",
        "http://Example.com",
        "http://exämple.com",
        "http://xn--exmple-cua.com",
        "http://example.com.",
        "http://example..com",
        "http://.example.com",
        "http://-a.com",
        "http://a-.com",
        "http://a_b.example",
        "http://a b",
        "http://localhost",
        "http://example.com/",
        "http://example.com?",
        "http://example.com#",
        "http://example.com\\",
        "http://user@example.com",
        "http://user:secret@example.com",
        "http://example.com:80",
        "https://example.com:443",
        "http://example.com:443",
        "https://example.com:80",
        "http://example.com:",
        "http://example.com:0",
        "http://example.com:081",
        "http://example.com:+81",
        "http://example.com:65535",
        "http://example.com:65536",
        "http://example.com:81:82",
        "http://127.0.0.1",
        "http://127.0.0.1:8080",
        "http://127.0.0.01",
        "http://127.1",
        "http://2130706433",
        "http://0x7f000001",
        "http://256.0.0.1",
        "http://example.1",
        "http://1.example",
        "http://[::1]",
        "http://[::1]:8080",
        "http://[::1]:80",
        "http://[0:0:0:0:0:0:0:1]",
        "http://[::FFFF]",
        "http://[fe80::1%25eth0]",
        "http://[::1",
        "http://::1",
        "http://[]",
        "http://[::1]x",
        "http://a]",
    ] {
        let result = match text.parse::<Origin>() {
            Ok(origin) => {
                assert_eq!(origin.as_str(), text);
                "an origin".to_owned()
            }
            Err(error) => error.to_string(),
        };
        let (_, short) = result.rsplit_once("; ").unwrap_or(("", &result));
        told += &format!("{text:32} {short}\n");
    }
    for (length, what) in [(63, "a label of 63"), (64, "a label of 64")] {
        let result = format!("http://{}", "a".repeat(length)).parse::<Origin>();
        told += &format!("{what:32} {}\n", if result.is_ok() { "an origin" } else { "refused" });
    }
    assert_snapshot!(told);
}

#[test]
fn a_payload_is_a_mapping_of_known_fields() {
    assert_snapshot!(table(&[
        "null",
        r#""GET ORIGIN""#,
        r#"["GET", "ORIGIN"]"#,
        "{}",
        r#"{"method": "GET"}"#,
        r#"{"url": "ORIGIN/"}"#,
        r#"{"method": "GET", "url": "ORIGIN/", "follow": true}"#,
        r#"{"method": "GET", "url": "ORIGIN/", "Body": ""}"#,
        r#"{"method": "GET", "url": "ORIGIN/", "a\nb": ""}"#,
    ]));
}

#[test]
fn a_method_is_one_of_six() {
    assert_snapshot!(table(&[
        r#"{"method": "get", "url": "ORIGIN/"}"#,
        r#"{"method": "", "url": "ORIGIN/"}"#,
        r#"{"method": "GET ", "url": "ORIGIN/"}"#,
        r#"{"method": "CONNECT", "url": "ORIGIN/"}"#,
        r#"{"method": "TRACE", "url": "ORIGIN/"}"#,
        r#"{"method": "OPTIONS", "url": "ORIGIN/"}"#,
        r#"{"method": "GET / HTTP/1.1\r\nX: y\r\n\r\nGET", "url": "ORIGIN/"}"#,
        r#"{"method": 1, "url": "ORIGIN/"}"#,
    ]));
}

#[test]
fn a_url_is_the_target_with_a_path_or_a_query() {
    assert_snapshot!(table(&[
        r#"{"method": "GET", "url": null}"#,
        r#"{"method": "GET", "url": ""}"#,
        r#"{"method": "GET", "url": "/path"}"#,
        r#"{"method": "GET", "url": "https://127.0.0.1/"}"#,
        r#"{"method": "GET", "url": "http://127.0.0.1:1/"}"#,
        r#"{"method": "GET", "url": "ORIGIN0/"}"#,
        r#"{"method": "GET", "url": "ORIGIN@example.com/"}"#,
        r#"{"method": "GET", "url": "ORIGIN.example.com/"}"#,
        r#"{"method": "GET", "url": "ORIGIN\\example.com"}"#,
        r#"{"method": "GET", "url": "http://user:secret@127.0.0.1/"}"#,
        r#"{"method": "GET", "url": " ORIGIN/"}"#,
        r##"{"method": "GET", "url": "ORIGIN/#part"}"##,
        r##"{"method": "GET", "url": "ORIGIN#"}"##,
        r#"{"method": "GET", "url": "ORIGIN/a b"}"#,
        r#"{"method": "GET", "url": "ORIGIN/ü"}"#,
        r#"{"method": "GET", "url": "ORIGIN/a\r\nX: y"}"#,
        r#"{"method": "GET", "url": "ORIGIN/a\u0000"}"#,
        r#"{"method": "GET", "url": "ORIGIN/{id}"}"#,
        r#"{"method": "GET", "url": "ORIGIN/a\\b"}"#,
        r#"{"method": "GET", "url": "ORIGIN/a%"}"#,
        r#"{"method": "GET", "url": "ORIGIN/a%4"}"#,
        r#"{"method": "GET", "url": "ORIGIN/a%4g"}"#,
    ]));
}

#[test]
fn headers_are_strings_that_arrive_as_they_are_read() {
    assert_snapshot!(fields(&[
        r#""headers": null"#,
        r#""headers": ["X: y"]"#,
        r#""headers": {"X": 1}"#,
        r#""headers": {"X": ["y"]}"#,
        r#""headers": {"": "y"}"#,
        r#""headers": {"X Y": "z"}"#,
        r#""headers": {"X:": "z"}"#,
        r#""headers": {"Ü": "z"}"#,
        r#""headers": {"X\r\nY": "z"}"#,
        r#""headers": {"X": "y\r\nZ: a"}"#,
        r#""headers": {"X": "y\n"}"#,
        r#""headers": {"X": "a\tb"}"#,
        r#""headers": {"X": "a\u0000"}"#,
        r#""headers": {"X": "a\u007f"}"#,
        r#""headers": {"X": " a"}"#,
        r#""headers": {"X": "a "}"#,
        r#""headers": {"X": "ü"}"#,
        r#""headers": {"X-Same": "a", "x-same": "a"}"#,
    ]));
}

#[test]
fn headers_that_frame_the_message_or_belong_to_the_connection_are_refused() {
    assert_snapshot!(fields(&[
        r#""headers": {"Host": "example.com"}"#,
        r#""headers": {"content-length": "0"}"#,
        r#""headers": {"Transfer-Encoding": "chunked"}"#,
        r#""headers": {"CONNECTION": "close"}"#,
        r#""headers": {"Idempotency-Key": "mine"}"#,
        r#""headers": {"Keep-Alive": "timeout=5"}"#,
        r#""headers": {"TE": "trailers"}"#,
        r#""headers": {"Upgrade": "h2c"}"#,
        r#""headers": {"Trailer": "X"}"#,
        r#""headers": {"Expect": "100-continue"}"#,
        r#""headers": {"Proxy-Authorization": "Basic c2VjcmV0"}"#,
        r#""headers": {"proxy-": "x"}"#,
    ]));
}

#[test]
fn a_request_has_at_most_one_body() {
    assert_snapshot!(fields(&[
        r#""body": null"#,
        r#""body": {"a": 1}"#,
        r#""body": "", "json": null"#,
    ]));
}

#[test]
fn a_get_or_a_head_takes_no_body() {
    assert_snapshot!(table(&[
        r#"{"method": "GET", "url": "ORIGIN/", "body": ""}"#,
        r#"{"method": "HEAD", "url": "ORIGIN/", "json": {}}"#,
    ]));
}

#[test]
fn what_is_too_long_is_refused() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let origin = format!("http://127.0.0.1:{port}");
    let path = "a".repeat(8_192 - origin.len());
    let value = "a".repeat(8_192);
    let many: Vec<String> = (0..65).map(|n| format!(r#""x-{n}": """#)).collect();
    let payloads = [
        format!(r#"{{"method": "GET", "url": "{origin}/{path}"}}"#),
        format!(r#"{{"method": "GET", "url": "{origin}/", "headers": {{"x": "{value}"}}}}"#),
        format!(r#"{{"method": "GET", "url": "{origin}/", "headers": {{{}}}}}"#, many.join(", ")),
    ];
    let told = payloads.map(|payload| release(local().build(), &origin, &payload));
    assert_nobody_connected(&listener);
    assert_snapshot!(told.join("\n"));
}
