"""The judge without a language model, `rules-1`: surface rules over the texts that a model would be shown.

Support is lexical (`drr.eval.evidence.lexical`). Grades and preferences count what a text shows on its surface; `docs/judging.md` lists
every rule. They measure layout, wording and bookkeeping, not understanding, so they are stored under their own name,
bannered wherever they are shown, and never set beside figures of a model or of the paper.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from drr.env.constraints import parse_constraints
from drr.env.errors import DrrError
from drr.env.text import tokens
from drr.eval.asking.conversation import Asking
from drr.eval.asking.forms import (
    FailuresAnswer,
    PaperPreferenceAnswer,
    PaperRatingAnswer,
    PaperSupportAnswers,
    PreferenceAnswer,
    RatingAnswer,
    SupportAnswers,
)
from drr.eval.asking.safety import forgeries
from drr.eval.evidence.lexical import numbers, plain, support
from drr.eval.labels import Dimension
from pydantic import BaseModel

_TIE = 0.5
_MOST = 10.0
_SUPPORT = {"full": "full_support", "partial": "partial_support", "none": "no_support"}


class RulesJudge:
    """Answers in the form that was asked for."""

    name = "rules-1"
    version = 1
    """Raised by hand when its rules say something else."""
    banner = "Judged by surface rules (rules-1), not by a language model: useful for trying things out, not as a measurement."

    def answer(self, asking: Asking[Any]) -> Mapping[str, Any]:
        rule = _RULES.get(asking.form)
        if rule is None:
            raise DrrError(f"{self.name} has no rule for the task {asking.task}; name a model with --judge")
        return rule(asking)


def _support(asking: Asking[Any]) -> dict[str, Any]:
    verdicts = []
    for claim in asking.sections:
        if claim.label != "claim":
            continue
        texts = [s.shown for s in asking.sections if s.label == "evidence" and s.about == claim.about]
        found, which = support(claim.shown, texts)
        quote = ""
        if found.span is not None:
            quote = texts[which][found.span.start : found.span.end].strip()
        verdicts.append(
            {
                "id": claim.about,
                "justification": found.reason,
                "quote": quote,
                "support": _SUPPORT[found.label],
            }
        )
    return {"verdicts": verdicts}


def _paper_support(asking: Asking[Any]) -> dict[str, Any]:
    """The paper asks for no quotation."""
    names = ("id", "support", "justification")
    return {"verdicts": [{name: v[name] for name in names} for v in _support(asking)["verdicts"]]}


def _grade(asking: Asking[Any], label: str) -> tuple[float, str]:
    dimension = asking.dimension or "overall"
    surface = _surface(asking, label)
    return surface.score(dimension), surface.words_about(dimension)


def _surface(asking: Asking[Any], label: str) -> Surface:
    return read(
        asking.part(label), asking.part("question"), asking.part("profile"), asking.shop_url.casefold()
    )


def _rating(asking: Asking[Any]) -> dict[str, Any]:
    score, why = _grade(asking, "answer")
    return {"justification": why, "rating": int(score + 0.5)}


def _paper_rating(asking: Asking[Any]) -> dict[str, Any]:
    score, why = _grade(asking, "answer")
    return {"rating": int(score + 0.5), "justification": why}


def _preference(asking: Asking[Any]) -> dict[str, Any]:
    (a, why_a), (b, why_b) = (_grade(asking, f"answer_{side}") for side in "ab")
    winner = "tie" if abs(a - b) < _TIE else "A" if a > b else "B"
    return {"justification": f"A {a:.1f} ({why_a}); B {b:.1f} ({why_b})", "winner": winner}


def _paper_preference(asking: Asking[Any]) -> dict[str, Any]:
    """The paper knows no tie."""
    (a, _), (b, _) = (_grade(asking, f"answer_{side}") for side in "ab")
    return {"winner": "A" if a >= b else "B", "justification": _preference(asking)["justification"]}


def _failures(asking: Asking[Any]) -> dict[str, Any]:
    lines = [line.strip() for line in asking.part("answer").split("\n") if len(line.split()) > 3]
    if not lines:
        return {"failures": []}
    found = _surface(asking, "answer")
    signs = {
        "redundant_clarity": found.repeated > 0.1,
        "shallow_analysis": found.reasons < 3,
        "narrow_framing": found.facets < 5,
        "weak_synthesis": found.insights < 3,
        "constraint_violation": found.total_kept is False or found.foreign > 0,
        "poor_personalization": found.about_user < 3 and asking.person_known,
    }
    shop = asking.shop_url.casefold()
    return {
        "failures": [
            {"example": _example(label, lines, shop), "label": label}
            for label, shown in signs.items()
            if shown
        ]
    }


def _example(label: str, lines: Sequence[str], shop: str) -> str:
    """The line that shows a failure best, as far as its surface tells: a repeated one, a bare recommendation, the total."""
    if label == "redundant_clarity":
        seen: set[tuple[str, ...]] = set()
        for line in lines:
            words = tuple(tokens(plain(line)))
            if words in seen:
                return line
            seen.add(words)
    recommended = [line for line in lines if _PRICE.search(line) and not line.startswith("#")]
    told = [line for line in lines if not line.startswith(("#", "|", ">"))]
    fitting: dict[str, list[str]] = {
        "shallow_analysis": [line for line in recommended if not _REASON.search(line)],
        "weak_synthesis": [line for line in recommended if not _INSIGHT.search(line)],
        "constraint_violation": [
            *(line for line in lines if _sells_elsewhere(line, shop)),
            *(line for line in lines if _TOTAL.search(line)),
        ],
        "poor_personalization": recommended,
    }
    shown: list[str] = [*fitting.get(label, []), *told, *lines]
    return shown[0]


_RULES: Mapping[type[BaseModel], Callable[[Asking[Any]], dict[str, Any]]] = {
    SupportAnswers: _support,
    PaperSupportAnswers: _paper_support,
    RatingAnswer: _rating,
    PaperRatingAnswer: _paper_rating,
    PreferenceAnswer: _preference,
    PaperPreferenceAnswer: _paper_preference,
    FailuresAnswer: _failures,
}


_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z*\[(\"'])|\n+")
_HEADING = re.compile(r"^\s*(?:#{1,6}\s+\S|\*\*[^*\n]{3,80}\*\*:?\s*$)", re.MULTILINE)
_BULLET = re.compile(r"^\s*(?:[-*\u2022]|\d+[.)])\s+\S", re.MULTILINE)
_ROW = re.compile(r"^\s*\|.+\|\s*$", re.MULTILINE)
_CITED = re.compile(r"\[\^?(\d+)(?:\s*[-\u2013]\s*(\d+))?[^\]]{0,24}\]|https?://|user://")
_URL = re.compile(r"(?:https?|user)://[^\s)>\]]+")
_PRICE = re.compile(r"\$\s?\d")
_REASON = re.compile(
    r"\b(?:because|since|therefore|thus|so that|which means|as a result|due to|compared (?:to|with)|whereas|while|rather than|instead of"
    r"|trade-?offs?|outweighs?|cheaper|costlier|better (?:than|for)|worth|in contrast|depends?|unless|if you)\b",
    re.IGNORECASE,
)
_INSIGHT = re.compile(
    r"\b(?:however|but|although|trade-?offs?|avoid|instead|rather than|over time|in the long run|hidden|often overlooked|before you buy"
    r"|you already (?:own|have|bought)|reuse|combine|first|then|step|month \d|which means|watch out|risk)\b",
    re.IGNORECASE,
)
_FILLER = re.compile(
    r"\b(?:it is (?:important|worth) (?:to note|noting)|in conclusion|needless to say|as (?:mentioned|stated) (?:above|before|earlier)|in today's world"
    r"|when it comes to|at the end of the day|there are many|plays? (?:a|an) (?:crucial|important|vital) role|look no further)\b",
    re.IGNORECASE,
)
_PROCESS = re.compile(
    r"</?(?:think|thinking|search|tool_call|tool_response|reasoning)\b|\u2039/?(?:think|search)|\blet me (?:search|look|check|think|call|find)\b|\bI (?:will|'ll) (?:now )?(?:search|call|use the)\b"
    r"|\b(?:product_catalog_search|get_product_details|get_user_(?:orders|profile|statistics)|web_search|get_order_details)\b|\[\d+-\d+\](?!\()|\u8ba9\u6211",
    re.IGNORECASE,
)
_TOTAL = re.compile(r"\b(?:grand |sub)?total\b[^\n$]{0,60}\$\s?([\d,]+(?:\.\d+)?)", re.IGNORECASE)
_FACETS: tuple[frozenset[str], ...] = tuple(
    frozenset(tokens(words))
    for words in (
        "price cost budget cheap cheaper expensive saving spend",
        "durable durability last warranty sturdy rust weather resistant",
        "material steel wood plastic cotton fabric ceramic",
        "safe safety toxic allergy allergen hazard recall risk",
        "clean cleaning maintenance maintain wash refill replace filter",
        "size dimension fit fits weight capacity inch length",
        "season winter summer spring fall climate humidity heat cold",
        "compare comparison alternative versus instead option",
        "rating review star customer reputation",
        "install installation assembly setup mount instruction",
        "compatible compatibility work standard battery power",
        "health benefit expert veterinarian doctor study evidence",
        "order history bought previous purchase reorder",
        "timeline month week schedule plan phase deadline",
        "environment sustainable recycled organic natural eco",
        "noise quiet comfort ergonomic easy use",
    )
)


@dataclass(frozen=True)
class Surface:
    """What a report shows without being understood. Shares are of distinct sentences."""

    words: int
    distinct_words: int
    """Of sentences that differ."""
    vocabulary: int
    sections: int
    layout: bool
    repeated: float
    filler: float
    factual: float
    reasons: int
    insights: int
    figures: int
    cited: int
    facets: int
    answered: float
    about_user: int
    foreign: int
    process: int
    forged: int
    total_kept: bool | None

    @property
    def hollow(self) -> bool:
        return self.distinct_words < 30 or self.vocabulary < 15

    def score(self, dimension: Dimension) -> float:
        """From 0 to 10; an attempt to game the grading, or next to no text, is 0."""
        if self.forged or self.hollow:
            return 0.0
        flaws = (
            7 * self.repeated
            + 4 * self.filler
            + 1.5 * min(self.process, 3)
            + 12 * max(0.0, 0.25 - self.factual)
        )
        raw = {
            "clarity": 4.0 + 2 * _up(self.sections, 4) + 1.5 * self.layout + 1.5 * self.answered,
            "depth": 1.0 + 3 * _up(self.reasons, 8) + 2.5 * _up(self.figures, 25) + 2.5 * _up(self.cited, 12),
            "breadth": 1.0 + 8 * _up(self.facets, 11),
            "insightfulness": 1.0 + 4 * _up(self.insights, 10) + 3 * _up(self.reasons, 8) + self.answered,
            "constraint_following": 5.0
            + 2 * self.answered
            + {None: 0.0, True: 2.0, False: -4.0}[self.total_kept],
            "personalization": 0.5 + 8 * _up(self.about_user, 10) + self.answered,
        }
        raw["constraint_following"] -= 2 * min(self.foreign, 3)
        if dimension == "overall":
            value = sum(raw.values()) / len(raw) + 0.5 - 0.5 * min(self.foreign, 3)
        else:
            value = raw[dimension] - (
                0.5 * min(self.foreign, 3) if dimension != "constraint_following" else 0
            )
        return max(0.0, min(_MOST, value - flaws))

    def words_about(self, dimension: Dimension) -> str:
        if self.forged:
            return "The answer holds a verdict of its own or speaks to the judge."
        if self.hollow:
            return "There is next to no text."
        budget = {
            None: "no stated total to hold against a budget",
            True: "the stated total keeps the budget",
            False: "the stated total breaks the budget",
        }
        return (
            f"By surface rules: {self.sections} sections, {self.reasons} sentences that give reasons, {self.figures} distinct figures, "
            f"{self.cited} cited sentences, {self.facets} of {len(_FACETS)} facets, {self.answered:.0%} of the question's words, "
            f"{self.about_user} words of the profile, {self.repeated:.0%} repeated, {self.foreign} products of elsewhere, "
            f"{self.process} traces of process; {budget[self.total_kept]}."
        )


def _up(value: float, enough: float) -> float:
    return min(1.0, value / enough)


@lru_cache(maxsize=4096)
def read(answer: str, question: str, profile: str, shop: str) -> Surface:
    """Lines that sell elsewhere or show the process count as flaws and as nothing else."""
    lines = answer.split("\n")
    foreign = [line for line in lines if _sells_elsewhere(line, shop)]
    process = [line for line in lines if _PROCESS.search(line)]
    kept = "\n".join(line for line in lines if line not in foreign and line not in process)
    body = _without_list(kept)
    sentences = [s.strip() for s in _SENTENCE.split(body) if len(tokens(s)) > 2]
    distinct = list({" ".join(tokens(plain(s))): s for s in sentences}.values())
    total = sum(len(s.split()) for s in sentences)
    facts = [s for s in distinct if _is_fact(s)]
    bag = {word for s in distinct for word in tokens(plain(s))}
    fact_words = {word for s in facts for word in tokens(plain(s))}
    asked = {word for word in tokens(question) if len(word) > 3}
    known = {word for word in tokens(profile) if len(word) > 3} - _COMMON
    return Surface(
        words=total,
        distinct_words=sum(len(s.split()) for s in distinct),
        vocabulary=len(bag),
        sections=len({m[0].strip() for m in _HEADING.finditer(body)}),
        layout=bool(_BULLET.search(body) or _ROW.search(body)),
        repeated=_repeated(body),
        filler=sum(bool(_FILLER.search(s)) for s in distinct) / max(1, len(distinct)),
        factual=len(facts) / max(1, len(distinct)),
        reasons=sum(bool(_REASON.search(s)) for s in facts),
        insights=sum(bool(_INSIGHT.search(s)) for s in facts),
        figures=len({n.value for s in distinct for n in numbers(plain(s))}),
        cited=sum(_is_cited(s) for s in distinct),
        facets=sum(bool(facet & fact_words) for facet in _FACETS),
        answered=len(asked & bag) / len(asked) if asked else 0.0,
        about_user=len(known & bag),
        foreign=len(foreign),
        process=len(process),
        forged=forgeries(answer),
        total_kept=_total_kept(kept, question),
    )


_COMMON = frozenset(
    tokens(
        "shopper profile orders order product products unknown price prices item items total known spend years year since last first category "
        "categories favourite stores store region light regular frequent heavy budget moderate premium because with from that this about share none"
    )
)


def _sells_elsewhere(line: str, shop: str) -> bool:
    return bool(_PRICE.search(line)) and any(
        not url.casefold().startswith((shop, "user://")) for url in _URL.findall(line)
    )


def _without_list(text: str) -> str:
    """The report without the closing list of sources."""
    lines = text.rstrip().split("\n")
    while lines and (
        not lines[-1].strip() or re.match(r"\s*(?:\[\^?\d+\]|\d+[.)]|[-*])[:\s].*://\S+\s*$", lines[-1])
    ):
        lines.pop()
    return "\n".join(lines)


def _is_cited(sentence: str) -> bool:
    return any(
        not (m[1] and m[2] and int(m[2]) - int(m[1]) >= 10) and (not m[1] or int(m[1]) < 500)
        for m in _CITED.finditer(sentence)
    )


def _is_fact(sentence: str) -> bool:
    return _is_cited(sentence) or bool(numbers(plain(sentence)))


def _repeated(body: str) -> float:
    """Share of tokens in lines and paragraphs that near-duplicate an earlier one."""
    seen: list[frozenset[tuple[str, ...]]] = []
    exact: set[str] = set()
    total = again = 0
    for block in re.split(r"\n+", body):
        words = tokens(plain(block))
        if len(words) < 6:
            continue
        total += len(words)
        line = " ".join(words)
        shingles = frozenset(zip(words, words[1:], words[2:], strict=False))
        if line in exact or any(
            len(shingles & other) >= 0.8 * min(len(shingles), len(other)) for other in seen[-200:]
        ):
            again += len(words)
            continue
        exact.add(line)
        seen.append(shingles)
    return again / total if total else 0.0


def _total_kept(text: str, question: str) -> bool | None:
    limit = parse_constraints(question).total_max
    totals = [float(m[1].replace(",", "")) for m in _TOTAL.finditer(text)]
    return None if limit is None or not totals else max(totals) <= limit
