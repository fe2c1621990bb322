"""The corpus of a task of found pages. It decides which facts are required, which pages there are, and the search terms that work there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

from drr.env.text import fold
from drr.papers.dr3.corpus.known import stands_in
from drr.papers.dr3.corpus.ranking import PageRanking
from drr.papers.dr3.corpus.terms import TOP
from drr.papers.dr3.found.gathering import FoundPage
from drr.papers.dr3.found.packing import packed_pages
from drr.papers.dr3.found.proposals import FoundStatement, ProposedPage, ProposedTerm, fact_text, found_quote
from drr.papers.dr3.truth import FactPlace, SearchTerm, TaskFact

MOST_REQUIRED = 4
"""Facts of pages that one task requires."""


@dataclass(frozen=True)
class LookedAt:
    """A page with what a model proposed of it and code accepted."""

    found: FoundPage
    proposed: ProposedPage

    @property
    def quote(self) -> str | None:
        said = self.proposed.statement
        return None if said is None else found_quote(said.quote, self.found.page.text)


@dataclass(frozen=True)
class FoundCorpus:
    order: list[FoundPage]
    ends: dict[str, int]
    facts: tuple[TaskFact, ...]
    """Of pages, with their places."""
    terms: tuple[SearchTerm, ...]
    left_out: Counter[str]

    @property
    def supportive(self) -> dict[str, str]:
        """Address -> the fact that stands there."""
        return {fact.places[0].address: fact.id for fact in self.facts}


def found_corpus(
    looked: Sequence[LookedAt],
    noise: Sequence[FoundPage],
    terms: Sequence[ProposedTerm],
    sizes: Mapping[str, int],
    rng: Random,
) -> FoundCorpus | None:
    """`None` where no proposed fact can be reached by a term; `TooFewPages` where the sizes are not filled.

    Facts that no signal term leads to in this corpus are given up with their pages, until all that are left are reached.
    """
    required = _required([one for one in looked if one.proposed.kind == "supportive"])
    against = [one.found for one in looked if one.proposed.kind == "distractor"]
    others = [*noise, *(one.found for one in looked if one.proposed.kind == "noise")]
    left_out: Counter[str] = Counter()
    while required:
        facts = [_fact(number, one) for number, one in enumerate(required, 1)]
        order, ends = packed_pages(
            [one.found for one in required], _silent(against, facts), _silent(others, facts), sizes, rng
        )
        ranking = PageRanking.of([one.page for one in order])
        found = _terms(terms, facts, order, ranking)
        reached = {fact for term in found for fact in term.facts}
        if all(fact.id in reached for fact in facts):
            left_out["restated"] = len(against) + len(others) - len(_silent([*against, *others], facts))
            return FoundCorpus(order, ends, tuple(facts), found, +left_out)
        left_out["not_reached"] += sum(fact.id not in reached for fact in facts)
        required = [one for one, fact in zip(required, facts, strict=True) if fact.id in reached]
    return None


def _required(supportive: Sequence[LookedAt]) -> list[LookedAt]:
    """List the required pages in the order in which they were found. No two say one value, and none says one
    that another's page states too."""
    kept: list[LookedAt] = []
    for one in supportive:
        said = _said(one)
        if len(kept) == MOST_REQUIRED or any(_said(other).value == said.value for other in kept):
            continue
        if not any(_states(other.found, said) or _states(one.found, _said(other)) for other in kept):
            kept.append(one)
    return kept


def _said(one: LookedAt) -> FoundStatement:
    assert one.proposed.statement is not None  # accepted
    return one.proposed.statement


def _states(page: FoundPage, said: FoundStatement | TaskFact) -> bool:
    text = fold(f"{page.page.title}\n{page.page.text}")
    return fold(said.subject) in text and stands_in(said.value, text)


def _silent(pages: Sequence[FoundPage], facts: Sequence[TaskFact]) -> list[FoundPage]:
    """List the pages that state no required fact."""
    return [page for page in pages if not any(_states(page, fact) for fact in facts)]


def _fact(number: int, one: LookedAt) -> TaskFact:
    said = _said(one)
    return TaskFact(
        id=f"p{number}",
        subject=said.subject,
        attribute=said.attribute,
        value=said.value,
        text=fact_text(said),
        source="page",
        places=(FactPlace(address=one.found.url, quote=one.quote),),
    )


def _terms(
    terms: Sequence[ProposedTerm], facts: Sequence[TaskFact], order: Sequence[FoundPage], ranking: PageRanking
) -> tuple[SearchTerm, ...]:
    """A signal term shows a supportive page among the first hits, a noise term none; others are dropped."""
    held = {fact.places[0].address: fact.id for fact in facts}
    found = []
    for one in terms:
        hits = [order[place].url for place in ranking.best(one.term, TOP)]
        led = tuple(held[url] for url in hits if url in held)
        if hits and bool(led) == (one.role == "signal"):
            found.append(SearchTerm(term=one.term, role=one.role, facts=led))
    return tuple(found)
