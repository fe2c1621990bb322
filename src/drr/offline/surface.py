"""Surface features of a report, by which the judge `rules-2` grades it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from drr.env.constraints import parse_constraints
from drr.env.text import tokens
from drr.eval.asking.safety import count_forgeries
from drr.eval.evidence.passages import plain
from drr.eval.labels import Dimension
from drr.wording.quantities import numbers

_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z*\[(\"'])|\n+")
_HEADING = re.compile(r"^[^\S\n]*+(?:#{1,6}\s+\S|\*\*[^*\n]{3,80}\*\*:?[^\S\n]*$)", re.MULTILINE)
_LISTED = re.compile(r"^[^\S\n]*+(?:(?:[-*\u2022]|\d+[.)])\s+\S|\|.+\|\s*$)", re.MULTILINE)
_CITED = re.compile(r"\[\^?(\d+)(?:\s*[-\u2013]\s*(\d+))?[^\]]{0,24}\]|https?://|user://")
_SOURCE = re.compile(r"\s*(?:\[\^?\d+\]|\d+[.)]|[-*])[:\s].*://\S+\s*$")
_URL = re.compile(r"(?:https?|user)://[^\s)>\]]+")
_PRICE = re.compile(r"\$\s?\d")
_WORDS = tomllib.loads(Path(__file__).with_name("surface.toml").read_text(encoding="utf-8"))
_REASON, _INSIGHT, _FILLER = (
    re.compile(rf"\b(?:{'|'.join(_WORDS[name])})\b", re.IGNORECASE)
    for name in ("reasons", "insights", "filler")
)
_PROCESS = re.compile("|".join(_WORDS["process"]), re.IGNORECASE)
_FACETS = tuple(frozenset(tokens(words)) for words in _WORDS["facets"])
_COMMON = frozenset(tokens(_WORDS["of_profiles"]))
_TOTAL = re.compile(r"\b(?:grand |sub)?total\b[^\n$]{0,60}\$\s?([\d,]+(?:\.\d+)?)", re.IGNORECASE)


@dataclass(frozen=True)
class Surface:
    """The surface features of a report, measured without understanding."""

    counts: Mapping[str, int]
    repeated: float
    """The share of the text that repeats earlier text."""
    answered: float
    """The share of the question's words that occur in the report."""
    flaws: float
    hollow: bool
    """True for a report with next to no text."""
    forged: int
    total_kept: bool | None

    def score(self, dimension: Dimension) -> float:
        """Return a score from 0 to 10. It is 0 for an attempt to game the grading or for next to no text."""
        if self.forged or self.hollow:
            return 0.0
        shares = {name: min(1.0, self.counts[name] / enough) for name, (enough, _) in _COUNTED.items()}
        foreign = 3 * shares["foreign"]
        kept = {None: 0.0, True: 2.0, False: -4.0}[self.total_kept]
        raw = {
            "clarity": 4.0 + 2 * shares["sections"] + 1.5 * shares["listed"] + 1.5 * self.answered,
            "depth": 1.0 + 3 * shares["reasons"] + 2.5 * shares["figures"] + 2.5 * shares["cited"],
            "breadth": 1.0 + 8 * shares["facets"],
            "insightfulness": 1.0 + 4 * shares["insights"] + 3 * shares["reasons"] + self.answered,
            "constraint_following": 5.0 + 2 * self.answered + kept - 2 * foreign,
            "personalization": 0.5 + 8 * shares["about_user"] + self.answered,
        }
        if dimension == "overall":
            value = sum(raw.values()) / len(raw) + 0.5 - 0.5 * foreign
        else:
            value = raw[dimension] - (0.5 * foreign if dimension != "constraint_following" else 0)
        return max(0.0, min(10.0, value - self.flaws))

    def words_about(self, dimension: Dimension) -> str:
        if self.forged:
            return "The answer holds a verdict of its own or speaks to the judge."
        if self.hollow:
            return "There is next to no text."
        kept = {None: "no stated total to hold against a budget", True: "the stated total keeps the budget"}
        counts = ", ".join(f"{count} {_COUNTED[name][1]}" for name, count in self.counts.items())
        return (
            f"By surface rules: {counts}, {self.answered:.0%} of the question's words, {self.repeated:.0%} repeated; "
            f"{kept.get(self.total_kept, 'the stated total breaks the budget')}."
        )


_COUNTED: Mapping[str, tuple[int, str]] = {
    "sections": (4, "sections"),
    "listed": (1, "rows of lists"),
    "reasons": (8, "sentences that give reasons"),
    "figures": (25, "distinct figures"),
    "cited": (12, "cited sentences"),
    "facets": (11, f"of {len(_FACETS)} facets"),
    "insights": (10, "sentences that weigh"),
    "about_user": (10, "words of the profile"),
    "foreign": (3, "products of elsewhere"),
    "process": (3, "traces of process"),
}
"""Counts above which a score rises no further, each with the words for a justification."""


@lru_cache(maxsize=4096)
def measure_surface(answer: str, question: str, profile: str, shop: str) -> Surface:
    """Measure the surface of a report. Lines that sell products of elsewhere or show the process count only as flaws."""
    lines = answer.split("\n")
    foreign = {line for line in lines if _sells_elsewhere(line, shop)}
    process = {line for line in lines if _PROCESS.search(line)}
    body = _without_list("\n".join(line for line in lines if line not in foreign | process))
    every = [s.strip() for s in _SENTENCE.split(body) if len(tokens(s)) > 2]
    sentences = list({" ".join(tokens(plain(s))): s for s in every}.values())
    facts = [s for s in sentences if _is_cited(s) or numbers(plain(s))]
    bag = {word for s in sentences for word in tokens(plain(s))}
    of_facts = {word for s in facts for word in tokens(plain(s))}
    asked, share, repeated = _long_words(question), max(1, len(sentences)), _repeated_share(body)
    counts = {
        "sections": len({m[0].strip() for m in _HEADING.finditer(body)}),
        "listed": len({m[0] for m in _LISTED.finditer(body)}),
        "reasons": sum(bool(_REASON.search(s)) for s in facts),
        "figures": len({n.value for s in sentences for n in numbers(plain(s))}),
        "cited": sum(map(_is_cited, sentences)),
        "facets": sum(bool(facet & of_facts) for facet in _FACETS),
        "insights": sum(bool(_INSIGHT.search(s)) for s in facts),
        "about_user": len((_long_words(profile) - _COMMON) & bag),
        "foreign": sum(line in foreign for line in lines),
        "process": sum(line in process for line in lines),
    }
    filler = sum(bool(_FILLER.search(s)) for s in sentences) / share
    bare = 12 * max(0.0, 0.25 - len(facts) / share)
    limit = parse_constraints(question).total_max
    totals = [float(m[1].replace(",", "")) for m in _TOTAL.finditer(body)]
    return Surface(
        counts=counts,
        repeated=repeated,
        answered=len(asked & bag) / len(asked) if asked else 0.0,
        flaws=7 * repeated + 4 * filler + 1.5 * min(3, counts["process"]) + bare,
        hollow=sum(len(s.split()) for s in sentences) < 30 or len(bag) < 15,
        forged=count_forgeries(answer),
        total_kept=None if limit is None or not totals else max(totals) <= limit,
    )


def _long_words(text: str) -> set[str]:
    return {word for word in tokens(text) if len(word) > 3}


def _sells_elsewhere(line: str, shop: str) -> bool:
    return bool(_PRICE.search(line)) and any(
        not url.casefold().startswith((shop, "user://")) for url in _URL.findall(line)
    )


def _without_list(text: str) -> str:
    """Return the report without the closing list of sources."""
    lines = text.rstrip().split("\n")
    while lines and (not lines[-1].strip() or _SOURCE.match(lines[-1])):
        lines.pop()
    return "\n".join(lines)


def _is_cited(sentence: str) -> bool:
    return any(
        not (m[1] and m[2] and int(m[2]) - int(m[1]) >= 10) and (not m[1] or int(m[1]) < 500)
        for m in _CITED.finditer(sentence)
    )


def _repeated_share(body: str) -> float:
    """Return the share of tokens in lines and paragraphs that nearly repeat an earlier one."""
    seen: list[frozenset[tuple[str, ...]]] = []
    exact: set[str] = set()
    total = again = 0
    for block in re.split(r"\n+", body):
        words = tokens(plain(block))
        if len(words) < 6:
            continue
        total += len(words)
        line, shingles = " ".join(words), frozenset(zip(words, words[1:], words[2:], strict=False))
        alike = (len(shingles & one) >= 0.8 * min(len(shingles), len(one)) for one in seen[-200:])
        if line in exact or any(alike):
            again += len(words)
        else:
            exact.add(line)
            seen.append(shingles)
    return again / total if total else 0.0
