"""Verdicts on a limit that repeat the one before them: `the first at $22.99 fits under $23; the second, $23.99, does as well`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from drr.eval.checks.base import Accusation, Subject
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.money.figures import Figure
from drr.eval.checks.money.generous.places import verdict_places_of
from drr.eval.checks.money.ledger import ledger_of
from drr.eval.checks.residue import residue_of

_ECHO = re.compile(
    r"[\s*_)\],]{0,5}(?:\([^()\n]{0,90}\)[\s*_,]{0,4})?\s?"
    r"(?:(?P<yes>does(?:\sit)?\s(?:as\swell|too|so(?:\stoo)?|also|likewise)|is\s(?:too|as\swell)|does)|(?P<no>does\snot|doesn['’]t|does\snot\seither))"
    r"(?=[\s*_]{0,3}(?:[,.;:)]|$|(?:and|but|though|by)\b))",
    re.I,
)
"""Right behind what something costs."""
_UNREAL = re.compile(
    r"\b(?:if|would|could|might|unless|per|each|apiece|coupon|discount|neither|nor|none|only|together|both|with)\b|\?|%",
    re.I,
)
_LEAST = 0.02


def echoed_verdicts(subject: Subject, mentions: Mentions) -> Iterator[Accusation]:
    """Those that every limit of the verdict before them speaks against."""
    ledger, plain = ledger_of(mentions), mentions.plain
    for told, span in verdict_places_of(mentions).every:
        for figure in ledger.within(told.span[1], span[1]):
            match = _ECHO.match(plain, figure.end, span[1])
            if match is None or not _is_plain(figure) or _UNREAL.search(plain, *span):
                continue
            fits = told.fits is (match["yes"] is not None)
            wrong = [limit for limit in told.limits if (figure.value <= limit) is not fits]
            near = any(abs(figure.value - limit) < _LEAST for limit in told.limits)
            if (
                near
                or len(wrong) < len(told.limits)
                or residue_of(mentions).doubt(span, ("unreal", "charged", "pace"))
            ):
                continue
            shown = " or ".join(f"${limit:,.2f}" for limit in told.limits[:3])
            verb = "keep to" if fits else "break"
            why = f"said {match[0].strip(' ,*_')!r} of ${figure.value:,.2f}, which does not {verb} {shown}"
            yield Accusation("verdict_told", (figure.start, match.end()), why, Certainty.SENTENCE)


def _is_plain(figure: Figure) -> bool:
    return not (figure.void or figure.elsewhere) and figure.cue.kind in ("price", "none", "total")
