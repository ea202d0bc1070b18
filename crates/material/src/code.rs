//! The one list of codes.

use std::fmt;

/// Defines the enum, and with each code its name, meaning and remedy.
macro_rules! codes {
    ($($variant:ident $name:literal: $meaning:literal, $remedy:literal;)*) => {
        /// A stable, machine-readable code: of a refusal, of an error, or of the reason of a
        /// release's result. Every surface uses the same code for the same thing; a code never
        /// changes its meaning. `docs/codes.md` is generated from this list.
        ///
        /// ```
        /// use swampbox_material::Code;
        ///
        /// assert_eq!(Code::NotVisible.as_str(), "not_visible");
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Code {
            $(#[doc = $meaning] $variant,)*
        }

        impl Code {
            /// Every code, in the order of the contract.
            pub const ALL: &'static [Code] = &[$(Code::$variant),*];

            /// The code as it is written everywhere.
            pub fn as_str(self) -> &'static str {
                match self { $(Code::$variant => $name,)* }
            }

            /// What it means, as a sentence.
            pub fn meaning(self) -> &'static str {
                match self { $(Code::$variant => $meaning,)* }
            }

            /// What one can do about it, as a sentence.
            pub fn remedy(self) -> &'static str {
                match self { $(Code::$variant => $remedy,)* }
            }
        }
    };
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

codes! {
    InvalidJson "invalid_json":
        "The text is not JSON, or not valid UTF-8.",
        "Mend the text at the path, line and column that are given.";
    DuplicateKey "duplicate_key":
        "A key appears twice in one mapping, so readers could disagree about its value.",
        "Remove one of the two.";
    DepthExceeded "depth_exceeded":
        "Containers are nested deeper than the bound: 16 in material, 128 in a document.",
        "Flatten the value.";
    NonFiniteNumber "non_finite_number":
        "A float is infinite, not a number, or beyond the range of a double.",
        "Use a smaller number, or a string.";
    UnsupportedValue "unsupported_value":
        "The value can't be held exactly, such as an integer of more than 4,300 digits.",
        "Give it as a string.";
    InvalidDocument "invalid_document":
        "The JSON is good, but a field is missing, unknown or of the wrong type.",
        "Mend the field at the path that is given.";
    TooLarge "too_large":
        "The input is larger than the bound: 64 MiB for a JSON text.",
        "Make it smaller, or refer to the bulk of it by name and digest.";
    InvalidIdentifier "invalid_identifier":
        "An id is empty, longer than 256 bytes, has white space at an end or holds a control character.",
        "Use another id.";
    ExecutionNotRegistered "execution_not_registered":
        "No execution of this id was ever registered.",
        "Register it first, or correct the id.";
    ExecutionNotActive "execution_not_active":
        "The execution has ended; nothing acts in its name any more.",
        "Adopt what it left behind from an active execution.";
    ExecutionEnded "execution_ended":
        "An execution that has ended can't be registered again.",
        "Register a new execution under an id of its own.";
    ReleaseInProgress "release_in_progress":
        "A release of the consequence has begun and its outcome is not known yet.",
        "Wait for its outcome and look at the state then.";
    ConsequenceExists "consequence_exists":
        "A consequence of this id is there already.",
        "Use another id; ids are never used again.";
    OwnParent "own_parent":
        "A consequence can't be derived from itself.",
        "Name the consequence that it was derived from, or none.";
    ParentNotFound "parent_not_found":
        "The parent does not exist.",
        "Submit the parent first, or correct its id.";
    ParentReleaseInProgress "parent_release_in_progress":
        "The parent is being released, so nothing can be derived from it.",
        "Wait for the outcome; a parent that stays CONTAINED can be derived from again.";
    ParentNotContained "parent_not_contained":
        "The parent is RELEASED or UNCERTAIN, so nothing can be derived from it.",
        "Submit a consequence of its own, without this parent.";
    ParentNotInCustody "parent_not_in_custody":
        "The parent is not in the custody of the execution that submits.",
        "Have its custodian transfer it, or adopt it if it is quarantined.";
    NotVisible "not_visible":
        "The consequence does not exist, or another execution holds it; which of the two is not said.",
        "Correct the id, or ask the custodian.";
    SameExecution "same_execution":
        "Source and target of the transfer are the same execution.",
        "Name another target.";
    NotContained "not_contained":
        "The consequence is RELEASED or UNCERTAIN; both are final.",
        "Submit a new consequence.";
    NotQuarantined "not_quarantined":
        "The consequence is not in quarantine: it does not exist, is final, or has a custodian.",
        "Ask its custodian for a transfer.";
    ConsequenceNotFound "consequence_not_found":
        "The consequence does not exist.",
        "Correct the id.";
    NotAdoptable "not_adoptable":
        "The consequence is RELEASED or UNCERTAIN; both are final.",
        "Submit a new consequence.";
    ConsequenceNotReleasable "consequence_not_releasable":
        "The consequence is RELEASED or UNCERTAIN already; neither is ever released again.",
        "Look at what happened; to do it once more, submit a new consequence.";
    ConsequenceNotInActiveCustody "consequence_not_in_active_custody":
        "The consequence is quarantined: the execution that held it has ended.",
        "Adopt it first.";
    NotCurrentCustodian "not_current_custodian":
        "Another execution holds the consequence.",
        "Let its custodian release it, or have it transferred.";
    ClockInvalid "clock_invalid":
        "The clock could not be read, so no window could be checked.",
        "Mend the clock and release again.";
    AuthorityUnavailable "authority_unavailable":
        "The authority provider failed, so there is no decision.",
        "Mend the provider and release again.";
    AuthorityPending "authority_pending":
        "A decision has been asked for and does not stand yet.",
        "Wait until it is decided, and release again.";
    AuthorityRevoked "authority_revoked":
        "The decision does not stand any more: it, or what it rests on, was revoked, withdrawn or changed.",
        "Ask for a new decision.";
    AuthorityConsumed "authority_consumed":
        "The decision may release once, and was used for an attempt already.",
        "Ask for a new decision.";
    CustodyChangedBeforeRelease "custody_changed_before_release":
        "While the authority was deciding, the consequence was transferred or its execution ended.",
        "Let the present custodian ask for a decision of its own.";
    AuthorityInvalid "authority_invalid":
        "The decision is malformed: a field is missing, unknown or wrong.",
        "Mend what makes the decisions.";
    AuthorityNotAllowed "authority_not_allowed":
        "The authority decided DENY.",
        "Nothing: it was decided. Propose something else.";
    AuthorityConsequenceMismatch "authority_consequence_mismatch":
        "The decision is bound to another consequence. Lineage is not authority.",
        "Ask for a decision about this consequence.";
    AuthorityCustodianMismatch "authority_custodian_mismatch":
        "The decision is bound to another custodian.",
        "Ask for a decision for the present custodian.";
    AuthorityMaterialMismatch "authority_material_mismatch":
        "The decision is bound to other material than what is stored.",
        "Ask for a decision about the material as it is stored.";
    AuthorityInvalidTimestamp "authority_invalid_timestamp":
        "A time of the decision is not RFC 3339 with an offset, or `valid_until` is not after `issued_at`.",
        "Mend what makes the decisions.";
    AuthorityNotYetValid "authority_not_yet_valid":
        "The decision's window has not begun.",
        "Release again within the window.";
    AuthorityExpired "authority_expired":
        "The decision's window is over.",
        "Ask for a new decision.";
    ActuatorSucceeded "actuator_succeeded":
        "The actuator reported that the effect happened; the consequence is RELEASED.",
        "Nothing.";
    ActuatorDefinitelyNotExecuted "actuator_definitely_not_executed":
        "The effect surely did not happen; the consequence stays CONTAINED.",
        "Mend the cause and release again, with a new decision.";
    ActuatorOutcomeUncertain "actuator_outcome_uncertain":
        "Nobody knows whether the effect happened; the consequence is UNCERTAIN for ever.",
        "Look at the outside world. Never retry: to do it after all, submit a new consequence.";
    StaleAttempt "stale_attempt":
        "The attempt that reports an outcome no longer holds the consequence's mark.",
        "Nothing: what was settled stands.";
    StoreUnavailable "store_unavailable":
        "The custody store could not carry the operation out; nothing was changed.",
        "Mend the store and try again.";
    LedgerNotFound "ledger_not_found":
        "There is no ledger at this path.",
        "Correct the path, or make a ledger there.";
    LedgerExists "ledger_exists":
        "There is a file at this path already, so no ledger is made there.",
        "Take another path, or open the ledger that is there.";
    LedgerInvalid "ledger_invalid":
        "The file is not a ledger.",
        "Correct the path.";
    LedgerNewer "ledger_newer":
        "The ledger was written by a newer program, in a format that this one does not know.",
        "Use a program at least as new as the ledger.";
    LedgerTampered "ledger_tampered":
        "The ledger is not what its history says: it was changed by other means than this program, or is damaged.",
        "Keep a copy of it as evidence, look at the place that is named, and go on from a backup that verifies.";
    CheckpointInvalid "checkpoint_invalid":
        "The document is no checkpoint, or its signature is not right.",
        "Use the checkpoint as it was exported, or another one.";
    ExportInvalid "export_invalid":
        "The text is no export of a ledger, or was changed or cut off since it was written.",
        "Export the ledger again.";
    KeyExists "key_exists":
        "There is a file at this path already, so no key is written there.",
        "Take another path, or use the key that is there.";
    KeyExposed "key_exposed":
        "Others than its owner may read the file of the private key.",
        "Set its mode to 0600; if others may have read it, make a new key.";
    KeyInvalid "key_invalid":
        "The file or text is no Ed25519 key in the expected form.",
        "Give a private key in PKCS#8 PEM, and a public key in hexadecimal digits.";
    KeyUnusable "key_unusable":
        "The file of the key could not be read or written.",
        "Correct the path or its permissions.";
    PolicyInvalid "policy_invalid":
        "What was configured to decide is not clear: a policy, its schema, or what a key may decide.",
        "Mend what is named, at the line that is given.";
    NotUncertain "not_uncertain":
        "The consequence is not UNCERTAIN, so there is nothing to resolve.",
        "Look at its state; only what is UNCERTAIN can be explained by a resolution.";
    NoActuator "no_actuator":
        "Nothing here carries out such consequences, or it is not clear which of two does.",
        "Release it where one actuator is configured for its type and target.";
    PayloadSchema "payload_schema":
        "The payload, or the target, is nothing that the actuator for the consequence could ever carry out.",
        "Correct it at the path that is named.";
    RequestNotFound "request_not_found":
        "Nobody has been asked to approve this consequence.",
        "Correct the id, or ask for its release.";
    RequestClosed "request_closed":
        "The request for approval is decided, expired, withdrawn, void or used, so nothing can be done to it.",
        "Look at what became of it; asking for the release again makes a new one where none stands.";
    RequestChanged "request_changed":
        "The request for approval is not the one that was shown: its digest is another.",
        "Look at the request as it is now, and decide about that.";
    MaterialNotShown "material_not_shown":
        "Whoever decides in the console has not been shown all of the material in this session.",
        "Open every page of the request, and then decide.";
    ApproverNotEligible "approver_not_eligible":
        "The principal is none of those who may decide about the request.",
        "Let one of the approvers that the request names decide.";
    ApproverIsProposer "approver_is_proposer":
        "The principal stands behind the execution that proposed the consequence or holds it, and nobody approves what is their own.",
        "Let another approver decide.";
    AlreadyVoted "already_voted":
        "The principal has decided about the request already, and counts once.",
        "Nothing: the vote stands. Whoever allowed it may withdraw the request.";
    BallotInvalid "ballot_invalid":
        "A vote has no reason or too long a one, or its window is zero, not of whole seconds, or longer than allowed.",
        "Correct what is named, and decide again.";
    NotRequester "not_requester":
        "The request for approval was asked for by another principal, and this one has not allowed it.",
        "Let who asked for it withdraw it, or an approver who allowed it.";
    ApprovalTermsInvalid "approval_terms_invalid":
        "The terms of approval can't be kept: no approvers or too many, a quorum that they can't make, or a length of zero.",
        "Correct the terms.";
    ProcessNotFound "process_not_found":
        "There is no process of this number, or this system does not tell.",
        "Give the number of a process that runs, or take a lease instead.";
    LeaseNotFound "lease_not_found":
        "The execution has no lease that could be renewed.",
        "Register it with a lease.";
    Unauthenticated "unauthenticated":
        "The request shows no credential, or one that is not known.",
        "Send `Authorization: Bearer` with an API key, or with the token of an execution.";
    Forbidden "forbidden":
        "The credential is known, and does not allow this.",
        "Ask with one of the role that is named.";
    RateLimited "rate_limited":
        "The caller asks more often than the service lets it.",
        "Wait a moment, and ask again.";
    Overloaded "overloaded":
        "As many requests of this kind as the service takes are at work; this one was not begun.",
        "Wait a moment, and ask again.";
    RequestTimeout "request_timeout":
        "The request did not come within its time; nothing was done.",
        "Send all of it at once.";
    RouteNotFound "route_not_found":
        "The service has nothing at this path.",
        "Look at /openapi.json for what there is.";
    MethodNotAllowed "method_not_allowed":
        "The path is there, and is not asked for by this method.",
        "Look at /openapi.json for the method.";
    IdempotencyMismatch "idempotency_mismatch":
        "The idempotency key came before, with another consequence.",
        "Take a new key for each consequence.";
    ExecutionExists "execution_exists":
        "An execution of this id is there already, so no token is given for it.",
        "Take another id, or none.";
    AddressUnavailable "address_unavailable":
        "The service can't listen at its address.",
        "Stop what listens there, or take another with `listen` or `--listen`.";
    ServiceUnreachable "service_unreachable":
        "The service could not be reached, or what answered is none.",
        "Start the service, correct the URL, or mend the way to it.";
    ConfigInvalid "config_invalid":
        "The configuration file is not valid.",
        "Correct what is named; `swampbox config check` tells when it is right, and `swampbox config example` shows every key.";
    InvalidArguments "invalid_arguments":
        "The command's arguments are not valid.",
        "Correct what is named; `--help` shows what there is.";
    InputUnreadable "input_unreadable":
        "An input file could not be read.",
        "Correct the path or its permissions.";
    OutputUnwritable "output_unwritable":
        "The output could not be written.",
        "Make room, or write somewhere else.";
    DemoInterrupted "demo_interrupted":
        "The demonstration could not be carried to its end, for instance because nothing may listen on the loopback interface.",
        "Mend what is named, and run it again.";
}
