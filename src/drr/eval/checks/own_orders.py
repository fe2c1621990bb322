"""Writes a shop's ids of orders where a report has the numbers of the shop's own files: `order 10023`, `user://4711/orders/10023`.

Of the user's orders alone a number can name one. A number of digits counts where the report calls it an order; one with letters anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple
from urllib.parse import unquote

from drr.env.entities import Order
from drr.env.own_numbers import OwnNumbers
from drr.eval.checks.results import Span
from drr.eval.checks.values import is_year

_TOKEN = re.compile(r"(?<![\w/.=@&?#-])#?(?=[\w/.-]*\d)[A-Za-z0-9](?:[\w/.-]{0,38}\w)?(?![\w@-]|[.,:/]\w)")
_CALLED = re.compile(
    r"\border(?:s(?!\s*:))?\b(?P<number>(?:\s+(?:id|number|no\.?))*)(?P<colon>[\s*_`#:(\[|]*)", re.I
)
"""Words that call what follows them an order."""
_CITED = re.compile(
    r"user://(?P<user>[^\s/()<>\[\]]+)(?:/orders/(?P<number>[^\s()<>\[\]]*[^\s()<>\[\].,;:!?*_`|]))?"
)
_MOST, _BACK, _SHORT, _LONG, _PREFIX = 2_000, 120, 4, 5, 24
"""Most tokens that are looked up, and letters before one; fewest digits of a number behind `order`, and of one elsewhere in its line; letters of the words before a number."""


class NamedOrder(NamedTuple):
    """A place of a report that names an order by the shop's own number."""

    place: Span
    number: str
    order: Order


class _Written(NamedTuple):
    """A text that may be the number of an order."""

    place: Span
    number: str
    is_cited: bool = False


def named_orders(
    text: str, numbers: OwnNumbers, orders: Sequence[Order], is_product: Callable[[str], bool]
) -> list[NamedOrder]:
    """Return the places of a report, in English, that name one of the user's orders by the shop's own number."""
    written = sorted(_written(text))
    asked = {form for one in written for form in _forms(one)}
    by_number = _of_one_kind(numbers.orders(orders, asked))
    found = list[NamedOrder]()
    lines = _lines(text) if by_number else iter(())
    line = next(lines, None)
    for one in written:
        order = next((by_number[form] for form in _forms(one) if form in by_number), None)
        while line is not None and line.end <= one.place[0]:
            line = next(lines, None)
        if order is None or line is None or (found and one.place[0] < found[-1].place[1]):
            continue
        if one.is_cited or _is_called(text, line, one, is_product):
            found.append(NamedOrder(one.place, one.number, order))
    return found


def own_user_places(text: str, numbers: OwnNumbers, user_id: str) -> Iterator[Span]:
    """Yield the places of addresses that name the user by the shop's own number: `user://4711/orders`."""
    for one in _CITED.finditer(text):
        if one["user"] != user_id and numbers.user(unquote(one["user"])) == user_id:
            yield one.span("user")


def _written(text: str) -> Iterator[_Written]:
    """Yield what may be numbers: tokens, tokens with the words before them (`VA 104612`), and ends of addresses."""
    for one in islice(_CITED.finditer(text), _MOST):
        if one["number"]:
            yield _Written(one.span("number"), unquote(one["number"]), is_cited=True)
    for one in islice(_TOKEN.finditer(text), _MOST):
        yield _Written(one.span(), one[0])
        words = text[max(0, one.start() - _PREFIX) : one.start()].rpartition("\n")[2].split(" ")[-3:-1]
        for first in range(len(words)):
            before = " ".join([*words[first:], ""]).lstrip("[(*_`|#")
            if before[:1].isalnum() and before == before.upper():
                yield _Written((one.start() - len(before), one.end()), before + one[0])


def _forms(one: _Written) -> tuple[str, ...]:
    bare = one.number.lstrip("#")
    return one.number, bare, f"#{bare}"


class _Line(NamedTuple):
    start: int
    end: int
    header: str
    """The first line of its table; empty outside tables, and on that line itself."""


def _lines(text: str) -> Iterator[_Line]:
    start, header = 0, ""
    for line in text.split("\n"):
        is_row = "|" in line
        yield _Line(start, start + len(line), header if is_row else "")
        header = (header or line) if is_row else ""
        start += len(line) + 1


def _of_one_kind(named: Mapping[str, Sequence[Order]]) -> dict[str, Order]:
    """Return the first line of each order, where its lines have one day and one state."""
    return {
        number: lines[0]
        for number, lines in named.items()
        if len({(one.order_date[:10], one.order_status) for one in lines}) == 1
    }


def _is_called(text: str, line: _Line, one: _Written, is_product: Callable[[str], bool]) -> bool:
    """Tell whether the report calls the text an order."""
    start, bare = one.place[0], one.number.lstrip("#")
    *_, before = (None, *_CALLED.finditer(text, max(line.start, start - _BACK), start))
    if len(bare) >= _SHORT and any(map(str.isalpha, bare)):
        return not is_product(bare)
    if before is not None and before.end() == start:
        explicit = before["number"] or "#" in before["colon"] or one.number != bare
        return bool(explicit) or (len(bare) >= _SHORT and not is_year(bare))
    if _CALLED.fullmatch(_heading(text, line, start)):
        return len(bare) >= _SHORT
    return bare.isdecimal() and len(bare) >= _LONG and before is not None and not is_product(bare)


def _heading(text: str, line: _Line, start: int) -> str:
    """Return the heading of a column in which something begins."""
    cells, column = line.header.split("|"), text.count("|", line.start, start)
    return cells[column].strip(" *_") if column < len(cells) else ""
