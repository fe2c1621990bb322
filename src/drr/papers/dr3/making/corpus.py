"""The corpus of a task: pages found once, frozen, and packed into nested sizes."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from drr.citations.addresses import canonical_url
from drr.env.records.lines import visible
from drr.env.source import text_hash
from drr.env.text import folded_text
from drr.env.web.base import WebSearch
from drr.papers.dr3.form import CorpusPage, FrozenRow
from drr.papers.dr3.making.proposals import ProposedFact, ProposedPage, ProposedTerm, found_quote
from drr.papers.dr3.making.ranking import TOP, PageRanking, contains_value, token_count
from drr.papers.dr3.truth import FactPlace, PageProposal, SearchTerm, TaskFact
from pydantic import ValidationError

MOST_CHARS, MOST_REQUIRED = 24_000, 4
"""Limits: characters of one page (the rest is cut), and facts from pages that one task requires."""
DISTRACTORS = 0.1
"""Share of distractors among all pages of a size."""
WITHIN, PROMISED = 0.012, 0.02
"""Distance from a size at which packing stops, and the distance that is promised."""
PER_TERM = 10
"""Results looked at for each search term."""
_AT_ONCE, _TITLE, _SHORTEST = 4, 200, 400
"""Limits: pages read at once, characters of a title, and least characters of a page cut to fill a size."""


class FoundPage(FrozenRow):
    """A page, with the proposal of a model if code accepted one."""

    page: CorpusPage
    signal: bool
    """True if a signal term led to the page."""
    proposed: ProposedPage | None = None

    @property
    def url(self) -> str:
        return self.page.url

    @property
    def tokens(self) -> int:
        return token_count(self.page.title, self.page.text)

    @property
    def kind(self) -> str:
        return self.proposed.kind if self.proposed else "noise"

    @property
    def statement(self) -> ProposedFact:
        assert self.proposed is not None and self.proposed.statement is not None  # accepted
        return self.proposed.statement

    @property
    def quote(self) -> str | None:
        statement = self.proposed.statement if self.proposed else None
        return None if statement is None else found_quote(statement.quote, self.page.text)

    def states(self, subject: str, value: str) -> bool:
        text = folded_text(f"{self.page.title}\n{self.page.text}")
        return folded_text(subject) in text and contains_value(value, text)


async def gather_pages(web: WebSearch, terms: Sequence[ProposedTerm]) -> tuple[list[FoundPage], Counter[str]]:
    """Return the pages that the terms find, and the count of those left out by reason. Raise `WebUnavailable` if the search engine fails."""
    signal: dict[str, bool] = {}
    for term in terms:
        for hit in await web.search(term.term, PER_TERM):
            url = canonical_url(hit.url)
            signal[url] = signal.get(url, False) or term.role == "signal"
    gate = asyncio.Semaphore(_AT_ONCE)

    async def read(url: str) -> CorpusPage | str:
        async with gate:
            page = await web.read(url)
        if page.status != "ok" or not (page.markdown or "").strip():
            return page.status if page.status != "ok" else "empty"
        title = " ".join(visible(page.title or "").split())[:_TITLE] or "Untitled"
        try:
            return CorpusPage(
                url=url, title=title, text=cut_to_length(visible(page.markdown or ""), MOST_CHARS)
            )
        except ValidationError:
            return "empty"

    unread: Counter[str] = Counter()
    pages: dict[str, FoundPage] = {}
    for url, got in zip(signal, await asyncio.gather(*map(read, signal)), strict=True):
        if isinstance(got, str):
            unread[got] += 1
        elif (digest := text_hash(got.text)) in pages:
            unread["twice"] += 1
        else:
            pages[digest] = FoundPage(page=got, signal=signal[url])
    return list(pages.values()), unread


def cut_to_length(text: str, most: int) -> str:
    """Cut a text between two words, close enough to `most` characters for filling a size."""
    text = text.strip()
    if len(text) <= most:
        return text
    cut = text[:most]
    at = max(cut.rfind("\n"), cut.rfind(" "))
    return cut[: at if at > most // 2 else most].rstrip()


class TooFewPages(Exception):
    """Raised when the pages do not fill a size; the message says how far they came."""


@dataclass
class _Filling:
    distractors: list[FoundPage]
    noise: list[FoundPage]
    order: list[FoundPage] = field(default_factory=list)
    taken: set[str] = field(default_factory=set)
    reached: int = 0
    against: int = 0

    def add(self, page: FoundPage) -> None:
        self.order.append(page)
        self.taken.add(page.url)
        self.reached += page.tokens

    def next(self, room: int) -> FoundPage | None:
        """Return the next page of at most `room` tokens. It is a distractor if their share is not reached; else noise, cut if needed."""
        wants = self.against < max(1, round(DISTRACTORS * (len(self.order) + 1)))
        for pages in (self.distractors, self.noise) if wants else (self.noise,):
            for page in pages:
                if page.tokens <= room and page.url not in self.taken:
                    self.against += pages is self.distractors
                    return page
        for one in self.noise:
            most = 4 * room - len(one.page.title)
            if one.url not in self.taken and most >= _SHORTEST:
                text = cut_to_length(one.page.text, most)
                return one.model_copy(update={"page": one.page.model_copy(update={"text": text})})
        return None


def packed_pages(
    supportive: Sequence[FoundPage],
    distractors: Sequence[FoundPage],
    noise: Sequence[FoundPage],
    sizes: Mapping[str, int],
    rng: Random,
) -> tuple[list[FoundPage], dict[str, int]]:
    """Return the order of the pages, and for each size how many pages it has. Raise `TooFewPages` for a size that is not filled."""
    filling = _Filling(rng.sample(distractors, len(distractors)), rng.sample(noise, len(noise)))
    ends: dict[str, int] = {}
    for page in supportive:
        filling.add(page)
    start = 0
    for name, target in sorted(sizes.items(), key=lambda item: item[1]):
        while target - filling.reached > target * WITHIN:
            drawn = filling.next(target - filling.reached)
            if drawn is None:
                break
            filling.add(drawn)
        if abs(target - filling.reached) > PROMISED * target:
            raise TooFewPages(
                f"{len(filling.order)} pages came to {filling.reached:,} tokens where {name} wants {target:,}"
            )
        part = filling.order[start:]
        rng.shuffle(part)
        filling.order[start:] = part
        start = ends[name] = len(filling.order)
    return filling.order, ends


@dataclass(frozen=True)
class FoundCorpus:
    order: list[FoundPage]
    ends: dict[str, int]
    facts: tuple[TaskFact, ...]
    terms: tuple[SearchTerm, ...]
    left_out: Counter[str]

    def proposals(self) -> tuple[PageProposal, ...]:
        return tuple(
            PageProposal(url=one.url, kind=one.proposed.kind, quote=one.quote, why=one.proposed.why)
            for one in self.order
            if one.proposed is not None
        )


def found_corpus(
    pages: Sequence[FoundPage],
    known: Sequence[TaskFact],
    terms: Sequence[ProposedTerm],
    sizes: Mapping[str, int],
    rng: Random,
) -> FoundCorpus | None:
    """Build the corpus; `None` if no term reaches a proposed fact. Raise `TooFewPages` if the sizes are not filled.

    `known` are the facts of the files, which no page is required for. Facts that no signal term reaches at every size are given up with their pages, until all the remaining ones are reached.
    """
    required = _required_pages([one for one in pages if one.kind == "supportive"], known)
    others = [one for one in pages if one.kind != "supportive"]
    left_out: Counter[str] = Counter()
    while required:
        facts = [
            one.statement.fact(f"p{number}", "page", FactPlace(address=one.url, quote=one.quote))
            for number, one in enumerate(required, 1)
        ]
        silent = [one for one in others if not any(one.states(fact.subject, fact.value) for fact in facts)]
        against, noise = (
            [one for one in silent if (one.kind == "noise") is is_noise] for is_noise in (False, True)
        )
        order, ends = packed_pages(required, against, noise, sizes, rng)
        found = _terms(terms, facts, order, ends)
        reached = {fact for term in found for fact in term.facts}
        if all(fact.id in reached for fact in facts):
            left_out["restated"] = len(others) - len(silent)
            return FoundCorpus(order, ends, tuple(facts), found, +left_out)
        left_out["not_reached"] += sum(fact.id not in reached for fact in facts)
        required = [one for one, fact in zip(required, facts, strict=True) if fact.id in reached]
    return None


def _required_pages(supportive: Sequence[FoundPage], known: Sequence[TaskFact]) -> list[FoundPage]:
    """Return the required pages, in the order in which they were found. No two state the same value or attribute,
    and no page states the value of another."""
    kept: list[FoundPage] = []
    about = {(folded_text(fact.subject), folded_text(fact.attribute)) for fact in known}
    for one in supportive:
        own = one.statement
        again = any(
            other.statement.value == own.value
            or other.states(own.subject, own.value)
            or one.states(other.statement.subject, other.statement.value)
            for other in kept
        )
        if not again and own.about not in about and len(kept) < MOST_REQUIRED:
            kept.append(one)
            about.add(own.about)
    return kept


def _terms(
    terms: Sequence[ProposedTerm],
    facts: Sequence[TaskFact],
    order: Sequence[FoundPage],
    ends: Mapping[str, int],
) -> tuple[SearchTerm, ...]:
    """Keep the signal terms that show a supportive page at every size, and the noise terms that never do."""
    by_address = {fact.places[0].address: fact.id for fact in facts}
    rankings = [
        PageRanking(sorted((one.page for one in order[:end]), key=lambda page: page.url))
        for end in ends.values()
    ]
    found = []
    for one in terms:
        hits = [ranking.best(one.term, TOP) for ranking in rankings]
        led = [{by_address[url] for url in own if url in by_address} for own in hits]
        facts_led = set.intersection(*led) if one.role == "signal" else set.union(*led)
        if any(hits) and bool(facts_led) == (one.role == "signal"):
            found.append(SearchTerm(term=one.term, role=one.role, facts=tuple(sorted(facts_led))))
    return tuple(found)
