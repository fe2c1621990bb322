"""What the papers print, as data: well-formed, and as it was read off them."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256

import pytest
from drr.app.papers.printed import PrintedPaper, paper_of
from drr.app.papers.steps import reproducible
from drr.eval.metrics import metrics
from pydantic import ValidationError

from tests.cases import cases

SNAPSHOTS = {
    "retail": "49743906aa04", "pdr": "e7340404970c", "reporteval": "5d651e6b5492", "dr3": "9f25cfdef408",
}  # fmt: skip
"""Of figures and notes as they were read off the papers, their sums held against what the papers state."""


@pytest.mark.parametrize("paper", SNAPSHOTS)
def test_printed_figures_and_notes_are_those_of_the_paper(paper: str) -> None:
    told = [(one.source, one.rows, [n.sentence() for n in one.notes]) for one in paper_of(paper).exhibit]
    assert sha256(repr(told).encode()).hexdigest()[:12] == SNAPSHOTS[paper], "read it off the paper again"


@pytest.mark.parametrize("paper", reproducible())
def test_every_exhibit_is_made_somewhere_or_says_why_not(paper: str) -> None:
    for one in paper_of(paper).exhibit:
        assert one.here or one.pages or one.missing
        assert set(one.metrics) <= metrics().keys()
        for row in one.rows:
            assert all(row[: len(one.stub)]), one.source
            assert any(one.figures(row)), row


@pytest.mark.parametrize("wrong", cases("app", "test_a_file_that_does_not_fit_its_own_heads_is_refused"))
def test_a_file_that_does_not_fit_its_own_heads_is_refused(wrong: Mapping[str, object]) -> None:
    one = {"source": "T", "title": "t", "here": ["x"], "stub": ["s"], "columns": ["c"], "rows": [["a", "1"]]}
    kept = {"paper": "pdr", "title": "t", "setting": "s"}
    PrintedPaper.model_validate({**kept, "exhibit": [one]})
    with pytest.raises(ValidationError):
        PrintedPaper.model_validate({**kept, "exhibit": [{**one, **wrong}]})
