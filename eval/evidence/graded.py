"""The label that words give a claim beside its evidence: by rule what speaks against it first, then figures worked out, then how much is said;
and what came of it among what else can be counted of the two, weighed as labels of such pairs weigh it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from drr.eval.evidence.aligned import Alignment
from drr.eval.evidence.amounting import Amounting
from drr.eval.evidence.doubting import doubts, is_said_in_part, parts_missing
from drr.eval.evidence.laid_pair import LaidPair
from drr.eval.evidence.meant import Meaning
from drr.eval.evidence.traits import PairTraits
from drr.eval.evidence.weighed import LABELS, Label, weigh

FULL, SOME, NEARLY_ALL = 0.6, 0.08, 0.8
"""Shares of a claim's weight that its evidence says."""
_SCANT = 0.4
"""Below this share a claim of which a figure is missing is not full."""
_TELLING = 0.3
"""Below this share words do not tell whether it is said otherwise or not at all."""


class WordVerdict(NamedTuple):
    label: Label
    reason: str
    contradicted: bool = False
    absent: bool = False
    """Hardly a word of the claim is there."""
    scant: bool = False
    """A figure is not there, and little of the rest (a figure that may be worked out makes no claim full by itself); or hardly anything is there in any words."""
    lacking: bool = False
    """Hardly anything is said of a part of it, or of several, that make up a good deal of it."""
    exchanged: bool = False
    """The claim is a copy of a sentence with something else in one place."""
    there: bool = False
    """Nearly all of it stands there, every figure too, and nothing speaks against it."""
    outvalued: bool = False
    """Another figure stands for one of the claim's. What else speaks against a claim, another name or an opposite, is a sign for the weights: in texts as they come it is mostly misread."""


_BARE = 0.25
"""Below this share, words that mean the same counted in, a claim is not full."""
_LACKING = 0.2
"""Of what a claim says: where parts of it that bear as much are not said in any words, it is not full."""
LISTED = 0.5
"""Share of fields among what speaks of a claim, up to which its traits are weighed."""


class CountedPair(NamedTuple):
    """What the rules say, and every trait: those of the two texts, and what the rules say as one more."""

    ruled: WordVerdict
    traits: Mapping[str, float]
    listed: float

    @property
    def is_weighed(self) -> bool:
        """Not of a record or a table: it says no more than its fields, and the rules read those."""
        return self.listed <= LISTED


def graded(beside: Alignment) -> WordVerdict:
    found = counted(beside)
    if not found.is_weighed:
        return found.ruled
    weighed = weigh(found.traits)
    likely = ", ".join(f"{label} {weighed.likely[label]:.0%}" for label in reversed(LABELS))
    unsure = "unsure: " if weighed.unsure else ""
    return found.ruled._replace(
        label=settled(found.ruled, weighed.label), reason=f"{found.ruled.reason}; {unsure}{likely}"
    )


def settled(ruled: WordVerdict, label: Label) -> Label:
    """What the rules are certain of stands above the weights: what has another figure, lacks a part, or is hardly there with a figure missing, is not full, and what is not there, or a copy with something exchanged, is not said; of what stands there nearly whole, `none` would accuse."""
    if ruled.absent or ruled.exchanged:
        return "none"
    if ruled.there and label == "none":
        return "partial"
    short = ruled.outvalued or ruled.scant or ruled.lacking
    return "partial" if short and label == "full" else label


def counted(beside: Alignment) -> CountedPair:
    pair = LaidPair(beside)
    ruled = _ruled(pair)
    traits = PairTraits(pair)
    by_rule = {"ruled_some": float(ruled.label != "none"), "ruled_full": float(ruled.label == "full")}
    every = {**traits.counted(), **by_rule, "contradicted": float(ruled.contradicted)}
    return CountedPair(_marked(ruled, pair, traits.meaning), every, traits.listed)


def _marked(ruled: WordVerdict, pair: LaidPair, meaning: Meaning) -> WordVerdict:
    """What is certain beside what the rules say, and no trait of the weights."""
    if pair.exchanged is not None:
        return WordVerdict("none", pair.exchanged, contradicted=True, exchanged=True)
    scant = ruled.scant or meaning.said < _BARE
    return ruled._replace(scant=scant, lacking=meaning.lost >= _LACKING)


def _ruled(pair: LaidPair) -> WordVerdict:
    against = _against(pair)
    if against is None:
        return _covered(pair)
    reason, at = against
    label: Label = "partial" if at is not None and is_said_in_part(pair.beside, at) else "none"
    return WordVerdict(label, reason, contradicted=True, outvalued=pair.other_value is not None)


def _against(pair: LaidPair) -> tuple[str, int | None] | None:
    """The first thing that speaks against the claim, and where in the claim; `None` where against all of it."""
    if pair.other_value is not None:
        return pair.other_value.reason, pair.other_value.amount.start
    if pair.foreign is not None:
        return pair.foreign, None
    return None if pair.opposite is None else (pair.opposite[0], pair.beside.place(pair.opposite[1]))


def _covered(pair: LaidPair) -> WordVerdict:
    beside, reckoning = pair.beside, pair.reckoning
    share = _said(beside, pair.amounts)
    scant = bool(pair.amounts.missing) and share < _SCANT
    reasons = [f"{share:.0%} of what the claim says is in the evidence"]
    if share < SOME:
        return WordVerdict("none", reasons[0], absent=True)
    if reckoning.worked_out and not reckoning.absent:
        texts = [one.text for one in reckoning.worked_out]
        missing = [f"not in the evidence: {part}" for part in parts_missing(beside, texts)]
        reasons += [f"follows from figures of the evidence: {', '.join(texts[:4])}", *missing]
        return WordVerdict(
            "partial" if missing else "full", "; ".join(reasons), scant=scant and bool(missing)
        )
    reasons += doubts(beside)
    if reckoning.absent:
        reasons.append(f"not in the evidence: {', '.join(one.text for one in reckoning.absent[:4])}")
    if pair.unnamed:
        reasons.append(f"not named in the evidence: {', '.join(pair.unnamed[:4])}")
    if share < _TELLING:
        reasons.append("too few of its words to tell")
    label: Label = "full" if share >= FULL and len(reasons) == 1 else "partial"
    there = label == "full" and share >= NEARLY_ALL
    return WordVerdict(label, "; ".join(reasons), scant=scant, there=there)


def _said(beside: Alignment, amounts: Amounting) -> float:
    """Of what the claim says, words by their weight; a figure weighs as much as a word in the mean."""
    words, figures = len(beside.asked), len(amounts.own)
    if not words + figures:
        return 0.0
    return (beside.covered * words + figures - len(amounts.missing)) / (words + figures)
