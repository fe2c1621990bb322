"""Signs before a figure."""

from __future__ import annotations

import pytest
from drr.wording.figures import HEDGES


@pytest.mark.parametrize(
    ("before", "is_bound"),
    [
        ("costs > $", True),
        ("$8.25 for three -> $", False),
        ("three => $", False),
        ("--> ", False),
        ("(≥ $", True),
    ],
)
def test_an_arrow_is_no_bound(before: str, *, is_bound: bool) -> None:
    assert (HEDGES.before.search(before) is not None) is is_bound
