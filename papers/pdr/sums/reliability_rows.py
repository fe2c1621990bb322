"""`pqr-r`: FA, CC and R of each row from the verdicts of its claims."""

from __future__ import annotations

from drr.env.json_object import JsonObject
from drr.eval.stats.aggregate import Means, ProtocolSums
from drr.eval.stats.citations import Found
from drr.eval.stats.form import Flag, RawPart, RawRow
from drr.papers.pdr.sums.reliability import ReliabilityClaim, reliability
from pydantic import model_validator

ENDS = dict.fromkeys(("fa", "cc", "r"), (0.0, 10.0))


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


class ReliabilitySums(ProtocolSums[ReliabilityInput]):
    """A claim without a citation has no source that anybody could ask: its verdict is no missing answer."""

    form = ReliabilityInput

    def __init__(self) -> None:
        self._ours, self._printed = Means(ENDS), Means(ENDS)

    def add(self, row: ReliabilityInput) -> JsonObject:
        claims = [ReliabilityClaim(claim.cited, claim.verdict) for claim in row.claims]
        self.n_unscored += sum(claim.cited and claim.verdict is None for claim in claims)
        ours = reliability(claims)._asdict()
        self._ours.add(ours, row.task)
        self._printed.add(reliability(claims, printed=True)._asdict(), row.task)
        return ours

    def values(self) -> JsonObject:
        return {**self._ours.values()}

    def as_printed(self) -> JsonObject:
        return {**self._printed.values()}

    def intervals(self) -> JsonObject:
        return {**self._ours.intervals()}

    def counted(self) -> dict[str, int]:
        return self._ours.counted()
