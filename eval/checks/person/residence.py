"""A city that a report says the reader lives in: one where customers of a shop are known to live, and not his."""

from __future__ import annotations

import re
from collections.abc import Iterator

from drr.env.entities import User
from drr.env.residences import places
from drr.eval.checks.base import CheckTally, Span
from drr.eval.checks.cast import Cast
from drr.eval.checks.certainty import Certainty
from drr.wording.states import STATES
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
