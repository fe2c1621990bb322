"""Rule: what is said of a product's properties is what its record says: price, stars, measures, material, colour, maker."""

from __future__ import annotations

import re
from functools import cached_property
from itertools import combinations

from drr.env.entities import Product
from drr.eval.checks.attributes import compare_attributes
from drr.eval.checks.base import Check, CheckTally, Span, Subject, unverifiable
from drr.eval.checks.cast import Cast, Meant, cast_of
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.differences import compare_products
from drr.eval.checks.facts import compare_prices
from drr.eval.checks.grid import is_share_of_money
from drr.eval.checks.layout import TextLine
from drr.eval.checks.makers import named_by
from drr.eval.checks.meanings import true_in_no_meaning
from drr.eval.checks.measures import ADDED, MeasureSaid, measures_by_kind, measures_of, packs_hold
from drr.eval.checks.mentions import Mention, Mentions
from drr.eval.checks.odd_cells import OddCells
from drr.eval.checks.other_values import compare_values
from drr.eval.checks.recorded.weighing import said_otherwise
from drr.eval.checks.records import record_text
from drr.eval.checks.residue import LASTING, Residue, residue_of
from drr.eval.checks.stars import ratings_of
from drr.eval.checks.stated_once import StatedOnce
from drr.wording.doubts import DoubtKind
from drr.wording.money import every_amount
from drr.wording.numbers import NUMBER, SPOKEN, number, spoken

_MATERIALS = re.compile(
    r"\b(?:stainless steel|carbon steel|cast iron|memory foam|steel|aluminum|aluminium|plastic|cedar|bamboo|cotton|wood|pine|oak|acacia|copper|brass|ceramic|porcelain"
    r"|stoneware|glass|leather|silicone|latex|rubber|polyester|nylon|iron|wool|linen|microfiber|polypropylene|acrylic|vinyl|canvas|chrome|titanium|zinc|resin|wicker|rattan|jute|hemp|velvet|fleece|paper|concrete|marble|granite|foam|sisal|mesh|tpe|recycled paper|terracotta|felt|cork|melamine|pvc|abs|spandex|flannel|down)\b",
    re.I,
)
_MADE_OF = re.compile(
    r"\b(?:made (?:of|from|with|in)|built (?:of|from)|constructed (?:of|from)|crafted (?:of|from)|material(?: is|s?:)?\**+:?+\**+)\s*+(?:\*\*\s*+)?(?P<what>(?:[\w-]+\s?){1,4})",
    re.I,
)


def product_claims(subject: Subject, mentions: Mentions) -> Check:
    """Price, rating, size, material, count, maker: whatever the record decides, read from the record."""
    if subject.shop is None:
        return unverifiable("no shop was given")
    tally = CheckTally()
    compare_prices(tally, mentions)
    tally.add(ratings_of(mentions))
    cast = cast_of(subject, mentions)
    compare_products(tally, mentions, cast)
    measuring = _Measuring(tally, subject, cast, residue_of(mentions))
    for line in mentions.layout.lines:
        if line.kind in ("row", "head_row"):
            measuring.row(line)
        elif line.kind not in ("rule_row", "elision"):
            for span in cast.prose.sentences(line):
                measuring.sentence(span)
    texts = {key: record_text(one) for key, one in cast.products.items()}
    compare_attributes(tally, mentions, cast, texts)
    compare_values(tally, subject, mentions, cast)
    OddCells(tally, cast).compare()
    for one in true_in_no_meaning(mentions):
        tally.outweigh(one)
    body, residue = mentions.body, residue_of(mentions)
    for mention in mentions.mentions:
        product = cast.products.get(mention.product_id)
        if product is not None:
            _materials(tally, residue, body, mention, product, texts[mention.product_id])
    for one in said_otherwise(mentions):
        tally.accuse_besides(one)
    return tally.check("nothing that a record decides is said of a product of the shop")


class _Recorded:
    """What a record states: `firm` in its title and its table of details, `all` anywhere."""

    def __init__(self, product: Product) -> None:
        self.product = product
        text = record_text(product)
        self.all, self._by_kind = measures_of(text), measures_by_kind(text)
        self._counted = [one for one in self.all if one.unit == one.kind]
        inside = {at for one in self.all for at in range(one.start, one.end)}
        self.loose = {number(match[0]) for match in _DIGITS.finditer(text) if match.start() not in inside}
        """Figures that stand for themselves."""

    @cached_property
    def firm(self) -> list[MeasureSaid]:
        product = self.product
        details = (str(value) for value in product.details.values() if not isinstance(value, (dict, list)))
        found = [one for part in (product.title, *details) for one in measures_of(part)]
        of_features = (one for part in product.features for one in measures_of(part))
        return found + [one for one in of_features if one.unit != one.kind and not one.passing]

    def holds(self, said: MeasureSaid) -> bool:
        if (
            said.value in self.loose
            or self._by_kind.has(said)
            or packs_hold(said, self.product.title, self.all)
        ):
            return True
        return said.unit == said.kind and any(_counts_the_same(said, one) for one in self._counted)

    def knows(self, said: MeasureSaid) -> list[MeasureSaid]:
        """Figures of the same kind; of a unit that passes through many texts, in that very unit."""
        return [
            one for one in self.firm if one.kind == said.kind and (not said.passing or one.unit == said.unit)
        ]


_DIGITS = re.compile(r"(?<![\d.])\d+(?:\.\d+)?(?!\d|\.\d)")
_NEEDED = re.compile(
    r"\b(?:usually|typically|typical|elsewhere|instead|rather|off|coupon|voucher|discount|code|tax|sale|sales|save|saves|per|every|above|over|away|apart|ago|after|until|last|lasts|later|"
    r"extra|difference|longer|shorter|wider|taller|heavier|lighter|times|total|together|in all|combined|both|double|half|market|survey|people|or so|or (?:more|less|\w+er)|"
    r"a (?:day|week|month|year)|of that)\b|\?",
    re.I,
)
"""A clause with one of these may speak of a comparison or of the world."""
_DIFFERENCE = re.compile(
    r"[\s*_]{1,3}(?:more|less|fewer|extra|[a-z]{2,9}er|costs?|runs?|comes? to|of it)\b(?!\sor\b)", re.I
)
"""Behind a measure: so much has one thing more than another, or so much of it costs."""
_SPOKEN = re.compile(rf"\b{SPOKEN}\b", re.I)
_WISHED = re.compile(
    r"\b(?:your?|you'd|you'll|my|his|her|our|i|we|need|needs|room|if|when|unless|most|some|any|below|under|budget|within|bigger|smaller|look(?:ing)? for|choose|prefer|rather)\b",
    re.I,
)
"""Before a measure such words make it one of the need."""
_SEVERAL = re.compile(r"\b(?:pairs?|packs?|boxes|bags|sets|both|each|of (?:them|these|those))\b|[x×]", re.I)
"""Beside a count: it may be of several packages."""
_OF_A_THING = re.compile(
    r"\b(?:in|for|than|on|into|like|fits?|suits?|replaces?) (?:an?|any|most|some|your) [\s*_]{0,3}$"
    r"|\b(?:counted|reckoned|compared|priced) (?:by|per) (?:the )?$",
    re.I,
)
"""Before a measure: it is one of some other thing ("in a 40-gallon tank"), or what a cost is counted by."""


def _counts_the_same(said: MeasureSaid, known: MeasureSaid) -> bool:
    """Of two that are counted: what a package holds may be said as so many of the thing."""
    return "count" in (said.kind, known.kind) and said.value == known.value


class _Measuring:
    """Measures as said against those of the records, with every reading tried before one is called wrong."""

    def __init__(self, tally: CheckTally, subject: Subject, cast: Cast, residue: Residue) -> None:
        self._tally = tally
        self._cast = cast
        self._residue = residue
        query = subject.query or ""
        money = [one.value for one in every_amount(query)]
        self.asked = {value for match in NUMBER.finditer(query) if (value := number(match["n"])) not in money}
        self._records: dict[str, _Recorded] = {}
        self._once = StatedOnce(cast, self._record, residue)

    def _record(self, product_id: str) -> _Recorded:
        if product_id not in self._records:
            self._records[product_id] = _Recorded(self._cast.products[product_id])
        return self._records[product_id]

    def sentence(self, span: Span) -> None:
        for said in self._cast.prose.measures(span):
            if _DIFFERENCE.match(self._cast.body, said.end):
                continue
            clause = self._cast.prose.clause_at(said.start)
            doubtful = (
                _NEEDED.search(self._cast.body, *clause)
                or _WISHED.search(self._cast.body, clause[0], said.end)
                or _OF_A_THING.search(self._cast.body, clause[0], said.start)
            ) is not None
            self._compare(said, self._cast.meant_at(said.start, said.end), doubtful)

    def row(self, line: TextLine) -> None:
        columns, owner = self._cast.by_columns(line), self._cast.row_owner(line)
        for index, (low, high) in enumerate(line.cells):
            whose = self._cast.column_owner(line, index) if columns else owner
            if whose is None or _COMPUTED_CELL.search(self._cast.body, low, high):
                continue
            of_money = is_share_of_money(self._cast.tables.label(line, index))
            for said in self._cast.prose.measures((low, high)):
                if said.kind == "share" and of_money:
                    continue
                doubtful = (
                    _NEEDED.search(self._cast.body, low, high) or _WISHED.search(self._cast.body, low, high)
                ) is not None
                self._compare(said, Meant(frozenset([whose]), True, False, True, Certainty.CELL), doubtful)

    def _compare(self, said: MeasureSaid, meant: Meant, doubtful: bool) -> None:
        theirs = [self._record(one) for one in sorted(meant.products) if one in self._cast.products]
        if not theirs or len(theirs) > 4 or len(theirs) < len(meant.products):
            return
        if any(one.holds(said) for one in theirs):
            self._tally.ok()
        elif len(theirs) == 1 and said.value not in self.asked and self._once.is_sure(said, meant):
            own = next(one for one in theirs[0].all if one.unit == said.unit)
            told = f"the record has {own.value:g} {own.unit} and no other ({theirs[0].product.product_id})"
            why = f"said {self._shown(said)!r}, {told}"
            self._tally.accuse("stated", (said.start, said.end), why, meant.bound)
        elif meant.bound <= Certainty.SCOPE and any(
            self._record(key).holds(said) for key in list(self._cast.products)[:_IN_PLAY]
        ):
            self._tally.unclear(f"{self._shown(said)!r} may be of another product")
        elif not all(one.knows(said) for one in theirs):
            self._tally.unclear(f"a record gives no {said.unit}")
        elif doubtful or said.hedged or self._explained(said, meant) or not _is_sure(meant):
            self._tally.unclear(f"it is not clear of what {self._shown(said)!r} is said")
        else:
            known = ", ".join(sorted({f"{one.value:g} {one.unit}" for one in theirs[0].knows(said)})[:5])
            self._tally.accuse(
                "measure",
                (said.start, said.end),
                f"said {self._shown(said)!r}, the record has {known} ({theirs[0].product.product_id})",
                self._bound(said, meant),
                self._doubt(said, theirs[0], meant),
            )

    def _bound(self, said: MeasureSaid, meant: Meant) -> Certainty:
        """By the sentence too where that names one product only, and nothing in play has such a figure."""
        named = self._cast.within(*self._cast.prose.sentence_at(said.start))
        alone = bool(named) and all(one.products == meant.products for one in named)
        if meant.bound > Certainty.INFERRED or not alone:
            return meant.bound
        known = any(self._record(key).holds(said) for key in list(self._cast.products)[:_IN_PLAY])
        return meant.bound if known else Certainty.SENTENCE

    def _doubt(self, said: MeasureSaid, record: _Recorded, meant: Meant) -> str | None:
        """Why a figure that the record does not have may be right nevertheless."""
        known = record.knows(said)
        alike = {one.value for one in known if one.unit == said.unit} or {one.base for one in known}
        if len(alike) > _FEW_ALIKE:
            return "the record has several of its kind, and this may be one that it leaves out"
        sentence = self._cast.prose.sentence_at(said.start)
        if meant.bound < Certainty.CLAUSE and self._cast.names_a_stranger(sentence):
            return "its sentence names something that is not in play"
        if meant.bound < Certainty.CELL and self._is_worked_out(said, meant):
            return "figures beside it come to it"
        if any(map(record.holds, self._cast.prose.measures_before(said, sentence))):
            return "the thing's own stands before it"
        another = _ANOTHER.search(self._cast.body, *sentence) is not None
        if another and meant.bound < Certainty.ADJOINED and self._is_a_siblings(said, record.product):
            return "the same maker sells one of which it is true"
        return self._residue.doubt(sentence, _MINDED)

    def _is_a_siblings(self, said: MeasureSaid, product: Product) -> bool:
        others = (one for one in self._cast.siblings(product) if one.product_id not in self._cast.products)
        return any(_Recorded(one).holds(said) for one in others)

    def _is_worked_out(self, said: MeasureSaid, meant: Meant) -> bool:
        """As what measures of its line and of the records come to, and where nothing stands beside it, as another product's."""
        line = self._cast.prose.line_at(said.start)
        if line is None:
            return False
        beside = [one for one in self._cast.prose.measures((line.start, line.end)) if one.start != said.start]
        known = [one for key in self._cast.products for one in self._record(key).all][: 10 * _IN_PLAY]
        if meant.bound < Certainty.CLAUSE and any(said.same(one) for one in known):
            return True
        named = meant.products | named_by(self._cast.within(line.start, line.end))
        own = {one for key in named & self._cast.products.keys() for one in self._record(key).all}
        alike = list({one.base for one in (*beside, *own) if one.kind == said.kind})[:_IN_PLAY]
        counts = {number(match["n"]) for match in NUMBER.finditer(self._cast.body, line.start, line.end)}
        counts |= {float(spoken(one[0])) for one in _SPOKEN.finditer(self._cast.body, line.start, line.end)}
        counts = {one for one in counts if 1 < one <= _LARGEST}
        slack = 0.02 * said.base + 1e-6
        worked = [abs(a - b) for a, b in combinations(alike, 2)] + [a + b for a, b in combinations(alike, 2)]
        if said.kind not in ADDED and said.unit != said.kind:
            counts = set()
        worked += [one / many for one in alike for many in counts]
        worked += [one * many for one in alike for many in counts]
        return any(abs(one - said.base) <= slack for one in worked)

    def _explained(self, said: MeasureSaid, meant: Meant) -> bool:
        """By the question; elsewhere than in a place that is certain, by another product in play, as a difference or a multiple."""
        if said.value in self.asked:
            return True
        known = [
            one
            for product_id in [*meant.products, *self._cast.products][:_IN_PLAY]
            for one in self._record(product_id).all
            if one.kind == said.kind
        ]
        if meant.certain:
            clause = self._cast.prose.clause_at(said.start)
            several = _SEVERAL.search(self._cast.body, *clause) is not None
            times = {2, 3, 4, 5, 6} if said.unit == said.kind and several and not meant.placed else set()
            return any(said.value == one.value * count for one in known for count in times)
        if any(said.same(one) for one in known):
            return True
        values = list({one.base for one in known})[:_IN_PLAY]
        slack = 0.02 * said.base + 1e-6
        if any(abs(abs(a - b) - said.base) <= slack for a, b in combinations(values, 2)):
            return True
        if said.kind not in ADDED and said.unit != said.kind:
            return False
        sums = (a + b for a, b in combinations(values, 2))
        multiples = (a * times for a in values for times in (2, 3, 4, 5, 6))
        return any(abs(result - said.base) <= slack for result in (*sums, *multiples))

    def _shown(self, said: MeasureSaid) -> str:
        return self._cast.body[said.start : said.end].strip()


def _is_sure(meant: Meant) -> bool:
    return meant.certain or (len(meant.products) == 1 and not meant.contrast)


_ANOTHER = re.compile(
    r"\b(?:another|second|other|two|both|either|latter|former|same (?:brand|maker))\b", re.I
)
_LARGEST = 1_000
"""A number above it is none by which something is divided."""
_FEW_ALIKE = 2
"""Values of a kind that a record may have for one more to be wrong."""
_MINDED: tuple[DoubtKind, ...] = LASTING
_IN_PLAY = 30
"""Products, and values of theirs, by which a figure may be explained."""
_COMPUTED_CELL = re.compile(r"[$¢€£~]|/|\bper\b|\bcents?\b", re.I)


def _bound(mention: Mention) -> Certainty:
    if mention.cell or mention.row is not None:
        return Certainty.CELL
    return Certainty.SENTENCE if mention.own else Certainty.SCOPE


def _around(mention: Mention) -> Span:
    return mention.start, mention.end


def _materials(
    tally: CheckTally, residue: Residue, body: str, mention: Mention, product: Product, record: str
) -> None:
    for match in _MADE_OF.finditer(body, mention.start, mention.end):
        said = _MATERIALS.search(match["what"])
        if said is None:
            continue
        material = said[0].casefold()
        known = {one[0].casefold() for one in _MATERIALS.finditer(record)}
        if material in record.casefold() or any(one in material for one in known):
            tally.ok()
        elif known or product.details.get("Material"):
            recorded = ", ".join(sorted(known)[:4]) or product.details.get("Material")
            why = f"said {material}, the record says {recorded} ({product.product_id})"
            tally.accuse(
                "attribute", match.span(), why, _bound(mention), residue.doubt(_around(mention), _MINDED)
            )
        else:
            tally.unclear(f"the record of {product.product_id} names no material")
