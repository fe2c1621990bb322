"""`pqr`: P (or Q) of each row from the scores of its criteria."""

from __future__ import annotations

from drr.env.json_object import JsonObject
from drr.eval.stats.aggregate import Means, ProtocolSums
from drr.eval.stats.form import OfTen, RawPart, RawRow, Weight
from drr.papers.pdr.sums.pqr import WeighedScore, weighed
from pydantic import Field, model_validator

TEN = (0.0, 10.0)


class RawCriterion(RawPart):
    weight: Weight
    scores: list[OfTen | None] | None
    """Of each round."""


class PqrInput(RawRow):
    weights: dict[str, Weight] = Field(min_length=1)
    criteria: dict[str, list[RawCriterion]]

    @model_validator(mode="after")
    def _every_dimension_has_a_weight(self) -> PqrInput:
        for name in self.criteria:
            if name not in self.weights:
                raise ValueError(f"criteria.{name}: `weights` has no such dimension")
        return self


class PqrSums(ProtocolSums[PqrInput]):
    form = PqrInput

    def __init__(self) -> None:
        self._ours, self._printed = Means({"p": TEN}), Means({"p": TEN})

    def add(self, row: PqrInput) -> JsonObject:
        found = weighed(
            row.weights,
            {name: [WeighedScore(c.weight, c.scores) for c in own] for name, own in row.criteria.items()},
        )
        self.n_unscored += found.n_unscored
        self._ours.add({"p": found.total}, row.task)
        self._printed.add({"p": found.as_printed.total}, row.task)
        return {
            "dimensions": found.dimensions,
            "p": found.total,
            "p_by_round": found.by_round,
            "n_unscored": found.n_unscored,
            "as_printed": {"dimensions": found.as_printed.dimensions, "p": found.as_printed.total},
        }

    def values(self) -> JsonObject:
        return {**self._ours.values()}

    def as_printed(self) -> JsonObject:
        return {**self._printed.values()}

    def intervals(self) -> JsonObject:
        return {**self._ours.intervals()}

    def counted(self) -> dict[str, int]:
        return self._ours.counted()
