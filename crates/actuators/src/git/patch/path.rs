//! Which paths a patch may name.

/// Checks that the path stands below the repository's directory and is none of git's own, also not for
/// a disk that takes other letters for the same.
///
/// # Errors
///
/// What is wrong.
pub(super) fn check(path: &[u8]) -> Result<(), &'static str> {
    for part in path.split(|byte| *byte == b'/') {
        if matches!(part, b"" | b"." | b"..") {
            return Err("names no path, or one that leads elsewhere");
        }
        if is_own(part) {
            return Err("names `.git` or `.gitmodules`, or what some disks take for them");
        }
    }
    Ok(())
}

/// Whether git keeps its own things there: `.gitmodules` makes it fetch from elsewhere.
fn is_own(part: &[u8]) -> bool {
    let text = String::from_utf8_lossy(part);
    text.split('\\').any(|name| {
        // One disk passes over these characters, and another over what stands at the end.
        let seen: String = name.chars().filter(|c| !is_passed_over(*c)).collect();
        let seen = seen.to_ascii_lowercase();
        let seen = seen.split(':').next().unwrap_or_default().trim_end_matches([' ', '.']);
        matches!(seen, ".git" | "git~1" | ".gitmodules")
            || seen.starts_with("gitmod~")
            || seen.starts_with("gi7eba~")
    })
}

fn is_passed_over(c: char) -> bool {
    matches!(
        c,
        '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}'
    )
}
