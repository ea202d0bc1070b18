//! The console: who gets in, and how far.

use std::fmt::Write;
use std::time::Duration;

use insta::assert_snapshot;
use rstest::rstest;
use swampbox_service::{ApiKey, Limits};

use crate::person::{Page, Person};
use crate::served::{Served, write};

/// Every page, with ids that may stand in it.
pub(crate) const PAGES: [&str; 9] = [
    "/",
    "/decide",
    "/decide/X",
    "/consequences",
    "/consequences/X",
    "/executions",
    "/quarantine",
    "/ledger",
    "/consequences?state=CONTAINED&target=files",
];

/// Every form, with the fields that it has beside its token.
const FORMS: [(&str, &[(&str, &str)]); 7] = [
    ("/decide/X", &[("verdict", "ALLOW"), ("reason", "r"), ("window_seconds", "60")]),
    ("/consequences/X/observe", &[]),
    ("/consequences/X/resolve", &[("verdict", "unresolved"), ("evidence", "e")]),
    ("/executions/A/end", &[]),
    ("/quarantine/X/adopt", &[("execution_id", "A")]),
    ("/ledger/verify", &[]),
    ("/ledger/checkpoint", &[]),
];

/// One in which the release of X, which A holds, waits for a decision.
pub(crate) fn waiting() -> Served {
    let served = Served::new();
    proposed(&served, "hello\n");
    served
}

fn proposed(served: &Served, content: &str) {
    let agent = served.execution("ann", "A");
    let body = write("note", content).replacen('{', r#"{"consequence_id":"X","#, 1);
    assert_eq!(agent.post("/v1/consequences", &body).status, 201);
    assert_eq!(agent.post("/v1/consequences/X/release", "").text("reason"), "authority_pending");
}

#[test]
fn a_key_opens_a_session_whose_cookie_no_script_and_no_other_site_uses() {
    let served = Served::new();
    let answer = Person::stranger(&served).send("/login", &[("key", served.key("carl"))], &[]);
    let (id, rest) = answer.cookie().split_once(';').unwrap();
    let name = format!("swampbox_session_{}=", served.address.port());
    assert_eq!(id.strip_prefix(&name).map(str::len), Some(43));
    assert!(!answer.cookie().contains(served.key("carl")));
    assert_snapshot!(format!("{} {}\n[id];{rest}", answer.status, answer.header("location")));
}

#[test]
fn no_other_key_opens_a_session() {
    let served = Served::new();
    let stranger = ApiKey::generate().unwrap();
    let token = served.as_one("ann").post("/v1/executions", r#"{"execution_id":"A"}"#);
    let told = [stranger.reveal(), "", served.key("ann"), token.text("token")].map(|key| {
        let answer = Person::stranger(&served).send("/login", &[("key", key)], &[]);
        assert!(key.is_empty() || !answer.html.contains(key));
        (answer.status, answer.cookie().to_owned())
    });
    assert_eq!(
        told.map(|(status, cookie)| format!("{status} {cookie}")),
        ["401 -", "401 -", "403 -", "401 -"]
    );
}

#[test]
fn a_login_that_another_site_sends_is_refused() {
    let served = Served::new();
    let key = [("key", served.key("carl"))];
    for header in [("sec-fetch-site", "cross-site"), ("origin", "https://evil.example")] {
        let answer = Person::stranger(&served).send("/login", &key, &[header]);
        assert_eq!((answer.status, answer.cookie()), (403, "-"), "{header:?}");
    }
}

#[test]
fn without_a_session_nothing_is_shown_and_nothing_is_done() {
    let served = waiting();
    let mut somebody = Person::stranger(&served);
    let name = format!("swampbox_session_{}=", served.address.port());
    for cookie in [None, Some(format!("{name}guessed")), Some(name)] {
        somebody.cookie = cookie;
        for path in PAGES {
            let page = somebody.get(path);
            assert_eq!((page.status, page.header("location")), (303, "/login"), "{path}");
            assert_eq!(page.html, "");
            let looked = somebody.get_with(path, &[("swampbox-looks", "1")]);
            assert_eq!(looked.status, 401, "{path}");
        }
        for (path, fields) in FORMS {
            let page = somebody.post(path, fields);
            assert_eq!((page.status, page.header("location")), (303, "/login"), "{path}");
        }
    }
}

#[rstest]
#[case::idle(|limits: &mut Limits| limits.session_idle = Duration::ZERO)]
#[case::old(|limits: &mut Limits| limits.session_age = Duration::ZERO)]
fn a_session_that_is_over_opens_nothing(#[case] end: fn(&mut Limits)) {
    let mut limits = Limits::default();
    end(&mut limits);
    let served = Served::with(limits);
    let mut person = Person::stranger(&served);
    let answer = person.send("/login", &[("key", served.key("carl"))], &[]);
    person.cookie = Some(answer.cookie().split(';').next().unwrap().to_owned());
    assert_eq!(person.get("/").header("location"), "/login");
}

#[test]
fn two_services_on_one_host_leave_each_other_their_sessions() {
    let (one, other) = (Served::new(), Served::new());
    let (mut carl, mut cora) = (Person::logged_in(&one, "carl"), Person::logged_in(&other, "cora"));
    // A browser sends to each what both have set.
    let both = [&carl, &cora].map(|person| person.cookie.clone().unwrap()).join("; ");
    for person in [&mut carl, &mut cora] {
        person.cookie = Some(both.clone());
        assert_eq!(person.get("/").status, 200);
    }
    carl.post("/logout", &[]);
    assert_eq!([carl, cora].map(|person| person.get("/").status), [303, 200]);
}

#[test]
fn who_logs_out_is_out() {
    let served = Served::new();
    let carl = Person::logged_in(&served, "carl");
    let other = Person::logged_in(&served, "carl");
    assert_eq!(carl.send("/logout", &[("csrf", "guessed")], &[]).status, 403);
    assert_eq!(carl.get("/").status, 200);
    let answer = carl.post("/logout", &[]);
    assert_eq!(answer.header("location"), "/login");
    assert!(answer.cookie().ends_with("Max-Age=0"));
    assert_eq!(carl.get("/").header("location"), "/login");
    assert_eq!(other.get("/").status, 200, "another session goes on");
}

#[test]
fn a_form_without_the_token_of_its_session_does_nothing() {
    let served = waiting();
    let before = served.as_one("udo").get("/v1/ledger").body;
    let (olga, carl) = (Person::logged_in(&served, "olga"), Person::logged_in(&served, "carl"));
    let others = Person::logged_in(&served, "olga").token;
    for (path, fields) in FORMS {
        let person = if path.starts_with("/decide") { &carl } else { &olga };
        let send = |extra: &[(&str, &str)], headers: &[(&str, &str)]| {
            person.send(path, &[fields, extra].concat(), headers).status
        };
        let token = [("csrf", person.token.as_str())];
        let twice = [token[0], token[0]];
        let told = [
            send(&[], &[]),
            send(&[("csrf", "")], &[]),
            send(&[("csrf", &others)], &[]),
            send(&token, &[("sec-fetch-site", "cross-site")]),
            send(&token, &[("sec-fetch-site", "same-site")]),
            send(&token, &[("origin", "null")]),
            send(&token, &[("origin", "https://evil.example")]),
            send(&token, &[("content-type", "text/plain")]),
            send(&twice, &[]),
        ];
        assert_eq!(told, [403, 403, 403, 403, 403, 403, 403, 400, 400], "{path}");
    }
    assert_eq!(served.as_one("udo").get("/v1/ledger").body, before);
}

#[test]
fn each_role_is_shown_what_it_may_do_and_refused_the_rest() {
    let served = waiting();
    let mut table = String::new();
    for name in ["olga", "carl", "udo"] {
        let person = Person::logged_in(&served, name);
        for path in PAGES {
            let page = person.get(path);
            writeln!(table, "{name} {path}: {}", page.status).unwrap();
            if page.status == 200 {
                let known = [
                    "/",
                    "/decide",
                    "/consequences",
                    "/executions",
                    "/quarantine",
                    "/ledger",
                    "send /logout",
                    "send /consequences",
                ];
                let own = page
                    .ways()
                    .into_iter()
                    .filter(|way| path == "/" || !known.contains(&way.as_str()));
                own.for_each(|way| writeln!(table, "    {way}").unwrap());
            }
        }
        for (path, _) in FORMS {
            // What is wrong with the form itself is said to those alone who may send it.
            let status = person.post(path, &[("unknown", "")]).status;
            writeln!(table, "{name} sends {path}: {status}").unwrap();
        }
    }
    assert_snapshot!(table);
}

#[test]
fn every_answer_keeps_a_browser_from_doing_more_than_show_it() {
    let served = waiting();
    let (olga, carl) = (Person::logged_in(&served, "olga"), Person::logged_in(&served, "carl"));
    let stranger = Person::stranger(&served);
    let mut answers: Vec<Page> = PAGES.iter().map(|path| olga.get(path)).collect();
    answers.extend(PAGES.iter().map(|path| carl.get(path)));
    answers.extend([stranger.get("/"), stranger.get("/login"), carl.get("/consequences/nothing")]);
    answers.push(stranger.send("/login", &[("key", "wrong")], &[]));
    answers.push(olga.post("/ledger/verify", &[]));
    answers.push(carl.post("/decide/X", &[]));
    let names =
        ["content-security-policy", "x-content-type-options", "referrer-policy", "cache-control"];
    let told = answers
        .iter()
        .map(|answer| names.map(|name| format!("{name}: {}", answer.header(name))).join("\n"));
    let mut told: Vec<_> = told.collect();
    told.dedup();
    assert_snapshot!(told.join("\n---\n"));
    for answer in &answers {
        assert!(!answer.html.contains("style="), "{}", answer.html);
        let inline = answer
            .tags()
            .into_iter()
            .filter(|tag| tag.starts_with("script") || tag.starts_with("style"));
        assert!(inline.into_iter().all(|tag| tag.contains(r#"src="/assets/"#)));
    }
}

#[test]
fn the_files_beside_the_pages_are_there_for_good() {
    let served = Served::new();
    let page = Person::stranger(&served).get("/login");
    let paths = page.tags().into_iter().filter_map(|tag| {
        let (_, rest) = tag.split_once("/assets/")?;
        Some(format!("/assets/{}", rest.split('"').next()?))
    });
    let told = paths.map(|path| {
        let asset = Person::stranger(&served).get(&path);
        let name = path.rsplit('/').next().unwrap();
        let [media, cache, sniff] = ["content-type", "cache-control", "x-content-type-options"]
            .map(|name| asset.header(name).to_owned());
        format!("{name} {} {media} {cache} {sniff}", asset.status)
    });
    assert_snapshot!(told.collect::<Vec<_>>().join("\n"));
}
