"""The corpus of a task of found pages. Pages are read once, frozen and packed into nested sizes; facts and terms that work there are kept."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from drr.citations.addresses import canonical_url
from drr.env.records.lines import visible
from drr.env.source import text_hash
from drr.env.text import fold
from drr.env.web.base import WebSearch
from drr.papers.dr3.corpus.build import DISTRACTORS
from drr.papers.dr3.corpus.known import stands_in
from drr.papers.dr3.corpus.pool import PageRanking, token_count
from drr.papers.dr3.corpus.terms import TOP
from drr.papers.dr3.form import CorpusPage, FrozenRow
from drr.papers.dr3.found.proposals import FoundStatement, ProposedPage, ProposedTerm, fact_text, found_quote
from drr.papers.dr3.truth import FactPlace, SearchTerm, TaskFact
from pydantic import ValidationError

MOST_CHARS = 24_000
"""Most characters of one page; the rest is cut."""
_AT_ONCE = 4
_TITLE = 200


class FoundPage(FrozenRow):
    """A page with the terms that led to it, in their order."""

    page: CorpusPage
    terms: tuple[str, ...]
    signal: bool
    """True where a signal term led to it."""

    @property
    def url(self) -> str:
        return self.page.url

    @property
    def tokens(self) -> int:
        return token_count(self.page.title, self.page.text)


@dataclass(frozen=True)
class GatheredPages:
    pages: list[FoundPage]
    unread: Counter[str]
    """Counts by status of the page, and `twice` for a text that another page has."""


async def gathered(web: WebSearch, terms: Sequence[ProposedTerm], per_term: int) -> GatheredPages:
    """`WebUnavailable` where the engine fails; a page that cannot be read is left out and counted."""
    led: dict[str, list[ProposedTerm]] = {}
    for term in terms:
        for hit in await web.search(term.term, per_term):
            led.setdefault(canonical_url(hit.url), []).append(term)
    gate = asyncio.Semaphore(_AT_ONCE)

    async def read(url: str) -> CorpusPage | str:
        async with gate:
            page = await web.read(url)
        if page.status != "ok" or not (page.markdown or "").strip():
            return page.status if page.status != "ok" else "empty"
        title = " ".join(visible(page.title or "").split())[:_TITLE] or "Untitled"
        try:
            return CorpusPage(url=url, title=title, text=bounded(visible(page.markdown or ""), MOST_CHARS))
        except ValidationError:
            return "empty"

    unread: Counter[str] = Counter()
    texts: set[str] = set()
    pages: list[FoundPage] = []
    for url, got in zip(led, await asyncio.gather(*map(read, led)), strict=True):
        if isinstance(got, str):
            unread[got] += 1
        elif text_hash(got.text) in texts:
            unread["twice"] += 1
        else:
            texts.add(text_hash(got.text))
            by = led[url]
            pages.append(
                FoundPage(
                    page=got,
                    terms=tuple(one.term for one in by),
                    signal=any(one.role == "signal" for one in by),
                )
            )
    return GatheredPages(pages, unread)


def bounded(text: str, most: int) -> str:
    """Cut between two words, so near to `most` that a size can be filled with it."""
    text = text.strip()
    if len(text) <= most:
        return text
    cut = text[:most]
    at = max(cut.rfind("\n"), cut.rfind(" "))
    return cut[: at if at > most // 2 else most].rstrip()


WITHIN = 0.012
"""Distance from a size where packing stops; 2 % is promised."""
_SHORTEST = 400
"""Characters of a page that was cut to fill a size."""


class TooFewPages(Exception):
    """Says what was reached."""


@dataclass
class _Filling:
    order: list[FoundPage]
    distractors: list[FoundPage]
    noise: list[FoundPage]
    taken: set[str] = field(default_factory=set)
    reached: int = 0
    against: int = 0

    def add(self, page: FoundPage) -> None:
        self.order.append(page)
        self.taken.add(page.url)
        self.reached += page.tokens

    def next(self, room: int) -> FoundPage | None:
        """The next that fits: a distractor where their share wants one and there is one."""
        wants = self.against < max(1, round(DISTRACTORS * (len(self.order) + 1)))
        for pages in (self.distractors, self.noise) if wants else (self.noise,):
            for page in pages:
                if page.tokens <= room and page.url not in self.taken:
                    self.against += pages is self.distractors
                    return page
        return None

    def cut(self, room: int) -> FoundPage | None:
        """A page of the noise, cut to what is left."""
        for one in self.noise:
            most = 4 * room - len(one.page.title)
            if one.url not in self.taken and most >= _SHORTEST:
                text = bounded(one.page.text, most)
                return one.model_copy(update={"page": one.page.model_copy(update={"text": text})})
        return None


def packed_pages(
    supportive: Sequence[FoundPage],
    distractors: Sequence[FoundPage],
    noise: Sequence[FoundPage],
    sizes: Mapping[str, int],
    rng: Random,
) -> tuple[list[FoundPage], dict[str, int]]:
    """The order, and by size how many pages of it; `TooFewPages` for a size that they do not fill."""
    filling = _Filling(
        [], rng.sample(list(distractors), len(distractors)), rng.sample(list(noise), len(noise))
    )
    ends: dict[str, int] = {}
    for page in supportive:
        filling.add(page)
    start = 0
    for name, target in sorted(sizes.items(), key=lambda item: item[1]):
        while target - filling.reached > target * WITHIN:
            room = target - filling.reached
            drawn = filling.next(room) or filling.cut(room)
            if drawn is None:
                break
            filling.add(drawn)
        if abs(target - filling.reached) > 0.02 * target:
            raise TooFewPages(
                f"{len(filling.order)} pages came to {filling.reached:,} tokens where {name} wants {target:,}"
            )
        part = filling.order[start:]
        rng.shuffle(part)
        filling.order[start:] = part
        start = len(filling.order)
        ends[name] = start
    return filling.order, ends


MOST_REQUIRED = 4
"""Facts of pages that one task requires."""


@dataclass(frozen=True)
class LookedAt:
    """A page with what a model proposed of it and code accepted."""

    found: FoundPage
    proposed: ProposedPage

    @property
    def quote(self) -> str | None:
        statement = self.proposed.statement
        return None if statement is None else found_quote(statement.quote, self.found.page.text)


@dataclass(frozen=True)
class FoundCorpus:
    order: list[FoundPage]
    ends: dict[str, int]
    facts: tuple[TaskFact, ...]
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
        statement = _statement_of(one)
        if len(kept) == MOST_REQUIRED or any(_statement_of(other).value == statement.value for other in kept):
            continue
        if not any(
            _states(other.found, statement) or _states(one.found, _statement_of(other)) for other in kept
        ):
            kept.append(one)
    return kept


def _statement_of(one: LookedAt) -> FoundStatement:
    assert one.proposed.statement is not None  # accepted
    return one.proposed.statement


def _states(page: FoundPage, statement: FoundStatement | TaskFact) -> bool:
    text = fold(f"{page.page.title}\n{page.page.text}")
    return fold(statement.subject) in text and stands_in(statement.value, text)


def _silent(pages: Sequence[FoundPage], facts: Sequence[TaskFact]) -> list[FoundPage]:
    """List the pages that state no required fact."""
    return [page for page in pages if not any(_states(page, fact) for fact in facts)]


def _fact(number: int, one: LookedAt) -> TaskFact:
    statement = _statement_of(one)
    return TaskFact(
        id=f"p{number}",
        subject=statement.subject,
        attribute=statement.attribute,
        value=statement.value,
        text=fact_text(statement),
        source="page",
        places=(FactPlace(address=one.found.url, quote=one.quote),),
    )


def _terms(
    terms: Sequence[ProposedTerm], facts: Sequence[TaskFact], order: Sequence[FoundPage], ranking: PageRanking
) -> tuple[SearchTerm, ...]:
    """A signal term shows a supportive page among the first hits, a noise term none; others are dropped."""
    by_address = {fact.places[0].address: fact.id for fact in facts}
    found = []
    for one in terms:
        hits = [order[place].url for place in ranking.best(one.term, TOP)]
        led = tuple(by_address[url] for url in hits if url in by_address)
        if hits and bool(led) == (one.role == "signal"):
            found.append(SearchTerm(term=one.term, role=one.role, facts=led))
    return tuple(found)
