"""What a mark at the head of an item or a cell says not to hold: `❌ under $40 ($46.95)`, `❌ sealed battery (it plugs in)`.

Such a mark also stands before what is not advised, and before a reason (`❌ Pawhaven, $28.95`, `❌ over the limit`): what stands behind it is
denied only where it names nothing and speaks against nothing itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from weakref import WeakKeyDictionary

from drr.eval.checks.base import Span
from drr.eval.checks.cast import Cast, cast_of
from drr.eval.checks.mentions import Mentions
from drr.wording.marks import MARKS
from drr.wording.verdicts import VERDICTS

_ENDS = re.compile(r"[(\[;:,!?—–]|\.(?!\d)|\s-\s")
_AGAINST = re.compile(
    r"\b(?:no|not|never|none|neither|without|only|just|too|merely|barely|hardly|lacks?|lacking|missing|misses|fails?|failed)\b|n['’]t\b",
    re.I,
)
"""What speaks against a thing itself: the mark goes with it."""


class MarkedDenials:
    """Of one report."""

    def __init__(self, mentions: Mentions, cast: Cast) -> None:
        self._plain, self._cast = mentions.plain, cast
        self._denied = sorted(
            part
            for line in mentions.layout.lines
            if line.kind not in ("head_row", "rule_row", "elision", "heading")
            for span in (line.cells or [(line.start, line.end)])
            for part in self._of(span)
        )

    def at(self, place: int) -> bool:
        """Whether what stands there is said not to hold."""
        return any(low <= place < high for low, high in self._denied)

    def denies_a_limit(self, span: Span) -> bool:
        """Whether it is said not to hold that a limit is kept."""
        places = VERDICTS.places(self._plain[slice(*span)], would_be=True)
        return any(one.fits and self.at(span[0] + one.start) for one in places)

    def _of(self, span: Span) -> Iterator[Span]:
        head = MARKS.head(self._plain[slice(*span)])
        if head is None or head.affirmed:
            return
        low = span[0] + head.end
        ends = _ENDS.search(self._plain, low, span[1])
        high = span[1] if ends is None else ends.start()
        said = self._plain[low:high]
        if self._cast.within(low, high) or _AGAINST.search(said) or VERDICTS.verdict(said) == "breaks":
            return
        yield low, high


_read: WeakKeyDictionary[Mentions, MarkedDenials] = WeakKeyDictionary()


def marked_denials_of(mentions: Mentions) -> MarkedDenials:
    """Of a report, read once for the rules that ask."""
    if mentions not in _read:
        _read[mentions] = MarkedDenials(mentions, cast_of(mentions.subject, mentions))
    return _read[mentions]
