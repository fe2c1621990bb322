"""Statistics of faithfulness: how much of a report is cited, and how much of the cited content its sources support.

The unit is (claim, source type). A claim that cites several types is judged once more, by all its sources together, where no type
alone supports all of it (`claim_scores`). Per report FP is the mean over the paper's two types, web and product, as far as present;
over reports it is the mean over queries. Every other type (the user's own records, an added kind of source) has its own column and
is not in the headline. `docs/judging-reference.md` states every definition.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NotRequired, TypedDict, get_args

from drr.env.world import all_kinds, in_table_order, label_of
from drr.eval.stats.intervals import Statistic, mean, pooled_ratio
from drr.eval.stats.question import Asked, grouped

JOINT = "joint"
"""Type of a verdict on sources of several types together."""
Support = Literal["full", "partial", "none"]
Status = Literal[
    "full", "partial", "none", "unreachable", "blocked", "empty", "not_frozen", "judge_error", "unquoted"
]
STATUSES: tuple[Status, ...] = get_args(Status)
SCORE: Mapping[str, float] = {"full": 1.0, "partial": 0.5, "none": 0.0}
_WORD: Mapping[float, Status] = {1.0: "full", 0.5: "partial", 0.0: "none"}
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
    absent: NotRequired[bool]
    """True if the claim says that something is not stated, and nothing states it: there is nothing to quote."""
    sources: list[SourceRow]
    spans: list[SpanRow]


class AddressVerdict(VerdictRow):
    """The verdict on one claim against one of several cited addresses of the same type."""

    without: NotRequired[Status | None]
    """Verdict on the claim's other sources of the type together, as judgings of before have it."""


@dataclass(frozen=True, slots=True)
class Joint:
    """The judgement of a claim by all its sources, of several types, together."""

    keeps: Collection[str] = ()
    """Types that keep their own score: code decided or capped it, or the record holds another figure."""
    page: Status | None = None
    """Verdict against the whole texts; `None` where none was needed, or none is there yet."""
    seen: Status | None = None
    """Verdict against the texts that the agent saw."""


WEAKEST = (
    *("none", "judge_error", "unquoted", "extract_error", "unreachable", "blocked", "empty"),
    *("partial", "full"),
)
"""Statuses that a reader should look at, the weakest first."""
INVENTED = "invented"
"""Name on pages for a claim whose addresses no tool returned and the shop does not have."""


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
    joint: Joint | None = None
    """The judgement by all types together; `None` where there is one type, or nobody has judged it yet."""

    @property
    def whole(self) -> Status | None:
        """Return the verdict on all sources of the claim together; `None` where it is unknown."""
        if len(self.page) == 1:
            return next(iter(self.page.values()))
        value = _best_score(self)
        return None if value is None else _WORD[value]

    @property
    def has_seen(self) -> bool:
        """Tell whether the agent saw another text than the page's."""
        return any(verdict["against"] == "seen" for verdict in self.verdicts.values())

    @property
    def rests_on_absence(self) -> bool:
        """Tell whether the claim's best verdict comes only from what its sources do not state."""
        own = [one for one in self.verdicts.values() if one["against"] == "page" and one["status"] in SCORE]
        best = max((SCORE[one["status"]] for one in own), default=0.0)
        return best > 0 and all(one.get("absent") for one in own if SCORE[one["status"]] == best)

    @property
    def cited(self) -> bool:
        return bool(self.page) if self.resolved is None else self.resolved

    @property
    def status(self) -> str:
        """Return the weakest verdict that counts, to which a reader should look first. Verdicts on what the agent saw count in no figure but `fp_seen`."""
        own = [one for one in self.verdicts.values() if one["type"] != JOINT]
        counted = [one["status"] for one in own if one["against"] == "page"]
        if self.joint:
            counts = on_pages(self)
            counted = ["full" if counts[t] == 1 else s for t, s in self.page.items() if s and t in counts]
        found = counted or [verdict["status"] for verdict in own]
        weakest = next((status for status in WEAKEST if status in found), None)
        if self.urls and self.resolved is False and (weakest is None or weakest in UNREADABLE):
            return INVENTED
        return weakest or ("unscored" if self.urls else "uncited")

    @property
    def types(self) -> list[str]:
        """List the types of sources that were judged."""
        return sorted({verdict["type"] for verdict in self.verdicts.values()} - {JOINT})


@dataclass(frozen=True, slots=True)
class JudgedClaims:
    """All claims of one report; `claims` is `None` where extraction failed."""

    query: Asked
    trial: int
    claims: Sequence[JudgedClaim] | None


Score = Callable[[Status | None], float | None]
Scores = Mapping[str, float | None]
"""Scores of a claim, by type; `None` is unknown. A type that leaves the claim out is absent."""
Reading = Callable[[JudgedClaim], Scores]
"""Function that returns what each type counts of a claim."""


def needs_joint(own: Mapping[str, Status | None], keeps: Collection[str]) -> bool:
    """Tell whether a judgement by all types together can change what a type counts. It cannot where a type alone says all."""
    if {"full", None} & set(own.values()):
        return False
    was_read = [t for t, status in own.items() if status not in UNREAD]
    return len(was_read) > 1 and any(own[t] in SCORE for t in was_read if t not in keeps)


def _best_score(claim: JudgedClaim, *, seen: bool = False) -> float | None:
    """Return the larger of the score of all types together and of the best type alone. `None` is unknown."""
    if claim.joint is None:
        return None
    own, keeps = claim.seen if seen else claim.page, claim.joint.keeps
    together = claim.joint.seen if seen else claim.joint.page
    known = (SCORE.get(str(status)) for status in own.values())
    best = max((value for value in known if value is not None), default=None)
    if best == 1 or (None not in own.values() and not needs_joint(own, keeps)):
        return best
    joint = None if together is None else SCORE.get(together)
    return None if joint is None else max(joint, best or 0.0)


def claim_scores(claim: JudgedClaim, score: Score, *, seen: bool = False) -> Scores:
    """Return what each type counts of a claim.

    Types that alone say all count 1, and the others leave the claim out. Else a type that adds something counts what all types say
    together, and one that adds nothing counts 0, unless none adds anything alone. A type that keeps its own score, that nobody could
    read or whose judgement failed has its own.

        web      product   together   what web and product count
        full     none      not asked  1 and nothing
        partial  none      full       1 and 0
        none     none      full       1 and 1
    """
    own = claim.seen if seen else claim.page
    scores = {t: score(status) for t, status in own.items()}
    if len(own) < 2:
        return scores
    if claim.joint is None:
        return dict.fromkeys(own)
    free = {t for t, status in own.items() if status in SCORE and t not in claim.joint.keeps}
    if "full" in own.values():
        return {t: value for t, value in scores.items() if t not in free or value == 1}
    whole = _best_score(claim, seen=seen)
    if any(SCORE.get(str(status)) for status in own.values()):
        shared = {t: whole if own[t] != "none" or whole is None else 0.0 for t in free}
    else:  # a type whose judgement failed may be the one that says it
        shared = dict.fromkeys(free, None if whole and not OPEN.isdisjoint(own.values()) else whole)
    return {**scores, **shared}


def on_pages(claim: JudgedClaim) -> Scores:
    """Score a claim against the records and whole pages, with unreadable sources as no support."""
    return claim_scores(claim, strict_score)


def split_by_type(claim: JudgedClaim) -> Scores:
    """Score each type of a claim as if it stood alone."""
    return {t: strict_score(status) for t, status in claim.page.items()}


def report_fp(
    claims: Iterable[JudgedClaim], types: Iterable[str] = PAPER_TYPES, reading: Reading = on_pages
) -> float | None:
    """Return the mean over source types of the type's mean over claims. `None` where no cited claim has a score."""
    scores = [reading(claim) for claim in claims]
    by_type = [[value for own in scores if (value := own.get(t)) is not None] for t in types]
    # As in the paper's Eq. 2 types weigh alike, however many claims each has.
    present = [sum(scored) / len(scored) for scored in by_type if scored]
    return sum(present) / len(present) if present else None


def _absence(claims: Iterable[JudgedClaim]) -> float | None:
    """Return the share of the claims that faithfulness counts as supported only because nothing states what they deny."""
    counted = [claim for claim in claims if any(on_pages(claim).get(t) is not None for t in PAPER_TYPES)]
    return sum(claim.rests_on_absence for claim in counted) / len(counted) if counted else None


def _support_share(claim: JudgedClaim) -> float | None:
    """Return 1 if any type supports the claim, or all together, else 0. Unknown only where a missing verdict could still support it."""
    scores = [strict_score(status) for status in claim.page.values()]
    if 1.0 not in scores and sum(status not in UNREADABLE for status in claim.page.values()) > 1:
        scores.append(_best_score(claim))
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
    supported = [value for claim in claims if (value := _support_share(claim)) is not None]
    cited = {t: sum(t in claim.page for claim in claims) for t in types}
    return {
        "fp": report_fp(claims),
        **{f"fp_{t}": report_fp(claims, (t,)) for t in types},
        "fp_3types": report_fp(claims, ALL_TYPES),
        "fp_strict": report_fp(claims),
        "fp_reachable": report_fp(claims, reading=lambda claim: claim_scores(claim, reachable_score)),
        "fp_seen": report_fp(claims, reading=lambda claim: claim_scores(claim, strict_score, seen=True)),
        "fp_split": report_fp(claims, reading=split_by_type),
        "fp_absent": _absence(claims),
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
        "fp_split": "as fp, each source type judged alone",
        "fp_absent": "claims that rest on absence / claims counted by fp, mean over queries",
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
    found["fp_micro"] = _micro(reports, "pooled over all (claim, type) units, web and product", on_pages)
    method = "share of web and product units whose source could not be read"
    found["unreadable_rate"] = _micro(reports, method, _unreadable_scores)
    return found


def split_columns(reports: Iterable[JudgedClaims]) -> dict[str, Statistic]:
    """Return the figure of each of the paper's types, each judged alone."""
    known = [(one.query, one.claims) for one in reports if one.claims is not None]
    return {
        t: mean(
            grouped((query, report_fp(claims, (t,), split_by_type)) for query, claims in known),
            f"as fp_{t}, each source type judged alone",
        )
        for t in PAPER_TYPES
    }


def _unreadable_scores(claim: JudgedClaim) -> Scores:
    return {t: None if status in OPEN else float(status in UNREAD) for t, status in claim.page.items()}


def _micro(reports: Sequence[JudgedClaims], method: str, reading: Reading) -> Statistic:
    scored = [(one.query, _pooled_scores(one.claims or (), reading)) for one in reports]
    rows = [(query, sum(scores), float(len(scores))) for query, scores in scored if scores]
    return pooled_ratio(rows, method, n=len(rows), n_unscored=len(reports) - len(rows))


def _pooled_scores(claims: Iterable[JudgedClaim], reading: Reading) -> list[float]:
    every = (reading(claim).get(t) for claim in claims for t in PAPER_TYPES)
    return [value for value in every if value is not None]
