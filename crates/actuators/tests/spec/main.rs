//! The specification of the actuators: each is driven through the real boundary, against servers
//! and file systems that do exactly what their test scripts, and real processes and disks.

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
mod refusals;
mod registry;
mod scripted_disk;
mod wire;
