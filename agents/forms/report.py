"""A filled form as a report. What is wrong with it for the model to mend, and the Markdown that code sets."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from drr.agents.forms import names
from drr.agents.forms.form import ComparedProduct, ReportForm, ReportSection, SaidSentence
from drr.agents.forms.limits import CostLimits
from drr.agents.forms.numbering import Numbering
from drr.agents.forms.passages import KnownProduct, Passages
from drr.agents.forms.placeholders import ReadingTerms
from drr.agents.forms.plain import plain
from drr.agents.forms.plan import BuyingPlan
from drr.agents.forms.said import ReadSentence
from drr.agents.forms.setting import set_sentence
from drr.citations.headings import is_reference_heading
from drr.env.constraints import parse_constraints
from drr.wording.stated import STATED

_TITLE, _NOTE = 80, 160
_SECTIONS, _SENTENCES, _ROWS = 12, 40, 20
"""Of one report, of one part, of one table."""
_SLOT = re.compile(r"\{[^{}]*\}|[{}]")


@dataclass
class ComparedRow:
    product: KnownProduct
    note: ReadSentence


@dataclass
class SectionRead:
    title: str
    said: list[ReadSentence]
    rows: list[ComparedRow]


@dataclass
class FormRead:
    """A form held against the passages and the question."""

    passages: Passages
    answer: list[ReadSentence]
    sections: list[SectionRead]
    plan: BuyingPlan
    faults: list[str] = field(default_factory=list)
    """For the model, each with its place."""

    @classmethod
    def of(cls, form: ReportForm, passages: Passages, question: str) -> FormRead:
        limits = CostLimits(parse_constraints(question))
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
        """The report. What is still wrong stands in it as a judgement, or not at all; empty where nothing can be said."""
        numbering, told, shown = Numbering(self.passages), set[str](), self._shown()
        parts = [_titled("The short answer", [_paragraph(self.answer, numbering, told, shown)])]
        parts += [_set_section(section, numbering, told, shown) for section in self.sections]
        parts += [self.plan.section(numbering, list(shown.values())), self._outside(numbering, shown)]
        written = [part for part in parts if part]
        return "\n\n".join([*written, numbering.listing()]) + "\n" if written else ""

    def _outside(self, numbering: Numbering, shown: Mapping[str, KnownProduct]) -> str:
        """Say of what is named and keeps to no limit of the question that it does not."""
        lines = [
            f"- {names.short_title(one)} at {names.price(one)} is {why} {numbering.mark(one.url, names.title(one))}."
            for one in shown.values()
            if (why := self.plan.limits.outside(one)) is not None
        ]
        return _titled("Outside your limits", ["\n".join(lines)])

    def _shown(self) -> dict[str, KnownProduct]:
        """Every product that the report shows with its address, once."""
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
            yield from section.said


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
    title = plain(_SLOT.sub(" ", section.title), _TITLE, files)
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
        faults.append(f"{place}, products: no tool showed a product {plain(written.product_id, 40)!r}")
        return None
    sentence = SaidSentence(text=written.note, passages=[])
    note = ReadSentence.of(sentence, setting, about=product, limit=_NOTE)
    if note.slots:
        note.faults.append("a note takes no placeholder")
    faults += [f"{place}, note on {product.product_id}: {fault}" for fault in dict.fromkeys(note.faults)]
    return ComparedRow(product, note)


def _set_section(
    section: SectionRead, numbering: Numbering, told: set[str], shown: Mapping[str, KnownProduct]
) -> str:
    return _titled(
        section.title, [_paragraph(section.said, numbering, told, shown), _table(section.rows, numbering)]
    )


def _titled(title: str, blocks: Iterable[str]) -> str:
    written = [block for block in blocks if block]
    return "\n\n".join([f"## {title}", *written]) if written else ""


def _paragraph(
    said: Iterable[ReadSentence],
    numbering: Numbering,
    told: set[str],
    shown: Mapping[str, KnownProduct],
) -> str:
    """Write a paragraph without repeating earlier sentences, or a judgement of the same words about something else."""
    found = []
    for one in said:
        key = one.key()
        if key not in told and (text := set_sentence(one, numbering, shown)):
            told.add(key)
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
        names.short_title(product),
        names.price(product, "unknown"),
        names.rating(product),
        names.ratings(product, "unknown"),
        note.rstrip(".") or "–",
        numbering.mark(product.url, names.title(product)),
    )
    return f"| {' | '.join(cells)} |"
