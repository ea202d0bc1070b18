//! Settling takes the mark away.

use swampbox_custody::{Custody, Mark, MemoryCustody, Settlement};

fn twice(custody: &MemoryCustody, mark: Mark) {
    let _ = custody.settle(mark, Settlement::Uncertain, "");
    let _ = custody.settle(mark, Settlement::Released, "");
}

fn main() {}
