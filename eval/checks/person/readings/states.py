"""What no reading of counts holds: states that no order is in, years said to be empty, and the third of two."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from drr.eval.checks.base import Accusation, Span
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.person.readings.facets import TIMES, Facet, OrderFacets
from drr.eval.checks.person.readings.said import count_value
from drr.eval.checks.person.readings.sets import OrderSets
from drr.wording.dates import dates, days_of_year
from drr.wording.numbers import SPOKEN, WHOLE
from drr.wording.purchases import PURCHASES

_STATES = "delivered|shipped|in transit|on (?:its|their) way|processing|being processed|pending|cancell?ed|returned|refunded"
_IN_STATE = re.compile(
    rf"(?:^|[,;:(|]|\b(?:and|with|but))[\s*_]{{0,4}}(?P<n>{WHOLE}|{SPOKEN})[\s*_]{{1,3}}(?:of[\s*_]{{1,3}}(?:your|the|all|them|these)[\s*_]{{1,3}}(?:(?:\d{{1,4}}|{SPOKEN})[\s*_]{{1,3}})?)?(?:orders?[\s*_]{{1,3}})?"
    rf"(?:(?:is|are|was|were|still|currently|now|being|been|have|has|marked|listed|shown|as)[\s*_]{{1,3}}){{0,4}}(?P<s>{_STATES})\b",
    re.I,
)
_YEAR = re.compile(r"(?:19|20)\d\d")
_MARKED = re.compile(
    rf"\b(?:marked|listed|recorded|shown|status(?: is| of)?:?)[\s*_]{{1,3}}(?:as[\s*_]{{1,3}})?[\"“'*_]{{0,3}}(?P<s>{_STATES})\b",
    re.I,
)
_EMPTY = re.compile(
    r"\b(?:nothing(?: at all| whatsoever)?\s(?:was|has been)\s(?:ordered|bought|placed|purchased)|no orders?(?: at all)?(?:\s(?:was|were|have been)\s(?:placed|recorded))?|not a single order)\s(?:at all\s)?(?:in|during|for|dates from|of)\s(?:the year\s)?$",
    re.I,
)
_NTH = {
    word: nth
    for nth, word in enumerate(
        [
            "second",
            "third",
            "fourth",
            "fifth",
            "sixth",
            "seventh",
            "eighth",
            "ninth",
            "tenth",
            "eleventh",
            "twelfth",
        ],
        2,
    )
}
_YOUR_NTH = re.compile(
    rf"\b(?:your|his|her|their)[\s*_]{{1,3}}(?P<nth>{'|'.join(_NTH)})[\s*_]{{1,3}}(?:(?:order|purchase)[\s*_]{{1,3}}(?:of|for)[\s*_]{{1,3}}(?:(?:the|that|this|a|an|same|very)[\s*_]{{1,3}}){{0,3}})?",
    re.I,
)
_DOUBTED = re.compile(
    r"\b(?:if|unless|would|will|could|can|should|might|until|when|once|make|makes|making|become|becomes|no|not|none|never|neither|nor)\b|n['’]t\b|\?",
    re.I,
)


def misread_states(sets: OrderSets, body: str, span: Span) -> Iterator[Accusation]:
    """`one still processing`, where every order is delivered."""
    text = body[slice(*span)]
    for match in _MARKED.finditer(text):
        clause = text[max(0, match.start() - 60) : match.end()]
        if not _DOUBTED.search(clause) and not sets.of_state(state := _state_of(match["s"])):
            yield _accused(match.span("s"), span, f"said {state}, no order of this user is")
    if not PURCHASES.speaks(body[max(0, span[0] - _BEFORE) : span[1]]):
        return
    said_in_state = list(_IN_STATE.finditer(text))
    if not said_in_state:
        return
    days = [(one.start, one.end) for one in dates(body, *span)]
    days += [(one.start, one.end) for one in days_of_year(body, *span)]
    for match in said_in_state:
        at = span[0] + match.start("n")
        if _YEAR.fullmatch(match["n"]) or any(start <= at < end for start, end in days):
            continue  # `from March 26, 2021 was delivered`
        said = count_value(match["n"])
        are = sets.of_state(state := _state_of(match["s"])).bit_count()
        if said > are and not _DOUBTED.search(text[max(0, match.start() - 30) : match.end()]):
            yield _accused(match.span("n"), span, f"said {said} {state.casefold()}, are {are}")


def misread_empty_years(
    facets: OrderFacets, body: str, span: Span, here: Sequence[Facet], around: Sequence[Facet]
) -> Iterator[Accusation]:
    """`Nothing at all was ordered in 2016.`"""
    if any(one.kind not in TIMES for one in (*here, *around)):
        return
    said_empty = [
        when
        for when in dates(body, *span)
        if when.month is None and _EMPTY.search(body, max(span[0], when.start - 80), when.start)
    ]
    if not said_empty or facets.kinds_in(span):
        return
    for when in said_empty:
        if then := facets.sets.on(when):
            why = f"said to have no orders, {body[when.start : when.end]} has {then.bit_count()}"
            yield Accusation("own_count", (when.start, when.end), why, Certainty.CLAUSE)


def misread_ordinals(
    facets: OrderFacets, body: str, span: Span, here: Sequence[Facet]
) -> Iterator[Accusation]:
    """`It was your third grill brush`, of two."""
    for match in _YOUR_NTH.finditer(body, *span):
        nth = _NTH[match["nth"].casefold()]
        low = max(span[0], match.start() - 60)
        named = next(
            (one for one in here if one.start == match.end() and one.kind in ("named", "kind")), None
        )
        kind = facets.kind_at(match.end(), span[1])
        ways = [way for one in (named, kind) if one is not None for way in one.ways]
        end = max((one.end for one in (named, kind) if one is not None), default=match.end())
        if not ways or _DOUBTED.search(body, low, end) or not _CLOSES.match(body, end):
            continue
        most = max(size for way in ways for size in facets.sets.orders_of(way))
        if nth > most:
            shown = " ".join(body[match.end() : end].split())[:60]
            yield Accusation(
                "own_times", match.span("nth"), f"said {match['nth']} {shown!r}, are {most}", Certainty.CLAUSE
            )


_CLOSES = re.compile(
    r"[\s*_]{0,3}(?:$|[.,;:!?()\]—–]|\b(?:in|since|so|over|and|after|following|from|here|with|by|orders?|purchases?|within|was|is|as|to|this|of|on)\b)",
    re.I,
)
_BEFORE = 200


def _accused(at: Span, span: Span, why: str) -> Accusation:
    return Accusation("own_state", (span[0] + at[0], span[0] + at[1]), why, Certainty.CLAUSE)


def _state_of(word: str) -> str:
    said = word.casefold()
    if said in ("canceled", "cancelled"):
        return "Cancelled"
    if said in ("returned", "refunded"):
        return "Returned"
    if said in ("processing", "being processed", "pending"):
        return "Processing"
    return "Delivered" if said == "delivered" else "Shipped"
