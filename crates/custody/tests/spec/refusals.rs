//! Every refusal, with its code and its words.

use std::error::Error;

use insta::assert_snapshot;
use swampbox_custody::Refusal::{self, *};
use swampbox_custody::ReleaseState::{Released, Uncertain};
use swampbox_custody::{ConsequenceId, CustodyError, ExecutionId, StoreFailure};

use crate::fixture::id;

#[test]
fn every_refusal_has_a_code_and_says_whom_it_is_about() {
    let x = || id::<ConsequenceId>("X\u{200b}");
    let a = || id::<ExecutionId>("exec-A");
    let refusals = [
        ExecutionNotRegistered(a()),
        ExecutionNotActive(a()),
        ExecutionEnded(a()),
        ReleaseInProgress(x()),
        ConsequenceExists(x()),
        OwnParent(x()),
        ParentNotFound(x()),
        ParentReleaseInProgress(x()),
        ParentNotContained(x(), Released),
        ParentNotInCustody(x(), a()),
        NotVisible(x(), a()),
        SameExecution(a()),
        NotContained(x(), Uncertain),
        NotQuarantined(x()),
        ConsequenceNotFound(x()),
        NotAdoptable(x(), Released),
        ConsequenceNotReleasable(x(), Uncertain),
        ConsequenceNotInActiveCustody(x()),
        NotCurrentCustodian(x(), a()),
        CustodyChangedBeforeRelease(x(), a()),
        TooLarge(x(), 67_108_864),
        StaleAttempt(id("box-1"), x()),
    ];
    let line = |refusal: &Refusal| format!("{}: {refusal}", refusal.code());
    let answers = refusals.iter().map(line).collect::<Vec<_>>().join("\n");
    assert_snapshot!(answers);
}

#[test]
fn a_failing_store_is_an_error_of_its_own_with_its_cause() {
    let failure = CustodyError::from(StoreFailure::new("the disk is full"));
    assert_eq!(failure.code().as_str(), "store_unavailable");
    assert_eq!(failure.to_string(), "the custody store failed: the disk is full");
}

#[test]
fn an_error_of_custody_reads_as_the_refusal_that_it_is() {
    let refusal = ConsequenceNotFound(id("X"));
    let error = CustodyError::from(refusal.clone());
    assert_eq!(error.code(), refusal.code());
    assert_eq!(error.to_string(), refusal.to_string());
    assert!(error.source().is_none());
}
