"""What a question demands, read by rule: money, time, place, counts and exclusions.

Query generation checks its questions with it and judging checks the answers, so both read a budget the same way.
Pure and total: any text gives a `Constraints`, and what is not said stays `None`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from drr.env.query import Constraints
from drr.env.states import REGIONS, STATES

_LONGEST = 20_000
"""Characters read; a question is a few sentences, so the rest of a longer text is somebody's pasted page."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_NAMES = (
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
)
_WORD_NUMBERS = {word: value for value, word in enumerate(_NAMES)}
_NUMBER = r"(?:\d{1,3}|zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"

_MONEY = re.compile(
    r"(?:\\?\$|\bUSD|\bUS\\?\$)\s?(?P<a>\d[\d,]{0,11}(?:\.\d{1,2})?)(?P<k>k\b)?(?!\d)"
    r"|(?<![\w.$])(?P<b>\d[\d,]{0,11}(?:\.\d{1,2})?)\s?(?:dollars?|bucks|USD)\b",
    re.I,
)
_JOIN = re.compile(r"\s*(?:-|–|—|to|and)\s*", re.I)
_RANGE_TAIL = re.compile(r"(\d[\d,]{0,11}(?:\.\d{1,2})?)(?![\d%])")

_MAX_BEFORE = re.compile(
    r"(?:\b(?:under|below|beneath|less than|lower than|cheaper than|no more than|not more than|not over|never more than"
    r"|at most|up to|within|maximum(?: of)?|max(?:\.|imum)?(?: of)?|cap(?:ped)?(?: (?:at|of))?|limit(?:ed)?(?: (?:to|of|is))?"
    r"|(?:not |n't |never |without )(?:exceed(?:ing)?|go(?:ing)? (?:over|above|past|beyond)|spend(?:ing)?(?: more than)?|cost(?:ing)?(?: more than)?)"
    r"|exceed(?:ing|s)?|tops? out at|stretch(?: (?:it|my budget|our budget))? to|spend(?:ing)?(?: (?:only|up to|about|around|roughly))?|budget(?: is| of|:| at)?|ceiling(?: of)?"
    r"|have|with|on|inside|stay(?:ing)? (?:at|near))|<=?|≤)"
    r"(?: (?:a|an|my|our|the|is|of|only|just|about|around|roughly|approximately|some|total|budget|hard|firm|strict|limit|tight|cap|maximum|max|overall|spending))*:?\s*$",
    re.I,
)
_AND = re.compile(r"(?:\b(?:and|but)|[,;])\s*$", re.I)
"""`no more than $200 in total and $50 per item`: the second figure is a limit like the first."""
_NOT_MORE = re.compile(
    r"(?:\b(?:not|never|cannot|no need)\b|n't\b|\bunwilling\b|\brather not\b)[^.;!?$]{0,40}\b(?:more than|over|above|beyond|past|upwards of)\s*(?:about\s+|around\s+)?$",
    re.I,
)
_WEAK_MAX = re.compile(r"(?:^|\b)(?:have|with|on|spend(?:ing)?|within)\b[^.]*$", re.I)
_MIN_BEFORE = re.compile(
    r"(?:\b(?:over|above|at least|more than|no less than|not less than|minimum(?: of)?|starting (?:at|from)|upwards of|from)|>=?|≥)\s*$",
    re.I,
)
_MAX_AFTER = re.compile(
    r"^\s*(?:is (?:the most|the maximum|all|my (?:absolute |upper |hard )?(?:limit|maximum|max|budget|cap|ceiling))\b"
    r"|or (?:less|under|below|cheaper)|and (?:under|below)|max(?:imum)?\b|tops\b|at (?:the )?most|budget\b|limit\b|cap\b"
    r"|spending (?:limit|cap)|total budget|(?:in total |total )?to spend|ceiling\b|(?:overall|total|monthly) (?:budget|limit|cap|spend))",
    re.I,
)
_TOO_MUCH = re.compile(
    r"^\s*(?:would be|is|are|feels|seems|sounds) (?:far |way |really |just |probably )?(?:too (?:much|expensive|dear|high|steep)|out of the question"
    r"|more than I\b|beyond my\b|out of my\b)",
    re.I,
)
_MIN_AFTER = re.compile(r"^\s*(?:or (?:more|above|up)|and (?:up|above|over)|minimum\b|\+)", re.I)
_SPENT = re.compile(
    r"\b(?:(?:spent|paid|cost(?: me)?|was|were|saved?|refund(?:ed)?|worth|originally|used to (?:pay|cost|spend)) "
    r"(?:(?:over|about|around|only|nearly|almost|more than|less than|under|me) )*)$",
    re.I,
)
_PER_ITEM_AFTER = re.compile(
    r"^(?:\s+(?:or (?:less|under)|and (?:up|above)|max|tops|at most))?\s*(?:,\s*)?(?:/\s*(?:each|item|piece|unit|pc|bag|bottle)\b|each\b(?! month)|apiece\b|per (?:item|piece|product|unit|bag|bottle|pair|pack|box|toy"
    r"|feeder|person|gift|bed|one)\b|an? (?:item|piece|bag|bottle|pair|pack|pop|box)\b|for each\b(?! month)|for any (?:single|one)\b)",
    re.I,
)
_PER_ITEM_BEFORE = re.compile(
    r"\b(?:each|every|any) (?:single |individual |one )?(?:item|product|piece|one|thing|toy|gift|pick|purchase|feeder)s?\b[^.;$]{0,40}$"
    r"|\b(?:per[- ]item|item|unit|individual|price) (?:price|cost|limit|budget|cap|range)\b[^.;$]{0,30}$|\bpriced\b[^.;$]{0,20}$"
    r"|\beach (?:under|below|between|at most|less than|no more than|costing|for|over|above)\b[^.;$]{0,30}$",
    re.I,
)
_PER_MONTH_AFTER = re.compile(
    r"^(?:\s+(?:or (?:less|under)|max|tops|at most))?\s*(?:/\s*mo(?:nth)?\b|a month\b|per month\b|each month\b|every month\b|monthly\b|for each month\b)",
    re.I,
)
_PER_MONTH_BEFORE = re.compile(
    r"\b(?:monthly|per[- ]month|each month|every month)\b(?![^.;$]{0,40}\btotal\b)[^.;$]{0,40}$", re.I
)
_OTHER_PERIOD = re.compile(
    r"^\s*(?:/\s*(?:wk|week|yr|year|day)\b|an? (?:week|year|day)\b|per (?:week|year|day|pound|lb|ounce|oz|foot|serving|dose|load)\b"
    r"|(?:weekly|yearly|annually)\b|off\b|discount\b|gift card\b|coupon\b|deductible\b)",
    re.I,
)

_MONTHS = re.compile(
    rf"\b(?:over|across|during|for|in|within|throughout|spread (?:over|across))\s+(?:the\s+)?(?:a\s+)?(?:next\s+|coming\s+|following\s+|course of\s+(?:the\s+)?)?"
    rf"(?:(?P<n>{_NUMBER})(?:\s+|-)(?P<unit>months?|quarters?|years?)\b|(?P<one>month|quarter|year|half[- ]year|six[- ]month period)\b)",
    re.I,
)
_MONTH_PLAN = re.compile(
    rf"\b(?P<n>{_NUMBER})[- ]month (?:plan|period|budget|supply|schedule|span|timeline)\b", re.I
)
_MONTH_NAMES = (
    "january|february|march|april|may|june|july|august|september|october|november|december"
    "|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec"
)
_WHEN = (
    rf"(?:(?:the\s+)?(?:(?:end|start|beginning|middle)\s+of\s+)?(?:early\s+|mid[- ]?|late\s+)?(?:my\s+|our\s+|the\s+|his\s+|her\s+)?(?:next\s+|this\s+|coming\s+)?"
    rf"(?:(?:{_MONTH_NAMES})\b\.?(?:\s+\d{{1,2}}(?:st|nd|rd|th)?\b)?(?:,?\s+\d{{4}}\b)?"
    r"|\d{1,2}(?:st|nd|rd|th)?\s+(?:of\s+)?(?:" + _MONTH_NAMES + r")\b(?:,?\s+\d{4}\b)?"
    r"|\d{4}-\d{2}-\d{2}\b|\d{1,2}/\d{1,2}(?:/\d{2,4})?\b"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|weekend\b|week\b|month\b|year\b|spring\b|summer\b|fall\b|autumn\b|winter\b|tomorrow\b|tonight\b"
    r"|christmas\b|thanksgiving\b|easter\b|halloween\b|valentine'?s day\b|mother'?s day\b|father'?s day\b|new year'?s?\b|the holidays\b|holidays\b"
    r"|memorial day\b|labor day\b|black friday\b|hanukkah\b|birthday\b|wedding\b|anniversary\b|graduation\b|trip\b|season\b|first frost\b))"
)
_DEADLINE = re.compile(
    rf"\b(?:by|before|until|no later than|in time for|ahead of)\s+(?P<when>{_WHEN})"
    rf"|\b(?P<within>(?:with)?in (?:the next |about |at most )?{_NUMBER}[- ](?:business )?(?:days?|weeks?)|within (?:a|the next) (?:week|fortnight|month))\b",
    re.I,
)

_COUNT = re.compile(
    rf"\b(?:compare|recommend|suggest|pick|choose|shortlist|list|show|find|buy|get)\s+(?:me\s+|us\s+)?(?:about\s+|exactly\s+|at least\s+|up to\s+)?"
    rf"(?P<them>{_NUMBER})\s+(?:of (?:them|these|those|your|the)\b|from (?:this|the|your) shop\b|that\b|which\b)"
    r"|\b(?:recommend|suggest|find|list|give|show|pick|choose|select|name|compare|propose|shortlist|buy|get|need|want|looking for|identify|rank|select)\s+"
    r"(?:me\s+|us\s+|him\s+|her\s+)?(?:out\s+)?(?:about\s+|at least\s+|at most\s+|up to\s+|exactly\s+|only\s+|just\s+|around\s+)?(?:the\s+)?(?:top\s+|best\s+)?"
    rf"(?P<n>{_NUMBER})\s+(?P<noun>(?:[a-z][\w'-]*\s+){{0,4}}?[a-z][\w'-]*s)\b"
    rf"|\btop\s+(?P<top>{_NUMBER})\b|\bthe\s+(?P<best>{_NUMBER})\s+best\b"
    rf"|\b(?:exactly|at most|up to|at least|only)\s+(?P<m>{_NUMBER})\s+(?:products|items|options|picks|choices|alternatives|recommendations|suggestions|things)\b"
    rf"|(?<![-\w$])(?P<bare>{_NUMBER})\s+(?:different\s+|good\s+|solid\s+|distinct\s+)?(?:products|options|picks|choices|alternatives|recommendations|suggestions)\b",
    re.I,
)
_EITHER = re.compile(rf"\b{_NUMBER}\s*(?:or|to|-|–)\s*$", re.I)
"""`two or three`: no count that an answer could miss."""
_NOT_COUNTED = re.compile(
    r"\b(?:months?|weeks?|days?|years?|hours?|minutes?|pounds|lbs|ounces|inch(?:es)?|feet|miles|gallons|dollars|bucks|cups|people|kids|children"
    r"|combinations|ways|steps|sources|reasons|sentences|paragraphs|questions|scenarios|places|reviews|persons|adults|guests|stars|times|degrees|percent|liters|watts|volts|sizes|rooms|bedrooms|acres|meals)\b",
    re.I,
)

_EXCLUDE = re.compile(
    r"\b(?P<cue>without|excluding|exclude|except(?: for)?|avoid(?:ing)?(?: (?:anything|everything|things|products|items) (?:with|containing|made (?:of|from|with)|that (?:contains?|has|have)))?|free (?:of|from)|other than|nothing (?:from|with|by|made (?:of|from)|containing)"
    r"|not (?:from|by|made (?:of|from|with|by|in)|containing|including)|anything (?:but|except)|no"
    r"|(?:do not|don't|dont|does not|doesn't) (?:want|include|contain|like|use|recommend|buy)(?: any(?:thing)? (?:from|with|by|made (?:of|from|with)))?|can(?:no|')t (?:have|use)|allergic to|(?:never|stay away from|steer clear of|skip(?:ping)?|rule out|leave out))\s+",
    re.I,
)
_HYPHEN_FREE = re.compile(r"\b([a-z]{3,20})-free\b", re.I)
_NOT_EXCLUDED = _words("""more less later longer idea need matter one problem way doubt worries bigger larger heavier older fewer smaller sooner higher
    lower taller wider farther further question rush limit preference experience clue particular reason other hassle point such
    sure just only necessarily compromise fuss budget it that this them those these him her me us you longer than question change
    issue issues knowledge time money be been being want wish spend pay go exceed drop loss sacrificing losing""")
_HARMLESS_FREE = _words(
    "hassle worry care stress risk cost duty tax hands cruelty guilt trouble maintenance pain"
)
_FILLER = _words("any a an the my our their more other additional extra use using added artificial of")
_ING_THINGS = _words("""string spring ceiling earring bedding stuffing coating filling clothing flooring wiring lightning pudding icing
    seasoning dressing everything packaging sling""")
_OBJECT_OF = _words("buying using getting containing including recommending")
_PHRASE_END = _words("""for in on with that which who under over within because since so as to from please i we my and or but if when while unless
    than at by is are was were would could should can will do does it they this these those given considering during per into
    plus also anywhere though although nor however then""")
_PHRASE_WORD = re.compile(r"[A-Za-z0-9&'’][A-Za-z0-9&'’/-]*")
_LIST_GLUE = re.compile(r"\s*(?:,\s*(?:and|or|nor)?|\band\b|\bor\b|\bnor\b|/)\s*", re.I)
_ITEM = r"[\w'-]+(?:\s[\w'-]+)?"
_LIST_END = re.compile(rf"(?:\s*{_ITEM}\s*,){{0,6}}\s*{_ITEM}\s*,?\s+(?:or|and|nor)\s+{_ITEM}\s*$", re.I)
_REPEATED_CUE = re.compile(r"(?:no|any|without|not from)\s+", re.I)


@dataclass(slots=True)
class _Limit:
    kind: str
    """total, item or month"""
    low: float | None
    high: float | None


def parse_constraints(text: str) -> Constraints:
    """Every demand of `text` that code can read; the strictest, where one is said twice."""
    text = text[:_LONGEST].replace("’", "'")
    limits = _limits(text)
    months = _months(text)
    return Constraints(
        total_max=_strictest(limits, "total", high=True),
        total_min=_strictest(limits, "total", high=False),
        item_max=_strictest(limits, "item", high=True),
        item_min=_strictest(limits, "item", high=False),
        month_max=_strictest(limits, "month", high=True),
        months=months,
        deadline=_deadline(text),
        region=_region(text),
        count=_count(text),
        exclusions=_exclusions(text),
    )


def number_of(word: str) -> int | None:
    """`3`, `three`: the small numbers people write either way."""
    return int(word) if word.isdecimal() else _WORD_NUMBERS.get(word.casefold())


def _amount(match: re.Match[str]) -> float:
    value = float((match["a"] or match["b"]).replace(",", ""))
    return value * 1000 if match["k"] else value


def _limits(text: str) -> list[_Limit]:
    found: list[_Limit] = []
    position = 0
    while match := _MONEY.search(text, position):
        position = match.end()
        before = text[max(0, match.start() - 120) : match.start()]
        low, high = None, None
        second = _second_amount(text, match, before)
        if second is not None:
            low, (high, position) = _amount(match), second
            if high < low:
                low, high = high, low
        after = text[position : position + 60]
        if _OTHER_PERIOD.match(after) or _SPENT.search(before):
            continue
        if second is None:
            value = _amount(match)
            capped = (
                _MAX_BEFORE.search(before)
                or _NOT_MORE.search(before)
                or _TOO_MUCH.match(_without_scope(after))
            )
            if _MIN_AFTER.match(after) or (_MIN_BEFORE.search(before) and not capped):
                low = value
            elif capped or _MAX_AFTER.match(_without_scope(after)):
                high = value
            else:
                scoped = _PER_MONTH_AFTER.match(after) or _PER_MONTH_BEFORE.search(before)
                joined = bool(found) and _AND.search(before) and _PER_ITEM_AFTER.match(after)
                if scoped is None and not joined:
                    continue
                high = value
        found.append(_Limit(_scope(before, after), low, high))
    return found


def _without_scope(after: str) -> str:
    scope = _PER_ITEM_AFTER.match(after) or _PER_MONTH_AFTER.match(after)
    return after[scope.end() :] if scope else after


def _second_amount(text: str, first: re.Match[str], before: str) -> tuple[float, int] | None:
    """`$20 and $40`, `$20-$40`, `$20 to 40`; "and" joins only after "between"."""
    join = _JOIN.match(text, first.end())
    if join is None or not join[0].strip():
        return None
    if join[0].strip().casefold() == "and" and not re.search(r"\bbetween\s*(?:about\s*)?$", before, re.I):
        return None
    money = _MONEY.match(text, join.end())
    if money:
        return _amount(money), money.end()
    plain = _RANGE_TAIL.match(text, join.end())
    return (float(plain[1].replace(",", "")), plain.end()) if plain else None


def _scope(before: str, after: str) -> str:
    clause = re.split(r"[.;!?]\s", before)[-1]
    if _PER_MONTH_AFTER.match(after) or _PER_MONTH_BEFORE.search(clause):
        return "month"
    if _PER_ITEM_AFTER.match(after) or _PER_ITEM_BEFORE.search(clause):
        return "item"
    return "total"


def _strictest(limits: list[_Limit], kind: str, *, high: bool) -> float | None:
    values = [
        value
        for limit in limits
        if limit.kind == kind and (value := limit.high if high else limit.low) is not None
    ]
    if not values:
        return None
    return min(values) if high else max(values)


def _months(text: str) -> int | None:
    match = _MONTHS.search(text) or _MONTH_PLAN.search(text)
    if match is None:
        return None
    groups = match.groupdict()
    if groups.get("one"):
        if _PASSING.match(match[0]) and not _PLANNED.search(_clause(text, match.start())):
            return None
        one = groups["one"].casefold()
        return {"month": 1, "quarter": 3, "year": 12}.get(one, 6)
    count = number_of(groups["n"]) or 0
    unit = (groups.get("unit") or "month").casefold()
    months = count * (12 if unit.startswith("year") else 3 if unit.startswith("quarter") else 1)
    return months or None


_PASSING = re.compile(r"(?:in|over|during|for|within)\s+an?\s", re.I)
_PLANNED = re.compile(r"\$|\b(?:spread|spend|spending|budget|buy|purchases?|plan)\b", re.I)


def _clause(text: str, end: int) -> str:
    return re.split(r"[.;!?]\s", text[max(0, end - 120) : end])[-1]


def _deadline(text: str) -> str | None:
    match = _DEADLINE.search(text)
    if match is None:
        return None
    return " ".join((match["when"] or match["within"]).split()).rstrip(".")


_STATE_NAMES = sorted([*STATES.values(), *REGIONS], key=len, reverse=True)
_PLACE = re.compile(
    r"(?:(?P<lead>\b(?:in|from|near|for|around|across|throughout|to|at|of|northern|southern|eastern|western|central|upstate|coastal|rural)\s+"
    r"(?:the\s+|my\s+|sunny\s+|northern\s+|southern\s+|eastern\s+|western\s+|central\s+|upstate\s+|coastal\s+|rural\s+|humid\s+|cold\s+|hot\s+|dry\s+)*)|(?P<city>[A-Z][\w.'-]+(?:\s[A-Z][\w.'-]+)?,\s*))?"
    r"\b(?P<state>" + "|".join(re.escape(name) for name in _STATE_NAMES) + r")\b"
    r"(?P<tail>'s?\b|\s+(?:winters?|summers?|climate|weather|heat|humidity|resident|home|backyard|garden|yard|birds?|coast|winter|sun|rain|area|household|apartment|native)\b)?"
)
_NOT_PLACE = re.compile(
    r"\s+(?:Coon|King|Instruments|bluegrass|Bluegrass|Chiefs|style|Pro|Air|Roadhouse|Woolf|Strips?)\b"
)
_ABBREVIATION = re.compile(r"\b[A-Z][\w.'-]+,\s*(?P<code>" + "|".join(STATES) + r")\b(?!\.\w)")


def _region(text: str) -> str | None:
    for match in _PLACE.finditer(text):
        if _NOT_PLACE.match(text, match.end("state")):
            continue
        if match["lead"] or match["city"] or match["tail"]:
            return match["state"]
    code = _ABBREVIATION.search(text)
    return STATES[code["code"]] if code else None


def _count(text: str) -> int | None:
    for match in _COUNT.finditer(text):
        if match["noun"] and match["noun"].startswith(("or ", "to ")):
            continue
        if match["noun"] and _NOT_COUNTED.search(match["noun"]):
            continue
        word = match["n"] or match["them"] or match["top"] or match["best"] or match["m"] or match["bare"]
        value = number_of(word)
        if value and not _EITHER.search(
            match[0][: match[0].index(word)] or text[max(0, match.start() - 12) : match.start()]
        ):
            return value
    return None


def _exclusions(text: str) -> list[str]:
    found: list[str] = []
    for match in _EXCLUDE.finditer(text):
        found += _phrases(text, match.end())
    found += [m[1] for m in _HYPHEN_FREE.finditer(text) if m[1].casefold() not in _HARMLESS_FREE]
    seen: dict[str, str] = {}
    for phrase in found:
        seen.setdefault(phrase.casefold(), phrase)
    return list(seen.values())


def _phrases(text: str, position: int) -> list[str]:
    """The things named after a cue: `plastic, latex or fragrance` is three."""
    found: list[str] = []
    while len(found) < 6:
        words: list[str] = []
        end = position
        while word := _PHRASE_WORD.match(text, end):
            lower = word[0].casefold()
            if lower in _PHRASE_END or len(words) == 4:
                break
            if not words and (lower in _NOT_EXCLUDED or _is_action(lower)):
                if lower in _OBJECT_OF:
                    end = _skip_space(text, word.end())
                    continue
                return found
            if words or lower not in _FILLER:
                words.append(word[0])
            end = _skip_space(text, word.end())
        if not words or (found and len(words) > 3):
            return found
        found.append(" ".join(words).rstrip("'"))
        glue = _LIST_GLUE.match(text, len(text[:end].rstrip()))
        if glue is None:
            return found
        position = glue.end()
        cue = _REPEATED_CUE.match(text, position)
        if cue:
            position = cue.end()
        elif "," in glue[0] and not _closes_as_list(text, position):
            return found
    return found


def _closes_as_list(text: str, position: int) -> bool:
    """After a comma the list goes on only if it ends like one: `a, b or c`, `a, b, and c`."""
    clause = re.match(r"[^.;!?\n]{0,80}", text[position:])
    rest = clause[0] if clause else ""
    if re.search(r"\b(?:or|and|nor)\s*$", text[max(0, position - 5) : position]):
        return True
    return _LIST_END.match(rest) is not None


def _is_action(word: str) -> bool:
    return len(word) > 4 and word.endswith("ing") and word not in _ING_THINGS


def _skip_space(text: str, position: int) -> int:
    while position < len(text) and text[position] in " \t":
        position += 1
    return position
