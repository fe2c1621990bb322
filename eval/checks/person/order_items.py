"""What an order is said to hold: one order and one product, put together by a verb of being or buying, an item or a row. What was ordered then is certain."""

from __future__ import annotations

import re

from drr.eval.checks.base import CheckTally, Span
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.grid import column_at
from drr.eval.checks.layout import TextLine, sentences
from drr.eval.checks.mentions import Mentions, ProductReference
from drr.eval.checks.person.history import History, Placed
from drr.eval.checks.person.order_ids import OrdersNamed
from drr.wording.dates import dates

_ELSE = re.compile(
    r"\b(?:not|never|no|instead|rather|than|like|unlike|similar|same|replac\w*|compar\w*|consider\w*|today|now|next|would|could|might|may|should|will|if|when|goes|go|match\w*|pairs?|paired|after|before|since|follow\w*|another|other|alternatives?|upgrade\w*|suggest\w*|recommend\w*|pick|buy|but|whereas|while|return\w*|exchang\w*|refund\w*|swap\w*|fits?|works?|accessor\w+|refills?|link|also|related|near|close|mistake\w*|wrong\w*)\b|n't\b|n’t\b|\?",
    re.I,
)
"""It may speak of something else than what that order held."""
_ARTICLE = r"(?:(?:(?:just|only|for|the|a|an|one|your)\b|\d{1,2}|x|×)\s*+)*+[\[*_\"“\s]*+"
_IS = re.compile(
    rf"[\s*_)\],]*+(?:(?:of|from|on|dated|placed|in)\b[\s,)]*+)*+(?:(?<=\s)(?:is|was|were|contains?|contained|includes?|included|held|consist(?:s|ed) of)\b|:)\s*+{_ARTICLE}",
    re.I,
)
"""Between an order and a product."""
_BOUGHT = re.compile(
    rf"\b(?:you|you've|you’ve|you have|you had|you'd)\s(?:have\s|had\s|last\s|already\s|once\s)?(?:bought|ordered|purchased|got)\s{_ARTICLE}$|\b(?:your|the|this|that)\s(?:last\s|latest\s|first\s)?(?:order|purchase)\s(?:is|was|contained|included|held)\s{_ARTICLE}$",
    re.I,
)
"""Before a product: it was bought."""
_IN_ORDER = re.compile(
    r"[\s*_)\],]*(?:\s*(?:of|from|on|dated|placed|in|with|under|as|by|via|through|your|order|purchase|number|no\.?|id|#)(?:\b|(?<=[.#]))[\s,:#(]*)*[\s*_(\[,.]*",
    re.I,
)
"""Between a product that was bought and its order."""
_BARE = re.compile(
    r"[\s*_()\[\],:;|#—–-]*(?:(?:order|number|no\.?|id|qty|of|from|on|placed|dated|in|your|the|a|an|x|×|1|delivered|shipped)\b[\s*_()\[\],:;|#.—–-]*)*",
    re.I,
)
"""Between the two in an item: nothing that says anything else of them."""
_HEAD_ELSE = re.compile(
    r"\b(?:instead|replac\w*|alternatives?|suggest\w*|recommend\w*|next|now|consider|new|similar|upgrade|goes|pair\w*|compar\w*|match\w*|refill|pick|buy|candidate|option|better|cheaper)\b",
    re.I,
)
_ITEM_HEAD = re.compile(
    r"^(?:the )?(?:items?|products?|what|bought|ordered|purchased?|contents?|names?|titles?|things?|what (?:it|you|was) .{0,20})$"
)
_LEAD = re.compile(
    r"[\s*_>(\[#]*(?:(?:so|indeed|yes|and|in|on|of|from|your|the|this|that|last|latest|first|order|purchase|number|no\.?|id)\b[\s,:#*_.]*)*",
    re.I,
)
"""Before an order that is what its sentence speaks of."""
_MARK = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s")
_FEW_WORDS = 3
_ALIKE = 0.75
"""Two entries of one thing."""


class OrderItems:
    """Goes through sentences, items and rows that name one order and one product."""

    def __init__(self, tally: CheckTally, mentions: Mentions, named: OrdersNamed, history: History) -> None:
        self._tally = tally
        self._mentions = mentions
        self._body = mentions.body
        self._named = named
        self._history = history

    def compare(self) -> None:
        for line in self._mentions.layout.lines:
            if line.kind == "row":
                if not _HEAD_ELSE.search(" | ".join(line.header)):
                    self._place((line.start, line.end), line)
            elif line.kind == "item":
                self._place((line.start, line.end), line)
            elif line.kind in ("text", "title"):
                for start, end in sentences(self._body[line.start : line.end]):
                    self._place((line.start + start, line.start + end), line)

    def _place(self, span: Span, line: TextLine) -> None:
        ids = {order_id for order_id, _ in self._named.between(*span)}
        products = self._mentions.within(*span) or [
            one for one in self._mentions.called if span[0] <= one.start < span[1]
        ]
        if (
            len(ids) != 1
            or len({one.product_id for one in products}) != 1
            or not _is_plain(self._mentions, span)
        ):
            return
        placed = self._history.find(*ids)
        if placed is None or placed.product is None or not self._is_another(placed, products[0]):
            return
        where = [at for _, at in self._named.between(*span)]
        if any(self._is_said(span, line, at, one) for at in where for one in products):
            why = f"order {placed.order.order_id} was of {placed.product.product_id}, not of {products[0].product_id}"
            self._tally.fail(span, why, Certainty.LITERAL)

    def _is_another(self, placed: Placed, said: ProductReference) -> bool:
        other = self._mentions.subject.product(said.product_id)
        return (
            other is not None
            and other.product_id != placed.order.product_id
            and placed.similarity(other.title) < _ALIKE
        )

    def _is_said(self, span: Span, line: TextLine, order: Span, said: ProductReference) -> bool:
        """Whether what stands between puts the two together."""
        written = self._body[slice(*order)][-1:].isdecimal()
        if line.kind == "row":
            return written and self._is_entered(line, order, said)
        first = order[0] < said.start
        low, high = (order[1], said.start) if first else (said.end, order[0])
        between = self._undated(low, high)
        if line.kind == "item" and written and _BARE.fullmatch(between):
            lead = self._undated(span[0], min(order[0], said.start))
            return _BARE.fullmatch(_MARK.sub("", lead)) is not None
        if first:
            lead = _MARK.sub("", self._undated(span[0], order[0]))
            return _IS.fullmatch(between) is not None and _LEAD.fullmatch(lead) is not None
        return (
            _IN_ORDER.fullmatch(between) is not None
            and _BOUGHT.search(self._body, span[0], said.start) is not None
        )

    def _is_entered(self, line: TextLine, order: Span, said: ProductReference) -> bool:
        """Whether a row is one of an order book: the order, the thing, and no more than days, states and prices."""
        of_order, of_thing = column_at(line, order[0]), column_at(line, said.start)
        if of_order is None or of_thing is None:
            return False
        head = line.header[of_thing] if of_thing < len(line.header) else ""
        others = [cell for at, cell in enumerate(line.cells) if at not in (of_order, of_thing)]
        return (not line.header or _ITEM_HEAD.search(head) is not None) and all(
            len(self._mentions.plain[low:high].split()) <= _FEW_WORDS for low, high in others
        )

    def _undated(self, low: int, high: int) -> str:
        text = self._body[low:high]
        for one in reversed(list(dates(text, 0, len(text)))):
            text = text[: one.start] + text[one.end :]
        return text


def _is_plain(mentions: Mentions, span: Span) -> bool:
    """Whether nothing denies, compares or speaks of another thing; the words of names are no such words."""
    text = list(mentions.plain[slice(*span)])
    for one in mentions.called:
        for at in range(max(one.start, span[0]), min(one.end, span[1])):
            text[at - span[0]] = " "
    return _ELSE.search("".join(text)) is None
