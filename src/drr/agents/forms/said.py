"""Reads one sentence of a form: its placeholders, its errors, and its text in the report.

Every figure of a product comes from a placeholder, which code fills from the record; any other figure must stand in a passage that the
sentence cites. The model is told of errors once. A sentence with remaining errors is marked as a judgement: without those figures, and
without a source.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from drr.agents.forms.passages import (
    LONGEST,
    KnownProduct,
    NumberedPassage,
    Passages,
    is_mark,
    without_markup,
)
from drr.agents.forms.placeholders import (
    SINGLE,
    Placeholder,
    ReadingTerms,
    SaidSentence,
    parts_of,
    placeholder_text,
    total_price,
)
from drr.citations.addresses import canonical_url
from drr.wording.stated_figures import COMPARISONS, STATED, HeldFigures, StatedFigure, without_figures

_TITLE = 110


@dataclass
class Numbering:
    passages: Passages
    _listed: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Addresses as a tool gave them, with titles, by canonical address."""

    def mark(self, url: str, title: str) -> str:
        key = canonical_url(url)
        self._listed.setdefault(key, (url, title))
        return f"[{list(self._listed).index(key) + 1}]"

    def of_product(self, product: KnownProduct) -> str:
        return self.mark(product.url, product.named())

    def of_passage(self, passage: NumberedPassage) -> str:
        product = self.passages.products.get(passage.product_id or "")
        if product is not None:
            return self.of_product(product)
        return self.mark(passage.url, self._title(passage))

    def of_order(self, url: str) -> str:
        return self.mark(url, "Your order")

    def _title(self, passage: NumberedPassage) -> str:
        """Return the title of a passage for the list of sources. A web page's title loses its figures; a shopper's record gets a fixed title."""
        if passage.type == "user":
            return "Your order" if "/orders" in passage.url else "Your record in this shop"
        files = self.passages.files
        text = without_markup(passage.title.replace("{", "(").replace("}", ")"), _TITLE, files)
        money = [one for one in STATED.figures(text) if one.kind in ("money", "rating")]
        return files.restored(" ".join(without_figures(text, money, "").split())) or passage.type

    def listing(self) -> str:
        rows = [f"[{n}] {title}: {url}" for n, (url, title) in enumerate(self._listed.values(), 1)]
        return "## Sources\n\n" + ("\n".join(rows) if rows else "None.")


_NAME = re.compile(
    r"(?<![\w'’-])[A-Z][\w'’-]*(?:\s+[A-Z][\w'’-]*)+|(?<=[a-z,;:]\s)[A-Z][\w'’-]{2,}|\b[A-Z][\w-]{2,}(?=['’]s\b)"
)


@dataclass
class ReadSentence:
    """A sentence split into words and placeholders. `faults` are the messages for the model."""

    setting: ReadingTerms
    parts: list[str | Placeholder]
    passages: list[NumberedPassage]
    faults: list[str] = field(default_factory=list)
    lost: bool = False
    """True where the sentence cannot be printed: it names something that no tool showed, or private words."""

    @classmethod
    def of(
        cls,
        sentence: SaidSentence,
        setting: ReadingTerms,
        about: KnownProduct | None = None,
        limit: int = LONGEST,
    ) -> ReadSentence:
        """Read a sentence of the form; `about` is the product in whose table row it stands."""
        text = without_markup(sentence.text, limit, setting.passages.files)
        read_sentence = cls(setting, list(parts_of(text, setting)), [])
        for number in dict.fromkeys(sentence.passages):
            passage = setting.passages[number]
            if passage is None:
                read_sentence.faults.append(f"there is no passage {number}")
            else:
                read_sentence.passages.append(passage)
        read_sentence._look_over(about)
        return read_sentence

    # Errors of a sentence ---------------------------------------------------------------------------------------------------

    @property
    def slots(self) -> list[Placeholder]:
        return [part for part in self.parts if isinstance(part, Placeholder)]

    @cached_property
    def named(self) -> dict[str, KnownProduct]:
        """Return the products that the placeholders name, by id and in order."""
        return {one.product_id: one for slot in self.slots for one, _ in slot.products}

    def _look_over(self, about: KnownProduct | None) -> None:
        for slot in self.slots:
            if slot.wrong:
                self.faults.append(slot.wrong)
                self.lost = self.lost or not slot.products or slot.kind == "bought"
        self.faults += self._misplaced_figures()
        words = " ".join(part for part in self.parts if isinstance(part, str)).casefold()
        if any(one in words for one in self.setting.passages.private):
            self.faults.append("it prints the shopper's name, e-mail, telephone or street; leave that out")
            self.lost = True
        figures = self._sources_of(about)
        for part in self.parts:
            if isinstance(part, str):
                self.faults += [
                    _figure_text(part, figure) for figure in self._unsourced_figures(part, figures)
                ]
        if self._misjudges():
            self.faults.append(
                "whether that keeps to the limit is wrong or not to be seen; it is filled in below the plan"
            )
            self.lost = True
        if self.named or about or any(one.product_id for one in self.passages):
            self.faults += self._strange_names(about)

    def _misjudges(self) -> bool:
        sums = [total_price(slot.products) for slot in self.slots if slot.kind == "sum" and not slot.wrong]
        single = [one.price for one in self.named.values()]
        planned = [] if self.setting.planned is None else [self.setting.planned]
        text = "".join(
            part
            if isinstance(part, str)
            else "it"
            if part.wrong
            else placeholder_text(part, self.slots, self.setting)
            for part in self.parts
        )
        return self.setting.limits.misjudged(
            text, sums or single or planned, together=bool(sums) or not single
        )

    def _misplaced_figures(self) -> Iterator[str]:
        """Yield an error for each figure that a reader would take for another product's."""
        last: KnownProduct | None = None
        sums = {one.product_id for slot in self.slots if slot.kind == "sum" for one, _ in slot.products}
        alone = {one.product_id for slot in self.slots if slot.kind in SINGLE for one, _ in slot.products}
        for slot in self.slots:
            if slot.kind not in SINGLE or not slot.products:
                continue
            product = slot.products[0][0]
            if slot.kind == "product":
                last = product
            elif last is not None and last != product:
                yield f"{{{slot.kind}:{product.product_id}}} stands behind the name of {last.product_id}; name the product first"
        if sums and alone and alone != sums:
            yield "a sum stands beside other products than those in it; name all of them or none"
        if sums and any(slot.kind in SINGLE[1:4] for slot in self.slots):
            yield "a sum stands beside a single product's figure; give the sum a sentence of its own"
        if any(slot.kind == "limit" for slot in self.slots) and (sums or alone):
            yield "the limit stands beside a product or a sum; what keeps to it is filled in below the plan"

    def _sources_of(self, about: KnownProduct | None) -> HeldFigures | None:
        """Return the figures that the sentence may use: the figures in passages of its only product. Two products leave none, as a figure could belong to either."""
        ids = list(dict.fromkeys([*self.named, *([about.product_id] if about else [])]))
        ids = ids or list(dict.fromkeys(one.product_id for one in self.passages if one.product_id))
        if len(ids) > 1:
            return None
        if ids:
            return HeldFigures(one.text for one in self.setting.passages.of_product(ids[0]))
        return HeldFigures(one.text for one in self.passages if not one.personal)

    def _unsourced_figures(self, text: str, figures: HeldFigures | None) -> list[StatedFigure]:
        free = not self.named and not any(one.product_id for one in self.passages)
        return [
            figure
            for figure in STATED.figures(text)
            if not (figures is not None and figures.has(text, figure))
            and not (free and self.setting.asked_figures.has(text, figure))
        ]

    def _strange_names(self, about: KnownProduct | None) -> Iterator[str]:
        """Yield an error for each name that is in no product, passage or question."""
        products = [*self.named.values(), *([about] if about else [])]
        known = [self.setting.asked, *(one.text for one in self.passages), *(one.title for one in products)]
        known += [one.store or "" for one in products]
        known += [p.text for one in products for p in self.setting.passages.of_product(one.product_id)]
        words = set(re.findall(r"\w+", " ".join(known).casefold()))
        for part in self.parts:
            if isinstance(part, str):
                for match in _NAME.finditer(part):
                    strange = [word for word in re.findall(r"\w+", match[0].casefold()) if len(word) > 1]
                    if not set(strange) <= words:
                        yield f"the name {match[0][:60]!r} is in no passage of it; name products by {{product:ID}}"

    def key(self) -> str:
        """Return a key of the sentence's words, to find repetitions. The products belong to the key, except in a judgement."""
        parts = [part if isinstance(part, str) else self._key_of(part) for part in self.parts]
        words = "".join(parts)
        return " ".join(
            (without_figures(words, STATED.figures(words), "") if self.faults else words).casefold().split()
        )

    def _key_of(self, slot: Placeholder) -> str:
        ids = "" if self.faults else ",".join(f"{one.product_id}*{many}" for one, many in slot.products)
        return f"{{{slot.kind}:{ids}}}"


def _figure_text(text: str, figure: StatedFigure) -> str:
    figure_text = text[figure.start : figure.end]
    if figure.kind == "money":
        return (
            f"the amount {figure_text!r}: write {{price:ID}}, {{sum:ID,ID*2}} or {{limit}}, or leave it out"
        )
    if figure.kind == "rating":
        return f"the rating {figure_text!r}: write {{rating:ID}} or {{ratings:ID}}, or leave it out"
    return f"the figure {figure_text!r} is in none of its passages beside these words"


UNCONFIRMED = "(no figure on record)"
JUDGEMENT = "(a judgement, without a source)"
_MOSTLY = 3
"""A sentence that loses so many figures is left out."""


def set_sentence(
    read: ReadSentence, numbering: Numbering, shown: Mapping[str, KnownProduct], *, cited: bool = True
) -> str:
    """Return a sentence as the report prints it; empty where nothing of it can be printed.

    A judgement names only products in `shown`, which the report shows elsewhere: a name without an address could be taken for another's.
    """
    if read.lost:
        return ""
    body = _judged(read, shown) if read.faults else _set(read, numbering, cited=cited)
    return read.setting.passages.files.restored(body)


def _set(read: ReadSentence, numbering: Numbering, *, cited: bool) -> str:
    runs = _runs(read)
    alone = len(read.named) <= 1
    out: list[str] = []
    for place, part in enumerate(read.parts):
        out.append(part if isinstance(part, str) else placeholder_text(part, read.slots, read.setting))
        if not alone and place in runs:
            out.append(" " + "".join(numbering.of_product(one) for one in runs[place]))
    body = _closed_sentence(_join_parts(out))
    if not body or not cited:
        return body
    marks = [numbering.of_product(one) for one in read.named.values()] if alone else []
    marks += [numbering.of_order(slot) for slot in _order_addresses(read)]
    others = [one for one in read.passages if one.product_id not in read.named]
    marks += [numbering.of_passage(one) for one in others]
    joined = "".join(dict.fromkeys(mark for mark in marks if mark))
    return f"{body[:-1].rstrip()} {joined}{body[-1]}" if joined else body


def _order_addresses(read: ReadSentence) -> list[str]:
    orders = read.setting.passages.orders
    return [
        orders[one.product_id].url
        for slot in read.slots
        if slot.kind == "bought"
        for one, _ in slot.products
        if one.product_id in orders
    ]


def _runs(read: ReadSentence) -> dict[int, list[KnownProduct]]:
    """Return the products cited behind each part, by the part's index. A product is cited behind the last figure of a series on it."""
    found: dict[int, list[KnownProduct]] = {}
    last: tuple[int, KnownProduct] | None = None
    for place, part in enumerate(read.parts):
        if isinstance(part, str) or not part.products:
            continue
        if part.kind not in SINGLE:
            found.setdefault(place, []).extend(one for one, _ in part.products)
            continue
        product = part.products[0][0]
        if last is not None and last[1] != product:
            found.setdefault(last[0], []).append(last[1])
        last = place, product
    if last is not None:
        found.setdefault(last[0], []).append(last[1])
    return found


def _judged(read: ReadSentence, shown: Mapping[str, KnownProduct]) -> str:
    """Return the sentence as a judgement, without its unsupported figures; empty where it was mostly figures."""
    out, lost = [], 0
    for part in read.parts:
        if isinstance(part, str):
            found = STATED.figures(part)
            lost += len(found)
            out.append(without_figures(part, found, UNCONFIRMED))
        elif part.kind == "product":
            out.append(part.products[0][0].short_name)
        else:
            lost += 1
            out.append(UNCONFIRMED)
    body = _closed_sentence(_join_parts(out)) if lost < _MOSTLY else ""
    named = {slot.products[0][0].product_id for slot in read.slots if slot.kind == "product"}
    if named - shown.keys() or COMPARISONS.compares(body):
        return ""
    return f"{body[:-1].rstrip()} {JUDGEMENT}{body[-1]}" if body else ""


def _join_parts(parts: Sequence[str]) -> str:
    """Join parts, with a space where two words would run together."""
    text = ""
    for part in parts:
        glued = text[-1:].isalnum() and (part[:1].isalnum() or part[:1] == "$")
        text += f" {part}" if glued else part
    return text


def _closed_sentence(text: str) -> str:
    """Return a text on one line, with a capital at its start and one punctuation mark at its end."""
    text = re.sub(r"(?<!\s)\s++([.,;:!?)])", r"\1", " ".join(text.split())).rstrip(" ,;:-–—")
    if not any(one.isalnum() or is_mark(one) for one in text):
        return ""
    if not is_mark(text[0]):
        text = re.sub(r"[^\W\d_]", lambda match: match[0].upper(), text, count=1)
    return text if text[-1] in ".!?" else f"{text}."
