//! Bytes as hexadecimal text.

use swampbox_material::hex::{decode, encode};

#[test]
fn every_byte_is_read_from_the_two_digits_that_it_is_written_with() {
    let bytes: Vec<u8> = (0..=u8::MAX).collect();
    let text = encode(&bytes);
    assert_eq!(text.len(), 512);
    assert_eq!(decode::<256>(&text).unwrap(), &bytes[..]);
    assert_eq!(&text[..8], "00010203");
    assert_eq!(&text[504..], "fcfdfeff");
}

#[test]
fn bytes_have_no_second_text() {
    for text in ["", "0", "0g", "0A", "+1", " 1", "1 ", "0x", "011", "0101", "é"] {
        assert_eq!(decode::<1>(text), None, "{text:?}");
    }
}
