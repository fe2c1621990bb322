"""Statistics of faithfulness: how much of a report is cited, and how much of the cited content its sources support.

The unit is (claim, source type): all sources of that type which the claim cites are judged together. Per report FP is the
mean over the paper's two types, web and product, as far as present; over reports it is the mean over queries. Every other type
(the user's own records, an added kind of source) has its own column and is not in the headline. `docs/judging.md` states every definition.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NotRequired, TypedDict, get_args

from drr.env.world import all_kinds, in_table_order, label_of
from drr.eval.stats.intervals import Statistic, mean, pooled_ratio
from drr.eval.stats.question import Asked, grouped

Support = Literal["full", "partial", "none"]
Status = Literal[
    "full", "partial", "none", "unreachable", "blocked", "empty", "not_frozen", "judge_error", "unquoted"
]
STATUSES: tuple[Status, ...] = get_args(Status)
SCORE: Mapping[str, float] = {"full": 1.0, "partial": 0.5, "none": 0.0}
UNREADABLE = frozenset({"unreachable", "blocked", "empty"})
UNREAD = UNREADABLE | {"not_frozen"}
"""Statuses of sources that nobody read, missing ones included; they count in no precision."""
OPEN = frozenset({None, "judge_error", "unquoted"})
"""Statuses that leave open both the content of the sources and whether they were read."""
PAPER_TYPES: tuple[str, ...] = ("web", "product")
ALL_TYPES: tuple[str, ...] = ("web", "product", "user")


def strict_score(status: Status | None) -> float | None:
    """Score a status, counting unreadable sources as no support, because dead links should cost. Failures of the judge stay unknown."""
    if status is None:
        return None
    return 0.0 if status in UNREADABLE else SCORE.get(status)


def reachable_score(status: Status | None) -> float | None:
    """Score a status, with unreadable sources left out."""
    return None if status is None else SCORE.get(status)


Against = Literal["page", "seen"]


class SpanRow(TypedDict):
    url: str
    sha256: str | None
    start: int
    end: int


class SourceRow(TypedDict):
    url: str
    status: str
    sha256: str | None
    passages: list[list[int]]


class VerdictRow(TypedDict):
    """The verdict on one claim against its sources of one type."""

    claim_id: str
    type: str
    against: Against
    status: Status
    reason: str
    by: NotRequired[str]
    """The decider: `judge`, `rule`, or `rule over judge`."""
    judged: NotRequired[str]
    """The judge's verdict, where a rule overruled it or the quotation is not in the evidence."""
    quote_not_found: NotRequired[str]
    sources: list[SourceRow]
    spans: list[SpanRow]


class AddressVerdict(VerdictRow):
    """The verdict on one claim against one of several cited addresses of the same type."""

    without: Status | None
    """Verdict on the claim's other sources of the type together; `None` where the judge was not asked."""


WEAKEST = (
    *("none", "judge_error", "unquoted", "extract_error", "unreachable", "blocked", "empty"),
    *("partial", "full"),
)
"""Statuses that a reader should look at, the weakest first."""


@dataclass(frozen=True, slots=True)
class JudgedClaim:
    """A claim with the verdict on each source type that it cites; `None` is a verdict still missing. Metrics and pages use these rows."""

    id: str
    page: Mapping[str, Status | None] = field(default_factory=dict)
    """Verdicts against the shop's record or the stored page, by type."""
    seen: Mapping[str, Status | None] = field(default_factory=dict)
    """Verdicts against the text that the agent saw (snippet, summary, rendered record), by type."""

    resolved: bool | None = None
    """True if a tool returned a cited address or the shop has it. `None`: any address counts."""

    text: str = ""
    start: int = 0
    end: int = 0
    """The claim's quotation is `report[start:end]`."""
    urls: Sequence[str] = ()
    verdicts: Mapping[str, VerdictRow] = field(default_factory=dict)
    """The verdicts as the ledger has them, by the name of each."""

    @property
    def cited(self) -> bool:
        return bool(self.page) if self.resolved is None else self.resolved

    @property
    def status(self) -> str:
        """Return the weakest verdict that counts, to which a reader should look first. Verdicts on what the agent saw count in no figure but `fp_seen`."""
        counted = [verdict["status"] for verdict in self.verdicts.values() if verdict["against"] == "page"]
        found = counted or [verdict["status"] for verdict in self.verdicts.values()]
        weakest = next((status for status in WEAKEST if status in found), None)
        return weakest or ("unscored" if self.urls else "uncited")

    @property
    def types(self) -> list[str]:
        """List the types of sources that were judged."""
        return sorted({verdict["type"] for verdict in self.verdicts.values()})


@dataclass(frozen=True, slots=True)
class JudgedClaims:
    """All claims of one report; `claims` is `None` where extraction failed."""

    query: Asked
    trial: int
    claims: Sequence[JudgedClaim] | None


Score = Callable[[Status | None], float | None]
VerdictsOf = Callable[[JudgedClaim], Mapping[str, Status | None]]
"""Function that returns the verdicts of a claim that count, by type."""


def _page(claim: JudgedClaim) -> Mapping[str, Status | None]:
    return claim.page


def _seen(claim: JudgedClaim) -> Mapping[str, Status | None]:
    return claim.seen


def report_fp(
    claims: Iterable[JudgedClaim],
    types: Iterable[str] = PAPER_TYPES,
    score: Score = strict_score,
    evidence: VerdictsOf = _page,
) -> float | None:
    """Return the mean over source types of the type's mean over claims. `None` where no cited claim has a score."""
    claims = list(claims)
    by_type = [_scores(claims, (t,), score, evidence) for t in types]
    present = [sum(scored) / len(scored) for scored in by_type if scored]
    return sum(present) / len(present) if present else None


def _scores(
    claims: Iterable[JudgedClaim], types: Iterable[str], score: Score, evidence: VerdictsOf = _page
) -> list[float]:
    wanted = set(types)
    values = (score(status) for claim in claims for t, status in evidence(claim).items() if t in wanted)
    return [value for value in values if value is not None]


def _supported(claim: JudgedClaim) -> float | None:
    """Return 1 if any type supports the claim, else 0. Unknown only where a missing verdict could still support it."""
    scores = [strict_score(status) for status in claim.page.values()]
    if any(value is not None and value >= 0.5 for value in scores):
        return 1.0
    return None if None in scores else 0.0


def types_of(reports: Iterable[Sequence[JudgedClaim] | None]) -> list[str]:
    """Return the three types of a shop and any others that these claims cite."""
    cited = [t for claims in reports for claim in claims or () for t in claim.page]
    return in_table_order([*ALL_TYPES, *cited])


def report_values(
    claims: Sequence[JudgedClaim] | None, others: Iterable[str] = ()
) -> dict[str, float | None]:
    """Compute every metric of one report; `None` where extraction failed or the denominator is zero.

    Each kind of source has its own figures, and so has each type that this report cites or `others` name.
    """
    types = in_table_order([*all_kinds(), *types_of([claims]), *others])
    if claims is None:
        return dict.fromkeys(methods(types))
    supported = [value for claim in claims if (value := _supported(claim)) is not None]
    cited = {t: sum(t in claim.page for claim in claims) for t in types}
    return {
        "fp": report_fp(claims),
        **{f"fp_{t}": report_fp(claims, (t,)) for t in types},
        "fp_3types": report_fp(claims, ALL_TYPES),
        "fp_strict": report_fp(claims),
        "fp_reachable": report_fp(claims, score=reachable_score),
        "fp_seen": report_fp(claims, evidence=_seen),
        "fr": sum(claim.cited for claim in claims) / len(claims) if claims else None,
        "fr_supported": sum(supported) / len(supported) if supported else None,
        "n_claims": float(len(claims)),
        "n_cited": float(sum(cited[t] for t in PAPER_TYPES)),
        **{f"n_cited_{t}": float(cited[t]) for t in types},
    }


_CITED = {"web": "the web", "product": "a product", "user": "the user's records"}
_CLAIMS = {"web": "web claims", "product": "product claims", "user": "claims about the user's records"}


def methods(types: Iterable[str]) -> dict[str, str]:
    """Describe how each metric is computed, with a precision and a count for each source type."""
    types = tuple(types)
    return {
        "fp": "mean over the source types present (web, product), then over queries; unreadable sources count 0",
        **{f"fp_{t}": f"mean over {_claims_on(t)}, then over queries with any" for t in types},
        "fp_3types": "as fp, over web, product and user",
        "fp_strict": "as fp: unreadable sources count 0",
        "fp_reachable": "as fp, unreadable sources left out",
        "fp_seen": "as fp, against the text the agent saw",
        "fr": "claims with a resolved source / all claims, mean over queries",
        "fr_supported": "claims supported at least in part / all claims, mean over queries",
        "n_claims": "claims per report, mean over queries",
        "n_cited": "(claim, type) pairs, web and product, per report, mean over queries",
        **{
            f"n_cited_{t}": f"claims that cite {_CITED.get(t, label_of(t))} per report, mean over queries"
            for t in types
        },
    }


def _claims_on(source_type: str) -> str:
    return _CLAIMS.get(source_type, f"claims on {label_of(source_type)}")


def corpus_values(reports: Sequence[JudgedClaims]) -> dict[str, Statistic]:
    """Compute every metric over the reports of one variant."""
    types = types_of(report.claims for report in reports)
    per_report = [(report, report_values(report.claims, types)) for report in reports]
    found: dict[str, Statistic] = {}
    for name, method in methods(types).items():
        found[name] = mean(grouped((r.query, values[name]) for r, values in per_report), method)
    for source_type in PAPER_TYPES:
        key, count = f"fp_{source_type}", f"n_cited_{source_type}"
        filled = grouped((r.query, 0.0 if values[count] == 0 else values[key]) for r, values in per_report)
        found[f"{key}_zero_filled"] = mean(filled, f"as {key}, a report without such claims counts 0")
    found["fp_micro"] = _micro(reports, "pooled over all (claim, type) units, web and product", strict_score)
    found["unreadable_rate"] = _micro(
        reports, "share of web and product units whose source could not be read", _unreadable
    )
    return found


def _unreadable(status: Status | None) -> float | None:
    return None if status in OPEN else float(status in UNREAD)


def _micro(reports: Sequence[JudgedClaims], method: str, score: Score) -> Statistic:
    scored = [(one.query, _scores(one.claims or (), PAPER_TYPES, score)) for one in reports]
    rows = [(query, sum(scores), float(len(scores))) for query, scores in scored if scores]
    return pooled_ratio(rows, method, n=len(rows), n_unscored=len(reports) - len(rows))
