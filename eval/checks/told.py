"""A rule's value as a person reads it: what was looked at, what does not hold, and what the rule measured beside."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

_IN_EVIDENCE = frozenset({"checked", "failed", "unverifiable", "share", "missing"})
"""Counted in the first words, or said one by one by the lines of evidence."""
_NAMED = {
    "computed": "cost",
    "limit": "limit",
    "share_of_words": "words that stand twice",
    "lowest_similarity": "least alike",
    "certainty": "bound by",
}
_DOLLARS = frozenset({"computed", "limit"})
_SHARES = frozenset({"share_of_words", "lowest_similarity"})


def tally_told(value: Any) -> str:
    """Of a rule that counts; a value in another form is said part by part."""
    if not isinstance(value, Mapping):
        return plain_told(value)
    parts = [_counts(value)] if "checked" in value else []
    for name, one in value.items():
        if (name not in _IN_EVIDENCE or not parts) and one is not None and one != []:
            parts.append(f"{_NAMED.get(name, name.replace('_', ' '))} {_measured(name, one)}")
    return "; ".join(parts)


def _counts(value: Mapping[str, Any]) -> str:
    checked, failed, open_ = (value.get(name) or 0 for name in ("checked", "failed", "unverifiable"))
    if not checked:
        return f"nothing decided, {open_:,} open" if open_ else "nothing to check"
    said = f"{checked:,} checked, {f'{failed:,} wrong' if failed else 'none wrong'}"
    return said + (f", {open_:,} open" if open_ else "")


def _measured(name: str, value: Any) -> str:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        if name in _DOLLARS:
            return f"${value:,.2f}"
        if name in _SHARES:
            return f"{value:.0%}"
    if name == "certainty" and isinstance(value, list):
        return ", ".join(dict.fromkeys(str(one) for one in value if one is not None))
    return str(len(value)) if name == "warnings" and isinstance(value, list) else plain_told(value)


def kinds_told(value: Any) -> str:
    """Of a rule that counts kinds of faults."""
    if not isinstance(value, Mapping):
        return plain_told(value)
    said = [f"{plain_told(count)} \u00d7 {kind.replace('_', ' ')}" for kind, count in value.items()]
    return ", ".join(said) or "no fault"


def plain_told(value: Any) -> str:
    """Any JSON, without its signs."""
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
        return ", ".join(filter(None, map(plain_told, value)))
    return str(value)


def _fields(value: Mapping[str, Any]) -> Iterator[str]:
    for name, one in value.items():
        if one is not None and one != []:
            yield f"{str(name).replace('_', ' ')} {plain_told(one)}"
