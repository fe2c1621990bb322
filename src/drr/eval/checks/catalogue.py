"""Rules on the catalogue: addresses and ids are the shop's, nothing leads elsewhere, and names fit their ids."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from itertools import groupby
from itertools import product as combinations
from pathlib import Path
from typing import NamedTuple

from drr.citations.addresses import host_of, path_steps
from drr.env.entities import Product
from drr.env.shop import SearchRequest
from drr.eval.checks.base import Subject, is_own_number
from drr.eval.checks.id_places import claimed_ids
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.naming import (
    SAME,
    full_name,
    maker_words,
    name_words,
    other_of_that_name,
    similarity,
    tells_maker_and_thing,
)
from drr.eval.checks.results import Check, Span, Tally, unverifiable
from drr.eval.checks.values import segment

_CONFUSED = {"O": "O0", "0": "0O", "I": "I1L", "1": "1IL", "L": "L1I", "S": "S5", "5": "5S", "B": "B8", "8": "8B"}  # fmt: skip
_COUNTER = re.compile(r"(?:www\d?|smile|m|mobile|shop|store|[a-z]{2})?")
"""Prefixes of a shop's address where it sells; its pages for developers, investors and the like have others."""
_SHOP_HOST = re.compile(
    r"^(?:shop|store|shopping|buy|market)\.|(?:^|[.-])(?:shop|store|mart|outlet)\d*\.[a-z.]+$"
)
_PRODUCT_PATH = re.compile(r"/(?:dp|gp/product|itm|ip)/[^/]+|/B[0O][A-Z0-9]{8}(?:[/?#]|$)", re.I)


def in_catalogue(subject: Subject, mentions: Mentions) -> Check:
    """Check that every product address and id of the report is one of this shop's."""
    if subject.shop is None:
        return unverifiable("shop")
    places: dict[str, Span] = {}
    for source in subject.citations.sources:
        product_id = subject.product_id_of(source.url)
        if product_id:
            places.setdefault(product_id, (source.inline_spans or source.list_spans or [(0, 0)])[0])
    for one in claimed_ids(mentions):
        places.setdefault(one.id, (one.start, one.end))
    tally = Tally()
    missing: list[dict[str, str | None]] = []
    for product_id, span in places.items():
        if subject.product(product_id) is not None or subject.is_asked(product_id):
            tally.ok()
            continue
        if is_own_number(subject, product_id) is None:
            tally.count_unknown()
            continue
        near = near_miss(subject, product_id)
        missing.append({"id": product_id, "near_miss": near})
        tally.fail(span, f"Id: {product_id}; catalogue: {near or 'no such product'}")
    share = tally.passed / len(places) if places else None
    return tally.check("absent", share=share, missing=missing)


def near_miss(subject: Subject, product_id: str) -> str | None:
    """Return an existing id that differs only by O for 0, I for 1 and the like, else `None`."""
    wrong = [index for index, letter in enumerate(product_id.upper()) if letter in "O0I1L"]
    # Each such letter multiplies the ids to look up by two or three.
    if len(wrong) > 7 or not product_id.isascii():
        return None
    letters = list(product_id.upper())
    for choice in combinations(*(_CONFUSED[letters[index]] for index in wrong)):
        for index, letter in zip(wrong, choice, strict=True):
            letters[index] = letter
        candidate = "".join(letters)
        if candidate != product_id and subject.product(candidate) is not None:
            return candidate
    return None


def outside_shop(subject: Subject, mentions: Mentions) -> Check:
    """Check that no address leads to another shop's offer. What kind of place an unlisted host is, nobody can tell."""
    if not subject.hosts:
        return unverifiable("shop")
    tally = Tally()
    for source in subject.citations.sources:
        span = (source.inline_spans or source.list_spans or [(0, 0)])[0]
        is_asked = subject.is_asked(host_of(source.url))
        keeps = True if is_asked else _keeps_to_shop(subject, source.url)
        tally.compare(span, keeps, f"Address: {source.url}; it is a page of another shop")
    # A report without addresses leads to no other shop, which is all that this rule asks.
    if not subject.citations.sources:
        return Check("pass", {"checked": 0, "failed": 0, "unverifiable": 0})
    return tally.check()


@cache
def _other_shops() -> tuple[frozenset[str], frozenset[str]]:
    """Return the hosts of other shops, and the first steps of their pages that sell nothing."""
    table = tomllib.loads(Path(__file__).with_name("other_shops.toml").read_text("utf-8"))
    steps = table.pop("no_offer")["steps"]
    return frozenset(host for one in table.values() for host in one["hosts"]), frozenset(steps)


def _keeps_to_shop(subject: Subject, url: str) -> bool | None:
    """Tell whether an address is the shop's own or offers nothing; `None` for a host that nobody lists."""
    if url.startswith("user://") or subject.is_shop_url(url):
        return True
    hosts, sells_nothing = _other_shops()
    host, steps = host_of(url), path_steps(url)
    parts = host.split(".")
    names = {".".join(parts[at:]): ".".join(parts[:at]) for at in range(len(parts) - 1)}
    counter = next((front for name, front in names.items() if name in hosts), None)
    if counter is not None and not _COUNTER.fullmatch(counter):
        return True
    if counter is None and not _SHOP_HOST.search(host):
        return False if _PRODUCT_PATH.search(url.split("://", 1)[-1]) else None
    return any(one.casefold() in sells_nothing for one in steps[:2])


def name_matches_id(subject: Subject, mentions: Mentions) -> Check:
    """Check that the name of a link, or beside an id, row or entry, is that of its product."""
    if subject.shop is None:
        return unverifiable("shop")
    tally = Tally()
    for named in dict.fromkeys(
        (*_links(mentions), *_before(mentions), *_titles(mentions), *_entries(subject))
    ):
        product = subject.product(named.product_id)
        if product is not None and _is_name(named.name):
            _compare_name(tally, subject, named, product)
    return tally.check("absent")


class _Named(NamedTuple):
    product_id: str
    name: str
    span: Span


_HEAD = re.compile(
    r"[\s>#|]*+(?:[-*+•·]\s|\d{1,3}[.)]\s|\[\d{1,3}\]:?\s|\d{1,3}\s?\|)?[\s*_]*+(?:(?:the|your|a)\s)?(?P<name>[A-Z][^|\n*_$:;!?()\[\]]{3,160}?)(?=[*_]|\s?[|(\[:;]|,\s|\s[–—-]\s|\s\[|$)",
    re.I,
)


def _links(mentions: Mentions) -> Iterator[_Named]:
    for one in mentions.references:
        if one.named is not None:
            yield _Named(one.product_id, one.named, (one.start, one.end))


_APART = re.compile(r"[,;:]\s|\s[–—/-]\s|\s(?:and|or)\s(?=the\s|an?\s)|[.!?|→]|\n|[()\[\]]")
_AFTER_ID = re.compile(r"`?[,:]?[^\S\n](?:[–—·-]\s|the\s)?(?P<name>[A-Z][^,.;:|·\n()\[\]$]{5,120})")
_BULLET = re.compile(r"[\s>*_]*(?:[-+•·]\s|\d{1,3}[.)]\s)?[\s*_]*")
_FIRST_CAPITAL = re.compile(r"(?<![\w'’&-])[A-Z][\w'’&-]+\s[A-Z&]")


def _before(mentions: Mentions) -> Iterator[_Named]:
    """Yield the names right before an id, address or plain link, or after an id that begins its line."""
    report = mentions.subject.report
    for one in mentions.references:
        if one.named is not None or one.marker:
            continue
        product_id, start, end = one.product_id, one.start, one.end
        low = max(0, start - _LONGEST, report.rfind("\n", 0, start) + 1)
        text = report[low:start].rstrip(" *_`([,:–—-")
        if _BULLET.fullmatch(text) is None:
            lead = _BULLET.match(text)
            whole = text[lead.end() :] if lead else text
            if whole[:1].isupper() and ", " in whole and "|" not in whole:
                yield _Named(product_id, whole, (start - len(whole), start))
        if not text.strip(" *_>-•|") and (behind := _AFTER_ID.match(report, end)) is not None:
            yield _Named(product_id, behind["name"], behind.span("name"))
        cuts = [match.end() for match in _APART.finditer(text)]
        match = _FIRST_CAPITAL.search(text, cuts[-1] if cuts else 0)
        before = text[cuts[-1] if cuts else 0 : match.start()] if match else ""
        if match is not None and set(name_words(before)) <= _ARTICLES:
            span = low + match.start(), low + len(text)
            yield _Named(product_id, text[match.start() :].strip(" *_`"), span)


_ARTICLES = frozenset(("the", "a", "an"))
_LONGEST = 160
"""Most characters of a name, and of the text before it."""


def _titles(mentions: Mentions) -> Iterator[_Named]:
    """Yield the cells of a column of names, where at most one is not its product's."""
    for _, table in groupby((line for line in mentions.lines if line.kind == "row"), lambda line: line.table):
        named: dict[int, list[tuple[_Named, bool]]] = {}
        for line in table:
            ids = {one.product_id for one in mentions.within(line.start, line.end)}
            product = mentions.subject.product(next(iter(ids))) if len(ids) == 1 else None
            if product is None:
                continue
            for column, cell in enumerate(line.cells):
                one = segment(mentions.body, *cell)
                fits = len(name_words(one.text)) > 1 and similarity(one.text, full_name(product)) >= SAME
                if one.text:
                    span = one.start, one.end
                    named.setdefault(column, []).append((_Named(product.product_id, one.text, span), fits))
        for some in named.values():
            if sum(fits for _, fits in some) >= max(2, len(some) - 1):
                yield from (one for one, _ in some)


def _entries(subject: Subject) -> Iterator[_Named]:
    """Yield titles in a list of sources."""
    for one in subject.citations.references:
        product_id = subject.product_id_of(one.urls[0]) if len(one.urls) == 1 else None
        match = _HEAD.match(subject.report, one.start, one.end) if product_id else None
        if match is not None and product_id is not None:
            yield _Named(product_id, match["name"], (one.start, one.end))


def _is_name(name: str) -> bool:
    """Tell whether a text may be a product's name: two or more capitalised words that are no numbers."""
    tokens = name.split()
    return tokens[0][:1].isupper() and sum(word[:1].isupper() and len(word) > 2 for word in tokens) > 1


def _compare_name(tally: Tally, subject: Subject, named: _Named, product: Product) -> None:
    """Enter a name as wrong if it is another product's and does not fit this one. A text with a word of neither title is no name: `Acme alternative`.

    A product does not fit where it lacks most of the words, or has another brand.
    """
    alike = similarity(named.name, full_name(product))
    if alike >= SAME:
        tally.ok()
        return
    other = other_of_that_name(subject, named.name, product) or _by_another_maker(subject, named, product)
    strange = alike < _STRANGE or (other is not None and maker_words(other).isdisjoint(maker_words(product)))
    both = "" if other is None else f"{full_name(other)} {full_name(product)}"
    strange = strange and similarity(named.name, both) >= SAME
    why = f"Name: {' '.join(named.name.split())[:80]}", product.title[:80]
    # A bad name alone accuses nobody: people shorten names. Only another product's name is surely wrong.
    tally.compare(named.span, False if other is not None and strange else None, *why)


_STRANGE = 0.5


def _by_another_maker(subject: Subject, named: _Named, product: Product) -> Product | None:
    """Return a product by the maker that a name begins with, where the named product has another maker."""
    tokens, own = name_words(named.name), set(name_words(full_name(product)))
    if subject.shop is None or tokens[0] in own or similarity(named.name, full_name(product)) >= _STRANGE:
        return None
    page = subject.shop.catalog.search(SearchRequest(query=named.name[:200], limit=10, search="plain"))
    made = (one for one in subject.products(page.product_ids) if tokens[0] in maker_words(one))
    alike = (one for one in made if similarity(named.name, full_name(one)) >= _STRANGE)
    return next((one for one in alike if tells_maker_and_thing(named.name, one)), None)
