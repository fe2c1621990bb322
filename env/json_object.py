"""A JSON object whose keys are not ours: a stranger's document, a tool's arguments, a JSON Schema.

Where the keys are known, a row has a type of its own.
"""

from __future__ import annotations

import json
from typing import Any

JsonObject = dict[str, Any]
DEEPEST = 200
"""The deepest nesting that every writer of JSON can write again."""


def parsed(text: str | bytes) -> Any:
    """`ValueError` for what is no JSON, is nested without end, or says a thing twice: nobody knows which is meant."""
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
