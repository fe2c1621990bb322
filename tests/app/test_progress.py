"""What long work shows: plain lines where it is piped, on a terminal one line with rows a second and the time left."""

from __future__ import annotations

import argparse
import sys
from itertools import count
from types import SimpleNamespace

import pytest
from drr.app import console
from drr.app.console import progress_of


def test_a_stage_is_one_line_piped_and_nothing_quiet(capsys: pytest.CaptureFixture[str]) -> None:
    with progress_of(argparse.Namespace()).stage("reviews", 2000, "bytes") as stage:
        stage.advance(1500, 30)
        stage.advance(500, 12)
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("reviews: 2,000 of 2,000 bytes, 42 rows")
    assert printed.err.count("\n") == 1
    with progress_of(argparse.Namespace(quiet=True)).stage("reviews", 2000, "bytes") as stage:
        stage.advance(2000, 40)
    assert capsys.readouterr().err == ""


def test_a_terminal_shows_one_line_that_is_written_over(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bars of a package of 12 MB, colours and all, told no more."""
    monkeypatch.setitem(sys.modules, "rich", None)
    monkeypatch.setattr(console, "time", SimpleNamespace(monotonic=count().__next__))
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "90")
    with progress_of(argparse.Namespace()).stage("Pet_Supplies: reviews", 2000, "bytes") as stage:
        stage.advance(1000, 40)
        print("a warning", file=sys.stderr)
        stage.note("\x1b[2J a file whose name is longer than what is left of the line")
        stage.advance(1000, 40)
    lines = capsys.readouterr().err.split("\r")
    assert lines[1] == "Pet_Supplies: reviews: 0 of 2,000 bytes\x1b[K"
    assert "1,000 of 2,000 bytes, 40 rows, 10 rows/s, 4 s left" in lines[2]
    assert lines[3] == "\x1b[Ka warning\n"
    assert "\x1b[2J" not in "".join(lines) and all(len(line) <= 90 + len("\x1b[K") for line in lines[:-1])
    assert lines[-1].startswith("\x1b[KPet_Supplies: reviews: 2,000 of 2,000 bytes, 80 rows")


def test_a_stage_that_fails_leaves_no_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    stderr = sys.stderr
    with pytest.raises(OSError), progress_of(argparse.Namespace()).stage("orders"):
        raise OSError
    assert sys.stderr is stderr and capsys.readouterr().err == "\rorders: 0 rows\x1b[K\r\x1b[K"
