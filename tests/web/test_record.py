"""Recording and replay: the same answers without the web, and a loud failure for what was never asked."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from drr.env.errors import DrrError, Misuse
from drr.env.web.base import WebHit, WebUnavailable
from drr.env.web.fetch import Fetcher
from drr.env.web.live import LiveWeb
from drr.env.web.record import RecordingWeb, ReplayWeb

from tests.web.hostile import ARTICLE, READER, Site, reply, serving, to_loopback


def clock() -> datetime:
    return datetime(2026, 1, 2, 12, 0, tzinfo=UTC)


class Engine:
    name = "engine"

    def __init__(self, site: Site) -> None:
        self.site, self.asked = site, list[str]()

    async def search(self, query: str, top_k: int) -> list[WebHit]:
        self.asked.append(query)
        hits = [
            WebHit("Ramps", self.site.url("/page"), "18 degrees"),
            WebHit("Gone", self.site.url("/gone"), ""),
        ]
        return hits[:top_k]


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    async with serving() as opened:
        opened.routes["/page"] = reply(ARTICLE)
        yield opened


def _recorder(site: Site, folder: Path) -> tuple[RecordingWeb, Engine]:
    engine = Engine(site)
    fetcher = Fetcher(respect_robots=False, resolver=to_loopback, loopback_port=site.port)
    live = LiveWeb(engine, fetcher, READER)
    return RecordingWeb(live, folder, clock, live.fetch_page), engine


async def test_replay_answers_what_was_recorded_without_the_web(site: Site, tmp_path: Path) -> None:
    recorder, engine = _recorder(site, tmp_path)
    hits = await recorder.search("dog ramp", 5)
    pages = [await recorder.read(hit.url) for hit in hits]
    assert [page.status for page in pages] == ["ok", "unreachable"]
    asked = len(site.requests)
    replay = ReplayWeb(tmp_path, clock)
    assert await replay.search("dog ramp", 5) == hits
    assert await replay.search("  Dog  RAMP ", 5) == hits
    assert await replay.search("dog ramp", 1) == hits[:1]
    assert [await replay.read(hit.url) for hit in hits] == pages
    assert (len(site.requests), engine.asked) == (asked, ["dog ramp"])
    assert any(record["raw_sha256"] for record in replay.pages.records())


async def test_a_damaged_recording_fails_loudly(site: Site, tmp_path: Path) -> None:
    recorder, _ = _recorder(site, tmp_path)
    await recorder.search("dog ramp", 2)
    replay = ReplayWeb(tmp_path, clock)
    with pytest.raises(WebUnavailable, match="no search 'cat ramp' with 5 results"):
        await replay.search("cat ramp", 5)
    with pytest.raises(WebUnavailable, match="with 9 results"):
        await replay.search("dog ramp", 9)
    with pytest.raises(WebUnavailable, match=r"no page http://cats\.example/"):
        await replay.read("http://cats.example/")
    await recorder.search("dog ramp", 2)
    (search,) = (tmp_path / "searches").glob("*.json")
    for content in ("{", "{}", "[]"):
        search.write_text(content, encoding="utf-8")
        with pytest.raises(DrrError, match="record the search again"):
            await ReplayWeb(tmp_path, clock).search("dog ramp", 2)
    with pytest.raises(Misuse, match="no such folder"):
        ReplayWeb(tmp_path / "nowhere", clock)


async def test_a_recording_only_grows(site: Site, tmp_path: Path) -> None:
    first, _ = _recorder(site, tmp_path)
    await first.search("dog ramp", 2)
    page = await first.read(site.url("/page"))
    before = ReplayWeb(tmp_path, clock).content_hash
    site.routes["/page"] = reply(ARTICLE.replace("eighteen", "forty"))
    second, engine = _recorder(site, tmp_path)
    await second.search("dog ramp", 2)
    assert await second.read(site.url("/page")) == page
    assert engine.asked == []
    assert ReplayWeb(tmp_path, clock).content_hash == before
    await second.search("cat ramp", 2)
    assert ReplayWeb(tmp_path, clock).content_hash != before
