"""Rule: city, state and name that the report gives its reader are those of the record."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from drr.env.entities import User
from drr.env.shop import SearchRequest
from drr.eval.checks.base import Check, CheckTally, Span, Subject, unverifiable, word_set
from drr.eval.checks.cast import cast_of
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.person.letters import speaks_to_others
from drr.eval.checks.person.residence import CITIES, Residence
from drr.eval.checks.records import record_text
from drr.wording.dates import CALENDAR
from drr.wording.states import REGIONS, STATE, STATES
from drr.wording.vocabulary import either, vocabulary

_STATES = sorted(STATES.values(), key=len, reverse=True)
_TAIL = rf"(?:,\s*(?P<tail>{STATE}|[A-Z]{{2}}\b))?"
_PLACE = rf"(?P<place>(?:[A-Z][\w.'’-]+\s?){{1,4}}){_TAIL}"
_HOME = r"(?:location|home town|hometown|home|house|address|area|city|state|region|yard|backyard|garden|place|property|household|family|apartment|neighbou?rhood)"
_CUES = [
    re.compile(
        rf"\b(?i:your (?:\w+ )?{_HOME}(?: is| here)? (?:in|of|near|at|around|outside)|your (?:home )?(?:city|state|location)(?: is| of|:|,)"
        r"|you(?:'re|’re| are) in(?= [A-Z])|you(?:'re|’re| are)? (?:live|living|located|based|reside|are located|are based|are living)(?: here)?(?: in| near| at| around| outside)|(?:a|as) (?:\w+ )?residents? of|living in|residing in|as someone (?:\w+ )?(?:in|from)|where you live(?:\s*+[(:,](?: in)?|(?:\s*+(?<= )in)?+)"
        rf"|(?:a|the|for) (?:household|home|family|house|yard|garden|shopper|customer) (?:in|near)|ship(?:s|ped|ping)? to|deliver(?:ed|y|ing)? to(?: your (?:home|address) in)?"
        r"|(?:based on|given|considering|for) your location:?|here in|(?:location|city|state)(?=[\s*_]{0,3}[:(]))"
        r"\s*+[:(]?+\s*+\**+\s*+(?:\d{1,6} [\w .']{3,40}, )?(?:the )?(?:(?i:city|state) of )?(?:(?i:northern|southern|eastern|western|central|sunny|rural|coastal)\s)*"
        + _PLACE
    ),
    re.compile(rf"\b(?i:your) (?:local |native |own )?(?P<place>{STATE})\b"),
    re.compile(
        rf"\b(?i:for|native to|common in|(?<=you )in|(?<=yours )in) (?P<place>{STATE})(?:'s|’s)?(?= (?:winters?|summers?|heat|climate|weather|backyards?|gardens?|residents?|homes?|households?|where you live|like yours)\b)"
    ),
    re.compile(
        rf"\b(?i:as an?|fellow) (?P<place>{STATE}) (?:resident|shopper|homeowner|household|gardener|customer)"
    ),
]
_ZIP = re.compile(r"\b(?:zip(?: code)?|postal code)\s*+(?:is|of|:)?\s*+(?P<zip>\d{5})\b", re.I)
_GIVEN_NAMES = frozenset(name.casefold() for name in vocabulary("given_names")["given"])
_MONTHS = frozenset(CALENDAR["months"])
_DAYS = word_set("Monday Tuesday Wednesday Thursday Friday Saturday Sunday Christmas Easter")
_PAIR = re.compile(
    rf"(?<![\w.])(?P<city>[A-Z][\w.'’-]{{1,30}}(?:\s[A-Z][\w.'’-]{{1,30}}){{0,2}}),\s(?P<state>{STATE}|{either(STATES)})\b(?!\.\w)"
)
"""A city with its state."""
_READERS = re.compile(
    r"\b(?:you|your|you're|you’re|yours|address|city|deliver\w*|ship\w*|goes|go|going|sen[dt]|headed|order|cart|basket|package|account|home|live|profile|place|location|invoice|client|customer|prepared|parcels?)\b",
    re.I,
)
_OF_OTHERS = re.compile(
    r"\b(?:unlike|not|say|such as|near|nearest|closest|based|made|utility|survey|university|board|headquartered|like|than|instead)\b[^.;]{0,40}$",
    re.I,
)
_NO_PLACES = frozenset(["USDA", "Zone", "The", "US", "USA", "United States", "America"])


def profile_facts(subject: Subject, mentions: Mentions) -> Check:
    """City, state and name that the report gives its reader are those of the record."""
    user = subject.user
    if user is None:
        known = subject.user_id is not None and subject.shop is not None
        return unverifiable(
            f"the shop has no user {subject.user_id}" if known else "no shop and user were given"
        )
    body = mentions.body
    tally = CheckTally()
    for cue in _CUES:
        for match in cue.finditer(body):
            _compare_place(tally, match, user)
    _compare_pairs(tally, body, user)
    Residence(tally, cast_of(subject, mentions), user).compare()
    to_others = speaks_to_others(subject.query, body, user)
    for called in _names(body):
        if called.answered and _may_be_a_things(called.first, user, subject, mentions):
            continue
        _compare_name(tally, called, user, to_others)
    for match in _ZIP.finditer(body):
        if match["zip"] == user.address.zip[:5]:
            tally.ok()
        else:
            tally.accuse(
                "place",
                match.span(),
                f"zip code {match['zip']}, the record says {user.address.zip}",
                Certainty.LITERAL,
            )
    return tally.check("the report says nothing of who or where the user is")


# Where the reader lives.


def _compare_pairs(tally: CheckTally, body: str, user: User) -> None:
    """A city with its state of which one part is the reader's and the other is not."""
    state = STATES.get(user.address.state.upper(), user.address.state)
    city = user.address.city.casefold()
    for match in _PAIR.finditer(body):
        said = STATES.get(match["state"], match["state"])
        same_city = body[max(0, match.end("city") - len(city)) : match.end("city")].casefold() == city
        if same_city and said == state:
            tally.ok()
        elif not same_city and _is_the_reader(match["city"], user):
            tally.unclear(f"{match['city']!r} is who, not where")
        elif not same_city and said != state and not _is_called(body, match, user):
            continue
        elif _OF_OTHERS.search(body, max(0, match.start() - 60), match.start()):
            tally.unclear(f"it is not clear whose place {match[0]!r} is")
        elif (
            same_city
            or said != state
            or _READERS.search(body, max(0, match.start() - 90), match.start())
            or _named_before(body, match.start(), user)
        ):
            wrong, right = (said, state) if same_city else (match["city"], user.address.city)
            tally.accuse("place", match.span(), f"said {wrong}, the record says {right}", Certainty.CLAUSE)
        else:
            tally.unclear(f"it is not clear whose place {match[0]!r} is")


def _is_the_reader(name: str, user: User) -> bool:
    """Whether what stands before a state is what the reader is called (`Ada Reed, Ohio`), and no town that is called so too."""
    first, last = user.first_name, user.last_name
    *_, told = name.partition(" ") if name.split()[0].rstrip(".") in _TITLES else ("", name)
    return told == f"{first} {last}" or (told in (first, last) and told not in CITIES)


def _is_called(body: str, pair: re.Match[str], user: User) -> bool:
    """Whether the reader's last name stands right before a city with its state: `Glenn Johnson, Portland, Oregon`."""
    goes_on = re.match(r"\s[A-Z]", body[pair.end() : pair.end() + 2])
    before = body[max(0, pair.start() - 40) : pair.start()]
    called = re.search(
        rf"\b{re.escape(user.first_name)}(?: {re.escape(user.last_name)})?[*_]{{0,3}}(?:,| [–—·|-]| of| from| in)[\s*_]{{1,3}}$",
        before,
    )
    return goes_on is None and called is not None and user.last_name not in pair["city"].split()


_BEFORE_A_PLACE = re.compile(r"(?P<name>[A-Z][\w'’-]{1,30})[*_]{0,2},?\s(?:in|of|from|at|near)\s[*_]{0,2}$")


def _named_before(body: str, position: int, user: User) -> bool:
    """Whether the reader's own name stands before a place: "Mr Reed of Princeton"."""
    match = _BEFORE_A_PLACE.search(body, max(0, position - 50), position)
    return match is not None and match["name"] in (user.first_name, user.last_name)


class _PlaceSaid(NamedTuple):
    """A place as the report gives it."""

    name: str
    tail: str | None
    """The state behind a comma, in full or as its two letters."""

    @property
    def state(self) -> str | None:
        """The state that is named, behind the comma or as the place itself."""
        if self.tail:
            return STATES.get(self.tail.upper(), self.tail)
        return next((one for one in _STATES if self.name == one or self.name.startswith(one + " ")), None)

    @property
    def is_none(self) -> bool:
        """A region or a word that is no city of anybody's."""
        return (
            self.name in _NO_PLACES
            or self.name in _MONTHS
            or any(self.name.startswith(region) for region in REGIONS)
        )


def _compare_place(tally: CheckTally, match: re.Match[str], user: User) -> None:
    said = _place_said(match, user.address.city)
    if {user.first_name, user.last_name} & set(said.name.split()):
        return  # who, not where
    if said.is_none:
        return
    state = STATES.get(user.address.state.upper(), user.address.state)
    wrong = (
        _wrong_state(said, user.address.city, state)
        if said.state
        else _wrong_city(said.name, user.address.city, state)
    )
    if wrong is None:
        tally.ok()
    else:
        sent = said.state is None and _SENT_TO.match(match[0]) is not None
        bound = Certainty.INFERRED if sent else Certainty.CLAUSE
        tally.accuse("place", match.span("place"), f"said {wrong[0]}, the record says {wrong[1]}", bound)


_SENT_TO = re.compile(r"(?:ship|deliver)", re.I)
"""Behind it a name of somebody may stand as well as a place."""


def _place_said(match: re.Match[str], city: str) -> _PlaceSaid:
    own = re.compile(rf"{re.escape(city)}(?!\w){_TAIL}").match(match.string, match.start("place"))
    if own:  # a city's name may hold words that others do not: Coeur d'Alene
        return _PlaceSaid(city, own["tail"])
    name = re.sub(r"(?:'s|’s)$", "", match["place"].strip().rstrip(".,"))
    return _PlaceSaid(name, match.groupdict().get("tail"))


def _wrong_state(said: _PlaceSaid, city: str, state: str) -> tuple[str, str] | None:
    """What is said and what is recorded, where a place with a state is not the reader's."""
    assert said.state is not None
    same_city = said.name.casefold() == city.casefold()
    if said.state.casefold() != state.casefold():
        return said.state, state if same_city else f"{city}, {state}"
    return (said.name, city) if said.tail and not same_city else None


def _wrong_city(name: str, city: str, state: str) -> tuple[str, str] | None:
    """What is said and what is recorded, where a place without a state, or a state's letters, is not the reader's."""
    if city.casefold() in name.casefold():
        return None
    if name in STATES:
        return None if STATES[name] == state else (name, state)
    return name, f"{city}, {state}"


# What the reader is called.

_LINE_BEGINS = re.compile(r"\n[\s>*_#]*+")
_GREETING = re.compile(
    r"[\s>*_#]*+(?P<lead>(?i:hi|hello|dear|hey|welcome(?: back)?|good (?:morning|afternoon|evening)|prepared for|report for|for|customer|name|shopper))"
    r"[:,]?\s*+\**+:?+\s*+\**+(?P<first>[A-Z][a-z'’-]+)(?:[^\S\n]+(?P<last>[A-Z][a-z'’-]+))?\**\s*(?=[,!.:\n–—]|$|\()"
)
_IN_A_LINE = re.compile(
    r"\b(?i:prepared for|written for|recommendations for|plan for)\s+\**(?P<first>[A-Z][a-z'’-]+)[^\S\n]+(?P<last>[A-Z][a-z'’-]+)\b"
    r"|(?<=, )(?P<called>[A-Z][a-z]+)(?=, (?:you|your|here|I|we)\b)"
    r"|\b[Yy]ou(?:'re|’re| are) \**(?P<being>[A-Z][a-z'’-]+)\s(?P<own>[A-Z][a-z'’-]+)\b"
    r"|\A[\s>*_#]{0,6}(?:Yes|No|Sure|Certainly|Indeed|Right|Of course|Thanks|Thank you|Well|You (?:do|did|have|are|can|own)(?: not|n['’]t)?),\s(?P<answered>[A-Z][a-z]{2,15})(?=[,:.!]\s|\s[—–])"
)
_NOT_NAMES = word_set("""There Here Friend Shopper Customer Reader All Everyone Team Valued Small Large Medium Best Budget Summary Total Indoor Outdoor Dogs Cats
    Birds Winter Summer Spring Fall Autumn Each Most Your The This These Those Both Home Kitchen Office Garden Everyday Daily Travel Kids Adults
    Sensitive Dry Oily Heavy Light Cold Hot Wet Year However Therefore Instead Overall Finally Still Also Meanwhile Otherwise Together Thus
    Mother Mum Mom Mama Father Dad Papa Parents Sister Sis Brother Uncle Aunt Auntie Grandma Grandpa Gran Grandmother Grandfather Son Daughter Cousin Neighbour
    Neighbor Neighbours Neighbors Colleague Colleagues Boss Landlord Sir Madam Sirs Ladies Gentlemen Folks Guest Guests Editor Readers Friends Buyer Buyers Client
    Customers Family Student Students Members Santa Diary Gardener Gardeners""")  # fmt: skip


_TITLES = frozenset(["Mr", "Mrs", "Ms", "Miss", "Dr", "Prof", "Mx"])


class _NameSaid(NamedTuple):
    """What the reader seems to be called."""

    first: str
    last: str | None
    span: Span
    certain: bool
    """A line "For Anna" may be for a dog as well."""
    greeted: bool = False
    """By a first name: who writes a letter to somebody else greets so, too."""
    answered: bool = False
    """Behind the first word of an answer, where a maker or a word of a thing may stand as well."""

    def is_half(self, user: User) -> bool:
        """One part is the reader's and the other is not."""
        return self.last is not None and (self.first == user.first_name) != (self.last == user.last_name)


def _may_be_a_things(name: str, user: User, subject: Subject, mentions: Mentions) -> bool:
    """Whether `Yes, Velcro: ...` may name something: it is nobody's given name, or that of what is asked for, sold or spoken of too."""
    if name in (user.first_name, user.last_name):
        return False
    if name.casefold() not in _GIVEN_NAMES or name in _MONTHS or name in _DAYS:
        return True
    word = re.compile(rf"\b{re.escape(name)}\b", re.I)
    titles = (one.title for one in cast_of(subject, mentions).products.values())
    asked = subject.query is not None and word.search(subject.query) is not None
    again = len(word.findall(mentions.body)) > 1
    sold = any(word.search(title) for title in titles)
    if asked or again or sold or subject.shop is None:
        return True
    page = subject.shop.catalog.search(SearchRequest(query=name, limit=1, search="plain"))
    return any(word.search(record_text(one)) for one in subject.shop.store.products(page.product_ids))


def _compare_name(tally: CheckTally, said: _NameSaid, user: User, to_others: bool) -> None:
    if said.first in STATES.values() or said.first in _NOT_NAMES or said.first in CITIES:
        return
    if said.first in _TITLES and said.last is None:
        return
    known = {user.first_name.casefold(), user.last_name.casefold()}
    if {one.casefold() for one in (said.first, said.last) if one and one not in _TITLES} <= known:
        tally.ok()
    elif said.certain or said.is_half(user):
        called = f"{said.first} {said.last or ''}".rstrip()
        why = f"the reader is called {called}, the record says {user.first_name} {user.last_name}"
        if said.greeted and to_others:
            tally.unclear(f"{why}: the text may be a letter to somebody else")
        else:
            tally.accuse("greeting" if said.greeted else "person", said.span, why, Certainty.ADJOINED)


def _names(body: str) -> Iterator[_NameSaid]:
    """Greetings at the beginning of a line and names within lines, from left to right; none overlaps another."""
    greeting, inside = _greeting(body, 0), _name_inside(body, 0)
    while greeting or inside:
        said = min(filter(None, (greeting, inside)), key=lambda one: one.span[0])
        yield said
        end = said.span[1]
        if greeting and greeting.span[0] < end:
            greeting = _greeting(body, end)
        if inside and inside.span[0] < end:
            inside = _name_inside(body, end)


def _greeting(body: str, position: int) -> _NameSaid | None:
    """The first greeting from a position on; a stretch of blank lines and marks is passed once."""
    if position == 0 and (match := _GREETING.match(body)):
        return _greeted(match, 0)
    while line := _LINE_BEGINS.search(body, position):
        if match := _GREETING.match(body, line.end()):
            return _greeted(match, line.start())
        position = line.end()
    return None


def _greeted(match: re.Match[str], start: int) -> _NameSaid:
    certain = match["lead"].casefold() != "for" and match.end("lead") < match.start("first")
    alone = match["last"] is None
    return _NameSaid(match["first"], match["last"], (start, match.end()), certain or not alone, alone)


def _name_inside(body: str, position: int) -> _NameSaid | None:
    match = _IN_A_LINE.search(body, position)
    if match is None:
        return None
    if match["being"]:  # "You are Really Lucky" gives no name
        return _NameSaid(match["being"], match["own"], match.span(), False)
    if match["answered"]:
        return _NameSaid(match["answered"], None, match.span("answered"), True, greeted=True, answered=True)
    return _NameSaid(match["first"] or match["called"], match["last"], match.span(), True)
