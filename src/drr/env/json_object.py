"""A JSON object with keys that this program does not define: a stranger's document, a tool's arguments, a JSON Schema.

An object with known keys has a type of its own.
"""

from __future__ import annotations

import json
from typing import Any

JsonObject = dict[str, Any]
DEEPEST = 200
"""Deepest nesting that every JSON writer can write."""


def parsed(text: str | bytes) -> Any:
    """Parse JSON. Raises `ValueError` for other text, for nesting that is too deep, and for a key that occurs twice, which is ambiguous."""
    decoded = text if isinstance(text, str) else text.decode("utf-8")
    try:
        value = json.loads(decoded, object_pairs_hook=once)
    except RecursionError:  # from Python 3.12 on there is none
        value = None
    if decoded.count("[") + decoded.count("{") > DEEPEST and (value is None or _is_deeper(value)):
        raise ValueError(f"nested more than {DEEPEST} deep")
    return value


def _is_deeper(value: Any) -> bool:
    layer = [value]
    for _ in range(DEEPEST):
        open_brackets = (
            one.values() if isinstance(one, dict) else one for one in layer if isinstance(one, (dict, list))
        )
        layer = [part for some in open_brackets for part in some]
        if not layer:
            return False
    return True


def once(pairs: list[tuple[str, Any]]) -> JsonObject:
    found: JsonObject = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"the key {key[:80]!r} stands there twice in one object")
        found[key] = value
    return found
