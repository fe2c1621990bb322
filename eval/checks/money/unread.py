"""What is not understood around an amount that nothing explains: the doubts that keep it from being accused."""

from __future__ import annotations

import re
from collections.abc import Iterator

from drr.eval.checks.cast import cast_of
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.money.equations import written_outcomes
from drr.eval.checks.money.figures import Figure
from drr.eval.checks.money.owners import Owners
from drr.eval.checks.money.play import InPlay, stranger_beside
from drr.eval.checks.money.readings import FEW_PRICES
from drr.eval.checks.money.worked import Workings
from drr.eval.checks.residue import EVERY, residue_of


class UnreadParts:
    """Asks for each amount what its sentence, and for some kinds its line, holds beside it."""

    def __init__(self, mentions: Mentions, play: InPlay, figures: list[Figure], owners: Owners) -> None:
        self._play = play
        self._figures = figures
        self._cast = cast_of(mentions.subject, mentions)
        self._owners = owners
        self._lines = mentions.layout.lines
        self._residue = residue_of(mentions)
        self._workings = Workings(play, figures)
        self._outcomes = written_outcomes(mentions)

    def doubt(self, figure: Figure, *, placed: bool = False, against: bool = False) -> str | None:
        """What its sentence says beside it that is not understood; of a difference and a cost per unit, its line. What is `placed` is of what its clause names, whatever else is named and said; what is held `against` other people's money speaks of it."""
        if figure.start in self._outcomes:
            return "it is the outcome of a sum that is written out"
        kinds = EVERY - {"pace"} if figure.cue.kind == "unit" and figure.cue.word != "period" else EVERY
        settled = self._is_settled(figure)
        if settled or (self._is_worked_out(figure) and figure.cue.kind != "rest"):
            kinds -= {"altered", "conditional"}  # what prices are, add up to and differ by no choice alters
        if figure.cue.kind == "gap" and self._play.shares(self._play.block(figure.line, figure.start)):
            kinds -= {"charged"}  # how much is taken off is said, and was tried
        if figure.exact and figure.cue.kind in ("total", "rest"):
            kinds -= {"owned"}
        if against:
            kinds -= {"others"}
        doubt = self._residue.doubt(figure.sentence, kinds)
        if doubt is None and figure.cue.kind in ("unit", "gap"):
            line = self._lines[figure.line]
            if len(self._play.within(*figure.sentence)) < 2:
                doubt = self._residue.doubt((line.start, line.end), ["owned"])
        if placed:
            return doubt
        if doubt is None and not settled and self._comes_to(figure):
            return "amounts and numbers beside it come to it"
        if doubt is None and (name := stranger_beside(self._play, figure.end, figure.sentence)):
            return f"it may be of {name}, which is not linked"
        return doubt

    def _is_worked_out(self, figure: Figure) -> bool:
        """Whether it is a sum, a rest or a difference to the cent, beside so few products that every way to swap them was tried."""
        few = len(self._play.near(figure.line)) <= FEW_PRICES
        return few and figure.exact and figure.cue.kind in ("total", "rest", "gap")

    def _comes_to(self, figure: Figure) -> bool:
        """Of what is worked out to the cent, from what its own sentence says only."""
        return self._workings.comes_to(figure, whole=self._is_worked_out(figure))

    def _is_settled(self, figure: Figure) -> bool:
        """Whether it is said what it is worked out from: a cost per unit of one thing, a difference of the two that are named."""
        if _RANGE.search(self._play.text((figure.sentence[0], figure.start))):
            return False
        if figure.cue.kind == "unit":
            return figure.cue.word != "period" and self._owners.unit_of(figure) is not None
        if figure.cue.kind != "gap":
            return False
        said = self._prices_of(figure)
        return bool(said) and not any(figure.holds(one) for one in self._differences(figure, said))

    def _prices_of(self, figure: Figure) -> list[float]:
        """What that costs which is held against something: what its sentence names, or the price right beside it."""
        named = {key for one in self._cast.within(*figure.sentence) for key in one.products}
        known = {one.product_id: one.price for one in self._play.all}
        found = [known[key] for key in sorted(named & known.keys())]
        near = [
            one.value
            for one in self._figures
            if one.start != figure.start
            and -_BESIDE < one.start - figure.end < _BESIDE
            and any(one.holds(price) for price in known.values())
        ]
        return found if 0 < len(found) <= _FEW else near[:1]

    def _differences(self, figure: Figure, said: list[float]) -> Iterator[float]:
        """From each of these to anything that is in play, several of it too, or said on its line."""
        line = self._lines[figure.line]
        many = [1, *self._play.quantities((line.start, line.end))]
        others = [one.price * count for one in self._play.all for count in many]
        others += [one.value for one in self._figures if line.start <= one.start < line.end and one != figure]
        others += self._play.limits
        yield from (abs(one * count - other) for one in said for count in many for other in others)


_FEW = 3
_BESIDE = 24
"""Characters between a difference and the price that it is one to."""
_RANGE = re.compile(r"[\w.]\s?(?:-|–|\bor|\bto)\s?$")
"""Before the second end of a range."""
