"""Does everything recommended exist in this shop, under the name it is given?"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from itertools import product as combinations
from typing import Literal

from drr.citations.addresses import host_of
from drr.env.entities import Product
from drr.eval.checks.base import Check, CheckTally, Subject, unverifiable, word_set
from drr.eval.checks.cast import Cast, cast_of
from drr.eval.checks.layout import TextLine
from drr.eval.checks.makers import makers_of
from drr.eval.checks.mentions import (
    Mention,
    Mentions,
    Named,
    ProductReference,
    brand_differs,
    similarity,
    words,
)
from drr.eval.checks.naming import begins_with_its_word
from drr.eval.checks.strange_makers import compare_makers
from drr.wording.dates import dates
from drr.wording.money import amounts
from drr.wording.ratings import RATINGS

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
_NOT_A_PRODUCT = re.compile(
    r"\b(?:total|subtotal|budget|phase|month|week|year|spend|spent|spending|savings?|save|shipping|tax|average|mean|median|orders?|remaining|left ?over|under|range|tier|price|cost|costs|estimated|reserve|contingency|upgrade|option \d|step|optional|you (?:bought|paid|ordered)|bought|purchased|limit|quartiles?|allowance|cushion)\b",
    re.I,
)
_GENERIC = word_set("""best overall pick choice option recommended budget top our why it fits you price rating value runner up premium upgrade key features
    pros cons verdict summary total subtotal phase month step note tip bottom line for""")  # fmt: skip
_NO_NAMES = word_set(
    "what what's why how where which who when if my your our this that these those here on in at for from swap skip buy get"
)
"""Words that begin a sentence or a label, and no name."""
_LEADS = _GENERIC | {"pick", "1", "2", "3", "4", "5"}
_LINE_MARKS = re.compile(r"^[\s>|*+\-•\d.)_]+")
_PRICE_WORDS = re.compile(r"(?<!\s)\s+(?:at|for|from|is|costs?|price[ds]?)$", re.I)
_NUMBER_LEAD = re.compile(r"^\s*(?:\d{1,2}(?:\.\d{1,2}){0,3}|[A-Z])[.)]?\s+(?=[A-Z])")
"""A number or a letter of a list."""


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
        tally.fail(span, f"{product_id} is not in the catalogue{hint}")
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
            tally.fail(span, f"{source.url} is a page of another shop")
        else:
            tally.ok()
    for line, name in _offers_without_product(subject, mentions):
        if _in_shop(subject, name):
            tally.ok()
        else:
            tally.fail((line.start, line.end), f"{name!r} has a price and no address in the shop")
    if not tally.passed and not tally.failed:
        return Check("pass", {"checked": 0, "failed": 0, "unverifiable": 0})
    return tally.check("")


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

    def has_product(line: TextLine) -> bool:
        return bisect_left(places, line.start) != bisect_left(places, line.end)

    for index, line in enumerate(lines):
        if line.kind not in ("item", "title", "row") or "user://" in line.text:
            continue
        if cast.within(line.start, line.end):
            continue  # a product in play, by its maker
        if has_product(line) or (name := _offered(line.text)) is None:
            continue
        beside = lines[max(0, index - _BESIDE) : index + _BESIDE + 1]
        if _is_long(name) or any(one.kind == line.kind and has_product(one) for one in beside):
            yield line, name


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
    if ":" in name or ". " in name or _NOT_A_PRODUCT.search(name):
        return None
    name = _PRICE_WORDS.sub("", name)
    if not 2 <= len(name.split()) <= 16 or not _is_capitalised(name) or name.endswith(("?", ".")):
        return None
    return name


def _is_capitalised(name: str) -> bool:
    """Half of the words at least, and two of them, begin with a capital or a digit; one of them is no figure and no initial."""
    capitals = [word for word in name.split() if _is_capital(word)]
    if not any(word[0].isupper() and len(word.strip(".,")) > 1 for word in capitals):
        return False
    return len(capitals) >= 2 and len(capitals) * 2 >= len(name.split())


def _is_long(name: str) -> bool:
    """Three words at least or a model's number: two words may name anything that has a price."""
    told = [word for word in name.split() if len(word.strip(".,&")) > 1]
    return len(told) > 2 or any(char.isdigit() for char in name)


_BESIDE = 3
"""Lines on either side that make a line one of a list of offers."""


def _is_capital(word: str) -> bool:
    return word[:1].isupper() or word[:1].isdigit()


def _in_shop(subject: Subject, name: str) -> bool:
    if subject.shop is None:
        return False
    from drr.env.shop import SearchRequest

    page = subject.shop.catalog.search(SearchRequest(query=name[:200], limit=5, search="plain"))
    titles = [product.title for product in subject.shop.store.products(page.product_ids)]
    return any(similarity(name, title) >= 0.75 for title in titles)


def name_matches_id(subject: Subject, mentions: Mentions) -> Check:
    """The name beside an address is the name of what stands there."""
    if subject.shop is None:
        return unverifiable("no shop was given")
    tally = CheckTally()
    cast = cast_of(subject, mentions)
    scores: list[float] = []
    for named in mentions.names():
        product = subject.product(named.product_id)
        name = _cleaned(named.name)
        if product is not None and _is_product_name(name, named.source):
            scores.append(_similarity(name, product))
            _compare_name(tally, subject, cast, named, name, product)
    for mention in mentions.mentions:
        product = subject.product(mention.product_id)
        if product is not None and mention.own and mentions.within(mention.start, mention.end):
            _compare_sentence(tally, mentions, mention, product)
    for reference in mentions.references:
        product = subject.product(reference.product_id)
        if product is not None:
            _compare_beside(tally, mentions, reference, product)
    compare_makers(tally, subject, mentions, cast)
    lowest = min(scores, default=None)
    return tally.check("no name stands beside an address of the shop", lowest_similarity=lowest)


def _similarity(name: str, product: Product) -> float:
    return similarity(name, f"{product.title} {product.store or ''}")


def _compare_name(
    tally: CheckTally, subject: Subject, cast: Cast, named: Named, name: str, product: Product
) -> None:
    """A name is wrong where its maker is another's, or where another product of the shop has all of its words."""
    differs = brand_differs(name, product) and not begins_with_its_word(name, product)
    if _similarity(name, product) >= 0.6 and not differs:
        tally.ok()
    elif _similarity(name, product) >= 0.6:
        tally.fail(named.span, f"{name!r} names another maker than {product.store or product.title!r}")
    elif not _is_title(name) or not _is_another(subject, cast, name, product):
        tally.unclear(f"{name!r} may be no name")
    else:
        tally.fail(named.span, f"{name!r} is given for {named.product_id}, which is {product.title!r}")


def _is_title(name: str) -> bool:
    """Words as names have them, most of them capitalised; no figures of a rating, a date or a price."""
    told = [word for word in name.split() if word[:1].isalpha() and len(word) > 2]
    capitals = [word for word in told if word[0].isupper()]
    if not told or told[0].casefold().replace("’", "'") in _NO_NAMES:
        return False
    return bool(capitals) and RATINGS.speaks(name) is False and next(dates(name, 0, len(name)), None) is None


def _is_another(subject: Subject, cast: Cast, name: str, product: Product) -> bool:
    """None of its capitalised words is this product's, or another product has them all."""
    own = set(words(f"{product.title} {product.store or ''} {' '.join(makers_of(product))}"))
    capitals = [word for word in re.findall(r"[A-Z][\w'’-]*", name) if len(word) > 2]
    strange = [word for word in capitals if not set(words(re.sub(r"['’]s$", "", word))) <= own]
    if not strange and len(capitals) < 3:
        return False
    if len(strange) == len(capitals):
        return len(capitals) > 1 or _in_shop(subject, name)
    others = (one for one in cast.products.values() if one.product_id != product.product_id)
    return any(_similarity(name, one) >= 0.99 for one in others) or _in_shop(subject, name)


def _compare_sentence(tally: CheckTally, mentions: Mentions, mention: Mention, product: Product) -> None:
    """Names in what is said of one product."""
    span = mention.start, mention.end
    maker = _other_maker(mentions.plain[slice(*span)], product)
    if maker:
        tally.fail(span, f"{maker!r} names another maker than {product.store or product.title!r}")
    phrase = _foreign_phrase(mentions.body[slice(*span)], product)
    makers = set(words(" ".join(makers_of(product))))
    if phrase and not makers & set(words(phrase)) and _is_beside(mentions, mention, phrase):
        tally.fail(span, f"{phrase!r} is said of {mention.product_id}, which is {product.title!r}")


_BESIDE_LINK = re.compile(
    r"(?:\*\*|__)(?P<bold>[A-Z][^*_\n|]{3,80})(?:\*\*|__)[\s(\[:–—-]{0,4}$"
    r"|(?<![\w*_])(?P<maker>[A-Z][\w&-]{2,20}(?:\s(?:&\s)?[A-Z][\w&-]{1,20}){0,2})['’]s\s(?P<rest>[^.,;:()\n$]{3,60}?)[\s(\[*_]{0,4}$"
)
"""Right before a link: a name in bold, or somebody's something."""


def _compare_beside(tally: CheckTally, mentions: Mentions, link: ProductReference, product: Product) -> None:
    """Whose the thing is said to be that the link right behind shows."""
    match = _BESIDE_LINK.search(mentions.body[max(0, link.start - 120) : link.start])
    if match is None:
        return
    name = match["bold"] or match["maker"]
    own = set(words(f"{product.title} {product.store or ''} {' '.join(makers_of(product))}"))
    own |= {word.removesuffix("s") for word in own}
    told = [word for word in words(name) if len(word) > 2 and word.isalpha()]
    said = told if match["maker"] else told[:1]
    rest = match["rest"] or " ".join(name.split()[1:])
    of_it = [word for word in words(rest) if word in own and (len(word) > 3 or word.isdigit())]
    by_itself = set(told) & set(words(" ".join(makers_of(product))))
    if of_it and said and not by_itself and not set(said) & (own | _LEADS | _NO_NAMES):
        at = max(0, link.start - 120) + match.start("bold" if match["bold"] else "maker")
        tally.fail(
            (at, at + len(name)), f"{name!r} names another maker than {product.store or product.title!r}"
        )


_CITATION = re.compile(r"\[[^\]]{0,2000}\]\([^)]{0,2000}\)|\[[\d, ^-]+\]|https?://\S+")
_PHRASE = re.compile(
    r"(?<![\w'’&-])(?>[\w'’&-]*?\b(?=[A-Z]))(?P<phrase>[A-Z][\w'’&-]*+(?:[ ,]+(?:(?:for|with|and|of|in|the)\s+)?(?:[A-Z0-9][\w'’&./-]*)){2,})"
)


_BODY = re.compile(
    r"\b(?:Academy|Association|Institute|Society|University|Agency|Commission|Department|Foundation|Council|Board|Federation|Administration|Bureau|Center|Centre|"
    r"College|Organization|Organisation|Ministry|Union|Journal|Reports|Magazine|Code|Act)\b"
)
"""Who or what gives advice and is sold by nobody."""
_THE_PHRASE = re.compile(
    r"\b(?:the|a|an|this|your)\s+(?P<name>[A-Z][\w'’&-]*(?:\s(?:(?:for|with|and|of|in)\s)?[A-Z0-9][\w'’&./-]*){2,})"
)


def _other_maker(text: str, product: Product) -> str | None:
    """The product's own name in a sentence, but behind somebody else's."""
    for match in _THE_PHRASE.finditer(text):
        name = match["name"]
        if _similarity(name, product) >= 0.6 and brand_differs(name, product):
            return name
    return None


def _foreign_phrase(text: str, product: Product) -> str | None:
    """A long capitalised name in a sentence about one product, of which that product's title knows nothing."""
    found = (match["phrase"] for match in _PHRASE.finditer(_CITATION.sub(" ", text)))
    phrases = [phrase for phrase in found if _is_long_name(phrase) and _BODY.search(phrase) is None]
    if all(_similarity(phrase, product) < 0.4 for phrase in phrases):
        return phrases[0] if phrases else None
    return None


def _is_beside(mentions: Mentions, mention: Mention, phrase: str) -> bool:
    """Whether a link to the product stands near the phrase, and not the phrase with what it is of somewhere else."""
    at = mentions.body.find(phrase, mention.start, mention.end)
    near = mentions.within(max(mention.start, at - _NEAR_LINK), at + len(phrase) + _NEAR_LINK)
    return at < 0 or any(one.product_id == mention.product_id for one in near)


_NEAR_LINK = 60


def _is_long_name(phrase: str) -> bool:
    """Four words at least that are no figures and no abbreviations, and no date."""
    told = [word for word in words(phrase) if word.isalpha() and len(word) > 2]
    return len(told) >= 4 and next(dates(phrase, 0, len(phrase)), None) is None


def _cleaned(name: str) -> str:
    """Without a lead such as "Best overall:" and without the price behind it."""
    prices = amounts(name)
    if prices:
        name = name[: prices[0].start]
    lead, colon, rest = name.partition(": ")
    if colon and len(words(rest)) >= 2 and (len(words(lead)) <= 4 or set(words(lead)) <= _LEADS):
        name = rest
    return _NUMBER_LEAD.sub("", name).strip(" -–—:|(*_\t")


def _is_product_name(name: str, source: Literal["link", "list", "bold"]) -> bool:
    said = words(name)
    if len(said) < 2 or set(said) <= _GENERIC:
        return False
    if source == "link":
        return any(_is_capital(word) for word in name.split())
    if source == "bold":
        return _is_capitalised(name) and not _NOT_A_PRODUCT.search(name)
    return True
