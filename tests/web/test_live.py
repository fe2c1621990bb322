"""Pages read live: once per study, kept by content, the shop never asked; the engine retried in one layer only."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import pytest
from drr.env.errors import DrrError
from drr.env.source import text_hash
from drr.env.web.base import Page, WebHit, WebUnavailable
from drr.env.web.fetch import Fetcher
from drr.env.web.live import LiveWeb, Serper
from drr.env.web.record import Snapshots
from pydantic import SecretStr

from tests.cases import cases
from tests.web.hostile import ARTICLE, READER, Route, Site, redirect, reply, serving, to_loopback

NOON = datetime(2026, 1, 2, 12, 0, tzinfo=UTC)


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    async with serving() as opened:
        opened.routes["/page"] = reply(ARTICLE)
        opened.routes["/moved"] = redirect("/page")
        yield opened


class NoEngine:
    name = "none"

    async def search(self, query: str, top_k: int) -> list[WebHit]:
        return []


def _live(site: Site, folder: Path | None) -> LiveWeb:
    fetcher = Fetcher(timeout=5, respect_robots=False, resolver=to_loopback, loopback_port=site.port)
    snapshots = None if folder is None else Snapshots(folder, lambda: NOON)
    return LiveWeb(NoEngine(), fetcher, READER, snapshots)


async def test_what_was_read_is_kept_by_its_content(site: Site, tmp_path: Path) -> None:
    page = await _live(site, tmp_path).read(site.url("/moved"))
    assert (page.status, page.url, page.final_url) == ("ok", site.url("/moved"), site.url("/page"))
    assert page.markdown is not None
    (record,) = Snapshots(tmp_path, lambda: NOON).records()
    digest, raw = text_hash(page.markdown), sha256(ARTICLE.encode()).hexdigest()
    assert record == {
        "url": site.url("/moved"), "final_url": site.url("/page"), "status": "ok", "reason": None, "title": "Dog ramps",
        "sha256": digest, "raw_sha256": raw, "reader": READER.name, "time": "2026-01-02T12:00:00+00:00",
        "http_status": 200, "content_type": "text/html",
    }  # fmt: skip
    assert (tmp_path / "texts" / digest[:2] / f"{digest}.md").read_text(encoding="utf-8") == page.markdown
    assert (tmp_path / "raw" / raw[:2] / raw).read_bytes() == ARTICLE.encode()
    snapshots = Snapshots(tmp_path / "equal", lambda: NOON)
    for name in "abc":
        url = f"http://{name}.example/"
        snapshots.put(url, Page(url, url, "ok", None, "the same", "plain/1"), {})
    assert len(list(snapshots.records())) == 3
    assert len(list((tmp_path / "equal" / "texts").rglob("*.md"))) == 1


@pytest.mark.parametrize("kept", [True, False])
async def test_a_url_is_fetched_once_even_by_many_at_once(site: Site, tmp_path: Path, kept: bool) -> None:
    web = _live(site, tmp_path if kept else None)
    pages = await asyncio.gather(*(web.read(site.url("/page")) for _ in range(50)))
    assert len(set(pages)) == 1
    part = await web.read(site.url("/page#part"))
    assert part == pages[0]._replace(url=site.url("/page#part"))
    assert site.paths() == ["/page"]
    if kept:
        assert await _live(site, tmp_path).read(site.url("/page")) == pages[0]
        assert site.paths() == ["/page"]


async def test_webs_that_share_a_folder_fetch_a_url_once_between_them(site: Site, tmp_path: Path) -> None:
    async def slow(writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(0.1)
        await reply(ARTICLE)(writer)

    site.routes["/slow"] = slow
    webs = [_live(site, tmp_path) for _ in range(8)]
    pages = await asyncio.gather(*(web.read(site.url("/slow")) for web in webs))
    assert len(set(pages)) == 1
    assert site.paths() == ["/slow"]


async def test_failures_are_evidence_too(site: Site, tmp_path: Path) -> None:
    site.routes["/wall"] = reply("<title>Just a moment...</title>")
    web = _live(site, tmp_path)
    found = {path: await web.read(site.url(path)) for path in ("/gone", "/wall")}
    assert [page.status for page in found.values()] == ["unreachable", "blocked"]
    assert (await web.read("http://10.0.0.1/")).status == "blocked"
    again = _live(site, tmp_path)
    assert {path: await again.read(site.url(path)) for path in ("/gone", "/wall")} == found
    assert site.paths() == ["/gone", "/wall"]


async def test_a_text_that_was_tampered_with_is_an_error_and_not_evidence(site: Site, tmp_path: Path) -> None:
    await _live(site, tmp_path).read(site.url("/page"))
    (text,) = (tmp_path / "texts").rglob("*.md")
    text.write_text("A ramp rises 45 degrees.", encoding="utf-8")
    with pytest.raises(DrrError, match="was changed"):
        await _live(site, tmp_path).read(site.url("/page"))
    text.unlink()
    with pytest.raises(DrrError, match="cannot be read"):
        await _live(site, tmp_path).read(site.url("/page"))


class Searching:
    """A search engine on loopback; what it does with each request in turn, the last one for ever."""

    def __init__(self, site: Site, *routes: Route) -> None:
        self.site, self.pauses = site, list[float]()
        turns = list(routes)

        async def next_turn(writer: asyncio.StreamWriter) -> None:
            await (turns.pop(0) if len(turns) > 1 else turns[0])(writer)

        site.routes["/search"] = next_turn

    async def _sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)

    def serper(self, key: str | None = "planted-secret-key", **more: float) -> Serper:
        secret = None if key is None else SecretStr(key)
        endpoint = f"http://127.0.0.1:{self.site.port}/search"
        return Serper(secret, endpoint=endpoint, sleep=self._sleep, **more)


_ORGANIC = cases("web", "_ORGANIC")
_GOOD = reply(json.dumps(_ORGANIC), "application/json")


async def test_serper_answers_in_our_form_and_is_asked_three_times_at_most(site: Site) -> None:
    engine = Searching(site, _GOOD)
    hits = await engine.serper().search("dog ramp", 2)
    assert hits == [
        WebHit("Ramps", "https://dogs.example/ramps", "2 Feb 2020 - 18 degrees", "2 Feb 2020"),
        WebHit("", "https://dogs.example/bare", ""),
    ]
    assert site.requests[0][1]["X-API-KEY"] == "planted-secret-key"
    assert engine.pauses == []
    engine = Searching(site, reply("", status="503 Busy"), reply("", status="429 Slow"), _GOOD)
    assert len(await engine.serper().search("dog ramp", 5)) == 3
    assert len(engine.pauses) == 2
    engine = Searching(site, reply("", status="500 Oops"))
    site.requests.clear()
    with pytest.raises(WebUnavailable, match="failed 3 times, last: status 500"):
        await engine.serper().search("dog ramp", 5)
    assert len(site.requests) == 3

    async def silent(writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(5)

    with pytest.raises(WebUnavailable, match=r"within 0\.2 s|failed 3 times"):
        await Searching(site, silent).serper(timeout=0.2).search("dog", 5)
    with pytest.raises(WebUnavailable, match="set SERPER_API_KEY"):
        await Searching(site, _GOOD).serper(None).search("dog", 5)


@pytest.mark.parametrize(
    ("route", "said"),
    [
        (reply("", status="401 Unauthorized"), "refused the key"),
        (reply("", status="400 Bad Request"), "status 400"),
        (redirect("http://127.0.0.1:1/"), "status 302"),
        (reply("<html>", "text/html"), "not JSON"),
        (reply("[]", "application/json"), "known form"),
        (reply('{"organic": 3}', "application/json"), "known form"),
    ],
)
async def test_serper_never_shows_the_key(site: Site, route: Route, said: str) -> None:
    engine = Searching(site, route)
    with pytest.raises(WebUnavailable, match=said) as caught:
        await engine.serper().search("dog ramp", 5)
    assert len(site.requests) == 1
    assert "planted" not in str(caught.value)
    assert "planted" not in repr(vars(engine.serper()))
