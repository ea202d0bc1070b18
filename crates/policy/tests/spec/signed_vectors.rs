//! The test vectors that the project of DSSE publishes, made with the keys of RFC 8032, section 7.1.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};
use ed25519_dalek::{Signature, Signer, SigningKey};
use swampbox_policy::signed::{DecisionSigner, pre_authentication_encoding};

const A: &str = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";
const B: &str = "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb";

const STATEMENT: &str = r#"{"_type":"https://in-toto.io/Statement/v1"}"#;

#[test]
fn the_encoding_of_the_example_in_the_protocol_is_the_published_one() {
    let encoded = pre_authentication_encoding("http://example.com/HelloWorld", b"hello world");
    assert_eq!(encoded, b"DSSEv1 29 http://example.com/HelloWorld 11 hello world");
}

#[test]
fn a_statement_is_signed_as_published() {
    check(
        A,
        "application/vnd.in-toto+json",
        STATEMENT.as_bytes(),
        "445353457631203238206170706c69636174696f6e2f766e642e696e2d746f746f2b6a736f6e203433207b225f74797065223a2268747470733a2f2f696e2d746f746f2e696f2f53746174656d656e742f7631227d",
        "2WAfaHm5jluo0w+0rk8uVkluELJYWjSmU9x7EUzx+AyteDGJ4/nqyJXfmAUVFIAoQafWm7AxBZNw5M9ixNHiCA==",
    );
}

#[test]
fn the_second_key_signs_the_statement_as_published() {
    check(
        B,
        "application/vnd.in-toto+json",
        STATEMENT.as_bytes(),
        "445353457631203238206170706c69636174696f6e2f766e642e696e2d746f746f2b6a736f6e203433207b225f74797065223a2268747470733a2f2f696e2d746f746f2e696f2f53746174656d656e742f7631227d",
        "c1+67/aT0yqEpwx8PsVY3MLHsj9D0CZ014/Fv/QlG59P+9CobUZ7xECJ/V3USG0Ob9CiE5LjReEZUzNF2l7eBw==",
    );
}

#[test]
fn bytes_that_are_no_text_are_signed_as_published() {
    check(
        A,
        "application/vnd.in-toto+json",
        &URL_SAFE.decode("-_-_Pj8=").unwrap(),
        "445353457631203238206170706c69636174696f6e2f766e642e696e2d746f746f2b6a736f6e203520fbffbf3e3f",
        "P+/KHICeR7tI6S/YyejJTRtrXhcQyQ2LYPaL8h90KjC9qN8HU/svOQ6TuDOT1HIrsGW886DbWNWcCmX5twLrAw==",
    );
}

#[test]
fn the_length_of_a_type_is_in_bytes_as_published() {
    check(
        A,
        "application/vnd.exämple+json",
        STATEMENT.as_bytes(),
        "445353457631203239206170706c69636174696f6e2f766e642e6578c3a46d706c652b6a736f6e203433207b225f74797065223a2268747470733a2f2f696e2d746f746f2e696f2f53746174656d656e742f7631227d",
        "xmSk/ug66ysT7ayhkCIjhAq42zgZXSsEWuzUaNL7w2eGAdF/NU6/fRXPtmfN+5DNSAs5/i2lUnHjbbjPsu0tAw==",
    );
}

#[test]
fn an_empty_payload_is_signed_as_published() {
    check(
        A,
        "application/vnd.in-toto+json",
        b"",
        "445353457631203238206170706c69636174696f6e2f766e642e696e2d746f746f2b6a736f6e203020",
        "gSggCAaTLTYyRH6FIDBem6meyIynsYy8RTHVzwx9tnTb7Bg/1jMWnuVgI/gffqmbsC2VX5/jHfkkDqsj7CDbDg==",
    );
}

#[test]
fn an_empty_type_is_signed_as_published() {
    check(
        A,
        "",
        STATEMENT.as_bytes(),
        "445353457631203020203433207b225f74797065223a2268747470733a2f2f696e2d746f746f2e696f2f53746174656d656e742f7631227d",
        "iC3q/+3Rm0+lpAJRueDmDh15PnwCfxKmS0NAfKsbv+zgulXQC/WM9trc+j1XEqlwDIg/vf/uNfebeD6sxInrDg==",
    );
}

#[test]
fn the_public_key_of_the_first_vector_is_that_of_the_rfc() {
    assert_eq!(
        DecisionSigner::public_key(&secret(A)).to_string(),
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"
    );
}

fn check(seed: &str, payload_type: &str, payload: &[u8], encoded: &str, signature: &str) {
    let ours = pre_authentication_encoding(payload_type, payload);
    assert_eq!(ours, bytes(encoded));
    let published = Signature::from_slice(&STANDARD.decode(signature).unwrap()).unwrap();
    let key = secret(seed);
    key.verifying_key().verify_strict(&ours, &published).unwrap();
    assert_eq!(Signer::sign(&key, &ours), published);
}

fn secret(seed: &str) -> SigningKey {
    SigningKey::from_bytes(&bytes(seed).try_into().unwrap())
}

fn bytes(hex: &str) -> Vec<u8> {
    let (pairs, _) = hex.as_bytes().as_chunks::<2>();
    let byte = |pair: &[u8; 2]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16);
    pairs.iter().map(|pair| byte(pair).unwrap()).collect()
}
