"""The judge of a claim by the words and figures that it shares with two neighbouring sentences of its evidence. Support by `rules-2`.

The whole rule. Of a claim count its content words, each once and without its ending, and its figures. Words of a text's heading (its first
line, where that ends no sentence) count only where nothing else is left: all that is said of a product shares its name. Each text gives the
one or two neighbouring sentences that hold most; a sentence of fewer than 60 characters, or a field of a record, is read as one with what
follows. What the texts give is taken together. From 60 % on a claim is `full`, below 30 % `none`, between `partial`. A figure is there where
these sentences state it, up to thousands separators, units and the rounding that the claim shows; a claim of which one is not there is never
`full`, and one of which one is there is never `none`: a part of it is supported. Nothing is fitted; the round numbers were chosen once, with
WiCE dev, AttributionBench dev and claims about a shop's records in sight.

It knows no meaning: what denies, swaps or turns round the words of its evidence is called `full`, what says the same in other words `none`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from drr.env.records.lines import Span
from drr.eval.evidence.words import families, plain
from drr.wording.figures import Number, numbers
from drr.wording.tolerance import same_number

Label = Literal["none", "partial", "full"]
FULL, SOME = 0.6, 0.3
"""Shares of a claim from which it is `full`, and below which it is `none` unless a figure of it is stated."""
_BORDER = re.compile(r"(?<=[.!?;])\s+|\n")
_CUT = "[...]"
"""Stands between passages that are no neighbours."""
_SHORT = 60
"""Characters below which a sentence or line is read with what follows: fields of a record, items of a list."""
_HEADING = 200
"""Characters of a first line that may be a heading."""
_MOST_FIGURES = 24
"""Of a claim: more than these hold no sentence, and work stays linear."""


class WindowVerdict(NamedTuple):
    label: Label
    reason: str
    share: float = 0.0
    """Of the claim, words and figures."""
    text: int = 0
    """Tell which of the texts the span lies in."""
    span: Span | None = None
    """Return the sentences that share most with the claim."""


class _Window(NamedTuple):
    span: Span
    held: frozenset[str | int]
    """Words and numbers of figures of the claim."""


class _Asked(NamedTuple):
    """The parts of a claim that are looked for."""

    words: frozenset[str]
    figures: Sequence[Number]

    def held(self, sentence: str) -> frozenset[str | int]:
        stated = numbers(sentence, words=True) if self.figures else ()
        found = (i for i, one in enumerate(self.figures) if any(same_number(one, s) for s in stated))
        return frozenset((*(self.words & families(sentence)), *found))


def support(claim: str, texts: Iterable[str]) -> WindowVerdict:
    """Label a claim beside its texts, with the place that shows most of it."""
    bodies = list(texts)
    asked = _asked(claim, bodies)
    whole = len(asked.words) + len(asked.figures)
    best = [(window, which) for which, body in enumerate(bodies) if (window := _best(asked, body))]
    if not whole or not best:
        return WindowVerdict("none", "the claim shares no word with the evidence")
    found_terms = frozenset().union(*(window.held for window, _ in best))
    shown, which = max(best, key=lambda one: len(one[0].held))
    absent = [one.text for i, one in enumerate(asked.figures) if i not in found_terms]
    share = len(found_terms) / whole
    nothing = share < SOME and len(absent) == len(asked.figures)
    label: Label = "none" if nothing else "full" if share >= FULL and not absent else "partial"
    return WindowVerdict(label, _explanation(asked, found_terms, absent), share, which, shown.span)


def _asked(claim: str, bodies: Sequence[str]) -> _Asked:
    figures = numbers(plain(claim))[:_MOST_FIGURES]
    words = families(claim)
    headings = frozenset[str]().union(*(families(body[: _heading(body)]) for body in bodies))
    return _Asked(words - headings if figures or words - headings else words, figures)


def _heading(text: str) -> int:
    """Return where it ends; 0 without one."""
    first, _, rest = text.partition("\n")
    is_heading = bool(rest) and len(first) <= _HEADING and not first.rstrip().endswith((".", "!", "?"))
    return len(first) if is_heading else 0


def _best(asked: _Asked, text: str) -> _Window | None:
    """Return the first of those that hold most; a single sentence where the next adds nothing."""
    best: _Window | None = None
    last: _Window | None = None
    for span in _sentences(text):
        here = _Window(span, asked.held(text[span.start : span.end]))
        both = here if last is None else _Window(Span(last.span.start, span.end), last.held | here.held)
        for one in (here, both):
            if one.held and (best is None or len(one.held) > len(best.held)):
                best = one
        last = here
    return best


def _sentences(text: str) -> Iterator[Span]:
    """Short ones with what follows; a heading and the mark of a cut stand alone."""
    heading, begun, start = _heading(text), 0, 0
    for end, following in (*(m.span() for m in _BORDER.finditer(text)), (len(text), len(text))):
        here = text[start:end].strip()
        if here == _CUT and begun < start:
            yield Span(begun, start)
            begun = start
        if not here and begun == start:
            begun = following
        elif end - begun >= _SHORT or here == _CUT or end in (heading, len(text)):
            yield Span(begun, end)
            begun = following
        start = following


def _explanation(asked: _Asked, held: frozenset[str | int], absent: Sequence[str]) -> str:
    words = len(asked.words & held)
    share = f"{words} of the claim's {len(asked.words)} words"
    if asked.figures:
        share += f" and {len(held) - words} of its {len(asked.figures)} figures"
    share += " stand in neighbouring sentences of the evidence"
    return f"{share}; not stated there: {', '.join(absent[:4])}" if absent else share
