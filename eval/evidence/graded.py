"""The label that words give a claim beside its evidence: what speaks against it first, then figures worked out, then how much is said."""

from __future__ import annotations

from typing import Literal, NamedTuple

from drr.eval.evidence.aligned import Alignment
from drr.eval.evidence.amounting import Amounting
from drr.eval.evidence.contesting import Contesting
from drr.eval.evidence.doubting import doubts, is_said_in_part, parts_missing
from drr.eval.evidence.naming import Naming
from drr.eval.evidence.opposing import Opposing
from drr.eval.evidence.reckoning import Reckoning

Label = Literal["full", "partial", "none"]
FULL, SOME = 0.6, 0.08
"""Shares of a claim's weight that its evidence says."""
_TELLING = 0.3
"""Below this share words do not tell whether it is said otherwise or not at all."""


class WordVerdict(NamedTuple):
    label: Label
    reason: str
    contradicted: bool = False


def graded(beside: Alignment) -> WordVerdict:
    amounts, naming = Amounting(beside), Naming(beside)
    reckoning = Reckoning(amounts)
    against = _against(beside, amounts, reckoning, naming)
    if against is not None:
        reason, at = against
        label: Label = "partial" if at is not None and is_said_in_part(beside, at) else "none"
        return WordVerdict(label, reason, contradicted=True)
    return _covered(beside, amounts, reckoning, naming)


def _against(
    beside: Alignment, amounts: Amounting, reckoning: Reckoning, naming: Naming
) -> tuple[str, int | None] | None:
    """The first thing that speaks against the claim, and where in the claim; `None` where against all of it."""
    other = Contesting(amounts, reckoning).other_value()
    if other is not None:
        return other.reason, other.amount.start
    foreign = naming.other()
    if foreign is not None:
        return foreign, None
    opposite = None if reckoning.is_rest() else Opposing(beside).reason()
    return None if opposite is None else (opposite[0], beside.place(opposite[1]))


def _covered(beside: Alignment, amounts: Amounting, reckoning: Reckoning, naming: Naming) -> WordVerdict:
    share = _said(beside, amounts)
    reasons = [f"{share:.0%} of what the claim says is in the evidence"]
    if share < SOME:
        return WordVerdict("none", reasons[0])
    if reckoning.worked_out and not reckoning.absent:
        texts = [one.text for one in reckoning.worked_out]
        missing = [f"not in the evidence: {part}" for part in parts_missing(beside, texts)]
        reasons += [f"follows from figures of the evidence: {', '.join(texts[:4])}", *missing]
        return WordVerdict("partial" if missing else "full", "; ".join(reasons))
    reasons += doubts(beside)
    if reckoning.absent:
        reasons.append(f"not in the evidence: {', '.join(one.text for one in reckoning.absent[:4])}")
    if unnamed := naming.unnamed():
        reasons.append(f"not named in the evidence: {', '.join(unnamed[:4])}")
    if share < _TELLING:
        reasons.append("too few of its words to tell")
    return WordVerdict("full" if share >= FULL and len(reasons) == 1 else "partial", "; ".join(reasons))


def _said(beside: Alignment, amounts: Amounting) -> float:
    """Of what the claim says, words by their weight; a figure weighs as much as a word in the mean."""
    words, figures = len(beside.asked), len(amounts.own)
    if not words + figures:
        return 0.0
    return (beside.covered * words + figures - len(amounts.missing)) / (words + figures)
