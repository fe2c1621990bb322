"""How rules score a report under criteria, where no model judges."""

from __future__ import annotations

from typing import Any

from drr.env.json_object import JsonObject
from drr.eval.asking.conversation import Asking
from drr.offline.judge import Rules, surface_of
from drr.papers.pdr.judging.criteria_rules import words_of_criterion
from drr.papers.pdr.judging.forms import CriterionScores


def _criteria(asking: Asking[Any]) -> JsonObject:
    """Grade by words where a criterion has some of its own, else by what the report shows on its surface."""
    report, surface, scores = asking.part("answer"), surface_of(asking, "answer"), []
    for one in asking.sections:
        if one.label != "criterion":
            continue
        if one.surface is not None:
            score, why = surface.score(one.surface), surface.words_about(one.surface)
        else:
            score, why = words_of_criterion(one.shown, one.gist, report)
        scores.append({"id": one.about, "analysis": why, "score": int(score + 0.5)})
    return {"scores": scores}


RULES: Rules = {CriterionScores: _criteria}
