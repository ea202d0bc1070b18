"""The operations of the service, each as a method."""

from __future__ import annotations

from typing import Any, Dict, Iterator, Mapping, Optional
from urllib.parse import quote

from . import exact, stream
from .link import NOTHING, Link

Document = Dict[str, Any]


class Api:
    """What the service can be asked for, with one credential. The names are those of /openapi.json."""

    def __init__(self, link: Link) -> None:
        self._link = link

    # Executions

    def create_execution(self, execution_id: Optional[str] = None) -> Document:
        """Makes an execution. Its token is in the answer, this once."""
        return self._post("/v1/executions", _given(execution_id=execution_id))

    def list_executions(
        self,
        state: Optional[str] = None,
        after: Optional[str] = None,
        limit: Optional[int] = None,
    ) -> Document:
        """Executions, in the order of their ids."""
        return self._get("/v1/executions", state=state, after=after, limit=limit)

    def end_execution(self, execution_id: str) -> Document:
        """Ends an execution. What it holds is quarantined."""
        return self._post(f"/v1/executions/{_place(execution_id)}/end")

    # Consequences

    def submit_consequence(
        self,
        consequence_type: str,
        target: str,
        payload: Any,
        consequence_id: Optional[str] = None,
        parent_consequence_id: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> Document:
        """Submits a consequence into the custody of the execution. With an idempotency key it is sent again
        if the connection is lost, and submitted once."""
        body = {"consequence_type": consequence_type, "target": target, "payload": payload}
        body.update(
            _given(consequence_id=consequence_id, parent_consequence_id=parent_consequence_id)
        )
        headers = {} if idempotency_key is None else {"Idempotency-Key": idempotency_key}
        again = idempotency_key is not None
        return self._post("/v1/consequences", body, headers=headers, again=again)

    def list_consequences(
        self,
        state: Optional[str] = None,
        custodian: Optional[str] = None,
        origin: Optional[str] = None,
        type: Optional[str] = None,
        target: Optional[str] = None,
        quarantined: Optional[bool] = None,
        parent: Optional[str] = None,
        after: Optional[str] = None,
        limit: Optional[int] = None,
    ) -> Document:
        """Consequences, in the order of their ids; for an execution, those that it holds."""
        return self._get(
            "/v1/consequences",
            state=state,
            custodian=custodian,
            origin=origin,
            type=type,
            target=target,
            quarantined=quarantined,
            parent=parent,
            after=after,
            limit=limit,
        )

    def read_consequence(self, consequence_id: str) -> Document:
        """A consequence that the execution holds."""
        return self._get(_consequence(consequence_id))

    def state_of_consequence(self, consequence_id: str) -> Document:
        """Whether a consequence is held, released or uncertain."""
        return self._get(_consequence(consequence_id, "/state"))

    def story_of_consequence(self, consequence_id: str) -> Document:
        """All that is known of a consequence."""
        return self._get(_consequence(consequence_id, "/story"))

    def transfer_consequence(self, consequence_id: str, target_execution_id: str) -> Document:
        """Hands a consequence to another execution."""
        body = {"target_execution_id": target_execution_id}
        return self._post(_consequence(consequence_id, "/transfer"), body)

    def inspect_consequence(self, consequence_id: str) -> Document:
        """A consequence in quarantine."""
        return self._get(f"/v1/quarantine/{_place(consequence_id)}")

    def adopt_consequence(
        self, consequence_id: str, execution_id: Optional[str] = None
    ) -> Document:
        """Takes a consequence out of quarantine: an execution for itself, an operator for the one named."""
        body = _given(execution_id=execution_id)
        return self._post(_consequence(consequence_id, "/adopt"), body)

    def release_consequence(self, consequence_id: str, wait_seconds: int = 0) -> Document:
        """Asks for its release once, and waits for a decision that is pending."""
        body = {"wait_seconds": wait_seconds}
        return self._post(_consequence(consequence_id, "/release"), body, wait=wait_seconds)

    def observe_consequence(self, consequence_id: str) -> Document:
        """Looks for the effect of a consequence, where its actuator offers that."""
        return self._post(_consequence(consequence_id, "/observe"))

    def resolve_consequence(self, consequence_id: str, verdict: str, evidence: Any) -> Document:
        """Attaches what was found out about an UNCERTAIN consequence, which it stays."""
        body = {"verdict": verdict, "evidence": evidence}
        return self._post(_consequence(consequence_id, "/resolve"), body)

    # Approvals

    def list_approvals(self, after: Optional[int] = None, limit: Optional[int] = None) -> Document:
        """Requests that wait for a decision, the oldest first."""
        return self._get("/v1/approvals", after=after, limit=limit)

    def show_approval(self, consequence_id: str) -> Document:
        """All that an approver has to see of a request."""
        return self._get(f"/v1/approvals/{_place(consequence_id)}")

    def decide_approval(
        self, consequence_id: str, digest: str, verdict: str, reason: str, window_seconds: int
    ) -> Document:
        """Allows or denies what was shown, which the digest names."""
        body = {
            "digest": digest,
            "verdict": verdict,
            "reason": reason,
            "window_seconds": window_seconds,
        }
        return self._post(f"/v1/approvals/{_place(consequence_id)}/decision", body)

    def withdraw_approval(self, consequence_id: str) -> Document:
        """Takes a request back, or one's own vote to allow it."""
        return self._post(f"/v1/approvals/{_place(consequence_id)}/withdraw")

    # The history

    def list_events(
        self,
        from_: Optional[int] = None,
        execution: Optional[str] = None,
        consequence: Optional[str] = None,
        limit: Optional[int] = None,
    ) -> Document:
        """Events, in their order."""
        query = {"from": from_, "execution": execution, "consequence": consequence}
        return self._get("/v1/events", **query, limit=limit)

    def stream_events(
        self, from_: Optional[int] = None, last_event_id: Optional[int] = None
    ) -> Iterator[Document]:
        """Events as they come over one connection, until that is lost. `Client.events` goes on after it."""
        return stream.once(self._link, from_, last_event_id)

    def show_ledger(self) -> Document:
        """The last event and the last checkpoints, at most 100 of them; each is an event, too."""
        return self._get("/v1/ledger")

    def verify_ledger(self) -> Document:
        """Reads all of the ledger, and says where it differs from its history."""
        return self._post("/v1/ledger/verify", wait=600)

    def checkpoint_ledger(self) -> Document:
        """Signs how long the history is, and its last hash."""
        return self._post("/v1/ledger/checkpoint")

    # The service

    def metrics(self) -> str:
        """Counts and times for Prometheus."""
        return self._link.ask("GET", "/metrics", again=True).decode()

    def health(self) -> Document:
        """Whether the process answers."""
        return self._get("/healthz")

    def readiness(self) -> Document:
        """Whether the ledger can be used."""
        return _document(self._link.ask("GET", "/readyz", again=True, taken=(503,)))

    def openapi(self) -> Document:
        """The OpenAPI document."""
        return self._get("/openapi.json")

    def _get(self, path: str, **query: Any) -> Document:
        return _document(self._link.ask("GET", path, query=query, again=True))

    def _post(
        self,
        path: str,
        body: Any = NOTHING,
        headers: Optional[Mapping[str, str]] = None,
        wait: float = 0,
        again: bool = False,
    ) -> Document:
        return _document(
            self._link.ask("POST", path, body=body, headers=headers, wait=wait, again=again)
        )


def _document(text: bytes) -> Document:
    document = exact.read(text)
    if not isinstance(document, dict):
        raise ValueError("the service answered with no object")
    return document


def _given(**fields: Any) -> Document:
    return {name: value for name, value in fields.items() if value is not None}


def _consequence(consequence_id: str, rest: str = "") -> str:
    return f"/v1/consequences/{_place(consequence_id)}{rest}"


def _place(text: str) -> str:
    # A dot would mean something in a path, too.
    return quote(text, safe="").replace(".", "%2E")
