"""The sums of PDR-Bench over the rows that `drr papers aggregate` reads."""

from __future__ import annotations

from drr.env.json_object import JsonObject
from drr.eval.stats.aggregate import (
    Flag,
    Name,
    Number,
    OfTen,
    PrintedMeans,
    ProtocolSums,
    RawPart,
    RawRow,
    Weight,
    interval_row,
)
from drr.eval.stats.citations import Found
from drr.papers.pdr.sums import (
    ReliabilityClaim,
    SwapScore,
    WeighedScore,
    over_tasks,
    reliability,
    swap_scores_by_task,
    weighted_score,
)
from pydantic import Field, model_validator

TEN = (0.0, 10.0)


class RawCriterion(RawPart):
    weight: Weight
    scores: list[OfTen | None] | None
    """Score of each round."""


class PqrInput(RawRow):
    weights: dict[str, Weight] = Field(min_length=1)
    criteria: dict[str, list[RawCriterion]]

    @model_validator(mode="after")
    def _every_dimension_has_a_weight(self) -> PqrInput:
        for name in self.criteria:
            if name not in self.weights:
                raise ValueError(f"criteria.{name}: `weights` has no such dimension")
        return self


class PqrSums(PrintedMeans[PqrInput]):
    form = PqrInput
    ends = {"p": TEN}  # noqa: RUF012

    def add(self, row: PqrInput) -> JsonObject:
        rows = row.criteria.items()
        found = weighted_score(
            row.weights, {name: [WeighedScore(c.weight, c.scores) for c in own] for name, own in rows}
        )
        self.n_unscored += found.n_unscored
        printed = found.as_printed
        self._ours.add({"p": found.total}, row.task)
        self._printed.add({"p": printed.total}, row.task)
        ours = {"dimensions": found.dimensions, "p": found.total, "p_by_round": found.by_round}
        as_printed = {"dimensions": printed.dimensions, "p": printed.total}
        return {**ours, "n_unscored": found.n_unscored, "as_printed": as_printed}


class RawClaim(RawPart):
    cited: Flag
    verdict: Found | None = None

    @model_validator(mode="after")
    def _a_cited_claim_has_a_verdict(self) -> RawClaim:
        if self.cited and "verdict" not in self.model_fields_set:
            raise ValueError("verdict: missing; null where there was no answer")
        return self


class ReliabilityInput(RawRow):
    claims: list[RawClaim]


class ReliabilitySums(PrintedMeans[ReliabilityInput]):
    """The sums of R. A claim without a citation has no source to ask about, so no verdict on the claim is missing."""

    form = ReliabilityInput
    ends = dict.fromkeys(("fa", "cc", "r"), TEN)

    def add(self, row: ReliabilityInput) -> JsonObject:
        claims = [ReliabilityClaim(claim.cited, claim.verdict) for claim in row.claims]
        self.n_unscored += sum(claim.cited and claim.verdict is None for claim in claims)
        ours = reliability(claims)._asdict()
        self._ours.add(ours, row.task)
        self._printed.add(reliability(claims, printed=True)._asdict(), row.task)
        return ours


class SwapInput(RawRow):
    task: Name
    criteria_of: Name
    report_of: Name
    p: Number | None


class CriteriaSwapSums(ProtocolSums[SwapInput]):
    form = SwapInput

    def __init__(self) -> None:
        self._scores: list[SwapScore] = []

    def add(self, row: SwapInput) -> None:
        self.n_unscored += row.p is None
        self._scores.append(SwapScore(row.task, row.criteria_of, row.report_of, row.p))

    def values(self) -> JsonObject:
        names = ("delta", "cfa_min", "a_min")
        found = swap_scores_by_task(self._scores).items()
        return {"by_task": {task: {name: getattr(one, name) for name in names} for task, one in found}}

    def intervals(self) -> JsonObject:
        """Return the means over tasks with intervals."""
        return {name: interval_row(v) for name, v in over_tasks(swap_scores_by_task(self._scores)).items()}
