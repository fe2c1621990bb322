"""Which of several is said to be the cheapest, dearest, best or most rated: held against every group that the text sets side by side.

Of which group it is said is not asked: it is right if the thing is the first of any: of the list, of the section, of the report, of what the last
sentences name, of those of its sort, of those that the reader has or has not. Only what is first in none of them is wrong.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from drr.env.entities import Product
from drr.eval.checks.base import Accusation, Span
from drr.eval.checks.cast import Cast, cast_of
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.measures import measures_of
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.money.ledger import ledger_of
from drr.eval.checks.money.packs import divisors, record_divisors, unit_named
from drr.eval.checks.naming import head_noun
from drr.eval.checks.residue import residue_of
from drr.eval.checks.spoken_of import is_gone_back_from
from drr.wording.cues import CUES
from drr.wording.numbers import SPOKEN
from drr.wording.vocabulary import either

Of = Literal["price", "stars", "raters", "measure"]
_MEASURED: dict[str, tuple[int, tuple[str, ...]]] = {
    "loudest": (1, ("noise",)),
    "noisiest": (1, ("noise",)),
    "quietest": (-1, ("noise",)),
    "brightest": (1, ("light",)),
    "dimmest": (-1, ("light",)),
    "heaviest": (1, ("weight",)),
    "lightest": (-1, ("weight",)),
    "longest": (1, ("length", "time")),
    "shortest": (-1, ("length", "time")),
    "tallest": (1, ("length",)),
    "widest": (1, ("length",)),
    "narrowest": (-1, ("length",)),
    "thickest": (1, ("length",)),
    "thinnest": (-1, ("length",)),
    "fastest": (-1, ("time",)),
    "quickest": (-1, ("time",)),
    "slowest": (1, ("time",)),
}
"""Superlatives of what a record measures, with the kinds of units that they may be of."""
_LEAST = r"(?:cheapest|least\sexpensive|lowest[\s-]priced|costs\s(?:the\s)?least|lowest\s(?:price|outlay|cost|sticker\sprice|price\stag))"
_MOST = (
    r"(?:dearest|priciest|most\sexpensive|costliest|costs\s(?:the\s)?most|highest\s(?:price|cost|price\stag))"
)
_BEST = r"(?:(?:best|highest|top)[\s-](?:rated|reviewed|liked|scored)|(?:best|highest|top)\s(?:rating|score|average|stars))"
_WORST = (
    r"(?:(?:worst|lowest)[\s-](?:rated|reviewed|liked|scored)|(?:worst|lowest)\s(?:rating|score|average))"
)
_RATED = r"(?:most[\s-](?:rated|reviewed)|most\s(?:ratings|reviews))"
_FIRST = re.compile(
    rf"\b(?:(?P<least>{_LEAST})|(?P<most>{_MOST})|(?P<best>{_BEST})|(?P<worst>{_WORST})|(?P<rated>{_RATED})|(?P<measure>{either(_MEASURED)})"
    r"|(?P<per>(?:lowest|wins|leads|cheaper|best\svalue|best)\s(?:on\s(?:price|cost)\s)?(?=(?:per|by\sthe|a)\s[a-z])))\b",
    re.I,
)
_NOT_FIRST = re.compile(
    r"\b(?:second|third|fourth|fifth|next|2nd|3rd|one\sof|among|amongst|not|no|never|neither|nor|hardly|almost|nearly|if|would|could|might|(?-i:may)|than|"
    r"otherwise|usually|both|each|all|every|whether|which|what|why|who|where|how|once|until|was|were|used\sto|had|equal|joint|tie[ds]?|again|else|without|only|or)\b|n['’]t\b|\?",
    re.I,
)
_RESTRICTS = re.compile(
    rf"[\s*_,]{{0,4}}(?:(?:of|among|in|on)\s(?:the|these|all|this|my|our|your)?\s?(?:{SPOKEN}|lot|bunch|list|group|table|page|set|trio|pair|picks|options|shortlist|here|price|score|scale)\b"
    r"|here\b|overall\b|by\s(?:far|a\b|some|price)|(?:is|was|are)\b|per\s[a-z-]{2,16}\b|a\s(?:piece|foot|load|sheet|pound|unit)\b|on\s(?:a|one)\s(?:charge|fill|filling|battery)\b|too\b|by\sthe\s[a-z-]{2,16}\b|at\s\$?\d|\(|[.:;,!—–]|\s-\s|$|and\b|but\b|yet\b|while\b|though\b)",
    re.I,
)
"""What may stand behind a superlative without narrowing the group that it is said of."""
_OWNED = re.compile(r"\b(?:you|your|yours|own|owned|bought|ordered|new|others?)\b", re.I)
_OF_THOSE = re.compile(r"\b(?:of|among|between)\s(?:those|these|them|the)\b|\bthere\b", re.I)
"""Said of the last that were named, however many."""
_LAST = 12
_EACH_SAID = re.compile(r"\b(?:each|apiece|per)\b|\d\s?(?:¢|c\b|cents?\b)", re.I)
_LESS = 0.005
_BEFORE = 70
_BACK = 900
_MANY = 60
"""Superlatives of a report that are looked into."""
_GAP = 40


class SuperlativeSaid(NamedTuple):
    of: Of
    sign: int
    """1 where the first has most."""
    start: int
    end: int
    kinds: tuple[str, ...] = ()
    """Of units, where it is of what a record measures."""


def misread_superlatives(mentions: Mentions) -> Iterator[Accusation]:
    """Superlatives of a thing that is first in no group in sight."""
    text = mentions.plain
    for one in list(superlatives_said(text))[:_MANY]:
        cast = cast_of(mentions.subject, mentions)
        sentence = cast.prose.sentence_at(one.start)
        if not is_plain_superlative(mentions, cast, one, sentence):
            continue
        subjects = superlative_subjects(cast, text, one, sentence)
        units = CUES.units_in(text[slice(*sentence)])
        around = CUES.units_in(text[max(0, sentence[0] - _BACK) : sentence[1]])
        around |= {"each"} if tells_costs(mentions) else set()
        held = (
            is_first_of(one, subject, group, units, around)
            for subject in subjects
            for group in groups_around(cast, mentions, subject, sentence)
        )
        if next(held, None) is False and not any(held):
            whom = " or ".join(subject.product_id for subject in subjects)
            why = f"said {text[one.start : one.end].strip()!r} of {whom}, which is first in no group in sight"
            yield Accusation("superlative", (one.start, one.end), why, Certainty.SENTENCE)


def is_plain_superlative(mentions: Mentions, cast: Cast, one: SuperlativeSaid, sentence: Span) -> bool:
    """Whether it is said plainly, in prose, and of no narrower group."""
    text = mentions.plain
    line, clause = cast.prose.prose_line_at(one.start), cast.prose.clause_at(one.start)
    if line is None or line.kind == "heading":
        return False
    if _NOT_FIRST.search(text, clause[0], max(one.end, min(clause[1], one.end + _BEFORE))):
        return False
    if residue_of(mentions).is_of_the_unseen(clause, sentence) or cast.names_a_stranger(clause):
        return False
    return _RESTRICTS.match(text, one.end) is not None or _is_noun_only(text, one.end, cast)


def superlatives_said(text: str) -> Iterator[SuperlativeSaid]:
    for match in _FIRST.finditer(text):
        name = match.lastgroup
        if name == "measure":
            sign, kinds = _MEASURED[match[0].casefold()]
            yield SuperlativeSaid("measure", sign, *match.span(), kinds)
            continue
        of: Of = "stars" if name in ("best", "worst") else "raters" if name == "rated" else "price"
        sign = -1 if name in ("least", "worst", "per") else 1
        yield SuperlativeSaid(of, sign, *match.span())


def _is_noun_only(text: str, end: int, cast: Cast) -> bool:
    match = re.match(r"[\s*_]{1,3}(?P<noun>[a-z-]{3,20})\b", text[end : end + 30])
    if match is None:
        return False
    noun = match["noun"].rstrip("s")
    known = any(head_noun(one.title).rstrip("s") == noun for one in cast.products.values())
    return known and _RESTRICTS.match(text, end + match.end()) is not None


def tells_costs(mentions: Mentions) -> bool:
    """Whether the text speaks of costs of a piece."""
    return any(one.cue.kind == "unit" or one.value < 1 for one in ledger_of(mentions).figures) or bool(
        _EACH_SAID.search(mentions.plain)
    )


def superlative_subjects(cast: Cast, text: str, one: SuperlativeSaid, sentence: Span) -> list[Product]:
    """All whom it may be said of: a maker's name may be of several that the text links."""
    here, clause = cast.within(*sentence), cast.prose.clause_at(one.start)
    before = [place for place in here if clause[0] <= place.start < one.start]
    behind = [place for place in here if place.start >= one.end and place.start - one.end < _GAP]
    if before and all(place.products == before[-1].products for place in before):
        keys = before[-1].products
    elif behind and _leads_to(text, sentence, one, behind[0].start):
        keys = behind[0].products
    elif not here:
        meant = cast.meant_at(one.start, one.end)
        keys = meant.products if meant.certain else frozenset()
    else:
        return []
    if before and is_gone_back_from(text, before[-1], one.start):
        return []
    linked = {key for place in cast.named if place.linked for key in place.products}
    keys = (keys & linked) or keys
    return (
        [] if keys & cast.unlinked else [cast.products[key] for key in sorted(keys) if key in cast.products]
    )


def _leads_to(text: str, sentence: Span, one: SuperlativeSaid, place: int) -> bool:
    """Whether it is said of what is named behind it; behind `it is the tallest of these:` come the others."""
    between = text[one.end : place]
    if _IS.search(between) is None:
        return False
    return ":" not in between or _PREDICATE.search(text, sentence[0], one.start) is None


_PREDICATE = re.compile(r"\b(?:is|are|was|were|it['’]s|that['’]s)\b", re.I)
_IS = re.compile(r"(?:\b(?:is|goes\sto|belongs\sto)\b|:)[\s*_\[(]{0,4}(?:the\s|your\s)?[*_\[]{0,3}$", re.I)


def groups_around(
    cast: Cast, mentions: Mentions, subject: Product, sentence: Span
) -> Iterator[list[Product]]:
    """What the text sets side by side around a sentence; of each the things of one sort too, and those that the reader has."""
    ordered = {one.product_id for one in cast.ordered}
    own = subject.product_id in ordered
    seen = set[frozenset[str]]()
    for span in _stretches(cast, mentions, sentence):
        named = {key for place in cast.within(*span) if len(place.products) == 1 for key in place.products}
        keys = (named | {subject.product_id}) & cast.products.keys()
        some = [
            keys,
            {key for key in keys if head_noun(cast.products[key].title) == head_noun(subject.title)},
        ]
        if _OWNED.search(mentions.plain, *sentence):
            some.append({key for key in keys if (key in ordered) == own})
        for group in map(frozenset, some):
            if len(group) > 1 and group not in seen:
                seen.add(group)
                yield [cast.products[key] for key in sorted(group)]


def _stretches(cast: Cast, mentions: Mentions, sentence: Span) -> Iterator[Span]:
    """The report, its section, its paragraph, the last sentences, up to the sentence or beyond; where it says `of those`, from any of the last named."""
    lines, at = cast.lines, max(0, bisect_right([line.start for line in cast.lines], sentence[0]) - 1)
    low = high = at
    while low and lines[low - 1].kind not in ("heading", "title"):
        low -= 1
    while high + 1 < len(lines) and lines[high + 1].kind not in ("heading", "title"):
        high += 1
    yield from ((0, len(mentions.plain)), (0, sentence[1]), (lines[low].start, lines[high].end))
    yield from ((lines[low].start, sentence[1]), (lines[at].start, lines[at].end))
    before = [one for one in cast.prose.sentences(lines[at]) if one[1] <= sentence[0]][-2:]
    yield from ((one[0], sentence[1]) for one in before)
    if _OF_THOSE.search(mentions.plain, *sentence):
        for start in [place.start for place in cast.within(0, sentence[0])][-_LAST:]:
            yield from ((start, sentence[1]), (start, sentence[0]))


def is_first_of(
    said: SuperlativeSaid,
    subject: Product,
    group: Iterable[Product],
    units: Iterable[str],
    around: Iterable[str],
) -> bool:
    others = [one for one in group if one.product_id != subject.product_id]
    if said.of == "measure":
        return _measures_first(said, subject, others)
    if said.of != "price":
        name = "average_rating" if said.of == "stars" else "rating_number"
        mine = getattr(subject, name)
        values = [value for one in others if (value := getattr(one, name)) is not None]
        return mine is None or not values or all(said.sign * (mine - value) >= -_LESS for value in values)
    asked = list(units)
    if not asked and _prices_first(said.sign, subject, others):
        return True
    return any(_cost_first(said.sign, subject, others, unit) for unit in (asked or around))


def _measures_first(said: SuperlativeSaid, subject: Product, others: Sequence[Product]) -> bool:
    """By any of its measures of such a kind, whichever of theirs it is held against."""
    for kind in said.kinds:
        theirs = [values for one in others if (values := measured(one, kind))]
        if any(
            all(any(said.sign * (a - b) >= -_LESS for b in each) for each in theirs)
            for a in measured(subject, kind)
        ):
            return True
    return not any(measured(subject, kind) for kind in said.kinds)


def measured(product: Product, kind: str) -> frozenset[float]:
    """What its title and its table of details have of a kind of units, in the base unit."""
    details = (value for value in product.details.values() if isinstance(value, str))
    return frozenset(
        one.base for text in (product.title, *details) for one in measures_of(text) if one.kind == kind
    )


def _prices_first(sign: int, subject: Product, others: Iterable[Product]) -> bool:
    mine = subject.price
    values = [one.price for one in others if one.price is not None]
    return mine is None or not values or all(sign * (mine - value) >= -_LESS for value in values)


_EACH = frozenset(["each", "apiece", "piece", "item", "unit"])


def _cost_first(sign: int, subject: Product, others: Iterable[Product], unit: str) -> bool:
    """By what the title says is in a pack, by the least or by the most that the record has; where it is not known of all it is open."""
    every = [one for one in (subject, *others) if one.price is not None]
    if subject.price is None or len(every) < 2:
        return True
    if unit not in _EACH and unit_named(unit) is None:
        return True
    none = frozenset[float]()
    titled = [divisors(one.title, unit) for one in every]
    recorded = [record_divisors(one, unit, none) for one in every]
    if not all(recorded):
        return True
    readings = [[min(found) for found in recorded], [max(found) for found in recorded]]
    if all(titled):
        readings.append([min(found) for found in titled])
    for many in readings:
        costs = [sign * (one.price or 0.0) / by for one, by in zip(every, many, strict=True) if by]
        if len(costs) == len(every) and costs[0] >= max(costs) - 1e-6:
            return True
    return False
