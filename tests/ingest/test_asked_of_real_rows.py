"""Rows in the form of the real files, with all their oddities, give questions with the same axes as a fresh shop."""

from __future__ import annotations

from pathlib import Path

import pytest
from drr.env.checkable import DifficultyAxes
from drr.env.query import read_queries

from tests.commands import Drr
from tests.ingest.conftest import Ingest


@pytest.mark.long
def test_a_shop_of_real_rows_gives_checkable_questions_with_their_axes(
    drr: Drr, messy: Path, run_ingest: Ingest, tmp_path: Path
) -> None:
    run_ingest(messy)
    shop, path = tmp_path / "shop", tmp_path / "q.jsonl"
    drr.json("queries", "generate", "--checkable", "--shop", shop, "--out", path, "--count", 60)
    drr.out("queries", "check", path, "--shop", shop)
    found = [query.checkable.axes for query in read_queries(path) if query.checkable and query.checkable.axes]
    assert len(found) == 60
    varied = {
        axis for axis in DifficultyAxes.model_fields if len({getattr(axes, axis) for axes in found}) > 1
    }
    assert varied == {*DifficultyAxes.model_fields} - {"shop"}
