"""How many reports keep each rule, of those where the rule can tell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from drr.eval.checks import RULES
from drr.eval.evidence.answers import Answer
from drr.eval.stats.intervals import V, mean
from drr.eval.tasks.judged import Judged

_VALUE = {"pass": 1.0, "fail": 0.0}


def per_report(judged: Judged, answer: Answer) -> Mapping[str, float | None]:
    """1 kept, 0 broken; a rule that cannot tell says nothing, which is not a pass."""
    found = judged.rules.get(answer.key)
    if found is None:
        return {}
    return {f"rule_{name}": _VALUE.get(found[name]["status"]) if name in found else None for name in RULES}


def corpus(judged: Judged, answers: Sequence[Answer]) -> Mapping[str, V]:
    if not any(answer.key in judged.rules for answer in answers):
        return {}
    grouped: dict[str, dict[str, list[float | None]]] = {}
    for answer in answers:
        checked = per_report(judged, answer)
        for name in (f"rule_{rule}" for rule in RULES):
            grouped.setdefault(name, {}).setdefault(answer.query_id, []).append(checked.get(name))
    return {
        name: mean(values, "share of reports that keep the rule, over queries")
        for name, values in grouped.items()
    }
