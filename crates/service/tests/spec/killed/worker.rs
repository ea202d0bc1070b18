//! An agent and its approver, at work until the service is gone.

use std::sync::Mutex;
use std::sync::mpsc::Sender;

use super::Chance;
use super::remote::Remote;
use super::victim::key;
use super::world::{Fact, World};
use crate::served::{Answer, ballot};

/// What a worker tells whoever is to kill the service.
pub(super) enum Said {
    /// Something was acknowledged.
    Acknowledged,
    /// From now on it waits for an answer that never comes.
    Waits,
}

pub(super) struct Worker<'w> {
    pub(super) remote: Remote,
    pub(super) world: &'w Mutex<World>,
    pub(super) sender: Sender<Said>,
    pub(super) chance: Chance,
    pub(super) name: String,
}

impl Worker<'_> {
    pub(super) fn work(mut self) {
        let made = format!(r#"{{"execution_id":"E-{}"}}"#, self.name);
        let made = self.remote.post("/v1/executions", &key("ann"), &made, None);
        let Some(token) = made.map(|made| made.text("token").to_owned()) else { return };
        let mut turn = 0;
        while self.one(&token, turn).is_some() {
            turn += 1;
        }
    }

    /// Takes one consequence as far as chance has it. None if the service is gone.
    fn one(&mut self, token: &str, turn: usize) -> Option<()> {
        let target = match self.chance.below(12) {
            0 => "halts before",
            1 => "halts after",
            _ => "lines",
        };
        let key = format!("{}-{turn}", self.name);
        let mut fact = Fact {
            token: token.to_owned(),
            key,
            target,
            id: None,
            asked: false,
            decided: false,
            tried: false,
            ended: None,
        };
        let number = {
            let mut world = self.world.lock().unwrap();
            world.facts.push(fact.clone());
            world.facts.len() - 1
        };
        let held = self.told(fact.submit(&self.remote)?);
        let id = held.text("consequence_id").to_owned();
        fact.id = Some(id.clone());
        self.note(number, &fact);
        if self.chance.below(6) == 0 {
            return Some(());
        }
        let pending = self.told(fact.release(&self.remote, &id)?);
        assert_eq!(pending.text("reason"), "authority_pending");
        fact.asked = true;
        self.note(number, &fact);
        if self.chance.below(6) == 0 {
            return Some(());
        }
        let voted = self.vote(&id)?;
        assert_eq!(self.told(voted).status, 200);
        fact.decided = true;
        self.note(number, &fact);
        if target == "lines" && self.chance.below(6) == 0 {
            return Some(());
        }
        fact.tried = true;
        self.note(number, &fact);
        if target != "lines" {
            self.sender.send(Said::Waits).unwrap();
        }
        let ended = self.told(fact.release(&self.remote, &id)?);
        fact.ended = Some(ended.text("status").to_owned());
        self.note(number, &fact);
        Some(())
    }

    fn vote(&self, id: &str) -> Option<Answer> {
        let path = format!("/v1/approvals/{id}");
        let sheet = self.remote.get(&path, "carl")?;
        let request = sheet.part("request").as_object().unwrap();
        let digest = request.get("digest").unwrap().as_str().unwrap();
        let ballot = ballot(digest, "ALLOW").replace(":60}", ":3600}");
        self.remote.post(&format!("{path}/decision"), &key("carl"), &ballot, None)
    }

    fn note(&self, number: usize, fact: &Fact) {
        self.world.lock().unwrap().facts[number] = fact.clone();
    }

    fn told(&self, answer: Answer) -> Answer {
        // Whoever hears it may have killed the service already.
        drop(self.sender.send(Said::Acknowledged));
        answer
    }
}
