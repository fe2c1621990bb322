"""The verdict of a sentence on a limit: kept or broken."""

from __future__ import annotations

import re
from typing import Literal

from drr.wording.money import every_amount
from drr.wording.numbers import SPOKEN, written_number
from drr.wording.vocabulary import Wordbook, vocabulary

Verdict = Literal["fits", "breaks", "open"]
_CONTRACTED = re.compile(r"n[’']t\b", re.I)
_FAR = 60
_FAR_NEITHER = 260
"""Characters before a verdict in which it may be denied, and in which `neither` and `nor` may stand before the names of things."""


class VerdictReader:
    def __init__(self, words: Wordbook) -> None:
        def compiled(expression: str) -> re.Pattern[str]:
            return re.compile(expression, re.I)

        some = words.either
        bare = rf"(?:{SPOKEN}|\d{{1,5}})(?=\s?(?:[,;:)!?—–]|\.(?!\d)|\sby\b|$))"
        amount = rf"{bare}|(?:US)?\$\s?\d[\d,.]{{0,12}}|USD\s?\d[\d,.]{{0,12}}|\d[\d,.]{{0,12}}\s?(?:USD|dollars|bucks)|[a-z]{{3,9}}(?:-[a-z]{{3,5}})?(?:-|\s)dollars?"
        # `fit between $43 and $46` names a range, and no limit.
        limit = rf"(?:(?:your|my|our|the|that|this|its|a|what)\s)?(?:(?!(?:between|from)\s)[a-z]{{1,12}}\s)?(?:(?:{amount})(?:\s(?:{some('limit_nouns')})\b)?|(?:{some('limit_nouns')})\b)|(?:your|my|our)\s(?:{some('own_nouns')})\b"
        limit = rf"(?:{limit})"
        it = r"\sit,?\sby\b"
        near = r"(?:\s(?!(?:between|from)\s)[a-z’',-]{1,16}){0,3}?\s"
        self._fits = compiled(
            rf"\b(?:{some('fits')}){near}{limit}|\b(?:{some('fit_places')})\s{limit}|\b(?:{some('fits_alone')})\b|\b(?:{some('fits')}){it}"
        )
        refuses = rf"\b(?:{some('refuses')})(?=\s?[,.;)]|\s(?:qualify|fit|make|meet|pass|clear|being)\b)"
        self._breaks = compiled(
            rf"\b(?:{some('breaks')}){near}{limit}|\b(?:{some('break_places')})\s{limit}|\b(?:{some('breaks_alone')})\b|\b(?:{some('breaks')}){it}|{refuses}(?!\s?\.?$)"
        )
        self._not = compiled(rf"\b(?:{some('not')})\b(?:(?!\s(?:and|but|yet|so)\s)[^.;:]){{0,24}}$")
        other = r"(?!\b(?:and|but|yet|so|or|it|that|which|while|who|both|all|each)\b)"
        self._neither = compiled(rf"\b(?:neither|nor)\b(?:{other}[^.;:,\n]|\.(?=\d)){{0,200}}$")

    def verdict(self, sentence: str, limit: float | None = None) -> Verdict | None:
        """Read the verdict on a limit, if one is given: another amount that something is over or under is
        none. What would be counts as it is.

        `open` where it says both; `None` where it says neither.
        """
        verdicts: set[Verdict] = set()
        for expression, fitting in ((self._fits, True), (self._breaks, False)):
            for match in expression.finditer(sentence):
                if _names_another(match[0], limit):
                    continue
                verdicts.add(
                    "fits" if fitting is not self._is_denied(sentence[: match.start()]) else "breaks"
                )
        return "open" if len(verdicts) > 1 else next(iter(verdicts), None)

    def _is_denied(self, before: str) -> bool:
        """Tell whether the words before a verdict deny it: `it doesn't quite`."""
        near = _CONTRACTED.sub(" not", before[-_FAR:])
        return (
            self._not.search(near) is not None
            or self._neither.search(before, max(0, len(before) - _FAR_NEITHER)) is not None
        )


def _names_another(said: str, limit: float | None) -> bool:
    """Tell whether an amount is named that is not the limit. A number without a sign is one only if it is the limit."""
    named = every_amount(said)
    if limit is not None and any(not one.equals(limit) for one in named):
        return True
    match = None if named else _BARE.search(said)
    return match is not None and written_number(match[0]) != limit


_BARE = re.compile(rf"(?<![\w$.,])(?:{SPOKEN}|\d{{1,5}})$", re.I)


VERDICTS = VerdictReader(vocabulary("verdicts"))
