//! The steps of a long run: what is being done, how long it took, what was left out.

use std::time::Instant;

/// The variable that turns each step left out into a failure.
pub(crate) const REQUIRE_ALL: &str = "SWAMPBOX_CI_REQUIRE_ALL";

/// What has been done so far.
#[derive(Debug)]
pub(crate) struct Report {
    begun: Instant,
    require_all: bool,
    left_out: Vec<String>,
}

impl Report {
    pub(crate) fn begin() -> Self {
        Self {
            begun: Instant::now(),
            require_all: std::env::var_os(REQUIRE_ALL).is_some_and(|value| value == "1"),
            left_out: Vec::new(),
        }
    }

    /// Runs one step. The error of a step that fails names it.
    pub(crate) fn step(
        &mut self,
        name: &str,
        work: impl FnOnce() -> Result<(), String>,
    ) -> Result<(), String> {
        println!("==> {name}");
        let begun = Instant::now();
        let result = work();
        let seconds = begun.elapsed().as_secs_f64();
        match result {
            Ok(()) => {
                println!("    {name}: ok, {seconds:.1} s");
                Ok(())
            }
            Err(message) => Err(format!("{name}: {message} (after {seconds:.1} s)")),
        }
    }

    /// Notes that something is not done because a program is missing.
    pub(crate) fn leave_out(&mut self, what: &str, program: &str) -> Result<(), String> {
        let line = format!("left out: {what}, because {program} is not installed");
        println!("==> {line}");
        if self.require_all {
            return Err(format!("{line}, and {REQUIRE_ALL} is 1"));
        }
        self.left_out.push(line);
        Ok(())
    }

    /// Says how it went.
    pub(crate) fn end(self) {
        println!("\nEverything passed in {:.0} s.", self.begun.elapsed().as_secs_f64());
        for line in self.left_out {
            println!("{line}");
        }
    }
}

/// An error that lists the complaints, if there are any.
pub(crate) fn verdict(complaints: &[String]) -> Result<(), String> {
    match complaints {
        [] => Ok(()),
        [one] => Err(one.clone()),
        many => Err(format!("\n  {}", many.join("\n  "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(require_all: bool) -> Report {
        Report { begun: Instant::now(), require_all, left_out: Vec::new() }
    }

    #[test]
    fn the_error_of_a_step_names_the_step() {
        let error = report(false).step("format", || Err("two files differ".to_owned()));
        assert!(error.unwrap_err().starts_with("format: two files differ"));
    }

    #[test]
    fn a_missing_program_is_noted() {
        let mut report = report(false);
        report.leave_out("the run with nextest", "cargo-nextest").unwrap();
        assert_eq!(
            report.left_out,
            ["left out: the run with nextest, because cargo-nextest is not installed"]
        );
    }

    #[test]
    fn a_missing_program_is_a_failure_when_all_is_required() {
        let result = report(true).leave_out("the run with nextest", "cargo-nextest");
        assert!(result.unwrap_err().ends_with("and SWAMPBOX_CI_REQUIRE_ALL is 1"));
    }
}
