"""How many times one thing is said to be another, with all that could be so many times something: prices, parts, ratings, raters, measures, figures said."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import permutations
from typing import NamedTuple

from drr.eval.checks.base import Accusation, Span
from drr.eval.checks.cast import cast_of
from drr.eval.checks.considered.quantities import Quantities
from drr.eval.checks.leftover.sight import sight_of
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.records import record_text
from drr.eval.checks.residue import residue_of
from drr.wording.cues import CUES
from drr.wording.doubts import DOUBTS
from drr.wording.numbers import SPOKEN, number_said

_WORDS = {
    "twice": 2.0,
    "double": 2.0,
    "doubles": 2.0,
    "triple": 3.0,
    "thrice": 3.0,
    "treble": 3.0,
    "quadruple": 4.0,
    "half": 0.5,
    "a third": 1 / 3,
    "one third": 1 / 3,
    "two thirds": 2 / 3,
    "a quarter": 0.25,
    "one quarter": 0.25,
    "three quarters": 0.75,
    "a fifth": 0.2,
    "two fifths": 0.4,
    "three fifths": 0.6,
    "four fifths": 0.8,
    "a sixth": 1 / 6,
    "an eighth": 0.125,
    "a tenth": 0.1,
}
_NAMED = "|".join(re.escape(one).replace(r"\ ", r"[\s-]") for one in sorted(_WORDS, key=len, reverse=True))
_FACTOR = re.compile(
    rf"(?<![\w$.])(?:(?P<w>{_NAMED})(?=\s(?:as|the|that|what|of|its|again|more|less|your|a|an|[A-Z])|[\s*_]{{0,2}}[.,;:)])|"
    rf"(?P<n>\d{{1,3}}(?:\.\d{{1,2}})?|{SPOKEN})(?P<half>\sand\sa\shalf)?(?:\stimes\b|\s?[x×](?=\s(?:the|as|more|that)\b))|"
    r"(?P<p>\d{1,3}(?:\.\d)?)\s?(?:%|percent\b|per\scent\b)(?=\s(?:more|less|cheaper|dearer|lower|higher|longer|bigger|larger|above|below|of\s(?:the|its|that|what)|off|smaller|extra)\b))",
    re.I,
)
_ON_TOP = re.compile(
    r"\s(?:as\s[a-z]{3,14}\s)?(?:again|more|dearer|higher|longer|larger|bigger|above|extra)\b", re.I
)
_TAKEN_OFF = re.compile(r"\s(?:less|cheaper|lower|below|off|smaller|shorter|fewer)\b", re.I)
_AGAIN = re.compile(r"\sas\s(?:much|many|[a-z]{3,14})(?:\s[a-z]{3,14}){0,2}\sagain\b|\sagain\sas\b", re.I)
_HEDGES = (
    (
        "more",
        re.compile(
            r"\b(?:more\sthan|over|above|upwards\sof|at\sleast|better\sthan|well\sover|a\s(?:bit|shade|little)\s(?:over|more\sthan)|just\sover)\s$",
            re.I,
        ),
    ),
    (
        "less",
        re.compile(
            r"\b(?:less\sthan|under|below|not\squite|short\sof|at\smost|up\sto|even|shade\sunder|little\sunder|only|barely)\s$",
            re.I,
        ),
    ),
    (
        "near",
        re.compile(
            r"\b(?:nearly|almost|about|around|roughly|close\sto|approximately|some|practically|a\sgood)\s$",
            re.I,
        ),
    ),
)
_BEFORE = 28
_OF = (
    (
        "price",
        re.compile(
            r"\b(?:pric\w*|costs?|dear|expensive|pay|money|outlay|bill|rate|cheap\w*|dearer|asks?|as\smuch)\b|\$|¢",
            re.I,
        ),
    ),
    ("raters", re.compile(r"\b(?:ratings|reviews|raters|voters|votes|people|opinions)\b", re.I)),
    ("orders", re.compile(r"\b(?:order\w*|bought|purchase\w*|often|years?|spen[dt]\w*|categor\w*)\b", re.I)),
    ("many", re.compile(r"\bas\smany\b|\bnumber\b|\bthe\s(?:[a-z]+s)\b", re.I)),
    (
        "long",
        re.compile(
            r"\bas\s(?:long|bright|big|large|loud|heavy|powerful|wide|strong|fast|deep|tall)\b|\bthe\s(?:size|capacity|length|weight|power|area|volume|brightness|run\stime)\b",
            re.I,
        ),
    ),
)
_PLAIN_TIMES = re.compile(
    r"(?:\s(?:in|on|since|over|a|per|each|between|already|now|before|so\sfar|this|last|during|and|you)\b|[\s*_]{0,2}[.,;:)(—–]|$)",
    re.I,
)
"""Behind `three times`: so often, and not so much."""
_BOUGHT = re.compile(r"\b(?:bought|ordered|reordered|had|purchased|order|chosen|taken|got)\b", re.I)
_TOLERANCE = {"exact": (0.94, 1.07), "near": (0.88, 1.12), "more": (0.985, 1.33), "less": (0.75, 1.015)}
_SIDES = re.compile(r"(?<![\w.])\d{1,3}(?:\.\d+)?(?:\s?[x×]\s?\d{1,3}(?:\.\d+)?){1,2}(?![\w.])", re.I)
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_SEVERAL = 4
_GROUP, _FEW = 8, 16
_MOST = 30


class RatioSaid(NamedTuple):
    start: int
    end: int
    many: float
    bound: str
    form: str

    @property
    def span(self) -> Span:
        return self.start, self.end

    def holds(self, ratio: float) -> bool:
        low, high = _TOLERANCE[self.bound]
        return low * self.many <= ratio <= high * self.many


def ratios_said(text: str) -> list[RatioSaid]:
    found = []
    for match in _FACTOR.finditer(text):
        if match["w"]:
            many, form = _WORDS[" ".join(match["w"].casefold().replace("-", " ").split())], "word"
        elif match["n"]:
            many = number_said(match["n"])
            many, form = many + (0.5 if match["half"] else 0.0), "times"
        else:
            many, form = float(match["p"]) / 100, "percent"
        if form == "times" and many == 1:
            continue
        after = text[match.end() : match.end() + 40]
        if (form == "percent" or many < 1) and (_ON_TOP.match(after) or _AGAIN.match(after)):
            many += 1
        elif (form == "percent" or many < 1) and _TAKEN_OFF.match(after):
            many = 1 - many
        if many > 0:
            found.append(RatioSaid(*match.span(), many, _bound(text, match.start()), form))
    return found[:_MOST]


def _bound(text: str, start: int) -> str:
    before = text[max(0, start - _BEFORE) : start]
    return next((name for name, form in _HEDGES if form.search(before)), "exact")


class RatioSigns:
    """Of the multiples of one report, with what its rules raise."""

    def __init__(self, mentions: Mentions, raised: Mapping[Accusation, float]) -> None:
        self._mentions, self._text = mentions, mentions.plain
        self._cast = cast_of(mentions.subject, mentions)
        self._held = sight_of(mentions).held
        self._raised = list(raised)
        self._known = self._cast.products
        self._quantities = Quantities(self._known)
        self._pairs = cache(self._paired)
        self._linked = {key for one in self._cast.named if one.linked for key in one.products}
        self._all = self._keys((0, len(self._text)))

    def every(self) -> list[RatioSaid]:
        return ratios_said(self._text)

    def _keys(self, span: Span) -> tuple[str, ...]:
        found: dict[str, None] = {}
        for one in self._cast.within(*span):
            keys = (one.products & self._linked) or one.products
            if len(keys) < _SEVERAL:
                found |= dict.fromkeys(sorted(keys & self._known.keys()))
        return tuple(found)

    def of(self, one: RatioSaid) -> dict[str, float]:
        """Each sign between 0 and 1; those that are 0 are left out."""
        line = self._cast.prose.line_at(one.start)
        row = line is not None and line.kind in ("row", "head_row")
        sentence = (
            (line.start, line.end) if line is not None and row else self._cast.prose.sentence_at(one.start)
        )
        found = self._of_words(one, sentence)
        asked = [name for name, _ in _OF if found.get(f"of_{name}")]
        spans = self._spans(sentence)
        held, missed, dense = {}, {}, {}
        for name, ratios in self._ratios(one, sentence, spans):
            some = [ratio for ratio in ratios if ratio > 0]
            if not some:
                continue
            found[f"has_{name}"] = 1.0
            held[name] = any(one.holds(ratio) for ratio in some)
            off = min(abs(ratio / one.many - 1) for ratio in some)
            missed[name] = off
            dense[name] = len(some)
            found[f"{'reached' if held[name] else 'not'}_{name}"] = 1.0
            found[f"off_{name}"] = min(1.0, off)
            for of in asked:
                found[f"{'came' if held[name] else 'not'}_{name}_{of}"] = 1.0
        found["nothing"] = float(not held)
        if held:
            found["held_any"] = float(any(held.values()))
            found["held_none"] = float(not any(held.values()))
            found["held_share"] = sum(held.values()) / len(held)
            found["far_off"] = min(1.0, min(missed.values()))
            for of in asked:
                found[f"held_none_{of}"] = float(not any(held.values()))
            found["dense"] = min(1.0, sum(dense.values()) / 200)
            near = [name for name in held if name.endswith(("_here", "_two"))]
            found["none_near"] = float(bool(near) and not any(held[name] for name in near))
        for each in self._raised:
            if each.span[0] < one.end and one.start < each.span[1]:
                found[f"raised_{each.kind}_{'doubted' if each.doubt else 'plain'}"] = 1.0
        return {name: value for name, value in found.items() if value}

    def _spans(self, sentence: Span) -> list[tuple[str, Span]]:
        line = self._cast.prose.line_at(sentence[0])
        if line is None:
            return [("here", sentence)]
        before = [each for each in self._cast.prose.sentences(line) if each[1] <= sentence[0]]
        low = before[-1][0] if before else max(0, line.start - 300)
        return [
            ("here", sentence),
            ("two", (low, sentence[1])),
            ("wide", (max(0, sentence[0] - 900), min(len(self._text), sentence[1] + 120))),
        ]

    def _ratios(
        self, one: RatioSaid, sentence: Span, spans: Sequence[tuple[str, Span]]
    ) -> Iterator[tuple[str, list[float]]]:
        """By what is set against each other, and how far around."""
        units = sorted(CUES.units_in(self._text[slice(*spans[-1][1])]))
        limits = list(self._held.known.limits)
        for name, span in spans:
            keys = self._keys(span)[:_GROUP]
            if len(keys) < 2 and name == "wide":
                keys = self._all[:_GROUP]
            for of in ("price", "raters", "stars"):
                yield f"{of}_{name}", self._pairs(keys, of)
            yield f"part_{name}", [ratio for unit in units for ratio in self._pairs(keys, f"per {unit}")]
            yield f"parts_{name}", self._pairs(keys, "part")
            yield f"any_{name}", self._pairs(keys, "any")
            yield f"numbers_{name}", self._titled(keys)
            yield f"area_{name}", _two(area for key in keys for area in self._areas(key))
            figures = [each for each in self._held.said.within(span) if not one.start <= each.start < one.end]
            money = [each.value for each in figures if each.kind in ("money", "unit")]
            prices = [self._known[key].price or 0.0 for key in keys]
            yield f"money_{name}", _two(money)
            yield f"paid_{name}", _two([*money, *prices, *limits])
            sums = [sum(some) for some in (money[-2:], money[-3:], prices[:2], prices) if len(some) > 1]
            yield f"sums_{name}", _across(sums, [*money, *prices])
            others = [each.value for each in figures if each.kind not in ("money", "unit") and each.value]
            yield f"said_{name}", _two(others)
            if name != "wide":
                yield f"count_{name}", [a for a in others if a < 60]

    def _titled(self, keys: Sequence[str]) -> list[float]:
        """Of the numbers in titles, which often count without a word that is known."""
        told = {key: self._held.known.of((key,)).sizes for key in keys if key in self._held.known.products}
        return [x / y for a, b in permutations(told, 2) for x in told[a] for y in told[b] if y and x != y]

    def _areas(self, key: str) -> Iterator[float]:
        for match in _SIDES.finditer(record_text(self._known[key])):
            sides = [float(side) for side in _NUMBER.findall(match[0])]
            yield sides[0] * sides[1]
            if len(sides) > 2:
                yield sides[0] * sides[1] * sides[2]

    def _paired(self, keys: tuple[str, ...], of: str) -> list[float]:
        found = []
        for a, b in permutations(keys, 2):
            ours, theirs = self._quantities.of(a, of), self._quantities.of(b, of)
            for name, values in ours.items():
                others = theirs.get(name, ())[:3]
                found += [x / y for x in values[:3] for y in others if x != y and y]
        return found

    def _of_words(self, one: RatioSaid, sentence: Span) -> dict[str, float]:
        text = self._text
        clause = self._cast.prose.clause_at(one.start)
        close, wide = text[slice(*clause)], text[slice(*sentence)]
        before, after = text[max(sentence[0], one.start - 50) : one.start], text[one.end : one.end + 60]
        line = self._cast.prose.line_at(one.start)
        found = {
            f"form_{one.form}": 1.0,
            f"bound_{one.bound}": 1.0,
            "less_than_one": float(one.many < 1),
            "two": float(one.many == 2),
            "plain_times": float(one.form == "times" and _PLAIN_TIMES.match(after) is not None),
            "compares": float(re.match(r"\s(?:as|the|that|what|its|more|dearer|of)\b", after) is not None),
            "bought": float(_BOUGHT.search(wide) is not None),
            "bought_close": float(_BOUGHT.search(close) is not None),
            "verb": float(
                re.search(r"\b(?:would|will|to|could|can|not|n['’]t)\s(?:\w+\s){0,2}$", before) is not None
            ),
            "a_day": float(re.search(r"\b(?:day|week|month|daily|hour|minutes?)\b", after) is not None),
            "web": float(residue_of(self._mentions).cites_the_web(sentence)),
            "stranger": float(self._cast.names_a_stranger(sentence)),
            "unpriced": float(self._held.ledger.play.unpriced),
            "asked": float("?" in wide),
            "units": float(bool(CUES.units_in(wide))),
            "named_none": float(not self._keys(sentence)),
            "all_many": min(1.0, len(self._all) / 12),
            "all_one": float(len(self._all) < 2),
        }
        if line is not None:
            found[f"line_{line.kind}"] = 1.0
        for name, form in _OF:
            found[f"of_{name}"] = float(form.search(before[-30:] + " " + after) is not None)
            found[f"ofs_{name}"] = float(form.search(after) is not None)
        found |= {f"doubt_{kind}": 1.0 for kind in DOUBTS.doubts(close)}
        return found


def _two(values: Iterable[float]) -> list[float]:
    some = list(dict.fromkeys(value for value in values if value > 0))[:_FEW]
    return [a / b for a, b in permutations(some, 2)]


def _across(mine: Iterable[float], others: Iterable[float]) -> list[float]:
    return [x for a in mine for b in others if a and b and a != b for x in (a / b, b / a)]
