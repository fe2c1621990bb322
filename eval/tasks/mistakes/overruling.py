"""The accusations of rules, after a judge has weighed them: what the judge passed is accused no more.

An accusation of which the judge's second reading says nothing stays what its rule made it, and so does a rule of which no judge is asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from drr.eval.checks.base import Accusation, Check, answer
from drr.eval.tasks.mistakes.finding import UNWEIGHED, MistakeRow, MistakesResult


def overruled(checks: Mapping[str, Check], found: MistakesResult) -> dict[str, Check]:
    """The answers of all rules without what the judge acquits."""
    return {
        name: check if name in UNWEIGHED else _without(check, _acquitted(check.accused, found))
        for name, check in checks.items()
    }


def _acquitted(accused: Iterable[Accusation], found: MistakesResult) -> dict[Accusation, str]:
    """Those that only acquitted words meet, and what was said for these."""
    said: dict[Accusation, str] = {}
    for one in accused:
        passed = next((row for row in found["acquitted"] if _meets(one, row)), None)
        if passed is not None and not any(_meets(one, row) for row in found["mistakes"]):
            said[one] = passed["defence"]
    return said


def _meets(one: Accusation, row: MistakeRow) -> bool:
    return one.span[0] < row["end"] and row["start"] < one.span[1]


def _without(check: Check, acquitted: Mapping[Accusation, str]) -> Check:
    if not acquitted:
        return check
    made = [one for one in check.accused if one not in acquitted]
    counts = {key: value for key, value in check.value.items() if key != "certainty"}
    counts["checked"] -= len(acquitted)
    counts["failed"] -= len(acquitted)
    counts["unverifiable"] += len(acquitted)
    reasons = [
        f"{one.why}: no mistake in the judge's second reading ({why})" for one, why in acquitted.items()
    ]
    return answer(counts, made, [*reasons, *check.evidence[len(check.accused) :]])
