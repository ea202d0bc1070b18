//! The specification of material. Read a module, then the snapshots that its tests assert.
#![cfg(test)]

mod codes;
mod conversions;
mod depth;
mod differences;
mod display;
mod documents;
mod duplicates;
mod equality;
mod fields;
mod hex;
mod hostile;
mod material;
mod numbers;
mod paths;
mod patterns;
mod positions;
mod strings;
mod structure;
mod table;
mod writing;
