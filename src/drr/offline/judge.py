"""The judge without a language model, `rules-2`: surface rules over the texts that a model would be shown.

Support is measured by common words and figures (`drr.eval.evidence.passages`). Grades and preferences count features of a text's surface; `docs/judging.md` lists
every rule. They measure layout, wording and bookkeeping, not understanding, so they are stored under their own name,
marked by a banner wherever they are shown, and never compared with figures of a model or of the paper.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from drr.env.errors import DrrError
from drr.env.json_object import JsonObject
from drr.env.plugins import papers
from drr.eval.asking.conversation import Asking
from drr.eval.asking.forms import (
    FailuresAnswer,
    PaperPreferenceAnswer,
    PaperRatingAnswer,
    PaperSupportAnswers,
    PointAnswers,
    PointWord,
    PreferenceAnswers,
    RatingAnswer,
    RelativeGrades,
    SupportAnswers,
)
from drr.eval.asking.rules import NAME, VERSION, rules_banner
from drr.eval.checks.results import Span, place_as_written
from drr.eval.evidence.passages import content_stems, label_support, missing_numbers, plain
from drr.eval.labels import DIMENSIONS, Dimension
from drr.offline.surface import Surface, measure_surface
from drr.wording.currency import DOLLARS, Currency
from pydantic import BaseModel

_TIE = 0.5
_SUPPORT = {"full": "full_support", "partial": "partial_support", "none": "no_support"}


class RulesJudge:
    """A judge that answers in the requested form by rules."""

    name = NAME
    version = VERSION
    banner = rules_banner(name)

    @property
    def tasks(self) -> frozenset[str]:
        """Return the tasks that these rules can judge, and those of papers with rules of their own."""
        return _TASKS.union(*(paper.judging.ruled for paper in papers()))

    def answer(self, asking: Asking[Any]) -> Mapping[str, Any]:
        rule = _RULES.get(asking.form) or _of_papers().get(asking.form)
        if rule is None:
            raise DrrError(f"{self.name} has no rule for the task {asking.task}; name a model with --judge")
        return rule(asking)


def _support(asking: Asking[Any]) -> JsonObject:
    verdicts = []
    for claim in asking.sections:
        if claim.label != "claim":
            continue
        texts = [s.shown for s in asking.sections if s.label == "evidence" and s.about == claim.about]
        read = [asking.money.read(text) for text in texts]
        found = label_support(asking.money.as_dollars(claim.shown), [text for text, _ in read])
        quote = "" if found.span is None else _quoted(texts[found.text], found.span, read[found.text][1])
        verdicts.append(_verdict(claim.about, found.reason, quote, _SUPPORT[found.label]) | {"absent": False})
    return {"verdicts": verdicts}


def _quoted(text: str, span: Span, stood: Sequence[Span] | None) -> str:
    start, end = span if stood is None else place_as_written(span, stood)
    return text[start:end].strip()


def _verdict(about: str, reason: str, quote: str, support: str) -> JsonObject:
    return {"id": about, "justification": reason, "quote": quote, "support": support}


def _paper_support(asking: Asking[Any]) -> JsonObject:
    """Judge support in the paper's form, which has no quotation."""
    names = ("id", "support", "justification")
    return {"verdicts": [{name: v[name] for name in names} for v in _support(asking)["verdicts"]]}


def surface_of(asking: Asking[Any], label: str) -> Surface:
    """Return the surface features of the text under this label."""
    return measure_surface(
        asking.money.as_dollars(asking.part(label)),
        asking.money.as_dollars(asking.part("question")),
        asking.part("profile"),
        asking.shop_url.casefold(),
    )


def _rating(asking: Asking[Any]) -> JsonObject:
    dimension, surface = asking.dimension or "overall", surface_of(asking, "answer")
    return {"justification": surface.words_about(dimension), "rating": int(surface.score(dimension) + 0.5)}


def _preferences(asking: Asking[Any]) -> JsonObject:
    sides = [surface_of(asking, f"answer_{side}") for side in "ab"]
    asked = DIMENSIONS if asking.dimension is None else [asking.dimension]
    return {"verdicts": [{"criterion": one, **_preference(one, *sides)} for one in asked]}


def _preference(dimension: Dimension, first: Surface, second: Surface) -> JsonObject:
    a, b = first.score(dimension), second.score(dimension)
    why = f"A {a:.1f} ({first.words_about(dimension)}); B {b:.1f} ({second.words_about(dimension)})"
    return {"justification": why, "winner": "tie" if abs(a - b) < _TIE else "A" if a > b else "B"}


def _paper_preference(asking: Asking[Any]) -> JsonObject:
    """Judge a preference in the paper's form, which has no tie."""
    dimension = asking.dimension or "overall"
    a, b = (surface_of(asking, f"answer_{side}") for side in "ab")
    winner = "A" if a.score(dimension) >= b.score(dimension) else "B"
    return {"winner": winner, "justification": _preference(dimension, a, b)["justification"]}


def _failures(asking: Asking[Any]) -> JsonObject:
    """Return the failures that the surface shows. The example is the first line of prose, because no line shows a lack."""
    lines = [line.strip() for line in asking.part("answer").split("\n") if len(line.split()) > 3]
    if not lines:
        return {"failures": []}
    found = surface_of(asking, "answer")
    few = {name: found.counts[name] < 3 for name in ("reasons", "insights", "about_user")}
    signs = {
        "redundant_clarity": found.repeated > 0.1,
        "shallow_analysis": few["reasons"],
        "narrow_framing": found.counts["facets"] < 5,
        "weak_synthesis": few["insights"],
        "constraint_violation": found.total_kept is False or found.counts["foreign"] > 0,
        "poor_personalization": few["about_user"] and asking.person_known,
    }
    example = next((line for line in lines if not line.startswith(("#", "|", ">"))), lines[0])
    return {"failures": [{"example": example, "label": label} for label, shown in signs.items() if shown]}


def _points(asking: Asking[Any]) -> JsonObject:
    report, verdicts = asking.part("answer"), []
    for point in asking.sections:
        if point.label == "point":
            found = match(point.shown, point.gist, report, asking.money)
            verdicts.append(_verdict(point.about, found.reason, found.quote, found.support))
    return {"verdicts": verdicts}


def _relative(asking: Asking[Any]) -> JsonObject:
    """Grade two reports, each by itself, as where one report is graded: the order affects no rule."""
    a, b = (surface_of(asking, f"answer_{side}") for side in "ab")
    return {
        "grades": [
            {
                "criterion": one,
                "justification": f"A: {a.words_about(one)} B: {b.words_about(one)}",
                "a": int(a.score(one) + 0.5),
                "b": int(b.score(one) + 0.5),
            }
            for one in DIMENSIONS
            if one != "overall"
        ]
    }


Rules = Mapping[type[BaseModel], Callable[[Asking[Any]], JsonObject]]
_RULES: Rules = {
    SupportAnswers: _support,
    PaperSupportAnswers: _paper_support,
    RatingAnswer: _rating,
    PaperRatingAnswer: _rating,
    PreferenceAnswers: _preferences,
    PaperPreferenceAnswer: _paper_preference,
    FailuresAnswer: _failures,
    PointAnswers: _points,
    RelativeGrades: _relative,
}
_TASKS = frozenset(
    {
        "claims",
        "support",
        "joint",
        "citations",
        "needed",
        "rating",
        "pairwise",
        "failures",
        "points",
        "matches",
        "relative",
    }
)


@cache
def _of_papers() -> Rules:
    """Return the rules of papers by the form that they answer."""
    return {form: rule for paper in papers() for form, rule in paper.judging.rules().items()}


_ENOUGH = 0.75
"""The share of a point's words that one line of a report must contain."""
_LINE = re.compile(r"[^\n]+")
_OF_ANSWER = re.compile(
    r"\A\s*(?:it|the (?:answer|report|plan))\s+[a-z]+\s+(?:(?:that|to|how|why|when|where|which|what)\s+)?",
    re.I,
)
"""The opening of a point, such as `It says that`, with which `prompts/points.md` lets points begin."""


class PointMatch(NamedTuple):
    support: PointWord
    reason: str
    quote: str


def match(text: str, gist: str | None, report: str, currency: Currency = DOLLARS) -> PointMatch:
    """Judge whether a report contains a point. A point with an empty gist is about an omission, which no line shows."""
    wanted = _OF_ANSWER.sub("", text) if gist is None else gist
    words = content_stems(wanted)
    if not words:
        return PointMatch("not_support", "no word of a report shows this to a judge without a model", "")
    lines = [line[0] for line in _LINE.finditer(report) if line[0].strip()]
    share, line = max(
        ((len(words & content_stems(line)) / len(words), line) for line in lines), default=(0.0, "")
    )
    reason = f"a line of the report has {share:.0%} of its words"
    if share < _ENOUGH or missing_numbers(currency.as_dollars(wanted), plain(currency.as_dollars(line))):
        return PointMatch("not_support", reason, "")
    return PointMatch("partial_support", reason, " ".join(line.split()))
