use std::fmt::{self, Display};
use std::io::{self, Write};

use anstream::AutoStream;
use anstyle::{AnsiColor, Style};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use swampbox_custody::ReleaseState;
use swampbox_material::json::Json;
use swampbox_material::{Code, Shown};

use crate::failure::{Exit, Failure};

/// Standard output: styled on a terminal, plain elsewhere and with NO_COLOR. Nothing that is
/// written is lost silently.
#[derive(Debug)]
pub(crate) struct Output {
    stream: AutoStream<io::Stdout>,
    /// Whether nobody reads it, and that was said already, or needs no saying.
    is_given_up: bool,
}

impl Output {
    pub(crate) fn of_process() -> Self {
        Self { stream: anstream::stdout(), is_given_up: false }
    }

    /// Writes one line.
    pub(crate) fn line(&mut self, line: impl Display) -> Result<(), Failure> {
        writeln!(self.stream, "{line}").map_err(unwritable)
    }

    /// Writes one document on one line. Every value reads back equal, and a terminal takes none
    /// of it for a command.
    pub(crate) fn json(&mut self, document: &Json) -> Result<(), Failure> {
        let mut line = String::new();
        for c in document.to_string().chars() {
            // In JSON these stand in strings only. The others that a terminal obeys are escaped
            // already.
            if c.is_control() {
                line += &format!("\\u{:04x}", u32::from(c));
            } else {
                line.push(c);
            }
        }
        line.push('\n');
        self.raw().write_all(line.as_bytes()).map_err(unwritable)
    }

    /// Standard output past everything that knows of terminals.
    pub(crate) fn raw(&self) -> impl Write {
        self.stream.as_inner()
    }

    /// Writes a text as it is.
    pub(crate) fn bytes(&mut self, text: &[u8]) -> Result<(), Failure> {
        self.stream.write_all(text).map_err(unwritable)
    }

    /// Writes a text about the program itself, such as help. Whoever reads it may stop where they like.
    pub(crate) fn page(&mut self, text: &[u8]) -> Result<Exit, Failure> {
        match self.stream.write_all(text).and_then(|()| self.stream.flush()) {
            Ok(()) => {}
            Err(closed) if closed.kind() == io::ErrorKind::BrokenPipe => self.is_given_up = true,
            Err(error) => return Err(unwritable(error)),
        }
        Ok(Exit::Done)
    }

    /// Makes sure that everything has been written, unless that was given up.
    pub(crate) fn finish(&mut self) -> Result<(), Failure> {
        match self.is_given_up {
            true => Ok(()),
            false => self.stream.flush().map_err(unwritable),
        }
    }

    /// Says why nothing can be written any more, where that is not how the command ends.
    pub(crate) fn give_up(&mut self, failure: &Failure) {
        self.report(failure);
        self.is_given_up = true;
    }

    /// Shows help or version, or says in one line what is wrong with the arguments.
    pub(crate) fn usage(&mut self, mut usage: clap::Error) -> Result<Exit, Failure> {
        if !usage.use_stderr() {
            return self.page(usage.render().ansi().to_string().as_bytes());
        }
        if usage.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
            self.remark(usage.render().ansi());
            return Ok(Exit::Invalid);
        }
        show_what_was_given(&mut usage);
        Err(Failure::plain(Code::InvalidArguments, one_line(&usage.render().to_string())))
    }

    /// Writes one line to standard error.
    pub(crate) fn remark(&mut self, remark: impl Display) {
        drop(writeln!(anstream::stderr(), "{remark}"));
    }

    /// Says on standard error why the command failed.
    pub(crate) fn report(&mut self, failure: &Failure) {
        self.remark(format_args!("{}: {failure}", Painted::bad("error")));
    }
}

/// Puts escapes for what is invisible in the arguments that a message repeats.
fn show_what_was_given(usage: &mut clap::Error) {
    let given: Vec<_> =
        usage.context().filter_map(|(kind, value)| invisible(kind, value)).collect();
    for (kind, shown) in given {
        usage.insert(kind, ContextValue::String(shown));
    }
}

fn invisible(kind: ContextKind, value: &ContextValue) -> Option<(ContextKind, String)> {
    let ContextValue::String(text) = value else { return None };
    let shown = Shown::text(text).to_string();
    let shown = shown.trim_matches('"');
    (shown != text).then(|| (kind, shown.to_owned()))
}

/// What is wrong and what is near, without the usage that follows.
fn one_line(message: &str) -> String {
    let lines = message.lines().map(str::trim).take_while(|line| !line.starts_with("Usage:"));
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with("For more information"));
    let mut said = String::new();
    for line in lines {
        let missing = line.starts_with(['<', '-', '[']) && !line.starts_with("[possible");
        said += match said.chars().last() {
            None => "",
            Some(':') => " ",
            Some(_) if missing => ", ",
            Some(_) => "; ",
        };
        said += line.strip_prefix("error: ").unwrap_or(line);
    }
    said
}

fn unwritable(error: io::Error) -> Failure {
    Failure::unwritable("standard output", &error)
}

/// A word in colour, where colours are shown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Painted<'a> {
    word: &'a str,
    style: Style,
}

impl<'a> Painted<'a> {
    pub(crate) fn good(word: &'a str) -> Self {
        Self { word, style: AnsiColor::Green.on_default() }
    }

    pub(crate) fn bad(word: &'a str) -> Self {
        Self { word, style: AnsiColor::Red.on_default().bold() }
    }

    pub(crate) fn held(word: &'a str) -> Self {
        Self { word, style: AnsiColor::Yellow.on_default() }
    }

    pub(crate) fn state(state: ReleaseState) -> Self {
        match state {
            ReleaseState::Contained => Self::held(state.as_str()),
            ReleaseState::Released => Self::good(state.as_str()),
            ReleaseState::Uncertain => Self::bad(state.as_str()),
        }
    }

    pub(crate) fn title(word: &'a str) -> Self {
        Self { word, style: Style::new().bold() }
    }
}

impl Display for Painted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let style = self.style;
        write!(f, "{style}")?;
        f.pad(self.word)?;
        write!(f, "{style:#}")
    }
}
