"""A server that says a false charset costs nobody a paid unit: the page is read as UTF-8, the usual one."""

from __future__ import annotations

import pytest
from drr.env.web.fetch import Fetched, known_charset
from drr.env.web.readable import Trafilatura, make_page
from hypothesis import given
from hypothesis import strategies as st

PAGE = (
    "<html><head><title>Feeders</title></head><body><article><h1>Feeders</h1>"
    "<p>A café sells feeders of iron, and they last for twenty years when they are cleaned once a week.</p>"
    "<p>Measure the height of the pole before you choose one; squirrels climb whatever is lower than five feet.</p>"
    "</article></body></html>"
)
FALSE = [
    "utf-8,text/html",
    "gbk2312",
    "utf-8\0",
    "utf-8;",
    "iso-8859-99",
    "windows-",
    "utf",
    "hex",
    "rot13",
    "undefined",
    "",
]


@given(st.text(max_size=30) | st.sampled_from(FALSE) | st.text(max_size=5).map(lambda end: "utf-8" + end))
def test_a_charset_that_is_known_decodes_anything(name: str) -> None:
    known = known_charset(name)
    assert known is None or isinstance(b"abc\xff\xfe\x00".decode(known, "replace"), str)


@pytest.mark.parametrize("name", FALSE)
async def test_a_page_with_a_false_charset_is_read(name: str) -> None:
    url = "https://a.example/"
    page = await make_page(
        Fetched(url, url, 200, "text/html", known_charset(name), PAGE.encode()), Trafilatura()
    )
    assert page.status == "ok"
    assert "café" in (page.markdown or "")
    meta = PAGE.replace("<title>", f'<meta charset="{name}"><title>')
    assert (
        await make_page(Fetched(url, url, 200, "text/html", None, meta.encode()), Trafilatura())
    ).status == "ok"
