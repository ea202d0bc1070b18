//! Requests that are not what they pretend to be, or never end.

use std::io::{Read, Write};
use std::time::{Duration, Instant};

use insta::assert_snapshot;
use rstest::rstest;
use swampbox_service::Limits;

use crate::raw::{connect, exchange, head, outcomes, rest};
use crate::served::Served;

/// Bounds at which a test arrives soon.
fn small() -> Limits {
    let mut limits = Limits::default();
    limits.body_bytes = 4_096;
    limits.head_time = Duration::from_millis(300);
    limits.body_time = Duration::from_millis(300);
    limits.write_time = Duration::from_millis(300);
    limits
}

/// How many executions there are: each request that was taken for one makes one.
fn executions(served: &Served) -> usize {
    let listed = served.as_one("udo").get("/v1/executions").body.to_string();
    listed.matches(r#""execution_id""#).count()
}

/// A body that a wrong reader takes for a request of its own.
fn smuggled(served: &Served) -> String {
    let inner = head(served, "POST", "/v1/executions", "ann");
    format!("{inner}Content-Length: 2\r\n\r\n{{}}")
}

#[rstest]
#[case::two_lengths("Content-Length: 0\r\nContent-Length: SIZE\r\n")]
#[case::two_lengths_in_one("Content-Length: 0, SIZE\r\n")]
#[case::length_and_chunks("Content-Length: SIZE\r\nTransfer-Encoding: chunked\r\n")]
#[case::chunks_and_length("Transfer-Encoding: chunked\r\nContent-Length: SIZE\r\n")]
#[case::no_chunks("Transfer-Encoding: identity\r\nContent-Length: SIZE\r\n")]
#[case::chunks_not_last("Transfer-Encoding: chunked, identity\r\n")]
#[case::chunks_twice("Transfer-Encoding: chunked, chunked\r\n")]
#[case::nearly_chunks("Transfer-Encoding: xchunked\r\n")]
#[case::chunks_behind_a_tab("Transfer-Encoding:\tchunked\r\nContent-Length: SIZE\r\n")]
#[case::space_before_the_colon("Content-Length : SIZE\r\n")]
#[case::folded("Content-Length:\r\n SIZE\r\n")]
#[case::signed("Content-Length: +SIZE\r\n")]
#[case::hexadecimal("Content-Length: 0xSIZE\r\n")]
#[case::negative("Content-Length: -1\r\n")]
#[case::beyond_bounds("Content-Length: 18446744073709551616\r\n")]
fn no_request_is_smuggled_in_the_body_of_another(#[case] framing: &str) {
    let served = Served::with(small());
    let inner = smuggled(&served);
    let framing = framing.replace("SIZE", &(inner.len() + 5).to_string());
    let outer = head(&served, "POST", "/v1/executions/nobody/end", "olga");
    let answers = exchange(&served, format!("{outer}{framing}\r\n0\r\n\r\n{inner}").as_bytes());
    let outcomes = outcomes(&answers);
    assert!(outcomes.len() <= 1, "{framing} {outcomes:?}");
    assert_eq!(executions(&served), 0, "{framing} {outcomes:?}");
}

#[test]
fn heads_that_are_none_are_refused_and_the_connection_ends() {
    let served = Served::with(small());
    let ann = head(&served, "GET", "/v1/executions", "ann");
    let udo = head(&served, "GET", "/v1/executions", "udo");
    let cases = [
        ("a line feed in a name", format!("{udo}X\nY: 1\r\n\r\n")),
        ("a carriage return in a value", format!("{udo}X: a\rb\r\n\r\n")),
        ("a zero byte in a value", format!("{udo}X: a\0b\r\n\r\n")),
        ("no version", "GET /healthz\r\n\r\n".to_owned()),
        ("another protocol", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_owned()),
        ("no HTTP", "\u{16}\u{3}\u{1}\r\n\r\n".to_owned()),
        ("a header of 200 KiB", format!("{udo}X: {}\r\n\r\n", "x".repeat(200 << 10))),
        ("two hundred headers", format!("{udo}{}\r\n", "X: 1\r\n".repeat(200))),
        ("a path of 70 KiB", format!("GET /{} HTTP/1.1\r\n\r\n", "x".repeat(70 << 10))),
        (
            "two credentials",
            format!("{udo}Authorization: Bearer swk_x\r\nConnection: close\r\n\r\n"),
        ),
        ("the same credential twice", {
            let key = served.key("udo");
            format!("{udo}Authorization: Bearer {key}\r\nConnection: close\r\n\r\n")
        }),
        ("a credential in another role", format!("{ann}Connection: close\r\n\r\n")),
        ("a credential that is not ASCII", {
            let head = "GET /v1/executions HTTP/1.1\r\nAuthorization: Bearer sw\u{e9}\r\n";
            format!("{head}Connection: close\r\n\r\n")
        }),
        ("another scheme", {
            let head = "GET /v1/executions HTTP/1.1\r\nAuthorization: Basic dWRvOg==\r\n";
            format!("{head}Connection: close\r\n\r\n")
        }),
        ("a method that is none", "EAT /healthz HTTP/1.1\r\nConnection: close\r\n\r\n".to_owned()),
        ("CONNECT", "CONNECT localhost:22 HTTP/1.1\r\nConnection: close\r\n\r\n".to_owned()),
        ("TRACE", "TRACE /healthz HTTP/1.1\r\nConnection: close\r\n\r\n".to_owned()),
        ("OPTIONS", "OPTIONS * HTTP/1.1\r\nConnection: close\r\n\r\n".to_owned()),
    ];
    let told = cases.map(|(name, request)| {
        format!("{name}: {}", outcomes(&exchange(&served, request.as_bytes())).join(", "))
    });
    assert_snapshot!(told.join("\n"));
}

#[test]
fn a_key_for_a_repeated_request_is_read_strictly() {
    let served = Served::with(small());
    let post = head(&served, "POST", "/v1/executions", "ann");
    let cases = [
        ("empty", "Idempotency-Key: \r\n".to_owned()),
        ("not ASCII", "Idempotency-Key: caf\u{e9}\r\n".to_owned()),
        ("too long", format!("Idempotency-Key: {}\r\n", "k".repeat(257))),
        ("twice", "Idempotency-Key: a\r\nIdempotency-Key: a\r\n".to_owned()),
    ];
    for (name, key) in cases {
        let request = format!("{post}{key}Content-Length: 2\r\nConnection: close\r\n\r\n{{}}");
        let answers = exchange(&served, request.as_bytes());
        assert_eq!(outcomes(&answers), ["400 invalid_arguments"], "{name}");
    }
    assert_eq!(executions(&served), 0);
}

#[test]
fn a_head_that_does_not_come_ends_the_connection() {
    let served = Served::with(small());
    let begun = Instant::now();
    for part in ["", "GET /healthz HTTP/1.1\r\nX: "] {
        let mut stream = connect(&served);
        stream.write_all(part.as_bytes()).unwrap();
        rest(&mut stream);
    }
    assert!(begun.elapsed() < Duration::from_secs(10));
}

#[test]
fn a_head_that_comes_a_byte_at_a_time_ends_the_connection() {
    let served = Served::with(small());
    let mut stream = connect(&served);
    let slow = std::iter::repeat_n(b"x", 3_000);
    let written = "GET /healthz HTTP/1.1\r\nX: ".as_bytes().iter().chain(slow.flatten());
    let mut sent = 0;
    for byte in written {
        if stream.write_all(&[*byte]).is_err() {
            break;
        }
        sent += 1;
        // The pace of the attack: each byte comes well within the time for the whole.
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(sent < 3_000, "the connection took it all");
}

#[test]
fn a_connection_on_which_nothing_more_comes_ends() {
    let served = Served::with(small());
    let answers = exchange(&served, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert_eq!(outcomes(&answers), ["200"]);
}

#[rstest]
#[case::nothing_comes("Content-Length: 10\r\n\r\n", "", "408 request_timeout")]
#[case::less_comes("Content-Length: 10\r\n\r\n{}", "", "408 request_timeout")]
#[case::a_byte_at_a_time("Content-Length: 4000\r\n\r\n", " ", "408 request_timeout")]
#[case::a_chunk_at_a_time(
    "Transfer-Encoding: chunked\r\n\r\n",
    "1\r\n \r\n",
    "408 request_timeout"
)]
#[case::a_digit_at_a_time("Transfer-Encoding: chunked\r\n\r\n", "0", "408 request_timeout")]
fn a_body_that_does_not_come_is_not_waited_for(
    #[case] start: &str,
    #[case] drop_by_drop: &str,
    #[case] outcome: &str,
) {
    let served = Served::with(small());
    let mut stream = connect(&served);
    let head = head(&served, "POST", "/v1/executions", "ann");
    stream.write_all(format!("{head}{start}").as_bytes()).unwrap();
    let mut writer = stream.try_clone().unwrap();
    let drops = drop_by_drop.to_owned();
    let dripping = std::thread::spawn(move || {
        while !drops.is_empty() && writer.write_all(drops.as_bytes()).is_ok() {
            std::thread::sleep(Duration::from_millis(10));
        }
    });
    assert_eq!(outcomes(&rest(&mut stream)), [outcome]);
    drop(stream);
    dripping.join().unwrap();
    assert_eq!(executions(&served), 0);
}

#[rstest]
#[case::announced("Content-Length: 4097\r\n\r\n", "")]
#[case::announced_and_never_sent("Content-Length: 1000000000000\r\n\r\n", "")]
#[case::in_chunks_without_end("Transfer-Encoding: chunked\r\n\r\n", "10\r\n0123456789abcdef\r\n")]
fn a_body_that_is_too_large_is_not_read_to_its_end(#[case] start: &str, #[case] more: &str) {
    let mut limits = small();
    // So that it is the size that ends it.
    limits.body_time = Duration::from_secs(60);
    let served = Served::with(limits);
    let mut stream = connect(&served);
    let head = head(&served, "POST", "/v1/executions", "ann");
    stream.write_all(format!("{head}{start}").as_bytes()).unwrap();
    let mut writer = stream.try_clone().unwrap();
    let more = more.to_owned();
    let endless =
        std::thread::spawn(
            move || {
                while !more.is_empty() && writer.write_all(more.as_bytes()).is_ok() {}
            },
        );
    let mut answer = [0; 12];
    stream.read_exact(&mut answer).unwrap();
    assert_eq!(&answer, b"HTTP/1.1 413");
    drop(stream);
    endless.join().unwrap();
}

#[rstest]
#[case::announced("ann", "Content-Length: 2000000\r\n\r\n", "", "413 too_large")]
#[case::in_chunks(
    "ann",
    "Transfer-Encoding: chunked\r\n\r\n1e8480\r\n",
    "\r\n0\r\n\r\n",
    "413 too_large"
)]
#[case::of_nobody("", "Content-Length: 2000000\r\n\r\n", "", "401 unauthenticated")]
fn who_sends_all_of_a_body_that_nobody_reads_is_answered_all_the_same(
    #[case] principal: &str,
    #[case] start: &str,
    #[case] end: &str,
    #[case] outcome: &str,
) {
    let mut limits = Limits::default();
    limits.body_bytes = 4_096;
    let served = Served::with(limits);
    let head = match principal {
        "" => "POST /v1/executions HTTP/1.1\r\nHost: localhost\r\n".to_owned(),
        known => head(&served, "POST", "/v1/executions", known),
    };
    let mut stream = connect(&served);
    stream.write_all(format!("{head}{start}").as_bytes()).unwrap();
    let body = " ".repeat(2_000_000);
    let (enough, rest) = body.split_at(8_192);
    stream.write_all(enough.as_bytes()).unwrap();
    // By now the answer is there: a client that looks for it only when all was sent comes later.
    stream.peek(&mut [0]).unwrap();
    stream.write_all(rest.as_bytes()).unwrap();
    stream.write_all(end.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert_eq!(outcomes(&answer), [outcome]);
}

#[test]
fn chunks_that_are_none_are_refused() {
    let served = Served::with(small());
    for chunks in ["FFFFFFFFFFFFFFFFF\r\n", "-1\r\n", "x\r\n", "2\r\n{}0\r\n\r\n"] {
        let head = head(&served, "POST", "/v1/executions", "ann");
        let request = format!("{head}Transfer-Encoding: chunked\r\n\r\n{chunks}");
        let outcomes = outcomes(&exchange(&served, request.as_bytes()));
        assert_eq!(outcomes, ["400 invalid_document"], "{chunks:?}");
    }
    assert_eq!(executions(&served), 0);
}

#[test]
fn a_body_is_not_asked_for_before_it_is_known_who_sends_it() {
    let served = Served::with(small());
    let head = "POST /v1/executions HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n";
    let answers = exchange(&served, format!("{head}Connection: close\r\n\r\n").as_bytes());
    assert_eq!(outcomes(&answers), ["401 unauthenticated"]);
}

#[rstest]
#[case::nobody("POST /v1/executions HTTP/1.1\r\nContent-Length: 2\r\n\r\n", "401 unauthenticated")]
#[case::nowhere("POST /nowhere HTTP/1.1\r\nContent-Length: 2\r\n\r\n", "404 route_not_found")]
#[case::in_no_way("POST /healthz HTTP/1.1\r\nContent-Length: 2\r\n\r\n", "405 method_not_allowed")]
fn what_is_answered_before_its_body_has_come_is_the_last_of_its_connection(
    #[case] head: &str,
    #[case] outcome: &str,
) {
    let served = Served::with(small());
    let answers = exchange(&served, head.as_bytes());
    assert_eq!(outcomes(&answers), [outcome]);
    assert!(answers.contains("connection: close"), "{answers}");
    let whole = exchange(&served, format!("{head}{{}}GET /healthz HTTP/1.1\r\n\r\n").as_bytes());
    assert_eq!(outcomes(&whole), [outcome], "what comes after it is not read");
}

#[test]
fn a_refusal_of_what_was_read_leaves_the_connection_to_the_next_request() {
    let served = Served::with(small());
    let get = "GET /v1/executions HTTP/1.1\r\n\r\n";
    let post = head(&served, "POST", "/v1/executions", "ann");
    let post = format!("{post}Content-Length: 2\r\n\r\n[]");
    let answers = exchange(&served, format!("{get}{post}{get}").as_bytes());
    let [unknown, wrong] = ["401 unauthenticated", "400 invalid_document"];
    assert_eq!(outcomes(&answers), [unknown, wrong, unknown]);
}

#[test]
fn who_asks_and_never_reads_loses_the_connection() {
    let served = Served::with(small());
    let mut stream = connect(&served);
    let request = "GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(20);
    // Once nothing that is answered can be sent any more, nothing more is read, and then it is over.
    while stream.write_all(request.as_bytes()).is_ok() {}
    assert_eq!(served.as_nobody().get("/healthz").status, 200);
}
