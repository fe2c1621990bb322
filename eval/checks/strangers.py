"""Who is named in a report that is not in play: capitalised words that no record in play has, makers of the shop, pages of the web."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence

from drr.env.entities import Product
from drr.eval.checks.base import Span, Subject
from drr.eval.checks.makers import is_maker
from drr.eval.checks.mentions import Mentions, words
from drr.eval.checks.naming import fold, folded_words
from drr.eval.checks.records import record_text
from drr.wording.dates import CALENDAR

_CAPITAL = re.compile(r"(?<=[\w,;] )[A-Z][a-z]{3,}[\w'’-]*")
_OPENING = re.compile(r"[\s*_(>•–-]{0,8}(?P<name>[A-Z][a-z]{3,20})(?=['’]s\b|\s[a-z])")
_GENITIVE = re.compile(r"['’]s$")
_CALENDAR = frozenset(
    word.casefold() for word in (*CALENDAR["months"], *CALENDAR["short_months"], *CALENDAR["weekdays"], "USD")
)


class Strangers:
    """Names of a report that stand for nothing in play."""

    def __init__(
        self,
        subject: Subject,
        mentions: Mentions,
        products: Mapping[str, Product],
        inside_link: Callable[[int, int], bool],
    ) -> None:
        self._body = mentions.body
        self._products = products
        self._shop = subject.shop
        self._inside_link = inside_link
        self._known = self._known_words(subject)
        self._found: dict[Span, bool] = {}
        self._web = sorted(
            (one.start, one.end)
            for one in subject.citations.markers
            if one.url is not None and not one.url.startswith("user:") and not subject.is_shop_url(one.url)
        )

    def _known_words(self, subject: Subject) -> set[str]:
        """Words that are no strangers' names: of the records in play, of the question, of the calendar, and the reader's own name."""
        found = {*words(subject.query or ""), *_CALENDAR}
        if subject.user is not None:
            found |= {*words(subject.user.first_name), *words(subject.user.last_name)}
        for product in self._products.values():
            found |= set(words(record_text(product)))
        return found

    def is_one(self, name: str) -> bool:
        return not set(words(_GENITIVE.sub("", name))) <= self._known

    def pages(self, span: Span) -> Sequence[Span]:
        """Where a stretch cites the web."""
        low = bisect_left(self._web, (span[0], 0))
        return self._web[low : bisect_left(self._web, (span[1], 0))]

    def is_part(self, products: frozenset[str], noun: str) -> bool:
        """Whether a word stands in the records of these."""
        some = (self._products[one] for one in products if one in self._products)
        return any(fold(noun) in folded_words(record_text(one)) for one in some)

    def names_one(self, span: Span) -> bool:
        """Whether a stretch has a capitalised word that no product in play has in its title."""
        if span not in self._found:
            low, high = span
            self._found[span] = any(
                not set(words(_GENITIVE.sub("", match[0]))) <= self._known
                for match in _CAPITAL.finditer(self._body, low + 1, high)
                if not self._inside_link(low, match.start())
            ) or self._opens_with_a_stranger(span)
        return self._found[span]

    def _opens_with_a_stranger(self, span: Span) -> bool:
        """Whether a sentence begins with a maker of the shop who is not in play."""
        match = _OPENING.match(self._body, *span)
        if match is None or self._shop is None or set(words(match["name"])) <= self._known:
            return False
        return is_maker(self._shop, match["name"])
