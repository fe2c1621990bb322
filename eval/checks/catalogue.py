"""Does everything recommended exist in this shop, under the name it is given?"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from itertools import product as combinations

from drr.citations.addresses import host_of
from drr.env.shop import SearchRequest
from drr.env.text import category_key
from drr.eval.checks.base import Check, CheckTally, Subject, unverifiable
from drr.eval.checks.cast import cast_of
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.grid import column_at, holds_price
from drr.eval.checks.layout import TextLine
from drr.eval.checks.makers import makers_of
from drr.eval.checks.mentions import (
    Mentions,
    similarity,
)
from drr.eval.checks.money.adjustments import adjustments_of
from drr.eval.checks.naming import folded_words
from drr.wording.money import amounts

_CONFUSED = {
    "O": "O0",
    "0": "0O",
    "I": "I1L",
    "1": "1IL",
    "L": "L1I",
    "S": "S5",
    "5": "5S",
    "B": "B8",
    "8": "8B",
}
_OTHER_SHOPS = re.compile(
    r"(?:^|\.)(?:amazon|ebay|walmart|target|chewy|petsmart|petco|homedepot|lowes|wayfair|etsy|bestbuy|costco|aliexpress|alibaba|temu|shein"
    r"|overstock|ikea|newegg|sephora|ulta|macys|kohls|rei|tractorsupply|samsclub|wish|zappos|instacart|duluthtrading|cvs|walgreens|iherb"
    r"|vitacost|staples|officedepot|acehardware|menards|harborfreight|hsn|qvc|jd|taobao|tmall|rakuten|mercadolibre|flipkart|shopee|lazada"
    r"|nordstrom|dickssportinggoods|bedbathandbeyond|containerstore|williams-sonoma|crateandbarrel|westelm|potterybarn|anthropologie"
    r"|argos|johnlewis|tesco|otto|zalando|mercari|poshmark|bjs|kroger|riteaid|autozone|gamestop|michaels|joann|hobbylobby|worldmarket|amzn|a\.co)"
    r"\.(?:com|co\.uk|de|fr|ca|com\.au|in|co\.jp|es|it|nl|to|net|org|example)$|^amzn\.to$|^a\.co$"
)
_COUNTER = re.compile(r"(?:www\d?|smile|m|mobile|shop|store|[a-z]{2})?")
"""What stands before the name of a shop where it sells; developers, investors and readers of its blog go elsewhere."""
_SHOP_HOST = re.compile(
    r"^(?:shop|store|shopping|buy|market)\.|(?:^|[.-])(?:shop|store|mart|outlet)\d*\.[a-z.]+$|(?:shop|store|mart|outlet)\.(?:com|example|net|co)$"
)
_PRODUCT_PATH = re.compile(r"/(?:dp|gp/product|itm|ip)/[^/]+|/B[0O][A-Z0-9]{8}(?:[/?#]|$)", re.I)
NOT_A_PRODUCT = re.compile(
    r"\b(?:total|subtotal|budget|phase|month|week|year|spend|spent|spending|savings?|save|shipping|tax|average|mean|median|orders?|remaining|left ?over|under|range|tier|price|cost|costs|estimated|reserve|contingency|upgrade|option \d|step|optional|you (?:bought|paid|ordered)|bought|purchased|limit|quartiles?|allowance|cushion)\b",
    re.I,
)
_LINE_MARKS = re.compile(r"^[\s>|*+\-•\d.)_]+")
_PRICE_WORDS = re.compile(r"(?<!\s)\s+(?:at|for|from|is|costs?|price[ds]?)$", re.I)


def in_catalogue(subject: Subject, mentions: Mentions) -> Check:
    """Every product address and id of the report is one of this shop's."""
    if subject.shop is None:
        return unverifiable("no shop was given")
    places: dict[str, tuple[int, int]] = {}
    for source in subject.citations.sources:
        product_id = subject.product_id_of(source.url)
        if product_id:
            places.setdefault(product_id, (source.inline_spans or source.list_spans or [(0, 0)])[0])
    for one in mentions.references:
        places.setdefault(one.product_id, (one.start, one.end))
    tally = CheckTally()
    missing: list[dict[str, str | None]] = []
    for product_id, span in places.items():
        if subject.product(product_id) is not None:
            tally.ok()
            continue
        near = near_miss(subject, product_id)
        missing.append({"id": product_id, "near_miss": near})
        hint = f"; the catalogue has {near}" if near else ""
        tally.accuse("address", span, f"{product_id} is not in the catalogue{hint}", Certainty.LITERAL)
    share = tally.passed / len(places) if places else None
    return tally.check("no product of the shop is named", share=share, missing=missing)


def near_miss(subject: Subject, product_id: str) -> str | None:
    """The id with O for 0, I for 1 and the like put right, if that one exists."""
    wrong = [index for index, letter in enumerate(product_id.upper()) if letter in "O0I1L"]
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
    """Nothing is recommended that another shop sells."""
    if not subject.hosts:
        return unverifiable("it is not known which addresses are the shop's")
    tally = CheckTally()
    for source in subject.citations.sources:
        if _is_of_another_shop(subject, source.url):
            span = (source.inline_spans or source.list_spans or [(0, 0)])[0]
            tally.accuse("address", span, f"{source.url} is a page of another shop", Certainty.LITERAL)
        else:
            tally.ok()
    for line, name in _offers_without_product(subject, mentions):
        if is_in_shop(subject, name) or _is_a_department(subject, mentions, name):
            tally.ok()
        else:
            why = f"{name!r} has a price and no address in the shop"
            bound = _bound_offer(line, name) if _names_a_stranger(subject, name) else Certainty.INFERRED
            tally.accuse("offer", (line.start, line.end), why, bound)
    if not tally.passed and not tally.failed:
        return Check("pass", {"checked": 0, "failed": 0, "unverifiable": 0})
    return tally.check("")


def _is_a_department(subject: Subject, mentions: Mentions, name: str) -> bool:
    """Whether the shop calls a category so, or a step on the way to something that is cited or was ordered: `Tools & Home Improvement`, beside what was spent there."""
    if subject.shop is None:
        return False
    products = [*cast_of(subject, mentions).products.values(), *subject.ordered.values()]
    steps = (step for one in products for step in (*one.categories, one.main_category or ""))
    called = category_key(_IN_BRACKETS.sub("", name))
    return called in {category_key(one) for one in (*subject.shop.catalog.categories(), *steps)}


_IN_BRACKETS = re.compile(r"\s?\([^()]{0,60}\)$")


def _is_ours(subject: Subject, url: str) -> bool:
    return url.startswith("user://") or subject.is_shop_url(url)


def _is_of_another_shop(subject: Subject, url: str) -> bool:
    if _is_ours(subject, url):
        return False
    host = host_of(url)
    other = _OTHER_SHOPS.search(host)
    if (other and _COUNTER.fullmatch(host[: other.start()])) or _SHOP_HOST.search(host):
        return True
    return _PRODUCT_PATH.search(url.split("://", 1)[-1]) is not None


def _offers_without_product(subject: Subject, mentions: Mentions) -> Iterator[tuple[TextLine, str]]:
    """Lines that offer something by name and price, and neither name nor cite a product or a record of the shop."""
    citations = subject.citations
    cast = cast_of(subject, mentions)
    places = [one.start for one in mentions.mentions] + [one.start for one in mentions.references]
    places += [one.start for one in citations.markers if one.url and _is_ours(subject, one.url)]
    places.sort()
    lines = mentions.layout.lines
    called = {
        word for one in cast.products.values() for maker in makers_of(one) for word in folded_words(maker)
    }

    adjusting = adjustments_of(mentions)

    def has_product(line: TextLine) -> bool:
        return bisect_left(places, line.start) != bisect_left(places, line.end)

    for index, line in enumerate(lines):
        if line.kind not in ("item", "title", "row") or "user://" in line.text:
            continue
        if cast.within(line.start, line.end) or _is_no_price(line) or index in adjusting:
            continue  # a product in play, by its maker; or what something costs in a month
        if has_product(line) or (name := _offered(line.text)) is None or called & set(folded_words(name)):
            continue
        beside = lines[max(0, index - _BESIDE) : index + _BESIDE + 1]
        if _is_long(name) or any(one.kind == line.kind and has_product(one) for one in beside):
            yield line, name


def _is_no_price(line: TextLine) -> bool:
    """Whether the first amount of a row stands under a head that no price stands under."""
    priced = amounts(line.text)
    column = column_at(line, line.start + priced[0].start) if line.kind == "row" and priced else None
    head = "" if column is None or column >= len(line.header) else line.header[column]
    return bool(head) and not holds_price(head)


_SET_OFF = re.compile(r"[\s*_]{0,4}(?:[-–—:|(,·][\s*_(|]{0,6})\\?\$?\s?$")
"""Between a name and its price in a list."""


def _names_a_stranger(subject: Subject, name: str) -> bool:
    """Whether two of its words are capitalised and the catalogue has one of them nowhere: no ingredient and no category is called so."""
    capitals = [word for word in re.findall(r"[^\W\d_]{3,}", name) if word[0].isupper()]
    if len(capitals) < 2 or subject.shop is None:
        return len(capitals) > 1
    for word in capitals[:_LOOKED_UP]:
        page = subject.shop.catalog.search(SearchRequest(query=word, limit=1, search="plain"))
        if not page.product_ids:
            return True
    return False


_LOOKED_UP = 4
"""Words of a name."""


def _bound_offer(line: TextLine, name: str) -> Certainty:
    """Whether a line is a name, a sign, a price, as in a list of offers; a sentence or a written sum is none."""
    price = amounts(line.text)[0]
    alone = (
        not line.text[price.end :].strip(" *_|")
        and _PRICE_WORDS.search(line.text[: price.start].rstrip(" *_$")) is None
    )
    if not (alone or _SET_OFF.search(line.text, 0, price.start)) or not any(one.isalpha() for one in name):
        return Certainty.INFERRED
    return Certainty.ADJOINED


def _offered(text: str) -> str | None:
    """The name of what looks like an offer: capitalised words, then a price."""
    prices = amounts(text)
    if not prices:
        return None
    head = _LINE_MARKS.sub("", text[: prices[0].start]).replace("**", "").split("|")[0].split(" · ")[-1]
    name = head.strip(" \t-–—:,(|*_")
    lead, colon, rest = name.partition(": ")
    if colon and len(lead.split()) <= 3:
        name = rest
    if ":" in name or ". " in name or NOT_A_PRODUCT.search(name):
        return None
    name = _PRICE_WORDS.sub("", name)
    if not 2 <= len(name.split()) <= 16 or not is_capitalised(name) or name.endswith(("?", ".")):
        return None
    return name


def is_capitalised(name: str) -> bool:
    """Half of the words at least, and two of them, begin with a capital or a digit; one of them is no figure and no initial."""
    capitals = [word for word in name.split() if is_capital(word)]
    if not any(word[0].isupper() and len(word.strip(".,")) > 1 for word in capitals):
        return False
    return len(capitals) >= 2 and len(capitals) * 2 >= len(name.split())


def _is_long(name: str) -> bool:
    """Three words at least or a model's number: two words may name anything that has a price."""
    told = [word for word in name.split() if len(word.strip(".,&")) > 1]
    return len(told) > 2 or any(char.isdigit() for char in name)


_BESIDE = 3
"""Lines on either side that make a line one of a list of offers."""


def is_capital(word: str) -> bool:
    return word[:1].isupper() or word[:1].isdigit()


def is_in_shop(subject: Subject, name: str) -> bool:
    if subject.shop is None:
        return False
    from drr.env.shop import SearchRequest

    page = subject.shop.catalog.search(SearchRequest(query=name[:200], limit=5, search="plain"))
    titles = [product.title for product in subject.shop.store.products(page.product_ids)]
    return any(similarity(name, title) >= 0.75 for title in titles)
