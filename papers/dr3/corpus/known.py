"""The pages of one task that are about its case. They have a required fact, a recorded change of one, or neither (asides)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from functools import cached_property
from random import Random
from typing import NamedTuple
from zlib import crc32

from drr.env.text import fold
from drr.papers.dr3.case import NamedThing, TaskCase
from drr.papers.dr3.corpus.calendar import GAP, TERMS, PageCalendar, month_name
from drr.papers.dr3.corpus.others import other_name
from drr.papers.dr3.corpus.page import drawn_form, written_page
from drr.papers.dr3.corpus.passages import SentenceDeck
from drr.papers.dr3.corpus.pool import YOUNGEST, PagePool, PoolPage, beside, dated_age, plain, pool_page
from drr.papers.dr3.corpus.scene import page_scene, theme_key
from drr.papers.dr3.corpus.statement import (
    PageStatement,
    WantedChange,
    changed,
    drawn_statement,
    measures_of,
    of_fact,
    range_of,
    statements_of,
)
from drr.papers.dr3.corpus.stock import MAKE, PageForm, StatementForm, stock
from drr.papers.dr3.corpus.times import BEATEN, AstrayTimes, NeededTimes, needed_age
from drr.papers.dr3.planning.kinds import kind_of
from drr.papers.dr3.truth import ChangeKind, FactPlace, KnownPage, TaskFact
from drr.papers.dr3.values import month_of, months_after, sold_from

_TRIES = 40
_SISTER = 0.45
"""Share of needed pages that also describe another model, as misleading pages do."""
_FEWER = 0.6
"""Share of needed pages that state one thing less of their own. Their fact has a month, and so has all that
they say of its thing."""
_AS_NEEDED = 0.5
"""Share of the other pages about the case that are as old as needed ones."""
_LEANS_BACK = 0.5
"""Share of tasks whose pages lean to earlier months."""
_TWINS, _TWIN = 2, 0.3
"""Tries in which a page is written anew that has the title of another, or more than such a share of sentences of others."""
_OWN_VOICES = {"thing": ("office",), "brand": ("office",), "seller": ("seller", "office")}
"""Voices that answer for a page: they do not leave outdated statements standing for years."""
_STANDS = 365
"""Days after a change on which its own page may still say what was before."""


@dataclass(frozen=True)
class CasePage:
    page: PoolPage
    known: KnownPage
    quote: str
    """The sentence that states the fact, or what a change made of it."""

    def place(self) -> FactPlace:
        return FactPlace(address=self.page.url, quote=self.quote)


class PageTime(NamedTuple):
    """The age of a page, and whether it speaks of an earlier make or of a later one."""

    age: int
    is_early: bool = False
    is_newer: bool = False


class PageSource(NamedTuple):
    """The writers that a page may have."""

    trust: int | None = None
    """Quality of the source, where that is required."""
    without: frozenset[str] = frozenset()
    """Voices that do not write it."""
    is_tried: bool = False
    """One of many that are tried: whether it is like others is not asked."""


@dataclass(frozen=True)
class CasePages:
    """Writes the pages of a case; each with its own seed, so that one more changes none before it."""

    case: TaskCase
    pool: PagePool
    seed: int
    begun: dict[tuple[str, str], str] = field(default_factory=dict)
    """Beginnings that pages of the task state (`stamps`)."""
    stated_of: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Number of statements about each subject in its pages."""
    titles: set[str] = field(default_factory=set)
    sentences: set[int] = field(default_factory=set)
    """Titles and long sentences of the pages written so far."""

    @cached_property
    def leans_back(self) -> bool:
        """Tell whether most of what its pages say is of the months before what counts."""
        return Random(f"{self.seed}/{self.case.task_id}/leans").random() < _LEANS_BACK

    @property
    def apart(self) -> frozenset[str]:
        """Brands and sellers of which no other page of the task may speak."""
        named = {self.case.thing.brand, self.case.seller, *(one.subject for one in self.case.of("page"))}
        if self.case.rival is not None:
            named.add(self.case.rival.brand)
        return frozenset(named)

    def supportive(self, fact: TaskFact, again: int = 0, trust: int | None = None) -> CasePage:
        """`again`: the same fact on another page of that day, by just so good a source."""
        statement = of_fact(fact, self._needed.since(fact))
        label = f"supportive/{fact.id}" + (f"/{again}" if again else "")
        by = PageSource(trust, is_tried=again > 0)
        page, quote, form = self.written(fact, statement, label, PageTime(self._needed.age(fact)), by)
        known = KnownPage(
            url=page.url, kind="supportive", facts=(fact.id,), trust=form.trust, as_of=statement.as_of
        )
        return CasePage(page, known, quote)

    def age(self, fact: TaskFact, rng: Random) -> int:
        """Draw the age of a page that leads astray or is beside the point. It is drawn as for any page, or as for those that are needed."""
        return needed_age(self.case, fact, rng) if rng.random() < _AS_NEEDED else dated_age(rng)

    def newer_age(self, rng: Random) -> int | None:
        """Draw the age of a page that speaks of the make after the one at hand. `None` where there is none,
        or nobody can have seen one yet."""
        if self.case.earlier_make is None:
            return None
        most = (self.case.today - months_after(self.case.earlier_make.newer, GAP)).days
        return rng.randint(YOUNGEST, most) if most >= YOUNGEST else None

    def day(self, age: int) -> date:
        return self.case.today - timedelta(days=age)

    def distractors(self, of: Sequence[CasePage]) -> Iterator[CasePage]:
        """Yield distractors without end, from each supportive page in turn. All ages are drawn alike, and
        what a page of its age may have wrong is said in it."""
        facts = {fact.id: fact for fact in self.case.of("page")}
        taken: dict[str, list[str]] = {key: [] for key in facts}
        number = 0
        while True:
            source = of[number % len(of)]
            fact = facts[source.known.facts[0]]
            rng = Random(f"{self.seed}/{self.case.task_id}/change/{number}")
            later = self._times.later(fact, rng)
            if later is not None:
                age, wanted = later
            else:
                age = self.age(fact, rng)
                wanted = self._times.wanted(fact, source.known.as_of, self.day(age), rng)
            wanted = self._times.again(fact, wanted, self.day(age))
            if wanted.value is None and wanted.kind != "one_sided":
                within = range_of(
                    stock().statement(fact.attribute)[0], kind_of(self.case.thing_of(fact).noun)
                )
                value = self._times.another(
                    fact, wanted, self.day(age), {*taken[fact.id], fact.value}, within, rng
                )
                if value is None and wanted.kind == "outdated" and source.known.as_of:
                    other = WantedChange(kind="other_model", as_of=source.known.as_of)
                    had = {*taken[fact.id], fact.value}
                    value = self._times.another(fact, other, self.day(age), had, within, rng)
                    wanted = wanted if value is None else other
                wanted = replace(wanted, value=value)
            if wanted.kind == "other_model":
                about = stock().statement(fact.attribute)[0].about
                wanted = replace(wanted, subject=other_name(about, fact.subject, rng))
            statement, change = changed(fact, wanted)
            taken[fact.id] += [statement.value] if statement.value else []
            statement = self._times.kept(fact, wanted, statement, change.kind, self.day(age))
            by = _source(fact, statement, change.kind, source, self.day(age))
            page, quote, form = self.written(fact, statement, f"distractor/{number}", PageTime(age), by)
            known = KnownPage(
                url=page.url,
                kind="distractor",
                made_from=source.page.url,
                change=change,
                trust=0 if statement.hearsay else form.trust,
                as_of=statement.as_of,
            )
            yield CasePage(page, known, quote)
            number += 1

    @cached_property
    def _needed(self) -> NeededTimes:
        return NeededTimes(self.case, self.seed)

    @cached_property
    def _times(self) -> AstrayTimes:
        return AstrayTimes(self.case, self.seed, self.pool.seed, self.begun, self.leans_back)

    def written(
        self,
        fact: TaskFact,
        statement: PageStatement,
        label: str,
        time: PageTime,
        source: PageSource,
    ) -> tuple[PoolPage, str, PageForm]:
        """Write the first try in which no required value stands but the one that is to stand there. Of the
        first few, take one that is no twin of another page."""
        thing, theme = self.case.thing_of(fact), theme_key(self.case.theme)
        seller = self.case.seller if fact.subject == self.case.seller else None
        if statement.form.about == "seller":
            seller = statement.subject
        is_own = statement.form is stock().statement(fact.attribute)[0] and statement.value == fact.value
        unwanted = {one.value for one in self.case.facts} - ({fact.value} if is_own else set())
        needed = [stock().statement(one.attribute)[0] for one in self.case.of("page")]
        for attempt in range(_TRIES):
            rng = Random(f"{self.seed}/{self.case.task_id}/{label}/{attempt}")
            calendar = self.calendar(time, statement)
            scene = page_scene(rng, theme, thing, self.pool.shelf, self.apart, seller, calendar, self._deck)
            more = statement.one_sided - (is_own and rng.random() < _FEWER)
            statements = [statement, *beside(scene, [*needed, statement.form], more, measures_of(needed))]
            if is_own and rng.random() < _SISTER:
                taken = [*needed, *(one.form for one in statements)]
                statements += _of_a_sister(thing, taken, calendar, rng)
            form = drawn_form(rng, statements, source.trust, source.without, scene.seller)
            written = written_page(form, scene, statements, self.pool.seed)
            page = pool_page(written, time.age, theme)
            if attempt < _TWINS and not source.is_tried and self._is_twin(page):
                continue
            if not any(stands_in(value, page.folded) for value in unwanted):
                if not source.is_tried:
                    self.titles.add(page.title)
                    self.sentences.update(page.sentences)
                return page, written.quotes[0], form
        raise ValueError(
            f"{self.case.task_id}: no page about {fact.subject} came out without other required facts"
        )

    @cached_property
    def _deck(self) -> SentenceDeck:
        number = self.case.task_id
        return self.pool.deck.of_task(int(number) if number.isdigit() else crc32(number.encode()))

    def _is_twin(self, page: PoolPage) -> bool:
        return page.title in self.titles or len(page.sentences & self.sentences) > _TWIN * len(page.sentences)

    def calendar(self, time: PageTime, statement: PageStatement | None = None) -> PageCalendar:
        """Make the calendar of a page. One that speaks of an earlier make knows no other, and so does one
        that speaks of a later make than that at hand."""
        make, dating = self.case.earlier_make, statement.form.dating if statement else None
        settled = self._needed.settled
        own = {(make.subject, MAKE): month_name(make.newer)} if time.is_newer and make else {}
        if statement and dating and statement.as_of:
            own[statement.subject, dating.changes] = statement.as_of
        if statement and statement.groups.get("sold"):
            own[statement.subject, TERMS] = statement.groups["sold"]
        return PageCalendar(
            seed=self.pool.seed,
            day=self.day(time.age),
            bought=self.case.known_by,
            begun=self.begun,
            fixed=settled if time.is_early else {**settled, **own},
            is_early=time.is_early,
            past=frozenset(key for key, month in own.items() if settled.get(key, month) != month),
            leans_back=self.leans_back,
            stated_of=self.stated_of,
        )


def _of_a_sister(
    thing: NamedThing, taken: list[StatementForm], calendar: PageCalendar, rng: Random
) -> list[PageStatement]:
    """Something of another model of the name: it does not tell what leads astray."""
    edition = other_name("thing", thing.name, rng).removeprefix(f"{thing.brand} {thing.noun}").strip()
    sister = replace(thing, edition=edition)
    apt = [one for one in statements_of(thing.noun) if one.about == "thing" and one not in taken]
    statement = drawn_statement(sister, None, rng, calendar, rng.choice(apt)) if apt else None
    return [statement] if statement and statement.subject != thing.name else []


def says_as_much(page: PoolPage, fact: TaskFact) -> bool:
    """Tell whether a page says of another thing or firm what a fact says. It must be the same value where the same is spoken of."""
    if not stands_in(fact.value, page.folded):
        return False
    called, value = stock().statement(fact.attribute)[0].called, fact.value
    return any(value in passage and called.search(passage) for passage in page.text.split("\n\n"))


def stands_in(value: str, folded: str) -> bool:
    """Tell whether a value stands in a folded text as itself, not as part of a longer figure or word."""
    plain = fold(value)
    at = folded.find(plain)
    while at >= 0:
        end = at + len(plain)
        before, after = folded[at - 1 : at], folded[end : end + 2]
        longer = before.isalnum() or (
            before in (".", ",") and folded[at - 2 : at - 1].isdigit() and plain[0].isdigit()
        )
        if not longer and not after[:1].isalnum() and not (after[:1] in (".", ",") and after[1:].isdigit()):
            return True
        at = folded.find(plain, at + 1)
    return False


def _source(
    fact: TaskFact, statement: PageStatement, kind: ChangeKind, source: CasePage, day: date
) -> PageSource:
    """Choose a source no better than that of the page against which this one is wrong. It is not one who
    answers for the matter, years after, either."""
    if kind not in BEATEN or statement.hearsay:
        return PageSource()
    of = source.known.as_of
    start = month_of(of) if of else sold_from(fact.attribute)
    late = start is not None and (day - start).days > _STANDS
    without = _OWN_VOICES[statement.form.about] if late else ()
    return PageSource(source.known.trust, frozenset(without))


_EARLY = {True: 0.75, False: 0.35}
"""Share of such pages set before the present make, list or price, by whether the task leans to the past. So
neither the most frequent month nor the rarest is the right one, and irrelevant figures vary too."""

_NEWER = 0.4
"""Share of such pages set after the present make, where there is a later one."""


def asides(writer: CasePages) -> Iterator[PoolPage]:
    """Yield asides without end, about the subject of each needed page in turn."""
    case = writer.case
    facts = case.of("page")
    needed = [stock().statement(one.attribute)[0] for one in facts]
    number = 0
    while True:
        fact, label = facts[number % len(facts)], f"aside/{number}"
        rng = Random(f"{writer.seed}/{case.task_id}/{label}")
        time = PageTime(writer.age(fact, rng), rng.random() < _EARLY[writer.leans_back])
        newer = writer.newer_age(rng) if rng.random() < _NEWER else None
        if newer is not None:
            time = PageTime(newer, is_newer=True)
        seller = case.seller if fact.subject == case.seller else None
        statement = drawn_statement(
            case.thing_of(fact),
            seller,
            rng,
            writer.calendar(time),
            avoid=needed,
            like=measures_of(needed),
            of=fact.subject,
        )
        if statement is not None and statement.value not in {one.value for one in case.facts}:
            yield writer.written(fact, plain(statement, rng), label, time, PageSource())[0]
        number += 1
