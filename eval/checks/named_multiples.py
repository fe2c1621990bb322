"""How many times one thing is said to be another where both are named, or where the figure that is so many times something stands right before it.

`The Foolscap costs more than three times what the Bluepoint does`: only the two are asked, by all that they may be held against each other by. `From 445, more
than ten times the crowd`: that figure, and every other of its kind in sight. What else the sentence tells (of orders, of years) does not matter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import product

from drr.eval.checks.base import Accusation, Span
from drr.eval.checks.cast import Cast
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.considered.ratios import RatioSaid, ratios_said
from drr.eval.checks.in_text.cells import told_of_both
from drr.eval.checks.leftover.held import HeldAgainst
from drr.eval.checks.leftover.said import MONEY, SaidFigure
from drr.eval.checks.leftover.sight import sight_of
from drr.eval.checks.makers import PlaceNamed, linked_by
from drr.eval.checks.measures import measures_of
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.money.packs import record_divisors
from drr.eval.checks.records import record_text
from drr.eval.checks.residue import residue_of
from drr.eval.checks.spoken_of import one_spoken_of
from drr.wording.cues import CUES

_TO_NAME = re.compile(
    r"\s(?:as\s(?P<adj>[a-z]{3,12})\s(?:[a-z]{2,12}\s){0,3}as\s|the\s(?P<noun>[a-z]{3,12})(?:\s[a-z]{2,12}){0,2}\sof\s|of\s|what\s|that\sof\s|(?=the\s|its\s|your\s))?(?:the\s|your\s|its\s|that\s|of\s|a\s){0,2}[*_\[(]{0,4}",
    re.I,
)
"""Between a multiple and the name of what it is so many times."""
_COSTS = re.compile(
    r"\b(?:costs?|asks?|is\spriced|sells\sfor|comes\sto|you\spay|charges?)\s(?:[a-z]{2,10}\s){0,4}$", re.I
)
_PRICE = re.compile(r"\b(?:dear|expensive|pricey|costly|price|cost|rate|money|bill|outlay)\b|^\swhat\b", re.I)
_RATED = re.compile(r"\b(?:ratings|reviews|raters|reviewers|votes|voters|people|crowd|often)\b", re.I)
_UNREAL = re.compile(
    r"\b(?:if|would|could|might|(?-i:may)|should|unless|were|used\sto|probably|perhaps|not|never|no|neither|nor|hardly|elsewhere|online|usually|(?<!as\s)often|until|without|together|combined|both|pair|plus|total|sum|each|bought|spent|spend|orders)\b|n['’]t\b|\?",
    re.I,
)
_OF_THAT = re.compile(
    r"\s(?:(?:of\s)?(?:it|that|this)\b|as\s(?:much|many|often)\b(?!\sas\b)|the\s(?:crowd|number|price|money|cost)\b(?!\sof\b)|of\sits\sprice\b)",
    re.I,
)
_OF_NUMBER = re.compile(
    r"\s(?:of\s)?(?:(?:as|the)\s)?(?:many\b(?!\s(?:dollars|cents|bucks)\b)|often\b|crowd\b|number\b|(?:as\smuch\s)?(?:ratings|reviews|raters|reviewers|votes|voters|buyers|people)\b)",
    re.I,
)
_OF_MONEY = re.compile(
    r"\s(?:of\s)?(?:the\s(?:price|money|cost)\b|as\s(?:dear|expensive|pricey|costly)\b|its\sprice\b|as\smany\s(?:dollars|cents|bucks)\b)",
    re.I,
)
"""Behind a multiple: of what it is one."""
_COUNTED = re.compile(
    r"\s(?:as\smany|(?:of\s)?the(?:\snumber\sof)?)\s(?P<thing>people|ratings|reviews|raters|reviewers|votes|voters|buyers|owners|crowd)\b",
    re.I,
)
_AGAINST = re.compile(
    r"\s(?:[a-z]{1,16}\s){0,2}(?:against|to|versus|vs\.?|instead\sof|rather\sthan)\s(?:the\s|its\s|only\s|just\s){0,2}[*_]{0,3}",
    re.I,
)
_PEOPLE = frozenset(
    ("people", "rating", "review", "rater", "reviewer", "vote", "voter", "buyer", "owner", "crowd")
)
"""Who rates a thing, as they are counted."""
_LED = re.compile(
    r"(?:\s(?:ratings|reviews|raters|votes|people|stars|opinions|in\sall))?[\s*_)]{0,3}(?:[,;—–-]|\s[—–-])\s?(?:(?:which\sis|so|or|and|that\sis|i\.e\.|just|well|fully|easily|roughly|about|around|nearly|almost|over|under|exactly|only|a\slittle|a\sbit|a\sshade|more\sthan|less\sthan|not\squite|close\sto|some|barely)\s){0,4}",
    re.I,
)
"""Between a figure and the multiple that it makes."""
_THAN = re.compile(r"\b(?:more|less|better|rather\smore)\sthan\s$", re.I)
_BARE = re.compile(r"\s(?:the\s|your\s|its\s)?[*_\[(]{0,4}$", re.I)
"""Between a multiple and a name, where nothing says that it is one: `five times the chews` is also how often."""
_VERB = re.compile(
    r"\b(?:is|are|costs?|asks?|has|holds|gives|gets|lasts|weighs|runs|moves|makes|comes\sto|that['’]s|at)\s(?:[a-z]{2,12}\s){0,4}$|[\d¢][^.;:!?()]{0,24},\s(?:[a-z]{2,12}\s){0,4}$",
    re.I,
)
_OF_WHAT = re.compile(
    r"\sas\s(?:dear|expensive|pricey|costly|long|heavy|bright|thick|wide|tall)\b(?!\sas\b|\sagain\b)|\sthe\sprice\b(?!\sof\b)",
    re.I,
)
_SHORT = 16
_BACK, _MOST, _TWO = 900, 30, 2
_EVER, _FAR = 1e9, 1.7
"""What is more than so many times something may be by however much where both are named; two figures so much farther apart are not meant."""
_LONG: dict[str, tuple[str, ...]] = {
    "long": ("length", "time"),
    "heavy": ("weight",),
    "bright": ("light",),
    "thick": ("length", "thickness"),
    "wide": ("length",),
    "tall": ("length",),
}
_LIMITS = {"exact": (0.9, 1.12), "near": (0.85, 1.15), "less": (0.0, 1.015)}


def misread_named_multiples(mentions: Mentions) -> Iterator[Accusation]:
    """Multiples that nothing of the two that are named, or nothing beside the figure right before it, comes to."""
    text = mentions.plain
    for one in ratios_said(text)[:_MOST]:
        if one.form == "percent":
            continue
        held = sight_of(mentions).held
        line, sentence = held.prose.line_at(one.start), held.prose.sentence_at(one.start)
        if line is None or line.is_row or not _is_read(mentions, held, one):
            continue
        two = _of_two(held, text, one, sentence)
        ratios = two or _of_figure(held, text, one, sentence)
        most = _EVER if two else _FAR
        if ratios and not any(_holds(one, ratio, most) for ratio in ratios):
            close = min(ratios, key=lambda ratio: abs(ratio / max(one.many, 1 / one.many) - 1))
            why = f"said {text[one.start : one.end].strip()!r}, and what it is said of comes to {close:.2f} times"
            yield Accusation("multiple", one.span, why, Certainty.SENTENCE)


def _is_read(mentions: Mentions, held: HeldAgainst, one: RatioSaid) -> bool:
    text = mentions.plain
    sentence, clause = held.prose.sentence_at(one.start), held.prose.clause_at(_lead(text, one))
    clause = clause[0], max(one.end, held.prose.clause_at(one.start)[1])
    if "?" in text[slice(*sentence)] or _UNREAL.search(text, *clause):
        return False
    return not residue_of(mentions).is_of_the_unseen(clause, sentence)


def _lead(text: str, one: RatioSaid) -> int:
    """Where what is said begins: `than` of `more than twice` ends no clause."""
    match = _THAN.search(text, max(0, one.start - _SHORT), one.start)
    return one.start if match is None else match.start()


def _holds(one: RatioSaid, ratio: float, most: float) -> bool:
    many, bound = one.many, one.bound
    if many < 1:
        many, bound = 1 / many, {"more": "less", "less": "more"}.get(bound, bound)
    low, high = (0.985, most) if bound == "more" else _LIMITS[bound]
    return low * many <= ratio <= high * many


# Both are named.


def _of_two(held: HeldAgainst, text: str, one: RatioSaid, sentence: Span) -> list[float]:
    """By what the one and the other may be held against each other; nothing where one of them is not certain."""
    mine = _only(held.cast, _subject(held.cast, text, one, sentence), sentence)
    behind = _named_behind(held.cast, text, one, sentence)
    if behind is not None:
        theirs, of = _only(held.cast, behind.products, sentence), text[one.end : behind.start]
    else:
        match = _OF_WHAT.match(text, one.end)
        theirs, of = _other_of_two(held.cast, mine, sentence) if match else "", match[0] if match else ""
    if not mine or not theirs or mine == theirs:
        return []
    a, b = held.known.products[mine], held.known.products[theirs]
    if _BARE.fullmatch(of) and not _VERB.search(text, max(sentence[0], one.start - 60), one.start):
        return []
    span = max(0, sentence[0] - _BACK), sentence[1]
    adjective = re.match(r"\sas\s(?P<word>[a-z]{3,12})\b", of)
    if adjective is not None and (kinds := _LONG.get(adjective["word"])) is not None:
        return _larger([*_measures(held, mine, theirs, kinds)])
    of_cost = bool(_PRICE.search(of) or _COSTS.search(text, max(sentence[0], one.start - 50), one.start))
    found = []
    if not _RATED.search(of):
        if a.price and b.price:
            found.append(a.price / b.price)
        for unit in sorted(CUES.units_in(text[slice(*span)])):
            found += _costs(held, mine, theirs, unit)
        told = [each for each in held.said.within(span) if each.kind == "unit"]
        found += [
            x.value / y.value for x in told if x.start >= sentence[0] for y in told if x.start != y.start
        ]
    if not of_cost:
        if a.rating_number and b.rating_number:
            found.append(a.rating_number / b.rating_number)
        found += _measures(held, mine, theirs)
    found += (x / y for x, y in told_of_both(held, span, mine, theirs, of_cost=of_cost) if y)
    said = [each for each in held.said.within(sentence) if not one.start <= each.start < one.end]
    found += [
        x.value / y.value
        for x, y in product(said, said)
        if x.start != y.start and x.kind == y.kind and y.value
    ]
    for each in said:
        if each.kind == "money":
            found += [each.value / price for price in (a.price, b.price) if price]
    return _larger(found)


def _costs(held: HeldAgainst, mine: str, theirs: str, unit: str) -> Iterator[float]:
    a, b = held.known.products[mine], held.known.products[theirs]
    if a.price and b.price:
        for x in record_divisors(a, unit, frozenset()):
            for y in record_divisors(b, unit, frozenset()):
                if x and y:
                    yield (a.price / x) / (b.price / y)


def _measures(held: HeldAgainst, mine: str, theirs: str, kinds: Sequence[str] = ()) -> Iterator[float]:
    """Of what both records measure in units of a kind, where one is meant."""
    ours, others = (list(measures_of(record_text(held.known.products[key]))) for key in (mine, theirs))
    for x, y in product(ours, others):
        if x.kind == y.kind and x.base and y.base and (not kinds or x.kind in kinds):
            yield x.base / y.base
    if not kinds:
        for a, b in product(held.known.of((mine,)).recorded, held.known.of((theirs,)).recorded):
            if a[1] == b[1] and a[0] and b[0]:
                yield a[0] / b[0]


def _named_behind(cast: Cast, text: str, one: RatioSaid, sentence: Span) -> PlaceNamed | None:
    match, behind = _TO_NAME.match(text, one.end), cast.within(one.end, sentence[1])[:1]
    led = match is not None and behind and match.end() - 4 <= behind[0].start <= match.end() + 2
    return behind[0] if led else None


def _other_of_two(cast: Cast, mine: str, sentence: Span) -> str:
    """The other one, where its paragraph or item names just two."""
    line = cast.prose.line_at(sentence[0])
    if line is None:
        return ""
    named = {_only(cast, one.products, sentence) for one in cast.within(line.start, line.end)}
    return next(iter(named - {mine})) if len(named) == _TWO and mine in named and "" not in named else ""


def _only(cast: Cast, keys: frozenset[str], sentence: Span) -> str:
    """Of a maker's things the one that its paragraph names, else the one that the text links."""
    line = cast.prose.line_at(sentence[0])
    here = cast.within(line.start, line.end) if line is not None else []
    near = {key for one in here if len(one.products) == 1 for key in one.products}
    some = (keys & near) or (keys & linked_by(cast.named)) or keys
    key = next(iter(some)) if len(some) == 1 else ""
    return key if key in cast.products and key not in cast.unlinked else ""


def _subject(cast: Cast, text: str, one: RatioSaid, sentence: Span) -> frozenset[str]:
    """The one thing named before it in its clause, else what its sentence begins with or goes on from."""
    clause = cast.prose.clause_at(_lead(text, one))
    here = cast.within(clause[0], one.start)
    if here and len({each.products for each in here}) == 1:
        return here[0].products
    return one_spoken_of(cast, text, one.start)


# The figure stands right before it.


def _of_figure(held: HeldAgainst, text: str, one: RatioSaid, sentence: Span) -> list[float]:
    """What the figure right before it and any other of its kind in sight come to."""
    before = held.said.within((sentence[0], one.start))
    behind = _named_behind(held.cast, text, one, sentence)
    if not before or (_OF_THAT.match(text, one.end) is None and behind is None):
        return []
    figure = before[-1]
    if behind is not None and figure.kind != "ratings":
        return []
    if _is_of_others(text, one, figure, before):
        return []
    if figure.kind not in ("money", "ratings", "count", "measure") or not _LED.fullmatch(
        text, _with_unit(text, figure), one.start
    ):
        return []
    span = max(0, sentence[0] - _BACK), sentence[1]
    others = [each for each in held.said.within(span) if each.start not in (figure.start, one.start)]
    values = [each.value for each in others if _is_alike(each, figure)]
    if behind is not None:
        values = [each.value for each in held.said.within((one.end, sentence[1])) if _is_alike(each, figure)]
    keys = tuple(
        sorted((behind.products if behind else held.cast.products.keys()) & held.known.products.keys())
    )
    known = held.known.of(keys)
    if figure.kind == "money":
        values += known.prices
    elif figure.kind == "ratings" or _RATED.search(text, one.end, min(one.end + 20, sentence[1])):
        values += known.raters
    else:
        values += known.with_unit(figure.unit)
    return _larger([figure.value / value for value in values if value and value != figure.value])


def _is_of_others(text: str, one: RatioSaid, figure: SaidFigure, before: Sequence[SaidFigure]) -> bool:
    """Whether a multiple is said of what a number counts, and the figure before it is an amount, or the other way round."""
    if figure.kind in MONEY:
        return _OF_NUMBER.match(text, one.end) is not None
    if _OF_MONEY.match(text, one.end) is not None:
        return True
    counted = _COUNTED.match(text, one.end)
    if counted is None:
        return False
    unit = figure.unit or _unit_before(text, figure, before)
    other = unit not in ("", *_PEOPLE) and counted["thing"].casefold().rstrip("s") != unit
    return other or figure.kind == "measure"


def _unit_before(text: str, figure: SaidFigure, before: Sequence[SaidFigure]) -> str:
    """The unit of what a figure without one is set against: `4 heads against 10`."""
    first = next((each for each in reversed(before) if each.start < figure.start), None)
    if first is None or _AGAINST.fullmatch(text, first.end, figure.start) is None:
        return ""
    return first.unit


def _with_unit(text: str, figure: SaidFigure) -> int:
    match = re.compile(r"\s(?:fl\soz|[a-z]{1,10})(?=[,;\s—–-])", re.I).match(text, figure.end)
    return match.end() if match and figure.unit else figure.end


def _is_alike(one: SaidFigure, figure: SaidFigure) -> bool:
    if figure.kind in MONEY:
        return one.kind == figure.kind
    return one.kind not in MONEY and one.kind not in ("percent", "multiple", "rating")


def _larger(ratios: Sequence[float]) -> list[float]:
    return [max(one, 1 / one) for one in ratios if one > 0]
