"""The wire between a run and an agent's own process: lengths and bodies over two pipes.

The run sends pickles, which its child trusts; the child sends JSON, which the run checks.
"""

from __future__ import annotations

import copyreg
import io
import json
import pickle
from collections.abc import Mapping
from typing import Any

from drr.env.errors import DrrError

LENGTH = 9
"""Bytes of a parcel's head: the length of its body in hexadecimal digits, and the end of a line."""
MOST_PARCEL = 16_000_000
"""Maximum number of bytes of a parcel from a child."""


class _Pickler(pickle.Pickler):
    def reducer_override(self, thing: Any) -> Any:
        """Send an exception by its attributes, because many cannot be made anew from their arguments alone."""
        if isinstance(thing, BaseException):
            return _remade, (type(thing), thing.args, dict(thing.__dict__))
        return NotImplemented


def _remade(kind: type[BaseException], arguments: tuple[Any, ...], state: dict[str, Any]) -> BaseException:
    error: BaseException = copyreg.__newobj__(kind, *arguments)  # type: ignore[attr-defined]
    error.args = arguments
    error.__dict__.update(state)
    return error


def to_child(document: Mapping[str, Any]) -> bytes:
    """Return a parcel for a child. An error that cannot be sent is sent by its words."""
    body = io.BytesIO()
    try:
        _Pickler(body, pickle.HIGHEST_PROTOCOL).dump(document)
        if "error" in document:
            pickle.loads(body.getvalue())  # noqa: S301 - our own: many an error cannot be made anew
    except Exception as problem:  # noqa: BLE001 - whatever stands in somebody's exception or answer
        plain = DrrError(str(document.get("error", f"an answer cannot be sent to the agent ({problem})")))
        return to_child({"id": document.get("id"), "error": plain, "number": document.get("number")})
    return _headed(body.getvalue())


def to_run(document: Mapping[str, Any]) -> bytes:
    """Return a parcel for the run."""
    return _headed(json.dumps(document, default=str).encode())


def _headed(body: bytes) -> bytes:
    return b"%08x\n%b" % (len(body), body)


def size_in(head: bytes) -> int:
    """Return the length of a body, or raise `ValueError` for what is no head."""
    if head[-1:] != b"\n":
        raise ValueError("no parcel begins like this")
    return int(head, 16)
