"""The answer reckoned from its facts, and what would make no sense.

One place for the sums: cases are planned by it, quality control reckons again from the facts as they are written, and a distractor
is asked of it whether it turns the answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date
from itertools import pairwise

from drr.papers.dr3.outcomes import PARTS, PartOutcome
from drr.papers.dr3.truth import TaskFact
from drr.papers.dr3.values import FactValues, day_of, is_rest, long_date


def part_of(attribute: str) -> str | None:
    """The part that a page's fact decides."""
    return next((key for key, part in PARTS.items() if attribute.startswith(part.page)), None)


def reckoned(key: str, said: FactValues) -> PartOutcome:
    return PARTS[key].reckon(said)


def turns(said: FactValues, attribute: str, value: str) -> bool:
    """Tell whether another value of a page's fact would change the answer of its part. The answer is its
    verdict, or a figure that is asked for."""
    key = part_of(attribute)
    if key is None:
        return True
    return reckoned(key, said).differs(reckoned(key, said.with_value(attribute, value)))


def overturns(said: FactValues, attribute: str, value: str) -> bool:
    """Tell whether it would turn the verdict, where there is one."""
    key = part_of(attribute)
    if key is None:
        return True
    return reckoned(key, said).overturns(reckoned(key, said.with_value(attribute, value)))


def nonsense(facts: Iterable[TaskFact], today: date) -> Iterator[str]:
    """Yield what a sensible person would not ask, or could not answer, of these facts."""
    known = list(facts)
    said = FactValues.of(known, today)
    for fact in known:
        key = part_of(fact.attribute) if fact.source == "page" else None
        if fact.source == "page" and key is None:
            yield f"fact {fact.id}: no part of an answer rests on {fact.attribute!r}"
        elif key is not None and (lost := [name for name in PARTS[key].files if not said.has(name)]):
            yield f"fact {fact.id}: decides nothing without {' and '.join(lost)}"
        elif key is not None and (wrong := reckoned(key, said).wrong):
            yield f"fact {fact.id}: {wrong}"
    yield from _days(known, said)


def _days(facts: Iterable[TaskFact], said: FactValues) -> Iterator[str]:
    """Check that the days are in the order in which things happen, none after the question, each once.
    Nothing is delivered on a day of rest."""
    order = ("purchase date", "day of delivery", "day of opening", "day the fault was noticed")
    found = [(fact, day_of(fact.value)) for name in order for fact in facts if fact.attribute == name]
    if len({fact.attribute for fact, _ in found}) < len(found):
        yield "a day of one name stands there twice"
    for (fact, day), (later, after) in pairwise(found):
        if after < day:
            yield f"fact {later.id}: {later.attribute} lies before the {fact.attribute}"
    for fact, day in found:
        if day > said.today:
            yield f"fact {fact.id}: {fact.attribute} lies after the question"
        if fact.attribute == "day of delivery" and is_rest(day):
            yield f"fact {fact.id}: nobody delivers on {long_date(day)}"
