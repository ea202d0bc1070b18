//! Releases from many threads.

use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Barrier, Mutex, mpsc};
use std::thread;

use swampbox_authority::{AuthorityProvider, Clock};
use swampbox_boundary::{Actuator, ActuatorOutcome, ReleaseBoundary};
use swampbox_custody::{Custody, MemoryCustody};

use crate::fixture::{Script, held, note, parsed};

#[test]
fn two_threads_that_release_the_same_consequence_make_one_effect() {
    for _ in 0..1_000 {
        let (store, start) = (&held(), &Barrier::new(2));
        let script = &Script::new();
        let mut codes: Vec<&str> = thread::scope(|scope| {
            let release = || {
                start.wait();
                script.release(store, "exec-A", "X").reason().code().as_str()
            };
            let threads = [scope.spawn(release), scope.spawn(release)];
            threads.map(|thread| thread.join().unwrap()).into()
        });
        assert_eq!(script.counts()[1], 1, "actuator calls");
        codes.sort_unstable();
        let loser = codes.pop().unwrap();
        assert_eq!(codes, ["actuator_succeeded"]);
        assert!(["consequence_not_releasable", "release_in_progress"].contains(&loser), "{loser}");
    }
}

#[test]
fn a_release_and_a_transfer_at_once_end_in_one_order_or_the_other() {
    for _ in 0..200 {
        let (store, start) = (&held(), &Barrier::new(2));
        let script = &Script::new();
        let (released, moved) = thread::scope(|scope| {
            let release = scope.spawn(|| {
                start.wait();
                script.release(store, "exec-A", "X").reason().code().as_str()
            });
            start.wait();
            let moved = store.transfer(&parsed("exec-A"), &parsed("exec-B"), &parsed("X"));
            (release.join().unwrap(), moved.is_ok())
        });
        if moved {
            assert_eq!(script.counts()[1], 0);
            assert!(
                ["custody_changed_before_release", "not_current_custodian"].contains(&released)
            );
        } else {
            assert_eq!((script.counts()[1], released), (1, "actuator_succeeded"));
        }
    }
}

/// No time is measured: the actuator ends only after everything else was done.
#[test]
fn an_actuator_that_takes_its_time_delays_nobody_else() {
    let store = &held();
    let (entered, wait_for_entry) = mpsc::channel();
    let (go_on, wait_to_go_on) = mpsc::channel::<()>();
    let wait_to_go_on = Mutex::new(wait_to_go_on);
    let slow = Script::new().actuator(move |_| {
        entered.send(()).unwrap();
        wait_to_go_on.lock().unwrap().recv().unwrap();
        Ok(ActuatorOutcome::Succeeded.into())
    });
    thread::scope(|scope| {
        let releasing = scope.spawn(|| slow.release(store, "exec-A", "X").status().as_str());
        wait_for_entry.recv().unwrap();

        store.read(&parsed("exec-A"), &parsed("X")).unwrap();
        for number in 0..100 {
            let id = format!("other-{number}");
            store.submit(note("exec-A", &id)).unwrap();
            store.read(&parsed("exec-A"), &parsed(&id)).unwrap();
            store.transfer(&parsed("exec-A"), &parsed("exec-B"), &parsed(&id)).unwrap();
            let result = Script::new().release(store, "exec-B", &id);
            assert_eq!(result.status().as_str(), "RELEASED");
        }
        store.end(&parsed("exec-B")).unwrap();

        go_on.send(()).unwrap();
        assert_eq!(releasing.join().unwrap(), "RELEASED");
    });
}

/// Each actuator waits until all have been entered: with one lock this would never end.
#[test]
fn separate_consequences_are_released_at_the_same_time() {
    const THREADS: usize = 8;
    let store = &held();
    let together = &Barrier::new(THREADS);
    let script = &Script::new().actuator(|_| {
        together.wait();
        Ok(ActuatorOutcome::Succeeded.into())
    });
    thread::scope(|scope| {
        for number in 0..THREADS {
            let id = format!("one-of-many-{number}");
            store.submit(note("exec-A", &id)).unwrap();
            scope.spawn(move || {
                let result = script.release(store, "exec-A", &id);
                assert_eq!(result.status().as_str(), "RELEASED");
            });
        }
    });
    assert_eq!(script.counts()[1], THREADS);
}

#[test]
fn attempts_of_one_store_never_share_an_id() {
    let store = &held();
    let ids = &Mutex::new(Vec::new());
    let script = &Script::new().actuator(|admission| {
        ids.lock().unwrap().push(admission.attempt_id().clone());
        Ok(ActuatorOutcome::DefiniteNotExecuted.into())
    });
    thread::scope(|scope| {
        for (execution, consequence) in [("exec-A", "X"), ("exec-B", "Y")] {
            scope.spawn(move || {
                for _ in 0..500 {
                    drop(script.release(store, execution, consequence));
                }
            });
        }
    });
    let mut ids = ids.lock().unwrap().clone();
    assert_eq!(ids.len(), 1_000);
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 1_000);
}

#[test]
fn a_boundary_of_shared_parts_is_used_by_threads_that_outlive_their_maker() {
    let entered = Arc::new(AtomicUsize::new(0));
    let count = entered.clone();
    let script: Arc<Script<'static>> = Arc::new(Script::new().actuator(move |_| {
        count.fetch_add(1, SeqCst);
        Ok(ActuatorOutcome::Succeeded.into())
    }));
    let store: Arc<MemoryCustody> = Arc::new(held());
    let provider: Arc<dyn AuthorityProvider> = script.clone();
    let actuator: Arc<dyn Actuator> = script.clone();
    let clock: Arc<dyn Clock> = script;
    let boundary = Arc::new(ReleaseBoundary::new(store, provider, actuator, clock));
    let threads = [("exec-A", "X"), ("exec-B", "Y")].map(|(execution, consequence)| {
        let boundary = boundary.clone();
        thread::spawn(move || {
            let result = boundary.release(&parsed(execution), &parsed(consequence));
            result.status().as_str()
        })
    });
    let statuses = threads.map(|thread| thread.join().unwrap());
    assert_eq!(statuses, ["RELEASED", "RELEASED"]);
    assert_eq!(entered.load(SeqCst), 2);
}
