"""Why something was not done."""

from __future__ import annotations

from typing import Any, Mapping, Optional


class SwampBoxError(Exception):
    """The service refused. `code` is stable: docs/codes.md lists what each means."""

    def __init__(self, code: str, detail: str, remedy: str = "", status: Optional[int] = None) -> None:
        super().__init__(f"{code}: {detail}")
        self.code = code
        self.detail = detail
        self.remedy = remedy
        self.status = status

    @classmethod
    def of(cls, problem: Mapping[str, Any], status: int) -> "SwampBoxError":
        """From a problem document."""
        code, detail, remedy = (str(problem.get(name, "")) for name in ("code", "detail", "remedy"))
        return cls(code, detail, remedy, status)


class Unreachable(SwampBoxError):
    """There was no answer, or none of a service. Whether the request arrived is not known."""

    def __init__(self, detail: str) -> None:
        super().__init__("service_unreachable", detail, "Start the service, or mend the way to it.")
