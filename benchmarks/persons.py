"""Persons and contexts of shops that differ in size. The cost hangs on how many there are, and hardly on the shop.

python -m benchmarks.persons                                  the usual sample shop, all its shoppers; then two larger ones, made here
python -m benchmarks.persons --shop small --shop large        shops that are there already
python -m benchmarks.persons --persons 1000 --contexts 200    of the larger shops (the defaults)

Everything runs as the commands do, each in a process of its own; CPU seconds count its workers, other load does not.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.results import machine, record, table

SIZES = "8k,32k,128k"
USUAL = (1_500, 400, 24_000)
LARGE = ((10_000, 180_000, 440_000), (100_000, 1_800_000, 4_400_000))
"""Products, users, review rows: a tenth of the paper's shop, and all of it."""


class Spent(NamedTuple):
    seconds: float
    cpu: float
    peak_mb: float
    """Of the largest single process."""
    out: str

    @property
    def cells(self) -> list[str]:
        return [f"{self.seconds:.1f}", f"{self.cpu:.1f}", f"{self.peak_mb:,.0f}"]


def drr(*words: object) -> Spent:
    """One command, alone in a process whose children are counted with it."""
    program = (
        "import json, resource, subprocess, sys, time\n"
        "started = time.perf_counter()\n"
        "done = subprocess.run(sys.argv[1:], capture_output=True, text=True)\n"
        "used = resource.getrusage(resource.RUSAGE_CHILDREN)\n"
        "print(json.dumps([done.returncode, time.perf_counter() - started, used.ru_utime + used.ru_stime,"
        " used.ru_maxrss / 1024, done.stdout, done.stderr[-2000:]]))"
    )
    command = [sys.executable, "-m", "drr.app.cli", *map(str, words)]
    done = subprocess.run(
        [sys.executable, "-c", program, *command], capture_output=True, text=True, check=True
    )
    code, seconds, cpu, peak, out, told = json.loads(done.stdout)
    if code:
        raise SystemExit(f"{' '.join(command)}: exit {code}\n{told}")
    return Spent(seconds, cpu, peak, out)


def made(folder: Path, size: tuple[int, int, int]) -> Path:
    products, users, reviews = size
    raw, shop = folder / f"raw-{users}", folder / f"shop-{users}"
    drr("sample", raw, "--products", products, "--users", users, "--reviews", reviews, "--quiet")
    drr("ingest", raw, "--shop", shop, "--keep-reviews", "--quiet")
    return shop


def measured(shop: Path, persons: int, contexts: int, least: int, folder: Path) -> list[list[str]]:
    """A row for the persons, one for the contexts of some of them."""
    info = json.loads(drr("shop", "info", shop, "--json").out)["counts"]
    name = f"{info['products']:,} products, {info['users']:,} users, {info['orders']:,} orders"
    file, some, to = folder / "persons.jsonl", folder / "some.jsonl", folder / "contexts"
    built = drr("persons", "build", "--shop", shop, "--out", file, "--users", persons, "--min-orders", least)
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    some.write_text("".join(lines[:contexts]), encoding="utf-8")
    gathered = drr("context", "build", some, "--shop", shop, "--tokens", SIZES, "--out", to, "--quiet")
    held = json.loads((to / "manifest.json").read_text(encoding="utf-8"))
    worst = max(
        abs(one["tokens"][size] - asked) / asked
        for one in held["persons"].values()
        for size, asked in held["sizes"].items()
    )
    n = min(contexts, len(lines))
    return [
        [name, f"{len(lines):,} persons", *built.cells, f"{1000 * built.cpu / len(lines):.1f} ms", ""],
        [name, f"{n:,} contexts", *gathered.cells, f"{1000 * gathered.cpu / n:.0f} ms", f"{worst:.1%}"],
    ]


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--shop", action="append", type=Path, default=[], help="repeatable; none are made then"
    )
    parser.add_argument("--persons", type=int, default=1_000)
    parser.add_argument("--contexts", type=int, default=200)
    arguments = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        usual = measured(made(folder, USUAL), 400, 400, 1, folder)
        shops = arguments.shop or [made(folder, size) for size in LARGE]
        rows = [
            row for shop in shops for row in measured(shop, arguments.persons, arguments.contexts, 5, folder)
        ]
    load = os.getloadavg()[2]
    head = ["shop (reviews kept)", "made", "s", "CPU s", "peak MB", "CPU each", "furthest from its tokens"]
    text = (
        f"All shoppers of the usual sample shop, then {arguments.persons:,} of larger ones; contexts at {SIZES} by two processes"
        f" ({machine()}; load of the last quarter of an hour {load:.1f}: compare CPU seconds).\n\n{table(head, usual + rows)}"
    )
    record("Persons and contexts", text)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
