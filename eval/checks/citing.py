"""Citations that lead nowhere, that no tool gave, or that do not hold the figures they are cited for."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from itertools import combinations
from typing import NamedTuple

from drr.citations.cited import Defect
from drr.env.entities import Product
from drr.eval.checks.base import PRODUCT_ID, Check, CheckTally, Subject, unverifiable
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.records import record_text
from drr.eval.evidence.claims import Claim
from drr.wording.dates import dates
from drr.wording.hedges import HEDGES
from drr.wording.numbers import NUMBER, number
from pydantic import BaseModel

_SOFT = frozenset(["uncited", "list_without_markers"])
"""Untidy, not wrong: said in the evidence and not failed. So is an entry that says in words or by an id where to look (`your order history`), and a
number whose entry stands among the lines of the text, before what follows the list."""
_WORDS = re.compile(r"[A-Za-z]{2,}")


def citation_hygiene(subject: Subject, mentions: Mentions) -> Check:
    """The parser's defects."""
    citations = subject.citations
    if not citations.markers and not citations.references:
        return unverifiable("the report cites nothing")
    counts = Counter(defect.kind for defect in citations.defects)
    hard: list[Defect] = []
    untidy: list[Defect] = []
    for one in citations.defects:
        (untidy if one.kind in _SOFT or _is_told(subject.report, one) else hard).append(one)
    told = tuple(f"{d.kind} {d.id}: {d.detail}".replace(" :", ":") for d in (*hard, *untidy))
    return Check("fail" if hard else "pass", dict(counts), tuple((d.start, d.end) for d in hard), told[:50])


def _is_told(report: str, defect: Defect) -> bool:
    """Whether the report says all the same where to look."""
    if defect.kind == "empty_entry":
        said = report[defect.start : defect.end]
        return len(_WORDS.findall(said)) > 1 or PRODUCT_ID.search(said) is not None
    if defect.kind != "dangling" or not defect.id.isdigit():
        return False
    entry = rf"(?m)^[ \t>*_-]{{0,6}}\[?\^?{defect.id}[\].)][ \t:.]{{0,3}}[^\n]{{0,200}}?https?://"
    beside = (
        rf"\[\^?{defect.id}\][ \t]?[:.–—-]?[ \t]?<?https?://"  # a list that goes on from the last sentence
    )
    return re.search(f"{entry}|{beside}", report) is not None


def fabricated_citation(subject: Subject, mentions: Mentions) -> Check:
    """Every cited address is one that a tool returned, or a part of what one returned of a file."""
    if subject.returned is None:
        return unverifiable("no tool calls are known")
    tally = CheckTally()
    products = {subject.product_id_of(url) for url in subject.returned} - {None}
    for source in subject.citations.sources:
        if subject.was_returned(source.url) or subject.product_id_of(source.url) in products:
            tally.ok()
        else:
            span = (source.inline_spans or source.list_spans or [(0, 0)])[0]
            tally.accuse("address", span, f"no tool returned {source.url}", Certainty.LITERAL)
    total = len(subject.citations.sources)
    return tally.check("the report cites nothing", share=tally.failed / total if total else None)


_SKIPPED_BEFORE = re.compile(
    r"\b(?:phase|month|step|option|week|day|stage|no\.?|number|tier|part|level|figure|table|section|top|zone|zones|pick|q|qty|quantity|units)\s*[#:]?\s*$",
    re.I,
)
_QUOTED = re.compile(r"(?<![\w.,;!?])[“\"](?=\S)([^“”\"\n]{12,300})(?<=\S)[”\"]")
_COMPUTED_BEFORE = re.compile(
    r"\b(?:total|sum|together|altogether|combined|leaves?|remaining|left|budget|savings?|saves?|difference|cumulative|adds up to|comes to)\b[^.;]{0,30}$",
    re.I,
)
_TIMES = re.compile(r"\s?[x×]\s(?=[A-Z])")
_ORDINAL = re.compile(r"(?:st|nd|rd|th)\b")


OUT_OF = 5
"""Stars: a report may say it beside a rating."""
_DIGITS = re.compile(r"\d+(?:\.\d+)?")
_ALIKE = 0.011
"""How far a result may be from a figure that was computed by it."""
_TERMS = 12
"""Other figures of a claim of which results are tried."""


def numbers_in_evidence(subject: Subject, mentions: Mentions) -> Check:
    """Each figure of a cited claim stands in what it cites, and quoted words stand there verbatim."""
    tally = CheckTally()
    asked = _asked(subject)

    behind_one = lru_cache(maxsize=256)(partial(_behind, subject))

    @lru_cache(maxsize=32)
    def read(urls: tuple[str, ...]) -> _Evidence | None:
        behind = [behind_one(url) for url in urls]
        known = [one for one in behind if one is not None]
        return _Evidence(known, asked, whole=len(known) == len(behind)) if known else None

    for claim in subject.claims:
        if not claim.urls or claim.section_level:
            continue
        evidence = read(claim.urls)
        if evidence is not None:
            _compare_figures(tally, claim, evidence)
            _compare_quotations(tally, claim, evidence)
        elif NUMBER.search(claim.text):
            tally.unclear(f"the text behind {claim.urls[0]} is not at hand")
    return tally.check("no cited claim has a figure")


def _asked(subject: Subject) -> frozenset[float]:
    """The figures of the question."""
    said = {number(match["n"]) for match in NUMBER.finditer(subject.query or "")}
    demands = subject.demands.model_dump().values() if subject.demands else ()
    return frozenset(said | {value for value in demands if isinstance(value, (int, float))})


@dataclass(frozen=True)
class _Behind:
    """What is known to stand behind an address: words as they were handed in or written, and the values of records."""

    words: str
    values: frozenset[float] = frozenset()
    page: bool = True
    """A text, which says all that it says in words. What follows from a record (a sum, a cost per piece, days since an order) has
    rules of its own, and what those do not read may be anybody's knowledge."""
    verbatim: bool = True
    """Whether it reads as one quotes it: a row of a table, or a record, is said with names of its fields and other signs between."""

    @classmethod
    def of_records(cls, *records: BaseModel | None) -> _Behind:
        """Every text and every number of these, at whatever depth."""
        words: list[str] = []
        values: set[float] = set()
        open_ends: list[object] = [record.model_dump(mode="json") for record in records if record is not None]
        while open_ends:
            match open_ends.pop():
                case dict() as fields:
                    open_ends += fields.values()
                case list() as items:
                    open_ends += items
                case str() as text:
                    words.append(text)
                case bool():
                    pass
                case int() | float() as value:
                    values.add(float(value))
        return cls("\n".join(words), frozenset(values), page=False, verbatim=False)

    @classmethod
    def of_product(cls, product: Product) -> _Behind:
        values = (product.price, product.average_rating, product.rating_number, OUT_OF)
        known = frozenset(float(value) for value in values if value is not None)
        return cls(f"{product.product_id}\n{record_text(product)}", known, page=False)

    @cached_property
    def numbers(self) -> frozenset[float]:
        """All that its words and values hold: a page is read once for the claims that cite it."""
        found = {number(match["n"]) for match in NUMBER.finditer(self.words)}
        return self.values.union(found, map(number, _DIGITS.findall(self.words)))

    @cached_property
    def flat(self) -> str:
        return _flat(self.words)

    def beside(self, other: _Behind) -> _Behind:
        values, page = self.values | other.values, self.page and other.page
        return _Behind(f"{self.words}\n{other.words}", values, page, self.verbatim and other.verbatim)


def _behind(subject: Subject, url: str) -> _Behind | None:
    """Handed-in text, else the store's record; of a product both. `None` where nothing is at hand."""
    text = subject.text_behind(url)
    product_id = subject.product_id_of(url)
    product = subject.product(product_id) if product_id else None
    if product is not None:
        return _Behind(text or "").beside(_Behind.of_product(product))
    if text is not None:
        return _Behind(text, verbatim=not subject.is_of_table(url))
    return _of_user(subject, url) if subject.shop is not None and url.startswith("user://") else None


def _of_user(subject: Subject, url: str) -> _Behind | None:
    assert subject.shop is not None
    user_id, _, rest = url.removeprefix("user://").partition("/")
    if user_id != subject.user_id:
        return None
    store = subject.shop.store
    if rest.startswith("orders/"):
        order = store.order(rest.removeprefix("orders/"))
        if order is None or order.user_id != user_id:
            return None
        product = store.product(order.product_id)
        bought = _Behind.of_records(order)
        return bought.beside(_Behind.of_product(product)) if product else bought
    if rest.startswith("statistics"):
        found = store.statistics(user_id)
        return _Behind.of_records(found) if found else None
    if rest.startswith("orders"):
        return _Behind.of_records(*store.orders(user_id, limit=500).items)
    return _Behind.of_records(subject.user) if subject.user else None


class _Figure(NamedTuple):
    """A figure of a claim that its sources must hold."""

    value: float
    written: str
    near: bool
    """Said to be about or at least so much."""


class _Evidence:
    """What is known to stand behind the addresses of a claim."""

    def __init__(self, known: Sequence[_Behind], asked: frozenset[float], *, whole: bool) -> None:
        self.paged = any(one.page for one in known)
        """Whether a text is among it that its figures must come from."""
        self.whole = whole
        """Whether that is all of them."""
        self.verbatim = all(one.verbatim for one in known)
        self._held = frozenset[float]().union(*(one.numbers for one in known))
        self._asked = asked
        self._words = " ".join(one.flat for one in known if one.flat)

    def holds(self, figure: _Figure, beside: Sequence[float]) -> bool:
        """Whether a figure is theirs or the question's, rounded as written, or made of the figures beside it."""
        value = figure.value
        return (
            value in self._held
            or value in self._asked
            or self._rounded(figure)
            or (figure.near and self._around(value))
            or self._derived(value, [one for one in beside if one != value])
        )

    def quotes(self, words: str) -> bool:
        return words in self._words

    def _rounded(self, figure: _Figure) -> bool:
        """4.5 for 4.53, 44 for 43.99; 2,000 for 2,067 only where it is said to be near."""
        decimals = len(figure.written.partition(".")[2])
        half = 0.5 * 10**-decimals + 1e-9
        return any(abs(one - figure.value) <= half and one != round(one, decimals) for one in self._held)

    def _around(self, value: float) -> bool:
        return any(abs(one - value) <= max(0.1 * value, 1) for one in self._held if one)

    def _derived(self, value: float, others: Sequence[float]) -> bool:
        """A sum, difference or product of figures that the claim itself shows: its terms are checked on their own."""
        if len(others) == 1:
            (one,) = others
            return one in self._held and any(abs(one * times - value) < _ALIKE for times in (2, 3, 4, 5, 6))
        if not others or len(others) > _TERMS:
            return False
        results = (result for a, b in combinations(others, 2) for result in (a + b, a - b, b - a, a * b))
        return any(abs(result - value) < _ALIKE for result in (sum(others), *results))


def _figures(text: str) -> Iterator[_Figure]:
    """The figures of a claim that are neither ordinals, dates, quantities nor sums of its own."""
    taken = [(when.start, when.end) for when in dates(text, 0, len(text))]
    for match in NUMBER.finditer(text):
        start, end = match.span()
        before, after = text[max(0, start - 16) : start], text[end : end + 3]
        if (
            _SKIPPED_BEFORE.search(before)
            or _ORDINAL.match(after)
            or _TIMES.match(text, end)
            or _COMPUTED_BEFORE.search(text, max(0, start - 60), start)
            or any(low <= start < high for low, high in taken)
        ):
            continue
        yield _Figure(
            number(match["n"]), match["n"], HEDGES.before.search(before) is not None or after[:1] == "+"
        )


def _compare_figures(tally: CheckTally, claim: Claim, evidence: _Evidence) -> None:
    said = list(_figures(claim.text))
    values = [figure.value for figure in said]
    for figure in said:
        if evidence.holds(figure, values):
            tally.ok()
        elif not evidence.paged:
            tally.unclear(f"{figure.written} is not in the record of {claim.urls[0]} and may follow from it")
        elif evidence.whole:
            why = f"{figure.written} is not in what is cited ({', '.join(claim.urls[:2])})"
            tally.accuse("evidence", (claim.start, claim.end), why, Certainty.LITERAL)
        else:
            tally.unclear(f"the text behind one of {', '.join(claim.urls[:3])} is not at hand")


def _compare_quotations(tally: CheckTally, claim: Claim, evidence: _Evidence) -> None:
    for match in _QUOTED.finditer(claim.text):
        words = _flat(match[1]).strip(" .,;!?")
        if len(words.split()) < 3:
            continue
        if evidence.quotes(words):
            tally.ok()
        elif not evidence.paged:
            tally.unclear(
                f"{match[1][:60]!r} is not in the record of {claim.urls[0]}; somebody else may have said it"
            )
        elif evidence.whole and evidence.verbatim:
            why = f"the words {match[1][:60]!r} are not in what is cited"
            tally.accuse("evidence", (claim.start, claim.end), why, Certainty.LITERAL)


def _flat(text: str) -> str:
    return " ".join(text.casefold().replace("’", "'").split())
