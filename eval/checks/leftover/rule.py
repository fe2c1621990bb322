"""Rule: no figure is left that nothing in play explains."""

from __future__ import annotations

from drr.eval.checks.base import Accusation, Check, CheckTally, Subject, unverifiable
from drr.eval.checks.cast import cast_of
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.leftover.said import MONEY, FigureKind
from drr.eval.checks.leftover.unnamed import is_of_things_unnamed
from drr.eval.checks.leftover.weighing import LeftFigure, leftover_of
from drr.eval.checks.mentions import Mentions
from drr.wording.money import money

KINDS: dict[FigureKind, str] = {
    "money": "left_amount",
    "unit": "left_unit_cost",
    "rating": "left_stars",
    "ratings": "left_raters",
    "orders": "left_orders",
    "percent": "left_share",
    "multiple": "left_multiple",
    "count": "left_count",
    "measure": "left_measure",
}
"""The kind of statement that a figure makes, in the table of certainties."""
_SUSPECT = 0.3
"""From which chance of being wrong on a figure is named at all."""
_MANY, _SHARE = 4, 0.25
"""So many figures, and such a part of all, that are not understood: the text speaks of something else."""
_DOUBT = "that nothing explains it is no proof"


def figures(subject: Subject, mentions: Mentions) -> Check:
    """Every figure comes from a record, from the question or from figures beside it. What does not, and would with one slip put right, is
    weighed (`accusing`); of any other nobody can say more than that nothing explains it."""
    if subject.shop is None:
        return unverifiable("no shop was given")
    if not cast_of(subject, mentions).products:
        return unverifiable("nothing that the shop sells stands in the report")
    tally = CheckTally()
    every = leftover_of(mentions).figures
    suspect = [one for one in every if one.chance >= _SUSPECT]
    misread = len(suspect) >= _MANY and len(suspect) > _SHARE * len(every)
    for one in every:
        if one.chance < _SUSPECT:
            tally.ok()
            continue
        said = one.said
        why = f"said {mentions.body[said.start : said.end].strip()}, which nothing in play comes to{_meant(one)}"
        if is_of_things_unnamed(mentions, said):
            tally.unclear(f"{why}; its list names nothing, and something of that kind may cost so much")
        elif misread:
            tally.unclear(f"{why}: so many figures would be wrong that the text is more probably misread")
        elif one.meant is None or one.unseen:
            open_ = (
                "its sentence speaks of what is not in sight"
                if one.unseen
                else "nothing says what it should be"
            )
            tally.unclear(f"{why}; {open_}")
        else:
            accused = Accusation(KINDS[said.kind], (said.start, said.end), why, Certainty.INFERRED, _DOUBT)
            tally.doubt(accused, f"{why}: {_DOUBT}")
    return tally.check("the report has no figures")


def _meant(one: LeftFigure) -> str:
    if one.meant is None:
        return ""
    return f"; {money(one.meant) if one.said.kind in MONEY else f'{one.meant:g}'} would be explained"
