"""The question whether a page can lead astray from a fact. A value that decides the same whatever it is needs
no distractor, and so no page."""

from __future__ import annotations

from random import Random

from drr.papers.dr3.corpus.figures import other_value
from drr.papers.dr3.corpus.statement import range_of
from drr.papers.dr3.corpus.stock import stock
from drr.papers.dr3.planning.kinds import kind_of
from drr.papers.dr3.planning.scene import CaseScene
from drr.papers.dr3.reckoning import overturns
from drr.papers.dr3.truth import TaskFact
from drr.papers.dr3.values import FactValues


def can_mislead(fact: TaskFact, facts: list[TaskFact], scene: CaseScene) -> bool:
    """Tell whether another value that such a thing can have would turn the answer. Else no page leads astray from it."""
    rival = scene.rival
    thing = rival if rival is not None and fact.subject.startswith(rival.brand) else scene.owned
    form = stock().statement(fact.attribute)[0]
    within = range_of(form, kind_of(thing.noun))
    said = FactValues.of(facts, scene.today)

    def turned(value: str) -> bool:
        return overturns(said, fact.attribute, value)

    return other_value(fact.value, (), Random(fact.value), turned, within, form.among) is not None
