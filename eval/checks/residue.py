"""What of a sentence a rule leaves unread: words of what would be, of other things, of the reader's own, of a pace, and names not in play."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from drr.eval.checks.base import Span
from drr.eval.checks.mentions import Mentions
from drr.wording.dates import CALENDAR, MONTH
from drr.wording.doubts import DOUBTS, DoubtKind

_YOUR_NAME = re.compile(
    rf"\b[Yy]our\s[*_]{{0,2}}(?!(?i:{MONTH}|{CALENDAR.either('weekdays')})\b)(?=[A-Z][a-z])"
)
"""`your Truemere`: something that the reader has; `your October order` names nothing."""
_TOLD: dict[DoubtKind, str] = {
    "conditional": "of what would be",
    "altered": "of another choice",
    "owned": "of what the reader has",
    "pace": "of what is used over a time",
    "charged": "of charges, shares or other money",
    "others": "of other things",
    "unreal": "of what is not so",
}
_UNSEEN: tuple[DoubtKind, ...] = ("conditional", "pace", "charged", "others", "unreal")
"""What no record and no price in sight could show."""
EVERY: frozenset[DoubtKind] = frozenset(_TOLD)
LASTING: tuple[DoubtKind, ...] = ("unreal", "owned", "others")
"""What may be meant by another figure than that of a record, which no wish, pace or other choice alters."""


class Residue:
    """Reads the sentences of a report for what stands in them beside what a rule understands."""

    def __init__(self, mentions: Mentions) -> None:
        self._plain = mentions.plain
        self._doubts: dict[Span, dict[DoubtKind, str]] = {}
        citations = mentions.subject.citations
        is_ours = mentions.subject.is_shop_url
        self._web = [
            one.start
            for one in citations.markers
            if one.url is not None and not one.url.startswith("user:") and not is_ours(one.url)
        ]

    def doubt(self, span: Span, kinds: Iterable[DoubtKind] = EVERY) -> str | None:
        """Why a stretch may speak of something else; `None` where none of its words says so."""
        text = self._plain[slice(*span)]
        if span not in self._doubts:
            self._doubts[span] = DOUBTS.doubts(text)
        found = self._doubts[span]
        for kind in _TOLD:
            if kind in found and kind in kinds:
                return f"{found[kind]!r} may speak {_TOLD[kind]}"
        if "owned" in kinds and (match := _YOUR_NAME.search(text)):
            name = text[match.end() :].split(maxsplit=1)[0]
            return f"your {name!r} may be something that is not in play"
        return None

    def cites_the_web(self, span: Span) -> bool:
        return any(span[0] <= one < span[1] for one in self._web)

    def is_of_the_unseen(self, clause: Span, sentence: Span) -> bool:
        """Whether a clause is about what nothing in sight shows, or its sentence cites a page of the web."""
        doubt = self.doubt(clause)
        return (doubt is not None and is_of_what_is_unseen(doubt)) or self.cites_the_web(sentence)


def is_of_what_is_unseen(doubt: str) -> bool:
    """Whether a doubt is about something that no record and no price in sight shows; that nothing in sight explains a figure then says nothing."""
    return doubt.endswith(tuple(_TOLD[kind] for kind in _UNSEEN))


@lru_cache(maxsize=4)
def residue_of(mentions: Mentions) -> Residue:
    """The residue of a report, read once for the rules that ask."""
    return Residue(mentions)
