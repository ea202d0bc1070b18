"""The way to the service."""

from __future__ import annotations

import http.client
import ipaddress
import ssl
import time
from typing import Any, Dict, Mapping, Optional, Tuple
from urllib.parse import urlencode, urlsplit

from . import exact
from .errors import SwampBoxError, Unreachable

NOTHING = object()
"""Stands for a request without a body."""

_TRIES = 4


class Link:
    """Asks a service in the name of whoever has the credential.

    Each request has a connection of its own, so a link serves any number of threads. Neither is a proxy
    taken from the environment, nor a redirect followed.
    """

    def __init__(
        self,
        url: str,
        credential: str,
        timeout: float,
        context: Optional[ssl.SSLContext],
        allow_plain_http: bool,
    ) -> None:
        parts = urlsplit(url)
        form = f"{url!r} is no URL of a service, such as https://box.example.com"
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(form)
        if parts.query or parts.fragment or parts.username is not None:
            raise ValueError(form)
        if parts.scheme == "http" and not (allow_plain_http or _is_loopback(parts.hostname)):
            raise ValueError(
                f"others could read the key on its way to {url!r}; take https, or say "
                "allow_plain_http=True"
            )
        self.url = url
        self._secret = parts.scheme == "https"
        self._host, self._port = parts.hostname, parts.port
        self._base = parts.path.rstrip("/")
        self._credential = credential
        self._timeout = timeout
        self._context = context

    def with_credential(self, credential: str) -> "Link":
        """The same way, for somebody else."""
        other = object.__new__(Link)
        other.__dict__.update(self.__dict__)
        other._credential = credential
        return other

    def ask(
        self,
        method: str,
        path: str,
        query: Optional[Mapping[str, Any]] = None,
        body: Any = NOTHING,
        headers: Optional[Mapping[str, str]] = None,
        wait: float = 0,
        again: bool = False,
        taken: Tuple[int, ...] = (),
    ) -> bytes:
        """Asks, and gives what was answered.

        `again` says that it may be sent more than once, which it is if the connection is lost. `taken` are
        statuses that are answers like any other.
        """
        tries = _TRIES if again else 1
        for number in range(1, tries + 1):
            try:
                return self._once(method, path, query, body, headers, wait, taken)
            except Unreachable:
                if number == tries:
                    raise
                time.sleep(0.1 * 3**number)
        raise AssertionError("unreachable")

    def _once(
        self,
        method: str,
        path: str,
        query: Optional[Mapping[str, Any]],
        body: Any,
        headers: Optional[Mapping[str, str]],
        wait: float,
        taken: Tuple[int, ...],
    ) -> bytes:
        connection = self.connection(self._timeout + wait)
        try:
            answer = self.send(connection, method, path, query, body, headers)
            text = answer.read()
        except (OSError, http.client.HTTPException) as error:
            raise Unreachable(f"{self.url}: {error!r}") from error
        finally:
            connection.close()
        if 200 <= answer.status < 300 or answer.status in taken:
            return text
        raise refusal(answer, text)

    def connection(self, timeout: float) -> http.client.HTTPConnection:
        """A new connection, which is made when something is sent."""
        if not self._secret:
            return http.client.HTTPConnection(self._host, self._port, timeout=timeout)
        return http.client.HTTPSConnection(
            self._host, self._port, timeout=timeout, context=self._context
        )

    def send(
        self,
        connection: http.client.HTTPConnection,
        method: str,
        path: str,
        query: Optional[Mapping[str, Any]] = None,
        body: Any = NOTHING,
        headers: Optional[Mapping[str, str]] = None,
    ) -> http.client.HTTPResponse:
        """Sends a request, and gives the answer as far as its head."""
        given = {name: _word(value) for name, value in (query or {}).items() if value is not None}
        target = self._base + path + (f"?{urlencode(given)}" if given else "")
        sent: Dict[str, str] = {"Authorization": f"Bearer {self._credential}", **(headers or {})}
        content = None
        if body is not NOTHING:
            content = exact.write(body)
            sent["Content-Type"] = "application/json"
        try:
            connection.request(method, target, body=content, headers=sent)
        except (BrokenPipeError, ConnectionResetError, ssl.SSLEOFError) as lost:
            if connection.sock is None:
                raise
            # Who refuses a request has answered it before all of it was sent, and then takes no more.
            try:
                return connection.getresponse()
            except (OSError, http.client.HTTPException):
                raise lost from None
        return connection.getresponse()


def refusal(answer: http.client.HTTPResponse, text: bytes) -> SwampBoxError:
    """What an answer says that is none of success."""
    try:
        problem = exact.read(text)
    except ValueError:
        problem = None
    if isinstance(problem, dict) and isinstance(problem.get("code"), str):
        return SwampBoxError.of(problem, answer.status)
    return Unreachable(f"{answer.status} {answer.reason}, and no problem document")


def _word(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
