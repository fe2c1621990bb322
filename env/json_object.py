"""An object of JSON whose keys are not ours to name: a stranger's document, the arguments of a tool, a JSON Schema.

Where the keys are known, a row has a type of its own.
"""

from __future__ import annotations

import json
from typing import Any

JsonObject = dict[str, Any]


def parsed(text: str | bytes) -> Any:
    """`ValueError` for what is no JSON, is nested without end, or says a thing twice: nobody knows which is meant."""
    try:
        return json.loads(text, object_pairs_hook=once)
    except RecursionError as error:
        raise ValueError("nested without end") from error


def once(pairs: list[tuple[str, Any]]) -> JsonObject:
    found: JsonObject = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"the key {key[:80]!r} stands there twice in one object")
        found[key] = value
    return found
