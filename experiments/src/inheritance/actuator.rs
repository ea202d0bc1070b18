//! A simulated outside world, with both ways to reach it.

use serde::Serialize;

use super::{boundary::Admitted, store::Consequence};

/// How an effect came about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Route {
    /// Through the boundary, with an admission.
    Boundary,
    /// By a direct call that asked nobody.
    Direct,
}

/// Something that happened in the simulated world.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Effect {
    /// How it came about.
    pub route: Route,
    /// What happened.
    pub consequence: Consequence,
}

/// Writes effects to a log. It can be called directly, so that the bypass is there to be seen.
#[derive(Debug, Default)]
pub struct SimulatedActuator {
    effects: Vec<Effect>,
}

impl SimulatedActuator {
    /// Performs `consequence` for whoever calls. This is the bypass: no admission is asked for.
    pub fn act_directly(&mut self, consequence: &Consequence) {
        self.effects.push(Effect { route: Route::Direct, consequence: consequence.clone() });
    }

    /// Performs what the boundary admitted.
    pub(super) fn commit(&mut self, admitted: Admitted<'_>) {
        let consequence = admitted.into_consequence().clone();
        self.effects.push(Effect { route: Route::Boundary, consequence });
    }

    /// Every effect so far, in order.
    pub fn effects(&self) -> &[Effect] {
        &self.effects
    }
}
