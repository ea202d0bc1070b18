//! Approvals: people decide, each for themselves, about exactly what they were shown.
//!
//! The first time that the release of a consequence is asked for, [`Approvals`] puts a [`Request`] on
//! its [`Shelf`] and answers that a decision is pending. Approvers look at the request and vote; their
//! program has authenticated them. As soon as enough of them have allowed it, the next release gets the
//! decision, which releases once. One vote to deny is enough to deny.
//!
//! | state | how it gets there | what a release is answered |
//! | --- | --- | --- |
//! | open | a release asked, and no request stood | `authority_pending` |
//! | allowed | the last vote of the quorum | ALLOW, from that vote on for the shortest window voted |
//! | denied | the first vote to deny | DENY, from that vote on for its window |
//! | used | an attempt was made under the decision | a new request is made: `authority_pending` |
//! | expired | nobody decided in time, or the decision's window is over | the same |
//! | withdrawn | who asked took it back, or one who had allowed it | the same |
//! | void | something that it rests on is not so any more | the same |
//!
//! The last four are final. There is one request for each consequence, under its id; a new one takes
//! the place of the old, and the history is the shelf's to keep. So a decision costs the same
//! however many requests are waiting.
//!
//! What a request shows never changes, and its [`Digest`] covers all of it. Whoever votes names the
//! digest, so nobody decides about what they have not seen. The decision is made of what was shown,
//! not of what the store holds by then, and the boundary compares the two.
//!
//! It also rests on a [`Footing`]: a request is void once the consequence has gone into other hands, even
//! if it came back and nobody looked meanwhile, once the terms are other ones, and once something else
//! [would carry it out](Approvals::under).
//!
//! [`rules`] has each step as a pure function. Two who vote at once both count: a request is put in the
//! place of exactly the version that was read, and whoever comes second reads again.

mod digest;
mod directory;
mod document;
mod error;
mod provider;
mod queue;
mod request;
pub mod rules;
mod shelf;
mod terms;

pub use digest::{Digest, InvalidDigest};
pub use directory::{ByName, Directory, UnknownPrincipal};
pub use error::ApprovalError;
pub use provider::Approvals;
pub use queue::{MAX_PAGE, Page};
pub use request::{
    Ballot, Closed, Decided, Footing, MAX_REASON_BYTES, Question, Request, State, Void, Vote,
};
pub use shelf::{Entry, MemoryShelf, Shelf, Shelved};
pub use terms::{InvalidTerms, MAX_APPROVERS, Quorum, Terms};
