//! Approvals: who is asked, who may decide, what a decision releases, and how often.

mod asking;
mod documents;
mod ending;
mod fixture;
mod footing;
mod once;
mod queue;
mod races;
mod shelves;
mod terms;
mod voting;
