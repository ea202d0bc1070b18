//! A proof does not outlive the attempt that waits for its outcome.

use swampbox_boundary::{Actuating, ActuatorReport};
use swampbox_custody::MemoryCustody;

fn keep(actuating: Actuating<'_, MemoryCustody>) {
    let mut kept = None;
    let _ = actuating.act(|admission| {
        kept = Some(admission);
        Ok(ActuatorReport::succeeded(""))
    });
}

fn main() {}
