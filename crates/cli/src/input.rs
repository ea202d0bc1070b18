use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use swampbox_material::Code;
use swampbox_material::json::MAX_DOCUMENT_BYTES;

use crate::failure::Failure;

/// What was read, and the name by which errors speak of it.
#[derive(Debug)]
pub(crate) struct Input {
    pub(crate) name: String,
    pub(crate) text: Vec<u8>,
}

/// Whether standard input has been read. A second time there would be nothing.
static STANDARD_INPUT_READ: AtomicBool = AtomicBool::new(false);

/// Reads a file, or standard input for `-`, once. Of a text that is too large, no more is read than
/// shows that it is.
pub(crate) fn read(path: &Path) -> Result<Input, Failure> {
    let (name, read) = if path == Path::new("-") {
        if STANDARD_INPUT_READ.swap(true, Ordering::Relaxed) {
            let message = "standard input can be read only once, and `-` names it twice";
            return Err(Failure::plain(Code::InvalidArguments, message));
        }
        ("standard input".into(), read_bounded(io::stdin().lock()))
    } else {
        (path.to_string_lossy().into_owned(), File::open(path).and_then(read_bounded))
    };
    match read {
        Ok(text) => Ok(Input { name, text }),
        Err(error) => Err(Failure::unreadable(&name, &error)),
    }
}

fn read_bounded(source: impl Read) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    source.take(MAX_DOCUMENT_BYTES as u64 + 1).read_to_end(&mut text)?;
    Ok(text)
}
