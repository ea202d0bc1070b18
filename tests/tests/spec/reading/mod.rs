//! Material at random: what holds for every value and every text, and what somebody else's reader
//! makes of the same text.

mod generated;
mod oracle;
mod properties;
