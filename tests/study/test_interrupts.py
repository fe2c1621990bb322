"""Ctrl-C and SIGTERM at a unit that never waits, in this process: nobody hears the first, the second ends it."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from drr.env.errors import Terminated
from drr.study.run import Pace, run
from drr.study.study import Study
from drr.study.unit import Outcome
from drr.study.worker import Context

from tests.study.plain import answer, offline, units


@pytest.mark.parametrize(
    ("number", "ending"), [(signal.SIGINT, KeyboardInterrupt), (signal.SIGTERM, Terminated)]
)
def test_pressed_twice_ends_a_unit_that_never_waits_and_keeps_what_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, ending: type[BaseException]
) -> None:
    monkeypatch.setattr("drr.study.run.DEAF_S", 0.05)
    holds = threading.Event()

    async def work(spec: Mapping[str, Any], context: Context) -> Outcome:
        if spec["n"] < 3:
            return await answer(spec, context)
        while len(list(study.records())) < 3:
            await asyncio.sleep(0.005)
        holds.set()
        end = time.monotonic() + 20
        while time.monotonic() < end:
            time.sleep(0.01)
        raise AssertionError("it went on")

    def press() -> None:
        holds.wait(20)
        for _ in range(2):
            os.kill(os.getpid(), number)
            time.sleep(0.1)

    before = signal.getsignal(number)
    with Study.create(tmp_path / "study", {}) as study:
        presser = threading.Thread(target=press)
        presser.start()
        with pytest.raises(ending):
            asyncio.run(run(study, units(8), work, models=offline(), pace=Pace(units=4)))
        presser.join()
        assert signal.getsignal(number) == before
        assert len(list(study.records())) == 3
        assert not study.ledger.under_way.keys()
        assert asyncio.run(run(study, units(8), answer, models=offline())).done == 5
