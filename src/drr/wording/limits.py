"""Reads the limits of cost in a question: in total, for one item, or for a month."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from drr.wording.figures import DIGITS, NUMERAL, Quantity, number, number_of, spoken_number
from drr.wording.money import MONEY, dollar_amounts
from drr.wording.vocabulary import Wordbook, vocabulary

Scope = Literal["total", "item", "month"]


class CostLimit(NamedTuple):
    scope: Scope
    low: float | None
    high: float | None


class _Limit(NamedTuple):
    """An amount, or two as a range, with the text around."""

    before: str
    after: str
    value: float
    second: float | None
    more: bool
    """True for a lower limit such as `$300+`."""
    end: int


_JOIN = re.compile(r"\s{0,8}(?:-|–|—|\b(?:to|and)\b)\s{0,8}", re.I)
_SECOND = re.compile(rf"({DIGITS})(?![\d%])")
_AND = re.compile(r"(?:\b(?:and|but)|[,;])\s{0,8}$", re.I)
"""A joining word at the end of a text. In `no more than $200 in total and $50 per item` the second figure is a limit like the first."""
_CLAUSE = re.compile(r"[.;!?]\s")
_BEFORE, _AFTER = 120, 60
"""Characters before and after an amount that may say what the amount is."""
_OFFERED = 30
"""Characters after a minimum purchase in which the text may name the offer."""


class LimitReader:
    def __init__(self, words: Wordbook) -> None:
        def compiled(expression: str) -> re.Pattern[str]:
            return re.compile(expression, re.I)

        some = words.either
        self._cap_before = compiled(
            rf"(?:(?<!\bno )(?<!\bnot )\b(?:{some('cap_before')})|\b(?:{some('surpassing')})|{some('cap_signs')})"
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
        self._for_all = compiled(rf"^ for (?:both|(?:all|the) {NUMERAL})(?: of them)?\s{{0,8}}(?:[,;:.!)]|$)")
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
        return found + [CostLimit("total", None, float(spoken_number(one["bill"]))) for one in change]

    def _limit_at(self, text: str, amount: Quantity) -> _Limit:
        before = text[max(0, amount.start - _BEFORE) : amount.start]
        second, end = self._second(text, amount, before) or (None, amount.end)
        end += text[end : end + 1] == ","
        more = text[amount.end - 1] == "+"
        return _Limit(before, text[end : end + _AFTER], amount.value, second, more, end)

    def _second(self, text: str, first: Quantity, before: str) -> tuple[float, int] | None:
        """Return the second amount of a range and its end, or `None`: `$20 and $40`, `$20-$40`, `$20 to 40`. "and" joins only after "between"."""
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

    def _bounds(self, limit: _Limit, *, follows: bool) -> tuple[float | None, float | None] | None:
        """Return the minimum and the maximum; `None` if the amount limits nothing."""
        if self._no_price.match(limit.after) or self._spent.search(limit.before):
            return None
        if limit.second is not None:
            return min(limit.value, limit.second), max(limit.value, limit.second)
        if self._is_offered(limit):
            return None
        rest = self._without_scope(limit.after)
        capped = self._is_capped(limit.before, rest)
        if self._is_floor(limit):
            return limit.value, None
        if (
            capped
            or self._cap_after.match(rest)
            or self._is_of_all(limit)
            or self._scoped(limit, follows=follows)
        ):
            return None, limit.value
        return None

    def _is_floor(self, limit: _Limit) -> bool:
        if limit.more or self._floor_after.match(limit.after):
            return True
        capped = self._is_capped(limit.before, self._without_scope(limit.after))
        return self._floor_before.search(limit.before) is not None and not capped

    def _is_offered(self, limit: _Limit) -> bool:
        """Tell whether the amount is the minimum purchase for free shipping or a discount."""
        if self._least_order.search(limit.before):
            return True
        clauses = _CLAUSE.split(limit.before)[-1], _CLAUSE.split(limit.after)[0][:_OFFERED]
        return self._is_floor(limit) and any(self._offer.search(one) for one in clauses)

    def _is_capped(self, before: str, rest: str) -> bool:
        return bool(
            self._cap_before.search(before) or self._not_beyond.search(before) or self._too_much.match(rest)
        )

    def _scoped(self, limit: _Limit, *, follows: bool) -> bool:
        """Tell whether a bare amount is a limit: for a month, or for an item after another limit."""
        if self._month_after.match(limit.after) or self._month_before.search(limit.before):
            return True
        return follows and bool(_AND.search(limit.before) and self._item_after.match(limit.after))

    def _is_of_all(self, limit: _Limit) -> bool:
        """Tell whether a bare amount for all things stands as a clause of its own: `Two lamps, $150 for both.`"""
        apart = not limit.before.strip() or limit.before.rstrip()[-1] in ",;:.!?("
        return apart and self._for_all.match(limit.after) is not None

    def _without_scope(self, after: str) -> str:
        scope = self._item_after.match(after) or self._month_after.match(after)
        return after[scope.end() :] if scope else after

    def _is_of_each(self, limit: _Limit, found: list[CostLimit]) -> bool:
        """Tell whether a limit applies to each item. `None above $30` does; so does `nothing above $30` if all items together may cost more."""
        match = self._none_beyond.search(limit.before)
        if match is None:
            return False
        several = any(one.high is not None and one.high > limit.value for one in found)
        return several or match["none"].casefold() == "none"

    def _scope(self, limit: _Limit) -> Scope:
        clause = _CLAUSE.split(limit.before)[-1]
        if self._month_after.match(limit.after) or self._month_before.search(clause):
            return "month"
        if self._item_after.match(limit.after) or self._item_before.search(clause):
            return "item"
        return "total"


_READER = LimitReader(vocabulary("limits"))
limits = _READER.limits
"""The function that returns every limit in a text, in order."""


_BEFORE_COUNT = 12
"""Characters before a number that may show that the number is part of a range."""


class CountReader:
    def __init__(self, words: Wordbook) -> None:
        some = words.either
        asking = rf"\b(?:{some('asking')})\s{{1,8}}(?:(?:{some('whom')})\s{{1,8}}){{0,2}}(?:(?:{some('about')})\s{{1,8}})?"
        self._count = re.compile(
            rf"{asking}(?P<them>{NUMERAL})\s{{1,8}}(?:{some('of_them')})\b"
            rf"|{asking}(?:the\s{{1,8}})?(?:(?:{some('best')})\s{{1,8}})?(?P<n>{NUMERAL})\s{{1,8}}"
            r"(?P<noun>(?:[a-z][\w'-]{0,40}\s{1,8}){0,4}?[a-z][\w'-]{0,40}s)\b"
            rf"|\btop\s{{1,8}}(?P<top>{NUMERAL})\b|\bthe\s{{1,8}}(?P<best>{NUMERAL})\s{{1,8}}best\b"
            rf"|\b(?:{some('exact')})\s{{1,8}}(?P<exact>{NUMERAL})\s{{1,8}}(?:{some('picks', 'things')})\b"
            rf"|(?<![-\w$])(?P<bare>{NUMERAL})\s{{1,8}}(?:(?:{some('kinds')})\s{{1,8}})?(?:{some('picks')})\b",
            re.I,
        )
        self._not_counted = re.compile(rf"\b(?:{some('not_counted')})\b", re.I)
        self._either = re.compile(rf"\b(?:{NUMERAL})\s{{0,8}}(?:{some('either')})\s{{0,8}}$", re.I)
        self._choice = tuple(f"{word} " for word in words["either"])

    def count(self, text: str) -> int | None:
        for match in self._count.finditer(text):
            if not self._counts_else(match["noun"] or "") and (value := self._value(text, match)):
                return value
        return None

    def _counts_else(self, noun: str) -> bool:
        return noun.startswith(self._choice) or self._not_counted.search(noun) is not None

    def _value(self, text: str, match: re.Match[str]) -> int | None:
        name = next(name for name in ("n", "them", "top", "best", "exact", "bare") if match[name])
        before = (
            text[match.start() : match.start(name)]
            or text[max(0, match.start() - _BEFORE_COUNT) : match.start()]
        )
        return None if self._either.search(before) else number_of(match[name])


count = CountReader(vocabulary("counts")).count
"""The function that returns the first count of things that a text asks for."""


_MOST = 6
"""Most things in one list."""
_LONGEST = 4
"""Most words of one thing."""
_FREE = re.compile(r"\b([a-z]{3,20})-free\b", re.I)
_WORD = re.compile(r"[A-Za-z0-9&'’][A-Za-z0-9&'’/-]{0,60}")
_GLUE = re.compile(r"\s{0,8}(?:,\s{0,8}(?:and|or|nor)?|\band\b|\bor\b|\bnor\b|/)\s{0,8}", re.I)
_ITEM = r"[\w'-]{1,40}(?:\s[\w'-]{1,40})?"
_LIST_END = re.compile(rf"(?:\s?{_ITEM}\s?,){{0,6}}\s?{_ITEM}\s?,?\s(?:or|and|nor)\s{_ITEM}\s?$", re.I)
_EXCLUDED_CLAUSE = re.compile(r"[^.;!?\n]{0,80}")
_JOINED = re.compile(r"\b(?:or|and|nor)\s{0,3}$", re.I)
_CUE_AGAIN = re.compile(r"(?:no|any|without|not from)\s{1,8}", re.I)
_SPACE = re.compile(r"[ \t]*")


class _Thing(NamedTuple):
    words: list[str]
    end: int


class ExclusionReader:
    def __init__(self, words: Wordbook) -> None:
        some = words.either
        self._cue = re.compile(
            rf"\b(?:avoid(?:ing)? (?:{some('avoided')}) (?:{some('avoided_for')})|nothing (?:{some('nothing')})|not made (?:{some('not_made')})"
            rf"|(?:{some('cannot')}) (?:{some('cannot_do')})|{some('cues')}"
            rf"|(?:{some('refusals')}) (?:{some('refused')})(?: any(?:thing)? (?:{some('refused_of')}))?)\s{{1,8}}",
            re.I,
        )
        self._words = {name: frozenset(words[name]) for name in words.groups}

    def exclusions(self, text: str) -> list[str]:
        found = [thing for match in self._cue.finditer(text) for thing in self._things(text, match.end())]
        found += [
            match[1]
            for match in _FREE.finditer(text)
            if match[1].casefold() not in self._words["harmless_free"]
        ]
        once: dict[str, str] = {}
        for thing in found:
            once.setdefault(thing.casefold(), thing)
        return list(once.values())

    def _things(self, text: str, position: int) -> list[str]:
        """Return the things named after a cue: `plastic, latex or fragrance` is three."""
        found: list[str] = []
        at: int | None = position
        while at is not None and len(found) < _MOST:
            thing = self._thing(text, at)
            if not thing.words or (found and len(thing.words) == _LONGEST):
                break
            found.append(" ".join(thing.words).rstrip("'"))
            at = _next(text, thing.end)
        return found

    def _thing(self, text: str, position: int) -> _Thing:
        """Return the thing at a position. It has no words if the cue rules out nothing: `no more than`, `without going over`."""
        found: list[str] = []
        while (word := _WORD.match(text, position)) and len(found) < _LONGEST:
            lower = word[0].casefold()
            if lower in self._words["phrase_end"]:
                break
            if not found and self._is_no_thing(lower):
                return _Thing([], position)
            if found or not self._is_skipped(lower):
                found.append(word[0])
            position = _skip_space(text, word.end())
        return _Thing(found, position)

    def _is_skipped(self, word: str) -> bool:
        return word in self._words["fillers"] or word in self._words["object_of"]

    def _is_no_thing(self, word: str) -> bool:
        action = len(word) > 4 and word.endswith("ing") and word not in self._words["ing_things"]
        return word in self._words["not_excluded"] or (action and not self._is_skipped(word))


def _next(text: str, end: int) -> int | None:
    """Return the position of the next thing in a list, or `None`."""
    glue = _GLUE.match(text, len(text[:end].rstrip()))
    if glue is None:
        return None
    cue = _CUE_AGAIN.match(text, glue.end())
    if cue is not None:
        return cue.end()
    return glue.end() if "," not in glue[0] or _closes_as_list(text, glue.end()) else None


def _closes_as_list(text: str, position: int) -> bool:
    """Tell whether a comma continues the list. It does only if the list ends like one: `a, b or c`, `a, b, and c`."""
    if _JOINED.search(text[max(0, position - 5) : position]):
        return True
    clause = _EXCLUDED_CLAUSE.match(text, position)
    return clause is not None and _LIST_END.match(clause[0]) is not None


def _skip_space(text: str, position: int) -> int:
    space = _SPACE.match(text, position)
    return position if space is None else space.end()


exclusions = ExclusionReader(vocabulary("exclusions")).exclusions
"""The function that returns each excluded thing once, as written."""
