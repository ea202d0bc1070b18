//! Which keys are trusted with what.

use insta::assert_snapshot;
use swampbox_policy::signed::{
    DecisionSigner, KeyId, PublicKey, TrustError, TrustedKey, TrustedKeys,
};

use crate::signed_fixture::{key, parsed, window};

#[test]
fn a_key_id_is_the_digest_of_the_public_key() {
    let public: PublicKey =
        parsed("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a");
    // As `sha256sum` tells of the 32 bytes.
    assert_eq!(
        public.id().as_str(),
        "ed25519:21fe31dfa154a261626bf854046fd2271b7bed4b6abe45aa58877ef47f9721b9"
    );
    assert_eq!(parsed::<KeyId>(public.id().as_str()), public.id());
}

#[test]
fn a_public_key_reads_back_as_it_is_written() {
    let public = key("ops").public_key();
    assert_eq!(parsed::<PublicKey>(&public.to_string()), public);
}

#[test]
fn a_key_under_which_anything_is_signed_is_refused() {
    let told = [
        "0100000000000000000000000000000000000000000000000000000000000000",
        "0000000000000000000000000000000000000000000000000000000000000000",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    ]
    .map(|text| text.parse::<PublicKey>().unwrap_err().to_string());
    let told = told.join("\n");
    assert_snapshot!(told);
}

#[test]
fn text_that_is_no_public_key_is_refused() {
    let upper = "D75A980182B10AB7D54BFED3C964073A0EE172F3DAA62325AF021A68F707511A";
    let told = ["", "d75a98", upper].map(|text| {
        let error = text.parse::<PublicKey>().unwrap_err();
        format!("{}: {error}", error.code())
    });
    let told = told.join("\n");
    assert_snapshot!(told);
}

#[test]
fn two_keys_of_one_name_are_refused() {
    let told = refused([named("ops", "ops"), named("ops", "audit")]);
    assert_snapshot!(told);
}

#[test]
fn one_key_of_two_names_is_refused() {
    let told = refused([named("ops", "ops"), named("night", "ops")]);
    assert_snapshot!(told);
}

fn named(name: &str, whose: &str) -> TrustedKey {
    let day = window("2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z");
    TrustedKey::new(name, key(whose).public_key(), day, [])
}

fn refused(keys: [TrustedKey; 2]) -> String {
    let error: TrustError = TrustedKeys::new(keys).unwrap_err();
    format!("{}: {error}", error.code())
}
