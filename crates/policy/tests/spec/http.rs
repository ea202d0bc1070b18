//! What a server answers, and what that comes to.

use std::env;
use std::process::Command;

use insta::assert_snapshot;
use swampbox_authority::{AuthorityProvider, Verdict};
use swampbox_policy::AuthorityUrl;

use crate::asked::{allows, asked, decision, lines};
use crate::server::{Server, ok};

#[test]
fn what_a_server_allows_is_released() {
    assert_snapshot!(Server::answering(&allows()).outcome());
}

#[test]
fn what_a_server_denies_is_not() {
    let denies = decision(Verdict::Deny).to_document().to_string();
    assert_snapshot!(Server::answering(&denies).outcome());
}

#[test]
fn the_question_is_the_snapshot_and_the_time_in_one_post() {
    let server = Server::answering(&allows());
    let provider = server.builder().build();
    provider.evaluate(&asked()).unwrap();
    let question = server.finish();
    let host = question.lines().find(|line| line.starts_with("host: ")).unwrap();
    assert_snapshot!(question.replace(host, "host: HOST").replace('\r', ""));
}

#[test]
fn an_answer_rests_on_the_url_and_is_kept_as_it_was_received() {
    let body = format!(" {}\n", allows());
    let server = Server::answering(&body);
    let answer = server.builder().build().evaluate(&asked()).unwrap();
    assert_eq!(answer.as_received(), body);
    assert!(answer.basis().unwrap().to_string().starts_with(r#"{"url":"http://127.0.0.1:"#));
    server.finish();
}

#[test]
fn only_200_is_an_answer() {
    let statuses = [
        "201 Created",
        "202 Accepted",
        "204 No Content",
        "206 Partial Content",
        "400 Bad Request",
        "401 Unauthorized",
        "407 Proxy Authentication Required",
        "429 Too Many Requests",
        "500 Internal Server Error",
        "503 Service Unavailable",
        "799 What",
    ];
    assert_snapshot!(lines(statuses, |status| {
        let body = allows();
        Server::writing(ok(&body).replace("200 OK", status)).outcome()
    }));
}

#[test]
fn a_redirect_is_not_followed() {
    let statuses = ["301 Moved Permanently", "302 Found", "307 Temporary Redirect"];
    assert_snapshot!(lines(statuses, |status| {
        let answer = format!(
            "HTTP/1.1 {status}\r\nlocation: /elsewhere\r\ncontent-length: 0\r\n\r\n{}",
            ok(&allows())
        );
        Server::writing(answer).outcome()
    }));
}

#[test]
fn an_answer_is_exactly_one_decision_about_this_consequence() {
    let allows = allows();
    let bodies = [
        String::new(),
        "ALLOW".into(),
        "<html>".into(),
        format!("{allows}{allows}"),
        format!("{allows}\n{allows}"),
        format!("[{allows}]"),
        allows.trim_end_matches('}').into(),
        allows.replace("\"ALLOW\"", "\"allow\""),
        allows.replace("\"ALLOW\"", "true"),
        allows.replacen('{', "{\"verdict\": \"DENY\", ", 1),
        allows.replacen('{', "{\"note\": 1, ", 1),
        allows.replace("\"X\"", "\"Y\""),
        allows.replace("\"exec-A\"", "\"exec-B\""),
        allows.replace("\"inbox\"", "\"outbox\""),
        allows.replace("T12:10:00Z", "T12:07:00Z"),
        allows.replace("T12:00:00Z", "T12:07:01Z"),
    ];
    assert_snapshot!(lines(bodies, |body| Server::answering(&body).outcome()));
}

#[test]
fn an_answer_may_come_in_chunks() {
    let (first, second) = (&allows()[..50], &allows()[50..]);
    let answer = format!(
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n{:x}\r\n{first}\r\n{:x}\r\n{second}\r\n0\r\n\r\n",
        first.len(),
        second.len()
    );
    assert_snapshot!(Server::writing(answer).outcome());
}

#[test]
fn no_proxy_is_taken_from_the_environment() {
    let again = Command::new(env::current_exe().unwrap())
        .args(["--exact", "http::what_a_server_allows_is_released"])
        .envs(["ALL_PROXY", "HTTP_PROXY", "http_proxy"].map(|name| (name, "http://127.0.0.1:1")))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&again.stdout).into_owned();
    assert!(said.contains("1 passed"), "{said}");
}

#[test]
fn a_url_is_https_or_on_loopback_and_holds_no_secret() {
    let long = format!("https://authority.example.com/{}", "x".repeat(2_048));
    let texts = [
        "https://authority.example.com",
        "https://authority.example.com:8443/decide",
        "https://10.0.0.1/decide",
        "http://127.0.0.1:8080/decide",
        "http://127.3.2.1/decide",
        "http://[::1]:8080/decide",
        "http://authority.example.com/decide",
        "http://localhost/decide",
        "http://10.0.0.1/decide",
        "http://127.1/decide",
        "http://2130706433/decide",
        "http://127.0.0.1.example.com/decide",
        "http://[::ffff:127.0.0.1]/decide",
        "http://0.0.0.0/decide",
        "https://ann:hunter2@example.com/decide",
        "http://127.0.0.1@example.com/decide",
        "http://example.com\\@127.0.0.1/decide",
        "https://example.com/decide?token=hunter2",
        "https://example.com/decide#hunter2",
        "https://example.com:0/decide",
        "https://example.com:/decide",
        "https://example.com:65536/decide",
        "https:///decide",
        "https://",
        "https://exa mple.com/",
        "https://ex\u{e4}mple.com/",
        "https://example.com/\r\nhost: hunter2",
        "HTTPS://example.com/decide",
        "ftp://example.com/decide",
        "example.com/decide",
        "",
        &long,
    ];
    assert_snapshot!(lines(texts, |text| {
        let shown: String = text.escape_default().take(48).collect();
        match text.parse::<AuthorityUrl>() {
            Ok(url) => {
                assert_eq!(url.to_string(), text);
                format!("{shown:50} taken")
            }
            Err(error) => {
                let error = error.to_string();
                assert!(!error.contains("hunter2"));
                format!("{shown:50} {}", error.rsplit_once("; ").unwrap().1)
            }
        }
    }));
}
