//! What an envelope has to be for anything in it to be believed.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};
use ed25519_dalek::{Signer, SigningKey};
use insta::assert_snapshot;
use swampbox_policy::signed::{
    DECISION_TYPE, DecisionSigner, TrustedKey, TrustedKeys, pre_authentication_encoding, sign,
};

use crate::signed_fixture::{decision, envelope, id, key, sealed, signature, trusted};

const PAYLOAD: &[u8] = b"anything";

#[test]
fn what_was_signed_is_given_byte_for_byte() {
    let verified = trusted().verify(sealed(b"{ \"a\" :\t1 }\n\xff", &["ops"]).as_bytes()).unwrap();
    assert_eq!(verified.payload(), b"{ \"a\" :\t1 }\n\xff");
}

#[test]
fn a_decision_that_was_signed_here_is_found_right() {
    let text = sign(&decision(), &key("ops"));
    let verified = trusted().verify(text.as_bytes()).unwrap();
    assert_eq!(verified.payload(), decision().to_document().to_string().as_bytes());
    let text = text.replace(&id("ops"), "[id of ops]");
    assert_snapshot!(text);
}

#[test]
fn of_two_right_signatures_both_signers_are_told() {
    let verified = trusted().verify(sealed(PAYLOAD, &["audit", "ops"]).as_bytes()).unwrap();
    let names: Vec<_> = verified.signers().iter().map(TrustedKey::name).collect();
    assert_eq!(names, ["audit", "ops"]);
}

#[test]
fn an_altered_payload_is_refused() {
    let right = sealed(PAYLOAD, &["ops"]);
    let told = refused(&right.replace(&STANDARD.encode(PAYLOAD), &STANDARD.encode(b"Anything")));
    assert_snapshot!(told);
}

#[test]
fn an_altered_payload_type_is_refused() {
    let told = refused(&sealed(PAYLOAD, &["ops"]).replace(DECISION_TYPE, "application/json"));
    assert_snapshot!(told);
}

#[test]
fn a_payload_that_was_signed_as_another_type_is_refused() {
    let signature = signature("ops", "application/json", PAYLOAD);
    let told = refused(&envelope(DECISION_TYPE, PAYLOAD, &[signature]));
    assert_snapshot!(told);
}

#[test]
fn a_signature_of_the_bare_payload_is_refused() {
    let told = refused(&signed_with(&Signer::sign(&key("ops"), PAYLOAD).to_bytes()));
    assert_snapshot!(told);
}

#[test]
fn a_stripped_signature_is_refused() {
    let told = refused(&envelope(DECISION_TYPE, PAYLOAD, &[]));
    assert_snapshot!(told);
}

#[test]
fn an_envelope_without_a_list_of_signatures_is_refused() {
    let signature = signature("ops", DECISION_TYPE, PAYLOAD);
    let one = envelope(DECISION_TYPE, PAYLOAD, std::slice::from_ref(&signature));
    let told = [
        refused(&one.replace(&format!(r#","signatures":[{signature}]"#), "")),
        refused(&one.replace(&format!("[{signature}]"), &signature)),
        refused(&one.replace(&format!("[{signature}]"), "null")),
    ];
    let told = told.join("\n");
    assert_snapshot!(told);
}

#[test]
fn a_doubled_signature_is_refused() {
    let told = refused(&sealed(PAYLOAD, &["ops", "audit", "ops"]));
    assert_snapshot!(told);
}

#[test]
fn a_wrong_signature_beside_a_right_one_is_refused() {
    let right = signature("ops", DECISION_TYPE, PAYLOAD);
    let wrong = signature("audit", DECISION_TYPE, b"something else");
    let told = refused(&envelope(DECISION_TYPE, PAYLOAD, &[right, wrong]));
    assert_snapshot!(told);
}

#[test]
fn a_stranger_beside_a_right_signature_is_refused() {
    let told = refused(&sealed(PAYLOAD, &["ops", "intruder"]));
    assert_snapshot!(told);
}

#[test]
fn a_stranger_alone_is_refused() {
    let told = refused(&sealed(PAYLOAD, &["intruder"]));
    assert_snapshot!(told);
}

#[test]
fn a_signature_under_the_id_of_another_trusted_key_is_refused() {
    let told = refused(&sealed(PAYLOAD, &["ops"]).replace(&id("ops"), &id("audit")));
    assert_snapshot!(told);
}

#[test]
fn a_signature_of_a_stranger_under_a_trusted_id_is_refused() {
    let told = refused(&sealed(PAYLOAD, &["intruder"]).replace(&id("intruder"), &id("ops")));
    assert_snapshot!(told);
}

#[test]
fn a_key_id_of_another_algorithm_is_refused() {
    let told = refused(&sealed(PAYLOAD, &["ops"]).replace("ed25519:", "ecdsa-p256:"));
    assert_snapshot!(told);
}

#[test]
fn a_key_id_in_another_spelling_is_refused() {
    let right = sealed(PAYLOAD, &["ops"]);
    let digits = id("ops").replace("ed25519:", "");
    let told = [
        refused(&right.replace(&digits, &digits.to_uppercase())),
        refused(&right.replace(&digits, &digits[1..])),
        refused(&right.replace(&id("ops"), "ops")),
    ];
    let told = told.join("\n").replace(&digits.to_uppercase(), "[UPPER CASE]");
    assert_snapshot!(told.replace(&digits[1..], "[one short]"));
}

#[test]
fn a_signature_without_a_key_id_is_refused() {
    let told =
        refused(&sealed(PAYLOAD, &["ops"]).replace(&format!(r#""keyid":"{}","#, id("ops")), ""));
    assert_snapshot!(told);
}

#[test]
fn a_signature_of_another_length_is_refused() {
    let told = [63, 65, 71].map(|length| refused(&signed_with(&vec![0x30; length])));
    let told = told.join("\n");
    assert_snapshot!(told);
}

#[test]
fn the_other_form_of_a_right_signature_is_refused() {
    // The order of the group, added to the half that is a number: a lax verifier takes both.
    const ORDER: [u8; 32] = [
        0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde,
        0x14, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
    ];
    let message = pre_authentication_encoding(DECISION_TYPE, PAYLOAD);
    let mut signature = Signer::sign(&key("ops"), &message).to_bytes();
    assert!(trusted().verify(signed_with(&signature).as_bytes()).is_ok());
    let mut carry = 0;
    for (byte, order) in signature[32..].iter_mut().zip(ORDER) {
        let sum = u16::from(*byte) + u16::from(order) + carry;
        (*byte, carry) = (sum as u8, sum >> 8);
    }
    let told = refused(&signed_with(&signature));
    assert_snapshot!(told);
}

#[test]
fn unknown_fields_are_refused() {
    let right = sealed(PAYLOAD, &["ops"]);
    let told = [
        refused(&right.replacen('{', r#"{"note":"trust me","#, 1)),
        refused(&right.replace(r#"{"keyid""#, r#"{"alg":"none","keyid""#)),
    ];
    let told = told.join("\n");
    assert_snapshot!(told);
}

#[test]
fn a_second_payload_is_refused() {
    let other = STANDARD.encode(b"something else");
    let told =
        refused(&sealed(PAYLOAD, &["ops"]).replacen('{', &format!(r#"{{"payload":"{other}","#), 1));
    assert_snapshot!(told);
}

#[test]
fn text_that_is_no_envelope_is_refused() {
    let told = ["", "{", "[]", "null", "{}"].map(refused).join("\n");
    assert_snapshot!(told);
}

#[test]
fn base64_is_read_in_its_one_form_only() {
    let right = sealed(b"1", &["ops"]);
    // "1" is `MQ==`; the last four bits of `R` stand for nothing.
    let told = ["MQ", "MQ=", "MR==", "MQ==\\n", " MQ==", "MQ==MQ==", "M-Q_+/=="]
        .map(|spelling| format!("{spelling}: {}", refused(&right.replace("MQ==", spelling))));
    let told = told.join("\n");
    assert_snapshot!(told);
}

#[test]
fn a_signature_without_padding_is_refused() {
    let right = sealed(PAYLOAD, &["ops"]);
    let told = refused(&right.replace("==\"}", "\"}"));
    assert_snapshot!(told);
}

#[test]
fn the_alphabet_for_addresses_is_read_too() {
    let payload = [0xfb, 0xff, 0xbf];
    assert_ne!(STANDARD.encode(payload), URL_SAFE.encode(payload));
    let right = sealed(&payload, &["ops"]);
    let safe = right.replace(&STANDARD.encode(payload), &URL_SAFE.encode(payload));
    assert_eq!(trusted().verify(safe.as_bytes()).unwrap().payload(), payload);
}

#[test]
fn with_no_trusted_key_nothing_is_believed() {
    let keys = TrustedKeys::new([]).unwrap();
    let envelope = sealed(PAYLOAD, &["ops"]);
    assert!(keys.verify(envelope.as_bytes()).is_err());
}

#[test]
fn a_key_signs_with_its_own_id() {
    let key = SigningKey::from_bytes(&[9; 32]);
    assert!(sign(&decision(), &key).contains(key.public_key().id().as_str()));
}

/// An envelope with these bytes as the signature of `ops`.
fn signed_with(signature: &[u8]) -> String {
    let signature = STANDARD.encode(signature);
    let signature = format!(r#"{{"keyid":"{}","sig":"{signature}"}}"#, id("ops"));
    envelope(DECISION_TYPE, PAYLOAD, &[signature])
}

/// Why an envelope is refused, with the ids of the keys by their names.
fn refused(envelope: &str) -> String {
    let error = trusted().verify(envelope.as_bytes()).unwrap_err();
    let mut told = format!("{}: {error}", error.code());
    for name in ["ops", "audit", "intruder"] {
        told = told.replace(&id(name), &format!("[id of {name}]"));
        told = told.replace(
            &id(name).replace("ed25519", "ecdsa-p256"),
            &format!("ecdsa-p256:[digest of {name}]"),
        );
    }
    told
}
