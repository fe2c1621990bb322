"""From bytes to a page: readable markdown, or the reason why it is not content."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from drr.env.errors import Misuse
from drr.env.web.fetch import Fetched
from drr.env.web.live import Readable, Trafilatura, from_result, make_page, page_reader

from tests.cases import cases
from tests.web.hostile import ARTICLE, READER


def _fetched(body: str | bytes, content_type: str = "text/html", charset: str | None = None) -> Fetched:
    content = body.encode() if isinstance(body, str) else body
    return Fetched("http://site.example/a", "http://site.example/b", 200, content_type, charset, content)


async def test_articles_and_plain_texts_become_pages() -> None:
    page = await make_page(_fetched(ARTICLE), READER)
    assert (page.status, page.reason, page.title) == ("ok", None, "Dog ramps")
    assert (page.url, page.final_url) == ("http://site.example/a", "http://site.example/b")
    assert page.markdown is not None and "<p>" not in page.markdown
    assert "rises no more than eighteen degrees" in page.markdown
    assert re.match(r"trafilatura/\d", page.reader)
    text = "# Ramps\n\n" + "A ramp rises gently. " * 20
    for content_type in ("text/plain", "text/markdown"):
        page = await make_page(_fetched(text, content_type), READER)
        assert (page.status, page.markdown, page.reader) == ("ok", text.strip(), "plain/1")
    asking = "<article><p>How a captcha asks: are you a robot? " + "It looks at you. " * 120
    assert (await make_page(_fetched(ARTICLE.replace("<article>", asking)), READER)).status == "ok"


@pytest.mark.parametrize(
    ("html", "status", "said"),
    [
        *cases("web", "test_walls_and_empty_pages_are_not_content"),
        ("<script>" + "var ramp = 'ramp';" * 500 + "</script>", "empty", "fewer than 200"),
    ],
)
async def test_walls_and_empty_pages_are_not_content(html: str, status: str, said: str) -> None:
    page = await make_page(_fetched(html), READER)
    assert (page.status, page.markdown) == (status, None)
    assert page.reason is not None and said in page.reason


async def test_a_reader_that_breaks_or_is_kept_busy_leaves_an_empty_page_with_the_reason() -> None:
    page = await make_page(_fetched("<script>if (captcha) { show('sign in to continue') }"), READER)
    assert (page.status, page.reason) == ("empty", "it has 0 characters of text, fewer than 200")
    page = await make_page(_fetched(ARTICLE), _Failing())
    assert (page.status, page.markdown, page.reader) == ("empty", None, "failing/1")
    assert page.reason == "the reader failed: RecursionError"
    page = await make_page(_fetched("<p>word<br>" * 450_000), Trafilatura(0.5))
    assert (page.status, page.reason) == ("empty", "the reader failed: takes longer to read than 0.5 s")


@pytest.mark.parametrize(
    ("encoding", "charset", "meta"),
    [
        ("iso-8859-1", "iso-8859-1", ""),
        ("cp1252", None, '<meta charset="windows-1252">'),
        ("utf-8", None, ""),
    ],
)
async def test_the_pages_encoding_is_respected(encoding: str, charset: str | None, meta: str) -> None:
    body = ARTICLE.replace("old dog", "müder Hund").replace("<head>", f"<head>{meta}").encode(encoding)
    page = await make_page(_fetched(body, charset=charset), READER)
    assert page.markdown is not None and "müder Hund" in page.markdown


class _Failing:
    name = "failing/1"

    async def read(self, html: str, url: str) -> Readable:
        raise RecursionError("too deep")


@pytest.mark.parametrize(
    "html",
    [
        "<div>" * 20_000, "<p>" + "&" * 50_000, "\0" * 3000 + "<p>text</p>", "<!doctype html><![CDATA[" + "]" * 10_000,
        '<a href="' + "x" * 100_000, "<table>" + "<tr><td>" * 5_000, "<input" * 800_000, "<script " * 3_000,
    ],
)  # fmt: skip
async def test_hostile_markup_is_survived(html: str) -> None:
    page = await make_page(_fetched(html), READER)
    assert page.status in ("ok", "empty", "blocked")
    assert "\0" not in (page.markdown or "")


def test_the_paper_reader_reads_recorded_results_and_another_is_misuse() -> None:
    """Recorded output of crawl4ai in its two forms; the package itself is in no lock of ours."""
    recorded = json.loads((Path(__file__).parent / "crawl4ai_results.json").read_text(encoding="utf-8"))
    assert from_result(recorded["object"]) == Readable("Dog ramps", "# Dog ramps\n\nRises 18 degrees.")
    assert from_result(recorded["filtered"]) == Readable("Dog ramps", "Rises 18 degrees.")
    assert from_result(recorded["string"]) == Readable(None, "# Dog ramps")
    assert from_result(recorded["failed"]) == Readable(None, "")
    with pytest.raises(Misuse, match=r"crawl4ai is not installed; docs/tools\.md"):
        page_reader("crawl4ai")
    with pytest.raises(Misuse, match="there are trafilatura and crawl4ai"):
        page_reader("lynx")
