"""The limits of a question's cost. Each amount that it names as one, for all, for one of them, or for a month."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from drr.wording.money import MONEY, MoneyAmount, dollar_amounts
from drr.wording.numbers import DIGITS, number, spoken
from drr.wording.vocabulary import Wordbook, vocabulary

Scope = Literal["total", "item", "month"]


class CostLimit(NamedTuple):
    scope: Scope
    low: float | None
    high: float | None


class _Limit(NamedTuple):
    """One amount, or two as a range, and the words around."""

    before: str
    after: str
    value: float
    second: float | None
    more: bool
    """`$300+`"""
    end: int


_JOIN = re.compile(r"\s{0,8}(?:-|–|—|\b(?:to|and)\b)\s{0,8}", re.I)
_SECOND = re.compile(rf"({DIGITS})(?![\d%])")
_AND = re.compile(r"(?:\b(?:and|but)|[,;])\s{0,8}$", re.I)
"""`no more than $200 in total and $50 per item`: the second figure is a limit like the first."""
_CLAUSE = re.compile(r"[.;!?]\s")
_BEFORE, _AFTER = 120, 60
"""Characters around an amount that may speak of it."""
_OFFERED = 30
"""Characters behind the least that must be spent, in which stands what for."""


class LimitReader:
    def __init__(self, words: Wordbook) -> None:
        def compiled(expression: str) -> re.Pattern[str]:
            return re.compile(expression, re.I)

        some = words.either
        self._cap_before = compiled(
            rf"(?:(?<!\bno )(?<!\bnot )\b(?:{some('cap_before')})|{some('cap_signs')})"
            rf"(?: (?:{some('cap_fillers', 'cap_nouns')}|spending)){{0,6}}:?\s{{0,8}}$"
        )
        no_item = rf"no (?:(?:{some('every_one')}) )?(?:{some('every_thing')})"
        of_them = r"(?: of (?:them|these|those))?"
        none = rf"(?:{some('none_of_it')}|{no_item}){of_them}(?: (?:that |which )?(?:{some('none_that')}))?"
        self._not_beyond = compiled(
            rf"(?:(?:\b(?:{some('negations')})\b|n't\b)[^.;!?$]{{0,40}}\b|\b{none} )(?:{some('beyond')})\s{{0,8}}$"
        )
        self._none_beyond = compiled(
            rf"\b(?P<none>{some('none_of_it')}){of_them} (?:(?:that |which )?(?:{some('none_that')}) )?(?:{some('beyond')})\s{{0,8}}$"
        )
        self._too_much = compiled(
            rf"^\s{{0,8}}(?:{some('verdict_verbs')}) (?:(?:{some('verdict_degrees')}) )?(?:{some('verdicts')})\b"
        )
        self._floor_before = compiled(rf"(?:\b(?:{some('floor_before')})|{some('floor_signs')})\s{{0,8}}$")
        self._floor_after = compiled(rf"^\s{{0,8}}(?:{some('floor_after')})\b")
        self._cap_after = compiled(
            rf"^\s{{0,8}}(?:{some('cap_after')}|is my (?:(?:{some('cap_degrees')}) )?(?:{some('cap_nouns')}))\b"
        )
        self._spent = compiled(rf"\b(?:{some('spent')})(?: (?:{some('spent_between')})){{0,3}}\s{{0,8}}$")
        between = rf"(?:\s{{1,8}}(?:{some('limit_between', 'floor_after')}))?\s{{0,8}}"
        self._item_after = compiled(
            rf"^{between}(?:,\s{{0,8}})?(?:(?:/\s?|per |an? )(?:{some('things')})\b|(?:{some('item_after')})\b(?! month))"
        )
        self._item_before = compiled(
            rf"\b(?:{some('every')}) (?:(?:{some('every_one')}) )?(?:{some('every_thing')})\b[^.;$]{{0,40}}$"
            rf"|\b{no_item}\b[^.;$]{{0,40}}$"
            rf"|\b(?:{some('item_kinds')}) (?:{some('item_limits')})\b[^.;$]{{0,30}}$|\b(?:{some('item_before')})\b[^.;$]{{0,20}}$"
        )
        self._month_after = compiled(rf"^{between}(?:{some('month_after')})\b")
        self._month_before = compiled(
            rf"\b(?:{some('month_before')})\b(?![^.;$]{{0,40}}\btotal\b)[^.;$]{{0,40}}$"
        )
        self._no_price = compiled(
            rf"^\s{{0,8}}(?:(?:/\s?|per |an? )(?:{some('other_periods')})\b|(?:{some('no_price')})\b)"
        )
        self._change = compiled(
            rf"\b(?:{some('change_from')}) (?:a|an|my|our|one) (?P<bill>{some('bills')})\b(?! (?:dollars?|bucks)\b)"
        )
        self._range_before = compiled(rf"\b(?:{some('range_before')})\s{{0,8}}$")
        self._offer = compiled(rf"\b(?:{some('offers')})\b")
        self._least_order = compiled(rf"\b(?:{some('least_orders')})(?: of| is)?:?\s{{0,8}}$")

    def limits(self, text: str) -> list[CostLimit]:
        found: list[CostLimit] = []
        end = 0
        for amount in dollar_amounts(text):
            if amount.start < end:
                continue
            kind = self._limit_at(text, amount)
            end = kind.end
            bounds = self._bounds(kind, follows=bool(found))
            if bounds is not None:
                scope = "item" if self._is_of_each(kind, found) else self._scope(kind)
                found.append(CostLimit(scope, *bounds))
        change = self._change.finditer(text)
        return found + [CostLimit("total", None, float(spoken(one["bill"]))) for one in change]

    def thresholds(self, text: str) -> list[float]:
        """Find what a purchase must reach for an offer to hold: `10% off orders over $50` limits nothing."""
        kinds = (self._limit_at(text, amount) for amount in dollar_amounts(text))
        return [one.value for one in kinds if one.second is None and self._is_offered(one)]

    def _limit_at(self, text: str, amount: MoneyAmount) -> _Limit:
        before = text[max(0, amount.start - _BEFORE) : amount.start]
        second, end = self._second(text, amount, before) or (None, amount.end)
        end += text[end : end + 1] == ","
        more = text[amount.end - 1] == "+"
        return _Limit(before, text[end : end + _AFTER], amount.value, second, more, end)

    def _second(self, text: str, first: MoneyAmount, before: str) -> tuple[float, int] | None:
        """`$20 and $40`, `$20-$40`, `$20 to 40`, and where it ends; "and" joins only after "between"."""
        join = _JOIN.match(text, first.end)
        if join is None:
            return None
        if join[0].strip().casefold() == "and" and not self._range_before.search(before):
            return None
        amount = MONEY.at(text, join.end())
        if amount is not None:
            return amount.value, amount.end
        plain = _SECOND.match(text, join.end())
        return (number(plain[1]), plain.end()) if plain else None

    def _bounds(self, said: _Limit, *, follows: bool) -> tuple[float | None, float | None] | None:
        """The least and the most; `None` where the amount limits nothing."""
        if self._no_price.match(said.after) or self._spent.search(said.before):
            return None
        if said.second is not None:
            return min(said.value, said.second), max(said.value, said.second)
        if self._is_offered(said):
            return None
        rest = self._without_scope(said.after)
        capped = self._capped(said.before, rest)
        if self._is_floor(said):
            return said.value, None
        if capped or self._cap_after.match(rest) or self._scoped(said, follows=follows):
            return None, said.value
        return None

    def _is_floor(self, said: _Limit) -> bool:
        if said.more or self._floor_after.match(said.after):
            return True
        capped = self._capped(said.before, self._without_scope(said.after))
        return self._floor_before.search(said.before) is not None and not capped

    def _is_offered(self, said: _Limit) -> bool:
        """Tell whether it is the least that must be spent for shipping to be free, or for a discount."""
        if self._least_order.search(said.before):
            return True
        clauses = _CLAUSE.split(said.before)[-1], _CLAUSE.split(said.after)[0][:_OFFERED]
        return self._is_floor(said) and any(self._offer.search(one) for one in clauses)

    def _capped(self, before: str, rest: str) -> bool:
        return bool(
            self._cap_before.search(before) or self._not_beyond.search(before) or self._too_much.match(rest)
        )

    def _scoped(self, said: _Limit, *, follows: bool) -> bool:
        """A bare amount is a limit where it is one for a month, or for an item behind another limit."""
        if self._month_after.match(said.after) or self._month_before.search(said.before):
            return True
        return follows and bool(_AND.search(said.before) and self._item_after.match(said.after))

    def _without_scope(self, after: str) -> str:
        scope = self._item_after.match(after) or self._month_after.match(after)
        return after[scope.end() :] if scope else after

    def _is_of_each(self, said: _Limit, found: list[CostLimit]) -> bool:
        """`None above $30` is said of several things; `nothing above $30` too, where all of them may cost more."""
        match = self._none_beyond.search(said.before)
        if match is None:
            return False
        several = any(one.high is not None and one.high > said.value for one in found)
        return several or match["none"].casefold() == "none"

    def _scope(self, said: _Limit) -> Scope:
        clause = _CLAUSE.split(said.before)[-1]
        if self._month_after.match(said.after) or self._month_before.search(clause):
            return "month"
        if self._item_after.match(said.after) or self._item_before.search(clause):
            return "item"
        return "total"


_READER = LimitReader(vocabulary("limits"))
limits = _READER.limits
"""Every limit of a text, in its order."""
thresholds = _READER.thresholds
"""Every amount of a text that must be reached for an offer to hold."""
