//! One attempt holds one mark.

use swampbox_custody::Mark;

fn twice(mark: &Mark) -> Mark {
    Mark::clone(mark)
}

fn main() {}
