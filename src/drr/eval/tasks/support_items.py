"""One claim and its sources as a judge is asked about them: the passages shown, the answer, and the verdict.

Used by the task that judges all sources of a claim together and by the task that judges each address alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Protocol

from drr.env.entities import Product
from drr.env.records.lines import Span, amount, count, stars
from drr.env.source import FrozenText
from drr.env.text import tokens
from drr.eval.asking.conversation import Section
from drr.eval.checks.values import Segment, cell_values, field_of, segments, split_label
from drr.eval.evidence.passages import (
    CONCERNING,
    GRAMMAR,
    Cut,
    content_words,
    missing_numbers,
    plain,
    shown_spans,
)
from drr.eval.evidence.quotations import is_quotation, locate
from drr.eval.stats.faithfulness import Against, SpanRow, Status, Support, VerdictRow
from drr.eval.stats.question import grouped
from drr.eval.tasks.protocol import JudgingProtocol
from drr.wording.currency import DOLLARS, Currency
from drr.wording.figures import HEDGED, STARS, Quantity, money_slack
from drr.wording.money import amounts
from drr.wording.quantities import numbers

_RATING_WORDS = re.compile(
    r"^\s*-?(?:stars?\b|\u2605|\u2b50|/\s?5\b|out of (?:5|five)\b|of 5\b)", re.IGNORECASE
)
_COUNT_WORDS = re.compile(
    r"^\s*+\+?\s*+(?:(?:customer|verified|user|global|buyer)\s++)*(?:reviews?|ratings?|reviewers?|raters?)\b",
    re.IGNORECASE,
)
_OUT_OF_5 = re.compile(r"(?:/|\bout of|\bof)\s?(?:5|five)\b(?!\s*(?:reviews|ratings))", re.IGNORECASE)
# A claim with any word but these and the product's name says more than figures; a judge reads it.
_FRAME = frozenset(
    tokens(
        "price priced cost costs rating rated ratings average review reviews reviewer customer customers star stars currently just only retail sells "
        "listed list sold dollar dollars usd product item this one it here buyer score scores high highly well good excellent"
    )
)

_UNPRICED = frozenset(
    map(frozenset[str], (("no", "known", "price"), ("not", "known", "price"), ("unknown", "price")))
)
"""Content words of claims that say only that the price is unknown, besides the product's name and function words."""


class Decision(NamedTuple):
    status: Support
    reason: str
    spans: tuple[Span, ...]
    """Places in the record that state each figure."""


def decide_support(claim: str, sources: Sequence[FrozenText]) -> Decision | None:
    """Decide by code whether the record supports the claim. `None` where the claim says more than price, stars and number of ratings, or cites more than one record."""
    # Only a record decides: a seller may write lines that look like one into a text.
    if len(sources) != 1 or sources[0].product is None:
        return None
    product, currency = sources[0].product, sources[0].currency
    text = _OUT_OF_5.sub(" stars", plain(currency.as_dollars(claim)))
    words, title = tokens(text), tokens(product.title)
    # Reports cut long titles within a word; the piece is still only the name.
    named = {*title, *_broken_off(words, title)}
    content = frozenset(words) - GRAMMAR
    if product.price is None and not _UNPRICED.isdisjoint((content, content - named)):
        return Decision("full", "the record has no price", ())
    if content_words(text) - _FRAME - named:
        return None
    figures = _every_figure(text, sources[0], product) if _money_is_price(text) else None
    if not figures:
        return None
    missed = [figure.text for figure in figures if not figure.holds]
    status: Support = "full" if not missed else "none" if len(missed) == len(figures) else "partial"
    reason = "the record says so" if not missed else f"the record says otherwise: {', '.join(missed)}"
    spans = dict.fromkeys(figure.span for figure in figures if figure.span is not None)
    return Decision(status, reason, tuple(spans))


def _broken_off(words: Sequence[str], title: Sequence[str]) -> list[str]:
    """Return the claim's word that is a cut-off word of the product's title; a list of at most one word."""
    for start in range(len(words)):
        beside = list(zip(words[start:], title, strict=False))
        same = next((place for place, (word, own) in enumerate(beside) if word != own), 0)
        if same > 1 and beside[same][1].startswith(beside[same][0]):
            return [beside[same][0]]
    return []


def contradicted_figures(claim: str, sources: Sequence[FrozenText]) -> list[str]:
    """List the figures of a claim that contradict its product record. The claim must speak only of figures, or label them (`Price: $21.99`).

    Empty for a claim with several sources, or with a source that is no product record.
    """
    if len(sources) != 1 or sources[0].product is None:
        return []
    product, currency, found = sources[0].product, sources[0].currency, list[str]()
    read = currency.as_dollars(claim)
    # What it decides holds nothing but figures, and its amount may be a price.
    if decide_support(claim, sources) is not None:
        figures = _every_figure(_OUT_OF_5.sub(" stars", plain(read)), sources[0], product)
        found = [one.text for one in figures or () if not one.holds]
    labelled = (_labelled(one, product) for one in segments(read, 0, len(read)))
    # The labels of a claim of figures alone would name the same figures again.
    return found or [currency.from_dollars(one) for one in labelled if one]


def _labelled(one: Segment, product: Product) -> str | None:
    """Return a labelled value beside the record's value where the two differ; else `None`."""
    part = split_label(one)
    field = None if part is None else field_of(part[0])
    values = [] if part is None or field is None else cell_values(field, part[1])
    known = {"price": product.price, "stars": product.average_rating, "count": product.rating_number}
    if len(values) != 1 or values[0].hedged or (value := known[values[0].field]) is None:
        return None
    slack = {"price": money_slack(whole="." not in values[0].written), "stars": STARS, "count": 0.0}
    wrong = abs(values[0].value - value) > slack[values[0].field] + 1e-9
    return f"{values[0].written} (record {value:g})" if wrong else None


def _money_is_price(text: str) -> bool:
    """Tell whether the claim's only amount may be a price: not a sum, remainder, difference, cost per unit or range."""
    found = amounts(text)
    if len(found) > 1:
        return False
    return not any(
        _NO_PRICE_BEFORE.search(text[: one.start]) or _NO_PRICE_BEHIND.match(text[one.end :]) for one in found
    )


_NO_PRICE_BEFORE = re.compile(
    r"\b(?:all|both|by|each|every|from|my|our|over|per|than|the|to|under|up to|was|were|your)\s{1,3}"
    r"(?:(?:a|an|about|another|just|only|some)\s{1,3}){0,2}$",
    re.IGNORECASE,
)
_NO_PRICE_BEHIND = re.compile(
    r"s\b|\s?[-–—]\s?\$?\d|\s?/|\s{1,3}(?:an?|apiece|billion|each|every|for|less|million|more|off|over|per|under)\b",
    re.IGNORECASE,
)
"""Patterns beside an amount that is no price. Such an amount is a sum, limit, difference, cost per unit (`$4 each`), range (`$20s`, `$20-$30`) or former price."""


class _Stated(NamedTuple):
    """One figure of the claim compared with the record."""

    holds: bool
    text: str
    span: Span | None


def _every_figure(text: str, source: FrozenText, product: Product) -> list[_Stated] | None:
    """Compare each figure of the claim with the record. `None` as soon as one is neither price, stars nor number of ratings."""
    found: list[_Stated] = []
    for figure in numbers(text):
        stated = _stated(figure, text[figure.stop :], source, product)
        if stated is None:
            return None
        own = source.currency.from_dollars(figure.text)
        found.append(stated._replace(text=f"{own} ({stated.text})"))
    return found


def _stated(figure: Quantity, after: str, source: FrozenText, product: Product) -> _Stated | None:
    """Compare one figure with the record. `None` where the figure is neither price, stars nor number of ratings."""
    value: float | None
    if figure.kind == "money":
        field, value = "price", None if product.price is None else round(product.price, 2)
        text = "price unknown" if value is None else f"price {amount(value, source.currency)}"
        slack = money_slack(whole=not figure.decimals)
    elif figure.kind is not None:
        return None
    elif _COUNT_WORDS.match(after):
        field, value, slack = "rating_number", product.rating_number, 0.0
        text = "number of ratings " + ("unknown" if value is None else count(value))
    elif _RATING_WORDS.match(after) or (figure.decimals and figure.value <= 5):
        field, value, slack = "average_rating", product.average_rating, STARS
        text = "stars " + ("unknown" if value is None else stars(value))
    else:
        return None
    if value is None:
        return _Stated(False, text, None)
    allowed = max(slack, HEDGED * value) if figure.hedged else slack
    return _Stated(abs(figure.value - value) <= allowed + 1e-9, text, source.places.get(field))


_LABEL: Mapping[str, Support] = {"full_support": "full", "partial_support": "partial", "no_support": "none"}


@dataclass(frozen=True)
class SupportItem:
    """One claim with some of its sources, all of one type: a question to the judge."""

    id: str
    claim_id: str
    claim: str
    type: str
    against: Against
    sources: tuple[FrozenText, ...]
    cut: Cut = CONCERNING
    """The amount of each source that is shown."""
    beside: Mapping[str | None, Sequence[str]] = field(default_factory=dict, compare=False)
    """All claims of the request that lean on a text, by the text's hash; the passages of all of them are shown."""

    @property
    def readable(self) -> list[FrozenText]:
        return [source for source in self.sources if source.status == "ok" and source.text]

    @property
    def texts(self) -> tuple[str, ...]:
        """Return the hashes of the texts that a judge is shown, each once."""
        return tuple(dict.fromkeys(str(source.sha256) for source in self.readable))

    def unreadable(self) -> Status | None:
        """Return the verdict where no source is readable; `None` where one is."""
        if self.readable:
            return None
        found = [source.status for source in self.sources]
        # A page that nobody tried to keep may well support the claim, so there is no score.
        if not found or "not_frozen" in found:
            return "not_frozen"
        return next((s for s in found if s != "ok"), "empty")

    @property
    def decision(self) -> Decision | None:
        """Return the verdict that code reaches without a judge; `None` where it reaches none."""
        return decide_support(self.claim, self.readable) if self.readable else None

    @property
    def currency(self) -> Currency:
        """Return the currency of the shop whose records it leans on."""
        return next((one.currency for one in self.sources if one.currency != DOLLARS), DOLLARS)

    def missing_numbers(self) -> list[str]:
        """List the figures of the claim that the evidence neither states nor adds up to."""
        money = self.currency
        text = "\n".join(source.text or "" for source in self.readable)
        return [
            money.from_dollars(one)
            for one in missing_numbers(money.as_dollars(self.claim), money.as_dollars(text))
        ]

    def needs_judge(self, protocol: JudgingProtocol) -> bool:
        return self.unreadable() is None and not (protocol.decides_first and self.decision is not None)

    def spans(self, source: FrozenText) -> list[Span]:
        """Return the passages of a source that are shown."""
        claims = self.beside.get(source.sha256) or [self.claim]
        return sorted({span for claim in claims for span in shown_spans(claim, source.text or "", self.cut)})


def items_of_request(items: Sequence[SupportItem]) -> list[SupportItem]:
    """Return the items of one request. Each text is shown once, with the passages for all its claims."""
    beside = grouped((source.sha256, item.claim) for item in items for source in item.readable)
    return [replace(item, beside=beside) for item in items]


def evidence_of(items: Iterable[SupportItem]) -> dict[str, tuple[FrozenText, list[Span]]]:
    """Map the hash of each text that is shown to its source and passages."""
    return {str(source.sha256): (source, item.spans(source)) for item in items for source in item.readable}


def count_shown_characters(items: Iterable[SupportItem]) -> int:
    """Count the characters of the claims and of the passages that are shown."""
    every = [*items]
    spans = (span for _, own in evidence_of(every).values() for span in own)
    return sum(span.end - span.start for span in spans) + sum(len(item.claim) + 40 for item in every)


def evidence_section(source: FrozenText, spans: Sequence[Span], intro: str = "", about: str = "") -> Section:
    """Build the prompt section with the shown passages of a source, under its title and address."""
    text = source.text or ""
    shown = "\n[...]\n".join(text[span.start : span.end].strip() for span in spans)
    head = f"{source.title} ({source.url})" if source.title else source.url
    return Section("evidence", shown, intro, about, head)


def is_quoted(quote: str, item: SupportItem) -> bool:
    """Tell whether the evidence that the judge was shown has the words of a quotation. Its address says nothing."""
    # What was shown counts, not the source: a page's hidden words must help neither side.
    sections = ((one.title or "", evidence_section(one, item.spans(one)).text) for one in item.readable)
    return is_quotation(quote, ["\n".join(texts) for texts in sections])


class JudgeAnswer(Protocol):
    """A judge's answer about one item."""

    @property
    def id(self) -> str: ...
    @property
    def support(self) -> str: ...
    @property
    def justification(self) -> str: ...
    @property
    def quote(self) -> str | None:
        """Return the quotation; `None` where the form asks for none."""

    @property
    def absent(self) -> bool: ...


def verdict_of(item: SupportItem, status: Status, reason: str, by: str) -> VerdictRow:
    return {
        "claim_id": item.claim_id,
        "type": item.type,
        "against": item.against,
        "sources": [
            {
                "url": source.url,
                "status": source.status,
                "sha256": source.sha256,
                "passages": [list(span) for span in item.spans(source)] if source.text else [],
            }
            for source in item.sources
        ],
        "spans": [],
        "status": status,
        "reason": reason,
        "by": by,
    }


def silent_verdict(item: SupportItem) -> VerdictRow:
    """Build the verdict on an item that no judge was asked about."""
    decision = item.decision
    if decision is not None:
        verdict = verdict_of(item, decision.status, decision.reason, "rule")
        verdict["spans"] = [_spanned(item.readable[0], span) for span in decision.spans]
        return verdict
    reasons = "; ".join(f"{s.url}: {s.reason or s.status}" for s in item.sources if s.status != "ok")
    return verdict_of(item, item.unreadable() or "empty", reasons, "rule")


def _spanned(source: FrozenText, span: Span) -> SpanRow:
    return {"url": source.url, "sha256": source.sha256, "start": span.start, "end": span.end}


def judged_verdict(item: SupportItem, judged: JudgeAnswer, *, cap: bool) -> VerdictRow:
    """Build the verdict from a judge's answer. With `cap`, a figure that contradicts the product record lowers full support to partial."""
    status, quote = _LABEL[judged.support], judged.quote
    verdict = verdict_of(item, status, judged.justification, "judge")
    # What a source does not say cannot be quoted. A `none` needs no quotation either: left open for the lack
    # of one, it would leave the mean and raise faithfulness.
    if status != "none" and judged.absent and not tokens(quote or ""):
        verdict["absent"] = True
    elif status != "none" and quote is not None and not is_quoted(quote, item):
        verdict["quote_not_found"], verdict["judged"], verdict["status"] = quote, status, "unquoted"
        found = "words that the evidence lacks" if tokens(quote) else "nothing"
        verdict["reason"] = f"the judge quotes {found}; it said: {judged.justification}"
        return verdict
    for source in item.readable:
        span = locate(quote or "", source.text or "")
        if span is not None:
            verdict["spans"] = [_spanned(source, span)]
            break
    if status != "full" or not cap:
        return verdict
    # A judge is overruled on literal ground alone: the very record holds another figure.
    wrong = contradicted_figures(item.claim, item.readable)
    if wrong:
        verdict["status"], verdict["by"], verdict["judged"] = "partial", "rule over judge", "full"
        verdict["reason"] = (
            f"the record says otherwise: {', '.join(wrong)}. The judge said: {judged.justification}"
        )
    # Only noted: the source may give the figure in a way that code does not read.
    elif absent := item.missing_numbers():
        verdict["reason"] = f"{judged.justification} (Not stated as such: {', '.join(absent)}.)"
    return verdict
