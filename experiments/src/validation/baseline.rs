//! The same story without the model: records, and an actuator that whoever holds a record may call.

use std::collections::BTreeMap;

use serde::Serialize;

/// What happened without the model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Baseline {
    /// Whether X's record was there after A ended.
    pub survived_its_author: bool,
    /// How often anybody was asked for permission.
    pub authority_asked: u32,
    /// What took effect, in order.
    pub effects: Vec<&'static str>,
}

impl Baseline {
    /// A writes X and ends. B finds X and runs it, derives C and runs it, and runs it again.
    pub(super) fn tell() -> Self {
        let mut world = World::default();
        world.write("X", "A");
        world.end("A");
        let survived_its_author = world.records.contains_key("X");
        world.run("X");
        world.write("C", "B");
        world.run("C");
        world.run("C");
        Self { survived_its_author, authority_asked: 0, effects: world.effects }
    }

    /// Whether the surviving record just ran, which is what the baseline is there to show.
    pub fn ran(&self) -> bool {
        self.survived_its_author && self.effects == ["X", "C", "C"]
    }
}

#[derive(Default)]
struct World {
    records: BTreeMap<&'static str, &'static str>,
    running: Vec<&'static str>,
    effects: Vec<&'static str>,
}

impl World {
    fn write(&mut self, record: &'static str, author: &'static str) {
        if !self.running.contains(&author) {
            self.running.push(author);
        }
        self.records.insert(record, author);
    }

    fn end(&mut self, author: &str) {
        self.running.retain(|running| *running != author);
    }

    /// The record is all that it takes: neither its author nor its past is looked at.
    fn run(&mut self, record: &'static str) {
        if self.records.contains_key(record) {
            self.effects.push(record);
        }
    }
}
