"""`agreement`: a judge against people, criterion by criterion."""

from __future__ import annotations

from drr.env.json_object import JsonObject
from drr.eval.stats.aggregate.base import ProtocolSums, interval_row
from drr.eval.stats.aggregate.form import Name, Number, RawPart, RawRow
from drr.eval.stats.consistency import Consistency, CriterionScore, consistency
from drr.eval.stats.intervals import V
from pydantic import model_validator

NAMES = ("pca", "mard", "mad_by_report", "par", "pearson", "spearman")


class RawScores(RawPart):
    A: Number | None
    B: Number | None = None

    @property
    def both(self) -> bool:
        return "B" in self.model_fields_set

    @property
    def missing(self) -> int:
        return (self.A is None) + (self.both and self.B is None)


class AgreementInput(RawRow):
    query: Name
    criterion: Name
    judge: RawScores
    human: RawScores

    @model_validator(mode="after")
    def _of_the_same_reports(self) -> AgreementInput:
        if self.judge.both != self.human.both:
            raise ValueError(
                "`B` stands in one of judge and human; give both, or neither where there is one report"
            )
        return self


class AgreementSums(ProtocolSums[AgreementInput]):
    form = AgreementInput

    def __init__(self) -> None:
        self._scores: list[CriterionScore] = []
        self._lines = 0

    def add(self, row: AgreementInput) -> None:
        self.n_unscored += row.judge.missing + row.human.missing
        self._lines += 1
        beside = str(self._lines)
        self._scores.append(CriterionScore(row.query, "A", beside, row.judge.A, row.human.A))
        if row.judge.both:
            self._scores.append(CriterionScore(row.query, "B", beside, row.judge.B, row.human.B))

    def values(self) -> JsonObject:
        found = consistency(self._scores, intervals=False)
        figures = {name: v.value for name, v in _statistics(found).items()}
        return {"pca": figures.pop("pca"), "pca_chance": found.pca_chance, **figures}

    def intervals(self) -> JsonObject:
        return {name: interval_row(v) for name, v in _statistics(consistency(self._scores)).items()}

    def counted(self) -> dict[str, int]:
        return {name: v.n for name, v in _statistics(consistency(self._scores, intervals=False)).items()}


def _statistics(found: Consistency) -> dict[str, V]:
    """Choose the statistics of the protocol."""
    return {name: getattr(found, name) for name in NAMES}
