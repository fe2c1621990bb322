"""Questions that good systems miss and weak ones solve are found; of the others chance lists few."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from drr.eval.stats.items import FEWEST_SYSTEMS, odd_items

from tests.commands import Drr
from tests.eval.test_reliability import studied as studied

ITEMS, FLIPPED = 100, 5


def _played(systems: int, seed: int) -> dict[str, dict[str, float]]:
    """Draw who solves what by ability and difficulty; on the first items ability works against a system."""
    rng = np.random.default_rng(seed)
    ability, hard = rng.normal(0, 1.5, systems), rng.normal(0, 1, ITEMS)
    lean = ability[:, None] * np.where(np.arange(ITEMS) < FLIPPED, -1, 1) - hard
    solved = rng.random((systems, ITEMS)) < 1 / (1 + np.exp(-2 * lean))
    return {f"s{n}": {f"q{i}": float(x) for i, x in enumerate(row)} for n, row in enumerate(solved)}


@pytest.mark.parametrize(("systems", "least"), [(12, 0.4), (30, 0.85)])
def test_planted_items_are_found_and_few_others(systems: int, least: float) -> None:
    found = [[one["query_id"] for one in odd_items(_played(systems, seed))] for seed in range(8)]
    planted = {f"q{i}" for i in range(FLIPPED)}
    assert np.mean([len(planted & {*one}) / FLIPPED for one in found]) >= least
    assert np.mean([len({*one} - planted) / (ITEMS - FLIPPED) for one in found]) <= 0.05


def test_an_odd_item_says_who_solves_it() -> None:
    one = odd_items(_played(30, 3))[0]
    assert one["correlation"] < 0 < one["p"] < 0.05 and one["strong"] < one["weak"] and one["systems"] == 30


def test_too_few_systems_tell_nothing() -> None:
    assert odd_items(_played(FEWEST_SYSTEMS - 1, 1)) == [] == odd_items({})


@pytest.mark.long
def test_the_command_reads_the_systems_of_studies(
    studied: Path, sample_home: Path, tmp_path: Path, drr: Drr
) -> None:
    words = ("judges", "rewards", "--shop", sample_home / "shop", "--queries", studied / "q.jsonl", "--quiet")
    few = drr.out(*words, "--systems", studied / "study")
    assert "Odd questions are unknown: 7 systems, and 10 are needed" in few
    shutil.copytree(studied / "study", tmp_path / "again")
    out = tmp_path / "page.html"
    known = drr.json(*words, "--out", out, "--systems", studied / "study", tmp_path / "again")
    assert (known["odd_questions"]["systems"], known["odd_questions"]["questions"]) == (14, 9)
    assert ("Questions that good systems miss" in out.read_text()) == bool(known["odd_questions"]["odd"])
