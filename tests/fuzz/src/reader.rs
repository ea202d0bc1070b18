//! Whatever the bytes are, the strict reader answers without a panic; and what it accepts is
//! written so that reading it again gives the same value.

#![no_main]

use libfuzzer_sys::fuzz_target;
use swampbox_material::Value;

fuzz_target!(|bytes: &[u8]| {
    let Ok(value) = Value::from_json(bytes) else {
        return;
    };
    let written = value.to_json();
    match Value::from_json(written.as_bytes()) {
        Ok(again) => assert!(again == value, "`{written}` is read as another value"),
        Err(error) => panic!("`{written}` was written and is refused: {error}"),
    }
});
