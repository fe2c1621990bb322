"""`drr tools` and `drr tools mcp` by hand: what is printed, what the exit codes are."""

from __future__ import annotations

import json
import socket
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from drr.app.cli import main
from drr.env.shop import Shop
from drr.env.source import text_hash
from drr.env.web.sandbox import DOCUMENTS, Sandbox
from drr.tools.registry import TOOLS

from tests.tools.small_shop import ANNA, BARE, FEEDER

pytestmark = pytest.mark.parametrize("shop", ["embedded"], indirect=True)


@pytest.fixture(scope="module")
def sandbox(web: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("sandbox")
    (folder / DOCUMENTS).write_text("\n".join(d.model_dump_json() for d in web.documents), encoding="utf-8")
    return str(folder)


def _call(shop: Shop, sandbox: str, name: str, arguments: Any, *more: str) -> int:
    options = [
        "--shop", shop.spec, "--user", ANNA, "--sandbox", sandbox, "--args", json.dumps(arguments), *more,
    ]  # fmt: skip
    return main(["tools", "call", name, *options])


def test_tools_are_listed_and_called(shop: Shop, capsys: pytest.CaptureFixture[str], sandbox: str) -> None:
    assert main(["tools", "list"]) == 0
    rows = [line for line in capsys.readouterr().out.splitlines() if not line.startswith(" ")]
    assert [row.split()[:2] for row in rows] == [
        [tool.name, "writes" if tool.writes else "reads"] for tool in TOOLS.values()
    ]
    assert main(["tools", "list", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert [tool["name"] for tool in listed] == list(TOOLS)
    assert {"name", "description", "writes", "parameters", "required"} == set(listed[0])
    assert main(["tools", "schema", "get_user_orders"]) == 0
    assert json.loads(capsys.readouterr().out) == TOOLS["get_user_orders"].schema
    assert main(["tools", "schema", "get_orders"]) == 2
    assert "did you mean" in capsys.readouterr().err
    assert _call(shop, sandbox, "calculator", {"expression": "0.1+0.2"}) == 0
    assert capsys.readouterr().out == "0.1+0.2 = 0.3\n"
    assert _call(shop, sandbox, "get_product_details", {"product_id": BARE}, "--json") == 0
    document = json.loads(capsys.readouterr().out)
    assert list(document) == ["tool", "ok", "text", "sources", "data", "error"]
    assert (document["tool"], document["ok"], document["error"]) == ("get_product_details", True, None)
    assert document["data"]["price"] is None
    assert document["sources"] == [
        {
            "url": f"http://ecommerce.example/{BARE}",
            "type": "product",
            "title": "Bird house kit",
            "sha256": text_hash(document["text"]),
        }
    ]
    assert _call(shop, sandbox, "calculator", {"expression": "6*7"}, "--json") == 0
    assert json.loads(capsys.readouterr().out)["data"] == {"value": "42"}
    assert _call(shop, sandbox, "web_search", {"query": "dog ramp"}, "--json") == 0
    data = json.loads(capsys.readouterr().out)["data"]
    assert set(data) == {"items", "total"}
    assert set(data["items"][0]) == {"title", "url", "snippet", "date", "rows"}


def test_a_tool_error_exits_1(shop: Shop, sandbox: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert _call(shop, sandbox, "get_product_details", {"product_id": "BOBN7FLXLV"}, "--json") == 1
    printed = capsys.readouterr()
    document = json.loads(printed.out)
    assert document["ok"] is False
    assert document["error"]["kind"] == "not_found"
    assert FEEDER in document["error"]["message"]
    assert (document["sources"], document["data"]) == ([], None)
    assert printed.err.startswith("drr: get_product_details: No product")
    assert main(["tools", "call", "get_user_orders", "--shop", shop.spec, "--sandbox", sandbox]) == 1
    assert capsys.readouterr().err.rstrip().endswith("Give --user USER.")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["tools", "call", "calculate", "--shop", "x"], "did you mean calculator"),
        (["tools", "call", "calculator", "--shop", "SHOP", "--args", "{"], "--args: not JSON"),
        (["tools", "call", "calculator", "--shop", "SHOP", "--args", "[1]"], "--args: not an object"),
        (["tools", "call", "calculator", "--shop", "SHOP", "--args", "[" * 100_000], "--args: not JSON"),
        (
            ["tools", "call", "get_user_profile", "--shop", "SHOP", "--user", "NOBODY", "--sandbox", "BOX"],
            "one of its",
        ),
        (["tools", "call", "calculator"], "--shop"),
        (["tools"], "list|schema|call|docs"),
        (["mcp", "--shop", "SHOP", "--http", "70000"], "1 to 65535"),
    ],
)
def test_misuse_exits_2_with_one_sentence(
    words: list[str], said: str, shop: Shop, sandbox: str, capsys: pytest.CaptureFixture[str]
) -> None:
    filled = [{"SHOP": shop.spec, "BOX": sandbox}.get(word, word) for word in words]
    assert main(filled) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert said in printed.err
    assert printed.err.count("\n") == 1


def test_a_taken_port_is_said_first(shop: Shop, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        assert main(["mcp", "--shop", shop.spec, "--http", port]) == 1
    assert f"--http {port}: cannot be used" in capsys.readouterr().err


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


def test_docs_is_one_page_that_needs_nothing_else(shop: Shop, sandbox: str, tmp_path: Path) -> None:
    out = tmp_path / "docs"
    assert (
        main(["tools", "docs", "--out", str(out), "--shop", shop.spec, "--user", ANNA, "--sandbox", sandbox])
        == 0
    )
    assert [path.name for path in out.iterdir()] == ["tools.html"]
    html = (out / "tools.html").read_text(encoding="utf-8")
    page = _Links()
    page.feed(html)
    assert page.outside == []
    assert "script" not in page.tags
    for name in TOOLS:
        assert f'id="{name}"' in html
    assert "= 74.5092" in html
    assert "Changed city: Norman" not in html
    assert "Nothing changed" in html
    assert f"user://{ANNA}/orders/" in html


def test_a_dead_server_is_unavailable_for_programs_too(
    shop: Shop, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Already when the shop is opened: one document with the kind of the error, and one line."""
    monkeypatch.setenv("DRR_MONGODB_URL", "mongodb://127.0.0.1:9")  # where nothing listens
    monkeypatch.setenv("DRR_SERVER_TIMEOUT", "0.2")
    assert main(["tools", "call", "get_user_profile", "--shop", "servers:x", "--user", "A1", "--json"]) == 1
    out, err = capsys.readouterr()
    told = json.loads(out)
    assert told["ok"] is False and told["error"]["kind"] == "unavailable"
    assert "MongoDB at 127.0.0.1:9 does not answer; start it" in told["error"]["message"]
    assert err.count("\n") == 1
