"""The option of `drr judge` for pairs of passages, and its storage in a study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from drr.eval.tasks.desk import JudgingContext
from drr.plugin import Options, option
from drr.study.form import naming_errors
from drr.study.study import Study

EXAMPLES = (
    "  drr judge study --what reporteval                             # quality, repetition, support of any report (docs/reporteval.md)",
)


class PairOptions(Options):
    """The options of `drr judge` for ReportEval's tasks."""

    pair_seed: int | None = option(
        "key", "for --what reporteval: by which pairs of passages are drawn where there are more than 30 (default 0); kept with the study", "N", type=int)  # fmt: skip


OPTIONS = PairOptions


def chosen(
    study: Study, desk: JudgingContext, options: PairOptions, what: Sequence[str]
) -> Mapping[type, Any]:
    seed = options.pair_seed
    if seed is None:
        with naming_errors(f"{study.folder}, by which seed pairs of passages are drawn"):
            seed = int(study.ledger.meta(_META) or 0)
    return {PairSeed: PairSeed(seed)}


def keep(study: Study, options: PairOptions, chosen: Mapping[type, Any]) -> None:
    seed = options.pair_seed
    if seed is not None and study.ledger.meta(_META) != str(seed):
        study.ledger.set_meta(_META, str(seed))


_META = "pair_seed"


class PairSeed(NamedTuple):
    """The seed by which pairs of passages are drawn in a judging run."""

    seed: int = 0
