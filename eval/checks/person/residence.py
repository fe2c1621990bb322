"""A city that a report says the reader lives in: one where customers of a shop are known to live, and not his."""

from __future__ import annotations

import re
from collections.abc import Iterator

from drr.env.entities import User
from drr.env.residences import places
from drr.eval.checks.base import CheckTally, Span
from drr.eval.checks.cast import Cast
from drr.eval.checks.certainty import Certainty
from drr.wording.states import STATE, STATES
from drr.wording.vocabulary import either

CITIES = frozenset(place.city for place in places())
_CITIES = either(sorted(CITIES, key=len, reverse=True))
_CITY = re.compile(rf"(?<![\w.@/-])(?P<city>{_CITIES})(?:['’]s)?(?![\w@/-])")
_LEADS = re.compile(
    r"(?:\b(?:in|from|near|of|around|outside|to|at|city)[\s:*_]{1,4}|\(|(?<=[a-z] )(?:our|your|the|a)\s)$",
    re.I,
)
"""What stands right before a place."""
_TAKES = re.compile(
    r"[\s*_]{1,3}(?:is|has|gets|reader|customer|shopper|client|account|address|home|household|kitchen|porch|yard|garden)\b"
)
"""What stands right behind a place that somebody lives in."""
_NAME_GOES_ON = re.compile(r"[\s*_]{1,3}(?!(?:AL|AK|[A-Z]{2})\b)[A-Z0-9]|[ \t]?&")
_ELSEWHERE = re.compile(
    r"\b(?:unlike|say|such as|e\.g|like|than|made|based|born|brewed|built|designed|founded|headquartered|warehouse|compan(?:y|ies)|brand|maker|firm|"
    r"stores?|university|college|stud(?:y|ies)|survey|team|museum|sent from|ship(?:s|ped|ping)? from|travell?(?:ing|ed)?|trips?|fly|flights?|visit(?:ing|ed)?|"
    r"vacation|moved?|moving|formerly|used to|not|or|another|other)\b[^.;]{0,40}$",
    re.I,
)
"""Words before a place that say it is another than the reader's home."""
_TOLD = re.compile(
    r"\b(?:you|your|yours|you've|you’ve|reader|customer|client|shopper|account|profile|dear)\b", re.I
)
_STATE_LED = re.compile(r"\b(?:to|in|from)[\s*_]{1,3}$", re.I)
_ZIP_OF_STATE = re.compile(rf"\b(?P<state>{either(STATES)})[\s*_]{{1,3}}(?P<zip>\d{{5}})(?![\w,.]*\d)")
_BEHIND_STREET = re.compile(
    r"[\s*_]{0,3}(?:,|\b(?:in|at|of)\b)[\s*_]{1,3}(?P<place>[A-Z][\w.'’-]{1,30}(?:\s[A-Z][\w.'’-]{1,30}){0,2})(?=[*_]{0,3}(?:[,.;:!?)]|\s[–—(a-z]|$))",
    re.M,
)
"""The place that an address goes on with."""
_STATE = re.compile(rf"\b{STATE}\b(?![\s*_]{{1,3}}[A-Z0-9]|-)")
_NO_STREET = re.compile(r"^\d{1,9}\s|\s(?:Apt|Suite|Unit|#)[^\n]{0,30}$")
"""Of an address's first line: the number of the house, and what of the house it is."""
_SHORT = 6
"""Letters of a street that is not told from other words."""
_OF_WEB = re.compile(r"https?://|\[\^?\w{1,3}\](?!\()")


class Residence:
    """Goes through the cities that are named and are in no name of a product, a maker or a person."""

    def __init__(self, tally: CheckTally, cast: Cast, user: User) -> None:
        self._tally = tally
        self._cast = cast
        self._body = cast.body
        self._user = user

    def compare(self) -> None:
        for span in self._cities():
            name = self._body[slice(*span)]
            if name == self._user.address.city:
                self._tally.ok()
                continue
            why = f"said {name}, the record says {self._user.address.city}, {self._user.address.state}"
            self._tally.accuse("place", span, why, self._bound(span))
        for span, said, right in (*self._streets(), *self._zips(), *self._states()):
            why = f"said {said}, the record says {right}"
            self._tally.accuse("place", span, why, Certainty.CLAUSE)

    def _streets(self) -> Iterator[tuple[Span, str, str]]:
        """The reader's own street, in another place."""
        address = self._user.address
        street = _NO_STREET.sub("", address.address1.strip()).strip()
        own = {address.city, STATES.get(address.state.upper(), address.state), address.state}
        for start in _places_of(self._body, street) if len(street) > _SHORT else ():
            behind = _BEHIND_STREET.match(self._body, start + len(street))
            place = "" if behind is None else behind["place"]
            if behind is None or any(place.startswith(one) for one in own) or "Apt" in place:
                continue
            if self._body[behind.start("place") :].startswith(address.city):
                continue
            yield behind.span("place"), place, address.city

    def _zips(self) -> Iterator[tuple[Span, str, str]]:
        """`MI 48503` of the state in which the reader lives."""
        address = self._user.address
        for match in _ZIP_OF_STATE.finditer(self._body):
            if match["state"] == address.state and match["zip"] != address.zip[:5]:
                yield match.span("zip"), f"zip code {match['zip']}", address.zip

    def _states(self) -> Iterator[tuple[Span, str, str]]:
        """`To Nevada, David`: a state that is told of the reader in a sentence that names no other place."""
        own = STATES.get(self._user.address.state.upper(), self._user.address.state)
        for match in _STATE.finditer(self._body):
            low, high = match.span()
            if match[0] == own or not _STATE_LED.search(self._body, max(0, low - 8), low):
                continue
            sentence = self._cast.prose.sentence_at(low)
            said = self._body[slice(*sentence)]
            if own in said or self._user.address.city in said or _OF_WEB.search(said):
                continue
            pointed = re.match(
                rf"[\s*_]{{0,3}}, {re.escape(self._user.first_name)}\b", self._body[high : high + 40]
            )
            if pointed and not _ELSEWHERE.search(self._body, max(sentence[0], low - 60), low):
                yield (low, high), match[0], own

    def _cities(self) -> Iterator[Span]:
        own = {self._user.first_name, self._user.last_name}
        for match in _CITY.finditer(self._body):
            low, high = match.span("city")
            if match["city"] in own or _NAME_GOES_ON.match(self._body, high) or self._in_a_name(low, high):
                continue
            if self._leads(low, high) or self._is_with_his_state(high):
                yield low, high

    def _in_a_name(self, low: int, high: int) -> bool:
        """Of what is sold, or of somebody: behind it or before it the name goes on."""
        before = re.search(
            r"(?<![.!?:,(>*_|—–-])[ ](?P<word>[A-Z][\w'’.]{0,30})[ ]$", self._body[max(0, low - 34) : low]
        )
        greeted = before is not None and before["word"] in ("Dear", "Hi", "Hello", "Up", "In", "Down")
        named = any(one.start < high and low < one.end for one in self._cast.within(max(0, low - 80), high))
        return named or (before is not None and not greeted)

    def _leads(self, low: int, high: int) -> bool:
        if _LEADS.search(self._body, max(0, low - 20), low) is not None:
            return True
        return _TAKES.match(self._body, high) is not None

    def _is_with_his_state(self, high: int) -> bool:
        code = self._user.address.state
        behind = self._body[high : high + 30].lstrip(", ")
        return self._body[high : high + 2] == ", " and behind.startswith(
            (f"{STATES.get(code.upper(), code)}", code)
        )

    def _bound(self, span: Span) -> Certainty:
        """By a word of the reader in the same sentence, or in its line where the sentence cites nothing of the web."""
        sentence = self._cast.prose.sentence_at(span[0])
        line = self._cast.prose.line_at(span[0])
        said = self._body[slice(*sentence)]
        if _ELSEWHERE.search(self._body, max(sentence[0], span[0] - 60), span[0]):
            return Certainty.INFERRED
        if self._user.address.city in said or line is None:
            return Certainty.INFERRED
        pointed = _TOLD.search(said) or self._user.first_name in said or self._user.last_name in said
        around = _TOLD.search(self._body, line.start, line.end) and not _OF_WEB.search(said)
        return Certainty.CLAUSE if pointed or around else Certainty.SENTENCE


def _places_of(body: str, words: str) -> Iterator[int]:
    at = body.find(words)
    while at >= 0:
        yield at
        at = body.find(words, at + len(words))
