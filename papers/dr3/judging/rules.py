"""Rules that grade how deep a report goes, where no model judges."""

from __future__ import annotations

from typing import Any

from drr.env.json_object import JsonObject
from drr.eval.asking.conversation import Asking
from drr.offline.judge import Rules, surface_of
from drr.papers.dr3.judging.forms import DepthGrade


def _depth(asking: Asking[Any]) -> JsonObject:
    """Grade from 1 what the surface shows of depth."""
    surface = surface_of(asking, "answer")
    return {"reason": surface.words_about("depth"), "grade": max(1, int(surface.score("depth") + 0.5))}


RULES: Rules = {DepthGrade: _depth}
