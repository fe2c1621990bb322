"""Claims that code can decide: a product's price, stars and number of ratings against its record. No judge is asked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from drr.env.text import tokens
from drr.eval.evidence.lexical import Number, content_words, numbers, plain
from drr.eval.evidence.passages import Frozen, Span
from drr.eval.stats.faithfulness import Support

_PRICE = re.compile(r"^Price: \$([\d,]+\.\d\d)$", re.MULTILINE)
_RATING = re.compile(r"^Average rating: ([\d.]+) out of 5 stars$", re.MULTILINE)
_COUNT = re.compile(r"^Number of ratings: ([\d,]+)$", re.MULTILINE)
_TITLE = re.compile(r"^Product: (.*)$", re.MULTILINE)
_SAID_RATING = re.compile(
    r"^\s*-?(?:stars?\b|\u2605|\u2b50|/\s?5\b|out of (?:5|five)\b|of 5\b)", re.IGNORECASE
)
_SAID_COUNT = re.compile(
    r"^\s*\+?\s*(?:(?:customer|verified|user|global|buyer)\s+)*(?:reviews?|ratings?|reviewers?|raters?)\b",
    re.IGNORECASE,
)
_OUT_OF_5 = re.compile(r"(?:/|\bout of|\bof)\s?(?:5|five)\b(?!\s*(?:reviews|ratings))", re.IGNORECASE)
_FRAME = frozenset(
    tokens(
        "price priced cost costs rating rated ratings average review reviews reviewer customer customers star stars currently just only retail sells "
        "listed list sold dollar dollars usd product item this one it here buyer score scores high highly well good excellent"
    )
)


class Decision(NamedTuple):
    status: Support
    reason: str
    spans: tuple[Span, ...]
    """Where the record states each figure."""


def decide(claim: str, sources: Sequence[Frozen]) -> Decision | None:
    """`None` where the claim says more than price, stars and count, or leans on more than one record."""
    if len(sources) != 1 or sources[0].type != "product" or not sources[0].text:
        return None
    text = sources[0].text
    title = _TITLE.search(text)
    if title is None:
        return None
    said = _OUT_OF_5.sub(" stars", plain(claim))
    if content_words(said) - _FRAME - frozenset(tokens(title[1])):
        return None
    kept: list[str] = []
    missed: list[str] = []
    spans: list[Span] = []
    at = 0
    for figure in numbers(said):
        at = said.find(figure.text, at)
        found = _stated(
            figure,
            said[at + len(figure.text.rstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ ")) :],
            text,
        )
        if found is None:
            return None
        (kept if found.holds else missed).append(f"{figure.text} ({found.told})")
        if found.span is not None and found.span not in spans:
            spans.append(found.span)
        at += 1
    if not kept and not missed:
        return None
    status: Support = "full" if not missed else "none" if not kept else "partial"
    reason = "the record says so" if not missed else f"the record says otherwise: {', '.join(missed)}"
    return Decision(status, reason, tuple(spans))


class _Stated(NamedTuple):
    holds: bool
    told: str
    span: Span | None


def _stated(figure: Number, after: str, text: str) -> _Stated | None:
    """How the record stands to one figure of the claim; `None` where it is none of the three."""
    if figure.kind == "money":
        tolerance = 0.0049 if figure.decimals else 0.5
        return _compared(figure, _PRICE.search(text), tolerance, "price")
    if figure.kind is not None:
        return None
    if _SAID_COUNT.match(after):
        return _compared(figure, _COUNT.search(text), 0.0, "number of ratings")
    if _SAID_RATING.match(after) or (figure.decimals and figure.value <= 5):
        return _compared(figure, _RATING.search(text), 0.0501, "stars")
    return None


def _compared(figure: Number, match: re.Match[str] | None, tolerance: float, what: str) -> _Stated:
    if match is None:
        return _Stated(False, f"{what} unknown", None)
    value = float(match[1].replace(",", ""))
    allowed = max(tolerance, 0.05 * value) if figure.hedged else tolerance
    return _Stated(
        abs(figure.value - value) <= allowed + 1e-9, f"{what} {match[1]}", Span(match.start(), match.end())
    )
