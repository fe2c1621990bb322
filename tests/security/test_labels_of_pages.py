"""A server that says a false charset costs nobody a paid unit: the page is read as UTF-8, the usual one."""

from __future__ import annotations

from datetime import UTC, datetime
from encodings.aliases import aliases
from pathlib import Path

import pytest
from drr.env.web.fetch import Fetched, Fetcher, known_charset
from drr.env.web.live import LiveWeb, make_page
from drr.env.web.record import Snapshots
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import cases
from tests.web.hostile import READER, reply, serving, to_loopback
from tests.web.test_live import NoEngine

PAGE = (
    "<html><head><title>Feeders</title></head><body><article><h1>Feeders</h1>"
    "<p>A café sells feeders of iron, and they last for twenty years when they are cleaned once a week.</p>"
    "<p>Measure the height of the pole before you choose one; squirrels climb whatever is lower than five feet.</p>"
    "</article></body></html>"
)
FALSE = cases("security", "FALSE")


@given(st.text(max_size=30) | st.sampled_from(FALSE) | st.text(max_size=5).map(lambda end: "utf-8" + end))
def test_a_charset_that_is_known_decodes_anything(name: str) -> None:
    known = known_charset(name)
    assert known is None or isinstance(b"abc\xff\xfe\x00".decode(known, "replace"), str)


@pytest.mark.parametrize("name", FALSE)
async def test_a_page_with_a_false_charset_is_read(name: str) -> None:
    url = "https://a.example/"
    page = await make_page(Fetched(url, url, 200, "text/html", known_charset(name), PAGE.encode()), READER)
    assert page.status == "ok"
    assert "café" in (page.markdown or "")
    meta = PAGE.replace("<title>", f'<meta charset="{name}"><title>')
    assert (await make_page(Fetched(url, url, 200, "text/html", None, meta.encode()), READER)).status == "ok"


@pytest.mark.parametrize("label", ["utf-8,text/html", "gbk2312", "\x1b[31m", "undefined", "hex"])
async def test_a_false_label_ends_no_reading_and_is_noted_beside_the_page(label: str, tmp_path: Path) -> None:
    async with serving() as site:
        site.routes["/page"] = reply(PAGE, f"text/html; charset={label}")
        site.routes["/true"] = reply(PAGE)
        fetcher = Fetcher(timeout=5, respect_robots=False, resolver=to_loopback, loopback_port=site.port)
        snapshots = Snapshots(tmp_path, lambda: datetime(2026, 1, 2, tzinfo=UTC))
        web = LiveWeb(NoEngine(), fetcher, READER, snapshots)
        pages = [await web.read(site.url(path)) for path in ("/page", "/true")]
        assert [page.status for page in pages] == ["ok", "ok"]
        assert pages[0].markdown == pages[1].markdown
        noted = {record["url"]: record.get("false_charset") for record in snapshots.records()}
        assert noted == {site.url("/page"): label, site.url("/true"): None}


def test_every_codec_of_python_is_an_encoding_of_text_or_refused() -> None:
    known = [known_charset(name.replace("_", "-")) for name in {*aliases, *aliases.values()}]
    assert sum(name is not None for name in known) > 50
    for name in filter(None, known):
        assert isinstance(bytes(range(256)).decode(name, "replace"), str)
