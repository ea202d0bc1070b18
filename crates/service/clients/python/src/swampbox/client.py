"""Where everything begins."""

from __future__ import annotations

import ssl
from typing import Any, Dict, Iterator, Optional

from . import stream
from .api import Api
from .execution import Execution
from .link import Link


class Client(Api):
    """A service, in the name of the principal who has the API key.

    `context` says which authorities are trusted, for https. The key goes over plain http to this machine
    alone, unless `allow_plain_http` is set. May be used by any number of threads.
    """

    def __init__(
        self,
        url: str,
        key: str,
        *,
        timeout: float = 30.0,
        context: Optional[ssl.SSLContext] = None,
        allow_plain_http: bool = False,
    ) -> None:
        super().__init__(Link(url, key, timeout, context, allow_plain_http))

    def execution(self, id: Optional[str] = None) -> Execution:
        """A new execution."""
        made = self.create_execution(id)
        return self.resume(made["execution_id"], made["token"])

    def resume(self, id: str, token: str) -> Execution:
        """An execution that is there already."""
        return Execution(Api(self._link.with_credential(token)), id, token)

    def events(
        self, from_: Optional[int] = None, *, give_up_after: Optional[float] = None
    ) -> Iterator[Dict[str, Any]]:
        """Each event from one on, once and in order; without it, from the next that comes.

        A connection that is lost is made again, and it goes on where it stopped; for ever, or until there
        was no connection for `give_up_after` seconds.
        """
        if from_ is None:
            last = self.show_ledger()["last_event"]
            from_ = last["sequence"] + 1 if last else 1
        return stream.resumed(self._link, from_, give_up_after)
