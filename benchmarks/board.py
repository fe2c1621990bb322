"""The first page of a board of 200 systems with 1,000 answers each: its size, and how long a browser takes to show it.

The systems are made up as they are read from bundles (`tests/boards.py`); answers have no pages here. `python -m benchmarks.board`
"""

from __future__ import annotations

import argparse
import gzip
import shutil
import time
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from drr.app.board.page import SCRIPTS, BoardPages
from drr.app.pages.serve import STATIC, STYLES

from benchmarks.results import record
from tests.boards import crowd


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks board", description=__doc__)
    parser.add_argument("--systems", type=int, default=200)
    parser.add_argument("--answers", type=int, default=1000)
    parser.add_argument("--browser", default="/usr/bin/chromium")
    given = parser.parse_args()
    systems = crowd(given.systems, given.answers)
    began = time.perf_counter()
    pages = BoardPages("Board", [one.bundle for one in systems], systems).pages()
    drawn = time.perf_counter() - began
    with TemporaryDirectory() as place:
        home = Path(place)
        for name in ("static", "s"):
            (home / name).mkdir()
        for name in (*STYLES, *SCRIPTS):
            shutil.copyfile(STATIC / name, home / "static" / name)
        for file, page in pages.items():
            (home / file).write_text(page, encoding="utf-8")
        first = [home / "index.html", *(home / "static").iterdir()]
        packed = sum(len(gzip.compress(path.read_bytes())) for path in first)
        loads = _load(first[0], given.browser)
    record(
        "A board",
        f"{given.systems} systems of {given.answers:,} answers each, made up as they are read from bundles; pages of answers are left out. "
        f"First page with styles and scripts {packed / 1000:.0f} kB under gzip; loaded by Chromium from disk in "
        f"{' and '.join(f'{ms:.0f} ms at {width} pixels' for width, ms in loads.items())} (median of 5); all {len(pages):,} pages drawn in "
        f"{drawn:.1f} s.",
    )


def _load(page: Path, browser: str) -> dict[int, float]:
    from playwright.sync_api import sync_playwright

    found = {}
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox", "--disable-gpu"])
        for width in (1440, 390):
            loads = []
            for _ in range(5):
                shown = chromium.new_page(viewport={"width": width, "height": 900})
                shown.goto(page.as_uri())
                loads.append(shown.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd"))
                shown.close()
            found[width] = median(loads)
        chromium.close()
    return found


if __name__ == "__main__":
    main()
