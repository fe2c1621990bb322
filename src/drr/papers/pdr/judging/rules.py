"""Scores reports by criteria without a model, by shared words and by the report's surface."""

from __future__ import annotations

from typing import Any

from drr.env.json_object import JsonObject
from drr.eval.asking.conversation import Asking
from drr.eval.evidence.passages import content_stems
from drr.offline.judge import Rules, surface_of
from drr.papers.pdr.judging.forms import CriterionScores

_TOP = 10.0


def words_of_criterion(shown: str, gist: str | None, report: str) -> tuple[float, str]:
    """Return a score of 0 to 10 with its reason. It is the share of a criterion's words in the best line of the report; the explanation (later lines) does not count."""
    wanted = shown.partition("\n")[0] if gist is None else gist
    words = content_stems(wanted)
    if not words:
        return 0.0, "no word of a report shows this to a judge without a model"
    lines = (line for line in report.split("\n") if line.strip())
    share = max((len(words & content_stems(line)) / len(words) for line in lines), default=0.0)
    return _TOP * share, f"a line of the report has {share:.0%} of its words"


def _criteria(asking: Asking[Any]) -> JsonObject:
    """Score each criterion by its surface feature if it has one, else by its words."""
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
