//! That the token goes to the server and nowhere else.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use insta::assert_snapshot;
use swampbox_authority::AuthorityProvider;
use swampbox_policy::{BearerToken, HttpProvider};

use crate::asked::{allows, asked, lines, parsed};
use crate::server::{Server, TOKEN, ok};

#[test]
fn the_debug_output_holds_no_token() {
    let url = parsed("https://authority.example.com/decide");
    let builder = HttpProvider::builder(url).bearer(parsed(TOKEN)).named("authority");
    let shown =
        format!("{builder:?}\n{:?}\n{:?}", builder.clone().build(), parsed::<BearerToken>(TOKEN));
    assert!(!shown.contains(TOKEN));
    assert_snapshot!(shown);
}

#[test]
fn without_a_token_none_is_sent() {
    let server = Server::answering(&allows());
    server.builder_without_token().build().evaluate(&asked()).unwrap();
    assert!(!server.finish().contains("authorization"));
}

#[test]
fn a_server_that_repeats_the_token_is_not_repeated() {
    let escaped: String = TOKEN.bytes().map(|byte| format!("\\u{byte:04x}")).collect();
    let answers = [
        format!("HTTP/1.1 401 {TOKEN}\r\ncontent-length: 17\r\n\r\n{TOKEN}"),
        format!("HTTP/1.1 302 Found\r\nlocation: https://evil.example.com/{TOKEN}\r\n\r\n"),
        format!("HTTP/1.1 302 Found\r\nlocation: http://[{TOKEN}\r\n\r\n"),
        format!("HTTP/1.1 {TOKEN}\r\n\r\n"),
        format!("{TOKEN}\r\n\r\n"),
        format!("HTTP/1.1 200 OK\r\ncontent-length: {TOKEN}\r\n\r\n"),
        ok(TOKEN),
        ok(&allows().replace("decision-1", TOKEN)),
        ok(&allows().replace("decision-1", &escaped)),
        ok(&allows().replacen('{', &format!("{{\"{escaped}\": 1, "), 1)),
    ];
    assert_snapshot!(lines(answers, |answer| {
        let outcome = Server::writing(answer).outcome();
        assert!(!outcome.contains(TOKEN));
        outcome
    }));
}

/// The token in base64: alone, as the header had it, and behind other bytes.
fn encoded() -> Vec<String> {
    let behind = ["", "Bearer ", "x", "authorization: Bearer "];
    let encoded = behind.map(|before| {
        let bytes = format!("{before}{TOKEN}");
        [STANDARD.encode(&bytes), URL_SAFE_NO_PAD.encode(&bytes)]
    });
    encoded.concat()
}

#[test]
fn a_decision_that_holds_the_token_in_another_spelling_is_none() {
    let percent: String = TOKEN.bytes().map(|byte| format!("%{byte:02X}")).collect();
    let in_json: String = TOKEN.bytes().map(|byte| format!("\\\\u{byte:04x}")).collect();
    let spelled = [percent, in_json, TOKEN.to_ascii_uppercase()];
    for spelling in encoded().into_iter().chain(spelled) {
        let escaped: String = spelling.bytes().map(|byte| format!("\\u{byte:04X}")).collect();
        let answers = [
            allows().replace("decision-1", &spelling),
            allows().replacen('{', &format!("{{\"reason\": \"it was {spelling}\", "), 1),
            allows().replacen('{', &format!("{{\"{escaped}\": 1, "), 1),
            format!("{{\"{escaped}\": "),
        ];
        for answer in answers {
            let outcome = Server::answering(&answer).outcome();
            assert!(outcome.ends_with("its answer repeats the token"), "{answer}\n{outcome}");
        }
    }
}

#[test]
fn a_decision_may_hold_a_part_of_the_token() {
    let part = TOKEN.get(..TOKEN.len() - 1).unwrap();
    let server = Server::answering(&allows().replace("decision-1", part));
    let provider = server.builder().build();
    assert!(provider.evaluate(&asked()).unwrap().decision_id().is_some());
    server.finish();
}

#[test]
fn a_token_is_one_that_a_header_can_carry() {
    let (short, long) = ("x".repeat(15), "x".repeat(4_097));
    let texts = [
        TOKEN,
        "abcdefghijklmnop==",
        "AZaz09-._~+/AZaz09",
        &"x".repeat(4_096),
        &short,
        &long,
        "",
        "================",
        "abcdefgh=ijklmnop",
        "abcdefgh ijklmnop",
        "abcdefghijklmnop\r\nx: y",
        "abcdefghijklmnop\n",
        "abcdefghijklmn\u{f6}p",
        "\"abcdefghijklmnop\"",
    ];
    assert_snapshot!(lines(texts, |text| {
        let shown: String = text.escape_default().take(24).collect();
        match text.parse::<BearerToken>() {
            Ok(_) => format!("{shown:26} taken"),
            Err(error) => format!("{shown:26} {}: {error}", error.code()),
        }
    }));
}
