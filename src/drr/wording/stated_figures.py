"""Finds the figures of a sentence, and checks whether other texts have them beside the same word.

If a text may hold only figures of its sources, none may be missed: every possible figure counts as one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from drr.wording.dates import dates
from drr.wording.figures import SPOKEN, UNITS, WHOLE, number, written_number
from drr.wording.money import amounts
from drr.wording.quantities import quantities
from drr.wording.vocabulary import Wordbook, vocabulary

Place = tuple[int, int]
_DECIMAL = r"(?<![\w.,$€£¥x×/-])[1-5]\.\d{1,2}(?![\w%]|[.,:/-]\d)"
_ONE = r"(?:zero|one|two|three|four|five|six|seven|eight|nine)"


class RatingReader:
    """Finds figures of ratings in one sentence, or one table cell, at a time."""

    def __init__(self, words: Wordbook) -> None:
        some = words.either
        stars = rf"(?:(?<![\w.,$€£-])[0-5](?:\.\d{{1,2}})?|{_ONE}[\s-]point[\s-]{_ONE})[\s-]{{0,2}}(?:{some('stars')})(?!\w)"
        announced = rf"(?<!\w)(?:{some('before')})(?!\w)[^\d.;:!?\n$]{{0,34}}[:\s]\W{{0,3}}(?P<n>{_DECIMAL})"
        counted = rf"{_DECIMAL}[\s*_]{{0,3}}(?:\((?:n\s?=\s?)?{WHOLE}\)|,?\s(?:{some('of_some')})\s(?:{WHOLE}|{SPOKEN})\b)"
        count = rf"(?<![\w.$€£,/-])(?:{WHOLE}\+?|{SPOKEN})[\s*_-]{{1,3}}(?:(?:{some('kinds')})\s){{0,2}}(?:{some('given', 'givers')})\b"
        self._forms = [
            re.compile(form, re.I)
            for form in (stars, announced, counted, rf"{_DECIMAL}\s(?:{some('behind')})\b", count)
        ]

    def places(self, text: str) -> Iterator[Place]:
        """Yield the place of each figure of a rating: stars, and the number of ratings."""
        for form in self._forms:
            for match in form.finditer(text):
                yield match.span("n") if "n" in form.groupindex else match.span()


RATINGS = RatingReader(vocabulary("ratings"))


Kind = Literal["money", "rating", "date", "number"]
_DIGITS = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")
_SMALL = 12
"""Numbers in words up to this one, without a unit, are a manner of speaking: two of them, one for each room."""
_WORD = re.compile(r"[A-Za-z%°\"']+")
_NO_NEIGHBOURS = frozenset(("to", "or", "and", "by", "x", "about", "of", "a", "an", "the"))
_NEAR = 16
"""Characters within which the word beside a figure must begin."""


class StatedFigure(NamedTuple):
    kind: Kind
    start: int
    end: int
    value: float | None
    """The figure's value; `None` for words that are no number by themselves."""


class StatedReader:
    def __init__(self, words: Wordbook) -> None:
        signs, currencies = words.either("signs"), words.either("currencies")
        self._signed = re.compile(
            rf"(?:{signs})\s?[\d.,]*\d|(?<![\d.,])[\d.,]*+(?<=\d)\s?(?:{signs}|(?:{currencies})\b)|\b(?:{SPOKEN})[\s-](?:{currencies})\b",
            re.I,
        )
        self._large = re.compile(rf"\b(?:{words.either('large', 'parts')})\b", re.I)
        self._measured = re.compile(rf"[\s-]{{1,3}}(?:{words.either('measured')})\b", re.I)
        self._of_five = re.compile(r"\b\d(?:\.\d+)?\s?(?:/\s?5|out of (?:5|five))(?!\d)", re.I)

    def figures(self, text: str) -> list[StatedFigure]:
        """Return each figure once, in order; of overlapping readings, the most complete."""
        found: list[StatedFigure] = []
        for one in self._all_figures(text):
            if not any(one.start < other.end and other.start < one.end for other in found):
                found.append(one)
        return sorted(found, key=lambda one: one.start)

    def _all_figures(self, text: str) -> Iterator[StatedFigure]:
        every = quantities(text)
        for one in every:
            if one.kind == "money" and one.unit is None:
                yield StatedFigure("money", one.start, one.end, one.value)
        for match in self._signed.finditer(text):
            yield StatedFigure("money", *match.span(), None)
        for match in self._of_five.finditer(text):
            yield StatedFigure("rating", *match.span(), None)
        for place in RATINGS.places(text):
            yield StatedFigure("rating", *place, None)
        for when in dates(text, 0, len(text)):
            if when.month is not None:
                yield StatedFigure("date", when.start, when.end, None)
        for match in _DIGITS.finditer(text):
            yield StatedFigure("number", *match.span(), number(match[0]))
        for one in every:
            measured = one.unit is not None or self._measured.match(text, one.stop)
            if one.in_words and (one.value > _SMALL or measured):
                yield StatedFigure("number", one.start, one.stop, one.value)
        for match in self._large.finditer(text):
            yield StatedFigure("number", *match.span(), None)


class HeldFigures:
    """The figures of some texts, each with the words beside it."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._beside: dict[float, set[str]] = {}
        self._days: set[tuple[int, int | None, int | None]] = set()
        for text in texts:
            self._read(text)

    def _read(self, text: str) -> None:
        for match in _DIGITS.finditer(text):
            self._beside.setdefault(number(match[0]), set()).update(_neighbours(text, *match.span()))
        for one in quantities(text):
            if one.in_words:
                self._beside.setdefault(one.value, set()).update(_neighbours(text, one.start, one.stop))
        for when in dates(text, 0, len(text)):
            self._days |= {(when.year, when.month, when.day), (when.year, when.month, None)}

    def has(self, text: str, figure: StatedFigure) -> bool:
        """Tell whether the texts have the same number beside the same word, or the same day. Amounts and ratings never match: they are checked by product."""
        if figure.kind == "date":
            days = [(one.year, one.month, one.day) for one in dates(text, figure.start, figure.end)]
            return bool(days) and all(one in self._days for one in days)
        if figure.kind != "number" or figure.value is None or figure.value not in self._beside:
            return False
        return bool(_neighbours(text, figure.start, figure.end) & self._beside[figure.value])


def _neighbours(text: str, start: int, end: int) -> set[str]:
    """Return the significant words directly after and before a figure."""
    after = _first(_WORD.finditer(text, end, min(len(text), end + 3 * _NEAR)), end)
    before = _last(list(_WORD.finditer(text, max(0, start - 2 * _NEAR), start)), start)
    return {word for word in (after, before) if word}


def _first(matches: Iterable[re.Match[str]], end: int) -> str | None:
    for match in matches:
        if match[0].casefold() not in _NO_NEIGHBOURS:
            return ">" + _stem(match[0]) if match.start() - end <= _NEAR else None
    return None


def _last(matches: Sequence[re.Match[str]], start: int) -> str | None:
    for match in reversed(matches):
        if match[0].casefold() not in _NO_NEIGHBOURS:
            return "<" + _stem(match[0]) if start - match.end() <= _NEAR else None
    return None


def _stem(word: str) -> str:
    unit = UNITS.named(word)
    if unit is not None:
        return unit.name
    word = word.casefold().strip("'\"")
    return word[:-2] if word.endswith("es") and len(word) > 4 else word.removesuffix("s")


def without_figures(text: str, found: Sequence[StatedFigure], instead: str) -> str:
    """Return the text with `instead` in place of these figures."""
    for one in sorted(found, key=lambda one: -one.start):
        text = f"{text[: one.start]}{instead}{text[one.end :]}"
    return text


STATED = StatedReader(vocabulary("stated"))


Verdict = Literal["fits", "breaks", "open"]
_CONTRACTED = re.compile(r"n[’']t\b", re.I)
_FAR = 60
_FAR_NEITHER = 260
"""Characters before a verdict in which `neither` and `nor` may deny it; names of things may stand between."""


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
        """Return whether a sentence says that something fits or breaks a limit. If a limit is given, a verdict on another amount does
        not count. Conditional statements ("would be") count.

        `open` if the sentence says both; `None` if it says neither.
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


def _names_another(text: str, limit: float | None) -> bool:
    """Tell whether a text names an amount other than the limit. A number without a sign counts as an amount only if it differs from the limit."""
    named = amounts(text)
    if limit is not None and any(not one.equals(limit) for one in named):
        return True
    match = None if named else _BARE.search(text)
    return match is not None and written_number(match[0]) != limit


_BARE = re.compile(rf"(?<![\w$.,])(?:{SPOKEN}|\d{{1,5}})$", re.I)


VERDICTS = VerdictReader(vocabulary("verdicts"))


_MANY = r"more|fewer|most|fewest"
_DEGREES = r"highest|best|lowest|worst"


class ComparisonReader:
    """Finds comparisons in one sentence at a time."""

    def __init__(self, words: Wordbook) -> None:
        some = words.either
        nouns = rf"(?:average\s|customer\s)?(?:{some('rating_nouns', 'price_nouns')})"
        self._said = re.compile(
            rf"\b(?:{some('words')}|(?:{some('degrees')}|{_DEGREES})\s{nouns}|(?:{_MANY})\s(?:customer\s|total\s)?(?:{some('count_nouns')}))\b",
            re.I,
        )

    def compares(self, sentence: str) -> bool:
        return self._said.search(sentence) is not None


COMPARISONS = ComparisonReader(vocabulary("comparisons"))
