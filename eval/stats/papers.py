"""What other papers sum from the same verdicts: PDR-Bench's R, DeepResearch Bench's FACT, DR3-Eval's FA, ReportEval's support.

Each has its own rule for what is unknown; `docs/judging.md` lists them beside each other. A failure of the judge is never a verdict.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from math import fsum
from typing import Literal, NamedTuple

from drr.eval.stats.citations import CitationVerdict, share
from drr.eval.stats.faithfulness import SCORE, UNREADABLE, Status

Found = Literal["supported", "unsupported", "unknown"]
"""`unknown`: the source could not be read."""
WHOLLY: Collection[str] = frozenset({"full"})
IN_PART: Collection[str] = frozenset({"full", "partial"})


class ReliabilityClaim(NamedTuple):
    cited: bool
    verdict: Found | None
    """`None`: no answer of the judge, or none yet."""


class Reliability(NamedTuple):
    """PDR-Bench's R and its two halves, 0-10."""

    fa: float | None
    cc: float | None
    r: float | None


def found(status: Status | None, supporting: Collection[str]) -> Found | None:
    """What one address says, where these verdicts count as support."""
    if status in UNREADABLE:
        return "unknown"
    if status is None or status not in SCORE:
        return None
    return "supported" if status in supporting else "unsupported"


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


class FactCounts(NamedTuple):
    """FACT of one report: its citations by verdict; sources in error are left out. All `None` where no source could be read."""

    supported: float | None
    judged: float | None

    @property
    def rate(self) -> float | None:
        return self.supported / self.judged if self.supported is not None and self.judged else None


def fact(verdicts: Iterable[Found | None]) -> FactCounts:
    known = [verdict for verdict in verdicts if verdict in ("supported", "unsupported")]
    return FactCounts(float(known.count("supported")), float(len(known))) if known else FactCounts(None, None)


class FoundCounts(NamedTuple):
    """Citations of one task whose source could be read, by verdict."""

    supported: int
    unsupported: int
    unknown: int


def found_counts(verdicts: Iterable[Found | None]) -> FoundCounts:
    known = Counter(verdicts)
    return FoundCounts(known["supported"], known["unsupported"], known["unknown"])


class FactFigures(NamedTuple):
    """FACT of a system."""

    citations_per_task: float | None
    valid_per_task: float | None
    rate: float | None


def fact_figures(tasks: Collection[FoundCounts], *, printed: bool = False) -> FactFigures:
    """Of the tasks with a source that could be read. As printed the rate of tasks without a single verdict is 0."""
    if not tasks:
        return FactFigures(None, None, None)
    supported = sum(one.supported for one in tasks)
    judged = supported + sum(one.unsupported for one in tasks)
    rate = supported / judged if judged else 0.0 if printed else None
    return FactFigures(judged / len(tasks), supported / len(tasks), rate)


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


class SupportScore(NamedTuple):
    """ReportEval's two figures: -1..1, and the share of full support."""

    average: float | None
    strong: float | None


def support_score(statuses: Iterable[Status | None]) -> SupportScore:
    """Of what could be read."""
    return support_of(2 * SCORE[s] - 1 if s is not None and s in SCORE else None for s in statuses)


def support_of(scores: Iterable[float | None]) -> SupportScore:
    """Of ReportEval's own scores: 1 supported, 0 in part, -1 not."""
    known = [score for score in scores if score is not None]
    if not known:
        return SupportScore(None, None)
    return SupportScore(fsum(known) / len(known), known.count(1) / len(known))


def report_values(
    claims: Mapping[str, bool] | None, citations: Sequence[CitationVerdict] | None
) -> dict[str, float | None]:
    """Every figure of one report. `claims` says of each whether it cites an address; `None` where they could not be extracted."""
    if claims is None or citations is None:
        return dict.fromkeys(METHODS)
    waits = any(one.status is None for one in citations)
    by_claim: dict[str, list[Status | None]] = {}
    for one in citations:
        by_claim.setdefault(one.claim, []).append(one.status)
    strictly = reliability(_claims(claims, by_claim, WHOLLY))
    leniently = reliability(_claims(claims, by_claim, IN_PART))
    printed = reliability(_claims(claims, by_claim, IN_PART), printed=True)
    counts = fact(found(one.status, IN_PART) for one in citations)
    scored = support_score(one.status for one in citations)
    values = {
        "pqr_fa": strictly.fa,
        "pqr_fa_lenient": leniently.fa,
        "pqr_cc": strictly.cc,
        "pqr_r": strictly.r,
        "pqr_r_printed": printed.r,
        "fact_accuracy": counts.rate,
        "fact_effective": counts.supported,
        "dr3_fa": pair_accuracy(found(one.status, WHOLLY) for one in citations),
        "dr3_fa_lenient": pair_accuracy(found(one.status, IN_PART) for one in citations),
        "dr3_fa_claims": claim_accuracy([found(s, IN_PART) for s in own] for own in by_claim.values()),
        "re_support": scored.average,
        "re_strong": scored.strong,
    }
    return values | dict.fromkeys(values.keys() - {"pqr_cc"}) if waits else values


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


METHODS: Mapping[str, str] = {
    "pqr_fa": "10 x claims that an address wholly supports / cited claims, unreadable 0, mean over queries",
    "pqr_fa_lenient": "as pqr_fa, support in part counts",
    "pqr_cc": "10 x cited claims / claims, mean over queries",
    "pqr_r": "(pqr_fa + pqr_cc) / 2, mean over queries",
    "pqr_r_printed": "as printed: support in part counts, missing verdicts and reports without citations 0, mean over queries",
    "fact_accuracy": "supported citations / supported and unsupported ones, mean over queries with any",
    "fact_effective": "supported citations per report with a source that could be read, mean over queries",
    "dr3_fa": "100 x wholly supported (claim, address) pairs / pairs, unreadable 0, mean over queries",
    "dr3_fa_lenient": "as dr3_fa, support in part counts",
    "dr3_fa_claims": "100 x claims that all of their addresses support at least in part / cited claims, unreadable 0, mean over queries",
    "re_support": "2 x mean support of (claim, address) pairs - 1, unreadable left out, mean over queries",
    "re_strong": "wholly supported pairs / pairs, unreadable left out, mean over queries",
}
