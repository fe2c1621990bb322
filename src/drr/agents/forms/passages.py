"""Numbers the tools' results as passages, with the products and purchases that they describe."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

from drr.citations.addresses import canonical_url
from drr.citations.cited import without_addresses
from drr.env.json_object import JsonObject
from drr.env.records.lines import count, one_line, priced, stars
from drr.env.source import Source
from drr.llm.prompts import fence
from drr.wording.currency import DOLLARS, Currency
from drr.wording.money import amounts

_FIRST, _MOST = 0xE000, 100
"""The first private-use character of Unicode and how many such characters may stand for file names."""
_STRAY = re.compile("[\ue000-\uf8ff]")
_HARMLESS = re.compile(r"\w[\w .()+-]{0,120}\.(?:pdf|png|jpe?g|xlsx|csv|eml|html?|md|txt)", re.IGNORECASE)
"""The pattern of a file name that is kept in a text. A file named like a web site is not."""


class FileNames:
    """The names of files that belong to a question. A name is found where it stands alone and not within an address."""

    def __init__(self, names: Sequence[str] = ()) -> None:
        known = {name.casefold(): name for name in names if _HARMLESS.fullmatch(name)}
        self._marks = {name: chr(_FIRST + place) for place, name in enumerate(list(known)[:_MOST])}
        self._names = {mark: known[name] for name, mark in self._marks.items()}
        either = "|".join(map(re.escape, sorted(self._marks, key=len, reverse=True)))
        self._said = re.compile(rf"(?<![\w@./:-])(?:{either})(?![\w@/#-]|\.\w)", re.IGNORECASE)

    def marked(self, text: str) -> str:
        """Return `text` with one private-use character in place of each file name; its own such characters are removed."""
        text = _STRAY.sub("", text)
        return self._said.sub(lambda match: self._marks[match[0].casefold()], text) if self._marks else text

    def restored(self, text: str) -> str:
        return _STRAY.sub(lambda match: self._names.get(match[0], ""), text)


def is_mark(char: str) -> bool:
    return _STRAY.match(char) is not None


NO_FILES = FileNames()


LONGEST = 1_200
"""Maximum number of characters in one sentence; the rest is cut off."""
_MARKS = re.compile(r"\[[\s\d,;^†–-]{0,40}\]|【[^【】]{0,200}】")
_MARKUP = re.compile(r"\{[^{}\[\]<>|`]{0,200}\}|[\[\]<>*_`#|~\\^【】†]")
_LEAD = re.compile(r"^(?:(?:[-+•·>=]|\d{1,3}[.)])\s+)+")
_ESCAPES = 3


def without_markup(text: str, limit: int = LONGEST, files: FileNames = NO_FILES) -> str:
    """Return a text without markup, addresses and citation marks. Placeholders in braces stay, and a name of `files` becomes its mark."""
    text = text[: 4 * limit]
    for _ in range(_ESCAPES):
        text = html.unescape(text)
    text = one_line(_western(unicodedata.normalize("NFKC", text)), 4 * limit)
    text = without_addresses(files.marked(text))
    text = _MARKUP.sub(lambda match: match[0] if match[0][0] == "{" else " ", _MARKS.sub(" ", text))
    return _LEAD.sub("", one_line(_tidy_punctuation(text), limit)).strip()


def text_between_placeholders(text: str) -> str:
    """Return the text between placeholders without braces and markup."""
    return _MARKUP.sub(" ", text.replace("{", " ").replace("}", " "))


def _western(text: str) -> str:
    """Return a text with the digits of every script written as 0 to 9."""
    if text.isascii():
        return text
    return "".join(str(unicodedata.digit(char, char)) if char.isdigit() else char for char in text)


def _tidy_punctuation(text: str) -> str:
    """Remove empty brackets and quotes, and spaces before punctuation, that a deletion left behind."""
    text = re.sub(r"\(\s*\)|\"\s*\"", " ", text)
    return re.sub(r"(?<!\s)\s++([.,;:!?)])", r"\1", text)


_ROW = 700
"""Maximum number of characters of a passage on one line of the list. A longer passage keeps its lines within a fence."""
_TITLE = 120


_LONG_NAME, _SHORT_NAME = 110, 60
_BREAK = re.compile(r",| - | – | — | \(| with | for |…")
_LEAST = 12
"""Minimum number of characters of a title that still names a thing."""


@dataclass(frozen=True)
class NumberedPassage:
    """A text that a tool returned for one address."""

    number: int
    url: str
    type: str
    title: str
    text: str
    product_id: str | None = None
    personal: bool = False
    """True for the record that says who the shopper is."""


@dataclass(frozen=True)
class KnownProduct:
    """A product with the fields of its record."""

    product_id: str
    url: str
    title: str
    price: Decimal | None
    rating: float | None
    ratings: int | None
    store: str | None
    currency: Currency = DOLLARS

    def named(self, limit: int = _LONG_NAME) -> str:
        """Return the title without markup, addresses and amounts, because a seller's title must not state a price."""
        text = without_markup(self.title.replace("{", "(").replace("}", ")"), 2 * _LONG_NAME)
        for amount in reversed(amounts(text)):
            text = f"{text[: amount.start]} {text[amount.end :]}"
        text = " ".join(text.split())
        if len(text) > limit:
            text = text[:limit].rsplit(" ", 1)[0].rstrip(" ,;:-–—(/")
        return text or f"product {self.product_id}"

    @property
    def short_name(self) -> str:
        """Return the title up to the first separator that leaves a name of usual length."""
        text = self.named()
        for mark in _BREAK.finditer(text):
            if _LEAST <= mark.start() <= _SHORT_NAME:
                return text[: mark.start()]
        return self.named(_SHORT_NAME)

    def shown_price(self, unknown: str = "an unknown price") -> str:
        return unknown if self.price is None else priced(float(self.price), self.currency)

    def shown_rating(self) -> str:
        return "not rated" if self.rating is None else f"{stars(self.rating)}/5"

    def shown_ratings(self, unknown: str = "an unknown number of") -> str:
        return unknown if self.ratings is None else count(self.ratings)


@dataclass(frozen=True)
class KnownOrder:
    product_id: str
    date: str
    quantity: int
    url: str


class Passages:
    """Passages numbered from 1 in the order of first sight. A text that a longer one of the same address repeats is left out."""

    def __init__(
        self, sources: Sequence[Source], files: Sequence[str] = (), currency: Currency = DOLLARS
    ) -> None:
        self.currency = currency
        self.files = FileNames(files)
        self.products: dict[str, KnownProduct] = {}
        self.orders: dict[str, KnownOrder] = {}
        """The latest order of each product that was neither cancelled nor returned."""
        self.private: set[str] = set()
        """Words of the shopper that no report may print: name, e-mail, telephone and street."""
        for source in sources:
            self._enter(source)
        self.all = tuple(
            NumberedPassage(
                number,
                source.url,
                source.type,
                one_line(source.title or "", _TITLE),
                source.seen,
                _product_id(source),
                personal=source.type == "user" and "email" in (source.record or {}),
            )
            for number, source in enumerate(_distinct(sources), 1)
        )
        self._numbers = {passage.number: passage for passage in self.all}

    def __getitem__(self, number: int) -> NumberedPassage | None:
        return self._numbers.get(number)

    def of_product(self, product_id: str) -> list[NumberedPassage]:
        return [passage for passage in self.all if passage.product_id == product_id]

    def product(self, written: str) -> KnownProduct | None:
        """Find a product by its id in any case; `None` where no passage shows it."""
        return self._by_id.get(written.strip().casefold())

    @cached_property
    def _by_id(self) -> dict[str, KnownProduct]:
        return {key.casefold(): product for key, product in self.products.items()}

    def _enter(self, source: Source) -> None:
        record = source.record or {}
        product_id = _product_id(source)
        if product_id is not None:
            self.products[product_id] = _product(product_id, source.url, record, self.currency)
        elif source.type == "user" and "order_date" in record:
            self._enter_order(source.url, record)
        elif source.type == "user":
            self.private |= _private(record)

    def _enter_order(self, url: str, record: JsonObject) -> None:
        if record.get("order_status") in ("Cancelled", "Returned"):
            return
        bought = KnownOrder(
            str(record["product_id"]), str(record["order_date"])[:10], int(record["quantity"]), url
        )
        known = self.orders.get(bought.product_id)
        if known is None or known.date < bought.date:
            self.orders[bought.product_id] = bought

    def listing(self, texts: Sequence[str]) -> str:
        """Return the passages as text for a model, with `texts` in place of their own, which may have been shortened."""
        rows = [_row(passage, text) for passage, text in zip(self.all, texts, strict=True)]
        return "\n".join(rows) or "Nothing was found."


def _row(passage: NumberedPassage, text: str) -> str:
    what = f"product {passage.product_id}" if passage.product_id else passage.type
    title = "" if passage.product_id else f" {passage.title}".rstrip()
    if len(text) <= _ROW:
        return f"[{passage.number}] {what}{title}: {one_line(text, _ROW)}"
    return f"[{passage.number}] {what}{title}:\n{fence(text, f'passage-{passage.number}')}"


def _distinct(sources: Sequence[Source]) -> Iterable[Source]:
    """Yield sources without repetitions: a product's row in a list beside its page, or one text under two addresses."""
    longest: dict[str, int] = {}
    for source in sources:
        url = canonical_url(source.url)
        longest[url] = max(longest.get(url, 0), len(source.seen))
    orders = {source.seen for source in sources if source.type == "user"}
    for source in sources:
        repeated = source.seen in orders and source.type == "product"
        short = len(source.seen) <= _ROW and longest[canonical_url(source.url)] >= 2 * len(source.seen)
        if not (source.type == "product" and (repeated or short)):
            yield source


def _product_id(source: Source) -> str | None:
    return str(source.record["product_id"]) if source.type == "product" and source.record else None


def _product(product_id: str, url: str, record: JsonObject, currency: Currency) -> KnownProduct:
    price = record.get("price")
    return KnownProduct(
        product_id,
        url,
        str(record.get("title") or ""),
        None if price is None else Decimal(str(price)).quantize(Decimal("0.01")),
        record.get("average_rating"),
        record.get("rating_number"),
        record.get("store"),
        currency,
    )


def _private(record: JsonObject) -> set[str]:
    """Return the e-mail, telephone, street and full name of a profile, in lower case."""
    address = record.get("address")
    street = address.get("address1") if isinstance(address, dict) else None
    name = f"{record.get('first_name') or ''} {record.get('last_name') or ''}".strip()
    found = (record.get("email"), record.get("phone_number"), street, name)
    return {str(one).casefold() for one in found if one and len(str(one)) > 3}
