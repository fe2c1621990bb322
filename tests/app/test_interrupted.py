"""The last lines of a command that was interrupted: they never say that all is done and that something is left."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from drr.app.commands.run import exit_code
from drr.app.study.outcome import conclude
from drr.study.run import Summary


@pytest.mark.parametrize(
    ("what", "left", "code", "shown", "hidden"),
    [
        ("run", 0, 0, "1 done now; nothing left", "interrupted"),
        ("run", 3, 130, "1 done now; 3 left", "nothing left"),
        ("judge", 0, 130, "interrupted; nothing that finished is lost", "nothing left"),
    ],
)
def test_what_is_left_decides_what_an_interrupt_is_called(
    capsys: pytest.CaptureFixture[str], what: str, left: int, code: int, shown: str, hidden: str
) -> None:
    assert conclude(Summary(done=1, left=left, stopped="interrupted"), Path("study"), what) == code
    err = " ".join(capsys.readouterr().err.split())
    assert shown in err and hidden not in err


def test_units_that_had_failed_before_hide_no_interrupt() -> None:
    failed = Counter(no_research=8)
    assert exit_code(Summary(left=3, stopped="interrupted", failed_before=failed), Path("study")) == 130
    assert exit_code(Summary(failed_before=failed), Path("study")) == 1
