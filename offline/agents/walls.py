"""The question whether walls have to stay whole, and the things that are fixed to them."""

from __future__ import annotations

import re

from drr.wording.vocabulary import Wordbook


class WallReader:
    def __init__(self, words: Wordbook) -> None:
        some = words.either
        few = rf"(?:(?!(?:{some('minding')})\b)[\w'-]{{1,20}} {{1,2}}){{0,4}}"
        more, granted = r"(?:[\w'-]{1,20} ){0,5}", some("granted")
        no, fixing, surfaces = some("refusing"), some("fixing"), some("surfaces")
        self._whole = _compiled(
            rf"(?:{no}) {few}(?:{fixing})|(?:{no}) {few}(?:{some('harming')}) {few}(?:{surfaces})"
            rf"|(?:{surfaces}) {few}(?:{some('left_whole')})|(?:{no}) (?:[\w'-]{{1,20}} ){{0,2}}(?:{granted}) {more}(?:{fixing})"
        )
        self._tenancy = _compiled(rf"(?:{some('tenancy')})(?! out\b)")
        self._permitted = _compiled(
            rf"(?:{granted}) {more}(?:{fixing})|(?:{some('permitted')}) (?:[\w'-]{{1,20}} ){{0,2}}(?:{fixing})"
        )
        self._fixed = _compiled(some("fixed"))
        self._unfixed = _compiled(some("unfixed"))

    def spares(self, text: str) -> bool:
        """Tell whether nothing may be fixed to walls: the text says so, or its writer rents and mentions no permission."""
        if self._whole.search(text) is not None:
            return True
        return self._tenancy.search(text) is not None and self._permitted.search(text) is None

    def is_fixed(self, title: str) -> bool:
        """Tell whether a listing names it as a thing that is fixed to a wall."""
        return self._fixed.search(title) is not None and self._unfixed.search(title) is None


def _compiled(expression: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{expression})\b", re.IGNORECASE)
