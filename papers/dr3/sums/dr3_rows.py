"""`dr3`: DR3-Eval's six figures of each row and their mean."""

from __future__ import annotations

from typing import Annotated

from drr.env.json_object import JsonObject
from drr.eval.stats.aggregate import Means, ProtocolSums
from drr.eval.stats.form import Flag, Name, RawRow, Unit
from drr.papers.dr3.sums.dr3 import FIGURES, Dr3Raw, dr3_figures
from pydantic import ConfigDict, Field

ENDS = dict.fromkeys(FIGURES, (0.0, 100.0))


class Dr3Input(RawRow):
    """Whatever is absent is unknown."""

    model_config = ConfigDict(extra="forbid", frozen=True, validate_by_alias=True)

    ir_uf: list[Unit | None] | None = None
    ir_sc: list[Unit | None] | None = None
    required: list[Name] | None = None
    cited: list[Name] | None = None
    fa: list[Flag | None] | None = None
    follows: list[Flag | None] | None = Field(None, alias="if")
    dq: Annotated[float, Field(strict=True, allow_inf_nan=False, ge=1, le=10)] | None = None


class Dr3Sums(ProtocolSums[Dr3Input]):
    form = Dr3Input

    def __init__(self) -> None:
        self._ours, self._printed = Means(ENDS), Means(ENDS)

    def add(self, row: Dr3Input) -> JsonObject:
        raw = Dr3Raw(row.ir_uf, row.ir_sc, row.required, row.cited, row.fa, row.follows, row.dq)
        ours = dr3_figures(raw)
        self.n_unscored += sum(
            scores.count(None) for scores in (raw.ir_uf, raw.ir_sc, raw.fa, raw.follows) if scores is not None
        )
        self._ours.add(ours, row.task)
        self._printed.add(dr3_figures(raw, printed=True), row.task)
        return {**ours}

    def values(self) -> JsonObject:
        return {**self._ours.values()}

    def as_printed(self) -> JsonObject:
        return {**self._printed.values()}

    def intervals(self) -> JsonObject:
        return {**self._ours.intervals()}

    def counted(self) -> dict[str, int]:
        return self._ours.counted()
