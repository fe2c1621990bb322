"""The beginnings of what a case needs of pages, and how old those pages are. All of one make, list or price
dates from one month, which each page can know."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property
from random import Random

from drr.papers.dr3.case import TaskCase
from drr.papers.dr3.corpus.astray import changes_of, held_of, is_recall, taken_by
from drr.papers.dr3.corpus.calendar import GAP, TERMS, month_before, month_name
from drr.papers.dr3.corpus.pool import OLDEST, YOUNGEST, dated_age
from drr.papers.dr3.lots import month_of_recall
from drr.papers.dr3.truth import TaskFact
from drr.papers.dr3.values import months_after, sold_from

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
            month_before(
                self.case.today
                - timedelta(
                    age_of(self.case, one)(Random(f"{self.seed}/{self.case.task_id}/supportive/{one.id}"))
                ),
                taken_by(one),
            )
            for one in self.case.of("page")
            if one.subject == fact.subject and changes_of(one) == changes
        ]
        rng = Random(f"{self.seed}/{self.case.task_id}/since/{fact.subject}/{changes}")
        latest = min(*days, by)
        most = _NEWS - (_asked_of(self.case, fact) - latest).days
        return month_name(latest - timedelta(days=rng.randint(0, max(_ALL_TERMS, most))))

    def _known_by(self, fact: TaskFact) -> date:
        """Return the time by which what holds for the case had begun."""
        held = held_of(self.case, fact)
        return month_before(self.case.known_by) if held is None else months_after(held.made, -1)

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
    held = held_of(case, fact)
    return case.known_by if held is None else held.made


def age_of(case: TaskCase, fact: TaskFact) -> Callable[[Random], int]:
    """Return how to draw the age of the page that holds a fact. The page has a date, and speaks of nothing that came later."""
    start = sold_from(fact.attribute)
    recall = _recall_beside(case, fact)
    if recall is not None:
        start = months_after(recall, GAP)
    most = OLDEST if start is None else (case.today - start).days

    news = min(most, (case.today - _asked_of(case, fact)).days + _NEWS)

    def drawn(rng: Random) -> int:
        """Draw an age as for any page, within what was news at the purchase, or is now for the rest. Nobody
        asks today and gets an answer of eight years ago."""
        for _ in range(_TRIES):
            age = dated_age(rng)
            if age <= news:
                return age
        return rng.randint(min(YOUNGEST, news), news)

    return drawn
