use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use super::world::World;

/// With fewer schedules than this the model checker has not seen where the threads meet.
const FEWEST_SCHEDULES: usize = 3;

/// Runs `story` in every schedule that there is, each time in a new world, and gives the different
/// endings that it told, sorted, each on a line.
///
/// A panic in any schedule fails the test, and so does a deadlock.
pub(super) fn endings(
    world: impl Fn() -> World + Send + Sync + 'static,
    story: impl Fn(&Arc<World>) -> String + Send + Sync + 'static,
) -> String {
    explore(None, world, story)
}

/// The same in every schedule that takes the processor from threads which could go on at most
/// `preemptions` times; for stories that have too many schedules.
pub(super) fn endings_within(
    preemptions: usize,
    world: impl Fn() -> World + Send + Sync + 'static,
    story: impl Fn(&Arc<World>) -> String + Send + Sync + 'static,
) -> String {
    explore(Some(preemptions), world, story)
}

fn explore(
    preemptions: Option<usize>,
    world: impl Fn() -> World + Send + Sync + 'static,
    story: impl Fn(&Arc<World>) -> String + Send + Sync + 'static,
) -> String {
    let told = Arc::new(Mutex::new(Told::default()));
    let listener = told.clone();
    let mut model = loom::model::Builder::new();
    model.preemption_bound = preemptions;
    model.check(move || {
        let ending = story(&Arc::new(world()));
        let mut told = listener.lock().unwrap_or_else(PoisonError::into_inner);
        told.schedules += 1;
        told.endings.insert(ending);
    });
    let told = told.lock().unwrap_or_else(PoisonError::into_inner);
    println!("{} schedules", told.schedules);
    assert!(told.schedules >= FEWEST_SCHEDULES, "only {} schedules were explored", told.schedules);
    Vec::from_iter(told.endings.iter().cloned()).join("\n")
}

#[derive(Default)]
struct Told {
    schedules: usize,
    endings: BTreeSet<String>,
}
