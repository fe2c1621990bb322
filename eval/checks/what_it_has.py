"""Multiples of what another thing has or does: `two hours, half of what the Nuzzleworth manages` is of hours, whatever things cost."""

from __future__ import annotations

import re
from collections.abc import Collection

from drr.eval.checks.base import Span
from drr.eval.checks.leftover.held import HeldAgainst
from drr.eval.checks.measures import MeasureSaid, measures_of
from drr.eval.checks.records import record_text

_WHAT = re.compile(
    r"(?:of\s)?what\s(?:(?!\s(?:costs?|charges?|asks?|sells|goes|lists?|fetches|is|are|was|were)\b)[^,;:.()\n]){1,40}?"
    r"\s(?P<has>has|does|did|had|manages?|lasts?|runs?|holds?|carries|carry|weighs?|delivers?|gives?|offers?|takes?|draws?|uses?|covers?|reach(?:es)?|moves?|puts\sout|gets?"
    r"|makes?|stores?|lifts?|measures?|provides?|boasts?|needs?|throws?|supports?|bears?|cuts?|pumps?|produces?|achieves?|can(?:\s[a-z]{2,10})?)\b",
    re.I,
)
"""Behind a multiple: another thing and what it has, not what it costs."""
_BEHIND_IT = re.compile(
    r"(?:\s(?!(?:and|but|while|with|for|at)\b)[a-z-]{1,12}){0,4}[\s*_)]{0,3}(?:[,;:(–—-]|\s[–—-])?\s?"
    r"(?:(?:which|that|is|it|just|only|about|roughly|around|nearly|almost|some|over|under|more|less|than|well|barely|exactly|not|quite|a|good|or|so)\s){0,4}",
    re.I,
)
"""Between a measure and the multiple that it makes."""


def ratios_to_what_it_has(
    held: HeldAgainst, text: str, multiple: Span, sentence: Span, theirs: Collection[str]
) -> list[float] | None:
    """What the measure right before a multiple and those of the other thing come to; `None` where no such form is said."""
    if _WHAT.match(text, multiple[1]) is None:
        return None
    before = [one for one in held.prose.measures(sentence) if one.end <= multiple[0]]
    if not before or _BEHIND_IT.fullmatch(text, before[-1].end, multiple[0]) is None:
        return None
    own = before[-1]
    return [
        max(own.base, base) / min(own.base, base)
        for key in sorted(theirs)
        for base in _alike(held, key, own)
        if min(own.base, base) > 0
    ]


_LONG = frozenset(("day", "week", "month", "year"))
"""Times for sending something back are no times that it runs."""


def _alike(held: HeldAgainst, key: str, said: MeasureSaid) -> list[float]:
    """What a record measures of the same kind."""
    known = measures_of(record_text(held.known.products[key]))
    return list(
        dict.fromkeys(
            one.base for one in known if one.kind == said.kind and (one.unit in _LONG) is (said.unit in _LONG)
        )
    )
