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
    print(f"{len(pages):,} pages drawn in {time.perf_counter() - began:.1f} s")
    with TemporaryDirectory() as place:
        home = Path(place)
        for name in ("static", "s"):
            (home / name).mkdir()
        for name in (*STYLES, *SCRIPTS):
            shutil.copyfile(STATIC / name, home / "static" / name)
        for file, page in pages.items():
            (home / file).write_text(page, encoding="utf-8")
        first = [home / "index.html", *(home / "static").iterdir()]
        packed = {path.name: len(gzip.compress(path.read_bytes())) for path in first}
        print(
            f"first page {first[0].stat().st_size:,} bytes; under gzip {packed}, together {sum(packed.values()):,}"
        )
        _load(first[0], given.browser)


def _load(page: Path, browser: str) -> None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox", "--disable-gpu"])
        for width in (1440, 390):
            loads, paints = [], []
            for _ in range(5):
                shown = chromium.new_page(viewport={"width": width, "height": 900})
                shown.goto(page.as_uri())
                loads.append(shown.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd"))
                paints.append(shown.evaluate("performance.getEntriesByType('paint').at(-1)?.startTime ?? 0"))
                shown.close()
            print(
                f"width {width}: loaded after {median(loads):.0f} ms, painted after {median(paints):.0f} ms, of 5"
            )
        chromium.close()


if __name__ == "__main__":
    main()
