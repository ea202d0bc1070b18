//! That the token goes to the server and nowhere else.

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
