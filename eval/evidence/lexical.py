"""Whether a text says what a claim says, by words alone: the claim beside its closest sentences, and what there speaks against it.

No language model and no claim to be one. It errs on the careful side: a number or a name that the text lacks, a reason that
it does not give and a certainty that it does not have never count as fully supported.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

from drr.env.records.lines import Span
from drr.env.text import tokens
from drr.eval.evidence.aligned import GRAMMAR, Alignment
from drr.eval.evidence.graded import graded
from drr.eval.evidence.weighed import Label
from drr.wording.figures import Number, numbers
from drr.wording.tolerance import same_number

_MARKS = re.compile(
    r"\[\^?\d+(?:\s*[,\u2013-]\s*\d+)*\](?:\([^)\s\[]{0,2000}\))?|\u3010[^\u3011]{0,500}\u3011"
)
_URL = re.compile(r"(?:https?|user)://\S+")
_LINK = re.compile(r"\[([^\]]{0,500})\]\([^)\s\[]{0,2000}\)")
_SENTENCE = re.compile(r"[^.!?\n;]+(?:(?:[.!?;](?!\s|$)|(?<=\bNo)\.(?=\s\d))[^.!?\n;]*)*")
_STOP = GRAMMAR | frozenset(
    tokens(
        "offer offers include includes including feature features make makes made come comes provide provides product item customer rated rating star "
        "reviewer review reviews cost price priced sell according available usd dollar"
    )
)
"""And what a shop says of everything."""


def plain(text: str) -> str:
    """Without citation marks, URLs and emphasis: what is said, not how it is cited."""
    return (
        _URL.sub(" ", _LINK.sub(r"\1", _MARKS.sub(" ", text)))
        .replace("*", "")
        .replace("`", "")
        .replace("_", " ")
    )


def missing_numbers(claim: str, text: str) -> list[str]:
    """The numbers of a claim that the text does not state."""
    stated = numbers(text, words=True)
    return [
        n.text
        for n in numbers(plain(claim))
        if not any(same_number(n, s) for s in stated) and not _worked_out(n, stated)
    ]


def _worked_out(claimed: Number, stated: Sequence[Number]) -> bool:
    """A sum of two or three stated amounts, their difference, or a small multiple of one: arithmetic is no invention."""
    if claimed.kind != "money":
        return False
    amounts = list(dict.fromkeys(s.value for s in stated if s.kind == "money"))[:16]
    results = [sum(group) for size in (2, 3) for group in combinations(amounts, size)]
    results += [abs(a - b) for a, b in combinations(amounts, 2)]
    results += [count * amount for amount in amounts for count in range(2, 13)]
    return any(same_number(claimed, claimed._replace(value=r, base=r, decimals=2)) for r in results)


@lru_cache(maxsize=65536)
def content_words(sentence: str) -> frozenset[str]:
    """Words that carry the meaning; numbers are compared as numbers, not as words."""
    words = (word for word in tokens(plain(sentence)) if not word.replace(".", "").isdigit())
    return frozenset(words) - _STOP


@lru_cache(maxsize=512)
def _sentences(text: str) -> tuple[tuple[int, int], ...]:
    return tuple((m.start(), m.end()) for m in _SENTENCE.finditer(text) if m[0].strip())


class Lexical(NamedTuple):
    label: Label
    reason: str
    span: Span | None
    """The sentence of the text that comes closest."""


def support(claim: str, texts: Iterable[str]) -> tuple[Lexical, int]:
    """The best of the union: the verdict, and which text its span lies in."""
    bodies = list(texts)
    asked, figures = content_words(claim), numbers(plain(claim))
    places = [(which, *span) for which, body in enumerate(bodies) for span in _units(body)]
    if not (asked or figures) or not places:
        return Lexical("none", "the claim or the evidence holds no words", None), 0
    beside = laid(claim, [bodies[which][start:end] for which, start, end in places])
    found = graded(beside)
    if found.contradicted:
        which, start, end = places[beside.best]
        return Lexical(found.label, found.reason, Span(start, end)), which
    shown, marked = _deciding(asked, figures, bodies)
    return Lexical(found.label, found.reason, marked), shown


def laid(claim: str, sentences: Sequence[str]) -> Alignment:
    return Alignment(plain(claim), sentences, content_words)


def sentences_of(text: str) -> list[str]:
    return [text[start:end] for start, end in _units(text)]


def _units(text: str) -> tuple[tuple[int, int], ...]:
    """Sentences, a question with what answers it, and what a semicolon divides."""
    found: list[tuple[int, int]] = []
    for start, end in _sentences(text):
        between = text[found[-1][1] : start + 1].strip() if found else ""
        if between[:1] in ("?", ";") and end - found[-1][0] < _NEAR:
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
    return tuple(found)


_FACTS = frozenset(tokens("rating rated star review price cost"))
_NEAR = 400
"""Characters between the sentences that one span may join."""


@lru_cache(maxsize=65536)
def _figures(sentence: str) -> tuple[Number, ...]:
    return tuple(numbers(sentence, words=True))


def _deciding(
    asked: frozenset[str], figures: Sequence[Number], bodies: Sequence[str]
) -> tuple[int, Span | None]:
    """The text, and the place in it where a reader sees why: the figures and words beyond its title, which it shares anyway.

    A figure that is not there is decided where another of its kind stands. Sentences close by that hold what the
    deciding one lacks are marked with it.
    """
    kept = frozenset(
        index
        for index, figure in enumerate(figures)
        if any(same_number(figure, s) for body in bodies for s in _figures(body))
    )
    best, which, at, told = 0.0, 0, 0, list[_Told]()
    for place, body in enumerate(bodies):
        titled = content_words(body.partition("\n")[0])
        here = [_Told(s, e, _held(asked, figures, kept, body[s:e])) for s, e in _sentences(body)]
        scores = [sum(0.1 if part in titled else 1.0 for part in one.held) for one in here]
        if max(scores, default=0.0) > best:
            best, which, told = max(scores), place, here
            at = scores.index(best)
    return which, _joined(told, at) if told else None


class _Told(NamedTuple):
    """A sentence, and what of the claim it speaks of."""

    start: int
    end: int
    held: frozenset[str]


def _joined(told: Sequence[_Told], at: int) -> Span:
    """The deciding sentence with those close by that hold figures which it lacks."""
    start, end, held = told[at]
    for low, high, more in sorted(told, key=lambda one: abs(one.start - told[at].start)):
        if high < start - _NEAR or low > end + _NEAR or max(end, high) - min(start, low) > 2 * _NEAR:
            continue
        if any(part.startswith("#") for part in more - held):
            start, end, held = min(start, low), max(end, high), held | more
    return Span(start, end)


def _held(
    asked: frozenset[str], figures: Sequence[Number], kept: frozenset[int], sentence: str
) -> frozenset[str]:
    """Words and figures of the claim that the sentence speaks of; figures as `#0`, `#1`."""
    held = asked & content_words(sentence)
    stated = _figures(sentence) if figures else ()
    if not stated:
        return held
    facts = _FACTS & frozenset(tokens(sentence))
    found = []
    for index, figure in enumerate(figures):
        if index in kept:
            decides = any(same_number(figure, s) for s in stated)
        else:
            decides = any(s.kind == figure.kind for s in stated) and (figure.kind is not None or bool(facts))
        if decides:
            found.append(f"#{index}")
    return held | frozenset(found)
