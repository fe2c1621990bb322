"""Tables of the commands: piped as wide as they are, on a terminal as wide as it is."""

from __future__ import annotations

import pytest
from drr.app.terminal import Column, table

HEAD = (
    "variant",
    Column("FP"),
    Column("tokens", rank=1),
    Column("interval", rank=2),
    Column("p"),
)
ROWS = [
    ["react", "0.97", "73,210", "[0.90, 1.00] n=50", "0.012"],
    ["hybrid-react+ws", "0.9", "8", "[0.80, 0.99] n=50", "-"],
]


def heads(text: str) -> list[str]:
    return text.splitlines()[0].split()


def test_piped_a_table_is_whole_and_as_wide_as_its_cells() -> None:
    lines = table(HEAD, ROWS).splitlines()
    assert heads("\n".join(lines)) == ["variant", "FP", "tokens", "interval", "p"]
    assert lines[1] == "-" * len(lines[0])
    assert lines[2] == "react            0.97  73,210  [0.90, 1.00] n=50  0.012"


def test_on_a_terminal_numbers_stand_right() -> None:
    lines = table(HEAD, ROWS, width=100).splitlines()
    assert lines[2:] == [
        "react            0.97  73,210  [0.90, 1.00] n=50  0.012",
        "hybrid-react+ws   0.9       8  [0.80, 0.99] n=50      -",
    ]


@pytest.mark.parametrize(
    ("width", "left_out"),
    [(55, []), (54, ["interval"]), (35, ["tokens", "interval"]), (27, ["tokens", "interval", "p"])],
)
def test_a_narrow_terminal_leaves_out_the_last_ranked_columns_and_says_so(
    width: int, left_out: list[str]
) -> None:
    text = table(HEAD, ROWS, width=width)
    assert heads(text) == [
        name for name in ("variant", "FP", "tokens", "interval", "p") if name not in left_out
    ]
    body = [line for line in text.splitlines() if not line.startswith("not shown")]
    assert max(map(len, body)) <= width
    told = f"not shown, for want of room: {', '.join(left_out)} " in text
    assert told == bool(left_out)


def test_among_equals_the_rightmost_goes_first_and_the_first_column_stays() -> None:
    assert heads(table(("a", "b", "c"), [["x" * 9, "y" * 9, "z" * 9]], width=20)) == ["a", "b"]
    assert heads(table(("a", "b", "c"), [["x" * 9, "y" * 9, "z" * 9]], width=5)) == ["a"]


def test_flowing_text_is_wrapped_and_loses_no_word() -> None:
    words = [f"word{n}" for n in range(30)]
    text = table(("name", Column("told", flows=True), "n"), [["fp", " ".join(words), "3"]], width=50)
    assert max(map(len, text.splitlines())) <= 50
    assert [word for word in text.split() if word.startswith("word")] == words


def test_a_table_without_rows_is_its_head() -> None:
    assert table(("a", "b"), [], width=40) == "a  b\n----"
    assert table(("a", "b"), []) == "a  b\n----"
