"""Makes a report from a filled form. Errors in the form go back to the model; the rest becomes Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property

from drr.agents.forms.passages import KnownProduct, Passages, without_markup
from drr.agents.forms.placeholders import (
    MOST,
    ComparedProduct,
    CostLimits,
    PlanLine,
    ReadingTerms,
    ReportForm,
    ReportSection,
    SaidSentence,
    total_price,
)
from drr.agents.forms.said import Numbering, ReadSentence, set_sentence
from drr.citations.lines import is_reference_heading
from drr.env.constraints import parse_constraints
from drr.env.text import tokens
from drr.wording.stated_figures import STATED

_LINES = 60


@dataclass
class BuyingPlan:
    limits: CostLimits
    lines: dict[str, tuple[KnownProduct, int]] = field(default_factory=dict)
    """The products to buy by id, each with its quantity."""
    faults: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, written: Sequence[PlanLine], passages: Passages, limits: CostLimits) -> BuyingPlan:
        plan = cls(limits)
        for line in written[:_LINES]:
            product = passages.product(line.product_id)
            if product is None:
                plan.faults.append(f"plan: no tool showed a product {without_markup(line.product_id, 40)!r}")
            elif not 1 <= line.quantity <= MOST:
                plan.faults.append(
                    f"plan: {line.quantity} times {product.product_id}; a quantity is 1 to {MOST}"
                )
            else:
                many = plan.lines.get(product.product_id, (product, 0))[1] + line.quantity
                plan.lines[product.product_id] = product, min(many, MOST)
        plan.faults += plan._broken()
        if not plan.lines and limits.total is not None and passages.products:
            plan.faults.append("plan: the question sets a limit on the cost; give what to buy")
        return plan

    @cached_property
    def total(self) -> Decimal:
        """Return the sum of the known prices."""
        return total_price(list(self.lines.values()))

    @property
    def is_priced(self) -> bool:
        return all(product.price is not None for product, _ in self.lines.values())

    def _broken(self) -> Iterator[str]:
        """Yield a message, with the numbers, for each demand of the question that the plan breaks."""
        limit, floor, money = self.limits.total, self.limits.floor, self.limits.currency.text
        if limit is not None and self.total > limit:
            yield f"plan: it costs {money(self.total)}, {money(self.total - limit)} over the limit of {money(limit)}"
        if floor is not None and self.lines and self.is_priced and self.total < floor:
            yield f"plan: it costs {money(self.total)}, less than the {money(floor)} that the question wants spent"
        for product, _ in self.lines.values():
            if (why := self.limits.outside(product)) is not None:
                yield f"plan: {product.product_id} at {product.shown_price()} is {why}"
            for word in self.limits.demands.exclusions:
                if tokens(word) and set(tokens(word)) <= set(tokens(product.title)):
                    yield f"plan: {product.product_id} is {word!r} by its title, which the question rules out"

    def section(self, numbering: Numbering, named: Sequence[KnownProduct]) -> str:
        """Return the section with the table of costs, its total, and whether the total keeps the limit. Without a plan, it says how much of the limit the first named product leaves."""
        if not self.lines:
            alone = self._left_of_limit(numbering, named)
            return f"## What it costs\n\nThere is no list of what to buy. {alone}" if alone else ""
        head = "| Item | Unit price | Quantity | Cost |\n| --- | --- | --- | --- |"
        rows = [self._row(product, many, numbering) for product, many in self.lines.values()]
        if any(one.price is not None for one, _ in self.lines.values()):
            label = "Total" if self.is_priced else "Total of the known prices"
            rows.append(f"| **{label}** | | | **{self.limits.currency.text(self.total)}** |")
        unknown = [one.short_name for one, _ in self.lines.values() if one.price is None]
        below = f"The price of {' and of '.join(unknown)} is unknown." if unknown else self._verdict()
        parts = ["\n".join([head, *rows]), below, "" if self.total else self._left_of_limit(numbering, named)]
        limit = self.limits.total
        over = ": over your limit" if limit is not None and self.total > limit else ""
        return f"## What it costs{over}\n\n" + "\n\n".join(part for part in parts if part)

    def _left_of_limit(self, numbering: Numbering, named: Sequence[KnownProduct]) -> str:
        """Say how much of the limit the first affordable named product leaves, where the plan has no total."""
        limit = self.limits.total
        for one in named:
            if limit is not None and one.price is not None and one.price <= limit:
                mark = numbering.of_product(one)
                return (
                    f"{one.short_name} at {one.shown_price()} {mark} alone leaves {self.limits.currency.text(limit - one.price)}"
                    f" of your limit of {self.limits.currency.text(limit)}."
                )
        return ""

    def _row(self, product: KnownProduct, many: int, numbering: Numbering) -> str:
        cost = None if product.price is None else product.price * many
        mark = numbering.of_product(product)
        return (
            f"| {product.short_name} {mark} | {product.shown_price('unknown')} | {many}"
            f" | {'unknown' if cost is None else self.limits.currency.text(cost)} |"
        )

    def _verdict(self) -> str:
        limit, money = self.limits.total, self.limits.currency.text
        if limit is None:
            return ""
        if self.total > limit:
            return f"The total of {money(self.total)} is over your limit of {money(limit)}."
        return f"The total of {money(self.total)} keeps within your limit of {money(limit)}."


_TITLE, _NOTE = 80, 160
_SECTIONS, _SENTENCES, _ROWS = 12, 40, 20
"""Maximum number of sections of a report, sentences of a section and rows of a table."""
_SLOT = re.compile(r"\{[^{}]*\}|[{}]")


@dataclass
class ComparedRow:
    product: KnownProduct
    note: ReadSentence


@dataclass
class SectionRead:
    title: str
    sentences: list[ReadSentence]
    rows: list[ComparedRow]


@dataclass
class FormRead:
    """A form after its check against the passages and the question."""

    passages: Passages
    answer: list[ReadSentence]
    sections: list[SectionRead]
    plan: BuyingPlan
    faults: list[str] = field(default_factory=list)
    """Messages for the model, each with its place in the form."""

    @classmethod
    def of(cls, form: ReportForm, passages: Passages, question: str) -> FormRead:
        limits = CostLimits(parse_constraints(question, passages.currency), passages.currency)
        question = passages.currency.as_dollars(question)
        plan = BuyingPlan.of(form.plan, passages, limits)
        planned = plan.total if plan.lines and plan.is_priced else None
        setting = ReadingTerms(passages, question, limits, planned)
        faults: list[str] = []
        answer = _sentences("answer", form.answer, setting, faults)
        sections = [
            _section(f"section {n}", section, setting, faults)
            for n, section in enumerate(form.sections[:_SECTIONS], 1)
        ]
        return cls(passages, answer, sections, plan, [*faults, *plan.faults])

    def report(self) -> str:
        """Return the report. A faulty sentence is marked as a judgement or left out; the report is empty where nothing can be said."""
        numbering, used, shown = Numbering(self.passages), set[str](), self._shown_products()
        parts = [_titled_section("The short answer", [_paragraph(self.answer, numbering, used, shown)])]
        parts += [_set_section(section, numbering, used, shown) for section in self.sections]
        parts += [
            self.plan.section(numbering, list(shown.values())),
            self._over_limits(numbering, shown),
        ]
        written = [part for part in parts if part]
        return "\n\n".join([*written, numbering.listing()]) + "\n" if written else ""

    def _over_limits(self, numbering: Numbering, shown: Mapping[str, KnownProduct]) -> str:
        """Return a section with the products that the report shows and that exceed a limit of the question."""
        lines = [
            f"- {one.short_name} at {one.shown_price()} is {why} {numbering.of_product(one)}."
            for one in shown.values()
            if (why := self.plan.limits.outside(one)) is not None
        ]
        return _titled_section("Outside your limits", ["\n".join(lines)])

    def _shown_products(self) -> dict[str, KnownProduct]:
        """Return every product that the report shows with its address, by id."""
        whole = [one for one in self._all_sentences() if not one.faults]
        named = [product for one in whole for product in one.named.values()]
        behind = [passage for one in whole for passage in one.passages]
        named += [self.passages.products[one.product_id] for one in behind if one.product_id]
        rows = [row.product for section in self.sections for row in section.rows]
        every = [*named, *rows, *(one for one, _ in self.plan.lines.values())]
        return {one.product_id: one for one in every}

    def _all_sentences(self) -> Iterable[ReadSentence]:
        yield from self.answer
        for section in self.sections:
            yield from section.sentences


def _sentences(
    place: str, written: Sequence[SaidSentence], setting: ReadingTerms, faults: list[str]
) -> list[ReadSentence]:
    found = []
    for number, sentence in enumerate(written[:_SENTENCES], 1):
        read_sentence = ReadSentence.of(sentence, setting)
        faults += [f"{place}, sentence {number}: {fault}" for fault in dict.fromkeys(read_sentence.faults)]
        found.append(read_sentence)
    return found


def _section(place: str, section: ReportSection, setting: ReadingTerms, faults: list[str]) -> SectionRead:
    files = setting.passages.files
    title = without_markup(_SLOT.sub(" ", section.title), _TITLE, files)
    if STATED.figures(title):
        faults.append(f"{place}: its title has a figure; leave it out")
        title = ""
    rows = [
        row
        for written in section.products[:_ROWS]
        if (row := _row(place, written, setting, faults)) is not None
    ]
    distinct = {row.product.product_id: row for row in reversed(rows)}
    title = " ".join(title.split()).strip(" ,;:.!?-–—")
    if not re.search(r"\w{4}", title) or is_reference_heading(title):
        title = "More"
    return SectionRead(
        files.restored(title),
        _sentences(place, section.sentences, setting, faults),
        list(reversed(distinct.values())),
    )


def _row(
    place: str, written: ComparedProduct, setting: ReadingTerms, faults: list[str]
) -> ComparedRow | None:
    product = setting.passages.product(written.product_id)
    if product is None:
        faults.append(
            f"{place}, products: no tool showed a product {without_markup(written.product_id, 40)!r}"
        )
        return None
    sentence = SaidSentence(text=written.note, passages=[])
    note = ReadSentence.of(sentence, setting, about=product, limit=_NOTE)
    if note.slots:
        note.faults.append("a note takes no placeholder")
    faults += [f"{place}, note on {product.product_id}: {fault}" for fault in dict.fromkeys(note.faults)]
    return ComparedRow(product, note)


def _set_section(
    section: SectionRead, numbering: Numbering, used: set[str], shown: Mapping[str, KnownProduct]
) -> str:
    return _titled_section(
        section.title,
        [_paragraph(section.sentences, numbering, used, shown), _table(section.rows, numbering)],
    )


def _titled_section(title: str, blocks: Iterable[str]) -> str:
    written = [block for block in blocks if block]
    return "\n\n".join([f"## {title}", *written]) if written else ""


def _paragraph(
    sentences: Iterable[ReadSentence], numbering: Numbering, used: set[str], shown: Mapping[str, KnownProduct]
) -> str:
    """Write a paragraph without sentences that stood earlier. Judgements with the same words about different products count as repeated."""
    found = []
    for one in sentences:
        key = one.key()
        if key not in used and (text := set_sentence(one, numbering, shown)):
            used.add(key)
            found.append(text)
    return " ".join(found)


def _table(rows: Sequence[ComparedRow], numbering: Numbering) -> str:
    if not rows:
        return ""
    head = "| Product | Price | Rating | Ratings | Note | Source |\n| --- | --- | --- | --- | --- | --- |"
    return head + "\n" + "\n".join(_set_row(row, numbering) for row in rows)


def _set_row(row: ComparedRow, numbering: Numbering) -> str:
    product = row.product
    note = "" if row.note.faults else set_sentence(row.note, numbering, {}, cited=False)
    cells = (
        product.short_name,
        product.shown_price("unknown"),
        product.shown_rating(),
        product.shown_ratings("unknown"),
        note.rstrip(".") or "–",
        numbering.of_product(product),
    )
    return f"| {' | '.join(cells)} |"
