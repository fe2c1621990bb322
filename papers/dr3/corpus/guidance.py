"""Guidance: the words of a question lead to a page that it needs. A question is written from its pages and not the other way round."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from drr.papers.dr3.corpus.known import CasePage, CasePages
from drr.papers.dr3.corpus.packing import Packed, has_room
from drr.papers.dr3.corpus.pool import PoolPage
from drr.papers.dr3.corpus.ranking import PageRanking

GUIDANCE_TOP = 20
"""Hits of the question's own words among which a supportive page must be: two pages of results."""
_ATTEMPTS = 200
_AS_LONG = 0.12
"""Short pages are found sooner: so that this does not tell, a page that is written anew is about as long as it was."""


def guided(
    filled: Packed,
    supportive: Sequence[CasePage],
    ranking: PageRanking,
    question: str,
    writer: CasePages,
    sizes: Mapping[str, int],
    top: int = GUIDANCE_TOP,
) -> tuple[Packed, list[CasePage], PageRanking]:
    """Return the pages with one that guides, or as they are where some supportive page is found already. Else
    one of them is written anew, the same fact of the same day by as good a source, until it is: drawn like
    every page, and put where the other stood. Pages that lead astray and noise stay as they are."""
    pages = list(supportive)
    hits = ranking.scored(question, top)
    if {filled.order[place].url for place, _ in hits} & {one.page.url for one in pages}:
        return filled, pages, ranking
    least = hits[-1][1] if len(hits) == top else 0.0
    facts = {fact.id: fact for fact in writer.case.of("page")}
    for again in range(1, _ATTEMPTS):
        at = again % len(pages)
        one = pages[at]
        other = writer.supportive(facts[one.known.facts[0]], again, one.known.trust)
        longer = other.page.tokens - one.page.tokens
        if (
            abs(longer) <= _AS_LONG * one.page.tokens
            and ranking.score_of(other.page.pieces, question) > least
            and has_room(filled, sizes, longer)
        ):
            pages[at] = other
            filled = _instead(filled, one.page, other.page)
            return filled, pages, PageRanking([page.pieces for page in filled.order])
    return filled, pages, ranking


def _instead(filled: Packed, one: PoolPage, other: PoolPage) -> Packed:
    return replace(
        filled,
        order=tuple(other if page is one else page for page in filled.order),
        distractors=tuple(
            replace(page, known=page.known.model_copy(update={"made_from": other.url}))
            if page.known.made_from == one.url
            else page
            for page in filled.distractors
        ),
    )
