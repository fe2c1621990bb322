"""The viewer and the report at size: server time of pages at 1,300 reports beside a bare file, size of static pages.

Reports come in through `drr import` (two systems, with evidence), are judged by rules, and are read over real HTTP.
"""

from __future__ import annotations

import json
import sys
import tempfile
import threading
import time
from pathlib import Path
from statistics import median

import httpx
import uvicorn

from app.cli import main as drr
from app.pages.serve import bind
from app.viewer.reader import Reader
from app.viewer.site import site
from benchmarks.results import machine, record, table
from study.study import Study

REPORTS = int(sys.argv[1]) if len(sys.argv) > 1 else 1300
SENTENCE = "Black oil sunflower seed suits {bird} in {place}, and {n} grams a day are enough"
BIRDS = ("cardinals", "chickadees", "juncos", "finches", "nuthatches", "titmice", "jays", "doves")


def rows() -> list[str]:
    found = []
    for number in range(REPORTS // 2):
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


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        (home / "reports.jsonl").write_text("\n".join(rows()) + "\n", encoding="utf-8")
        study = home / "study"
        assert drr(["import", str(study), str(home / "reports.jsonl")]) == 0
        assert drr(["judge", str(study), "--what", "faithfulness,quality", "--quiet"]) == 0
        start = time.perf_counter()
        assert drr(["report", str(study), "--out", str(home / "report")]) == 0
        report_s = time.perf_counter() - start
        start = time.perf_counter()
        assert drr(["view", str(study), "--static", str(home / "pages"), "--quiet"]) == 0
        static_s = time.perf_counter() - start
        sizes = [path.stat().st_size for path in (home / "pages" / "r").glob("*.html")]
        lines = measure_pages(study)
        lines += [
            ("`drr report`", f"{report_s * 1000:.0f}", "", ""),
            ("`drr view --static`", f"{static_s * 1000:.0f}", "", ""),
        ]
        text = table(("what", "first, ms", "median after, ms", "x a bare file"), lines)
        size = (
            f"Static report page: median {median(sizes) / 1000:.0f} kB, largest {max(sizes) / 1000:.0f} kB."
        )
        record(
            "Viewer and report",
            f"{REPORTS} imported reports, judged by rules ({machine()}).\n\n{text}\n\n{size}",
        )


def measure_pages(study: Path) -> list[tuple[str, str, str, str]]:
    with Study.open(study) as opened:
        reader = Reader(opened)
        start = time.perf_counter()
        reader.entries()
        opening_ms = (time.perf_counter() - start) * 1000
        listener = bind(0)
        port = listener.getsockname()[1]
        server = uvicorn.Server(
            uvicorn.Config(site(reader, "token", port), log_level="error", lifespan="on")
        )
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        lines = [("opening the study, before the address is printed", f"{opening_ms:.0f}", "", "")]
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", follow_redirects=True, timeout=120) as client:
            client.get("/static/viewer.css?token=token")
            client.get("/static/viewer.css")
            _, bare = timed(client, "/static/viewer.css")
            first, after = timed(client, "/index.html")
            entries = reader.entries()
            lines.append(("a bare file (viewer.css)", "", f"{bare:.1f}", "1.0"))
            lines.append(("first page (index)", f"{first:.0f}", f"{after:.1f}", f"{after / bare:.1f}"))
            fresh = []
            for entry in entries[::40]:
                start = time.perf_counter()
                client.get(f"/r/{entry.key}.html").raise_for_status()
                fresh.append((time.perf_counter() - start) * 1000)
            _, again = timed(client, f"/r/{entries[0].key}.html")
            lines.append(
                (
                    f"report page ({len(fresh)} of them, never drawn before: median)",
                    f"{median(fresh):.0f}",
                    f"{again:.1f}",
                    f"{again / bare:.1f}",
                )
            )
        server.should_exit = True
        thread.join()
    return lines


if __name__ == "__main__":
    main()
