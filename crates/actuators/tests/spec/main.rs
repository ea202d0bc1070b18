//! The specification of the actuators: each is driven through the real boundary, against servers
//! and file systems that do exactly what their test scripts, and real processes, repositories and disks.

#![cfg(test)]

mod answers;
mod command;
mod command_refusals;
mod connections;
mod failures;
mod file;
mod file_faults;
mod file_places;
mod file_refusals;
mod fixture;
mod git_agreement;
mod git_credentials;
mod git_faults;
mod git_fixture;
mod git_local;
mod git_observing;
mod git_patches;
mod git_pushes;
mod git_refusals;
mod git_remote;
mod git_scratch;
mod git_served;
mod github_answers;
mod github_failures;
mod github_fixture;
mod github_observing;
mod github_refusals;
mod github_wire;
mod outlook;
mod reach;
mod refusals;
mod registry;
mod schemas;
mod scripted_disk;
mod wire;
