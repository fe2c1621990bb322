"""Signs before a figure."""

from __future__ import annotations

import pytest
from drr.wording.figures import HEDGES

from tests.cases import cases


@pytest.mark.parametrize(("before", "is_bound"), cases("wording", "test_an_arrow_is_no_bound"))
def test_an_arrow_is_no_bound(before: str, *, is_bound: bool) -> None:
    assert (HEDGES.before.search(before) is not None) is is_bound
