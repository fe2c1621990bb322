"""A dollar sign is one of US dollars, unless letters before it or a currency's code beside it say whose it is."""

from __future__ import annotations

import pytest
from drr.wording.money import amounts

from tests.cases import cases


@pytest.mark.parametrize(("text", "read"), cases("wording", "test_only_amounts_of_us_dollars_are_read"))
def test_only_amounts_of_us_dollars_are_read(text: str, read: list[float]) -> None:
    assert [one.value for one in amounts(text)] == read
