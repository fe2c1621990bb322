"""Tables of the commands: piped as wide as they are, on a terminal as wide as it is."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest
from drr.app.commands.table import commands
from drr.app.terminal import Column, Screen, p_value, table, verdict, wide, wrapped_paragraph

from tests.command_lines import every_leaf
from tests.commands import Drr

HEAD = ("variant", Column("FP"), Column("tokens", rank=1), Column("interval", rank=2), Column("p"))
ROWS = [
    ["react", "0.97", "73,210", "[0.90, 1.00] n=50", "0.012"],
    ["hybrid-react+ws", "0.9", "8", "[0.80, 0.99] n=50", "-"],
]


def heads(text: str) -> list[str]:
    return text.splitlines()[0].split()


def test_a_table_is_whole_where_it_is_piped_and_its_numbers_stand_right_on_a_terminal() -> None:
    lines = table(HEAD, ROWS).splitlines()
    assert heads("\n".join(lines)) == ["variant", "FP", "tokens", "interval", "p"]
    assert lines[1] == "-" * len(lines[0])
    assert lines[2] == "react            0.97  73,210  [0.90, 1.00] n=50  0.012"
    lines = table(HEAD, ROWS, width=100).splitlines()
    assert lines[2:] == [
        "react            0.97  73,210  [0.90, 1.00] n=50  0.012",
        "hybrid-react+ws   0.9       8  [0.80, 0.99] n=50      -",
    ]
    assert table(("a", "b"), [], width=40) == "a  b\n----"
    assert table(("a", "b"), []) == "a  b\n----"
    assert heads(table(("a", "b", "c"), [["x" * 9, "y" * 9, "z" * 9]], width=20)) == ["a", "b"]
    assert heads(table(("a", "b", "c"), [["x" * 9, "y" * 9, "z" * 9]], width=5)) == ["a"]


def test_a_p_value_is_never_nothing() -> None:
    told = " ".join(p_value(p) for p in (None, 0.0, 0.0004, 0.0006, 0.25))
    assert told == "- <0.001 <0.001 0.001 0.250"


@pytest.mark.parametrize(
    ("width", "left_out"),
    [(55, []), (54, ["interval"]), (35, ["tokens", "interval"]), (27, ["tokens", "interval", "p"])],
)
def test_a_narrow_terminal_leaves_out_the_last_ranked_columns(width: int, left_out: list[str]) -> None:
    text = table(HEAD, ROWS, width=width)
    assert heads(text) == [n for n in ("variant", "FP", "tokens", "interval", "p") if n not in left_out]
    assert max(map(len, text.splitlines())) <= width
    told = f"not shown, for want of room: {', '.join(left_out)} (--wide or --json" in " ".join(text.split())
    assert told == bool(left_out)


def test_words_flow_on_a_terminal_and_none_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    words = [f"word{n}" for n in range(30)]
    text = table(("name", Column("told", flows=True), "n"), [["fp", " ".join(words), "3"]], width=50)
    assert max(map(len, text.splitlines())) <= 50
    assert [word for word in text.split() if word.startswith("word")] == words
    said = "word " * 30
    told = shown_on(Terminal(), monkeypatch, lambda: wrapped_paragraph(said, 4))
    assert max(map(len, told.splitlines())) <= 40 and told.splitlines()[1].startswith("    word")
    assert shown_on(StringIO(), monkeypatch, lambda: wrapped_paragraph(said, 4)) == said + "\n"


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


def shown_on(stream: StringIO, monkeypatch: pytest.MonkeyPatch, text: Callable[[], str]) -> str:
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stdout", Screen(stream))
    print(text())
    return stream.getvalue()


def test_colours_are_for_terminals_and_a_strangers_are_text(monkeypatch: pytest.MonkeyPatch) -> None:
    def drawn() -> str:
        return table(("check", ""), [["fp", verdict(True)], ["fr", verdict(False)]])

    monkeypatch.delenv("NO_COLOR", raising=False)
    terminal = shown_on(Terminal(), monkeypatch, drawn)
    assert "\x1b[32mok\x1b[0m" in terminal and "\x1b[31mFAILS\x1b[0m" in terminal
    assert re.sub(r"\x1b\[\d*m", "", terminal) == shown_on(StringIO(), monkeypatch, drawn)
    assert "\x1b" not in shown_on(StringIO(), monkeypatch, drawn)
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in shown_on(Terminal(), monkeypatch, drawn)
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setattr(sys, "stdout", Screen(Terminal()))
    assert verdict(True) == "ok"
    hostile = "\x1b[31mred\x1b[0m \x1b<0123456789abcdef:31>"
    monkeypatch.delenv("NO_COLOR", raising=False)
    shown = shown_on(Terminal(), monkeypatch, lambda: verdict(True) + hostile)
    assert shown == "\x1b[32mok\x1b[0m\\u001b[31mred\\u001b[0m \\u001b<0123456789abcdef:31>\n"


def test_wide_has_every_column(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert "not shown" in shown_on(Terminal(), monkeypatch, lambda: table(HEAD, ROWS))
    with wide():
        text = shown_on(Terminal(), monkeypatch, lambda: table(HEAD, ROWS))
    assert heads(text) == ["variant", "FP", "tokens", "interval", "p"]
    assert "not shown" not in text


@pytest.mark.long
def test_every_command_knows_quiet_and_wide(judged_study: Path, tmp_path: Path, drr: Drr) -> None:
    known = {leaf: parser._option_string_actions for leaf, parser in every_leaf()}
    assert all({"--quiet", "--wide"} <= set(options) for options in known.values())
    assert {f"{row.name} {part}".rstrip() for row in commands() for part in row.summaries} <= set(known)
    assert (
        drr.out("report", judged_study, "--out", tmp_path / "r", "--quiet") == ""
        and (tmp_path / "r" / "index.html").is_file()
    )
    assert '"metrics"' in drr.out("report", judged_study, "--json", "--quiet")
