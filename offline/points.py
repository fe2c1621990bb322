"""The test whether a report has a key point, by words alone. The verdict of the judge `rules-2` on points that code did not decide.

Words that a report shares with a point show at most that it touches it: no more than `partial_support` ever comes of them.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from drr.eval.asking.forms import PointWord
from drr.eval.evidence.words import families, missing_numbers, plain

_ENOUGH = 0.75
"""Share of a point's words that one line of a report holds."""
_LINE = re.compile(r"[^\n]+")
_OF_ANSWER = re.compile(
    r"\s*(?:it|the (?:answer|report|plan))\s+[a-z]+\s+(?:(?:that|to|how|why|when|where|which|what)\s+)?", re.I
)
"""What an answer does: `It says that`, as `prompts/points.md` has points begin."""


class PointMatch(NamedTuple):
    support: PointWord
    reason: str
    quote: str


def match(text: str, gist: str | None, report: str) -> PointMatch:
    """A point whose gist is empty is kept by what a report leaves out, which no word of it shows."""
    wanted = _text(text) if gist is None else gist
    words = families(wanted)
    if not words:
        return PointMatch("not_support", "no word of a report shows this to a judge without a model", "")
    share, line = max(((_share(words, line), line) for line in _lines(report)), default=(0.0, ""))
    reason = f"a line of the report has {share:.0%} of its words"
    if share < _ENOUGH or missing_numbers(wanted, plain(line)):
        return PointMatch("not_support", reason, "")
    return PointMatch("partial_support", reason, " ".join(line.split()))


def _text(text: str) -> str:
    begun = _OF_ANSWER.match(text)
    return text[begun.end() :] if begun else text


def _lines(report: str) -> list[str]:
    return [line[0] for line in _LINE.finditer(report) if line[0].strip()]


def _share(words: frozenset[str], line: str) -> float:
    return len(words & families(line)) / len(words)
