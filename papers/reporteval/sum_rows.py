"""`reporteval`: ReportEval's grades, repetition and support of each row."""

from __future__ import annotations

from drr.env.json_object import JsonObject
from drr.eval.stats.aggregate import Means, ProtocolSums
from drr.eval.stats.form import OfFour, RawRow, Support
from drr.eval.stats.intervals import SHARE
from drr.papers.reporteval.sums import ReportEvalRaw, report_eval

FOUR = (0.0, 4.0)
FIGURES = {
    "non_redundancy": FOUR,
    "worst_pair": FOUR,
    "average_support": (-1.0, 1.0),
    "strong_support": SHARE,
}


class ReportEvalInput(RawRow):
    """Whatever is absent is unknown."""

    quality: dict[str, OfFour | None] | None = None
    pairs: list[OfFour | None] | None = None
    support: list[Support | None] | None = None


class ReportEvalSums(ProtocolSums[ReportEvalInput]):
    form = ReportEvalInput

    def __init__(self) -> None:
        self._figures = Means(FIGURES)
        self._quality = Means({})

    def add(self, row: ReportEvalInput) -> JsonObject:
        found = report_eval(ReportEvalRaw(row.quality, row.pairs, row.support))
        grades = found.quality or {}
        lists = (list(grades.values()), row.pairs or [], row.support or [])
        self.n_unscored += sum(scores.count(None) for scores in lists)
        self._figures.add({name: getattr(found, name) for name in FIGURES}, row.task)
        self._quality.learn(grades, FOUR)
        self._quality.add(grades, row.task)
        return {**found._asdict()}

    def values(self) -> JsonObject:
        return {"quality": self._quality.values(), **self._figures.values()}

    def intervals(self) -> JsonObject:
        return {"quality": self._quality.intervals(), **self._figures.intervals()}

    def counted(self) -> dict[str, int]:
        return {
            **{f"quality.{name}": n for name, n in self._quality.counted().items()},
            **self._figures.counted(),
        }
