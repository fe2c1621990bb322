"""What keeps a claim that is mostly there from being said in full: less certainty, no such reason, not of all, a part that is not there."""

from __future__ import annotations

import re
from collections.abc import Collection

from drr.eval.evidence.aligned import Alignment
from drr.wording.assertions import ASSERTIONS

_APART = 0.2
FIELD = re.compile(r"[A-Z][\w ]{0,30}:\s")
"""A line of a record is of what the record is of."""


def doubts(beside: Alignment) -> list[str]:
    """Why what is covered is not yet all that the claim says."""
    found = []
    caused = ASSERTIONS.causes.search(beside.claim) is not None
    if caused and not any(map(ASSERTIONS.causes.search, beside.read)):
        found.append("the evidence gives no such reason")
    if is_less_sure(beside, caused=caused):
        found.append("the evidence says it with less certainty")
    if ASSERTIONS.absolutes.search(beside.claim) and not any(map(ASSERTIONS.absolutes.search, beside.read)):
        found.append("the evidence does not say it of all")
    if _is_scattered(beside):
        found.append("no sentence of the evidence says it together")
    return found + [f"not in the evidence: {part}" for part in parts_missing(beside)]


def is_less_sure(beside: Alignment, *, caused: bool) -> bool:
    """Of the closest sentence all that it says not to be certain; of the others, and of how many it speaks, the clause that says most."""
    if ASSERTIONS.hedges.search(beside.claim):
        return False
    clauses = [beside.clause(i) for i in beside.window]
    clauses += [text.partition("?")[2] for text in beside.read if "?" in text]
    best = beside.sentences[beside.best]
    if FIELD.match(
        best
    ):  # of a record each clause is a field of its own: a price that is unknown makes no day uncertain
        best = beside.clause(beside.best)
    if any(map(ASSERTIONS.hedges.search, beside.read if caused else [best, *clauses])):
        return True
    return not ASSERTIONS.fewer.search(beside.claim) and any(map(ASSERTIONS.fewer.search, clauses))


def _is_scattered(beside: Alignment) -> bool:
    far = [
        beside.said[i]
        for i in beside.window
        if abs(i - beside.best) > 1 and not FIELD.match(beside.sentences[i])
    ]
    return any(beside.share((said & beside.told) - beside.said[beside.best]) >= _APART for said in far)


def parts_missing(beside: Alignment, known: Collection[str] = ()) -> list[str]:
    """Parts of the claim, as commas and conjunctions divide it, of which the evidence says hardly anything, but those with a known text."""
    found = []
    for part in beside.parts:
        if part.is_frame or any(text in part.text for text in known):
            continue
        words = beside.words(part.text) & beside.asked
        if beside.share(words) >= 0.1 and beside.share(words & beside.held) < 0.34 * beside.share(words):
            found.append(" ".join(part.text.split()[:8]))
    return found


def is_said_in_part(beside: Alignment, at: int) -> bool:
    """Whether a part of the claim, apart from the one that is contradicted at this place, is said."""
    parts = [part for part in beside.parts if not (part.is_frame or part.start <= at < part.end)]
    others = [beside.words(part.text) & beside.asked for part in parts]
    return any(
        beside.share(part) >= 0.25 and beside.share(part & beside.held) >= 0.6 * beside.share(part)
        for part in others
    )
