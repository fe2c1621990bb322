"""Keeps a trace to its own shopper. A trace of Ann that names an order of Bob tells nothing of Bob here:

- what it says of Bob's records is left out, and counted;
- of Ann's own records counts what the trace itself says; the shop adds nothing personal;
- where it names no user, every record is a stranger's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote

from drr.env.shop import Shop
from drr.env.shop_world import USER
from drr.eval.evidence.imported import Evidence, ImportedReport
from drr.eval.foreign.traces import json_or_text
from drr.wording.currency import Currency

_SHORTEST, _LONGEST, _MOST = 5, 64, 2_000
"""Fewest and most letters of an id in a text, and most words of a result that may be products."""
_ADDRESS = re.compile(r"user:/+([^\s/\"'<>|\\)\]]*)([^\s\"'<>|\\)\]]*)", re.IGNORECASE)
_DAY = len("2026-01-31")


def ids_in(line: str) -> Iterator[str]:
    for word in _words(line, "-_"):
        if _SHORTEST <= len(word) <= _LONGEST and any(map(str.isdigit, word)):
            yield word


def _words(text: str, signs: str) -> list[str]:
    return "".join(c if c.isalnum() or c in signs else " " for c in text).split()


def apart(report: ImportedReport, shop: Shop | None) -> tuple[ImportedReport, int]:
    """Return the report without records of strangers, and how many it named. Of a result that holds one, only its products stay."""
    others = _Others(shop, report.user_id)
    evidence, calls = [], []
    for one in report.evidence or ():
        kept = one.model_copy(update={"record": None})  # which only a shop tells
        if others.in_text(f"{one.url} {one.title or ''} {one.seen or ''} {one.text or ''}"):
            if one.type != "product" or others.in_text(one.url):
                continue
            kept = Evidence(url=one.url, type=one.type, text="", seen=None if one.seen is None else "")
        evidence.append(kept)
    for call in report.tool_calls or ():
        result = " ".join(_leaves([call.get("result"), call.get("error")]))
        if others.in_text(result):
            products = shop.store.products([*dict.fromkeys(ids_in(result))][:_MOST]) if shop else []
            call = {name: value for name, value in call.items() if name not in ("result", "error")}
            call |= {"result": "\n".join(one.product_url for one in products), "left_out": True}
        calls.append(call)
    traced = None if others.named else report.traced
    parts = {"evidence": report.evidence and evidence, "tool_calls": report.tool_calls and calls}
    return report.model_copy(update={**parts, "traced": traced}), len(others.named)


class _Others:
    """The records of others than one user, who may be unknown."""

    def __init__(self, shop: Shop | None, user_id: str | None) -> None:
        self._shop, self._own = shop, user_id
        self.named: set[str] = set()
        """Addresses of the records that were found."""

    def in_text(self, text: str) -> bool:
        """Tell whether a text names a record of another: by its address, or by an id that the shop knows."""
        found = {f"{USER}{unquote(user)}{path}": unquote(user) for user, path in _ADDRESS.findall(text)}
        found |= addresses_in_text(text, self._shop)
        others = {address for address, user in found.items() if user != self._own}
        # A user's id beside an address of theirs is no second record.
        self.named |= {one for one in others if not any(other.startswith(f"{one}/") for other in others)}
        return bool(others)


def users_in_addresses(text: str) -> set[str]:
    """Return the ids in the addresses of records, whoever they are."""
    return {user for user, _ in _ADDRESS.findall(text)}


def addresses_in_text(text: str, shop: Shop | None) -> dict[str, str]:
    """Return the addresses of orders and users whose ids or e-mail stand in a text, each with its user."""
    found = {}
    for store, word in ((shop.store, word) for word in dict.fromkeys(ids_in(text)) if shop):
        # An id sent as a number has lost its zeros; people write it in small letters.
        order = store.order(word) or (store.order(word.zfill(16)) if word.isdecimal() else None)
        if order is not None:
            found[f"{USER}{order.user_id}/orders/{order.order_id}"] = order.user_id
        elif user := store.user(word) or store.user(word.upper()):
            found[f"{USER}{user.user_id}"] = user.user_id
    for store, word in ((shop.store, word) for word in dict.fromkeys(_words(text, "@.+%'-_")) if shop):
        for user in store.find_users(email=word.strip(".'")) if "@" in word else ():
            found[f"{USER}{user.user_id}"] = user.user_id
    return found


def _leaves(value: Any) -> Iterator[str]:
    """Yield every text and number, those in texts of JSON too."""
    value = json_or_text(value)
    if isinstance(value, Mapping):
        value = [*value, *value.values()]
    elif not isinstance(value, list):
        yield str(value)
        return
    for one in value:
        yield from _leaves(one)


class TraceText:
    """All that a trace says, in which the values of a record are looked for."""

    def __init__(self, report: ImportedReport, money: Currency) -> None:
        document = report.model_dump(include={"query", "report_markdown", "evidence", "tool_calls"})
        self._text = _plain(" \n ".join(_leaves(document)))
        self._money = money

    def part_of(self, value: Any) -> Any:
        """Return what the trace says of a record, field by field; `None` where it says nothing. Unknown stays unknown."""
        if isinstance(value, dict):
            found = {name: (inner, self.part_of(inner)) for name, inner in value.items()}
            kept = {name: part for name, (inner, part) in found.items() if part is not None or inner is None}
            return kept if kept or not value else None
        if isinstance(value, list | tuple):
            parts = [part for one in value if (part := self.part_of(one)) is not None]
            return parts if parts or not value else None
        forms = [str(value)]
        if isinstance(value, float | int):
            forms += f"{value:g}", f"{value:,}", f"{value:,.2f}", self._money.text(value)
        if not str(value).strip() or any(map(self.has, forms)):
            return value
        day = str(value)[:_DAY]  # a moment counts to the day
        return day if str(value)[_DAY : _DAY + 1] == "T" and self.has(day) else None

    def has(self, words: str) -> bool:
        """Tell whether the trace says these words, not within longer ones."""
        words = _plain(words)
        at = self._text.find(words)
        while at >= 0:
            around = self._text[max(0, at - 1) : at], self._text[at + len(words) : at + len(words) + 1]
            if not any(map(str.isalnum, around)):
                return True
            at = self._text.find(words, at + 1)
        return False


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()
