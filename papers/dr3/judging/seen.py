"""The required facts that a run met: their value in what its tools gave of the very page or file. A picture that was looked at was met.

What stands in a page behind what a model was given of it was not met: a snippet or a summary may have lost it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from drr.citations.addresses import canonical_url
from drr.citations.files import file_place
from drr.env.source import Source
from drr.papers.dr3.judging.documents import document_id
from drr.papers.dr3.judging.finding import LONGEST
from drr.papers.dr3.truth import TaskFact
from drr.wording.told_values import ToldValue

_OVERLAP = 80


def met_facts(facts: Iterable[TaskFact], sources: Iterable[Source]) -> Mapping[str, bool | None]:
    """Find which facts were met; `None` where nobody recorded where it stands, or only words say it."""
    given: dict[str, list[Source]] = {}
    for source in sources:
        given.setdefault(document_id(source.url), []).append(source)
    return {fact.id: _is_met(fact, given) for fact in facts}


def _is_met(fact: TaskFact, given: Mapping[str, list[Source]]) -> bool | None:
    value = ToldValue(fact.value)
    if not fact.places or not (value.is_known and fact.made):
        return None
    return any(_states(fact, value, source) for place in fact.places for source in _of(place.address, given))


def _of(address: str, given: Mapping[str, list[Source]]) -> list[Source]:
    """Choose of a file only what was given of places that share something with the fact's."""
    place = file_place(canonical_url(address))
    found = given.get(document_id(address), [])
    if place is None:
        return found
    return [
        one for one in found if (own := file_place(canonical_url(one.url))) is not None and own.meets(place)
    ]


def _states(fact: TaskFact, value: ToldValue, source: Source) -> bool:
    if fact.modality == "picture":
        return True
    return any(one.exact for part in _windows(source.seen) for one in value.places(part))


def _windows(text: str) -> Iterator[str]:
    """Parts that overlap by more than any value takes."""
    for start in range(0, max(1, len(text) - _OVERLAP), LONGEST - _OVERLAP):
        yield text[start : start + LONGEST]
