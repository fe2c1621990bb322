"""Checks the values of a ledger against the types that this program writes. A stranger's ledger then gives one clear error."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from drr.env.errors import DrrError
from drr.llm.meter import COUNTS, UsageRow
from drr.study.unit import KINDS

_ODD = (KeyError, TypeError, ValueError, AttributeError, RecursionError, IndexError, OverflowError)


@contextmanager
def naming_errors(what: str) -> Iterator[None]:
    """Turn any error while reading data of unknown origin into a `DrrError` that names the data."""
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
    """Return a value if it has one of these types, else raise `TypeError`; a truth value is no number."""
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
        for name in COUNTS:
            of(used[name], int)
        of(used["seconds"], float, int)
        of(used["cost_usd"], float, int, type(None))
        of(used["model"], str)
    return found
