"""`drr --help` and one-shot commands beside a bare Python, as ratios."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from statistics import median

from benchmarks.results import record, table

RUNS = 15


def seconds(*command: str) -> float:
    start = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    return time.perf_counter() - start


def main() -> None:
    drr = str(Path(sys.executable).parent / "drr")
    commands = {
        "python -c pass": (sys.executable, "-c", "pass"),
        "drr --help": (drr, "--help"),
        "drr env settings": (drr, "env", "settings"),
    }
    times: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(RUNS):
        for name, command in commands.items():
            times[name].append(seconds(*command))
    bare = median(times["python -c pass"])
    rows = [(name, f"{median(t) * 1000:.0f}", f"{median(t) / bare:.1f}") for name, t in times.items()]
    record(
        "Start-up",
        f"Median of {RUNS} runs, interleaved.\n\n" + table(("command", "ms", "x bare Python"), rows),
    )


if __name__ == "__main__":
    main()
