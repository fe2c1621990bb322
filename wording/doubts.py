"""What else a sentence may speak of than what the records hold: what would be, another choice, the reader's own things, a pace of use."""

from __future__ import annotations

import re
from typing import Literal

from drr.wording.vocabulary import FirstWords, Wordbook, vocabulary

DoubtKind = Literal["conditional", "altered", "owned", "pace", "charged", "others", "unreal"]
KINDS: tuple[DoubtKind, ...] = ("conditional", "altered", "owned", "pace", "charged", "others")


_SIZE = re.compile(r"\$\s?\d|\d\s?%|percent|per cent")
_BESIDE = 24
"""Characters around a charge in which its size stands."""


class DoubtReader:
    def __init__(self, words: Wordbook) -> None:
        some = words.either
        self._kinds = {kind: re.compile(rf"(?<!\w)(?:{some(kind)})(?!\w)", re.I) for kind in KINDS}
        self._met = FirstWords({name: words[name] for name in (*KINDS, "condition", "inverted", "before")})
        self._unreal = re.compile(rf"\b(?:{some('subjunctive')})\b|['’]d\b", re.I)
        self._inverted = re.compile(rf"(?:^|[.;:]\s)[\s*_>-]{{0,6}}(?:{some('inverted')})\s(?=[a-z])", re.I)
        self._condition = re.compile(rf"\b(?:{some('condition')})\b(?!\s(?:{some('chooser')})\b)", re.I)
        charge = rf"(?:any\s|sales\s)?(?:{some('charged')})"
        self._not_charged = re.compile(
            rf"\b(?:{some('before')})\s{charge}(?:(?:,|\sand|\sor)\s{charge}){{0,2}}(?!\w)", re.I
        )

    def says_how_much(self, text: str) -> bool:
        """Whether a charge or a voucher of a text has its size beside it: `a $3 coupon`, `10% off`."""
        found = self._kinds["charged"].finditer(text)
        return any(_SIZE.search(text, max(0, one.start() - _BESIDE), one.end() + _BESIDE) for one in found)

    def doubts(self, text: str) -> dict[DoubtKind, str]:
        """The kinds of doubt in a text, each with the first words that raise it."""
        met = self._met.met(text)
        straight = text.replace("’", "'")
        if "before" in met:
            straight = self._not_charged.sub(" ", straight)
        told = {
            kind: found[0]
            for kind, one in self._kinds.items()
            if kind in met and (found := one.search(straight))
        }
        if "conditional" not in told and "condition" in met and (found := self._condition.search(straight)):
            told["conditional"] = found[0]
        if (
            "conditional" not in told
            and "inverted" in met
            and self._unreal.search(straight)
            and (found := self._inverted.search(straight))
        ):
            told["conditional"] = found[0].strip(" .;:*_>-")
        if "conditional" in told and self._unreal.search(straight):
            told["unreal"] = told["conditional"]
        return told


DOUBTS = DoubtReader(vocabulary("doubts"))
