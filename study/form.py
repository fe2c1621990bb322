"""The form of a ledger: its values have the types that we write, whoever wrote them. Else one sentence, and no traceback further on."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from drr.env.errors import DrrError
from drr.llm.meter import UsageRow
from drr.study.unit import KINDS

_COUNTS = (
    "calls",
    "retries",
    "unmetered",
    "input_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
    "output_tokens",
)
_ODD = (KeyError, TypeError, ValueError, AttributeError, RecursionError, IndexError, OverflowError)


@contextmanager
def reading(what: str) -> Iterator[None]:
    """Read inside what a program wrote, perhaps a stranger's: where its form is another, the error says so."""
    try:
        yield
    except _ODD as error:
        reason = " ".join(f"{type(error).__name__}: {error}".split())[:200]
        raise DrrError(
            f"{what}: not of the form that this program writes ({reason}); restore the study's ledger"
        ) from error


def table(text: Any) -> dict[str, Any]:
    value = json.loads(text)
    if not isinstance(value, dict):
        raise TypeError("not a table")
    return value


def texts(text: Any) -> dict[str, str]:
    found = table(text)
    for value in found.values():
        of(value, str)
    return found


def of(value: Any, *kinds: type) -> Any:
    """The value, which is of one of these kinds; a truth value is no number."""
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
        raise TypeError(f"{type(value).__name__} in place of {kinds[0].__name__}")
    return value


def kind_of(value: Any) -> Any:
    if value not in KINDS:
        raise ValueError("no kind of unit")
    return value


def status_of(value: Any) -> Any:
    if value not in ("done", "failed", "over_budget"):
        raise ValueError("no standing of a unit")
    return value


def usages(text: Any) -> Mapping[str, UsageRow]:
    found = table(text)
    for used in found.values():
        for name in _COUNTS:
            of(used[name], int)
        of(used["seconds"], float, int)
        of(used["cost_usd"], float, int, type(None))
        of(used["model"], str)
    return found
