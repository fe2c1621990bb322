"""Rule: what is said of a product's properties is what its record says: price, stars, measures, material, colour, maker."""

from __future__ import annotations

import re

from drr.env.entities import Product
from drr.eval.checks.base import Check, CheckTally, Subject, unverifiable
from drr.eval.checks.facts import compare_prices
from drr.eval.checks.mentions import Mention, Mentions, words
from drr.eval.checks.stars import compare_ratings
from drr.wording.numbers import number
from drr.wording.units import UNITS

_MATERIALS = re.compile(
    r"\b(?:stainless steel|carbon steel|cast iron|memory foam|steel|aluminum|aluminium|plastic|cedar|bamboo|cotton|wood|pine|oak|acacia|copper|brass|ceramic|porcelain"
    r"|stoneware|glass|leather|silicone|latex|rubber|polyester|nylon|iron|wool|linen|microfiber|polypropylene|acrylic|vinyl|canvas|chrome|titanium|zinc|resin|wicker|rattan|jute|hemp|velvet|fleece|paper|concrete|marble|granite|foam|sisal|mesh|tpe|recycled paper|terracotta|felt|cork|melamine|pvc|abs|spandex|flannel|down)\b",
    re.I,
)
_MADE_OF = re.compile(
    r"\b(?:made (?:of|from|with|in)|built (?:of|from)|constructed (?:of|from)|crafted (?:of|from)|material(?: is|s?:)?\**+:?+\**+)\s*+(?:\*\*\s*+)?(?P<what>(?:[\w-]+\s?){1,4})",
    re.I,
)
_BRAND = re.compile(
    r"(?:\b(?:brand|manufacturer|maker)\**\s*:\s*\**\s*|\b(?:made|sold|manufactured) by\s+)(?P<brand>[A-Z][\w&'’.-]*(?:\s(?:&\s)?[A-Z][\w&'’.-]*){0,3})"
)
_COLOUR = re.compile(r"\bcolou?r\**\s*:\s*\**\s*(?P<what>[A-Za-z][A-Za-z /-]{1,30})", re.I)


def product_claims(subject: Subject, mentions: Mentions) -> Check:
    """Price, rating, size, material, count, maker: whatever the record decides, read from the record."""
    if subject.shop is None:
        return unverifiable("no shop was given")
    tally = CheckTally()
    compare_prices(tally, subject, mentions)
    compare_ratings(tally, subject, mentions)
    body = mentions.body
    for mention in mentions.mentions:
        product = subject.product(mention.product_id)
        if product is None:
            continue
        record = record_text(product)
        _measures(tally, body, mention, product, record)
        _materials(tally, body, mention, product, record)
        _colours(tally, body, mention, product)
        _maker(tally, body, mention, product, record)
    return tally.check("nothing that a record decides is said of a product of the shop")


def record_text(product: Product) -> str:
    """All words of a record."""
    parts = [product.title, *product.features, *product.description, product.store or "", *product.categories]
    stack: list[object] = [product.details]
    while stack:
        one = stack.pop()
        if isinstance(one, dict):
            for key, value in one.items():
                stack += [f"{key}: {value}"] if not isinstance(value, (dict, list)) else [str(key), value]
        elif isinstance(one, list):
            stack += one
        else:
            parts.append(str(one))
    return "\n".join(parts)


def _measures(tally: CheckTally, body: str, mention: Mention, product: Product, record: str) -> None:
    known = _recorded(record)
    loose = {number(n) for n in re.findall(r"(?<![\d.])\d+(?:\.\d+)?(?![\d.])", record)}
    for quantity in UNITS.quantities(body, mention.start, mention.end):
        unit, said = quantity.unit.name, quantity.value
        recorded = known.get(unit, set())
        if quantity.unit.passing and not recorded:
            continue
        if unit == "count" and not mention.own and said < 2:
            continue
        if said in loose or any(_close(said, value) for value in recorded):
            tally.ok()
        elif recorded and not _compared(body, quantity.start):
            span = quantity.start, quantity.end
            words_said = body[slice(*span)].strip()
            tally.fail(
                span,
                f"said {words_said!r}, the record has {_values(recorded)} {unit} ({product.product_id})",
            )
        else:
            tally.unclear(f"the record of {product.product_id} gives no {unit}")


def _recorded(record: str) -> dict[str, set[float]]:
    """The values of a record by their unit."""
    known: dict[str, set[float]] = {}
    for quantity in UNITS.quantities(record):
        known.setdefault(quantity.unit.name, set()).add(quantity.value)
    return known


def _compared(body: str, position: int) -> bool:
    """A figure of the need, not of the product: "your 30-pound dog", "for a 6-foot yard"."""
    return (
        re.search(
            r"\b(?:your|for|every|each|per|my)\s+(?:an?\s+)?$",
            body[max(0, position - 20) : position],
            re.I,
        )
        is not None
    )


def _close(said: float, value: float) -> bool:
    return abs(said - value) < 0.005 or (
        said == round(said) and abs(said - value) <= 0.5 and said > 3 and value != round(value)
    )


def _values(values: set[float]) -> str:
    return ", ".join(f"{value:g}" for value in sorted(values)[:5])


def _materials(tally: CheckTally, body: str, mention: Mention, product: Product, record: str) -> None:
    known = {match[0].casefold() for match in _MATERIALS.finditer(record)}
    for match in _MADE_OF.finditer(body, mention.start, mention.end):
        said = _MATERIALS.search(match["what"])
        if said is None:
            continue
        material = said[0].casefold()
        if material in record.casefold() or any(one in material for one in known):
            tally.ok()
        elif known or product.details.get("Material"):
            recorded = ", ".join(sorted(known)[:4]) or product.details.get("Material")
            tally.fail(match.span(), f"said {material}, the record says {recorded} ({product.product_id})")
        else:
            tally.unclear(f"the record of {product.product_id} names no material")


def _colours(tally: CheckTally, body: str, mention: Mention, product: Product) -> None:
    colour = product.details.get("Color")
    if not isinstance(colour, str):
        return
    for match in _COLOUR.finditer(body, mention.start, mention.end):
        if set(words(match["what"])) & set(words(colour)):
            tally.ok()
        else:
            said = match["what"].strip()
            tally.fail(match.span(), f"said colour {said!r}, is {colour!r} ({product.product_id})")


def _maker(tally: CheckTally, body: str, mention: Mention, product: Product, record: str) -> None:
    for match in _BRAND.finditer(body, mention.start, mention.end):
        said = set(words(match["brand"]))
        if said & set(words(record)):
            tally.ok()
        elif product.store or product.details.get("Brand"):
            tally.fail(
                match.span("brand"),
                f"said to be by {match['brand']!r}, is by {product.store or product.details.get('Brand')!r}",
            )
        else:
            tally.unclear(f"the record of {product.product_id} names no maker")
