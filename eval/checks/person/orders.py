"""Orders that a report speaks of: are they the reader's own, with their dates, quantities and states?"""

from __future__ import annotations

import re
from collections.abc import Iterable

from drr.env.entities import Order, Product
from drr.eval.checks.base import Check, CheckTally, Subject, unverifiable, word_set
from drr.eval.checks.figures import dates
from drr.eval.checks.layout import sentences
from drr.eval.checks.mentions import Mentions, brand_differs, similarity, words
from drr.eval.checks.person.order_ids import OrdersNamed

_BOUGHT = re.compile(
    r"\byou(?:'ve|’ve| have| had| also| already| last| previously| recently| once| even|'d)*\s+(?:bought|ordered|purchased|own(?:ed)? (?:from|since)|reordered|picked up|got)\b"
    r"|\b(?:your|a|the) (?:(?:past|previous|earlier|prior|last|latest|recent|most recent|first|\w+ 20\d\d|20\d\d)\s+)*(?:order|purchase)s? (?:of|from|for)\b|\bsince you (?:bought|ordered|purchased)\b"
    r"|\byou (?:already|still) (?:own|have) (?:the|an?)\b|\byou own the\b|\byour (?:past|previous|earlier|prior|last|latest|recent) (?:order|purchase)s?\b|\bpurchased by you\b|\border\s+#?\d{6,20}\b",
    re.I,
)
_STATUS = re.compile(
    r"\b(?:was|were|is|status(?: is|:)?|marked(?: as)?|been|it|currently|now|shows(?: as)?|:)\s+\**(?P<s>delivered|shipped|processing|cancell?ed|returned)\b",
    re.I,
)
_QUANTITY = re.compile(
    r"\b(?:bought|ordered|purchased|quantity(?: of|:)?|order of|got)\s+(?P<n>\d{1,2}|two|three|four|five|six)\b(?!\s*(?:times|orders|years|months|days|items|products|-|different|[a-z]+ (?:in|since)))|\bquantity\s*[:=]?\s*(?P<q>\d{1,3})\b|\b(?P<x>\d{1,2})\s?[x×]\s",
    re.I,
)
_NUMBERS = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6}


def _history(subject: Subject) -> list[tuple[Order, Product | None]]:
    assert subject.shop is not None
    assert subject.user_id is not None
    store = subject.shop.store
    orders = store.orders(subject.user_id, limit=2_000).items
    products = {
        product.product_id: product for product in store.products([order.product_id for order in orders])
    }
    return [(order, products.get(order.product_id)) for order in orders]


def order_facts(subject: Subject, mentions: Mentions) -> Check:
    """Orders that the report speaks of are the reader's own, with their dates, quantities and states."""
    if subject.shop is None or subject.user_id is None:
        return unverifiable("no shop and user were given")
    if subject.user is None:
        return unverifiable(f"the shop has no user {subject.user_id}")
    tally = CheckTally()
    history = _history(subject)
    own = {order.order_id: (order, product) for order, product in history}
    ids = OrdersNamed(subject)
    for order_id, span in ids.all:
        if order_id in own:
            tally.ok()
        elif (order := subject.shop.store.order(order_id)) is not None and order.user_id == subject.user_id:
            own[order_id] = (order, subject.shop.store.product(order.product_id))
            tally.ok()
        else:
            tally.fail(span, f"{order_id} is no order of this user")
    body = mentions.body
    for start, end in sentences(body):
        if _BOUGHT.search(body, start, end) and not re.search(
            r"\byou (?:have not|haven't|never|did not|didn't)\b", body[start:end], re.I
        ):
            _check_purchase(tally, ids, mentions, history, own, start, end)
    for row in mentions.layout.lines:
        found = [name for name, _ in ids.between(row.start, row.end)] if row.kind in ("row", "item") else []
        if found:
            pair = own.get(found[0])
            if pair and len(set(found)) == 1:
                _compare(tally, body, row.start, row.end, [pair], strict=True)
    return tally.check("the report speaks of no order")


def _check_purchase(
    tally: CheckTally,
    ids: OrdersNamed,
    mentions: Mentions,
    history: list[tuple[Order, Product | None]],
    own: dict[str, tuple[Order, Product | None]],
    start: int,
    end: int,
) -> None:
    body = mentions.body
    cited = [
        name
        for name, span in ids.between(start, end + 4)
        if span[0] < end or _just_behind(body, end, span[0])
    ]
    orders = [own[one] for one in cited if one in own]
    spoken = {one.product_id for one in mentions.within(start, end + 2)}
    sentence = body[start:end]
    bought = _BOUGHT.search(body, start, end)
    tail = body[bought.end() if bought else start : end]
    if not orders and spoken and bought:
        named = [pair for pair in history if pair[0].product_id in spoken]
        near = [one for one in mentions.within(start, end + 2) if abs(one.start - bought.end()) < 160]
        if named:
            orders = named
        elif near and not re.search(
            r"\b(?:pairs?|goes|match(?:es)?|complements?|replac\w+|like|similar|upgrade|instead|so|therefore)\b",
            body[bought.end() : near[0].start],
            re.I,
        ):
            tally.fail((start, end), f"{near[0].product_id} was never ordered by this user")
            return
    name = _bought_name(tail)
    if name and not cited:
        scores = [similarity(name, p.title) for _, p in history if p and not brand_differs(name, p)]
        best = max(scores, default=0.0)
        if best < 0.6:
            tally.fail((start, end), f"no order of this user is for {name!r}")
            return
        if not orders:
            orders = [
                pair
                for pair in history
                if pair[1] and similarity(name, pair[1].title) >= max(best - 0.01, 0.75)
            ]
    elif name and orders and not any(p and similarity(name, p.title) >= 0.5 for _, p in orders):
        tally.fail((start, end), f"the order cited is not for {name!r}")
        return
    if not orders and not name and (generic := _generic(tail)):
        orders = [pair for pair in history if pair[1] and set(generic) <= _stems(words(pair[1].title))]
        if not orders:
            if not cited:
                tally.unclear(f"it is not clear which order is meant by {sentence.strip()[:60]!r}")
            return
    if orders:
        _compare(tally, body, start, end, orders, strict=bool(cited))


def _just_behind(body: str, end: int, position: int) -> bool:
    """A marker that stands right behind the full stop."""
    return end <= position <= end + 3 and not body[end:position].strip(" *_\"')")


def _bought_name(text: str) -> str | None:
    """A product's name in capitals after "you bought"."""
    plain = re.sub(r"\]\([^)]*\)|\[[\d, ^-]+\]|https?://\S+|user://\S+|[*_]", " ", text)
    match = re.match(
        r"[\s:,\[\"“]*(?:(?:the|a|an|your|two|three|\d{1,2}|x|×|of|it|from|pair|pack|on|in|was|is|for|\d{4}|[A-Z][a-z]+ \d{1,2},? \d{4}|[A-Z][a-z]+ \d{4}|\d{4}-\d\d-\d\d)[\s,:]+)*(?P<name>[A-Z][\w'’&-]*(?:[ ,/]+(?:(?:for|with|and|of|in|the|to|&)\s+)?[A-Z0-9][\w'’&.\"-]*)+)",
        plain,
    )
    if match is None:
        return None
    name = re.sub(r"\s+(?:on|in|for)$", "", match["name"].strip(" ,."))
    months = r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
    name = re.sub(rf"[ ,]+(?:on|in)?\s*{months}\b.*$", "", name)
    return (
        name if len([w for w in words(name) if not w.isdigit()]) >= 2 and not re.match(months, name) else None
    )


_FILLER = word_set("""a an the your some several many two three few in on at from of for and to this that these those items item products product things
    it them before last year years month ago recently already with was were is which we i so you has have orders order purchases purchase
    again once over times since 2015 2016 2017 2018 2019 2020 2021 2022 2023 during back early late""")  # fmt: skip


def _generic(text: str) -> list[str]:
    stop = re.split(
        r"[,;:.!?(\[]| (?:so|which|and|that|because|in|on|for|from|before|last|since|but|with)\b",
        text.strip(),
    )[0]
    found = [word for word in words(stop) if word not in _FILLER]
    return [_stem(word) for word in found] if 1 <= len(found) <= 4 else []


def _stem(word: str) -> str:
    return word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 3 else word


def _stems(all_words: Iterable[str]) -> set[str]:
    return {_stem(word) for word in all_words}


def _compare(
    tally: CheckTally,
    body: str,
    start: int,
    end: int,
    orders: list[tuple[Order, Product | None]],
    *,
    strict: bool,
) -> None:
    """Date, quantity and state as said, against any of the orders it may be."""
    spoken = [when for when in dates(body, start, end) if 1995 <= when.year <= 2035]
    if spoken and not _of_the_future(body, start, spoken[0].start):
        for when in spoken[: 1 if not strict else 2]:
            if any(when.covers(order.order_date) for order, _ in orders):
                tally.ok()
            else:
                placed = ", ".join(sorted({order.order_date[:10] for order, _ in orders})[:3])
                tally.fail(
                    (when.start, when.end),
                    f"said {body[when.start : when.end]}, the order was placed {placed}",
                )
    quantity = _QUANTITY.search(body, start, end)
    if quantity:
        written = (quantity["n"] or quantity["q"] or quantity["x"]).casefold()
        said = _NUMBERS.get(written) or int(written)
        if (
            any(order.quantity == said for order, _ in orders)
            or sum(order.quantity for order, _ in orders) == said
        ):
            tally.ok()
        else:
            tally.fail(
                quantity.span(),
                f"said {said}, ordered were {sorted({order.quantity for order, _ in orders})}",
            )
    status = _STATUS.search(body, start, end)
    if status is None and strict:
        status = re.compile(
            r"[|(,]\s*(?P<s>delivered|shipped|processing|cancell?ed|returned)\b", re.I
        ).search(body, start, end)
    if status:
        said_status = status["s"].casefold().replace("canceled", "cancelled")
        if any(order.order_status.casefold() == said_status for order, _ in orders):
            tally.ok()
        else:
            tally.fail(
                status.span(),
                f"said {status['s']}, is {', '.join(sorted({order.order_status for order, _ in orders}))}",
            )
    if not spoken and not quantity and not status:
        tally.ok()


def _of_the_future(body: str, start: int, position: int) -> bool:
    return (
        re.search(
            r"\b(?:by|until|before|through|next|plan(?:ned)? for|due)\s+$",
            body[max(start, position - 14) : position],
            re.I,
        )
        is not None
    )
