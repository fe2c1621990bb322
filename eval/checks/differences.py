"""By how much one product is said to have more than another: a difference of prices, a ratio, both ratings, so many more of a thing."""

from __future__ import annotations

import re
from itertools import product as pairs_of

from drr.env.entities import Product
from drr.eval.checks.base import CheckTally, Span
from drr.eval.checks.cast import Cast
from drr.eval.checks.in_text.multiples import ratio_set_out
from drr.eval.checks.measures import measures
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.money.figures import Figure
from drr.eval.checks.money.generous.gaps import is_taken_off
from drr.eval.checks.naming import folded_words
from drr.eval.checks.pairs import CLOSE, COSTS_PER, THAN, THAN_THE_OTHER, ProductPairs
from drr.wording.comparisons import COMPARISONS, FactorSaid
from drr.wording.numbers import DIGITS, SPOKEN, number_said
from drr.wording.ratings import RATINGS
from drr.wording.tolerance import same_stars

_UNREAL = re.compile(
    r"\b(?:if|would|were|could|might|unless|not|never|neither|nor|no|without|hardly|usually|often|typically|tends?|used to|once|elsewhere|online|last year|other (?:shops?|stores?)|until|before)\b|n['’]t\b|\?",
    re.I,
)
"""Of such sentences it is not certain what they hold."""
_SEVERAL = re.compile(
    r"\b(?:total|together|both of|combined|pair|pairs|set of|sets|per|each|apiece|instead|tax|shipping|coupon|code|off|discount|limit|budget|left|"
    r"need(?:s|ed)?|a (?:ten|twenty|fifty|hundred)|two of|three of|plus|and a|year|month|swap|swapping|bundle|three|four|five)\b|%|[x×]\s?\d|\d\s?[x×]",
    re.I,
)
"""Beside a difference of prices: it may be one of several things, or of a limit."""
_GAPS = frozenset(
    [
        "more",
        "less",
        "cheaper",
        "dearer",
        "pricier",
        "costlier",
        "higher",
        "lower",
        "apart",
        "difference",
        "diff",
        "gap",
        "differ",
    ]
)
_SAVED = frozenset(
    ["extra", "save", "saves", "saved", "saving", "savings", "premium", "spread", "additional"]
)
"""Said of a difference to something that need not be named beside it."""
_KEPT = frozenset(["keep", "keeps"])
_COMPARED = re.compile(r"\b(?:compared (?:with|to)|instead of|rather than|over|against)\b", re.I)
_WHOLE = frozenset(
    ["box", "pack", "package", "bag", "jar", "tub", "bottle", "set", "carton", "tube", "bucket", "kit"]
)
"""What is sold as one thing: a difference for each is one of the prices."""
_PER_WHOLE = re.compile(rf"\b(?:per|a|each)\s(?:{'|'.join(sorted(_WHOLE))})\b", re.I)
_PAIR_OF_STARS = re.compile(
    r"(?<![\d.$])(?P<a>[1-5]\.\d)(?:\sstars?)?\s(?:vs\.?|versus|against|to|compared (?:to|with)|over)\s(?:an?\s|its\s|the\s)?(?P<b>[1-5]\.\d)(?![\d%]|[\s-]?(?:in|inch|inches|oz|ounces?|lbs?|pounds?|ft|feet|cm|mm|liters?|quarts?|gallons?|fl)\b)",
    re.I,
)
_STARS_APART = re.compile(
    r"(?<![\d.$])(?P<n>[0-4]\.\d)\sstars?\s(?:lower|higher|better|worse|more|less|apart|above|below|ahead|behind)\b",
    re.I,
)
_ROUNDED = 0.051
_NEAR_BEFORE = 80
"""Characters before a sentence in which a price is still spoken of."""
_LINES_BEFORE = 600
"""Characters before a line in which costs per unit stand that it holds its own against: the items above, the rows of a table."""
_MORE_OF = re.compile(
    rf"(?<![\w.,$])(?P<n>{DIGITS}|{SPOKEN})\s(?:more|fewer|extra|additional)\s(?P<unit>[a-z]{{3,20}})\b", re.I
)


def compare_products(tally: CheckTally, mentions: Mentions, cast: Cast) -> None:
    """Every difference that the prose gives two products which are certain."""
    if not cast.products:
        return
    pairs = ProductPairs(mentions, cast)
    differences = Differences(tally, pairs)
    for line in mentions.layout.lines:
        if line.kind in ("row", "head_row", "rule_row", "elision"):
            continue
        for span in cast.prose.sentences(line):
            text = mentions.plain[slice(*span)]
            pair = pairs.pair(span, line)
            if pair is not None and _UNREAL.search(text) is None:
                differences.sentence(span, text, pair)


class Differences:
    """Goes through the sentences whose two products are certain."""

    def __init__(self, tally: CheckTally, pairs: ProductPairs) -> None:
        self._tally = tally
        self._pairs = pairs
        self._cast = pairs.cast
        self._plain = pairs.plain
        self._ledger = pairs.ledger

    def sentence(self, span: Span, text: str, pair: tuple[str, str]) -> None:
        self._stars(span, text, pair)
        self._more_stars(span, text, pair)
        self._more_of(span, text, pair)
        self._gaps(span, text, pair)
        for factor in COMPARISONS.factors(text):
            self._ratio(factor, span, pair)

    def _ratio(self, said: FactorSaid, span: Span, pair: tuple[str, str]) -> None:
        if said.bare and not self._speaks_of_prices(said, span):
            return
        if said.thing:
            counted = [_counted(self._cast.products[one], said.thing) for one in pair]
            a, b = (one[0] if len(one) == 1 else None for one in counted)
        else:
            some = [self._cast.products[one] for one in pair]
            a, b = (one.price if said.of == "price" else one.rating_number for one in some)
        if not a or not b or COSTS_PER.search(self._plain, *span):
            return
        ratio = max(a, b) / min(a, b)
        where = span[0] + said.start, span[0] + said.end
        if said.of == "price" and ratio_set_out(self._plain, where[1], said.factor) is not None:
            return  # of the two that stand behind it, whatever these are; `multiples` holds it against them
        beside = [
            *self._of_costs_per_unit(span),
            *(self._of_amounts(span, (a, b)) if said.of == "price" else ()),
        ]
        if any(_holds(said, one) for one in (ratio, *beside)):
            self._tally.ok()
        elif len(self._pairs.cited) > 2 or self._names_both_behind(where[1], span):
            self._tally.unclear(f"it is not clear of which two {self._plain[slice(*where)]!r} is said")
        else:
            self._pairs.accuse(
                self._tally,
                "ratio",
                where,
                f"said {self._plain[slice(*where)]!r}, it is {ratio:.2f} times ({pair[0]} and {pair[1]})",
                span,
                pair,
            )

    def _of_costs_per_unit(self, span: Span) -> list[float]:
        """Where a sentence says what one costs, how many times the others that its line says so far, or per the same the lines before."""
        line = self._cast.prose.line_at(span[0])
        low = span[0] if line is None else line.start
        before = self._ledger.within(max(0, low - _LINES_BEFORE), span[1])
        every = [one for one in before if one.value and (one.cue.kind == "unit" or one.value < 1)]
        return [
            max(a.value, b.value) / min(a.value, b.value)
            for a in every
            for b in every
            if a.start >= span[0] and a.value != b.value and (b.start >= low or a.cue.per == b.cue.per != "")
        ]

    def _of_amounts(self, span: Span, prices: tuple[float, float]) -> list[float]:
        """Where a sentence says what several of one cost, how many times the price of each that is: `four come to $55.96, nearly three times as much`."""
        costs = [one for one in self._ledger.within(*span) if one.cue.kind in ("price", "none", "total")]
        several = [one.value for one in costs if one.exact and not any(map(one.holds, prices))]
        return [max(one, price) / min(one, price) for one in several for price in prices]

    def _speaks_of_prices(self, said: FactorSaid, span: Span) -> bool:
        """Whether an amount stands before what is said, and one of the two behind it."""
        end = span[0] + said.end
        named = self._pairs.within(end - 4, end + CLOSE)
        return bool(named) and bool(self._ledger.within(span[0] - _NEAR_BEFORE, end))

    def _names_both_behind(self, end: int, span: Span) -> bool:
        """`twice as much: $20 for A and $21 for B`: both are held against something else."""
        return not self._pairs.within(span[0], end) and len(self._pairs.within(end, span[1])) > 1

    def _stars(self, span: Span, text: str, pair: tuple[str, str]) -> None:
        """`4.8 against 4.4`: the ratings of the two."""
        mine, theirs = (self._cast.products[one].average_rating for one in pair)
        match = _PAIR_OF_STARS.search(text) if RATINGS.speaks(text) else None
        if match is None or mine is None or theirs is None:
            return
        said = float(match["a"]), float(match["b"])
        if any(
            same_stars(said[0], one) and same_stars(said[1], other)
            for one, other in ((mine, theirs), (theirs, mine))
        ):
            self._tally.ok()
        elif any(same_stars(one, other) for one in said for other in (mine, theirs)):
            self._pairs.accuse(
                self._tally,
                "stars",
                (span[0] + match.start(), span[0] + match.end()),
                f"said {match[0]}, the ratings are {mine:g} ({pair[0]}) and {theirs:g} ({pair[1]})",
                span,
                pair,
            )

    def _more_stars(self, span: Span, text: str, pair: tuple[str, str]) -> None:
        """`1.3 stars higher`: the difference of the two ratings."""
        match = _STARS_APART.search(text)
        mine, theirs = (self._cast.products[one].average_rating for one in pair)
        if match is None or mine is None or theirs is None:
            return
        if abs(float(match["n"]) - abs(mine - theirs)) < _ROUNDED:
            self._tally.ok()
        else:
            self._pairs.accuse(
                self._tally,
                "stars",
                (span[0] + match.start(), span[0] + match.end()),
                f"said {match[0]}, the ratings are {mine:g} ({pair[0]}) and {theirs:g} ({pair[1]})",
                span,
                pair,
            )

    def _more_of(self, span: Span, text: str, pair: tuple[str, str]) -> None:
        """`96 more pages`: a difference of what both records count."""
        for match in _MORE_OF.finditer(text):
            unit = match["unit"].casefold()
            counted = [_counted(self._cast.products[one], unit) for one in pair]
            if not all(counted):
                continue
            said = number_said(match["n"])
            if any(abs(abs(a - b) - said) < 0.51 for a, b in pairs_of(*counted)):
                self._tally.ok()
            else:
                known = " and ".join(f"{min(one):g}" for one in counted)
                self._pairs.accuse(
                    self._tally,
                    "comparison",
                    (span[0] + match.start(), span[0] + match.end()),
                    f"said {match[0]!r}, the records have {known}",
                    span,
                    pair,
                )

    def _gaps(self, span: Span, text: str, pair: tuple[str, str]) -> None:
        """A difference of two prices, said with a word that leaves no doubt of it."""
        kinds = ("gap",) if self._ledger.play.limits else ("gap", "rest")
        figures = [one for one in self._ledger.within(*span) if one.cue.kind in kinds]
        prices = [self._cast.products[one].price for one in pair]
        if len(figures) != 1 or prices[0] is None or prices[1] is None or figures[0].void:
            return
        figure = figures[0]
        if is_taken_off(self._ledger, figure):
            return
        by = figure.cue.word == "by" and any(one.of == "price" for one in COMPARISONS.comparisons(text))
        word = figure.cue.word.casefold().strip(" :")
        kept = figure.cue.kind == "rest" and word in _KEPT and _COMPARED.search(text) is not None
        if not (by or kept or word in _GAPS | _SAVED) or figure.elsewhere:
            return
        if (figure.cue.per and figure.cue.per not in _WHOLE) or any(COMPARISONS.factors(text)):
            return
        if word in _SAVED and len(self._pairs.cited) > 2 and not self._names_both(span, pair):
            return
        entry = self._ledger.by_start.get(figure.start)
        if word in _SAVED and entry is not None and entry.status == "explained":
            return
        beside = text[: figure.start - span[0]] + " " + text[figure.end - span[0] :]
        if _SEVERAL.search(_PER_WHOLE.sub(" ", beside)):
            return
        if figure.holds(abs(prices[0] - prices[1])):
            self._tally.ok()
        elif self._is_to_these(figure.end, span) and not self._is_explained_elsewhere(figure):
            self._pairs.accuse(
                self._tally,
                "difference",
                (figure.start, figure.end),
                f"said {self._plain[figure.start : figure.end].strip()}, the two differ by ${abs(prices[0] - prices[1]):,.2f}",
                span,
                pair,
            )

    def _names_both(self, span: Span, pair: tuple[str, str]) -> bool:
        return {one.product_id for one in self._pairs.within(*span)} == set(pair)

    def _is_to_these(self, start: int, span: Span) -> bool:
        """Whether a difference is one to a product that is named, where it is said to what."""
        than = THAN.search(self._plain, start, span[1])
        if than is None or THAN_THE_OTHER.match(self._plain, than.start()):
            return True
        named = self._pairs.within(than.end(), span[1])
        return bool(named) and named[0].start - than.end() < CLOSE

    def _is_explained_elsewhere(self, figure: Figure) -> bool:
        """Whether it may be a difference of costs per unit, or of what is not in play."""
        line = self._cast.lines[figure.line]
        per_unit = any(one.cue.kind == "unit" for one in self._ledger.within(line.start, line.end))
        return per_unit or self._ledger.play.cites_the_web(figure.end, figure.clause[1], figure.sentence)


def _holds(said: FactorSaid, ratio: float) -> bool:
    """Whether so many times is what is said."""
    many = said.factor if said.factor >= 1 else 1 / said.factor
    more = said.bound == "more" if said.factor >= 1 else said.bound == "less"
    if said.bound in ("exact", "near"):
        return abs(ratio / many - 1) <= (0.2 if said.bound == "exact" else 0.25)
    if more and not said.slight:
        return ratio >= 0.985 * many
    return 0.985 * many <= ratio <= 1.8 * many if more else 0.55 * many <= ratio <= 1.015 * many


def _counted(product: Product, unit: str) -> list[float]:
    """What a record counts of a thing; of the thing itself, so many as are in its package (`twice as many lights`: the night light's 4 Pack)."""
    many = unit.endswith("s") and not unit.endswith("ss")
    thing = unit[:-1] if many else unit
    stated = [
        product.title,
        *product.features,
        *(one for one in product.details.values() if isinstance(one, str)),
    ]
    every = [one for part in stated for one in measures(part) if one.kind not in ("time", "money")]
    if many and thing in folded_words(product.title):
        return list({one.value for one in every if one.kind == "count" or thing == one.unit})
    return list({one.value for one in every if thing in (one.unit, one.kind)})
