"""What long work shows: plain lines where it is piped, bars with rows a second and the time left on a terminal."""

from __future__ import annotations

import argparse
import sys

import pytest
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


def test_a_bar_shows_time_left(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "xterm")
    with progress_of(argparse.Namespace()).stage("Pet_Supplies: reviews", 2000, "bytes") as stage:
        stage.advance(2000, 40)
    shown = capsys.readouterr().err
    assert "2.0/2.0 kB" in shown and "rows/s" in shown and "0:00:00" in shown
