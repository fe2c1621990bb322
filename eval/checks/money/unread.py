"""What is not understood around an amount that nothing explains: the doubts that keep it from being accused."""

from __future__ import annotations

import re

from drr.eval.checks.mentions import Mentions
from drr.eval.checks.money.equations import written_outcomes
from drr.eval.checks.money.figures import Figure
from drr.eval.checks.money.owners import Owners
from drr.eval.checks.money.play import InPlay
from drr.eval.checks.money.worked import Workings
from drr.eval.checks.residue import EVERY, residue_of


class UnreadParts:
    """Asks for each amount what its sentence, and for some kinds its line, holds beside it."""

    def __init__(self, mentions: Mentions, play: InPlay, figures: list[Figure], owners: Owners) -> None:
        self._play = play
        self._owners = owners
        self._lines = mentions.layout.lines
        self._residue = residue_of(mentions)
        self._workings = Workings(play, figures)
        self._outcomes = written_outcomes(mentions)

    def doubt(self, figure: Figure) -> str | None:
        """What its sentence says beside it that is not understood; of a difference and a cost per unit, its line."""
        if figure.start in self._outcomes:
            return "it is the outcome of a sum that is written out"
        kinds = EVERY - {"pace"} if figure.cue.kind == "unit" and figure.cue.word != "period" else EVERY
        settled = self._is_settled(figure)
        if settled:
            kinds -= {"altered", "conditional"}  # two prices that are known differ by what they differ
        doubt = self._residue.doubt(figure.sentence, kinds)
        if doubt is None and figure.cue.kind in ("unit", "gap"):
            line = self._lines[figure.line]
            if len(self._play.within(*figure.sentence)) < 2:
                doubt = self._residue.doubt((line.start, line.end), ["owned"])
        if doubt is None and not settled and self._workings.comes_to(figure):
            return "amounts and numbers beside it come to it"
        if doubt is None and (name := self._play.stranger_in(figure.sentence)):
            return f"it may be of {name}, which is not linked"
        return doubt

    def _is_settled(self, figure: Figure) -> bool:
        """Whether it is said what it is worked out from: a cost per unit of one thing, a difference of the two that are named."""
        if _RANGE.search(self._play.text((figure.sentence[0], figure.start))):
            return False
        if figure.cue.kind == "unit":
            return figure.cue.word != "period" and self._owners.unit_of(figure) is not None
        return figure.cue.kind == "gap" and len(self._play.within(*figure.sentence)) == _TWO


_TWO = 2
_RANGE = re.compile(r"[\w.]\s?(?:-|–|\bor|\bto)\s?$")
"""Before the second end of a range."""
