"""JSON in which every value reads back equal."""

from __future__ import annotations

import json
import math
from typing import Any, Dict, List, NoReturn, Tuple

MAX_DEPTH = 128
"""Deeper containers are refused, as the service does."""


def write(value: Any) -> bytes:
    """The value as JSON. What would become something else is refused."""
    _check(value, "$", 0)
    return json.dumps(value, allow_nan=False, separators=(",", ":")).encode()


def read(text: bytes) -> Any:
    """What JSON says. Integers are exact, and what can't be kept as it is is a ValueError."""
    try:
        # As text, since bytes would be taken for UTF-16 and UTF-32 too, and for UTF-8 with surrogates.
        value = json.loads(
            text.decode("utf-8"),
            parse_constant=_no_number,
            parse_float=_float,
            object_pairs_hook=_object,
        )
        _check(value, "$", 0)
    except RecursionError:
        raise ValueError(f"it is nested deeper than {MAX_DEPTH}") from None
    return value


def _check(value: Any, path: str, depth: int) -> None:
    """Refuses what JSON can't hold, with its place."""
    if isinstance(value, (dict, list)) and depth >= MAX_DEPTH:
        raise ValueError(f"{path}: it is nested deeper than {MAX_DEPTH}")
    if isinstance(value, dict):
        for key, inner in value.items():
            if not isinstance(key, str):
                raise TypeError(f"{path}: the key {key!r} is no string")
            _check_text(key, path)
            _check(inner, f"{path}.{key}", depth + 1)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            _check(inner, f"{path}[{index}]", depth + 1)
    elif isinstance(value, str):
        _check_text(value, path)
    elif isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{path}: {value!r} is no number of JSON")
    elif value is not None and not isinstance(value, (bool, int)):
        raise TypeError(f"{path}: {type(value).__name__} is none of the types of JSON")


def _check_text(text: str, path: str) -> None:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        lone = f"U+{ord(text[error.start]):04X}"
        message = f"{path}: character {error.start} is {lone}, half of a surrogate pair, and no text"
        raise ValueError(message) from None


def _object(pairs: List[Tuple[str, Any]]) -> Dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key is there twice")
    return found


def _float(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise ValueError(f"{_brief(digits)} is beyond the range of a float")
    return number


def _brief(digits: str) -> str:
    return digits if len(digits) <= 40 else f"{digits[:40]}… ({len(digits)} characters)"


def _no_number(word: str) -> NoReturn:
    raise ValueError(f"{word} is no number of JSON")
