"""A known maker's name on what a link shows as another maker's: in a genitive, behind `by`, or at the head of its line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from drr.env.entities import Product
from drr.env.shop import SearchRequest
from drr.eval.checks.base import CheckTally, Span, Subject, word_set
from drr.eval.checks.cast import Cast
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.makers import makers_of
from drr.eval.checks.mentions import Mentions, ProductReference, words
from drr.eval.checks.prose import SENTENCE_END

_NEAR_NAME = 16
"""Characters before a name in which it may be said that it is another's."""
_NOUN = 90
"""Characters of a noun phrase before its link."""
_BEFORE = 260
"""Characters before a link in which its name may stand."""
_NAME = r"[A-Z][\w&-]{2,20}(?:\s(?:&\s)?[A-Z][\w&-]{1,20}){0,2}"
_OF_SOMEBODY = re.compile(rf"(?<!\w)(?P<maker>{_NAME})(?:['’]s|(?<=s)['’])\s(?P<rest>[^.,;:()\n$]{{3,60}})")
_BY_SOMEBODY = re.compile(rf"(?P<rest>(?:[\w-]{{2,20}}\s){{1,3}})(?:made\s)?by\s(?P<maker>{_NAME})(?!['’\w])")
_ANY_NAME = re.compile(rf"(?<!\w)(?P<maker>{_NAME})(?!\w)")
_AFTER_LINK = re.compile(
    rf"[)\s\]]{{0,3}}(?:is|are|was|were|comes?)\s(?:made\s|sold\s)?(?:by|from)\s(?P<maker>{_NAME})(?!['’\w])"
)
_HEAD = re.compile(
    r"[\s>*_#|•–-]{0,8}(?:[^\w\s]{1,3}\s)?(?:[A-Z][.):]\s|\d{1,2}[.)]\s|[\w ,.]{3,14}\d{4}:\s)?[*_]{0,3}"
    rf"(?P<maker>{_NAME})(?!['’\w])\s?(?P<rest>[^.:()\n$|]{{0,60}})"
)
_TIGHT = re.compile(
    rf"(?<![\w'’&-])(?:(?:The|An?|Your|My|Our|This|That|One)\s)?(?P<maker>{_NAME})(?!['’\w])(?P<rest>(?:[ -][\w&'’./-]{{1,20}}){{0,6}})[\s*_]{{0,3}}[(\[]?[\s*_]{{0,2}}$"
)
"""A name right before a link, with nothing but the words of a noun between."""
_AFTER_ID = re.compile(
    rf"[ \t*_)\]`]{{0,4}}(?P<joint>[=,:]|—|–|->|→|\s-|\bis\b|\bfrom\b|\bby\b)[ \t]{{1,2}}[*_]{{0,2}}(?:(?:the|from|by)\s)?[*_]{{0,2}}(?P<maker>{_NAME})(?!['’\w])"
)
"""Behind an id that stands for itself: `B05NECYZ4Z is the Drowsy Fox`; never over the end of a line."""
_SAYS_WHOSE = word_set("is from by =")
"""Joints that tell of what stands before them; the others may lead to the next thing of a list: `the Birch $10 (B0...), the Fox $12 (B0...)`."""
_NO_NOUN = word_set(
    "is are was were costs cost at for from in on to with or but that which has have it by than of as its and the an goes comes sells makes made like fits does do did will can over below above under against beside"
)
"""Words that no name of a thing has before its link."""
_WHAT_IT_DOES = re.compile(r"\b(?:what|whatever|how|where|when|which)[\s*_]{1,3}$", re.I)
"""Before a maker's name: a clause about him, and no name of a thing."""
_OF_ANOTHER = re.compile(
    r"\b(?:than|as|unlike|like|compatible|fits?|works?|not|instead|against|versus|vs|rather|replac\w+|beside|besides|alternative|you|your|yours|other|but|whereas|while)\b",
    re.I,
)
"""Between a maker's name and a link: they may be two things."""


class _Whose(NamedTuple):
    """A name that stands as a maker's, and the words of the thing."""

    maker: str
    rest: str
    span: Span
    tight: bool = False
    """Nothing but a noun stands between it and the link."""


def compare_makers(tally: CheckTally, subject: Subject, mentions: Mentions, cast: Cast) -> None:
    """Each link of the prose, by whose thing it is said to be."""
    low = 0
    for link in mentions.references:
        product = cast.products.get(link.product_id)
        line = cast.prose.line_at(link.start)
        if product is not None and line is not None and line.kind != "head_row":
            if line.kind == "row":
                cells = [cell for cell in line.cells if cell[0] <= link.start < cell[1]]
                found = _tight(cast, cells[0][0] if cells else link.start, link)
            else:
                found = _said(cast, line.start, max(low, link.start - _BEFORE), link)
            for whose in found:
                if _is_strange(subject, cast, whose, product, link):
                    why = f"{whose.maker!r} names another maker than {product.store or product.title!r}"
                    tally.accuse("name", whose.span, why, Certainty.ADJOINED)
                    break
        low = link.end


def _said(cast: Cast, start: int, low: int, link: ProductReference) -> Iterator[_Whose]:
    body = cast.body
    if behind := _AFTER_LINK.match(body, link.end):
        yield _Whose(behind["maker"], "", behind.span("maker"))
    if (behind := _behind_its_id(cast, max(low, start), link)) is not None:
        yield _Whose(behind["maker"], "", behind.span("maker"))
    yield from _tight(cast, max(low, start), link)
    for at in (start if start >= low and not link.leads else None, _heading_above(cast, start, low)):
        if at is not None and (head := _HEAD.match(body, at, link.start)):
            yield _whole(head)
    if link.leads:
        return
    for pattern in (_OF_SOMEBODY, _BY_SOMEBODY):
        yield from (_whole(match) for match in pattern.finditer(body, max(low, start), link.start))
    yield from _alone(cast, low, link)


def _behind_its_id(cast: Cast, low: int, link: ProductReference) -> re.Match[str] | None:
    """The name behind an id that stands for itself, where it is not the next thing of a list: of things whose ids end what is said of them."""
    body = cast.body
    match = _AFTER_ID.match(body, link.end) if body[link.start : link.end] == link.product_id else None
    if match is None or match["joint"] in _SAYS_WHOSE:
        return match
    product, is_in_brackets = (
        cast.products.get(link.product_id),
        body[link.start - 1 : link.start] in ("(", "["),
    )
    if product is None or any(one in body[low : link.start] for one in makers_of(product)):
        return None
    return None if is_in_brackets and match["joint"] == "," else match


def _tight(cast: Cast, low: int, link: ProductReference) -> Iterator[_Whose]:
    """The name that a link is put behind: `the Thistlegate smart model (LINK)`."""
    if link.leads:
        return
    product, before = cast.products.get(link.product_id), cast.body[low : link.start]
    if product is None or any(one in before for one in makers_of(product)):
        return
    low = max(low, link.start - _NOUN)
    match = _TIGHT.search(cast.body[low : link.start])
    if match is not None and not _NO_NOUN & set(match["rest"].split()):
        near = cast.body[max(0, low + match.start() - _NEAR_NAME) : low + match.start()]
        if _OF_ANOTHER.search(near) or _WHAT_IT_DOES.search(near):
            return
        span = low + match.start("maker"), low + match.end("maker")
        yield _Whose(match["maker"], match["rest"].replace("-", " "), span, tight=True)


def _alone(cast: Cast, low: int, link: ProductReference) -> Iterator[_Whose]:
    """Names of a sentence that cites one product behind them and names no other that is in play."""
    span = cast.prose.sentence_at(link.start)
    named = [one for one in cast.within(*span) if not one.products & cast.unlinked]
    others = [one for one in named if link.product_id not in one.products]
    if others or any(one.end <= link.start for one in named):
        return
    for match in _ANY_NAME.finditer(cast.body, max(low, span[0]), link.start):
        rest = cast.body[match.end() : link.start]
        yield _Whose(match["maker"], rest.replace("-", " "), match.span("maker"))


def _heading_above(cast: Cast, start: int, low: int) -> int | None:
    """Where the heading begins that stands over a line, if no other link is between."""
    above = cast.prose.line_at(max(0, start - 2))
    return (
        above.start
        if above is not None and above.kind in ("heading", "title") and above.start >= low
        else None
    )


def _whole(match: re.Match[str]) -> _Whose:
    return _Whose(match["maker"], match["rest"], match.span("maker"))


def _is_strange(
    subject: Subject, cast: Cast, whose: _Whose, product: Product, link: ProductReference
) -> bool:
    """A maker of this shop, not of this product, whose name stands on words of this product's title and of no other's of his."""
    between = cast.body[whose.span[1] : link.start]
    around = cast.body[min(whose.span[0], link.start) : link.start]
    if _OF_ANOTHER.search(between) or any(one in around for one in makers_of(product)):
        return False
    own = set(words(f"{product.title} {product.store or ''} {' '.join(makers_of(product))}"))
    maker = maker_of_the_shop(subject, whose.maker, own)
    if maker is None:
        return False
    if whose.span[0] > link.start:
        return True
    if whose.tight:
        return not _is_named_elsewhere(cast, product, whose)
    rest = [*whose.maker.split()[len(maker.split()) :], *whose.rest.split()]
    thing = {word for word in words(" ".join(rest)[:50]) if len(word) > 2 and word.isalpha()}
    least = 2 if SENTENCE_END.search(between) else 1
    fitting = len(thing & own)
    linked = (one for key, one in cast.products.items() if key not in cast.unlinked)
    theirs = (one for one in linked if maker in makers_of(one))
    return fitting >= least and all(len(thing & set(words(one.title))) < fitting for one in theirs)


def _is_named_elsewhere(cast: Cast, product: Product, whose: _Whose) -> bool:
    """Whether the sentence says whose the linked thing is besides."""
    sentence = cast.body[slice(*cast.prose.sentence_at(whose.span[0]))]
    return any(one in sentence for one in makers_of(product))


def maker_of_the_shop(subject: Subject, name: str, own: set[str]) -> str | None:
    """The longest beginning of a name that is a maker of the shop; `None` where any of it is this product's."""
    parts = name.split()
    for length in range(len(parts), 0, -1):
        maker = " ".join(parts[:length])
        if subject.shop is not None and not set(words(maker)) & own and len(maker) > 3:
            page = subject.shop.catalog.search(
                SearchRequest(query=maker, brand=maker, limit=1, search="plain")
            )
            if any(maker in makers_of(one) for one in subject.shop.store.products(page.product_ids)):
                return maker
    return None
