"""The corpora of one task. Its pages come in an order of which each size is a beginning, with everything that is true of them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import combinations
from random import Random
from zlib import crc32

from drr.env.errors import Misuse
from drr.env.text import fold
from drr.papers.dr3.case import TaskCase
from drr.papers.dr3.corpus.known import CasePage, CasePages, asides, says_as_much
from drr.papers.dr3.corpus.pool import COUNTER, PagePool, PageRanking, PoolPage, TaskBeginnings, dated, spread
from drr.papers.dr3.corpus.scene import theme_key
from drr.papers.dr3.corpus.terms import search_terms
from drr.papers.dr3.form import CorpusPage, CorpusSizes
from drr.papers.dr3.truth import KnownPage, SearchTerm, SizeTruth, TaskFact, corpus_sizes, size_truths

DISTRACTORS = 0.1
"""Share of all pages of a size."""
_OWN, _OWN_LATER, _FIRST, _RELATED = 0.16, 0.05, 12, 0.32
"""Shares of the noise about the thing or person of the case (first pages, later ones), and with its theme.
The third number counts the first pages."""
_WITHIN, _PROMISED = 0.012, 0.02
"""Distance from a size where packing stops, and the distance that is promised."""
_LAST_TOKENS = 1_900
_DEALT = 10
"""Pages of a deck from which one is dealt."""
_DOUBT = 2
_LOOKED_AT, _IN_THREES = 24, 20


@dataclass(frozen=True)
class Packed:
    order: tuple[PoolPage, ...]
    distractors: tuple[CasePage, ...]
    ends: dict[str, int]
    """Number of pages of the order that each size has."""


class NoiseDeck:
    """The noise of one task, part of it of the theme of the case. It is dealt from the end, and of the next
    few pages comes the one that says least again."""

    def __init__(
        self,
        related: list[PoolPage],
        others: list[PoolPage],
        asides: Iterator[PoolPage],
        beginnings: TaskBeginnings,
        rng: Random,
        before: Collection[str] = (),
    ) -> None:
        """Take `before`, the titles of pages that other tasks were dealt. They lie at the bottom, and none is
        looked at while there is another."""
        self._related, self._others, self._asides, self._rng = related, others, asides, rng
        self._stale = {id(deck): sum(page.title in before for page in deck) for deck in (related, others)}
        self._beginnings = beginnings
        self._said: set[int] = set()
        self._own = 0

    def draw(self) -> PoolPage | None:
        """Draw the next page. `None` where the pool is at its end, of whatever sort the page should be."""
        first, second, drawn = self._related, self._others, self._rng.random()
        if drawn < (_OWN if self._own < _FIRST else _OWN_LATER) and (first or second):
            page = next(self._asides)
            self._own += 1
            self.heard(page)
            return page
        if drawn >= _RELATED:
            first, second = second, first
        while deck := next(
            (one for one in (first, second) if len(one) > self._stale[id(one)]), first or second
        ):
            last, least = len(deck) - 1, self._stale[id(deck)]
            least = least if last >= least else 0
            page = deck.pop(
                min(range(last, max(least - 1, last - _DEALT), -1), key=lambda at: self._again(deck[at]))
            )
            if self._beginnings.agree(page):
                self._beginnings.note(page)
                self.heard(page)
                return page
        return None

    def heard(self, page: PoolPage) -> None:
        self._said |= page.sentences

    def _again(self, page: PoolPage) -> float:
        """The share of its sentences that were said before; of a short page it is known less well."""
        return (len(page.sentences & self._said) + _DOUBT) / (len(page.sentences) + 10 * _DOUBT)

    def fill(self, room: int) -> list[PoolPage]:
        """One to three of the next pages that come nearest to so many tokens."""
        near = (self._others or self._related)[-_LOOKED_AT:]
        choices: list[tuple[PoolPage, ...]] = [(one,) for one in near]
        choices += [*combinations(near, 2), *combinations(near[:_IN_THREES], 3)]
        choices.sort(key=lambda some: abs(room - sum(one.tokens for one in some)))
        best = next((some for some in choices if self._beginnings.agree(*some)), ())
        for one in best:
            (self._others or self._related).remove(one)
            self._beginnings.note(one)
        return list(best)


def packed(
    supportive: Sequence[CasePage],
    distractors: Iterator[CasePage],
    noise: NoiseDeck,
    sizes: Mapping[str, int],
    rng: Random,
) -> Packed:
    order: list[PoolPage] = []
    part = [one.page for one in supportive]
    against: list[CasePage] = []
    ends: dict[str, int] = {}
    reached = sum(page.tokens for page in part)
    for page in part:
        noise.heard(page)
    for name, target in sorted(sizes.items(), key=lambda item: item[1]):
        while target - reached > max(_LAST_TOKENS, target * _WITHIN):
            if len(against) < round(DISTRACTORS * (len(order) + len(part) + 1)):
                against.append(next(distractors))
                drawn = against[-1].page
                noise.heard(drawn)
            else:
                drawn = _next(noise, name)
            part.append(drawn)
            reached += drawn.tokens
        if target - reached > target * _WITHIN:
            filling = noise.fill(target - reached)
            part += filling
            reached += sum(page.tokens for page in filling)
        if abs(target - reached) > _PROMISED * target:
            raise Misuse(
                f"a corpus of {name} came to {reached} tokens: its {len(supportive)} supportive pages do not fit; take larger sizes"
            )
        rng.shuffle(part)
        order += part
        part = []
        ends[name] = len(order)
    return Packed(tuple(order), tuple(against), ends)


def has_room(filled: Packed, sizes: Mapping[str, int], tokens: int) -> bool:
    """Tell whether a page of the smallest size may have so many tokens more. Every size must still be what is promised."""
    reached, start = 0, 0
    for name, end in filled.ends.items():
        reached += sum(page.tokens for page in filled.order[start:end])
        start = end
        if abs(sizes[name] - reached - tokens) > _PROMISED * sizes[name]:
            return False
    return True


def _next(noise: NoiseDeck, name: str) -> PoolPage:
    page = noise.draw()
    if page is None:
        raise Misuse(
            f"the pool has too few pages for a corpus of {name}; give it more pages or take smaller sizes"
        )
    return page


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


_FURTHER = 0.382
"""Step through the pool to a refused case's next noise: one of its pages may have been the reason."""


@dataclass(frozen=True, kw_only=True)
class Corpora:
    """The pages of one case. `lines` are the bytes of its `corpus.jsonl`."""

    pages: tuple[CorpusPage, ...]
    lines: tuple[bytes, ...]
    known: tuple[KnownPage, ...]
    sizes: CorpusSizes
    truths: dict[str, SizeTruth]
    terms: tuple[SearchTerm, ...]
    facts: tuple[TaskFact, ...]
    """All of the case, those of pages with their places."""
    today: date
    ranking: PageRanking = field(compare=False)

    @property
    def first_titles(self) -> set[str]:
        """Return the titles of its smallest size."""
        least = min(one.pages for one in self.sizes.sizes.values())
        return {page.title for page in self.pages[:least]}


def corpora(
    case: TaskCase,
    seed: int,
    sizes: Mapping[str, int],
    pool: PagePool,
    question: str = "",
    attempt: int = 0,
    before: Collection[str] = (),
) -> Corpora:
    """The same gives the same bytes; another `attempt` is dealt its noise from another place of the pool. Where the words of a `question` find no
    supportive page of the largest size, one is written anew; without a question, a size that is left out changes none below it. Pages whose titles are
    among those `before` are dealt last: other tasks of the set have them."""
    rng = Random(f"{seed}/{case.task_id}/corpus")
    beginnings = TaskBeginnings(case.today, case.known_by)
    writer = CasePages(case, pool, seed, beginnings.known)
    supportive = [writer.supportive(fact) for fact in case.of("page")]
    deck = _deck(writer, beginnings, rng, attempt, before)
    filled = packed(supportive, writer.distractors(supportive), deck, sizes, rng)
    filled = replace(filled, order=tuple(dated(page, case.today, case.known_by) for page in filled.order))
    ranking = PageRanking([page.pieces for page in filled.order])
    if question:
        filled, supportive, ranking = guided(filled, supportive, ranking, question, writer, sizes)
    place = {page.url: number for number, page in enumerate(filled.order)}
    terms = search_terms(case, [(one, place[one.page.url]) for one in supportive], ranking, seed, question)
    known = [*(one.known for one in supportive), *(one.known for one in filled.distractors)]
    placed = {one.known.facts[0]: one.place() for one in supportive}
    lines = tuple(page.line(case.today) for page in filled.order)
    kinds = {page.url: page.kind for page in known}
    counted = [
        (kinds.get(page.url, "noise"), page.tokens, line)
        for page, line in zip(filled.order, lines, strict=True)
    ]
    truths = size_truths(sizes, filled.ends, counted)
    return Corpora(
        pages=tuple(page.page(case.today) for page in filled.order),
        lines=lines,
        known=tuple(known),
        sizes=corpus_sizes(COUNTER, filled.ends, truths),
        truths=truths,
        terms=terms,
        facts=tuple(
            fact.model_copy(update={"places": (placed[fact.id],)}) if fact.id in placed else fact
            for fact in case.facts
        ),
        today=case.today,
        ranking=ranking,
    )


def _deck(
    writer: CasePages,
    beginnings: TaskBeginnings,
    rng: Random,
    attempt: int,
    before: Collection[str],
) -> NoiseDeck:
    """Make the deck of noise without pages of the pool that speak of a brand or seller of the case. They
    could hold a required fact or deny it. Left out too are pages that say the same of something else, as
    whoever took that for it would be right by chance. The tasks of a set are dealt their noise from one pool,
    and begin as far from each other as their number allows: small sets share few pages or none."""
    case, pool = writer.case, writer.pool
    named = [fold(name) for name in writer.apart]
    theme = theme_key(case.theme)
    number = int(case.task_id) - 1 if case.task_id.isdigit() else rng.randrange(len(pool.pages))
    start = int((spread(number) + attempt * _FURTHER) % 1 * len(pool.pages))
    dealt = [*pool.pages[start:], *pool.pages[:start]]
    dealt.reverse()
    facts = case.of("page")
    free = [
        page
        for page in dealt
        if page.is_possible(case.today)
        and not any(name in page.folded for name in named)
        and not any(says_as_much(page, one) for one in facts)
    ]
    related = [page for page in free if page.theme == theme]
    related.sort(key=lambda page: (page.title not in before, _part(page) % 2 == 0))
    others = [page for page in free if page.theme != theme]
    others.sort(key=lambda page: (page.title not in before, _part(page) % 2))
    return NoiseDeck(related, others, asides(writer), beginnings, rng, before)


def _part(page: PoolPage) -> int:
    """Even: it is dealt to tasks of its theme first; odd: to others."""
    return crc32(page.url.encode())
