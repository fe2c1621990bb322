"""A process that bears runs and kills them: `python nursery.py FOLDER KILLS SEED [commit]`. Prints what it saw as JSON.

It forks after everything is imported, so that a run begins its work within milliseconds; a kill then falls anywhere
into its life: before the first unit, between a blob and its record, in the middle of a commit. With `commit` each falls there:
a run ends itself while one of its first commits of records is under way.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import sys
import threading
import time
from pathlib import Path

from drr.study.run import Pace, run
from drr.study.study import Study

from tests.study.plain import logged, offline, units

UNITS_PER_KILL = 25


def main(folder: Path, kills: int, seed: int, *, in_commit: bool) -> None:
    chance = random.Random(seed)
    count = max(200, kills * UNITS_PER_KILL)
    begun = folder.with_suffix(".begun")
    begun.touch()
    Study.create(folder, {"n": count}).close()
    known: dict[str, str] = {}
    killed = rounds = doubled = lost = changed = 0
    offset = 0
    while True:
        rounds += 1
        spared = killed >= kills
        mark = (chance.randint(1, 4), chance.uniform(0, 0.004)) if in_commit and not spared else None
        worker = _bear(folder, begun, count, mark)
        if not spared and not in_commit:
            time.sleep(chance.uniform(0.002, 0.12))
            os.kill(worker, signal.SIGKILL)
            killed += 1
        ended = os.waitpid(worker, 0)[1]
        killed += in_commit and os.WIFSIGNALED(ended)
        with Study.open(folder) as study:
            now = {
                r.key: json.dumps([r.status, r.result, dict(r.blobs), r.attempts])
                for r in study.records(status=None)
            }
        lost += len(known.keys() - now.keys())
        changed += sum(now.get(key) != value for key, value in known.items())
        lines = begun.read_text().splitlines()
        doubled += sum(line.split()[0] in known for line in lines[offset:])
        offset = len(lines)
        known = now
        if len(known) == count and killed >= kills:
            break
        if rounds > 40 * (kills + 5) or (spared and ended):
            raise SystemExit(f"no end in sight: {len(known)} of {count} after {rounds} rounds, exit {ended}")
        if len(known) == count:  # all is done before the kills are: begin a wider study
            count += 200
    told = {"units": count, "killed": killed, "lost": lost, "changed": changed, "doubled": doubled}
    json.dump(told, sys.stdout)


def _end_in_commit(study: Study, number: int, later: float) -> None:
    """So many seconds after the commit of this number was begun, while its thread waits for the disk."""
    seen = [number]

    def look(statement: str) -> None:
        if statement == "PRAGMA synchronous = FULL":
            seen[0] -= 1
        if statement == "COMMIT" and seen[0] == 0:
            threading.Timer(later, os.kill, (os.getpid(), signal.SIGKILL)).start()

    study.ledger.db._db.set_trace_callback(look)


def _bear(folder: Path, begun: Path, count: int, mark: tuple[int, float] | None = None) -> int:
    child = os.fork()
    if child:
        return child
    try:
        with Study.open(folder) as study:
            if mark is not None:
                _end_in_commit(study, *mark)
            work = logged(begun, pause_s=0.002)
            asyncio.run(run(study, units(count), work, models=offline(), pace=Pace(units=6)))
    except BaseException:
        import traceback

        traceback.print_exc()
        os._exit(1)
    os._exit(0)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), in_commit="commit" in sys.argv[4:])
