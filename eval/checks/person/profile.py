"""Where the reader lives and what the reader is called, as said and as recorded."""

from __future__ import annotations

import re

from drr.env.entities import User
from drr.env.states import REGIONS, STATES
from drr.eval.checks.base import Check, CheckTally, Subject, unverifiable, word_set
from drr.eval.checks.mentions import Mentions

_STATE = "|".join(sorted([*STATES.values()], key=len, reverse=True))
_PLACE = rf"(?P<place>(?:[A-Z][\w.'’-]+\s?){{1,4}})(?:,\s*(?P<tail>{_STATE}|[A-Z]{{2}}\b))?"
_HOME = r"(?:location|home town|hometown|home|house|address|area|city|state|region|yard|backyard|garden|place|property|household|family|apartment|neighbou?rhood)"
_CUES = [
    re.compile(
        rf"\b(?i:your (?:\w+ )?{_HOME}(?: is| here)? (?:in|of|near|at|around|outside)|your (?:home )?(?:city|state|location)(?: is| of|:|,)"
        r"|you(?:'re|’re| are)? (?:live|living|located|based|reside|are located|are based|are living)(?: here)?(?: in| near| at| around| outside)|(?:a|as) (?:\w+ )?residents? of|living in|residing in|as someone (?:\w+ )?(?:in|from)|where you live\s*[(:,]?(?: in)?"
        rf"|(?:a|the|for) (?:household|home|family|house|yard|garden|shopper|customer) (?:in|near)|ship(?:s|ped|ping)? to|deliver(?:ed|y|ing)? to(?: your (?:home|address) in)?"
        r"|(?:based on|given|considering|for) your location:?|here in|location|city|state)"
        r"\s*[:(]?\s*\**\s*(?:\d{1,6} [\w .']{3,40}, )?(?:the )?(?:(?i:city|state) of )?(?:(?i:northern|southern|eastern|western|central|sunny|rural|coastal)\s)*"
        + _PLACE
    ),
    re.compile(rf"\b(?i:your) (?:local |native |own )?(?P<place>{_STATE})\b"),
    re.compile(
        rf"\b(?i:for|native to|common in|(?<=you )in|(?<=yours )in) (?P<place>{_STATE})(?:'s|’s)?(?= (?:winters?|summers?|heat|climate|weather|backyards?|gardens?|residents?|homes?|households?|where you live|like yours)\b)"
    ),
    re.compile(
        rf"\b(?i:as an?|fellow) (?P<place>{_STATE}) (?:resident|shopper|homeowner|household|gardener|customer)"
    ),
]
_GREETING = re.compile(
    r"(?:^|\n)[\s>*_#]*(?i:hi|hello|dear|hey|welcome(?: back)?|good (?:morning|afternoon|evening)|prepared for|report for|for|customer|name|shopper)[:,]?\s*\**:?\s*\**(?P<first>[A-Z][a-z'’-]+)(?:\s+(?P<last>[A-Z][a-z'’-]+))?\**\s*(?=[,!.:\n–—]|$|\()"
    r"|\b(?i:prepared for|written for|recommendations for|plan for)\s+\**(?P<first2>[A-Z][a-z'’-]+)\s+(?P<last2>[A-Z][a-z'’-]+)\b|(?<=, )(?P<first3>[A-Z][a-z]+)(?=, (?:you|your|here|I|we)\b)"
)
_ZIP = re.compile(r"\b(?:zip(?: code)?|postal code)\s*(?:is|of|:)?\s*(?P<zip>\d{5})\b", re.I)


def profile_facts(subject: Subject, mentions: Mentions) -> Check:
    """City, state and name that the report gives its reader are those of the record."""
    user = subject.user
    if user is None:
        return unverifiable(
            "no shop and user were given"
            if subject.user_id is None or subject.shop is None
            else f"the shop has no user {subject.user_id}"
        )
    body = mentions.body
    state = STATES.get(user.address.state.upper(), user.address.state)
    tally = CheckTally()
    for cue in _CUES:
        for match in cue.finditer(body):
            _compare_place(tally, match, user, state)
    for match in _GREETING.finditer(body):
        first = match["first"] or match["first2"] or match["first3"]
        last = match["last"] or match["last2"]
        if first in STATES.values() or first in _NOT_NAMES or (match["first3"] and not subject.shop):
            continue
        known = {user.first_name.casefold(), user.last_name.casefold()}
        if first.casefold() in known and (last is None or last.casefold() in known):
            tally.ok()
        elif match["first3"]:
            if subject.shop and first.casefold() not in known and _is_first_name(first):
                tally.fail(
                    match.span(),
                    f"the reader is called {first}, the record says {user.first_name} {user.last_name}",
                )
        elif last or _is_greeting(match[0]):
            tally.fail(
                match.span(),
                f"the reader is called {first} {last or ''}".rstrip()
                + f", the record says {user.first_name} {user.last_name}",
            )
    for match in _ZIP.finditer(body):
        if match["zip"] == user.address.zip[:5]:
            tally.ok()
        else:
            tally.fail(match.span(), f"zip code {match['zip']}, the record says {user.address.zip}")
    return tally.check("the report says nothing of who or where the user is")


_NOT_NAMES = word_set("""There Here Friend Shopper Customer Reader All Everyone Team Valued Small Large Medium Best Budget Summary Total Indoor Outdoor Dogs Cats
    Birds Winter Summer Spring Fall Autumn Each Most Your The This These Those Both Home Kitchen Office Garden Everyday Daily Travel Kids Adults
    Sensitive Dry Oily Heavy Light Cold Hot Wet Year However Therefore Instead Overall Finally Still Also Meanwhile Otherwise Together Thus""")  # fmt: skip


def _is_greeting(text: str) -> bool:
    return (
        re.match(
            r"[\s>*_#]*(?:hi|hello|dear|hey|welcome|good|prepared for|report for|customer|name|shopper)\b",
            text,
            re.I,
        )
        is not None
    )


def _is_first_name(word: str) -> bool:
    return word not in _NOT_NAMES and word not in STATES.values()


_NO_PLACES = word_set(
    "USDA Zone The US USA United America North South East West Central Your You This That Any"
)


def _compare_place(tally: CheckTally, match: re.Match[str], user: User, state: str) -> None:
    place = match["place"].strip().rstrip(".,")
    place = re.sub(r"(?:'s|’s)$", "", place)
    tail = match.groupdict().get("tail")
    own = re.compile(rf"{re.escape(user.address.city)}(?!\w)(?:,\s*(?P<tail>{_STATE}|[A-Z]{{2}}\b))?").match(
        match.string, match.start("place")
    )
    if own:  # a city's name may hold words that others do not: Coeur d'Alene
        place, tail = user.address.city, own["tail"]
    if any(place.startswith(region) for region in REGIONS) or place in (
        "USDA",
        "Zone",
        "The",
        "US",
        "USA",
        "United States",
        "America",
    ):
        return
    said_state = STATES.get((tail or "").upper(), tail) or next(
        (
            name
            for name in sorted(STATES.values(), key=len, reverse=True)
            if place == name or place.startswith(name + " ")
        ),
        None,
    )
    span = match.span("place")
    if said_state is not None:
        if said_state.casefold() != state.casefold() and place.casefold() != user.address.city.casefold():
            tally.fail(span, f"said {said_state}, the record says {user.address.city}, {state}")
            return
        if said_state.casefold() != state.casefold():
            tally.fail(span, f"said {said_state}, the record says {state}")
            return
        if tail and place.casefold() != user.address.city.casefold():
            tally.fail(span, f"said {place}, the record says {user.address.city}")
            return
        tally.ok()
        return
    city = user.address.city
    if (
        place.casefold() == city.casefold()
        or place.casefold().startswith(city.casefold() + " ")
        or city.casefold() in place.casefold()
    ):
        tally.ok()
    elif place in STATES:
        if STATES[place] == state:
            tally.ok()
        else:
            tally.fail(span, f"said {place}, the record says {state}")
    else:
        tally.fail(span, f"said {place}, the record says {city}, {state}")
