//! Providers made of other providers.

mod all_of;
mod answer;
mod children;
mod first_that_answers;

pub use all_of::AllOf;
pub use first_that_answers::FirstThatAnswers;
