"""The seed by which pairs of passages are drawn, and where a study keeps it."""

from __future__ import annotations

from typing import NamedTuple

from drr.study.form import reading
from drr.study.study import Study

_META = "pair_seed"


class PairSeed(NamedTuple):
    """The seed of a desk for pairs of passages."""

    seed: int = 0


def kept_pair_seed(study: Study) -> int:
    with reading(f"{study.folder}, by which seed pairs of passages are drawn"):
        return int(study.ledger.meta(_META) or 0)


def keep_pair_seed(study: Study, seed: int) -> None:
    if study.ledger.meta(_META) != str(seed):
        study.ledger.set_meta(_META, str(seed))
