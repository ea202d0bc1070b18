/// What a signature covers, after DSSE 1.0: the payload's type and its bytes, each with its length,
/// so that no two different pairs give the same.
///
/// It begins with `DSSEv1 `, like nothing else that a key of this project signs.
pub fn pre_authentication_encoding(payload_type: &str, payload: &[u8]) -> Vec<u8> {
    let (type_length, length) = (payload_type.len(), payload.len());
    let mut encoded = format!("DSSEv1 {type_length} {payload_type} {length} ").into_bytes();
    encoded.extend_from_slice(payload);
    encoded
}
