"""The words around a thing said of own orders, by what they do to it: whose it is, of how many, since when, the first or the last."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from drr.eval.checks.base import Span
from drr.eval.checks.considered.own_near import OwnPlace
from drr.eval.checks.considered.own_said import OwnFigure
from drr.eval.checks.leftover.held import HeldAgainst
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.residue import residue_of
from drr.wording.doubts import DOUBTS
from drr.wording.purchases import PURCHASES

_CLASSES = {
    "bought": "bought|ordered|purchased|reordered|placed|picked up|got|had|owned?|took|taken|chose|came|arrived|went|received|laid in|shows? up|appears?|turns? up",
    "orders": "orders?|purchases?|parcels?|deliver(?:y|ies)|buys?|reorders?",
    "times": "times|occasions",
    "last": "last|latest|most recent(?:ly)?|newest|recent(?:ly)?",
    "first": "first|earliest|oldest|began|begins?|start(?:s|ed|ing)?",
    "bound": "at least|at most|more than|less than|fewer than|up to|over|under|beyond|than",
    "since": "since|from|after|starting",
    "until": "until|till|through|to date|up to|before|by|to",
    "between": "between|within|during|across",
    "only": "only|just|sole|single|alone|exactly",
    "most": "most|busiest|peak|top|favou?rite|leads?|biggest|largest|record year|champion|highest|often",
    "least": "least|quietest|slowest|fewest|smallest",
    "none": "no|not|never|nothing|none|without|neither|nor|silent|silence|empty|blank|skipped|isn['’]t|wasn['’]t|haven['’]t|didn['’]t|don['’]t|hasn['’]t",
    "all": "all|total(?:s|ing)?|altogether|overall|everything|whole|entire|combined|together",
    "of": "out of|among|of your|of the|of those|of these|of them|of which|of",
    "each": "each|apiece|every|per|respectively|both",
    "again": "again|once more|another|repeat(?:s|ed)?|twice more|also",
    "apart": "apart|later|earlier|gap|interval|afterwards?|following|spaced",
    "ago": "ago|old",
    "would": "would|will|could|if|should|might|can|may|next|unless|plan",
    "different": "other|others|different|distinct|separate|models?|kinds?|brands?|makers?|listings?|stores?|articles?|products?|items?|things?",
    "pieces": "pieces?|units?|packs?|box(?:es)?|bottles?|bags?|rolls?|sets?|pairs?|cans?|sheets?|tubs?|jars?|count",
    "measure": "cups?|inch(?:es)?|feet|foot|pounds?|lbs?|ounces?|oz|watts?|liters?|litres?|quarts?|gallons?|ml|lumens|d[bB]|decibels|cents?|hours?|minutes?|square|degrees|kg|grams?|gauge|amps?|volts?|momme|threads?|teeth|speeds?|species|calories",
    "price": "price[sd]?|costs?|spent|spend|spending|budget|paid|dollars?|cheap(?:er|est)?|dear(?:er|est)?|sum|bill",
    "rating": "stars?|rat(?:ed|ings?)|reviews?|reviewers|people|buyers|customers|shoppers|households",
    "you": "you|you['’]ve|you['’]re|yours?|your",
    "i": "i|my|me|i['’]ve|we|our|mine",
    "today": "today|now|current(?:ly)?|so far|at present|as of",
    "year": "this year|last year|that year|same year|the year|years?",
    "span": "days?|weeks?|months?|decades?",
    "record": "record|history|file|account|books|ledger|data|list",
    "state": "delivered|shipped|processing|cancell?ed|returned|transit|status",
    "ships": "ships?|shipping|arrives?|delivery time|lead time|guarantee|warranty|lasts?|good for|supply",
    "shop": "shop|catalogu?e?|sells|stock|carries|choices|options|candidates|listed|shortlist|table|shelf",
    "half": "half|third|thirds|quarter|share|percent|fifths?",
    "joined": "and|or|then|but|while|versus|against",
}  # fmt: skip
_WORDS = re.compile(rf"\b(?:{'|'.join(f'(?P<{name}>{words})' for name, words in _CLASSES.items())})\b", re.I)
_MARKS = {
    ":": "colon",
    "(": "open",
    ")": "close",
    ",": "comma",
    "|": "bar",
    "–": "dash",
    "—": "dash",
    "-": "hyphen",
    ".": "stop",
    ";": "semi",
    "·": "dot",
    "*": "bold",
    "%": "percent",
    "×": "by",
}
_NEAR = 30
_QUERY_OWN = re.compile(
    r"\b(?:i|i['’]ve)\s(?:\w{1,12}\s){0,2}(?:bought|ordered|purchased|buy|order|had|own)\b|\bmy\s(?:\w{1,12}\s){0,2}(?:orders?|history|purchases|account|records?)\b|\bhave i\b|\bdid i\b",
    re.I,
)
_QUOTED = re.compile(r"[\"“”]")


class _Word(NamedTuple):
    start: int
    end: int
    name: str


class OwnWords:
    """Of one report."""

    def __init__(self, mentions: Mentions, held: HeldAgainst) -> None:
        self._mentions, self._held, self._plain = mentions, held, mentions.plain
        self._residue = residue_of(mentions)
        self._of: dict[Span, list[_Word]] = {}
        self._place: dict[Span, dict[str, float]] = {}
        subject = mentions.subject
        self._called = subject.user.first_name if subject.user else "\0"
        self._asked = float(_QUERY_OWN.search(subject.query or "") is not None)

    def words(self, span: Span) -> list[_Word]:
        if span not in self._of:
            found = _WORDS.finditer(self._plain, *span)
            self._of[span] = [_Word(*one.span(), one.lastgroup or "") for one in found]
        return self._of[span]

    def signs(self, one: OwnFigure, near: OwnPlace) -> dict[str, float]:
        clause = self._held.prose.clause_at(one.start) if near.line.kind != "row" else near.span
        found = {"kind_" + one.kind: 1.0, "line_" + near.line.kind: 1.0, "asked_own": self._asked}
        behind = before = ""
        for word in self.words(near.span):
            if word.start >= one.start and word.end <= one.end:
                found[f"in_{word.name}"] = 1.0
                continue
            found[f"s_{word.name}"] = 1.0
            if clause[0] <= word.start < clause[1]:
                found[f"c_{word.name}"] = 1.0
            if word.end <= one.start:
                if one.start - word.end < _NEAR:
                    found[f"b_{word.name}"] = 1.0
                before = word.name if one.start - word.end < 3 else ""
            elif word.start - one.end < _NEAR:
                found[f"a_{word.name}"] = 1.0
                behind = behind or (word.name if word.start - one.end < 3 else "")
        found |= {f"right_before_{before}": 1.0} if before else {}
        found |= {f"right_behind_{behind}": 1.0} if behind else {}
        for name, text in (
            ("before", self._plain[max(near.span[0], one.start - 3) : one.start].strip(" *_")[-1:]),
            ("behind", self._plain[one.end : min(near.span[1], one.end + 3)].strip(" *_")[:1]),
        ):
            if text in _MARKS:
                found[f"mark_{name}_{_MARKS[text]}"] = 1.0
            elif not text:
                found[f"mark_{name}_none"] = 1.0
        return found | self._placed(near) | dict(self._column(one, near)) | self._more(one, near, clause)

    def _more(self, one: OwnFigure, near: OwnPlace, clause: Span) -> dict[str, float]:
        plain = self._plain
        return {
            "hedged": float(one.hedged),
            "quoted": float(len(_QUOTED.findall(plain[near.span[0] : one.start])) % 2),
            "speaks_clause": float(PURCHASES.speaks(plain[slice(*clause)])),
            "digits": float(plain[one.start].isdigit()),
            "opens": float(not plain[near.span[0] : one.start].strip(" *_>-")),
            **{f"doubt_{kind}": 1.0 for kind in DOUBTS.doubts(plain[slice(*clause)])},
        }

    def _placed(self, near: OwnPlace) -> dict[str, float]:
        if near.span not in self._place:
            text = self._plain[slice(*near.span)]
            line = self._plain[near.line.start : near.line.end]
            self._place[near.span] = {
                "speaks_sentence": float(PURCHASES.speaks(text)),
                "speaks_line": float(PURCHASES.speaks(line)),
                "called": float(self._called in text),
                "web": float(self._residue.cites_the_web(near.span)),
                "stranger": float(self._held.cast.names_a_stranger(near.span)),
                "asks": float("?" in text),
                "money": float("$" in text),
                "no_thing": float(not near.things),
                "one_thing": float(len(near.things) == 1),
                "many_things": float(len(near.things) > 3),
                "named_here": float(any(each.kind == "named" for each in near.things)),
                "no_thing_before": float(not near.before),
                "timed": float(bool(near.times)),
                "long": float(len(self._plain) > 4000),
                **{f"s_doubt_{kind}": 1.0 for kind in DOUBTS.doubts(text)},
            }
        return self._place[near.span]

    def _column(self, one: OwnFigure, near: OwnPlace) -> Iterator[tuple[str, float]]:
        """What the head of its column says."""
        for (low, high), head in zip(near.line.cells, near.line.header, strict=False):
            if low <= one.start < high:
                for match in _WORDS.finditer(head):
                    yield f"head_{match.lastgroup}", 1.0
                if self._plain[low:high].strip(" *_") == self._plain[one.start : one.end]:
                    yield "fills_cell", 1.0
