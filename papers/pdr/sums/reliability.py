"""Reliability, from the verdicts on citations: factual accuracy and citation coverage."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from drr.eval.stats.citations import IN_PART, WHOLLY, CitationVerdict, Found, found
from drr.eval.stats.faithfulness import Status


class ReliabilityClaim(NamedTuple):
    cited: bool
    verdict: Found | None
    """`None`: no answer of the judge, or none yet."""


class Reliability(NamedTuple):
    """PDR-Bench's R and its two halves, 0-10."""

    fa: float | None
    cc: float | None
    r: float | None


def reliability(claims: Sequence[ReliabilityClaim], *, printed: bool = False) -> Reliability:
    """FA over cited claims: a source that could not be read supports nothing. As printed neither does a verdict that is missing,
    and FA of a report without citations is 0."""
    cited = [claim for claim in claims if claim.cited]
    known = [claim.verdict for claim in cited if claim.verdict is not None or printed]
    fa = 10 * sum(verdict == "supported" for verdict in known) / len(known) if known else None
    if fa is None and printed:
        fa = 0.0
    cc = 10 * len(cited) / len(claims) if claims else None
    return Reliability(fa, cc, None if fa is None or cc is None else (fa + cc) / 2)


def report_values(
    claims: Mapping[str, bool], citations: Sequence[CitationVerdict]
) -> dict[str, float | None]:
    """Every figure of one report. `claims` says of each whether it cites an address."""
    by_claim: dict[str, list[Status | None]] = {}
    for one in citations:
        by_claim.setdefault(one.claim, []).append(one.status)
    strictly = reliability(_claims(claims, by_claim, WHOLLY))
    leniently = reliability(_claims(claims, by_claim, IN_PART))
    printed = reliability(_claims(claims, by_claim, IN_PART), printed=True)
    return {
        "pqr_fa": strictly.fa,
        "pqr_fa_lenient": leniently.fa,
        "pqr_cc": strictly.cc,
        "pqr_r": strictly.r,
        "pqr_r_printed": printed.r,
    }


def _claims(
    claims: Mapping[str, bool], by_claim: Mapping[str, Sequence[Status | None]], supporting: Collection[str]
) -> list[ReliabilityClaim]:
    return [
        ReliabilityClaim(cited, _best([found(s, supporting) for s in by_claim.get(claim, ())]))
        for claim, cited in claims.items()
    ]


def _best(verdicts: Sequence[Found | None]) -> Found | None:
    """A claim has support where one of its addresses alone supports it; a missing verdict could still."""
    if "supported" in verdicts:
        return "supported"
    if None in verdicts or not verdicts:
        return None
    return "unsupported" if "unsupported" in verdicts else "unknown"
