"""Factual accuracy, from the verdicts on citations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from drr.eval.stats.citations import IN_PART, WHOLLY, CitationVerdict, Found, found, share
from drr.eval.stats.faithfulness import Status


def pair_accuracy(verdicts: Iterable[Found | None]) -> float | None:
    """DR3-Eval's FA by its text, 0-100: supported pairs of claim and source; what could not be read is not supported."""
    value = share(None if verdict is None else verdict == "supported" for verdict in verdicts)
    return None if value is None else 100 * value


def claim_accuracy(by_claim: Iterable[Sequence[Found | None]]) -> float | None:
    """DR3-Eval's FA by its code, 0-100: claims all of whose sources support them."""
    return pair_accuracy(_every(verdicts) for verdicts in by_claim)


def _every(verdicts: Sequence[Found | None]) -> Found | None:
    """One that does not support decides, whatever the missing ones would say."""
    if any(verdict in ("unsupported", "unknown") for verdict in verdicts):
        return "unsupported"
    return None if None in verdicts else "supported"


def report_values(
    claims: Mapping[str, bool], citations: Sequence[CitationVerdict]
) -> dict[str, float | None]:
    """Every figure of one report."""
    by_claim: dict[str, list[Status | None]] = {}
    for one in citations:
        by_claim.setdefault(one.claim, []).append(one.status)
    return {
        "dr3_fa": pair_accuracy(found(one.status, WHOLLY) for one in citations),
        "dr3_fa_lenient": pair_accuracy(found(one.status, IN_PART) for one in citations),
        "dr3_fa_claims": claim_accuracy([found(s, IN_PART) for s in own] for own in by_claim.values()),
    }
