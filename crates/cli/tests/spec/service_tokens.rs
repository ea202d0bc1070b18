//! Bearer tokens of an issuer, as principals of the service.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use insta::assert_snapshot;
use ring::rand::SystemRandom;
use ring::rsa::PublicKeyComponents;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair, RSA_PKCS1_SHA256,
    RSA_PSS_SHA256, RsaKeyPair,
};
use tiny_http::{Response, Server};

use crate::deciding::told;
use crate::ledger::Ledger;
use crate::service::{Serving, configured, text};

fn encoded(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// A key of the issuer.
struct Key {
    id: &'static str,
    pair: Ed25519KeyPair,
}

impl Key {
    fn new(id: &'static str) -> Self {
        let document = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).unwrap();
        Self { id, pair: Ed25519KeyPair::from_pkcs8(document.as_ref()).unwrap() }
    }

    /// The public half, for a set of keys.
    fn public(&self) -> String {
        let (id, x) = (self.id, encoded(self.pair.public_key()));
        format!(r#"{{"kty":"OKP","crv":"Ed25519","kid":"{id}","x":"{x}"}}"#)
    }

    fn head(&self) -> String {
        format!(r#"{{"alg":"EdDSA","kid":"{}"}}"#, self.id)
    }

    fn token(&self, head: &str, claims: &str) -> String {
        signed(head, claims, |message| self.pair.sign(message).as_ref().to_vec())
    }
}

fn signed(head: &str, claims: &str, sign: impl Fn(&[u8]) -> Vec<u8>) -> String {
    let message = format!("{}.{}", encoded(head), encoded(claims));
    let signature = encoded(sign(message.as_bytes()));
    format!("{message}.{signature}")
}

/// Claims of an agent, of which some are otherwise; `-` leaves one out.
fn claims(otherwise: &[(&str, &str)]) -> String {
    let until = seconds() + 300;
    let usual = [
        ("iss", r#""https://login.example.com""#.to_owned()),
        ("aud", r#""swampbox""#.to_owned()),
        ("exp", until.to_string()),
        ("sub", r#""robot-7""#.to_owned()),
        ("groups", r#"["staff","builders"]"#.to_owned()),
    ];
    let added = otherwise.iter().filter(|(name, _)| !usual.iter().any(|(known, _)| known == name));
    let fields = usual.iter().map(|(name, value)| {
        let other = otherwise.iter().find(|(changed, _)| changed == name);
        (*name, other.map_or(value.as_str(), |(_, value)| value))
    });
    let fields = fields.chain(added.copied()).filter(|(_, value)| *value != "-");
    let fields: Vec<_> = fields.map(|(name, value)| format!("{name:?}:{value}")).collect();
    format!("{{{}}}", fields.join(","))
}

fn seconds() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()
}

fn believing(keys: &str) -> Ledger {
    configured(&format!(
        "[service.oidc]\nissuer = \"https://login.example.com\"\naudience = \"swampbox\"\n{keys}\n\
         roles = {{ builders = [\"agent\"] }}\n"
    ))
}

fn believing_in_a_file(set: &[String]) -> Ledger {
    // The file is needed before anything reads the configuration.
    let ledger = believing("key_set_file = \"keys.json\"");
    ledger.write("keys.json", format!(r#"{{"keys":[{}]}}"#, set.join(",")));
    ledger
}

/// The status, and the code of a refusal.
fn shown(serving: &Serving, token: &str) -> String {
    match serving.post(token, "/v1/executions", "") {
        (201, _) => "201".to_owned(),
        (status, problem) => format!("{status} {}", text(&problem, "code")),
    }
}

#[test]
fn a_token_that_the_issuer_signed_is_believed_whatever_kind_its_key_is() {
    let random = SystemRandom::new();
    let ed = Key::new("ed");
    let ec = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).unwrap();
    let ec =
        EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, ec.as_ref(), &random).unwrap();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tls/rsa.der");
    let rsa = RsaKeyPair::from_pkcs8(&fs::read(file).unwrap()).unwrap();
    let PublicKeyComponents { n, e } = PublicKeyComponents::<Vec<u8>>::from(rsa.public());
    let (x, y) = ec.public_key().as_ref()[1..].split_at(32);
    let set = [
        ed.public(),
        format!(
            r#"{{"kty":"EC","crv":"P-256","kid":"ec","alg":"ES256","x":"{}","y":"{}"}}"#,
            encoded(x),
            encoded(y)
        ),
        format!(
            r#"{{"kty":"RSA","kid":"rsa","use":"sig","n":"{}","e":"{}"}}"#,
            encoded(n),
            encoded(e)
        ),
    ];
    let ledger = believing_in_a_file(&set);
    let serving = Serving::on(&ledger, "");
    let with_rsa = |padding, message: &[u8]| {
        let mut signature = vec![0; rsa.public().modulus_len()];
        rsa.sign(padding, &random, message, &mut signature).unwrap();
        signature
    };
    let claims = claims(&[]);
    let tokens = [
        ed.token(&ed.head(), &claims),
        signed(r#"{"alg":"ES256","kid":"ec","typ":"at+JWT"}"#, &claims, |message| {
            ec.sign(&random, message).unwrap().as_ref().to_vec()
        }),
        signed(r#"{"alg":"RS256","kid":"rsa"}"#, &claims, |m| with_rsa(&RSA_PKCS1_SHA256, m)),
        signed(r#"{"alg":"PS256","kid":"rsa"}"#, &claims, |m| with_rsa(&RSA_PSS_SHA256, m)),
    ];
    for token in tokens {
        assert_eq!(shown(&serving, &token), "201", "{token}");
    }
}

#[test]
fn whoever_shows_a_token_is_who_proposes() {
    let key = Key::new("k");
    let ledger = believing_in_a_file(&[key.public()]);
    let serving = Serving::on(&ledger, "");
    let token = key.token(&key.head(), &claims(&[]));
    let (_, made) = serving.post(&token, "/v1/executions", "");
    serving.proposed(&text(&made, "token"), "hello");
    let waits = ledger.run("decide --list --config swampbox.toml");
    assert!(waits.stdout.contains("asked by robot-7;"), "{waits}");
}

#[test]
fn the_token_of_an_execution_is_good_only_while_the_issuer_that_knew_its_maker_is_believed() {
    let key = Key::new("k");
    let ledger = believing_in_a_file(&[key.public()]);
    let file = ledger.directory().join("swampbox.toml");
    let config = fs::read_to_string(&file).unwrap();
    let serving = Serving::on(&ledger, "");
    let (_, made) = serving.post(&key.token(&key.head(), &claims(&[])), "/v1/executions", "");
    let token = text(&made, "token");
    drop(serving);
    let end = |config: &str| {
        ledger.write("swampbox.toml", config);
        let (status, answer) =
            Serving::on(&ledger, "").post(&token, "/v1/consequences/X/adopt", "");
        let code = text(&answer, "code");
        format!("{status} {code}")
    };
    let (before, rest) = config.split_once("[service.oidc]").unwrap();
    let (_, keys) = rest.split_once("[[service.principals]]").unwrap();
    let without = format!("{before}[[service.principals]]{keys}");
    assert_eq!(end(&config), "404 consequence_not_found");
    assert_eq!(end(&config.replace("login.example", "other.example")), "401 unauthenticated");
    assert_eq!(end(&config.replace("[\"agent\"] }", "[\"auditor\"] }")), "401 unauthenticated");
    assert_eq!(end(&without), "401 unauthenticated");
    assert_eq!(end(&config), "404 consequence_not_found");
}

#[test]
fn what_is_not_to_be_believed_is_not_believed() {
    let (key, other) = (Key::new("k"), Key::new("other"));
    let secret = format!(r#"{{"kty":"oct","kid":"oct","k":"{}"}}"#, encoded(b"secret"));
    let sealing = other.public().replace(r#""kid":"other""#, r#""kid":"enc","use":"enc""#);
    let ledger = believing_in_a_file(&[key.public(), secret, sealing]);
    let serving = Serving::on(&ledger, "");
    let head = key.head();
    let said = |otherwise: &[(&str, &str)]| key.token(&head, &claims(otherwise));
    let (past, future) = ((seconds() - 31).to_string(), (seconds() + 60).to_string());
    let good = said(&[]);
    let (signed_part, signature) = good.rsplit_once('.').unwrap();
    let (head_part, _) = signed_part.split_once('.').unwrap();
    let promoted = encoded(claims(&[("sub", r#""root""#)]));
    let headed = |head: &str| key.token(head, &claims(&[]));
    let cases = [
        ("as it should be", good.clone()),
        ("an audience of several", said(&[("aud", r#"["a","swampbox"]"#)])),
        ("one role, not in a list", said(&[("groups", r#""builders""#)])),
        ("expired just now", said(&[("exp", &(seconds() - 1).to_string())])),
        ("no role", said(&[("groups", r#"["staff"]"#)])),
        ("no groups", said(&[("groups", "-")])),
        ("expired", said(&[("exp", &past)])),
        ("no end", said(&[("exp", "-")])),
        ("an end that is no number", said(&[("exp", r#""tomorrow""#)])),
        ("an end beyond all times", said(&[("exp", "18446744073709551615")])),
        ("not yet valid", said(&[("nbf", &future)])),
        ("another issuer", said(&[("iss", r#""https://evil.example.com""#)])),
        ("no issuer", said(&[("iss", "-")])),
        ("another audience", said(&[("aud", r#""swampbox2""#)])),
        ("no audience", said(&[("aud", "-")])),
        ("no name", said(&[("sub", "-")])),
        ("a name that can't be", said(&[("sub", r#"" root""#)])),
        ("a name that hides something", said(&[("sub", r#""robot-7\u200b""#)])),
        ("a claim twice", said(&[("groups", r#"[],"groups":["builders"]"#)])),
        ("other claims", format!("{head_part}.{promoted}.{signature}")),
        ("another signature", format!("{signed_part}.{}", encoded([0; 64]))),
        ("no signature", format!("{signed_part}.")),
        ("a fourth part", format!("{good}.e30")),
        ("signed by nobody", format!("{}.{}.", encoded(r#"{"alg":"none"}"#), encoded(claims(&[])))),
        ("another's key", other.token(&head, &claims(&[]))),
        ("a key that is not known", other.token(&other.head(), &claims(&[]))),
        ("a key for something else", other.token(r#"{"alg":"EdDSA","kid":"enc"}"#, &claims(&[]))),
        ("a shared secret", headed(r#"{"alg":"HS256","kid":"oct"}"#)),
        ("the public key as a secret", headed(r#"{"alg":"HS256","kid":"k"}"#)),
        ("another algorithm", headed(r#"{"alg":"ES256","kid":"k"}"#)),
        ("something critical", headed(r#"{"alg":"EdDSA","kid":"k","crit":["b64"],"b64":true}"#)),
        ("something else than a token", headed(r#"{"alg":"EdDSA","kid":"k","typ":"logout+jwt"}"#)),
    ];
    let table = cases.map(|(name, token)| format!("{name:28} {}", shown(&serving, &token)));
    assert_snapshot!(table.join("\n"));
}

/// Where an issuer gives its keys, and how often it was asked.
struct Published {
    url: String,
    set: Arc<Mutex<String>>,
    asked: Arc<AtomicUsize>,
}

impl Published {
    fn new(set: String) -> Self {
        let server = Server::http("127.0.0.1:0").unwrap();
        let url = format!("http://{}/keys", server.server_addr());
        let published = Self { url, set: Arc::new(Mutex::new(set)), asked: Arc::default() };
        let (set, asked) = (published.set.clone(), published.asked.clone());
        thread::spawn(move || {
            for request in server.incoming_requests() {
                asked.fetch_add(1, Ordering::SeqCst);
                drop(request.respond(Response::from_string(set.lock().unwrap().clone())));
            }
        });
        published
    }
}

fn set(keys: &[&Key]) -> String {
    let keys: Vec<_> = keys.iter().map(|key| key.public()).collect();
    format!(r#"{{"keys":[{}]}}"#, keys.join(","))
}

#[test]
fn new_keys_of_the_issuer_are_read_when_a_token_needs_them_and_not_for_each_that_does_not() {
    let (first, second) = (Key::new("first"), Key::new("second"));
    let published = Published::new(set(&[&first]));
    let ledger = believing(&format!("key_set_url = \"{}\"", published.url));
    let serving = Serving::on(&ledger, "");
    let by = |key: &Key| shown(&serving, &key.token(&key.head(), &claims(&[])));
    assert_eq!(by(&first), "201");
    *published.set.lock().unwrap() = set(&[&second]);
    assert_eq!(by(&second), "201");
    assert_eq!(by(&first), "401 unauthenticated", "it was taken back");
    let (asked, begun) = (published.asked.load(Ordering::SeqCst), Instant::now());
    for _ in 0..30 {
        assert_eq!(by(&Key::new("unknown")), "401 unauthenticated");
    }
    let asked = published.asked.load(Ordering::SeqCst) - asked;
    let come_back = usize::try_from(begun.elapsed().as_secs() / 5).unwrap() + 1;
    assert!(asked <= 5 + come_back, "{asked} after {:?}", begun.elapsed());
}

#[test]
fn a_token_that_names_a_key_which_is_not_known_keeps_no_new_key_out() {
    let (first, second) = (Key::new("first"), Key::new("second"));
    let published = Published::new(set(&[&first]));
    let ledger = believing(&format!("key_set_url = \"{}\"", published.url));
    let serving = Serving::on(&ledger, "");
    let by = |key: &Key| shown(&serving, &key.token(&key.head(), &claims(&[])));
    assert_eq!(by(&Key::new("made up")), "401 unauthenticated");
    *published.set.lock().unwrap() = set(&[&second]);
    assert_eq!(by(&second), "201");
}

#[test]
fn without_the_keys_of_the_issuer_the_service_begins_and_believes_no_token() {
    let ledger = believing("key_set_url = \"http://127.0.0.1:1/keys\"");
    let mut serving = Serving::on(&ledger, "");
    serving.wait_for("http://127.0.0.1:1/keys");
    let key = Key::new("k");
    let token = key.token(&key.head(), &claims(&[]));
    assert_eq!(shown(&serving, &token), "401 unauthenticated");
    assert_eq!(shown(&serving, &crate::service::key(&ledger, "ann")), "201");
    let doctor = ledger.run("doctor --config swampbox.toml");
    assert!(doctor.stdout.contains("service_unreachable: \"service.oidc\""), "{doctor}");
}

#[test]
fn what_is_wrong_with_an_issuer_is_said_with_its_place() {
    let ledger = Ledger::new();
    ledger.write("empty.json", r#"{"keys":[{"kty":"oct","k":"AA"},{"kty":"RSA","use":"enc"}]}"#);
    ledger.write("none.json", "[]");
    let issuer = "issuer = \"https://login.example.com\"\naudience = \"swampbox\"\n";
    let roles = "roles = { builders = [\"agent\"] }\n";
    let url = "key_set_url = \"https://login.example.com/keys\"\n";
    let cases = [
        format!("{issuer}{url}{roles}"),
        format!("{issuer}{roles}"),
        format!("{issuer}{url}key_set_file = \"none.json\"\n{roles}"),
        format!("{issuer}key_set_file = \"nowhere.json\"\n{roles}"),
        format!("{issuer}key_set_file = \"none.json\"\n{roles}"),
        format!("{issuer}key_set_file = \"empty.json\"\n{roles}"),
        format!("{issuer}key_set_url = \"http://login.example.com/keys\"\n{roles}"),
        format!("{issuer}{url}roles = {{}}\n"),
        format!("{issuer}{url}roles = {{ builders = [\"boss\"] }}\n"),
        format!("{issuer}{url}roles = {{ builders = [\"agent\", \"agent\"] }}\n"),
        format!("issuer = \"\"\naudience = \"swampbox\"\n{url}{roles}"),
        format!("{issuer}{url}"),
    ];
    let said = cases.map(|case| {
        let decides = "[authority]\nfirst = [\"rules\"]\n";
        ledger.write("swampbox.toml", format!("[service.oidc]\n{case}{decides}"));
        format!("{case}{}", told(&ledger, &["config check"]))
    });
    assert_snapshot!(said.join("\n"));
}
