"""The pool: the pages that every task of a set takes its noise from. They are written once, ranked by words, and dated for each task.

A page of the pool has an age instead of a date, and codes instead of years (`calendar`): a task counts back from the day on which it is asked.
"""

from __future__ import annotations

import re
from collections import Counter, OrderedDict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from itertools import count
from random import Random
from zlib import crc32

from drr.env.entities import Product
from drr.env.errors import Misuse
from drr.env.text import Bm25, fold, tokens
from drr.papers.dr3.case import NamedThing
from drr.papers.dr3.corpus.calendar import PageCalendar, codes, year_of
from drr.papers.dr3.corpus.page import WrittenPage, drawn_form, written_page
from drr.papers.dr3.corpus.passages import SentenceDeck
from drr.papers.dr3.corpus.scene import PageScene, Shelf, page_scene, shelf
from drr.papers.dr3.corpus.statement import PageStatement, drawn_statement, own_statements
from drr.papers.dr3.corpus.stock import GENERAL, StatementForm
from drr.papers.dr3.corpus_web import cut
from drr.papers.dr3.form import CorpusPage, line
from drr.papers.dr3.planning.kinds import kind_of
from drr.papers.dr3.values import month_from

PieceBags = tuple[Counter[str], ...]
"""The words of a page, piece by piece, its title in each."""
_KEPT = 6_000
_TITLE = 2
"""Weight of a title in each piece, as in the search of agents; a test asks both."""
_known_bags: OrderedDict[tuple[str, str], PieceBags] = OrderedDict()
"""Bags of the pages taken apart last: the tasks of a set share most of theirs."""


def piece_bags(title: str, text: str) -> PieceBags:
    head = tokens(title) * _TITLE
    return tuple(Counter([*head, *tokens(piece)]) for piece in cut(text))


class PageRanking:
    """The ranking of the pages of one corpus."""

    def __init__(self, pages: Sequence[PieceBags]) -> None:
        self._page_of = [number for number, bags in enumerate(pages) for _ in bags]
        self._index = Bm25(bags=[bag for bags in pages for bag in bags])

    @classmethod
    def of(cls, pages: Sequence[CorpusPage]) -> PageRanking:
        return cls([_kept(page) for page in pages])

    def best(self, query: str, top: int) -> list[int]:
        """Places of the best pages, ties by place; pages that share no word are never among them."""
        return [place for place, _ in self.scored(query, top)]

    def scored(self, query: str, top: int) -> list[tuple[int, float]]:
        """The best pages, each with the score of its best piece."""
        scores = self._index.scores(query)
        hits = sorted(
            (place for place, score in enumerate(scores) if score > 0), key=lambda at: (-scores[at], at)
        )
        found: dict[int, float] = {}
        for place in hits:
            found.setdefault(self._page_of[place], scores[place])
            if len(found) == top:
                break
        return list(found.items())

    def score_of(self, page: PieceBags, query: str) -> float:
        """Return the score that a page of another text would have here."""
        return max((self._index.score_of(bag, query) for bag in page), default=0.0)


def _kept(page: CorpusPage) -> PieceBags:
    key = (page.title, page.text)
    found = _known_bags.get(key)
    if found is None:
        found = _known_bags[key] = piece_bags(*key)
        if len(_known_bags) > _KEPT:
            _known_bags.popitem(last=False)
    else:
        _known_bags.move_to_end(key)
    return found


VERSION = "33"
"""Version of everything that decides what pages say: raised when the same seed writes another pool."""
COUNTER = "characters/4"
PAGES = 3_000
YOUNGEST, OLDEST = 20, 2_600
"""Days before a task is asked."""
_UNDATED, _RECENT = 0.02, 3
_WINDOWS = 32
"""Places in the pool from which tasks are dealt."""
_BESIDE = (0, 0, 0, 1, 1)
_STILL_HEARSAY = 0.3
_LEAST_THINGS = 6
LONG_SENTENCE = 45
"""Characters above which a reader knows a sentence again."""
_SENTENCES = re.compile(r"(?<=[.?!:])\s+|\n+")


@dataclass(frozen=True, kw_only=True)
class PoolPage:
    url: str
    title: str
    text: str
    age: int | None
    theme: str
    tokens: int
    pieces: PieceBags
    folded: str
    """Title and text, to look things up in."""
    head: bytes
    """Its line up to the date."""
    sentences: frozenset[int]
    """Its long sentences, each by a number of its own."""
    is_shared: bool = False
    """True where the tasks of a set share it, each with its own dates."""
    begun: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """Beginnings that it states, as months with codes; only in pages of the pool."""
    since: int = 0
    """The year before which nobody wrote about such a thing; of pages of the pool."""

    month: int | None = None
    """Month of writing, where the page states it; only in pages of the pool."""

    def day(self, today: date) -> date | None:
        """Return the day so many days ago. For a page that says in which month it was written, it lies in the nearest such month."""
        if self.age is None:
            return None
        day = today - timedelta(days=self.age)
        if self.month is None or day.month == self.month:
            return day
        away = (self.month - day.month + 6) % 12 - 6
        found = _months_on(day, away)
        days = (today - found).days
        return found if YOUNGEST <= days <= OLDEST else _months_on(day, away + (12 if days > OLDEST else -12))

    def is_possible(self, today: date) -> bool:
        """Tell whether what it is about existed when it was written."""
        return (self.day(today) or today).year >= self.since

    def page(self, today: date) -> CorpusPage:
        return CorpusPage(url=self.url, title=self.title, text=self.text, date=self.dated(today))

    def dated(self, today: date) -> str | None:
        day = self.day(today)
        return None if day is None else day.isoformat()

    def line(self, today: date) -> bytes:
        day = self.dated(today)
        return self.head + (f',"date":"{day}"' if day else "").encode() + b"}\n"


def _months_on(day: date, months: int) -> date:
    return month_from(day, months).replace(day=min(day.day, 28))


@dataclass(frozen=True)
class PagePool:
    seed: int
    shelf: Shelf
    pages: tuple[PoolPage, ...]
    deck: SentenceDeck = field(default_factory=SentenceDeck, compare=False)
    """Sentences that its pages have used."""

    @property
    def tokens(self) -> int:
        return sum(page.tokens for page in self.pages)


def token_count(title: str, text: str) -> int:
    return -(-(len(title) + len(text)) // 4)


def pool_page(written: WrittenPage, age: int | None, theme: str) -> PoolPage:
    page = CorpusPage(url=written.url, title=written.title, text=written.text)
    return PoolPage(
        url=written.url,
        title=written.title,
        text=written.text,
        age=age,
        theme=theme,
        tokens=token_count(written.title, written.text),
        pieces=piece_bags(written.title, written.text),
        folded=fold(f"{written.title}\n{written.text}"),
        head=line(page).removesuffix(b"}\n"),
        sentences=frozenset(
            crc32(sentence.encode())
            for sentence in _SENTENCES.split(written.text)
            if len(sentence) > LONG_SENTENCE
        ),
    )


def drawn_age(rng: Random) -> int | None:
    return None if rng.random() < _UNDATED else dated_age(rng)


def dated_age(rng: Random) -> int:
    """Most of what one finds is of the last two years."""
    return YOUNGEST + int((OLDEST - YOUNGEST + 1) * rng.random() ** _RECENT)


def build_pool(products: Iterable[Product], seed: int, pages: int = PAGES) -> PagePool:
    """The same products, seed and number give the same pages; `Misuse` where there is too little to speak of."""
    things = shelf(products)
    if len({one.thing.brand for one in things[GENERAL]}) < _LEAST_THINGS:
        raise Misuse(
            f"pages need products of at least {_LEAST_THINGS} brands to speak of; this shop has fewer: ingest more of it"
        )
    themes = [key for key in sorted(things) if key != GENERAL] or [GENERAL]
    themes += [GENERAL] if GENERAL not in themes else []
    found: dict[int, PoolPage] = {}
    urls: set[str] = set()
    deck = SentenceDeck()
    for place in _places(pages):
        for again in count():
            page = _noise(things, themes[place % len(themes)], f"{seed}/pool/{place}/{again}", seed, deck)
            if page.url not in urls:
                urls.add(page.url)
                found[place] = page
                break
    return PagePool(seed, things, tuple(found[place] for place in range(pages)), deck)


def spread(number: int) -> float:
    """Mirror the digits of a number in base two behind the point. The results are 0, 1/2, 1/4, 3/4, 1/8 and
    on, each far from those before."""
    found, part = 0.0, 0.5
    while number:
        found += part * (number & 1)
        number, part = number >> 1, part / 2
    return found


def _places(pages: int) -> Iterator[int]:
    """Yield the places of the pages in the order in which they are written. First come those from which the
    first task is dealt its noise, then those of the second, and on, so that a sentence comes again after as
    many tasks as can be."""
    size = -(-pages // _WINDOWS)
    for window in range(_WINDOWS):
        start = int(spread(window) * _WINDOWS) * size
        yield from range(start, min(start + size, pages))


def _noise(things: Shelf, theme: str, label: str, seed: int, deck: SentenceDeck) -> PoolPage:
    rng = Random(label)
    thing: NamedThing = rng.choice(things[theme]).thing
    scene = page_scene(rng, theme, thing, things, frozenset(), calendar=PageCalendar(seed=seed), deck=deck)
    first = drawn_statement(thing, scene.seller, rng, scene.calendar)
    if first and first.form.about == "seller":
        scene.is_of(first.subject)
    statements = [plain(first, rng)] if first else []
    statements += beside(scene, [one.form for one in statements])
    written = written_page(drawn_form(rng, statements, house=scene.seller), scene, statements, seed)
    page = pool_page(written, drawn_age(rng), theme)
    return replace(
        page,
        is_shared=True,
        begun={key: month for key, (month, _) in scene.calendar.months.items()},
        since=kind_of(thing.noun).since,
        month=scene.calendar.month,
    )


def plain(statement: PageStatement, rng: Random) -> PageStatement:
    """Return the statement that a page is there for, with its value. It is seldom hearsay, as on needed
    pages, but is where it is wrong: nobody vouches for that."""
    still = statement.hearsay and rng.random() < _STILL_HEARSAY
    return replace(statement, one_sided=False, hearsay=still or statement.is_wrong)


def beside(
    scene: PageScene, avoid: Sequence[StatementForm], more: int = 0, like: Collection[str] = ()
) -> list[PageStatement]:
    """List what a page states beside what it is there for. That is of its own thing (so many `more` where it
    lacks a figure; mostly in a measure of `like`), and of others of that sort."""
    rng, calendar = scene.rng, scene.calendar
    statements = own_statements(scene.thing, scene.seller, rng, calendar, avoid, more, like)
    for _ in range(rng.choice(_BESIDE)):
        other = scene.beside()
        drawn = other and drawn_statement(other, None, rng, calendar)
        if drawn:
            statements.append(drawn)
    return statements


_NUMBER = re.compile(r"(?<=[-_])\d{3,5}$|(?<=/)\d{3,5}(?=[-/])")
"""Number in an address, as `page` writes it."""


def dated(page: PoolPage, today: date, bought: date) -> PoolPage:
    """Date a page, the same for the same day and purchase. With another date, or other years in it, it has another address."""
    if not page.is_shared:
        return page
    found = codes(page.text)
    if not found and page.age is None:
        return page
    day = page.day(today) or today
    years = {code: year_of(code, day, bought) for code in found}
    url = _numbered(page.url, f"{day}/{years}")
    text, folded = page.text, page.folded
    head = page.head.replace(page.url.encode(), url.encode(), 1)
    for code, year in years.items():
        text, folded = text.replace(code, year), folded.replace(code, year)
        head = head.replace(code.encode(), year.encode())
    return replace(
        page,
        url=url,
        text=text,
        folded=folded,
        head=head,
        pieces=_dated_bags(page.pieces, years) if years else page.pieces,
    )


@dataclass(frozen=True)
class TaskBeginnings:
    """The beginnings of what the pages of a task speak of: one month for each, whichever of them says it."""

    today: date
    bought: date
    known: dict[tuple[str, str], str] = field(default_factory=dict)

    def agree(self, *pages: PoolPage) -> bool:
        """Tell whether they agree with those that are known, and with each other."""
        known: dict[tuple[str, str], str] = {}
        return all(
            self.known.get(key, month) == known.setdefault(key, month) == month
            for page in pages
            for key, month in self._months(page)
        )

    def note(self, page: PoolPage) -> None:
        self.known.update(self._months(page))

    def _months(self, page: PoolPage) -> Iterator[tuple[tuple[str, str], str]]:
        day = page.day(self.today) or self.today
        for key, month in page.begun.items():
            name, _, code = month.partition(" ")
            yield key, f"{name} {year_of(code, day, self.bought)}"


def _numbered(url: str, text: str) -> str:
    return _NUMBER.sub(str(100 + crc32(f"{url}/{text}".encode()) % 99_900), url, count=1)


def _dated_bags(pieces: PieceBags, years: dict[str, str]) -> PieceBags:
    found = []
    for piece in pieces:
        bag = piece
        for code, year in years.items():
            if code in bag:
                bag = bag.copy()
                bag[year] += bag.pop(code)
        found.append(bag)
    return tuple(found)
