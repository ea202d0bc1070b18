"""One life of an agent, and what it proposes."""

from __future__ import annotations

import time
import uuid
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Dict, Mapping, Optional, Type

from .api import Api
from .errors import SwampBoxError, Unreachable

_SLICE = 240
"""A release that waits longer asks again after so many seconds."""


@dataclass(frozen=True)
class Release:
    """How an attempt to release ended."""

    consequence_id: str
    status: str
    """CONTAINED, RELEASED or UNCERTAIN."""
    reason: str
    """Its code, such as actuator_succeeded or authority_pending."""
    message: str
    authority_decision_id: Optional[str]
    actuator_outcome: Optional[str]

    @property
    def released(self) -> bool:
        """Whether the effect happened."""
        return self.status == "RELEASED"

    @property
    def pending(self) -> bool:
        """Whether nobody has decided yet."""
        return self.reason == "authority_pending"

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> "Release":
        """From the service's document."""
        return cls(**{name: document[name] for name in cls.__dataclass_fields__})


class Consequence:
    """A consequence that an execution proposed."""

    def __init__(self, api: Api, document: Dict[str, Any]) -> None:
        self._api = api
        self.document = document
        """As it was when it was submitted."""

    @property
    def id(self) -> str:
        """Its id."""
        return str(self.document["consequence_id"])

    def state(self) -> str:
        """CONTAINED, RELEASED or UNCERTAIN, now."""
        return str(self._api.state_of_consequence(self.id)["release_state"])

    def release(self, wait: float = 0) -> Release:
        """Asks for its release, and waits so many seconds for a decision that is pending.

        While it waits, a connection that is lost is made again. The effect happens once at the most, and
        if the answer was lost the result has the state that the consequence is in.
        """
        until = time.monotonic() + wait
        lost = False
        while True:
            begun = time.monotonic()
            left = max(0, min(_SLICE, int(until - begun)))
            try:
                release = Release.of(self._api.release_consequence(self.id, left))
            except SwampBoxError as error:
                passes = isinstance(error, Unreachable) or error.status in (429, 503)
                if not passes or time.monotonic() >= until:
                    raise
                lost = lost or isinstance(error, Unreachable)
                time.sleep(0.5)
                continue
            if lost and release.reason == "consequence_not_releasable":
                return Release(**{**release.__dict__, "status": self.state()})
            now = time.monotonic()
            if not release.pending or until - now < 1:
                return release
            # A service that stops, or lets nobody wait that long, has answered early.
            time.sleep(max(0.0, min(1.0, begun + 1 - now)))

    def transfer(self, to: "Execution") -> None:
        """Hands it to another execution."""
        self._api.transfer_consequence(self.id, to.id)

    def withdraw(self) -> None:
        """Takes the request for its release back."""
        self._api.withdraw_approval(self.id)


class Execution:
    """An execution, with the token that acts as it. As a context manager it ends at the end."""

    def __init__(self, api: Api, id: str, token: str) -> None:
        self.api = api
        """The operations, with the token of the execution."""
        self.id = id
        self.token = token

    def propose(
        self,
        type: str,
        target: str,
        payload: Any,
        *,
        idempotency_key: Optional[str] = None,
        parent: Optional[Consequence] = None,
    ) -> Consequence:
        """Submits a consequence, once, however often the connection is lost meanwhile.

        Under the same key the same proposal is the same consequence. Without one, each call makes a new one.
        """
        document = self.api.submit_consequence(
            type,
            target,
            payload,
            parent_consequence_id=parent.id if parent else None,
            idempotency_key=idempotency_key or str(uuid.uuid4()),
        )
        return Consequence(self.api, document)

    def adopt(self, consequence_id: str) -> Consequence:
        """Takes up what another execution of the same principal left behind."""
        return Consequence(self.api, self.api.adopt_consequence(consequence_id))

    def held(self, consequence_id: str) -> Consequence:
        """A consequence that it holds."""
        return Consequence(self.api, self.api.read_consequence(consequence_id))

    def end(self) -> None:
        """Ends it. What it holds is quarantined."""
        self.api.end_execution(self.id)

    def __enter__(self) -> "Execution":
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        try:
            self.end()
        except SwampBoxError:
            # What went wrong first is what matters.
            if error is None:
                raise
