"""The repetition between two passages, by words alone: the verdict of the judge `rules-2` on a pair.

Runs of five words in common show what is said again in the same words; figures, names and rare words in common show at most that both
speak of the same thing, so they never cost more than two levels. What was reworded without a figure or a name it does not see.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from drr.env.json_object import JsonObject
from drr.env.shingles import runs
from drr.eval.asking.conversation import Asking
from drr.eval.evidence.words import plain, terms, words_in_order
from drr.papers.reporteval.judging.forms import TOP, RepetitionAnswer
from drr.wording.figures import numbers

_WIDTH = 5
"""Words of a run: shorter ones are common to all sentences of one make."""
_LEVELS = ((0.75, 0), (0.45, 1), (0.2, 2), (0.08, 3))
"""From which share of the shorter passage's runs on it scores so."""
_SENTENCE = re.compile(r"[^.!?\n。！？]+[.!?。！？]?")
_NAME = re.compile(r"(?<=[a-z,;:] )[A-Z][\w'’&-]*[A-Za-z0-9]")
_FEWEST_FACTS = 3
_SAME_FACTS = ((0.8, 0.5, 2), (0.6, 0.35, 3))
"""From which shares of the facts and of the words on two passages say the same of the same things."""


class Repeated(NamedTuple):
    score: int
    explanation: str


def repetition(asking: Asking[RepetitionAnswer]) -> JsonObject:
    first, second = (section.shown for section in asking.sections[:2])
    found = repeated(first, second)
    shown = []
    if found.score < TOP:
        both = _closest(first, second)
        shown = [{"first": both[0], "second": both[1]}] if both else []
    score = found.score if shown else TOP
    return {"explanation": found.explanation, "repetitions": shown, "score": score}


def repeated(first: str, second: str) -> Repeated:
    a, b = (list(words_in_order(_body(text))) for text in (first, second))
    own, other = set(runs(a, _WIDTH)), set(runs(b, _WIDTH))
    common = len(own & other) / min(len(own), len(other)) if own and other else 0.0
    by_words = next((score for share, score in _LEVELS if common >= share), TOP)
    by_facts, reason = _by_facts(first, second)
    explanation = f"{common:.0%} of the shorter passage's runs of {_WIDTH} words stand in both; {reason}"
    return Repeated(min(by_words, by_facts), explanation)


def _by_facts(first: str, second: str) -> tuple[int, str]:
    a, b = _facts(first), _facts(second)
    fewest = min(len(a), len(b))
    share = len(a & b) / fewest if fewest else 0.0
    words_a, words_b = terms(_body(first)), terms(_body(second))
    words = len(words_a & words_b) / (min(len(words_a), len(words_b)) or 1)
    reason = f"{len(a & b)} figures and names and {words:.0%} of the words in common"
    if fewest < _FEWEST_FACTS:
        return TOP, reason
    return next((score for low, few, score in _SAME_FACTS if share >= low and words >= few), TOP), reason


def _facts(text: str) -> frozenset[str]:
    said = plain(_body(text))
    return frozenset(
        {f"{one.value:g}" for one in numbers(said)} | {name.casefold() for name in _NAME.findall(said)}
    )


def _body(shown: str) -> str:
    """Drop the heading: passages of one section share it."""
    head, _, rest = shown.partition("\n\n")
    return rest if rest and "\n" not in head else shown


def _closest(first: str, second: str) -> tuple[str, str] | None:
    """The two sentences that share most words."""
    ours, theirs = _sentences(first), _sentences(second)
    best = max(
        ((len(terms(x) & terms(y)), x, y) for x in ours for y in theirs),
        key=lambda row: row[0],
        default=(0, "", ""),
    )
    return (best[1], best[2]) if best[0] else None


def _sentences(text: str) -> Sequence[str]:
    return [found for one in _SENTENCE.findall(_body(text)) if (found := one.strip()) and terms(found)]
