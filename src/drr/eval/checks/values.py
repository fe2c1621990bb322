"""Reads values that stand alone: a price, stars, a number of ratings, or a label with its value."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple
from unicodedata import category

from drr.eval.checks.results import Span
from drr.wording.figures import number

Field = Literal["price", "stars", "count"]
"""The fields of a product that a label may name, besides the details of its record."""


def word_list(words: str) -> frozenset[str]:
    """Return the words of a list that is written `one|two words|three`."""
    return frozenset(words.split("|"))


_LABELS: dict[Field, frozenset[str]] = {
    "price": word_list(
        "now|today|cost|costs|usd|price/pack|price/set|current cost|$|cost today|asking|cost usd"
    ),
    "stars": word_list(
        "rating|avg rating|average rating|stars|star rating|customer rating|user rating|overall rating|shop rating|rated|average stars|avg|average"
        "|stars / ratings|stars/ratings|rating / ratings|rating / reviews|stars / reviews|rating/reviews|score|average score|customer score"
    ),
    "count": word_list(
        "ratings|reviews|number of ratings|# ratings|# of ratings|no of ratings|rating count|ratings count|review count|number of reviews"
        "|total ratings|customer ratings|reviewers|total reviews|customer reviews|raters|rated by|votes|based on"
    ),
}
_FIELDS = {label: field for field, labels in _LABELS.items() for label in labels}
_PRICE_WORDS = word_list(
    "price|current|unit|today|today's|now|each|item|shop|catalog|listed|per|our|in|usd|dollars"
)
_ASIDES = {*_FIELDS, *_PRICE_WORDS} | word_list("|out of 5|of 5|/5|/ 5|5|max 5|us$|no|n|count|number|x")
"""Words in brackets behind a field's name that leave it that field."""
_BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_MARKS = re.compile(r"[*_`~:.?]|<[^<>]{0,60}>|[^\w\s$%&'/#+-]")
QUANTITY = word_list("qty|quantity|units|how many|pcs")


@lru_cache(maxsize=4096)
def plain_label(text: str) -> str:
    """Return a label without marks, brackets and case."""
    return " ".join(_MARKS.sub(" ", _BRACKETS.sub(" ", text)).casefold().split())


def field_of(label: str) -> Field | None:
    """Return the field of a product that a label names; `None` where it names another thing, or two fields."""
    if label.strip(" *_") and not label.strip(" *_★⭐"):
        return "stars"
    strange = any(plain_label(one[1:-1]) not in _ASIDES for one in _BRACKETS.findall(label))
    if strange or any(category(c) == "Sc" and c != "$" for c in label):  # the shop's own currency is a $ here
        return None
    plain = plain_label(label)
    if "price" in (words := set(plain.split())) and words <= _PRICE_WORDS:
        return "price"
    return _FIELDS.get(plain)


def is_total(label: str) -> bool:
    """Tell whether a label names the sum of the lines above. One with a further word may leave out some of them."""
    return " ".join(_MARKS.sub(" ", label).casefold().split()) in ("total", "grand total", "sum")


def may_count_ratings(label: str, *, behind_stars: bool) -> bool:
    """Tell whether a heading in a table of stars may name their number: `n`, or `Count` right behind the stars."""
    plain = plain_label(label)
    return plain in ("n", "votes", "by", "from") or (behind_stars and plain in ("count", "number", "no", "#"))


_LONGEST = 160  # most characters of a segment that may be a value
_EDGE = " \t*_`\u00a0"
_NEAR = r"(?:about|around|roughly|nearly|almost|over|more than|just over|under|some|~|≈)"
_VERBS = r"(?:is|are|now|currently|still|only|just|has|have|gets?|holds|carries|with|and|at|shows|sits|its|price|priced|listed|comes|earns|here)"
_LEAD = rf"(?:(?:it's|it|this one|this)\s)?(?:{_VERBS}\s)*"
_WHOLE = r"(?:\d{1,3}(?:,\d{3})+|\d{1,7})"
_MONEY = rf"(?:(?:(?:US\s?)?\\?\$|USD)\s?(?P<money>{_WHOLE}(?:\.\d\d)?)(?:\sUSD)?|(?P<usd>\d{{1,7}}(?:\.\d\d)?)\s?(?:USD|dollars))"
_ASKS = r"(?:costs?|price:|sells\s(?:for|at)|lists\sat|goes\sfor|runs)\s"
_PRICE = re.compile(
    rf"{_LEAD}(?:{_ASKS})?{_MONEY}(?:\s(?:each|apiece|today|now|currently|here))?(?:\sfor\s(?!two|three|four|both|all|shipping|an?\b|each|every|\d+\s?(?:of|x))(?:\d[\w .]{{0,20}}|(?-i:[a-z .-]{{1,30}})))?",
    re.I,
)
_BEHIND = (
    r"(?:(?:\s?/\s?5|\sout\sof\s(?:5|five)|\sof\s5)(?![\d,]*\d)(?:\sstars?)?|[\s-]?stars?|\s?[★⭐]{1,5})"
)
_STARS = rf"(?P<near>{_NEAR}\s)?(?:[★⭐]{{1,5}}\s?)?(?P<stars>[0-5](?:\.\d{{1,2}})?)"
_COUNT = rf"(?P<about>{_NEAR}\s)?(?P<count>{_WHOLE})(?P<k>k|\+)?"
_OF = r"(?:customer|verified|user|buyer|global|shopper|total|owner)\s"
_GIVERS = rf"[*_]{{0,2}}\s(?:{_OF})?(?:ratings?|reviews?|reviewers?|raters|buyers|customers|people|shoppers|owners)\b"
_FROM = r"(?:\s?[,;·|/]|\son\saverage)?\s?(?:from|over|across|based\son|by|with|on|and)?\s?"
_RATED = rf"{_LEAD}(?:(?:rated|rating|rating:|averages?|scores|stars:?|an?|of|average)\s)*"
_RATING = re.compile(rf"{_RATED}{_STARS}[*_]{{0,2}}(?:{_BEHIND})(?:{_FROM}{_COUNT}{_GIVERS})?", re.I)
_PAIR = re.compile(rf"{_RATED}{_STARS}\s(?:from|over|across|based\son)\s{_COUNT}{_GIVERS}", re.I)
_SCORED = re.compile(
    rf"{_LEAD}(?:rated|rating|avg\.?|averages?|averaging|scores|stars):?\s(?P<stars>[0-5]\.\d)(?:\sby\s{_COUNT}(?:{_GIVERS})?)?",
    re.I,
)
_STAR_AHEAD = re.compile(r"[★⭐]{1,5}\s?(?P<stars>[0-5](?:\.\d)?)(?P<count>)")
_RATERS = re.compile(rf"{_LEAD}(?:(?:from|based\son|across|rated\sby)\s)?{_COUNT}{_GIVERS}", re.I)
_CELL_COUNT = rf"(?P<count>{_WHOLE})(?:\s(?:ratings?|reviews?|reviewers?))?"
_STARS_CELL = re.compile(
    rf"(?:[★⭐]{{1,5}}\s?)?(?P<stars>[0-5](?:\.\d{{1,2}})?)[*_]{{0,2}}(?:{_BEHIND})?(?:(?:\s?(?![,–-]\d)[(\[/,·|–-]\s?[(\[]?|\s)(?:from\s)?{_CELL_COUNT}[)\]]?)?",
    re.I,
)
_COUNT_CELL = re.compile(_CELL_COUNT, re.I)
_MONEY_CELL = re.compile(rf"{_MONEY}(?:\s(?:each|ea\.?))?", re.I)
_BARE_CELL = re.compile(r"(?P<money>\d{1,3}(?:,\d{3})*\.\d\d)(?P<usd>)")
_COSTS = r"(?:costs|lists\sat|listed\sat|back|runs|goes\sfor|sells\sfor|comes\sto|priced\sat|is\snow|it's|is|price\sis)"
_NO_PRICE = r"(?!\s(?:an?|per|less|more|under|over|off|cheaper|dearer|apart|in|total|together|to|too|above|below|short|away)\b|[\d/]|\.\d|,\d|\s?[-–]\s?\$)"
_STATED_PRICE = re.compile(rf"\b{_COSTS}\s(?:now\s|only\s|just\s)?[*_]{{0,2}}{_MONEY}{_NO_PRICE}", re.I)
_OF_OTHERS = r"(?<!against )(?<!than )(?<!versus )(?<!not )(?<!from )(?<!to )"
_NO_TERM = r"(?<!against )(?<!than )(?<!versus )(?<!not )"
_NO_GAP = (
    r"(?!\s(?:more|less|fewer|better|worse|above|below|higher|lower|apart|up|down|against|than|versus)\b)"
)
_STATED_STARS = re.compile(
    rf"(?<![\w.$])(?<!\d,){_OF_OTHERS}(?P<stars>[0-5](?:\.\d)?){_BEHIND}(?![\w-]){_NO_GAP}(?P<count>)", re.I
)
_STATED_SCORE = re.compile(
    rf"\b(?:rated|averages?|averaging|scores)\s(?P<stars>[0-5]\.\d)(?![\w.%])(?!\sstars?\s[a-z]){_NO_GAP}(?P<count>)",
    re.I,
)
_STATED_COUNT = re.compile(
    rf"(?<![\w.$,]){_NO_TERM}{_COUNT}\s(?:(?:{_OF})?(?:ratings?|reviews?)\b|times\b(?=(?:[^.!?]|\.\d){{0,40}}stars)){_NO_GAP}",
    re.I,
)
_BREAK = r"(?:[*_]{0,3}\s?[:：][*_]{0,3}\s{0,4}|[*_]{0,3}\s[–—-]{1,2}\s|\s?\.{3,}\s?|[*_]{2}\s)"
_LABELLED = re.compile(rf"(?P<label>[^\s:|][^:|\n]{{0,38}}?){_BREAK}(?P<value>[^\s/][^\n]{{0,160}})")
_CUT = re.compile(
    r"\s?[;|·•()\[\]→…]\s?|\s/\s(?!5\b)|,\s|\s[–—-]{1,2}\s|—|\s(?:and|but|while|though)\s|(?<=[\w*])[.!?](?:\s|$)"
)


class SaidValue(NamedTuple):
    """A value that stands alone."""

    field: Field
    value: float
    span: Span
    written: str
    hedged: bool = False
    is_bare: bool = False
    """True if the value is an amount without a mark of its currency."""


class Segment(NamedTuple):
    """A text between two separators, without its marks."""

    start: int
    text: str

    @property
    def end(self) -> int:
        return self.start + len(self.text)


def segment(body: str, start: int, end: int) -> Segment:
    """Strip the marks around a text."""
    text = body[start:end]
    kept = text.lstrip(_EDGE + ":–—-")
    return Segment(start + len(text) - len(kept), kept.rstrip(_EDGE))


def segments(body: str, start: int, end: int) -> Iterator[Segment]:
    """Split a text at commas, dashes, brackets and ends of sentences, without empty segments."""
    low = start
    for match in _CUT.finditer(body, start, end):
        if (one := segment(body, low, match.start())).text:
            yield one
        low = match.end()
    if (one := segment(body, low, end)).text:
        yield one


def values_of(one: Segment) -> list[SaidValue]:
    """Read a segment that is only one value, or two that belong together (`4.6 stars from 62 ratings`)."""
    if len(one.text) > _LONGEST:
        return []
    if match := _PRICE.fullmatch(one.text):
        return [_money(match, one.start)]
    for pattern in (_RATING, _PAIR, _SCORED, _STAR_AHEAD):
        if match := pattern.fullmatch(one.text):
            return list(_rating(match, one.start))
    if match := _RATERS.fullmatch(one.text):
        return [_count(match, one.start)]
    return []


def stars_and_votes(
    body: str, start: int, end: int, votes: int | None, *, marked: bool = False
) -> list[SaidValue]:
    """Read `4.3★ (71)`, and `4.3 (71)` where a heading is the mark or the product has that many ratings.

    A small number may be a rank or a note, and one of four digits a year.
    """
    match = _STARS_AND_VOTES.match(body, start, end)
    found = [] if match is None else list(_rating(match, start=0))
    if match is None or found[1].value == votes:
        return found
    may_count = found[1].value >= _VOTES and not is_year(match["count"])
    return found if may_count and (marked or match["mark"]) else []


def is_year(digits: str) -> bool:
    """Tell whether digits may be a year of today's calendars."""
    return len(digits) == 4 and digits[:2] in ("19", "20")


def is_of_stars(label: str) -> bool:
    """Tell whether a label names stars, whatever it says in brackets."""
    return field_of(_BRACKETS.sub(" ", label)) == "stars"


_STARS_AND_VOTES = re.compile(
    rf"(?P<stars>[0-5]\.\d)(?P<mark>{_BEHIND})?[*_]{{0,2}}\s?\((?P<count>{_WHOLE})\)",
    re.I,
)
_VOTES = 10  # fewest ratings in brackets that are no rank


def bare_stars(one: Segment, behind: Sequence[Segment]) -> list[SaidValue]:
    """Read bare stars, such as `4.6`, right before a number of ratings."""
    is_counted = any(value.field == "count" for each in behind for value in values_of(each))
    if not is_counted or _TENTH.fullmatch(one.text) is None:
        return []
    return [SaidValue("stars", float(one.text), (one.start, one.end), one.text)]


_TENTH = re.compile(r"[0-5]\.\d")


def split_label(one: Segment) -> tuple[str, Segment] | None:
    """Split `Price: $21.99` into label and value."""
    match = _LABELLED.fullmatch(one.text)
    if match is None:
        return None
    value = segment(one.text, match.start("value"), len(one.text))
    return match["label"].strip(_EDGE), Segment(one.start + value.start, value.text)


def stated_values(body: str, start: int, end: int) -> list[SaidValue]:
    """Return the price, stars and number of ratings in a sentence about one product, each where it occurs once."""
    found: list[SaidValue] = []
    for pattern in (_STATED_PRICE, _STATED_STARS, _STATED_SCORE, _STATED_COUNT):
        matches = list(pattern.finditer(body, start, end))
        if len(matches) == 1 and pattern is _STATED_PRICE:
            found.append(_money(matches[0], 0))
        elif len(matches) == 1 and pattern is _STATED_COUNT:
            found.append(_count(matches[0], 0))
        elif len(matches) == 1 and not any(one.field == "stars" for one in found):
            found += _rating(matches[0], 0)
    return found


def cell_values(field: Field, one: Segment) -> list[SaidValue]:
    """Read the value below a label: a whole price, stars with or without a count, or a count."""
    if field == "price":
        bare = _BARE_CELL.fullmatch(one.text)
        match = _MONEY_CELL.fullmatch(one.text) or bare
        return [] if match is None else [_money(match, one.start)._replace(is_bare=bare is not None)]
    if field == "count":
        match = _COUNT_CELL.fullmatch(one.text)
        return [] if match is None else [_count(match, one.start)]
    match = _STARS_CELL.fullmatch(one.text)
    return [] if match is None else list(_rating(match, one.start))


def pairs_of(body: str) -> Iterator[tuple[SaidValue, SaidValue]]:
    """Yield stars and numbers of ratings that stand side by side."""
    for pattern in (_SIDE_BY_SIDE, _STAR_FIRST, _COUNT_FIRST):
        for match in pattern.finditer(body):
            stars, *count = _rating(match, 0)
            yield stars, count[0]


_STAR_FIRST = re.compile(rf"[★⭐]\s?(?P<stars>[0-5]\.\d)\s?[·,|(/]\s?{_COUNT}{_GIVERS}{_NO_GAP}", re.I)
_COUNT_FIRST = re.compile(
    rf"(?<![\w.$,]){_COUNT}\s(?:ratings|reviews)\s(?:averaging|averaged at)\s(?P<stars>[0-5]\.\d)(?!\d)", re.I
)
_SIDE_BY_SIDE = re.compile(
    rf"(?<![\w.$])(?<!\d,){_STARS}(?:{_BEHIND})(?:{_FROM}|\s?\(){_COUNT}{_GIVERS}{_NO_GAP}", re.I
)


def _money(match: re.Match[str], start: int) -> SaidValue:
    name = "money" if match["money"] else "usd"
    low, high = match.span(name)
    return SaidValue("price", number(match[name]), (start + low, start + high), f"${match[name]}")


def _rating(match: re.Match[str], start: int) -> Iterator[SaidValue]:
    low, high = match.span("stars")
    hedged = bool(match.groupdict().get("near"))
    yield SaidValue("stars", float(match["stars"]), (start + low, start + high), match["stars"], hedged)
    if match["count"]:
        yield _count(match, start)


def _count(match: re.Match[str], start: int) -> SaidValue:
    groups = match.groupdict()
    low, high = match.span("count")
    hedged = bool(groups.get("about") or groups.get("k"))
    return SaidValue("count", number(match["count"]), (start + low, start + high), match["count"], hedged)
