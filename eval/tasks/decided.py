"""Claims that code can decide: a product's price, stars and number of ratings against its record. No judge is asked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from string import ascii_letters
from typing import NamedTuple

from drr.env.entities import Product
from drr.env.records.lines import Span, amount, count, stars
from drr.env.source import Frozen
from drr.env.text import tokens
from drr.eval.checks.money.figures import bounds
from drr.eval.checks.money.packs import divisors
from drr.eval.evidence.words import content_words, plain
from drr.eval.stats.faithfulness import Support
from drr.wording.cues import CUES
from drr.wording.figures import Number, numbers
from drr.wording.money import MoneyAmount, every_amount
from drr.wording.tolerance import HEDGED, STARS, money_slack

_SAID_RATING = re.compile(
    r"^\s*-?(?:stars?\b|\u2605|\u2b50|/\s?5\b|out of (?:5|five)\b|of 5\b)", re.IGNORECASE
)
_SAID_COUNT = re.compile(
    r"^\s*+\+?\s*+(?:(?:customer|verified|user|global|buyer)\s++)*(?:reviews?|ratings?|reviewers?|raters?)\b",
    re.IGNORECASE,
)
_OUT_OF_5 = re.compile(r"(?:/|\bout of|\bof)\s?(?:5|five)\b(?!\s*(?:reviews|ratings))", re.IGNORECASE)
_UNIT = f"{ascii_letters} "
"""What a figure's own text may end in: what follows the number says what it counts."""
_FRAME = frozenset(
    tokens(
        "price priced cost costs rating rated ratings average review reviews reviewer customer customers star stars currently just only retail sells "
        "listed list sold dollar dollars usd product item this one it here buyer score scores high highly well good excellent"
    )
)


class Decision(NamedTuple):
    status: Support
    reason: str
    spans: tuple[Span, ...]
    """Where the record states each figure."""


def decide(claim: str, sources: Sequence[Frozen]) -> Decision | None:
    """`None` where the claim says more than price, stars and count, or leans on more than one record."""
    if len(sources) != 1 or sources[0].product is None:
        return None
    listing = _Listing(sources[0].product, sources[0].places)
    said = _OUT_OF_5.sub(" stars", plain(claim))
    if content_words(said) - _FRAME - frozenset(tokens(listing.product.title)):
        return None
    figures = _every_figure(said, listing) if _money_is_price(said) else None
    if not figures:
        return None
    missed = [figure.told for figure in figures if not figure.holds]
    status: Support = "full" if not missed else "none" if len(missed) == len(figures) else "partial"
    reason = "the record says so" if not missed else f"the record says otherwise: {', '.join(missed)}"
    spans = dict.fromkeys(figure.span for figure in figures if figure.span is not None)
    return Decision(status, reason, tuple(spans))


def contradicted(claim: str, sources: Sequence[Frozen], absent: Sequence[str]) -> list[str] | None:
    """Of a claim about one product, the figures whose kind and product are certain and that its record gives otherwise.

    Of the `absent` ones, which the record does not state, measures are certain. `None` where there is more than one source or no record:
    what a figure is of is then open to other readings.
    """
    if len(sources) != 1 or sources[0].product is None:
        return None
    listing, said = _Listing(sources[0].product, sources[0].places), _OUT_OF_5.sub(" stars", plain(claim))
    found = [one.told for one in _certain_figures(said, listing) if not one.holds]
    found += [one for one in absent if _is_measure(one)]
    price = listing.product.price
    for one in _prices(said):
        low, high = bounds(one, said[one.start : one.end], said[: one.start])
        readings = (
            ()
            if price is None
            else (price, *(of for n in divisors(said, "") for of in (price / n, price * n)))
        )
        if price is not None and not any(low <= value <= high for value in readings):
            found.append(f"{said[one.start : one.end].strip()} (price {amount(price)})")
    return found


def _is_measure(figure: str) -> bool:
    return any(one.kind not in (None, "money") for one in numbers(figure))


def _certain_figures(said: str, listing: _Listing) -> Iterator[_Stated]:
    """Stars and numbers of ratings that are called so."""
    at = 0
    for figure in numbers(said):
        at = said.find(figure.text, at)
        after = said[at + len(figure.text.rstrip(_UNIT)) :]
        if figure.kind is None and (_SAID_COUNT.match(after) or _SAID_RATING.match(after)):
            stated = _stated(figure, after, listing)
            if stated is not None:
                yield stated._replace(told=f"{figure.text} ({stated.told})")
        at += 1


def _prices(said: str) -> list[MoneyAmount]:
    """The one amount of a claim that is introduced as a price; none where it has more, or speaks of other people's money."""
    found = every_amount(said)
    if len(found) != 1:
        return []
    before, after = said[: found[0].start], said[found[0].end :]
    is_price = CUES.cue(before, after).kind == "price" and not CUES.is_elsewhere(before, after)
    return found if is_price and not _OPEN_END.match(after) else []


def _money_is_price(said: str) -> bool:
    """No amount of a claim is a sum, a rest, a difference, a cost per unit or a range."""
    found = every_amount(said)
    if len(found) > 1:
        return False
    return all(
        CUES.cue(said[: one.start], said[one.end :]).kind in ("price", "none")
        and not _OPEN_END.match(said[one.end :])
        for one in found
    )


_OPEN_END = re.compile(r"s\b|\s?[-–—]\s?\$?\d|\s?(?:million|billion)\b")
"""Behind an amount: `$20s`, `$20-$30`, `$2 billion`."""


class _Stated(NamedTuple):
    """How the record stands to one figure of the claim."""

    holds: bool
    told: str
    span: Span | None


def _every_figure(said: str, listing: _Listing) -> list[_Stated] | None:
    """Of each figure in turn; `None` as soon as one is neither price nor stars nor count."""
    found: list[_Stated] = []
    at = 0
    for figure in numbers(said):
        at = said.find(figure.text, at)
        stated = _stated(figure, said[at + len(figure.text.rstrip(_UNIT)) :], listing)
        if stated is None:
            return None
        found.append(stated._replace(told=f"{figure.text} ({stated.told})"))
        at += 1
    return found


class _Listing(NamedTuple):
    """A product, and where the frozen text states its fields."""

    product: Product
    places: Mapping[str, Span]


def _stated(figure: Number, after: str, listing: _Listing) -> _Stated | None:
    """How the record stands to one figure of the claim; `None` where it is none of the three."""
    product = listing.product
    if figure.kind == "money":
        price = None if product.price is None else round(product.price, 2)
        told = "price unknown" if price is None else f"price {amount(price)}"
        slack = money_slack(whole=not figure.decimals)
        return _compared(figure, price, told, slack, listing.places.get("price"))
    if figure.kind is not None:
        return None
    if _SAID_COUNT.match(after):
        number = product.rating_number
        told = "number of ratings " + ("unknown" if number is None else count(number))
        return _compared(figure, number, told, 0.0, listing.places.get("rating_number"))
    if _SAID_RATING.match(after) or (figure.decimals and figure.value <= 5):
        rating = product.average_rating
        told = "stars " + ("unknown" if rating is None else stars(rating))
        return _compared(figure, rating, told, STARS, listing.places.get("average_rating"))
    return None


def _compared(
    figure: Number, value: float | None, told: str, tolerance: float, place: Span | None
) -> _Stated:
    if value is None:
        return _Stated(False, told, None)
    allowed = max(tolerance, HEDGED * value) if figure.hedged else tolerance
    return _Stated(abs(figure.value - value) <= allowed + 1e-9, told, place)
