"""The ingest beside its limits: scan against decompression, selection against the scan, users against seeded Faker.

python -m benchmarks.ingest [--reviews 4000000] [--rounds 3]    ratios in one run, each measurement in its own process
python -m benchmarks.ingest paper [--reviews 4400000]           a paper-scale ingest from generated raw files: parts, memory, size
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.results import record, table

FILE = "Pet_Supplies.jsonl.gz"


def decompress(folder: Path) -> int:
    from isal import igzip

    buffer = memoryview(bytearray(1 << 20))
    total = 0
    with igzip.open(folder / FILE) as stream:
        while got := stream.readinto(buffer):
            total += got
    return total


def scan(folder: Path) -> int:
    from drr.data_ingest.blocks import BlockReader
    from drr.data_ingest.packing import Ids
    from drr.data_ingest.review_rows import ReviewRows

    rows = 0
    with BlockReader(folder / FILE) as reader:
        for _, chunk in ReviewRows(reader, Ids(), lambda number, reason, line: None):
            rows += len(chunk.time)
    return rows


def select(folder: Path, memory: int = 1 << 30) -> int:
    """Everything until the orders of the kept products are at hand; the metadata is not read."""
    import numpy as np
    from drr.data_ingest.packing import Ids
    from drr.data_ingest.quarantine import Quarantine
    from drr.data_ingest.recipe import Recipe
    from drr.data_ingest.reviews import read_reviews
    from drr.env.progress import Quiet

    recipe = Recipe()
    with Quarantine(folder / "bad.jsonl", 0.01) as quarantine, Quiet().stage("") as stage:
        reviews = read_reviews(
            folder / FILE, recipe, Ids(), quarantine, budget=memory, folder=folder, stage=stage
        )
    tally = reviews.tally(recipe.since_ms, first=False)
    enough = tally.counts >= recipe.min_reviews
    best = np.argsort(-tally.counts[enough], kind="stable")[: recipe.max_products]
    return len(reviews.of_items(np.sort(tally.items[enough][best]), None).item)


def select_spilled(folder: Path) -> int:
    return select(folder, 1 << 20)


def parse(folder: Path) -> int:
    """The plain way, for scale: gzip and json.loads."""
    import gzip

    rows = 0
    with gzip.open(folder / FILE) as stream:
        for line in stream:
            row = json.loads(line)
            rows += bool(
                row["user_id"] and row["parent_asin"] and row["timestamp"] and row["rating"] is not None
            )
    return rows


def users(folder: Path) -> int:
    """Rows of 200,000 users, as the ingest asks for them."""
    import numpy as np
    from drr.data_ingest.ingest import BATCH
    from drr.data_ingest.orders import profiles
    from drr.data_ingest.packing import Ids
    from drr.env.progress import collector_off

    rng = np.random.default_rng(1)
    letters = np.frombuffer(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", np.uint8)
    codes = np.ascontiguousarray(letters[rng.integers(0, 32, (200_000, 28))]).view("S28").ravel()
    ids, pools = Ids(), profiles()
    start = time.process_time()
    with collector_off():
        hashes = ids.user_hashes(codes)
        tries = pools.attempts(hashes)
        for first in range(0, len(codes), BATCH):
            part = slice(first, first + BATCH)
            pools.rows(ids.user_texts(codes[part]), hashes[part], tries[part])
    return round(len(codes) / (time.process_time() - start))


def faker(folder: Path) -> int:
    """One Faker, seeded with each user's id."""
    from faker import Faker

    fake = Faker("en_US")
    start = time.process_time()
    for number in range(2000):
        fake.seed_instance(f"user {number}")
        (fake.first_name(), fake.last_name(), fake.email(), fake.phone_number())
        (fake.street_address(), fake.city(), fake.state_abbr(), fake.postcode())
    return round(2000 / (time.process_time() - start))


JOBS: dict[str, Callable[[Path], int]] = {
    "decompress": decompress,
    "scan": scan,
    "select": select,
    "select, spilled": select_spilled,
    "json + gzip": parse,
    "users": users,
    "faker": faker,
}


LIMITS = {"scan": "decompress", "select": "scan", "select, spilled": "scan"}
"""Each is measured right after the one it is compared with."""


def child(job: str, folder: Path) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.ingest", "--one", job, "--folder", str(folder)],
        check=True,
        capture_output=True,
        text=True,
    )
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def one(job: str, folder: Path) -> None:
    import drr.data_ingest.orders  # noqa: F401  what it takes to start Python is not measured here

    start = time.perf_counter()
    answer = JOBS[job](folder)
    wall = time.perf_counter() - start
    usage = resource.getrusage(resource.RUSAGE_SELF)
    print(
        json.dumps(
            {
                "answer": answer,
                "wall": wall,
                "cpu": usage.ru_utime + usage.ru_stime,
                "peak": usage.ru_maxrss / 1024,
            }
        )
    )


@contextmanager
def raw_files(given: str | None, plan: dict[str, int]) -> Any:
    """Generated raw files, or a folder where they were generated before."""
    if given:
        yield Path(given)
        return
    from drr.data_ingest.sample import SamplePlan, write_sample
    from drr.env.progress import Quiet

    with tempfile.TemporaryDirectory(prefix="drr-ingest-") as scratch:
        write_sample(Path(scratch) / "raw", SamplePlan(**plan), Quiet())
        yield Path(scratch) / "raw"


def ratios(reviews: int, rounds: int) -> None:
    with tempfile.TemporaryDirectory(prefix="drr-scan-") as scratch:
        folder = Path(scratch)
        # In a process of its own: a child's peak memory counts from its parent's.
        subprocess.run(
            [sys.executable, "-m", "benchmarks.raw_reviews", str(folder / FILE), str(reviews)], check=True
        )
        runs: dict[str, list[dict[str, Any]]] = {job: [] for job in JOBS}
        pairs: dict[str, list[float]] = {job: [] for job in JOBS}
        for turn in range(rounds):
            for job in JOBS:
                if job == "json + gzip" and turn:
                    continue
                against = LIMITS.get(job)
                if against:
                    runs[against].append(child(against, folder))
                runs[job].append(child(job, folder))
                if against:
                    pairs[job].append(runs[job][-1]["wall"] / runs[against][-1]["wall"])
        size = (folder / FILE).stat().st_size
    raw_size = runs["decompress"][0]["answer"]
    lines = []
    for job in ("decompress", "scan", "select", "select, spilled", "json + gzip"):
        walls = [run["wall"] for run in runs[job]]
        cpu = median(run["cpu"] for run in runs[job])
        peak = max(run["peak"] for run in runs[job])
        ratio = f"{median(pairs[job]):.2f} x {LIMITS[job]}" if pairs[job] else ""
        goal = {"scan": f"{1 / 0.85:.2f}", "select": "1.5"}.get(job, "")
        speed = f"{reviews / min(walls) / 1e6:.2f}"
        lines.append((job, f"{median(walls):.2f}", f"{cpu:.2f}", speed, ratio, goal, f"{peak:,.0f}"))
    fast, slow = (median(run["answer"] for run in runs[job]) for job in ("users", "faker"))
    record(
        "Ingest",
        f"{reviews:,} generated review rows, {raw_size / 1e6:,.0f} MB, {size / 1e6:,.0f} MB compressed ({raw_size / size:.2f} to 1; the "
        f"real files shrink 3.5 to 3.8 to 1); {rounds} interleaved rounds, each job in a process of its own. Seconds and ratios are "
        f"medians, rows a second the best (load {os.getloadavg()[0]:.1f} at the end).\n\n"
        + table(("job", "wall s", "CPU s", "M rows/s", "ratio", "goal", "peak MiB"), lines)
        + f"\n\nUsers: {fast:,.0f} rows per CPU second, seeded Faker {slow:,.0f}: {fast / slow:,.0f} x (goal 150).",
    )


def paper(raw: Path) -> None:
    from drr.data_ingest.recipe import ALL
    from drr.env.embedded.layout import read_manifest

    names = [name for name in ALL if (raw / "raw" / "review_categories" / f"{name}.jsonl.gz").exists()]
    files = sorted((raw / "raw").glob("*/*.jsonl.gz"))
    limit = child("decompress all", raw)
    with tempfile.TemporaryDirectory(prefix="drr-paper-") as scratch:
        shop = Path(scratch) / "shop"
        start = time.perf_counter()
        process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "drr.app.cli",
                "data",
                "ingest",
                str(raw),
                "--shop",
                str(shop),
                "--categories",
                ",".join(names),
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert process.stderr is not None
        said = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        if status:
            raise SystemExit(f"the ingest failed: {said}")
        manifest, _ = read_manifest(shop)
    counts = ", ".join(f"{count:,} {name}" for name, count in manifest.counts.items())
    record(
        "Paper-scale ingest",
        f"{manifest.rows['reviews']:,} review rows and {manifest.notes['metadata']:,} metadata rows in {len(files)} files "
        f"({sum(path.stat().st_size for path in files) / 1e6:,.0f} MB compressed, {limit['answer'] / 1e6:,.0f} MB raw) to {counts}: "
        f"{wall:.1f} s ({usage.ru_utime + usage.ru_stime:.1f} s of CPU), {wall / limit['wall']:.1f} x decompressing the files "
        f"({limit['wall']:.1f} s); peak memory {usage.ru_maxrss / 1024:,.0f} MiB (goal 2,048), shop "
        f"{manifest.sizes['total'] / 1e6:,.0f} MB.",
    )


def decompress_all(folder: Path) -> int:
    from isal import igzip

    buffer = memoryview(bytearray(1 << 20))
    total = 0
    for path in sorted((folder / "raw").glob("*/*.jsonl.gz")):
        with igzip.open(path) as stream:
            while got := stream.readinto(buffer):
                total += got
    return total


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("mode", nargs="?", choices=("ratios", "paper"), default="ratios")
    parser.add_argument("--reviews", type=int, default=4_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--raw", help="paper: raw files that were generated before")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    parser.add_argument("--folder", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        JOBS["decompress all"] = decompress_all
        one(arguments.one, Path(arguments.folder))
        return
    if arguments.mode == "ratios":
        ratios(arguments.reviews, arguments.rounds)
        return
    plan = {
        "products": 100_000,
        "users": arguments.reviews * 37 // 90,
        "reviews": arguments.reviews,
        "seed": 7,
    }
    with raw_files(arguments.raw, plan) as raw:
        paper(raw)


if __name__ == "__main__":
    main()
