"""A page made to keep its reader busy is given up with the process that reads it, and the next page is read."""

from __future__ import annotations

import resource
import time

import pytest
from drr.app.viewer.highlight import marked_html
from drr.env.progress import LONGEST
from drr.env.web.fetch import Fetched
from drr.env.web.live import Trafilatura, make_page

BUSY = ("<p>word<br>" * 450_000, "<table>" + "<tr><td>a" * 500_000, "<div>" * 1_000_000, "<b><i>" * 800_000)
ARTICLE = "<html><title>A page</title><body><article>" + "<p>A bird house of cedar, 9 inches high.</p>" * 20


def _fetched(html: str) -> Fetched:
    return Fetched("https://a.example/", "https://a.example/", 200, "text/html", "utf-8", html.encode())


@pytest.mark.long
async def test_busy_pages_cost_bounded_time_and_memory_and_the_next_page_is_read() -> None:
    reader, before = Trafilatura(4), resource.getrusage(resource.RUSAGE_SELF)
    for html in BUSY:
        began = time.monotonic()
        page = await make_page(_fetched(html), reader)
        assert page.status in ("ok", "empty")
        assert time.monotonic() - began < 15
    used = resource.getrusage(resource.RUSAGE_SELF)
    assert used.ru_utime - before.ru_utime < 5, "the work is another process's"
    page = await make_page(_fetched(ARTICLE), reader)
    assert (page.status, page.title) == ("ok", "A page")


def test_a_report_that_no_judge_reads_is_shown_as_text() -> None:
    report = "**a** <script>" * (LONGEST // 14 + 1)
    shown = marked_html(report, [])
    assert shown.startswith("<pre>**a** &lt;script&gt;") and "<script" not in shown
