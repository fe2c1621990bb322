"""Counts of orders beside one telling word of a category (`24 pet`, `37 office-product orders`), and the year since when the reader orders."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from drr.env.statistics import UserStatistics
from drr.eval.checks.base import CheckTally, Span
from drr.eval.checks.cast import Cast
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.mentions import words
from drr.eval.checks.person.history import History
from drr.eval.checks.person.joints import Joints
from drr.eval.checks.person.named_days import NEGATED
from drr.eval.checks.person.stretches import counts_in_times, is_sum_behind_a_colon
from drr.wording.hedges import HEDGES
from drr.wording.numbers import SPOKEN, WHOLE, number_said
from drr.wording.purchases import PURCHASES
from drr.wording.tolerance import same_count

_COUNT = re.compile(
    rf"(?P<near>{HEDGES.least}?)(?<![\w.$,#€£/-])(?P<n>{WHOLE}|{SPOKEN})(?![\w%]|[.,/-]\d|['’])", re.I
)
_TO_PART = re.compile(
    r"[\s*_]{0,3}(?:[–—,-]\s|\()?(?:to be exact[\s,–—-]{1,4})?(?:(?:orders|purchases|buys|parcels|of|them|these|those|your|her|his|their|all|have|has|been|are|were|was|is|went|go|to|in|for|from|on|with|the|\d{1,4})[\s*_]{1,3}){0,9}",
    re.I,
)
"""Between a count and the part that it counts."""
_FROM_PART = re.compile(
    r"(?:[\s,&-]{1,3}+(?:and\s)?\w{1,12}\b){0,3}[\s*_]{0,3}(?:[(:–—=]|with|at|(?:[\s*_]{1,3}+(?:is|are|still|your|the|top|main|largest|biggest|first|leading|most|category|#1|no\.\s?1|number one)){1,7}+,?\swith|has|had|holds|accounts? for|makes? up)[\s*_]{0,3}(?:orders[\s:]{1,2})?",
    re.I,
)
_SINCE = re.compile(
    r"\b(?:you|your|you've|customer|member|shopper|account|shopping|ordering|buying|history|orders)\b[^.;:]{0,50}\bsince\s(?:back\s)?(?:(?:early|late|about|around)\s)?$",
    re.I,
)
_WINDOW = re.compile(
    r"\b(?:last|latest|newest|past|recent|recently|visible|next|than|at least|at most|under|over|nearly|without|another)\b[^.;]{0,16}$",
    re.I,
)
_PERIOD = re.compile(
    r"\b(?:last|past|recent|newest|latest|visible|this|each|every|per)\s(?:\w+\s){0,2}(?:months?|years?|weeks?|quarter|orders|purchases)\b|\bpriced?\b",
    re.I,
)
_ENDS = re.compile(
    r"[\s*_]{0,3}(?:$|[,.;:!?()\]|=–—&-]|\b(?:stuff|things?|items?|gear|goods|orders?|purchases?|products?|supplies|buys|category|from|out|by|in|and|with|since|to|of|at|for|over|are|were|is|was|has|have|had|who|which|that)\b)",
    re.I,
)
"""Behind the telling word: it is no part of another name."""
_MEMBER = re.compile(r"\b(?:customer|member|shopper|account|with us)\b", re.I)
_NO_WORDS = frozenset(
    words("and supplies products product improvement household care lawn other all accessories the of sports")
)
"""Words of categories that say too little by themselves."""
_LEAST = 4
"""Letters of a telling word; `pet` is told by its category."""


class PartsOfHistory:
    """Which of the reader's categories one word means."""

    def __init__(self, tally: CheckTally, cast: Cast, known: UserStatistics, history: History) -> None:
        self._tally = tally
        self._cast = cast
        self._body = cast.body
        self._known = known
        self._history = history
        by_word: dict[str, set[str]] = {}
        for share in known.by_category:
            for word in set(words(share.name.replace("_", " "))) - _NO_WORDS:
                by_word.setdefault(word.removesuffix("s"), set()).add(share.name)
        self._telling = {word: next(iter(names)) for word, names in by_word.items() if len(names) == 1}
        self._orders = {share.name: share.orders for share in known.by_category}
        self._joints = Joints(cast.body, self._orders, {*by_word})
        either = "|".join(sorted(map(re.escape, self._telling), key=len, reverse=True)) or r"(?!)"
        self._word = re.compile(rf"(?<![\w$-])(?P<w>{either})s?(?!\w)", re.I)
        self._items = self._counted_items()

    def _counted_items(self) -> dict[str, set[int]]:
        """Other true counts of a category: pieces that were bought, and different products."""
        pieces: dict[str, int] = {}
        things: dict[str, set[str]] = {}
        for placed in self._history.orders:
            name = placed.product.categories[0] if placed.product and placed.product.categories else ""
            pieces[name] = pieces.get(name, 0) + placed.order.quantity
            things.setdefault(name, set()).add(placed.order.product_id)
        return {name: {pieces[name], len(things[name])} for name in pieces}

    def sentence(self, span: Span) -> None:
        if not PURCHASES.speaks(self._around(span)):
            return
        self._since(span)
        for match in _COUNT.finditer(self._body, *span):
            said = number_said(match["n"])
            if not 2 <= said <= 2 * self._known.orders or _PERIOD.search(self._body, *span):
                continue
            if _WINDOW.search(self._body, max(span[0], match.start() - 28), match.start()):
                continue
            names = set(self._beside(match, span))
            if names and not self._is_cut_or_summed(said, match.start("n"), span, names):
                self._compare(said, match, names)

    def _is_cut_or_summed(self, said: float, at: int, span: Span, names: Collection[str]) -> bool:
        """Whether so many orders of a part are of a time that its sentence says, or of all that are counted before a colon."""
        if is_sum_behind_a_colon(self._body, span, at, said):
            return True
        return any(said in counts_in_times(self._cast, self._history, span, one) for one in names)

    def _around(self, span: Span) -> str:
        line = self._cast.prose.line_at(span[0])
        return self._body[line.start : line.end] if line is not None else self._body[slice(*span)]

    def _beside(self, match: re.Match[str], span: Span) -> Iterator[str]:
        """The parts whose word is tied to a count, before it or behind it."""
        for word in self._word.finditer(self._body, *span):
            name = self._telling[word["w"].casefold()]
            if not self.ends(word.end(), name) or self.is_joined(word.span(), span, name):
                continue
            between = (
                (_TO_PART, match.end("n"), word.start())
                if word.start() >= match.end("n")
                else (_FROM_PART, word.end(), match.start("n"))
            )
            if between[2] - between[1] <= _FURTHEST and between[0].fullmatch(self._body, *between[1:]):
                yield name

    def words_within(self, span: Span) -> Iterator[tuple[int, int, str]]:
        """Where one telling word stands for a category, which it means."""
        for word in self._word.finditer(self._body, *span):
            name = self._telling[word["w"].casefold()]
            if self.ends(word.end(), name):
                yield *word.span(), name

    def is_joined(self, at: Span, span: Span, category: str) -> bool:
        """Whether another category is named in one breath with this one: a count is of both."""
        return self._joints.is_joined(at, span, category)

    def ends(self, end: int, category: str) -> bool:
        """Whether the name of the category goes on, or ends: `kitchen scales` is none."""
        if _ENDS.match(self._body, end):
            return True
        behind = re.match(r"[\s,&*_]{1,4}(\w{1,20})", self._body[end : end + 26])
        return behind is not None and behind[1].casefold() in words(category.replace("_", " "))

    def _compare(self, said: float, match: re.Match[str], names: Collection[str]) -> None:
        near = bool((match["near"] or "").strip())
        counts = {self._orders[one] for one in names} | {self._known.orders, self._known.items}
        counts |= {value for one in names for value in self._items.get(one, ())}
        if any(same_count(said, one, hedged=near) for one in counts):
            self._tally.ok()
        elif len(names) == 1:
            name = next(iter(names))
            why = f"said {said:,.0f} of {name}, are {self._orders[name]:,} orders"
            self._tally.accuse("statistic", match.span("n"), why, Certainty.CLAUSE)

    def _since(self, span: Span) -> None:
        """`a customer since 2011`: the year of the first order, where nothing that was ordered is named."""
        if not self._history.whole or not self._history.orders or self._cast.within(*span):
            return
        days = [one.order.order_date for one in self._history.orders]
        first, last = min(days), max(days)
        for when in self._cast.prose.dates(*span):
            before = self._body[max(span[0], when.start - 90) : when.start]
            since = _SINCE.search(before)
            if since is None or NEGATED.search(
                before
            ):  # `nothing in your account since May`: that is the last order
                continue
            quiet = when.covers(last)  # `your account has been quiet since May`
            if quiet or when.covers(first) or (self._history.on(when) and not _MEMBER.search(since[0])):
                self._tally.ok()
            else:
                why = (
                    f"said since {self._body[when.start : when.end]}, the first order was placed {first[:10]}"
                )
                self._tally.accuse("statistic", (when.start, when.end), why, Certainty.CLAUSE)


_FURTHEST = 70
