use crate::{Problem, Segment};

/// Why reading stopped, and where in the text. The segments of the path are gathered from the
/// leaf up, as the calls return.
pub(crate) struct Failure {
    pub(crate) problem: Problem,
    pub(crate) at: usize,
    pub(crate) segments: Vec<Segment>,
}

pub(crate) type Read<T> = Result<T, Box<Failure>>;

impl Failure {
    pub(crate) fn new(problem: Problem, at: usize) -> Box<Self> {
        Box::new(Self { problem, at, segments: Vec::new() })
    }

    pub(crate) fn invalid(what: &'static str, at: usize) -> Box<Self> {
        Self::new(Problem::InvalidJson(what), at)
    }

    pub(crate) fn under(mut self: Box<Self>, segment: Segment) -> Box<Self> {
        self.segments.push(segment);
        self
    }
}
