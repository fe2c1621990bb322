"""How many times one thing is said to be another, where the text itself sets the two values down: `300 gallons an hour instead of 80, five times the flow`.

Three forms are read: two figures of one unit that are set against each other right beside the multiple, a multiple of costs per unit where such costs
stand before it, and one of what something costs. Wrong where no two values of its kind in its sentence and the ones before come to it. Left alone where
nothing says of which kind it is, and of what is not so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, pairwise

from drr.eval.checks.base import Accusation, Span
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.considered.ratios import RatioSaid, ratios_said
from drr.eval.checks.leftover.held import HeldAgainst
from drr.eval.checks.leftover.said import MONEY, SaidFigure
from drr.eval.checks.leftover.sight import sight_of
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.money.packs import record_divisors
from drr.eval.checks.residue import residue_of
from drr.wording.cues import CUES
from drr.wording.numbers import DIGITS, number


def _a_cost(name: str) -> str:
    return rf"(?P<{name}_sign>\$)?(?P<{name}>{DIGITS})(?P<{name}_cents>\s?(?:cents?\b|¢))?(?:\s?(?:an?|per|/)\s?[a-z]{{2,12}})?"


_AGAINST = re.compile(
    r"[\s*_)]{0,4}(?:[a-z°%/.-]{1,16}\s?){0,4}[\s*_(]{0,4}\b(?:instead\sof|rather\sthan|against|versus|vs\.?|compared\s(?:with|to)|in\splace\sof|where\s[\w\s'’&-]{1,40}\s(?:has|have|holds|gives|moves|makes|takes|offers|runs)|to|over)\s"
    r"(?:(?:the|its|their|your|an?|only|just|about|around|some|roughly|a\smere|[\w'’&-]{1,20}['’]s)\s){0,3}[*_]{0,3}",
    re.I,
)
"""Between two figures that are held against each other."""
_LED = re.compile(
    r"(?:[\s*_-]{1,3}(?!(?:and|or|with|at|but|for|while|in|on)\b)[a-z°%/.-]{1,16}){0,4}[\s*_)]{0,4}(?:[,;:(—–-]{0,2}\s?)?(?:(?:which|that|it|so|or|and\sso|and\sthus|is|means|makes|comes\sto|works\sout|just|well|fully|easily|roughly|about|around|nearly|almost|over|under|exactly|some|a|more|less|than|little|bit|shade|good|not|quite|slightly|better|close\sto)\b[\s*_]{0,3}){0,8}",
    re.I,
)
"""Between the second of them and the multiple that follows."""
_SAYS_THEM = re.compile(
    r"(?:\s(?!(?:and|but|while|for)\b)[a-z0-9'’-]{1,20}){0,7}[*_]{0,3}(?:\s?[:(]|,|\s[—–-])\s?[*_(]{0,4}",
    re.I,
)
"""Between a multiple and the two figures that bear it out."""
_BY_UNIT = re.compile(
    r"\s(?:as\s(?:much|dear|expensive)\s)?(?:as\s[a-z]{3,10}\s|the\s(?:cost|price|money)\s)?(?:the\s(?:unit\s)?rate\b|per\s[a-z]{3,12}\b|by\s(?:the\s)?(?:weight|volume|ounce|pound|piece|sheet|foot|load|count)\b|an?\s(?:ounce|pound|piece|sheet|foot|load|pad|bag|cloth|capsule|tablet)\b)",
    re.I,
)
_OF_COST = re.compile(
    r"\s(?:of\s)?(?:what\b(?!\s(?:you|we|i|they|people|others|most)\b)(?P<whom>[^.;:!?]{0,240}?)\b(?:costs?|lists?\sat|sells\sfor|asks|goes\sfor|is\spriced|was\spriced|charges|is\slisted)\b|the\sprice\b(?P<whose>[^.;:!?]{0,60})|as\s(?:dear|expensive|pricey|costly)\b(?P<as>[^.;:!?]{0,60}))",
    re.I,
)
_UNREAL = re.compile(
    r"\b(?:if|would|could|might|may|should|unless|were|used\sto|probably|perhaps|not|never|no|neither|hardly|elsewhere|online|usually|(?<!as\s)often|until|once)\b|n['’]t\b|\?",
    re.I,
)
_AGAIN = re.compile(r"\s(?:(?:[\w-]{1,20}\s){0,4}(?:again|more|extra)\b|an?\s)", re.I)
"""`half as many again`, `half a dollar`"""
_OF_PRICE = re.compile(
    r"\s?(?:(?P<sure>as\s(?:dear|expensive|pricey|costly)|the\s(?:price|cost|money|bill|outlay|spend|sum)|what\b)|the\srate|as\smuch|[\s*_]{0,3}(?:[.,;:)]|$))",
    re.I,
)
"""Behind a multiple: it is one of amounts, for sure or possibly."""
_OF_ANOTHER = re.compile(r"\s(?:the|as)\s[\w-]{1,20}(?:\s[\w-]{1,20})?\s(?:of|as)\b", re.I)
"""Behind a multiple: it says itself of what it is one."""
_REACH, _NEAR, _SHORT = 600, 48, 30
_SET_OUT = re.compile(
    rf"(?:\s?(?:as\s(?:much|dear|expensive|pricey|costly)|(?:of\s)?the\s(?:price|cost|money))\b(?:\s(?:as|of|what)\s[^,:;.()$\d\n]{{0,40}})?)?\s?(?:[:(,]|[–—-])\s?(?:(?:at|about|roughly|some|around)\s){{0,2}}{_a_cost('a')}\s"
    rf"(?:against|versus|vs\.?|compared\s(?:to|with)|instead\sof|rather\sthan)\s(?:(?:about|roughly|some|around|just|only)\s){{0,2}}{_a_cost('b')}[\s*_]{{0,3}}(?:[.,;:)]|$)",
    re.I | re.M,
)
"""Behind a multiple, what one thing costs and what it is set against."""
_FEW = 14
_MOST = 30
_NEVER_BESIDE = frozenset(("rating", "percent", "multiple", "orders"))
"""Of two such figures no multiple is said."""


def misread_told_multiples(mentions: Mentions) -> Iterator[Accusation]:
    """Multiples that the values beside them do not come to."""
    text = mentions.plain
    for one in ratios_said(text)[:_MOST]:
        if one.form == "percent" or _AGAIN.match(text, one.end):
            continue
        held = sight_of(mentions).held
        sentence = held.prose.sentence_at(one.start)
        ratios = _told(held, text, one, sentence) if _is_read(mentions, held, one, sentence) else ()
        if ratios and not any(_holds(one, ratio) for ratio in ratios):
            close = min(ratios, key=lambda ratio: abs(ratio / max(one.many, 1 / one.many) - 1))
            why = f"said {text[one.start : one.end].strip()!r}, and the values beside it are {close:.2f} times one another"
            yield Accusation("multiple", one.span, why, Certainty.SENTENCE)


def _is_read(mentions: Mentions, held: HeldAgainst, one: RatioSaid, sentence: Span) -> bool:
    clause = held.prose.clause_at(one.start)
    if held.prose.prose_line_at(one.start) is None or "?" in mentions.plain[slice(*sentence)]:
        return False
    unreal = _UNREAL.search(mentions.plain, *clause) is not None
    return not (unreal or residue_of(mentions).is_of_the_unseen(clause, sentence))


def _holds(one: RatioSaid, ratio: float) -> bool:
    """Whether two values whose larger is so many times the smaller may be meant; of `more than` any that are no less."""
    many, bound = one.many, one.bound
    if many < 1:
        many, bound = 1 / many, {"more": "less", "less": "more"}.get(bound, bound)
    low, high = {"exact": (0.9, 1.12), "near": (0.85, 1.15), "more": (0.985, 1e9), "less": (0.0, 1.015)}[
        bound
    ]
    return low * many <= ratio <= high * many


def _told(held: HeldAgainst, text: str, one: RatioSaid, sentence: Span) -> list[float]:
    """By how much values differ of which one says so; nothing where it is not known of which."""
    span = max(0, sentence[0] - _REACH), sentence[1]
    before = _others(held, one, span)
    if _is_by_unit(text, one.end):
        costs = list(_costs_said(text, before))
        return _two([*costs, *_costs_known(held, text, span)]) if len(costs) > 1 else []
    here = [each for each in before if each.start >= sentence[0]]
    first = next((a for a, b in pairwise(here) if _is_beside(text, one, a, b)), None)
    if first is None or _OF_ANOTHER.match(text, one.end):
        return _of_prices(held, text, one, sentence, here)
    if _UNREAL.search(text, max(sentence[0], min(first.start, one.start) - _SHORT), one.start):
        return []
    by_kind: dict[str, list[float]] = {}
    for each in _others(held, one, held.with_before(sentence)):
        kind = "number" if each.kind in ("count", "measure") else each.kind
        by_kind.setdefault(kind, []).append(each.value)
    return [ratio for some in by_kind.values() for ratio in _two(some)]


def _others(held: HeldAgainst, one: RatioSaid, span: Span) -> list[SaidFigure]:
    """The figures of a stretch beside those of the multiple itself."""
    return [each for each in held.said.within(span) if not one.start <= each.start < one.end]


def _is_beside(text: str, one: RatioSaid, a: SaidFigure, b: SaidFigure) -> bool:
    """Whether two figures of one unit are held against each other, and stand right before the multiple or bear it out behind."""
    if a.kind != b.kind or a.kind in _NEVER_BESIDE or (a.unit and b.unit and a.unit != b.unit):
        return False
    priced = _OF_PRICE.match(text, one.end)
    if (a.kind in MONEY) is not (priced is not None) and (priced is None or priced["sure"]):
        return False
    if not _AGAINST.fullmatch(text, a.end, b.start):
        return False
    if b.end <= one.start:
        return _LED.fullmatch(text, b.end, one.start) is not None
    return a.start >= one.end and _SAYS_THEM.fullmatch(text, one.end, a.start) is not None


def _is_by_unit(text: str, end: int) -> bool:
    return _BY_UNIT.match(text, end, end + _NEAR) is not None


def _costs_said(text: str, some: Sequence[SaidFigure]) -> Iterator[float]:
    """Costs per unit, also those that only their own price and number show to be such."""
    for at, each in enumerate(some):
        if each.kind == "unit":
            yield each.value
        elif each.kind == "money":
            near = some[max(0, at - 3) : at]
            prices = [other.value for other in near if other.kind == "money"]
            many = [other.value for other in near if other.kind in ("count", "measure") and other.value > 1]
            if any(abs(price / by - each.value) < 0.006 for price in prices for by in many):
                yield each.value


def ratios_by_unit(text: str, end: int, some: Sequence[SaidFigure]) -> list[float]:
    """What costs per unit come to that are said, where a multiple is one of such."""
    return _two(_costs_said(text, some)) if _is_by_unit(text, end) else []


def ratio_set_out(text: str, end: int, many: float) -> float | None:
    """`twice as much: about 74 cents against 32`: how many times the second the first of the two costs is that stand right behind a multiple, or by a multiple
    below one the second the first. A number alone is of what the other one is of."""
    match = _SET_OUT.match(text, end)
    if match is None:
        return None
    signs = ["$" if match[f"{one}_sign"] else "c" if match[f"{one}_cents"] else "" for one in "ab"]
    a, b = number(match["a"]), number(match["b"])
    if not (any(signs) and a and b):
        return None
    if set(signs) == {"$", "c"}:
        a, b = (value / 100 if sign == "c" else value for value, sign in zip((a, b), signs, strict=True))
    return a / b if many >= 1 else b / a


def _costs_known(held: HeldAgainst, text: str, span: Span) -> Iterator[float]:
    some = [held.known.products[key] for key in held.named(span)[:_FEW]]
    for unit in sorted(CUES.units_in(text[slice(*span)])):
        for product in some:
            if product.price is not None:
                yield from (product.price / by for by in record_divisors(product, unit, frozenset()) if by)


def _of_prices(
    held: HeldAgainst, text: str, one: RatioSaid, sentence: Span, here: Sequence[SaidFigure]
) -> list[float]:
    """Of prices, where its sentence tells one of them: those of the two sentences, or of all around where it is not said of what."""
    match = _OF_COST.match(text, one.end, sentence[1])
    if match is None or not any(each.kind == "money" for each in here):
        return []
    of = match.span(match.lastgroup or 0)
    bound = held.cast.within(*of) or any(of[0] <= each.start < of[1] for each in here)
    span = held.with_before(sentence) if bound else (max(0, sentence[0] - _REACH), sentence[1])
    said = [each.value for each in held.said.within(span) if each.kind == "money"]
    keys = {*held.named(span), *(() if bound else held.cast.products)}
    known = [held.known.products[key].price or 0.0 for key in sorted(keys)]
    return _two([*known, *said]) if len(said) > 1 else []


def _two(values: Iterable[float]) -> list[float]:
    some = list(dict.fromkeys(value for value in values if value > 0))[-_FEW:]
    return [max(a, b) / min(a, b) for a, b in combinations(some, 2) if a != b]
