"""`drr tools` and `drr tools mcp` by hand: what is printed, what the exit codes are."""

from __future__ import annotations

import json
import socket
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from drr.env.shop import Shop
from drr.env.source import text_hash
from drr.env.web.sandbox import DOCUMENTS, Sandbox
from drr.tools.registry import TOOLS

from tests.commands import Drr
from tests.tools.small_shop import ANNA, BARE, FEEDER

pytestmark = pytest.mark.parametrize("shop", ["embedded"], indirect=True)


@pytest.fixture(scope="module")
def sandbox(web: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("sandbox")
    (folder / DOCUMENTS).write_text("\n".join(d.model_dump_json() for d in web.documents), encoding="utf-8")
    return str(folder)


@pytest.fixture
def given(shop: Shop, sandbox: str) -> tuple[str, ...]:
    return ("--shop", shop.spec, "--user", ANNA, "--sandbox", sandbox)


def test_tools_are_listed_and_called(drr: Drr, given: tuple[str, ...]) -> None:
    def called(name: str, arguments: str) -> Any:
        return drr.json("tools", "call", name, *given, "--args", arguments)

    rows = [line for line in drr.out("tools", "list").splitlines() if not line.startswith(" ")]
    assert [row.split()[:2] for row in rows] == [
        [tool.name, "writes" if tool.writes else "reads"] for tool in TOOLS.values()
    ]
    listed = drr.json("tools", "list")
    assert [tool["name"] for tool in listed] == list(TOOLS)
    assert {"name", "description", "writes", "parameters", "required"} == set(listed[0])
    assert json.loads(drr.out("tools", "schema", "get_user_orders")) == TOOLS["get_user_orders"].schema
    assert "did you mean" in drr.err("tools", "schema", "get_orders")
    told = drr.out("tools", "call", "calculator", *given, "--args", '{"expression": "0.1+0.2"}')
    assert told == "0.1+0.2 = 0.3\n"
    document = called("get_product_details", f'{{"product_id": "{BARE}"}}')
    assert list(document) == ["tool", "ok", "text", "sources", "data", "error"]
    assert (document["tool"], document["ok"], document["error"]) == ("get_product_details", True, None)
    assert document["data"]["price"] is None
    url, digest = f"http://ecommerce.example/{BARE}", text_hash(document["text"])
    source = {"url": url, "type": "product", "title": "Bird house kit", "sha256": digest}
    assert document["sources"] == [source]
    assert called("calculator", '{"expression": "6*7"}')["data"] == {"value": "42"}
    data = called("web_search", '{"query": "dog ramp"}')["data"]
    assert set(data) == {"items", "total"}
    assert set(data["items"][0]) == {"title", "url", "snippet", "date", "rows", "page"}


def test_a_tool_error_exits_1(shop: Shop, drr: Drr, given: tuple[str, ...]) -> None:
    wrong = ("--args", '{"product_id": "BOBN7FLXLV"}', "--json")
    code, out, err = drr("tools", "call", "get_product_details", *given, *wrong)
    document = json.loads(out)
    assert (code, document["ok"], document["error"]["kind"]) == (1, False, "not_found")
    assert FEEDER in document["error"]["message"]
    assert (document["sources"], document["data"]) == ([], None)
    assert err.startswith("drr: get_product_details: ")
    bare = ("tools", "call", "get_user_orders", "--shop", shop.spec, "--sandbox", given[-1])
    assert "--user USER" in drr.err(*bare, code=1)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["tools", "call", "calculate", "--shop", "x"], "did you mean calculator"),
        (["tools", "call", "calculator", "--shop", "SHOP", "--args", "{"], "--args: not JSON"),
        (["tools", "call", "calculator", "--shop", "SHOP", "--args", "[1]"], "--args: not an object"),
        (["tools", "call", "calculator", "--shop", "SHOP", "--args", "[" * 100_000], "--args: not JSON"),
        (
            ["tools", "call", "get_user_profile", "--shop", "SHOP", "--user", "NOBODY", "--sandbox", "BOX"],
            "names some",
        ),
        (["tools", "call", "calculator"], "--shop"),
        (["tools"], "list|schema|call|docs"),
        (["mcp", "--shop", "SHOP", "--http", "70000"], "1 to 65535"),
        (["view", "SHOP", "--port", "80000"], "'80000' is no port"),
    ],
)
def test_misuse_exits_2_with_one_sentence(
    words: list[str], said: str, shop: Shop, sandbox: str, drr: Drr
) -> None:
    code, out, err = drr(*({"SHOP": shop.spec, "BOX": sandbox}.get(word, word) for word in words))
    assert (code, out, err.count("\n")) == (2, "", 1) and said in err


def test_a_taken_port_is_said_first(shop: Shop, drr: Drr) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert f"--http {port}" in drr.err("mcp", "--shop", shop.spec, "--http", port, code=1)


class _Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.outside: list[str] = []
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.outside += [
            value or "" for name, value in attrs if name in ("src", "href") and value and value[0] != "#"
        ]


def test_docs_is_one_page_that_needs_nothing_else(drr: Drr, given: tuple[str, ...], tmp_path: Path) -> None:
    out = tmp_path / "docs"
    drr.out("tools", "docs", "--out", out, *given)
    assert [path.name for path in out.iterdir()] == ["tools.html"]
    html = (out / "tools.html").read_text(encoding="utf-8")
    page = _Links()
    page.feed(html)
    assert page.outside == [] and "script" not in page.tags
    assert all(f'id="{name}"' in html for name in TOOLS)
    assert "= 74.5092" in html and f"user://{ANNA}/orders/" in html
    assert "Changed city: Norman" not in html and "Nothing changed" in html


def test_a_dead_server_is_unavailable_for_programs_too(
    shop: Shop, monkeypatch: pytest.MonkeyPatch, drr: Drr
) -> None:
    """Already when the shop is opened: one document with the kind of the error, and one line."""
    monkeypatch.setenv("DRR_MONGODB_URL", "mongodb://127.0.0.1:9")  # where nothing listens
    monkeypatch.setenv("DRR_SERVER_TIMEOUT", "0.2")
    words = ("tools", "call", "get_user_profile", "--shop", "servers:x", "--user", "A1", "--json")
    code, out, err = drr(*words)
    told = json.loads(out)
    assert (code, told["ok"], told["error"]["kind"], err.count("\n")) == (1, False, "unavailable", 1)
    assert "MongoDB at 127.0.0.1:9" in told["error"]["message"]
