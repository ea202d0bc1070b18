"""JSON in which every value reads back equal."""

from __future__ import annotations

import json
from typing import Any, Dict, List, NoReturn, Tuple


def write(value: Any) -> bytes:
    """The value as JSON. What would become something else is refused."""
    _check(value, "$")
    return json.dumps(value, allow_nan=False, separators=(",", ":")).encode()


def read(text: bytes) -> Any:
    """What JSON says. Integers are exact."""
    return json.loads(text, parse_constant=_no_number, object_pairs_hook=_object)


def _check(value: Any, path: str) -> None:
    if isinstance(value, dict):
        for key, inner in value.items():
            if not isinstance(key, str):
                raise TypeError(f"{path}: the key {key!r} is no string")
            _check(inner, f"{path}.{key}")
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            _check(inner, f"{path}[{index}]")
    elif value is not None and not isinstance(value, (bool, int, float, str)):
        raise TypeError(f"{path}: {type(value).__name__} is none of the types of JSON")


def _object(pairs: List[Tuple[str, Any]]) -> Dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key is there twice")
    return found


def _no_number(word: str) -> NoReturn:
    raise ValueError(f"{word} is no number of JSON")
