"""Pages about what a case is about, or about whom, that say nothing of what is asked: noise that names the brand, so that the name alone finds too much."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from drr.filetasks.corpus.known import CasePages, PageSource
from drr.filetasks.corpus.pool import OLDEST, YOUNGEST, PoolPage, plain
from drr.filetasks.corpus.statement import drawn_statement, measures_of
from drr.filetasks.corpus.stock import stock


def asides(writer: CasePages) -> Iterator[PoolPage]:
    """Without end, about the subject of each needed page in turn."""
    case = writer.case
    facts = case.of("page")
    needed = [stock().statement(one.attribute)[0] for one in facts]
    number = 0
    while True:
        fact, label = facts[number % len(facts)], f"aside/{number}"
        rng = Random(f"{writer.seed}/{case.task_id}/{label}")
        age = rng.randint(YOUNGEST, OLDEST)
        seller = case.seller if fact.subject == case.seller else None
        said = drawn_statement(
            writer.thing(fact),
            seller,
            rng,
            writer.calendar(age),
            avoid=needed,
            like=measures_of(needed),
        )
        if said is not None:
            yield writer.written(fact, plain(said, rng), label, age, PageSource())[0]
        number += 1
