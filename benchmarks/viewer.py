"""The viewer and the report at size. Measured are server time of pages at 1,300 reports beside a bare file,
and the size of static pages.

Reports come in through `drr study import` (two systems, with evidence), are judged by rules, and are read over real HTTP.
"""

from __future__ import annotations

import json
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import which
from statistics import median

import httpx
import uvicorn
from drr.app.cli import main as drr
from drr.app.pages.serve import bind
from drr.app.viewer.reader import Reader
from drr.app.viewer.site import site
from drr.study.study import Study
from playwright.sync_api import sync_playwright

from benchmarks.results import record, table
from tests.entering import entered

SMALL = 300
REPORTS = 1300
SENTENCE = "Black oil sunflower seed suits {bird} in {place}, and {n} grams a day are enough"
BIRDS = ("cardinals", "chickadees", "juncos", "finches", "nuthatches", "titmice", "jays", "doves")


def rows(reports: int) -> list[str]:
    found = []
    for number in range(reports // 2):
        facts = [
            SENTENCE.format(bird=bird, place=f"county {number}", n=10 + i) for i, bird in enumerate(BIRDS * 3)
        ]
        urls = [f"http://guide{i}.example/{number}" for i in range(5)]
        evidence = [
            {
                "url": url,
                "type": "web",
                "text": ". ".join(facts[i::5]) + ". " + "More on feeding birds. " * 40,
            }
            for i, url in enumerate(urls)
        ]
        for system in ("one", "two"):
            body = "\n\n".join(f"{fact} [{i % 5 + 1}]." for i, fact in enumerate(facts))
            sources = "\n".join(f"[{i + 1}] Guide {i}: {url}" for i, url in enumerate(urls))
            report = f"# Birds of county {number}\n\n{body}\n\n{'Some prose without a source. ' * 40}\n\n## Sources\n\n{sources}\n"
            found.append(
                json.dumps(
                    {"id": f"{number}-{system}", "system": system, "query": f"What do the birds of county {number} eat?",
                     "report_markdown": report, "evidence": evidence}
                )
            )  # fmt: skip
    return found


def timed(client: httpx.Client, path: str, times: int = 30) -> tuple[float, float]:
    """First and median of the others, in ms."""
    seen = []
    for _ in range(times):
        start = time.perf_counter()
        client.get(path).raise_for_status()
        seen.append((time.perf_counter() - start) * 1000)
    return seen[0], median(seen[1:])


def judged(home: Path, reports: int) -> Path:
    (home / "reports.jsonl").write_text("\n".join(rows(reports)) + "\n", encoding="utf-8")
    study = home / f"study-{reports}"
    assert drr(["study", "import", str(study), str(home / "reports.jsonl"), "--quiet"]) == 0
    assert drr(["judge", str(study), "--judge", "offline", "--what", "faithfulness,quality", "--quiet"]) == 0
    return study


def command(*words: str) -> tuple[str, str, str, str]:
    start, busy = time.perf_counter(), time.process_time()
    assert drr([*words]) == 0
    wall, cpu = time.perf_counter() - start, time.process_time() - busy
    return f"{wall * 1000:.0f}", "", "", f"{cpu:.1f}"


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        small, large = judged(home, SMALL), judged(home, REPORTS)
        lines = measure_pages(large)
        for study, reports in ((small, SMALL), (large, REPORTS)):
            out = str(home / f"report-{reports}")
            lines.append((f"`drr report`, {reports} reports", *command("report", str(study), "--out", out)))
        pages = ("view", str(small), "--static", str(home / "pages"), "--quiet")
        lines.append((f"`drr view --static`, {SMALL} reports", *command(*pages)))
        sizes = [path.stat().st_size for path in (home / "pages" / "r").glob("*.html")]
        text = table(("what", "first, ms", "median after, ms", "x a bare file", "CPU s"), lines)
        record(
            "Viewer and report",
            f"{REPORTS} imported reports ({SMALL} where said), judged by rules. A static report page has {median(sizes) / 1000:.0f} kB.\n\n{text}",
        )


SEARCHES = (
    "cardinals",
    "county 77",
    "sunflower seed suits",
    "feeding birds",
    "grams a day",
    "zebra",
    "1",
    "e",
)


def search_line(address: str) -> tuple[str, str, str, str, str]:
    """Measure a search for words of questions, reports, claims and evidence, as a browser finds them. It is
    timed once the words are loaded, and from then on."""
    program = which("chromium") or which("google-chrome")
    if program is None:
        return ("a search in all answers", "no Chromium here", "", "", "")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        page = browser.new_page(bypass_csp=True)  # how Playwright waits is what our pages forbid
        page.goto(address)
        page.locator("#more").evaluate("fold => fold.open = true")
        page.locator("#deep").check()
        page.locator("#find").fill("first")
        page.wait_for_function("vocabulary !== null")
        told = [
            page.evaluate(
                """words => { document.getElementById("find").value = words; const start = performance.now(); sift(); return performance.now() - start; }""",
                words,
            )
            for words in SEARCHES * 5
        ]
        browser.close()
    slowest = f"slowest {max(told):.0f}"
    return ("a search in all answers, in Chromium", slowest, f"{median(told):.0f}", "", "")


def wait_until_measured(client: httpx.Client) -> None:
    """The figures of the index are added up beside the server; pages are then timed alone."""
    while not client.get("/live.json").json()["version"].endswith(" 1"):
        time.sleep(0.5)


@contextmanager
def served(reader: Reader) -> Iterator[str]:
    """Serve the study's pages; the server ends with the block, whatever fails in it."""
    listener = bind(0)
    port = listener.getsockname()[1]
    server = uvicorn.Server(uvicorn.Config(site(reader, "token", port), log_level="error", lifespan="on"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join()


def measure_pages(study: Path) -> list[tuple[str, str, str, str, str]]:
    with Study.open(study) as opened:
        reader = Reader(opened)
        start, busy = time.perf_counter(), time.process_time()
        reader.entries()
        opening_ms, opening_s = (time.perf_counter() - start) * 1000, time.process_time() - busy
        lines = [
            (
                "opening the study, before the address is printed",
                f"{opening_ms:.0f}",
                "",
                "",
                f"{opening_s:.2f}",
            )
        ]
        with (
            served(reader) as address,
            httpx.Client(base_url=address, follow_redirects=True, timeout=120) as client,
        ):
            entered(client, "token")
            client.get("/static/viewer.css")
            _, bare = timed(client, "/static/viewer.css")
            first, after = timed(client, "/index.html")
            entries = reader.entries()
            lines.append(("a bare file (viewer.css)", "", f"{bare:.1f}", "1.0", ""))
            lines.append(("first page (index)", f"{first:.0f}", f"{after:.1f}", f"{after / bare:.1f}", ""))
            fresh = []
            wait_until_measured(client)
            busy = time.process_time()
            for entry in entries[::40]:
                start = time.perf_counter()
                client.get(f"/r/{entry.key}.html").raise_for_status()
                fresh.append((time.perf_counter() - start) * 1000)
            drawing = time.process_time() - busy
            _, again = timed(client, f"/r/{entries[0].key}.html")
            lines.append(search_line(f"{address}/?token=token"))
            lines.append(
                (
                    f"report page ({len(fresh)} of them, never drawn before: median)",
                    f"{median(fresh):.0f}",
                    f"{again:.1f}",
                    f"{again / bare:.1f}",
                    f"{drawing / len(fresh):.3f} each",
                )
            )
    return lines


if __name__ == "__main__":
    main()
