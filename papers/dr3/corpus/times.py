"""The times of which the pages of a task speak. What it needs is of one month for each make; what leads astray is of others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from functools import cached_property
from random import Random

from drr.papers.dr3.case import HeldMake, TaskCase
from drr.papers.dr3.corpus.calendar import GAP, TERMS, earlier_ones, month_before, month_name, months_seen
from drr.papers.dr3.corpus.others import other_value
from drr.papers.dr3.corpus.pool import OLDEST, YOUNGEST, dated_age
from drr.papers.dr3.corpus.statement import PageStatement, WantedChange, months_taken
from drr.papers.dr3.corpus.stock import MAKE, stock
from drr.papers.dr3.planning.kinds import Range
from drr.papers.dr3.reckoning import overturns, turns
from drr.papers.dr3.truth import ChangeKind, TaskFact
from drr.papers.dr3.values import (
    FactValues,
    lot_before,
    month_of,
    month_of_recall,
    months_after,
    number_of,
    sold_from,
)

BEATEN: frozenset[ChangeKind] = frozenset(["outdated"])
"""Changes against which a page is right because something has changed since: both are sources as good as each other."""
_KINDS: tuple[ChangeKind, ...] = ("one_sided", "wrong_figure", "wrong_figure", "other_model", "other_model")
_DATED_KINDS: tuple[ChangeKind, ...] = ("outdated", "outdated", *_KINDS)
_EARLY_KINDS: tuple[ChangeKind, ...] = ("outdated", "outdated", "one_sided", "other_model", "other_model")
"""Kinds of pages from before the make, list or price that counts: each states an earlier month."""
_OTHER_TERMS, _LATER_TERMS = 0.3, 0.45
"""Shares of statements on other terms: earlier ones, and later ones where there can be any."""
_LATER, _SHORT = 45, 120
"""Days after the purchase from which on pages may speak of terms that came later; where it was no longer ago than so many, of those of the next month."""
_LATER_ONE = 0.4
"""Share of misleading pages that are set later, where that is possible."""
_LATER_ONES = (0, 150, 420)
"""Days after that on which later terms began: of one task they are the same on all its pages."""
_RUMORED = {
    False: ("same", "same", "before", "none", "none"),
    True: ("before", "before", "same", "none", "none"),
}
"""Time of a rumor: its month reveals no more than that of the truth."""
_BEFORE, _EACH = 8, {False: 2, True: 4}
"""Times before the one that counts of which pages can speak, and how many tell the figure of each."""
_SOUGHT = 16
"""Values that are drawn in search of one on a side of what is right."""
_STEPS = {"$": 0.3, "points": 0.25}
"""Relative step to an earlier price, or to an earlier number of a test's points."""
_APART = 700
"""Days at most between the makes of two models of a name."""


@dataclass(frozen=True)
class AstrayTimes:
    """The times that the pages of one task speak of; its distractors are drawn one after the other."""

    case: TaskCase
    seed: int
    pool_seed: int
    begun: dict[tuple[str, str], str]
    """Beginnings that pages of the task state."""
    leans_back: bool = False
    """Most of them speak of what was before."""
    values: dict[tuple[str, str], str] = field(default_factory=dict)
    """Earlier values that were stated, by fact and month."""
    times_chosen: Counter[tuple[str, str]] = field(default_factory=Counter)

    def wanted(self, fact: TaskFact, of: str | None, day: date, rng: Random) -> WantedChange:
        """Return the change that is wanted of a page. A page of any day may have an earlier make, list or
        time at hand, and says of which it speaks; its own date tells nothing. Of terms that hold from a month
        on, what was written after the purchase may speak of later ones. `of`: since when holds what is right."""
        start = sold_from(fact.attribute)
        if start is not None:
            return self._of_terms(fact, start, day, rng)
        if of is None:
            return WantedChange(kind=rng.choice(_KINDS))
        key, took = (fact.subject, str(changes_of(fact))), taken_by(fact)
        early = months_seen(of, day) < took
        kind = rng.choice(_EARLY_KINDS if early else _DATED_KINDS)
        if early or kind == "outdated":
            return WantedChange(kind=kind, as_of=self._before(fact, key, of, day, took * 3 // 2))
        when = rng.choice(_RUMORED[self.leans_back]) if kind == "wrong_figure" else "same"
        if when == "before":
            return WantedChange(
                kind=kind, as_of=earlier_ones(self.pool_seed, key, of, day, took * 3 // 2, 1)[0]
            )
        return WantedChange(kind=kind, as_of=of if when == "same" else None)

    def later(self, fact: TaskFact, rng: Random) -> tuple[int, WantedChange] | None:
        """Draw the age and the change of a page that speaks of what came after what the case goes by. That is
        of purchases after this one, or of the make after the one at hand. `None` where this page is to be
        another, or none can know of it."""
        if rng.random() >= _LATER_ONE:
            return None
        make, start = owned_make(self.case, fact), sold_from(fact.attribute)
        if make is not None:
            most = (self.case.today - months_after(make.newer, GAP + taken_by(fact))).days
            wanted = WantedChange(kind="other_period", as_of=month_name(make.newer))
        elif start is not None:
            first = self._later[0]
            most = (self.case.today - first).days
            wanted = WantedChange(kind="other_period", sold=month_name(first))
        else:
            return None
        return (rng.randint(YOUNGEST, most), wanted) if most >= YOUNGEST else None

    def _of_terms(self, fact: TaskFact, start: date, day: date, rng: Random) -> WantedChange:
        key, month = (fact.subject, TERMS), month_name(start)
        later = [began for began in self._later if began <= day]
        if later and rng.random() < _LATER_TERMS:
            return WantedChange(kind="other_period", sold=month_name(rng.choice(later)))
        if months_seen(month, day) < 0 or rng.random() < _OTHER_TERMS:
            return WantedChange(kind="outdated", sold=self._before(fact, key, month, day, 0))
        kind = rng.choice(_KINDS)
        when = rng.choice(_RUMORED[self.leans_back]) if kind == "wrong_figure" else "same"
        if when == "before":
            return WantedChange(kind=kind, sold=earlier_ones(self.pool_seed, key, month, day, 0, 1)[0])
        return WantedChange(kind=kind, sold=None if when == "same" else "")

    def _before(self, fact: TaskFact, key: tuple[str, str], latest: str, day: date, took: int) -> str:
        """Find the last time before of which a page of the day can know and few pages have spoken. In small
        corpora that is one, in large ones several."""
        choices = earlier_ones(self.pool_seed, key, latest, day, took, _BEFORE)
        free = (one for one in choices if self.times_chosen[fact.id, one] < _EACH[self.leans_back])
        chosen = next(free, choices[-1])
        self.times_chosen[fact.id, chosen] += 1
        return chosen

    @cached_property
    def _later(self) -> list[date]:
        """List months after the purchase in which terms of the seller or maker changed. Where the purchase
        was not long ago, it is the one month that follows it."""
        rng = Random(f"{self.seed}/{self.case.task_id}/later")
        bought = self.case.bought
        if (self.case.today - bought).days < _SHORT:
            return [months_after(bought.replace(day=1), 1)]
        found = [bought + timedelta(days=_LATER + days + rng.randint(0, 90)) for days in _LATER_ONES]
        return [one.replace(day=1) for one in found]

    def again(self, fact: TaskFact, wanted: WantedChange, day: date) -> WantedChange:
        """Use one value for what was before or came later, whichever page says it."""
        value = self.values.get((fact.id, wanted.as_of or wanted.sold or ""))
        if wanted.kind not in _TIMED or value is None or not self._turns(fact, wanted, day, turns)(value):
            return wanted
        return replace(wanted, value=value)

    def kept(
        self, fact: TaskFact, wanted: WantedChange, statement: PageStatement, kind: ChangeKind, day: date
    ) -> PageStatement:
        """Return the statement that comes of a change. Another model has makes and prices of its own."""
        if kind in _TIMED and statement.value:
            self.values.setdefault((fact.id, wanted.as_of or wanted.sold or ""), statement.value)
        if kind != "other_model" or statement.as_of is None:
            return statement
        key = (statement.subject, str(changes_of(fact)))
        days = Random(f"{self.seed}/{self.case.task_id}/{key}/apart").randint(-_APART, _APART)
        took = months_taken(statement.form, statement.value)
        month = min(month_of(statement.as_of) + timedelta(days=days), month_before(day, took))
        own = self.begun.get(key) or month_name(month)
        if months_seen(own, day) < took:
            return replace(statement, as_of=month_name(month_before(day, took)))
        self.begun.setdefault(key, own)
        return replace(statement, as_of=own)

    @cached_property
    def _values(self) -> FactValues:
        return FactValues.of(self.case.facts, self.case.today)

    def another(
        self,
        fact: TaskFact,
        wanted: WantedChange,
        day: date,
        avoid: Collection[str],
        within: Range | None,
        rng: Random,
    ) -> str | None:
        """Draw another value, above the right one as often as below, mostly one that turns the verdict.
        Elsewhere it is one that changes a figure that is asked for."""
        form = stock().statement(fact.attribute)[0]
        right = number_of(fact.value)
        if is_recall(fact) and wanted.kind == "outdated" and wanted.as_of:
            before = f"lots before {fact.value.split()[-1][0]}{lot_before(month_of(wanted.as_of))}"
            return before if self._turns(fact, wanted, day, turns)(before) else None
        if (wanted.kind in _TIMED or wanted.kind == "wrong_figure") and (
            step := _STEPS.get(form.measure)
        ) is not None:
            low, high = within or (0.0, float("inf"))
            within = max(low, right * (1 - step)), min(high, right * (1 + step))
        above = rng.random() < 0.5

        def on_side(turned: Callable[[str], bool]) -> Callable[[str], bool]:
            return lambda value: (number_of(value) > right) == above and turned(value)

        strict = self._turns(fact, wanted, day, overturns)
        loose = self._turns(fact, wanted, day, turns)
        for turned, tries in ((on_side(strict), _SOUGHT), (on_side(loose), _SOUGHT), (strict, _SOUGHT // 2)):
            found = other_value(fact.value, avoid, rng, turned, within, form.among, tries)
            if found is not None:
                return found
        return other_value(fact.value, avoid, rng, loose, within, form.among)

    def _turns(
        self, fact: TaskFact, wanted: WantedChange, day: date, asked: Callable[[FactValues, str, str], bool]
    ) -> Callable[[str], bool]:
        """Make the test of a value that turns the answer. It must be one that somebody can have seen by the day of the page."""
        form = stock().statement(fact.attribute)[0]
        seen = months_seen(wanted.as_of, day) if wanted.as_of else None

        def turned(value: str) -> bool:
            late = seen is not None and months_taken(form, value) > seen
            if late or any(value == one.value for one in self.case.facts):
                return False
            key = (asked.__name__, fact.attribute, value)
            if key not in self._turned:
                self._turned[key] = asked(self._values, fact.attribute, value)
            return self._turned[key]

        return turned

    @cached_property
    def _turned(self) -> dict[tuple[str, str, str], bool]:
        """Keep the results for other values, as a few hundred distractors draw from the same ones."""
        return {}


_TIMED: frozenset[ChangeKind] = frozenset(["outdated", "other_period"])


def owned_make(case: TaskCase, fact: TaskFact) -> HeldMake | None:
    """The make at hand, where a fact is of it and there has been another since."""
    make = case.earlier_make
    return make if make is not None and make.subject == fact.subject and changes_of(fact) == MAKE else None


def is_recall(fact: TaskFact) -> bool:
    return fact.attribute.startswith("lots that are faulty")


def changes_of(fact: TaskFact) -> str | None:
    dating = stock().statement(fact.attribute)[0].dating
    return dating.changes if dating is not None else None


def taken_by(fact: TaskFact) -> int:
    return months_taken(stock().statement(fact.attribute)[0], fact.value)


_TRIES = 40
_ALL_TERMS, _NEWS = 60, 730
"""Days before what the needed pages speak of began, at least, and in which what they say is news."""


@dataclass(frozen=True)
class NeededTimes:
    """The swap of one task."""

    case: TaskCase
    seed: int

    def since(self, fact: TaskFact) -> str:
        """Choose one month for all that pages say of the same make, list or price. It lies before each of
        these pages by as long as what it reports took, and before the purchase."""
        recall = _recall_beside(self.case, fact)
        if recall is not None:
            return month_name(recall)
        changes, by = changes_of(fact), self._known_by(fact)
        days = [
            month_before(self.case.today - timedelta(self.age(one)), taken_by(one))
            for one in self.case.of("page")
            if one.subject == fact.subject and changes_of(one) == changes
        ]
        rng = Random(f"{self.seed}/{self.case.task_id}/since/{fact.subject}/{changes}")
        latest = min(*days, by)
        most = _NEWS - (_asked_of(self.case, fact) - latest).days
        return month_name(latest - timedelta(days=rng.randint(0, max(_ALL_TERMS, most))))

    def age(self, fact: TaskFact) -> int:
        """Return the age of the page that holds a fact."""
        return needed_age(self.case, fact, Random(f"{self.seed}/{self.case.task_id}/supportive/{fact.id}"))

    def _known_by(self, fact: TaskFact) -> date:
        """Return the time by which what holds for the case had begun."""
        make = owned_make(self.case, fact)
        return month_before(self.case.known_by) if make is None else months_after(make.made, -1)

    @cached_property
    def settled(self) -> dict[tuple[str, str], str]:
        """The months of what the case needs, by subject and what changes."""
        facts = self.case.of("page")
        dated = ((fact, changes_of(fact)) for fact in facts)
        terms = ((fact, sold_from(fact.attribute)) for fact in facts)
        return {(fact.subject, changes): self.since(fact) for fact, changes in dated if changes} | {
            (fact.subject, TERMS): month_name(start) for fact, start in terms if start
        }


def _recall_beside(case: TaskCase, fact: TaskFact) -> date | None:
    """The month of the recall that a case needs: what else it needs of that list is of the same."""
    found = [
        one
        for one in case.of("page")
        if is_recall(one) and one.subject == fact.subject and changes_of(one) == changes_of(fact)
    ]
    return month_of_recall(found[0].value) if found else None


def _asked_of(case: TaskCase, fact: TaskFact) -> date:
    """The day of which is what is asked."""
    make = owned_make(case, fact)
    return case.known_by if make is None else make.made


def needed_age(case: TaskCase, fact: TaskFact, rng: Random) -> int:
    """Draw an age as for any page, within what was news at the purchase, or is now for the rest.

    The page has a date, and speaks of nothing that came later. Nobody asks today and gets an answer of eight years ago.
    """
    start = sold_from(fact.attribute)
    recall = _recall_beside(case, fact)
    if recall is not None:
        start = months_after(recall, GAP)
    most = OLDEST if start is None else (case.today - start).days
    news = min(most, (case.today - _asked_of(case, fact)).days + _NEWS)
    for _ in range(_TRIES):
        age = dated_age(rng)
        if age <= news:
            return age
    return rng.randint(min(YOUNGEST, news), news)
