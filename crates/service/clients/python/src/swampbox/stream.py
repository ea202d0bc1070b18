"""Events as they come."""

from __future__ import annotations

import http.client
import time
from typing import Any, Dict, Iterator, Optional

from . import exact
from .errors import SwampBoxError, Unreachable
from .link import Link, refusal

_SILENCE = 45.0
"""So many seconds without even a heartbeat mean that the connection is lost. The service sends one every 15."""


def once(link: Link, from_: Optional[int], last: Optional[int]) -> Iterator[Dict[str, Any]]:
    """Events over one connection. It ends with `Unreachable`, or when the service stops."""
    headers = {} if last is None else {"Last-Event-ID": str(last)}
    connection = link.connection(_SILENCE)
    try:
        answer = link.send(
            connection, "GET", "/v1/events/stream", query={"from": from_}, headers=headers
        )
        if answer.status != 200:
            raise refusal(answer, answer.read())
        data = None
        for line in answer:
            if line.startswith(b"data: "):
                data = line[len(b"data: ") :]
            elif line == b"\n" and data is not None:
                # Only now it is known to be whole.
                yield exact.read(data)
                data = None
    except (OSError, http.client.HTTPException) as error:
        raise Unreachable(f"{link.url}: {error!r}") from error
    finally:
        connection.close()


def resumed(link: Link, first: int, give_up_after: Optional[float]) -> Iterator[Dict[str, Any]]:
    """Each event from `first` on, once and in order, over as many connections as it takes."""
    next_ = first
    lost_at: Optional[float] = None
    pause = 0.1
    while True:
        try:
            for event in once(link, next_, None):
                if event["sequence"] != next_:
                    raise ValueError(f"event {event['sequence']} came in the place of {next_}")
                next_ += 1
                lost_at, pause = None, 0.1
                yield event
        except SwampBoxError as error:
            # What the service refuses for good it refuses again.
            if not (isinstance(error, Unreachable) or error.status in (429, 503)):
                raise
            now = time.monotonic()
            lost_at = lost_at or now
            if give_up_after is not None and now - lost_at >= give_up_after:
                raise
        time.sleep(pause)
        pause = min(pause * 2, 5.0)
