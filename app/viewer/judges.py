"""Several judges beside each other: what each says of the claims of one answer, and how far they agree over a study."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from drr.app.viewer.model import OtherJudge, ReportView, ShownClaim, ShownRating
from drr.eval.agreement.rows import AgreementDocument, AgreementRow

SAME_CLAIM = 0.5
"""Share of the shorter of two stretches of a report from which on both say the same thing."""


@dataclass(frozen=True)
class JudgeSaid:
    """What another judge said of a claim; `status` `None` where it found no such claim."""

    judge: str
    status: str | None


@dataclass(frozen=True)
class JudgeBeside:
    """How far another judge goes along with the one whose verdicts are shown."""

    judge: str
    both: int
    """Claims that both found and judged."""
    same: int
    """Of these, with the same verdict."""
    alone: int
    """Claims that only the other one found."""
    grades: int
    """Dimensions that both graded."""
    apart: float | None
    """Points by which their grades differ, in the mean."""


def said_beside(report: ReportView) -> Mapping[str, Sequence[JudgeSaid]]:
    """By claim, what each other judge said of it."""
    found: dict[str, list[JudgeSaid]] = {claim.id: [] for claim in report.claims}
    for other in report.others:
        same = _same_claims(report.claims, other.claims)
        for claim in report.claims:
            twin = same.get(claim.id)
            found[claim.id].append(JudgeSaid(other.judge, None if twin is None else twin.status))
    return found


def judges_beside(report: ReportView) -> list[JudgeBeside]:
    return [_beside(report, other) for other in report.others]


def ratings_beside(report: ReportView) -> list[ShownRating]:
    """Dimension by dimension, what each judge gave."""
    every = [*report.ratings, *(rating for other in report.others for rating in other.ratings)]
    dimensions = list(dict.fromkeys(rating.dimension for rating in every))
    return sorted(every, key=lambda rating: dimensions.index(rating.dimension))


def _beside(report: ReportView, other: OtherJudge) -> JudgeBeside:
    same = _same_claims(report.claims, other.claims)
    both = [(claim, same[claim.id]) for claim in report.claims if claim.id in same]
    judged = [(one, twin) for one, twin in both if one.verdicts and twin.verdicts]
    ours = {rating.dimension: rating.rating for rating in report.ratings}
    apart = [
        abs(mine - rating.rating)
        for rating in other.ratings
        if rating.rating is not None and (mine := ours.get(rating.dimension)) is not None
    ]
    return JudgeBeside(
        judge=other.judge,
        both=len(judged),
        same=sum(one.status == twin.status for one, twin in judged),
        alone=len(other.claims) - len({twin.id for twin in same.values()}),
        grades=len(apart),
        apart=sum(apart) / len(apart) if apart else None,
    )


def _same_claims(claims: Sequence[ShownClaim], others: Sequence[ShownClaim]) -> dict[str, ShownClaim]:
    """By id of ours: theirs that stands in the same place of the report."""
    found: dict[str, ShownClaim] = {}
    for claim in claims:
        best = max(others, key=lambda one: _shared(claim, one), default=None)
        if best is not None and _shared(claim, best) >= SAME_CLAIM:
            found[claim.id] = best
    return found


def _shared(one: ShownClaim, other: ShownClaim) -> float:
    overlap = min(one.end, other.end) - max(one.start, other.start)
    return overlap / max(min(one.end - one.start, other.end - other.start), 1)


@dataclass(frozen=True)
class AgreementLine:
    """Two judges on one thing: figures with their intervals, in words."""

    judges: str
    what: str
    figures: Sequence[tuple[str, str]]
    """Value, and what it was taken from."""


@dataclass(frozen=True)
class AgreementPart:
    title: str
    note: str
    columns: Sequence[str]
    lines: Sequence[AgreementLine]


def agreement_parts(document: AgreementDocument) -> Iterator[AgreementPart]:
    """Verdicts, grades and comparisons that two judges of the study both gave."""
    support = [
        AgreementLine(
            _names(pair["judges"]), "claims", _cells(pair["exact"], pair["kappa"], pair["weighted_kappa"])
        )
        for pair in document["support"]["pairs"]
    ]
    if support:
        note = "Of the same claim and sources: full, partial or none."
        yield AgreementPart("Verdicts on claims", note, ("equal", "kappa", "weighted kappa"), support)
    grades = [
        AgreementLine(_names(pair["judges"]), dimension, _cells(row["spearman"], row["mard"], row["bias"]))
        for pair in document["rating"]["pairs"]
        for dimension, row in pair["dimensions"].items()
    ]
    if grades:
        note = "Of the same answer; the bias is the first one's grade minus the second one's."
        yield AgreementPart("Grades", note, ("rank correlation", "mean distance", "bias"), grades)
    pairs = [
        AgreementLine(
            _names(pair["judges"]), dimension, _cells(row["exact"], row["kappa_with_ties"], row["ties_share"])
        )
        for pair in document["pairwise"]["pairs"]
        for dimension, row in pair["dimensions"].items()
    ]
    if pairs:
        note = "Who won, both orders together."
        yield AgreementPart("Comparisons", note, ("equal", "kappa, ties kept", "one says tie"), pairs)


def _names(judges: Sequence[str]) -> str:
    return " and ".join(judges)


def _cells(*rows: AgreementRow) -> list[tuple[str, str]]:
    return [_cell(row) for row in rows]


def _cell(row: AgreementRow) -> tuple[str, str]:
    told = f"{'all equal, ' if row.get('all_equal') else ''}n = {row['n']:,}; {row['method']}"
    if row["value"] is None:
        return "–", told
    if row["ci_low"] is None or row["ci_high"] is None:
        return f"{row['value']:.2f}", told
    return f"{row['value']:.2f} [{row['ci_low']:.2f}, {row['ci_high']:.2f}]", told
