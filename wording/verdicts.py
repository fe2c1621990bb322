"""Whether a sentence says that something keeps to a limit or breaks it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Literal, NamedTuple

from drr.wording.money import every_amount
from drr.wording.numbers import SPOKEN, number_said
from drr.wording.vocabulary import FirstWords, Wordbook, vocabulary

Verdict = Literal["fits", "breaks", "open"]
_CONTRACTED = re.compile(r"n[’']t\b", re.I)
_FAR = 60
_FAR_NEITHER = 260
"""Characters before a verdict in which it may be denied, and in which `neither` and `nor` may stand before the names of things."""


class VerdictPlace(NamedTuple):
    """Where a text says that something keeps to a limit, or that it does not."""

    start: int
    end: int
    fits: bool
    denied: bool = False
    """It is so by a `not` before the words."""


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
        self._refusal = compiled(some("refuses"))
        self._met = FirstWords(
            {
                "fits": [*words["fits"], *words["fit_places"], *words["fits_alone"]],
                "breaks": [
                    *words["breaks"],
                    *words["break_places"],
                    *words["breaks_alone"],
                    *words["refuses"],
                ],
            }
        )
        self._breaks = compiled(
            rf"\b(?:{some('breaks')}){near}{limit}|\b(?:{some('break_places')})\s{limit}|\b(?:{some('breaks_alone')})\b|\b(?:{some('breaks')}){it}|{refuses}(?!\s?\.?$)"
        )
        self._owned = compiled(
            rf"\b(?:{some('breaks', 'breaks_alone', 'omitted')})\b(?! of)|\b(?:{some('break_places')})\s{limit}"
            rf"|\d\s(?:{some('break_places')})\b|{refuses}"
        )
        self._hints = compiled(rf"\b(?:{some('breaks', 'break_places', 'omitted', 'hints')})\b")
        nouns = rf"(?:the|your|my|our|that|this)\s(?:{some('limit_nouns')})"
        begins = r"(?:(?<=[.;:]\s)|(?<=[—–-]\s))(?:(?:just|still|well)\s)?"
        ends = r"(?=,?\s(?:just|barely|though|easily)\b|[\s*_]{0,3}(?:[.,;)]|$))"
        self._standing = compiled(
            rf"\b{nouns}\s(?:is|stays|remains|was|has\sbeen|gets)\s(?P<not>not\s|never\s)?(?:{some('kept')}|(?P<broken>{some('broken')})){ends}"
            rf"|\b{nouns}\s(?:{some('holds')}){ends}|{begins}(?:{some('fit_places')}|(?P<out>{some('break_places')}))\s{nouns}{ends}"
        )
        self._not = compiled(rf"\b(?:{some('not')})\b(?:(?!\s(?:and|but|yet|so)\s)[^.;:]){{0,24}}$")
        other = r"(?!\b(?:and|but|yet|so|or|it|that|which|while|who|both|all|each)\b)"
        self._neither = compiled(rf"\b(?:neither|nor)\b(?:{other}[^.;:,\n]|\.(?=\d)){{0,200}}$")
        self._none_of = compiled(r"\b(?:none|neither|not\sone)\sof\b(?:[^.;:\n]|\.(?=\d)){0,200}$")
        self._unreal = compiled(rf"\b(?:{some('unreal')})\b")

    def verdict(self, sentence: str, limit: float | None = None, *, would_be: bool = False) -> Verdict | None:
        """`would_be` counts as it is what would hold. On a limit, if one is given: another amount that something is over or under is none. `open` where it says both, or only what would be; `None` where it says neither."""
        fits = breaks = unreal = False
        for expression, fitting in self._told_in(sentence):
            for match in expression.finditer(sentence):
                if _names_another(match[0], limit):
                    continue
                denied = self.is_denied(sentence[: match.start()])
                unreal |= self._unreal.search(_part_of(sentence, match.start())) is not None
                unreal |= self._none_of.search(sentence, 0, match.start()) is not None
                if fitting is not denied:
                    fits = True
                else:
                    breaks = True
        if not (fits or breaks):
            return None
        if (fits and breaks) or (unreal and not would_be):
            return "open"
        return "fits" if fits else "breaks"

    def places(
        self,
        sentence: str,
        limit: float | None = None,
        *,
        would_be: bool = False,
        known: Collection[float] = (),
    ) -> Iterator[VerdictPlace]:
        """Each verdict of a sentence in its order, without those of what would be unless asked for. `known` are limits that a number without a sign may be."""
        found: list[VerdictPlace] = []
        for expression, fitting in self._told_in(sentence):
            for match in expression.finditer(sentence):
                if (
                    self._refusal.fullmatch(match[0])
                    or _names_another(match[0], limit, known)
                    or (not would_be and self._unreal.search(_part_of(sentence, match.start())))
                ):
                    continue
                denied = self.is_denied(sentence[: match.start()])
                found.append(VerdictPlace(*match.span(), fitting is not denied, denied))
        yield from sorted(found)

    def standing(self, text: str, span: tuple[int, int]) -> Iterator[VerdictPlace]:
        """Where a stretch says of a limit itself that it is kept or broken, or of nothing that it is within it: `the limit is met`, `; within the limit.`"""
        for match in self._standing.finditer(text, *span):
            denied = match["not"] is not None
            yield VerdictPlace(
                *match.span(), ((match["broken"] or match["out"]) is None) is not denied, denied
            )

    def _told_in(self, sentence: str) -> list[tuple[re.Pattern[str], bool]]:
        """The expressions that a sentence has any word of, and whether they say that a limit is kept."""
        met = self._met.met(sentence)
        return [
            (one, name == "fits")
            for name, one in (("fits", self._fits), ("breaks", self._breaks))
            if name in met
        ]

    def is_denied(self, before: str) -> bool:
        """Whether what stands before a verdict denies it: `it doesn't quite`."""
        near = _CONTRACTED.sub(" not", before[-_FAR:])
        return (
            self._not.search(near) is not None
            or self._neither.search(before, max(0, len(before) - _FAR_NEITHER)) is not None
        )

    def hints(self, text: str) -> bool:
        """Whether any word of a text may be said of what is too much, whatever else it may be said of."""
        return self._hints.search(text) is not None

    def may_break(self, sentence: str) -> bool:
        """Whether a sentence owns, in whatever way, that a limit is not kept."""
        return self._owned.search(sentence) is not None or self.verdict(sentence) in ("breaks", "open")


def _names_another(said: str, limit: float | None, known: Collection[float] = ()) -> bool:
    """Whether an amount is named that is not the limit; a number without a sign is one only if it is the limit."""
    named = every_amount(said)
    if limit is not None and any(not one.equals(limit) for one in named):
        return True
    match = None if named else _BARE.search(said)
    if match is None:
        return False
    value = number_said(match[0])
    return value != limit and value not in known


_BARE = re.compile(rf"(?<![\w$.,])(?:{SPOKEN}|\d{{1,5}})$", re.I)


def _part_of(sentence: str, place: int) -> str:
    """Between the colons and semicolons around a place."""
    low = max(sentence.rfind(stop, 0, place) for stop in ":;")
    high = min((at for stop in ":;" if (at := sentence.find(stop, place)) >= 0), default=len(sentence))
    return sentence[low + 1 : high]


VERDICTS = VerdictReader(vocabulary("verdicts"))
