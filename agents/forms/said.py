"""One sentence of a form: its placeholders, what is wrong with it, and how it is set.

Every figure of a product comes by a placeholder, which code fills from the record; any other figure must stand in a passage that the
sentence names. What is wrong goes back to the model once. What is still wrong then is set as a judgement: without that figure, and
without a source.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property

from drr.agents.forms import names
from drr.agents.forms.form import SaidSentence
from drr.agents.forms.numbering import Numbering
from drr.agents.forms.passages import KnownProduct, NumberedPassage, Passages
from drr.agents.forms.plain import plain, unmarked
from drr.wording.money import money
from drr.wording.stated import STATED, HeldFigures, StatedFigure, without

UNCONFIRMED = "(no figure on record)"
JUDGEMENT = "(a judgement, without a source)"
_MOSTLY = 3
"""So many figures less, and a sentence says nothing."""
_SLOT = re.compile(r"\{\s*([A-Za-z_]{1,20})\s*(?::([^{}]{0,200}))?\}")
_TERM = re.compile(r"\s*([^\s*×]+)\s*(?:[*×x]\s*(\d{1,3}))?\s*")
_NAME = re.compile(
    r"(?<![\w'’-])[A-Z][\w'’-]*(?:\s+[A-Z][\w'’-]*)+|(?<=[a-z,;:]\s)[A-Z][\w'’-]{2,}|\b[A-Z][\w-]{2,}(?=['’]s\b)"
)
_SINGLE = ("product", "price", "rating", "ratings", "bought")
MOST = 24
"""Of one thing: so many a shopper buys at once, and a check knows for a number of pieces."""


@dataclass(frozen=True)
class Placeholder:
    """One placeholder, with what it names; `wrong` says why it cannot be filled."""

    kind: str
    products: tuple[tuple[KnownProduct, int], ...] = ()
    wrong: str = ""


@dataclass
class Setting:
    """What every sentence of a report is read with."""

    passages: Passages
    asked: str
    """The question, whose figures may be said again."""
    limit: Decimal | None = None
    """The most that everything may cost, where the question says so."""

    @cached_property
    def asked_figures(self) -> HeldFigures:
        return HeldFigures([self.asked])


@dataclass
class ReadSentence:
    """A sentence taken apart. `faults` are what the model is told."""

    setting: Setting
    parts: list[str | Placeholder]
    passages: list[NumberedPassage]
    faults: list[str] = field(default_factory=list)
    lost: bool = False
    """Nothing of it can be said: it names what nobody found, or what is nobody's to print."""

    @classmethod
    def of(cls, sentence: SaidSentence, setting: Setting, about: KnownProduct | None = None) -> ReadSentence:
        """`about`: the product in whose row it stands."""
        text = plain(sentence.text)
        said = cls(setting, list(_parts(text, setting)), [])
        for number in dict.fromkeys(sentence.passages):
            passage = setting.passages[number]
            if passage is None:
                said.faults.append(f"there is no passage {number}")
            else:
                said.passages.append(passage)
        said._look_over(about)
        return said

    # What is wrong ---------------------------------------------------------------------------------------------------

    @property
    def slots(self) -> list[Placeholder]:
        return [part for part in self.parts if isinstance(part, Placeholder)]

    @cached_property
    def named(self) -> dict[str, KnownProduct]:
        """The products that its placeholders name, in order."""
        return {one.product_id: one for slot in self.slots for one, _ in slot.products}

    def _words(self) -> str:
        return " ".join(part for part in self.parts if isinstance(part, str))

    def _look_over(self, about: KnownProduct | None) -> None:
        for slot in self.slots:
            if slot.wrong:
                self.faults.append(slot.wrong)
                self.lost = self.lost or not slot.products
        self.faults += self._misplaced()
        words = self._words().casefold()
        if any(one in words for one in self.setting.passages.private):
            self.faults.append("it prints the shopper's name, e-mail, telephone or street; leave that out")
            self.lost = True
        held = self._held(about)
        for part in self.parts:
            if isinstance(part, str):
                self.faults += [_told(part, figure) for figure in self._unheld(part, held)]
        if self.named or about or any(one.product_id for one in self.passages):
            self.faults += self._strange_names(about)

    def _misplaced(self) -> Iterator[str]:
        """A figure behind the name of another product would be read as that one's."""
        last: KnownProduct | None = None
        sums = {one.product_id for slot in self.slots if slot.kind == "sum" for one, _ in slot.products}
        alone = {one.product_id for slot in self.slots if slot.kind in _SINGLE for one, _ in slot.products}
        for slot in self.slots:
            if slot.kind not in _SINGLE or not slot.products:
                continue
            product = slot.products[0][0]
            if slot.kind == "product":
                last = product
            elif last is not None and last != product:
                yield f"{{{slot.kind}:{product.product_id}}} stands behind the name of {last.product_id}; name the product first"
        if sums and alone and not alone <= sums:
            yield "a sum stands beside a product that is not in it; give the sum a sentence of its own"
        if sums and any(slot.kind in _SINGLE[1:4] for slot in self.slots):
            yield "a sum stands beside a single product's figure; give the sum a sentence of its own"
        if any(slot.kind == "limit" for slot in self.slots) and (sums or alone):
            yield "the limit stands beside a product or a sum; what keeps to it is filled in below the plan"

    def _held(self, about: KnownProduct | None) -> HeldFigures | None:
        """Where its figures may be from; of two products none, because nobody could tell whose they are."""
        ids = list(dict.fromkeys([*self.named, *([about.product_id] if about else [])]))
        ids = ids or list(dict.fromkeys(one.product_id for one in self.passages if one.product_id))
        if len(ids) > 1:
            return None
        if ids:
            return HeldFigures(one.text for one in self.setting.passages.of_product(ids[0]))
        return HeldFigures(one.text for one in self.passages if not one.personal)

    def _unheld(self, text: str, held: HeldFigures | None) -> list[StatedFigure]:
        free = not self.named and not any(one.product_id for one in self.passages)
        return [
            figure
            for figure in STATED.figures(text)
            if not (held is not None and held.has(text, figure))
            and not (free and self.setting.asked_figures.has(text, figure))
        ]

    def _strange_names(self, about: KnownProduct | None) -> Iterator[str]:
        """Names that neither the products, their passages nor the question know."""
        products = [*self.named.values(), *([about] if about else [])]
        known = [self.setting.asked, *(one.text for one in self.passages), *(one.title for one in products)]
        known += [one.store or "" for one in products]
        known += [p.text for one in products for p in self.setting.passages.of_product(one.product_id)]
        words = set(re.findall(r"\w+", " ".join(known).casefold()))
        for part in self.parts:
            if isinstance(part, str):
                for match in _NAME.finditer(part):
                    told = [word for word in re.findall(r"\w+", match[0].casefold()) if len(word) > 1]
                    if not set(told) <= words:
                        yield f"the name {match[0][:60]!r} is in no passage of it; name products by {{product:ID}}"

    # How it is set ---------------------------------------------------------------------------------------------------

    def text(self, numbering: Numbering, *, cited: bool = True) -> str:
        """The sentence as the report has it; empty where nothing of it can be said."""
        if self.lost:
            return ""
        if self.faults:
            return self._judged()
        runs = self._runs()
        alone = len(self.named) <= 1
        out: list[str] = []
        for place, part in enumerate(self.parts):
            out.append(part if isinstance(part, str) else self._filled(part))
            if not alone and place in runs:
                out.append(" " + "".join(numbering.mark(one.url, names.title(one)) for one in runs[place]))
        body = _closed("".join(out))
        if not body or not cited:
            return body
        marks = [numbering.mark(one.url, names.title(one)) for one in self.named.values()] if alone else []
        marks += [numbering.of_order(slot) for slot in self._bought()]
        others = [one for one in self.passages if one.product_id not in self.named or one.product_id is None]
        marks += [numbering.of_passage(one) for one in others]
        joined = "".join(dict.fromkeys(mark for mark in marks if mark))
        return f"{body[:-1].rstrip()} {joined}{body[-1]}" if joined else body

    def _bought(self) -> list[str]:
        orders = self.setting.passages.orders
        return [
            orders[one.product_id].url
            for slot in self.slots
            if slot.kind == "bought"
            for one, _ in slot.products
            if one.product_id in orders
        ]

    def _runs(self) -> dict[int, list[KnownProduct]]:
        """Behind which part which products are cited: behind the last figure of a run on one of them."""
        found: dict[int, list[KnownProduct]] = {}
        last: tuple[int, KnownProduct] | None = None
        for place, part in enumerate(self.parts):
            if isinstance(part, str) or not part.products:
                continue
            if part.kind not in _SINGLE:
                found.setdefault(place, []).extend(one for one, _ in part.products)
                continue
            product = part.products[0][0]
            if last is not None and last[1] != product:
                found.setdefault(last[0], []).append(last[1])
            last = place, product
        if last is not None:
            found.setdefault(last[0], []).append(last[1])
        return found

    def _filled(self, slot: Placeholder) -> str:
        if slot.kind == "limit":
            return f"your limit of {money(self.setting.limit or Decimal(0))}"
        if slot.kind == "sum":
            return written_out(slot.products)
        product = slot.products[0][0]
        named = any(one.kind == "product" and one.products[0][0] == product for one in self.slots)
        whose = "" if named else f" ({names.short_title(product)})"
        match slot.kind:
            case "price":
                return names.price(product) + whose
            case "rating":
                return names.rating(product) + whose
            case "ratings":
                return names.ratings(product) + " ratings" + whose
            case "bought":
                return f"on {self.setting.passages.orders[product.product_id].date}"
        return names.short_title(product)

    def _judged(self) -> str:
        """What is left of it without the figures that are nobody's, as a judgement; nothing where it was mostly figures."""
        out, lost = [], 0
        for part in self.parts:
            if isinstance(part, str):
                found = STATED.figures(part)
                lost += len(found)
                out.append(without(part, found, UNCONFIRMED))
            elif part.kind == "product":
                out.append(names.short_title(part.products[0][0]))
            else:
                lost += 1
                out.append(UNCONFIRMED)
        body = _closed("".join(out)) if lost < _MOSTLY else ""
        return f"{body[:-1].rstrip()} {JUDGEMENT}{body[-1]}" if body else ""


def written_out(terms: Sequence[tuple[KnownProduct, int]]) -> str:
    """The sum with what it is made of: `$64.50 (2 × $20.00 + $24.50)`."""
    priced = [(product.price, many) for product, many in terms if product.price is not None]
    parts = " + ".join(money(price) if many == 1 else f"{many} × {money(price)}" for price, many in priced)
    total = money(sum((price * many for price, many in priced), Decimal(0)))
    return f"{total} ({parts})" if len(priced) > 1 or priced[0][1] > 1 else total


def _parts(text: str, setting: Setting) -> Iterator[str | Placeholder]:
    """The words and the placeholders; a brace that is none of a placeholder goes."""
    end = 0
    for match in _SLOT.finditer(text):
        if words := unmarked(text[end : match.start()]):
            yield words
        yield _slot(match[1].casefold(), match[2] or "", setting)
        end = match.end()
    if words := unmarked(text[end:]):
        yield words


def _slot(kind: str, inside: str, setting: Setting) -> Placeholder:
    if kind == "limit":
        if setting.limit is None:
            return Placeholder(kind, wrong="{limit}: the question sets no limit on the whole cost")
        return Placeholder(kind)
    if kind not in (*_SINGLE, "sum"):
        return Placeholder(kind, wrong=f"{{{kind}}} is no placeholder")
    terms, wrong = _terms(inside, setting.passages)
    if not wrong and kind != "sum" and (len(terms) != 1 or terms[0][1] != 1):
        wrong = f"{{{kind}:...}} takes one id"
    if wrong:
        return Placeholder(kind, wrong=wrong)
    product = terms[0][0]
    if kind == "sum" and (unknown := [one.product_id for one, _ in terms if one.price is None]):
        return Placeholder(kind, tuple(terms), f"the price of {unknown[0]} is unknown, so there is no sum")
    if kind == "bought" and product.product_id not in setting.passages.orders:
        return Placeholder(kind, tuple(terms), f"no passage shows that {product.product_id} was bought")
    return Placeholder(kind, tuple(terms))


def _terms(inside: str, passages: Passages) -> tuple[list[tuple[KnownProduct, int]], str]:
    """`ID, ID*2`; what is wrong with it, else nothing."""
    found: list[tuple[KnownProduct, int]] = []
    for one in re.split(r"[,+]", inside):
        match = _TERM.fullmatch(one)
        product = passages.product(match[1]) if match else None
        if match is None or product is None:
            return found, f"no tool showed a product {plain(one, 40).strip()!r}"
        many = int(match[2] or 1)
        if not 1 <= many <= MOST:
            return found, f"{many} times {product.product_id}: give 1 to {MOST}"
        found.append((product, many))
    if len({product.product_id for product, _ in found}) < len(found):
        return found, "a product stands twice in one sum; give it once, with its number of times"
    return found, ""


def _told(text: str, figure: StatedFigure) -> str:
    said = text[figure.start : figure.end]
    if figure.kind == "money":
        return f"the amount {said!r}: write {{price:ID}}, {{sum:ID,ID*2}} or {{limit}}, or leave it out"
    if figure.kind == "rating":
        return f"the rating {said!r}: write {{rating:ID}} or {{ratings:ID}}, or leave it out"
    return f"the figure {said!r} is in none of its passages beside these words"


def _closed(text: str) -> str:
    """On one line, with one mark at the end."""
    text = re.sub(r"\s+([.,;:!?)])", r"\1", " ".join(text.split())).rstrip(" ,;:-–—")
    if not re.search(r"\w", text):
        return ""
    return text if text[-1] in ".!?" else f"{text}."
