"""Lines of strangers, made from a good one: at least sixty for every reader, each wrong or odd in one way."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

DEEP = "[" * 5_000 + "]" * 5_000
VALUES: Mapping[str, Any] = {
    "nothing": None, "number": 5, "beyond 63 bits": 2**70, "list": [1], "table": {"a": {"b": 1}}, "empty": "", "zero": "a\0b",
    "path": "../../x", "half a character": "\ud800", "true": True, "NaN": float("nan"),
    "long": "x" * 5_000, "screen": "\x1b[2J\r\n", "right to left": "\u202e",
}  # fmt: skip
SHAPES: Mapping[str, bytes] = {
    "deep": DEEP.encode(), "deep table": b'{"a":' * 5_000 + b"1" + b"}" * 5_000, "cut": b'{"id": "a", "que', "word": b"hello", "1e999": b"1e999",
    "digits": b'{"id": ' + b"9" * 5_000 + b"}", "text": b'"x"', "list": b"[]", "null": b"null", "two": b"{}{}", "no text": b'{"id": "\xff\xfe"}',
    "zero": b"\0", "spaces": b" " * 5_000 + b"x", "mark": b"\xef\xbb\xbf\xef\xbb\xbf{}",
}  # fmt: skip


def hostile(good: Mapping[str, Any], names: Iterable[str] = (), *, only: bool = False) -> dict[str, bytes]:
    """Every field of the good line (unless `only` these), and these, with every odd value; and lines of no form at all."""
    found = dict(SHAPES)
    for name in dict.fromkeys([*(() if only else good), *names]):
        for kind, value in VALUES.items():
            found[f"{name}: {kind}"] = json.dumps({**good, name: value}).encode()
        rest = json.dumps({key: value for key, value in good.items() if key != name})
        found[f"{name}: deep"] = f'{rest[:-1]}{", " if len(rest) > 2 else ""}"{name}": {DEEP}}}'.encode()
    assert len(found) >= 60
    return found
