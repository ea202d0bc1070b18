//! What the service does, as those see it who use it over HTTP.
#![cfg(test)]

mod access;
mod at_once;
mod console;
mod console_browser;
mod console_deciding;
mod console_hostile;
mod console_working;
mod content;
mod document;
mod effects;
mod events;
mod files;
mod hands;
mod killed;
mod load;
mod logged;
mod person;
mod proposals;
mod races;
mod raw;
mod served;
mod signed;
mod wire;
