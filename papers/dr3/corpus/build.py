"""The corpora of one task. Its pages come in an order of which each size is a beginning, with everything that is true of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from hashlib import sha256
from random import Random
from zlib import crc32

from drr.env.text import fold
from drr.papers.dr3.case import TaskCase
from drr.papers.dr3.corpus.asides import asides
from drr.papers.dr3.corpus.guidance import guided
from drr.papers.dr3.corpus.known import CasePages, says_as_much
from drr.papers.dr3.corpus.naming import theme_key
from drr.papers.dr3.corpus.packing import NoiseDeck, Packed, packed
from drr.papers.dr3.corpus.pool import COUNTER, PagePool, PoolPage, spread
from drr.papers.dr3.corpus.ranking import PageRanking
from drr.papers.dr3.corpus.stamps import TaskBeginnings, dated
from drr.papers.dr3.corpus.terms import search_terms
from drr.papers.dr3.form import CorpusPage, CorpusSize, CorpusSizes
from drr.papers.dr3.truth import KnownPage, PageKind, SearchTerm, SizeTruth, TaskFact

_FURTHER = 0.382
"""Of the pool, from which a case is dealt its noise where the one before was refused: a page of it may have been the reason."""


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
    deck = _deck(case, pool, writer, beginnings, rng, attempt, before)
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
    truths = _truths(filled, lines, known, sizes)
    return Corpora(
        pages=tuple(page.page(case.today) for page in filled.order),
        lines=lines,
        known=tuple(known),
        sizes=CorpusSizes(
            counter=COUNTER,
            sizes={
                name: CorpusSize(pages=filled.ends[name], tokens=truth.tokens)
                for name, truth in truths.items()
            },
        ),
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
    case: TaskCase,
    pool: PagePool,
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


def _truths(
    filled: Packed, lines: tuple[bytes, ...], known: list[KnownPage], sizes: Mapping[str, int]
) -> dict[str, SizeTruth]:
    kinds = {page.url: page.kind for page in known}
    digest, counts, reached, start = sha256(), Counter[PageKind](), 0, 0
    found = {}
    for name, end in filled.ends.items():
        for page, line in zip(filled.order[start:end], lines[start:end], strict=True):
            digest.update(line)
            counts[kinds.get(page.url, "noise")] += 1
            reached += page.tokens
        start = end
        found[name] = SizeTruth(
            target=sizes[name],
            tokens=reached,
            counts={kind: counts[kind] for kind in ("supportive", "distractor", "noise")},
            sha256=digest.hexdigest(),
        )
    return found
