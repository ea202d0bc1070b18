//! Hands what a service asks its clock, authority and actuator to the script of the release that is
//! played.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;

use swampbox::scenario::Script;
use swampbox_authority::{
    AuthorityProvider, AuthorityRequest, Clock, ClockError, DecisionDocument, NoDecision, Timestamp,
};
use swampbox_boundary::{Actuator, ActuatorFailure, ActuatorReport, Admission};
use swampbox_material::Material;
use swampbox_service::{Effects, NoEffect};

type Ask = Box<dyn FnOnce(&dyn Script) + Send>;

/// The releases that are being played, each within the one before. What is asked is asked of the last.
#[derive(Clone, Default)]
pub(super) struct Scripts(Arc<Mutex<Vec<Sender<Ask>>>>);

impl Scripts {
    /// Does what asks for a release, and lets this script answer whatever is asked meanwhile.
    pub(super) fn during<T: Send>(
        &self,
        script: &dyn Script,
        release: impl FnOnce() -> T + Send,
    ) -> T {
        let (sender, asks) = channel::<Ask>();
        self.0.lock().unwrap().push(sender);
        thread::scope(|scope| {
            let released = scope.spawn(|| {
                let released = release();
                // Nothing is asked any more, which ends the loop below.
                drop(self.0.lock().unwrap().pop());
                released
            });
            asks.into_iter().for_each(|ask| ask(script));
            released.join().unwrap()
        })
    }

    /// What the script says; if it panics, so does this.
    fn ask<T: Send + 'static>(&self, ask: impl FnOnce(&dyn Script) -> T + Send + 'static) -> T {
        let (sender, answer) = channel();
        let last = self.0.lock().unwrap().last().cloned().unwrap();
        let asked: Ask = Box::new(move |script| {
            let said = catch_unwind(AssertUnwindSafe(|| ask(script)));
            sender.send(said).unwrap();
        });
        last.send(asked).unwrap();
        drop(last);
        answer.recv().unwrap().unwrap_or_else(|panic| resume_unwind(panic))
    }
}

impl Clock for Scripts {
    fn now(&self) -> Result<Timestamp, ClockError> {
        self.ask(|script| script.now())
    }
}

impl AuthorityProvider for Scripts {
    fn evaluate(&self, request: &AuthorityRequest) -> Result<DecisionDocument, NoDecision> {
        let request = request.clone();
        self.ask(move |script| script.evaluate(&request))
    }
}

impl Actuator for Scripts {
    fn actuate(&self, _admission: Admission<'_>) -> Result<ActuatorReport, ActuatorFailure> {
        self.ask(|script| script.act())
    }
}

impl Effects for Scripts {
    fn admit(&self, _: &Material) -> Result<(), NoEffect> {
        Ok(())
    }

    fn actuator(&self, _: &Material) -> Result<&dyn Actuator, NoEffect> {
        Ok(self)
    }
}
