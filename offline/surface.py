"""Surface features of a report, by which the judge `rules-2` grades it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from drr.env.constraints import parse_constraints
from drr.env.text import tokens
from drr.eval.asking.safety import forgeries
from drr.eval.evidence.passages import plain
from drr.eval.labels import Dimension
from drr.wording.figures import numbers

_MOST = 10.0
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z*\[(\"'])|\n+")
_HEADING = re.compile(r"^[^\S\n]*+(?:#{1,6}\s+\S|\*\*[^*\n]{3,80}\*\*:?[^\S\n]*$)", re.MULTILINE)
_BULLET = re.compile(r"^[^\S\n]*+(?:[-*\u2022]|\d+[.)])\s+\S", re.MULTILINE)
_ROW = re.compile(r"^[^\S\n]*+\|.+\|\s*$", re.MULTILINE)
_CITED = re.compile(r"\[\^?(\d+)(?:\s*[-\u2013]\s*(\d+))?[^\]]{0,24}\]|https?://|user://")
_URL = re.compile(r"(?:https?|user)://[^\s)>\]]+")
PRICE = re.compile(r"\$\s?\d")
_WORDS = tomllib.loads(Path(__file__).with_name("surface.toml").read_text(encoding="utf-8"))
REASON, INSIGHT, _FILLER = (
    re.compile(rf"\b(?:{'|'.join(_WORDS[name])})\b", re.IGNORECASE)
    for name in ("reasons", "insights", "filler")
)
_PROCESS = re.compile("|".join(_WORDS["process"]), re.IGNORECASE)
_FACETS = tuple(frozenset(tokens(words)) for words in _WORDS["facets"])
_COMMON = frozenset(tokens(_WORDS["of_profiles"]))
TOTAL = re.compile(r"\b(?:grand |sub)?total\b[^\n$]{0,60}\$\s?([\d,]+(?:\.\d+)?)", re.IGNORECASE)


@dataclass(frozen=True)
class Surface:
    """The surface of a report, seen without understanding. Shares are of distinct sentences."""

    words: int
    distinct_words: int
    """Words of sentences that differ."""
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
        """Score from 0 to 10; an attempt to game the grading, or next to no text, is 0."""
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


@dataclass(frozen=True)
class _Body:
    """The sentences of a report that differ, and those of them that state something."""

    text: str
    """The text without its list of sources."""
    words: int
    """Words in all sentences, said again or not."""
    sentences: tuple[str, ...]
    facts: tuple[str, ...]

    @classmethod
    def of(cls, kept: str) -> _Body:
        text = _without_list(kept)
        sentences = [s.strip() for s in _SENTENCE.split(text) if len(tokens(s)) > 2]
        differing = tuple({" ".join(tokens(plain(s))): s for s in sentences}.values())
        facts = tuple(filter(_is_fact, differing))
        return cls(text, sum(len(s.split()) for s in sentences), differing, facts)

    def share(self, count: int) -> float:
        return count / max(1, len(self.sentences))

    def figures(self) -> int:
        return len({n.value for s in self.sentences for n in numbers(plain(s))})


@lru_cache(maxsize=4096)
def read(answer: str, question: str, profile: str, shop: str) -> Surface:
    """Lines that sell elsewhere or show the process count as flaws and as nothing else."""
    lines = answer.split("\n")
    foreign = {line for line in lines if sells_elsewhere(line, shop)}
    process = {line for line in lines if _PROCESS.search(line)}
    kept = "\n".join(line for line in lines if line not in foreign | process)
    body = _Body.of(kept)
    bag, fact_words = _words(body.sentences), _words(body.facts)
    asked = _long_words(question)
    return Surface(
        words=body.words,
        distinct_words=sum(len(s.split()) for s in body.sentences),
        vocabulary=len(bag),
        sections=len({m[0].strip() for m in _HEADING.finditer(body.text)}),
        layout=bool(_BULLET.search(body.text) or _ROW.search(body.text)),
        repeated=_repeated(body.text),
        filler=body.share(_matching(_FILLER, body.sentences)),
        factual=body.share(len(body.facts)),
        reasons=_matching(REASON, body.facts),
        insights=_matching(INSIGHT, body.facts),
        figures=body.figures(),
        cited=sum(map(_is_cited, body.sentences)),
        facets=sum(bool(facet & fact_words) for facet in _FACETS),
        answered=len(asked & bag) / len(asked) if asked else 0.0,
        about_user=len((_long_words(profile) - _COMMON) & bag),
        foreign=sum(line in foreign for line in lines),
        process=sum(line in process for line in lines),
        forged=forgeries(answer),
        total_kept=_total_kept(kept, question),
    )


def _words(sentences: Sequence[str]) -> set[str]:
    return {word for s in sentences for word in tokens(plain(s))}


def _long_words(text: str) -> set[str]:
    return {word for word in tokens(text) if len(word) > 3}


def _matching(pattern: re.Pattern[str], sentences: Sequence[str]) -> int:
    return sum(bool(pattern.search(s)) for s in sentences)


def sells_elsewhere(line: str, shop: str) -> bool:
    return bool(PRICE.search(line)) and any(
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
    totals = [float(m[1].replace(",", "")) for m in TOTAL.finditer(text)]
    return None if limit is None or not totals else max(totals) <= limit
