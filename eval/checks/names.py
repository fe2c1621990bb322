"""Does the name beside an address name what stands there?"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

from drr.env.entities import Product
from drr.eval.checks.base import Check, CheckTally, Subject, unverifiable, word_set
from drr.eval.checks.cast import Cast, cast_of
from drr.eval.checks.catalogue import NOT_A_PRODUCT, is_capital, is_capitalised, is_in_shop
from drr.eval.checks.certainty import Certainty
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
from drr.eval.checks.records import record_text
from drr.eval.checks.strange_makers import compare_makers, maker_of_the_shop
from drr.wording.dates import dates
from drr.wording.money import amounts
from drr.wording.pages import PAGES
from drr.wording.ratings import RATINGS

_GENERIC = word_set("""best overall pick choice option recommended budget top our why it fits you price rating value runner up premium upgrade key features
    pros cons verdict summary total subtotal phase month step note tip bottom line for""")  # fmt: skip
_NO_NAMES = word_set(
    "what what's why how where which who when if my your our this that these those here on in at for from swap skip buy get"
)
"""Words that begin a sentence or a label, and no name."""
_LEADS = _GENERIC | {"pick", "1", "2", "3", "4", "5"}
_NUMBER_LEAD = re.compile(r"^\s*(?:\d{1,2}(?:\.\d{1,2}){0,3}|[A-Z])[.)]?\s+(?=[A-Z])")
"""A number or a letter of a list."""


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
            _compare_name(tally, mentions, cast, named, name, product)
    for mention in mentions.mentions:
        product = subject.product(mention.product_id)
        if product is not None and mention.own and mentions.within(mention.start, mention.end):
            _compare_sentence(tally, subject, mentions, mention, product)
    for reference in mentions.references:
        product = subject.product(reference.product_id)
        if product is not None:
            _compare_beside(tally, subject, mentions, reference, product)
    compare_makers(tally, subject, mentions, cast)
    _compare_makers_alone(tally, subject)
    lowest = min(scores, default=None)
    return tally.check("no name stands beside an address of the shop", lowest_similarity=lowest)


def _similarity(name: str, product: Product) -> float:
    return similarity(name, f"{product.title} {product.store or ''}")


def _compare_name(
    tally: CheckTally, mentions: Mentions, cast: Cast, named: Named, name: str, product: Product
) -> None:
    """A name is wrong where its maker is another's, or where another product of the shop has all of its words."""
    subject = mentions.subject
    differs = brand_differs(name, product) and not begins_with_its_word(name, product)
    if _similarity(name, product) >= 0.6 and not differs:
        tally.ok()
    elif _similarity(name, product) >= 0.6:
        why = f"{name!r} names another maker than {product.store or product.title!r}"
        bound = _bound_maker(subject, named, name, product)
        if _is_before_its_maker(mentions, named, product):
            bound = _bound_as_maker(subject, name, product)
        tally.accuse("name", named.span, why, bound)
    elif named.source == "link" and _is_of_another_maker(subject, name, product):
        why = f"{name!r} names another maker than {product.store or product.title!r}"
        tally.accuse("name", named.span, why, Certainty.ADJOINED)
    elif not _is_title(name) or not _is_another(subject, cast, name, product):
        tally.unclear(f"{name!r} may be no name")
    else:
        why = f"{name!r} is given for {named.product_id}, which is {product.title!r}"
        tally.accuse("name", named.span, why, _bound_name(subject, named, name))


_LEADS_TO = re.compile(r"[*_\s]{0,4}[:(,–—-][*_\s(\[]{0,4}(?:(?:the|an?)\s)?[*_\[]{0,3}")


def _is_before_its_maker(mentions: Mentions, named: Named, product: Product) -> bool:
    """Whether a label stands there, `| Path lights, 6 | Greenmantle Warm-White |`: who makes the thing is told by another cell, or right behind."""
    at, end = named.span
    line = next((one for one in mentions.layout.lines if one.start <= at < one.end), None)
    if line is None or named.source != "bold":
        return False
    cell = next((one for one in line.cells if one[0] <= at < one[1]), None)
    if cell is not None:
        behind = mentions.body[cell[1] : line.end]
    else:
        leads = _LEADS_TO.match(mentions.body, end, line.end)
        behind = "" if leads is None else mentions.body[leads.end() : leads.end() + _LONGEST_MAKER]
    made = (re.escape(maker) for maker in makers_of(product))
    found = (re.search(rf"(?<!\w){one}(?!\w)", behind) for one in made)
    return any(one is not None and (cell is not None or one.start() == 0) for one in found)


_LONGEST_MAKER = 40


def _compare_makers_alone(tally: CheckTally, subject: Subject) -> None:
    """A link of one word, which may be who makes the thing: `[Kindpaw](LINK)`."""
    for marker in subject.citations.markers:
        name = marker.id
        key = subject.product_id_of(marker.url) if marker.url and marker.form == "link" else None
        product = subject.product(key) if key and _may_be_a_maker(name) else None
        if product is not None and _is_of_another_maker(subject, name, product):
            why = f"{name!r} names another maker than {product.store or product.title!r}"
            tally.accuse("name", (marker.start, marker.end), why, Certainty.ADJOINED)


def _may_be_a_maker(name: str) -> bool:
    return name.isalpha() and is_capital(name) and not PAGES.is_of_a_page(words(name))


_BY_WHOM = re.compile(
    r"(?P<maker>[A-Z][\w&-]{2,20}(?:\s(?:&\s)?[A-Z][\w&-]{1,20}){0,2})(?:(?:['’]s|(?<=s)['’])\s|(?=[\s,]|$))"
)


def _is_of_another_maker(subject: Subject, name: str, product: Product) -> bool:
    """`[Tallgrass's Torpedo](LINK)`, `[Tallgrass Torpedo](LINK)`, `[Tallgrass](LINK)`: a maker of the shop first, and not this product's."""
    match = _BY_WHOM.match(name)
    return match is not None and maker_of_the_shop(subject, match["maker"], _own_words(product)) is not None


def _bound_maker(subject: Subject, named: Named, name: str, product: Product) -> Certainty:
    """A link's own text is a name, and a word before the product's own; what else stands there may be a label, unless the shop knows such a maker."""
    first, *rest = re.sub(r"['’]s?(?=\s)", "", name, count=1).split()
    own = _own_words(product)
    if first[:1].isupper() and first.isalpha() and len(first) > 3:
        followed = len(rest) > 1 and set(words(rest[0])) <= own
        if named.source == "link" or followed:
            return Certainty.ADJOINED
    return _bound_as_maker(subject, name, product)


def _bound_as_maker(subject: Subject, name: str, product: Product) -> Certainty:
    known = maker_of_the_shop(subject, name, _own_words(product))
    return Certainty.INFERRED if known is None else Certainty.ADJOINED


def _bound_name(subject: Subject, named: Named, name: str) -> Certainty:
    capitals = [word for word in name.split() if word[:1].isupper() and len(word) > 2]
    if (named.source == "link" and len(capitals) > 2) or is_in_shop(subject, name):
        return Certainty.ADJOINED
    return Certainty.INFERRED


def _own_words(product: Product) -> set[str]:
    """The words of a product's title and of its makers."""
    return set(words(f"{product.title} {product.store or ''} {' '.join(makers_of(product))}"))


def _is_title(name: str) -> bool:
    """Words as names have them, most of them capitalised; no figures of a rating, a date or a price."""
    told = [word for word in name.split() if word[:1].isalpha() and len(word) > 2]
    capitals = [word for word in told if word[0].isupper()]
    if not told or told[0].casefold().replace("’", "'") in _NO_NAMES:
        return False
    return bool(capitals) and RATINGS.speaks(name) is False and next(dates(name, 0, len(name)), None) is None


def _is_another(subject: Subject, cast: Cast, name: str, product: Product) -> bool:
    """None of its capitalised words is this product's, or another product has them all."""
    own = _own_words(product)
    capitals = [word for word in re.findall(r"[A-Z][\w'’-]*", name) if len(word) > 2]
    strange = [word for word in capitals if not set(words(re.sub(r"['’]s$", "", word))) <= own]
    if not strange and len(capitals) < 3:
        return False
    if len(strange) == len(capitals):
        return len(capitals) > 1 or is_in_shop(subject, name)
    others = (one for one in cast.products.values() if one.product_id != product.product_id)
    return any(_similarity(name, one) >= 0.99 for one in others) or is_in_shop(subject, name)


def _compare_sentence(
    tally: CheckTally, subject: Subject, mentions: Mentions, mention: Mention, product: Product
) -> None:
    """Names in what is said of one product."""
    span = mention.start, mention.end
    maker = _other_maker(mentions.plain[slice(*span)], product)
    if maker:
        why = f"{maker!r} names another maker than {product.store or product.title!r}"
        tally.accuse("phrase", span, why, _bound_as_maker(subject, maker, product))
    cited = (subject.product(one.product_id) for one in mentions.references[:_CITED])
    phrase = _foreign_phrase(mentions.body[slice(*span)], product, [one for one in cited if one is not None])
    makers = set(words(" ".join(makers_of(product))))
    if phrase and not makers & set(words(phrase)) and _is_beside(mentions, mention, phrase):
        why = f"{phrase!r} is said of {mention.product_id}, which is {product.title!r}"
        known = is_in_shop(subject, phrase) or maker_of_the_shop(subject, phrase, _own_words(product))
        tally.accuse("phrase", span, why, Certainty.ADJOINED if known else Certainty.INFERRED)


_BESIDE_LINK = re.compile(
    r"(?:\*\*|__)(?P<bold>[A-Z][^*_\n|]{3,80})(?:\*\*|__)[\s(\[:–—-]{0,4}$"
    r"|(?<![\w*_])(?P<maker>[A-Z][\w&-]{2,20}(?:\s(?:&\s)?[A-Z][\w&-]{1,20}){0,2})['’]s\s(?P<rest>[^.,;:()\n$]{3,60}?)[\s(\[*_]{0,4}$"
)
"""Right before a link: a name in bold, or somebody's something."""
_GOES_ON = re.compile(r"\s(?:with|of|in|from|for|at|to|by|on)\s", re.I)
"""Behind somebody's something, if it is still of it: `Acme's press with a lid [here](LINK)`."""
_OF_ITS_OWN = re.compile(r"\b(?:the|an?|this|that|these|those|its|your|their|my|our|than)$", re.I)
"""Right before a link: it is of another thing than the words before are."""


def _compare_beside(
    tally: CheckTally, subject: Subject, mentions: Mentions, link: ProductReference, product: Product
) -> None:
    """Whose the thing is said to be that the link right behind shows."""
    match = _BESIDE_LINK.search(mentions.body[max(0, link.start - 120) : link.start])
    if match is None:
        return
    name = match["bold"] or match["maker"]
    own = _own_words(product)
    own |= {word.removesuffix("s") for word in own}
    told = [word for word in words(name) if len(word) > 2 and word.isalpha()]
    said = told if match["maker"] else told[:1]
    rest = match["rest"] or " ".join(name.split()[1:])
    of_it = [word for word in words(rest) if word in own and (len(word) > 3 or word.isdigit())]
    by_itself = set(told) & set(words(" ".join(makers_of(product))))
    if match["rest"] and not _is_shown_by_the_link(match["rest"], own):
        return
    if of_it and said and not by_itself and not set(said) & (own | _LEADS | _NO_NAMES):
        at = max(0, link.start - 120) + match.start("bold" if match["bold"] else "maker")
        why = f"{name!r} names another maker than {product.store or product.title!r}"
        tally.accuse("name", (at, at + len(name)), why, _bound_as_maker(subject, name, product))


def _is_shown_by_the_link(rest: str, own: set[str]) -> bool:
    """Whether somebody's something goes on up to the link: in `Acme's press costs less than the [Birch](LINK)` another thing follows."""
    told = rest.rstrip(" ([*_")
    own_words = [one.end() for one in re.finditer(r"[\w'’-]+", told) if own & set(words(one[0]))]
    behind = told[own_words[-1] :] if own_words else told
    return _OF_ITS_OWN.search(told) is None and (
        not behind.strip(" *_:–—-") or _GOES_ON.match(behind) is not None
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


def _foreign_phrase(text: str, product: Product, cited: Iterable[Product]) -> str | None:
    """A long capitalised name in a sentence about one product, of which that product's title knows nothing, and no record of what is cited."""
    found = (match["phrase"] for match in _PHRASE.finditer(_CITATION.sub(" ", text)))
    phrases = [
        one
        for one in found
        if _is_long_name(one) and not (_BODY.search(one) or any(_is_told_of(one, each) for each in cited))
    ]
    if all(_similarity(phrase, product) < 0.4 for phrase in phrases):
        return phrases[0] if phrases else None
    return None


_CITED = 40
"""References whose records are looked into."""


def _is_told_of(phrase: str, product: Product) -> bool:
    """Whether a phrase, but for the word that begins its sentence, is what the record says of the thing: `If Plastic with Rubber Mat puts you off`."""
    return {*words(phrase)[1:]} <= {*words(record_text(product))}


def _is_beside(mentions: Mentions, mention: Mention, phrase: str) -> bool:
    """Whether a link to the product stands near the phrase, and not the phrase with what it is of somewhere else."""
    at = mentions.body.find(phrase, mention.start, mention.end)
    near = mentions.within(max(mention.start, at - _NEAR_LINK), at + len(phrase) + _NEAR_LINK)
    return at < 0 or any(one.product_id == mention.product_id for one in near)


_NEAR_LINK = 60
_FIGURE_OF_EACH = re.compile(r"[A-Za-z]\s\d{1,4}(?:\.\d{1,2})?(?=,|$)")


def _is_long_name(phrase: str) -> bool:
    """Four words at least that are no figures and no abbreviations, and no date."""
    told = [word for word in words(phrase) if word.isalpha() and len(word) > 2]
    if len(_FIGURE_OF_EACH.findall(phrase)) > 1:
        return False  # `Calmgate 38, Tallgrass 44`: several, with a figure each
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
    if len(said) < 2 or PAGES.is_of_a_page(word for word in said if word not in _GENERIC):
        return False
    if source == "link":
        return any(is_capital(word) for word in name.split())
    if source == "bold":
        return is_capitalised(name) and not NOT_A_PRODUCT.search(name)
    return True
