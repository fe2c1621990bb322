"""What is not understood around an amount that nothing explains: the doubts that keep it from being accused."""

from __future__ import annotations

from drr.eval.checks.mentions import Mentions
from drr.eval.checks.money.equations import written_outcomes
from drr.eval.checks.money.figures import Figure
from drr.eval.checks.money.play import InPlay
from drr.eval.checks.money.worked import Workings
from drr.eval.checks.residue import EVERY, residue_of


class UnreadParts:
    """Asks for each amount what its sentence, and for some kinds its line, holds beside it."""

    def __init__(self, mentions: Mentions, play: InPlay, figures: list[Figure]) -> None:
        self._play = play
        self._lines = mentions.layout.lines
        self._residue = residue_of(mentions)
        self._workings = Workings(play, figures)
        self._outcomes = written_outcomes(mentions)

    def doubt(self, figure: Figure) -> str | None:
        """What its sentence says beside it that is not understood; of a difference and a cost per unit, its line."""
        if figure.start in self._outcomes:
            return "it is the outcome of a sum that is written out"
        kinds = EVERY - {"pace"} if figure.cue.kind == "unit" and figure.cue.word != "period" else EVERY
        doubt = self._residue.doubt(figure.sentence, kinds)
        if doubt is None and figure.cue.kind in ("unit", "gap"):
            line = self._lines[figure.line]
            if len(self._play.within(*figure.sentence)) < 2:
                doubt = self._residue.doubt((line.start, line.end), ["owned"])
        if doubt is None and self._workings.comes_to(figure):
            return "amounts and numbers beside it come to it"
        if doubt is None and (name := self._play.stranger_in(figure.sentence)):
            return f"it may be of {name}, which is not linked"
        return doubt
