"""Pages about what or whom a case is about that say nothing of what is asked. They are noise that names the
brand, so that the name alone finds too much."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from drr.papers.dr3.corpus.known import CasePages, PageSource
from drr.papers.dr3.corpus.pool import PoolPage, plain
from drr.papers.dr3.corpus.statement import drawn_statement, measures_of
from drr.papers.dr3.corpus.stock import stock

_EARLY = {True: 0.75, False: 0.35}
"""How often such a page speaks of an earlier make, list or price, by whether the task leans to what was before: so that neither the month that most
pages say nor one that few say is what counts, and figures that nobody asks for differ from page to page as well."""

_NEWER = 0.4
"""How often it speaks of the make after the one at hand, where there is such."""


def asides(writer: CasePages) -> Iterator[PoolPage]:
    """Yield asides without end, about the subject of each needed page in turn."""
    case = writer.case
    facts = case.of("page")
    needed = [stock().statement(one.attribute)[0] for one in facts]
    number = 0
    while True:
        fact, label = facts[number % len(facts)], f"aside/{number}"
        rng = Random(f"{writer.seed}/{case.task_id}/{label}")
        age = writer.age(fact, rng)
        is_early = rng.random() < _EARLY[writer.leans_back]
        newer = writer.newer_age(rng) if rng.random() < _NEWER else None
        if newer is not None:
            age, is_early = newer, False
        seller = case.seller if fact.subject == case.seller else None
        said = drawn_statement(
            writer.thing(fact),
            seller,
            rng,
            writer.calendar(age, is_early=is_early, is_newer=newer is not None),
            avoid=needed,
            like=measures_of(needed),
            of=fact.subject,
        )
        if said is not None and said.value not in {one.value for one in case.facts}:
            yield writer.written(
                fact,
                plain(said, rng),
                label,
                age,
                PageSource(),
                is_early=is_early,
                is_newer=newer is not None,
            )[0]
        number += 1
