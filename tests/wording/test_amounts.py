"""Figures are read with what they are of, however they are written."""

from __future__ import annotations

import pytest
from drr.wording.amounts import amounts


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("revenue of $3.42 billion", [(3.42e9, "money", "")]),
        ("55 cents a kilo, about 12.00 euros", [(0.55, "money", ""), (12.0, "money", "about")]),
        (
            "nearly a fifth, two thirds, one in eight",
            [(20.0, "share", "under"), (200 / 3, "share", ""), (12.5, "share", "")],
        ),
        ("on 19 September 2024 at 19:52", [(298.0, "day", ""), (2024.0, "year", ""), (1192.0, "clock", "")]),
        ("guaranteed for two years, the battery for one.", [(2.0, "time", ""), (1.0, "time", "")]),
        ("arms from 22 to 36 cm", [(22.0, "length", ""), (36.0, "length", "")]),
        ("five hours and ten minutes", [(5 + 1 / 6, "time", "")]),
        ("5.40 in December", [(5.4, None, "")]),
        ("no more than 8 kg, more than 8 kg", [(8.0, "weight", ""), (8.0, "weight", "over")]),
        ("half an hour, twice", [(0.5, "time", ""), (2.0, "times", "")]),
        ("rated 4.4 out of 5 by 1,318 buyers", [(4.4, None, ""), (1318.0, None, "")]),
        ("4/5, four out of five", [(4.0, None, ""), (80.0, "share", "")]),
        ("ordered on 2021-08-14", [(2021.0, "year", ""), (262.0, "day", "")]),
    ],
)
def test_each_figure_has_its_value_kind_and_bound(
    text: str, read: list[tuple[float, str | None, str]]
) -> None:
    found = [(one.value, one.kind, one.bound) for one in amounts(text)]
    assert [(kind, bound) for _, kind, bound in found] == [(kind, bound) for _, kind, bound in read]
    assert [value for value, _, _ in found] == pytest.approx([value for value, _, _ in read])
