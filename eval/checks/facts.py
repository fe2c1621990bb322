"""Price, rating and properties of a product, as said and as recorded."""

from __future__ import annotations

import re

from drr.env.entities import Product
from drr.eval.checks.base import Check, CheckTally, Subject, unverifiable
from drr.eval.checks.layout import TextLine
from drr.eval.checks.mentions import Mention, Mentions, words
from drr.wording.hedges import HEDGES
from drr.wording.money import MoneyAmount, amounts
from drr.wording.numbers import WHOLE, cardinals, number, number_of
from drr.wording.tolerance import same_count, same_stars
from drr.wording.units import UNITS

_WORDS_OF_SUMS = "total(?:s|ing)?|subtotal|sum|budget|spend(?:ing)?|spent|sav(?:e|es|ing|ings)|shipping|delivery|tax|coupon|discount|remaining|limit|cap|average|mean|median|quartiles?|comes? to|adds up to|bringing|altogether|combined|leav(?:es|ing)"
# In a product's name such words are capitalised ("Shower Cap"); as a label they stand right before the amount.
_NOT_ITS_PRICE_BEFORE = re.compile(
    rf"\b(?-i:{_WORDS_OF_SUMS})\b[^$.;|*]{{0,24}}$|\b(?:{_WORDS_OF_SUMS})\b[\s:*–—-]*$|\b(?:sub)?total\b[^$.;|*]{{0,24}}$"
    r"|\b(?:off|left|below|under|within|less than|more than|over|above|between|month|phase|of your|range|was|from|cheaper than|beats?|versus|vs\.?|than|another|typically|usually|elsewhere)\s+(?:(?:about|around|the|a|an|your|only|its|\d+)\s+){0,2}$",
    re.I,
)
_ITS_PRICE_BEFORE = re.compile(
    r"\b(?:price[ds]?|costs?|at|for|is|only|just|retails?|sells?|listed|runs?)\W*(?:\w+\W+){0,2}$", re.I
)
_NOT_ITS_PRICE_AFTER = re.compile(
    r"^\s*(?:[-–—]\s?\\?\$|(?:total|subtotal|budget|off\b|in total|altogether|combined|left|remaining|limit|cap|less|more|cheaper|savings?|shipping|to spend|/\s*(?:oz|ounce|lb|pound|count|sheet|foot|ft|month|load|serving|dose|use|cup)|per (?:oz|ounce|lb|pound|count|sheet|foot|month|load|serving|dose|use|cup|year|week)|a month|a year|spending|spend|ceiling|mark))",
    re.I,
)
_PRICE_HEAD = re.compile(r"price|cost|each|unit|\$|amount|usd", re.I)
_TOTAL_HEAD = re.compile(r"total|subtotal|sum|line|extended|amount", re.I)
_MONEY_HEAD_OTHER = re.compile(r"budget|remaining|saving|cumulative|running|shipping|tax|spend|left", re.I)
_QUANTITY = re.compile(
    r"(?<![\w.,])(?P<n>\d{1,2})\s?[x×]\s+(?=[*_\[]{0,3}[A-Z\\$])|(?<![\w.])(?P<u>\d{1,2})\s(?:units? (?:at|of)|@)|(?<![\w.\d ])\s?[x×]\s?(?P<m>\d{1,2})\b(?![\d.]|\s?(?:inch|in\b|feet|ft|cm|mm|\d))"
    rf"|\b(?:qty|quantity)\W{{0,3}}(?P<q>\d{{1,2}})\b|\b(?P<w>{cardinals(2)})\s+(?:of (?:them|these)|units|at|for)\b|\((?:x|×)\s?(?P<p>[2-9])\)",
    re.I,
)
_UNDER = re.compile(r"\b(?:under|below|less than|just under)\s*$", re.I)
_OVER = re.compile(r"\b(?:over|above|more than|just over)\s*$", re.I)


def price(subject: Subject, mentions: Mentions) -> Check:
    """What is said to be a product's price is its price."""
    if subject.shop is None:
        return unverifiable("no shop was given")
    tally = CheckTally()
    for mention in mentions.mentions:
        product = subject.product(mention.product_id)
        if product is None:
            continue
        for amount in prices_in(mentions, mention):
            if product.price is None:
                tally.unclear(f"the catalogue knows no price of {product.product_id}")
            elif _agrees(subject.citations.body, amount, product.price, mention):
                tally.ok()
            else:
                tally.fail(
                    (amount.start, amount.end),
                    f"said {_shown(subject, amount)}, is ${product.price:,.2f} ({product.product_id})",
                )
    return tally.check("no price is said of a product of the shop")


def _shown(subject: Subject, amount: MoneyAmount) -> str:
    return subject.report[amount.start : amount.end].strip()


def prices_in(mentions: Mentions, mention: Mention) -> list[MoneyAmount]:
    """The amounts of a mention that are said to be its product's price."""
    row = mention.row
    if row is not None and row.header:
        found = _column_prices(mentions.body, row)
        if found or any(_PRICE_HEAD.search(head) for head in row.header):
            return found
    here = amounts(mentions.body, mention.start, mention.end)
    return [amount for amount in here if _is_its_price(mentions.body, mention, amount)]


def _column_prices(body: str, row: TextLine) -> list[MoneyAmount]:
    """Prices and totals by the heads of their columns."""
    found: list[MoneyAmount] = []
    for (low, high), head in zip(row.cells, row.header, strict=False):
        of_price = _PRICE_HEAD.search(head) or _TOTAL_HEAD.search(head)
        if of_price and not _MONEY_HEAD_OTHER.search(head):
            found += amounts(body, low, high)
    return found


def _is_its_price(body: str, mention: Mention, amount: MoneyAmount) -> bool:
    """No sum, limit or difference by the words around; in a line that does not name the product, labelled as a price."""
    before = body[max(mention.start, amount.start - 40) : amount.start]
    if _NOT_ITS_PRICE_AFTER.match(body[amount.end : amount.end + 24]) or _is_term(body, amount, before):
        return False
    if _NOT_ITS_PRICE_BEFORE.search(before) and not _is_label(before):
        return False
    return mention.own or _ITS_PRICE_BEFORE.search(before) is not None or not before.strip(" -*_|\t")


def _is_term(body: str, amount: MoneyAmount, before: str) -> bool:
    """Of a sum that is written out, all but its first."""
    sign = body[max(0, amount.start - 3) : amount.start].rstrip()
    return sign.endswith(("-", "–", "+", "=")) and _sum_before(before)


def _is_label(before: str) -> bool:
    return re.search(r"\b(?:list|unit|sale|item)?\s*price\W*$", before, re.I) is not None


def _sum_before(before: str) -> bool:
    return re.search(r"\$\s?[\d.,]+\s*[-–+=x×*]\s*$", before) is not None


def quantity_near(text: str) -> int:
    match = _QUANTITY.search(text)
    if match is None:
        return 1
    return number_of(next(filter(None, match.groups()))) or 1


def _agrees(body: str, amount: MoneyAmount, price: float, mention: Mention) -> bool:
    before = body[max(0, amount.start - 16) : amount.start]
    if _UNDER.search(before):
        return price <= amount.value + 0.01
    if _OVER.search(before):
        return amount.value - 0.01 <= price <= amount.value * 1.25 + 1
    if amount.equals(price):
        return True
    counts = {quantity_near(body[mention.start : mention.end])}
    if mention.row is not None:
        for (low, high), head in zip(mention.row.cells, mention.row.header, strict=False):
            cell = body[low:high].strip(" *")
            if (
                cell.isdecimal()
                and len(cell) <= 2
                and re.search(r"qty|quantity|units|count|#|how many", head)
            ):
                counts.add(int(cell))
    tolerance = amount.tolerance
    return any(
        count > 1 and abs(amount.value - price * count) <= max(tolerance, 0.0101 * count) for count in counts
    )


_RATING = re.compile(
    r"(?<![\d.,$])(?P<a>[0-5](?:\.\d{1,2})?)\s?(?:-\s?|\s)?(?:stars?\b(?!\s+(?:promise|service|guarantee|experience|hotel|quality|reviews?\b))|★|⭐|/\s?5\b(?!\s?(?:pack|pc|count))|out of (?:5|five)\b|of 5\b)"
    r"|\b(?:rated|rating(?: of| is|:)?|average(?: rating)?(?: of| is|:)?|scores?|stars?:)\s*+(?:(?:\*\*|:)\s*+)?(?:at |of |an? |average |about |around )*(?P<b>[0-5]\.\d{1,2})(?![\d%])"
    r"|[★⭐]+\s*\(?(?P<c>[0-5]\.\d{1,2})",
    re.I,
)
_REVIEWS = re.compile(
    rf"(?P<near>{HEDGES.least}?)(?<![\d.$,])(?P<n>{WHOLE})(?P<plus>\+)?\s+"
    r"(?:(?:customer|global|verified|user|buyer|shopper|total|five-star|product)\s+)*(?:reviews?|ratings?|reviewers|raters|buyers rated)\b",
    re.I,
)
_RATING_HEAD = re.compile(r"rating|stars|★|score", re.I)
_REVIEWS_HEAD = re.compile(r"reviews|ratings\b|# ?ratings|count of ratings|number of ratings", re.I)


def rating(subject: Subject, mentions: Mentions) -> Check:
    """Stars within 0.05; counts exact, or within 5 % where they are said to be near."""
    if subject.shop is None:
        return unverifiable("no shop was given")
    tally = CheckTally()
    body = mentions.body
    for mention in mentions.mentions:
        product = subject.product(mention.product_id)
        if product is None:
            continue
        _text_ratings(tally, body, mention, product)
        if mention.row is not None:
            _row_ratings(tally, body, mention, product)
    return tally.check("no rating is said of a product of the shop")


def _text_ratings(tally: CheckTally, body: str, mention: Mention, product: Product) -> None:
    for match in _RATING.finditer(body, mention.start, mention.end):
        said = float(match["a"] or match["b"] or match["c"])
        _compare_rating(tally, match.span(), said, product)
    for match in _REVIEWS.finditer(body, mention.start, mention.end):
        near = bool(match["near"].strip() or match["plus"])
        _compare_reviews(tally, match.span(), number(match["n"]), near, product)


def _row_ratings(tally: CheckTally, body: str, mention: Mention, product: Product) -> None:
    assert mention.row is not None
    for (low, high), head in zip(mention.row.cells, mention.row.header, strict=False):
        cell = body[low:high].strip(" *")
        if _REVIEWS_HEAD.search(head) and re.fullmatch(r"[\d,]+\+?", cell):
            if not re.fullmatch(r"[0-5]", cell):
                _compare_reviews(tally, (low, high), number(cell.rstrip("+")), cell.endswith("+"), product)
        elif _RATING_HEAD.search(head) and re.fullmatch(r"[0-5](?:\.\d{1,2})?", cell):
            _compare_rating(tally, (low, high), float(cell), product)


def _compare_rating(tally: CheckTally, span: tuple[int, int], said: float, product: Product) -> None:
    if product.average_rating is None:
        tally.unclear(f"the catalogue knows no rating of {product.product_id}")
    elif same_stars(said, product.average_rating):
        tally.ok()
    else:
        tally.fail(span, f"said {said:g} stars, is {product.average_rating:g} ({product.product_id})")


def _compare_reviews(
    tally: CheckTally, span: tuple[int, int], said: float, near: bool, product: Product
) -> None:
    if product.rating_number is None:
        tally.unclear(f"the catalogue knows no number of ratings of {product.product_id}")
    elif same_count(said, product.rating_number, hedged=near):
        tally.ok()
    else:
        tally.fail(span, f"said {said:,.0f} ratings, are {product.rating_number:,} ({product.product_id})")


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
    body = mentions.body
    for mention in mentions.mentions:
        product = subject.product(mention.product_id)
        if product is None:
            continue
        for amount in prices_in(mentions, mention):
            if product.price is not None and not _agrees(body, amount, product.price, mention):
                tally.fail(
                    (amount.start, amount.end),
                    f"price: said ${amount.value:,.2f}, is ${product.price:,.2f} ({product.product_id})",
                )
            elif product.price is not None:
                tally.ok()
        _text_ratings(tally, body, mention, product)
        if mention.row is not None:
            _row_ratings(tally, body, mention, product)
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
