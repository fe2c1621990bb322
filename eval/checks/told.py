"""A rule's value as a person reads it: the subject, what does not hold, and what the rule measured beside."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

_COUNTED = frozenset({"checked", "failed", "unverifiable", "missing"})
"""Told by the first words, or one by one by the lines of evidence."""
_DOLLARS = frozenset({"total", "limit"})


def tally_text(value: Any) -> str:
    """Tell a tally; a value in another form is told part by part."""
    if not isinstance(value, Mapping):
        return plain_text(value)
    parts = [_counts(value)] if "checked" in value else []
    for name, one in value.items():
        if (name not in _COUNTED or not parts) and one is not None and one != []:
            shown = f"${one:,.2f}" if name in _DOLLARS and isinstance(one, (int, float)) else plain_text(one)
            parts.append(f"{name.replace('_', ' ')} {len(one) if isinstance(one, list) else shown}")
    return "; ".join(parts)


def _counts(value: Mapping[str, Any]) -> str:
    checked, failed, open_ = (value.get(name) or 0 for name in ("checked", "failed", "unverifiable"))
    if not checked:
        return f"nothing decided, {open_:,} open" if open_ else "nothing to check"
    counts = f"{checked:,} checked, {f'{failed:,} wrong' if failed else 'none wrong'}"
    return counts + (f", {open_:,} open" if open_ else "")


def kinds_text(value: Any) -> str:
    """Tell kinds of faults and how many of each."""
    if not isinstance(value, Mapping):
        return plain_text(value)
    counts = [f"{plain_text(count)} \u00d7 {kind.replace('_', ' ')}" for kind, count in value.items()]
    return ", ".join(counts) or "no fault"


def plain_text(value: Any) -> str:
    """Tell any JSON without its signs."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:,.2f}".rstrip("0").rstrip(".")
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, Mapping):
        return ", ".join(_fields(value))
    if isinstance(value, list):
        return ", ".join(filter(None, map(plain_text, value)))
    return str(value)


def _fields(value: Mapping[str, Any]) -> Iterator[str]:
    for name, one in value.items():
        if one is not None and one != []:
            yield f"{str(name).replace('_', ' ')} {plain_text(one)}"
