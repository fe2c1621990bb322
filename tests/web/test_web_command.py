"""`drr web`, and which web the settings open."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from drr.app.cli import main
from drr.env.errors import Misuse
from drr.env.settings import Settings
from drr.env.web.open import open_web
from drr.env.web.sandbox import DOCUMENTS, Document, build_sandbox

from tests.cases import cases
from tests.commands import Drr

DOCS = [
    Document(
        url="https://dogs.example/ramp",
        title="Dog ramps",
        text="A ramp rises 18 degrees at most. " * 3,
        date="2020-02-02",
    ),
    Document(
        url="https://cats.example/ramp", title="Cat ramps", text="A cat needs no ramp.", kind="distractor"
    ),
]


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("SERPER_API_KEY", "DRR_SERPER_API_KEY", "DRR_WEB", "DRR_SANDBOX"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def sandbox(tmp_path: Path) -> str:
    raw = tmp_path / "raw"
    raw.mkdir()
    (raw / DOCUMENTS).write_text("\n".join(d.model_dump_json() for d in DOCS), encoding="utf-8")
    build_sandbox(raw, tmp_path / "box")
    return str(tmp_path / "box")


def test_build_search_read(sandbox: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["web", "build", "raw", "--out", "again"]) == 0
    assert "again: 2 documents (1 distractor, 1 supportive)" in capsys.readouterr().out
    assert main(["web", "search", "dog ramp", "--sandbox", sandbox]) == 0
    assert capsys.readouterr().out.startswith(
        "1. Dog ramps\n   https://dogs.example/ramp\n   2020-02-02 - A ramp"
    )
    assert main(["web", "search", "dog ramp", "--sandbox", sandbox, "--json", "--web-top-k", "1"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["web"], document["total"], len(document["content_hash"])) == ("sandbox", 1, 64)
    assert set(document["items"][0]) == {"title", "url", "snippet"}
    assert main(["web", "read", "https://dogs.example/ramp", "--sandbox", sandbox]) == 0
    assert capsys.readouterr().out.startswith("# Dog ramps\n\nPublished 2020-02-02")
    assert main(["web", "read", "https://dogs.example/none", "--sandbox", sandbox, "--json"]) == 1
    printed = capsys.readouterr()
    assert json.loads(printed.out)["status"] == "unreachable"
    assert json.loads(printed.out)["sha256"] is None
    assert (
        printed.err
        == "drr: web read: https://dogs.example/none: unreachable: this address is not in the sandbox\n"
    )


def test_shop_addresses_are_not_the_webs(sandbox: str, drr: Drr) -> None:
    assert "only an open shop answers it" in drr.err(
        "web", "read", "http://ecommerce.example/B01", "--sandbox", sandbox, code=1
    )


def test_record_then_replay(sandbox: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = str(tmp_path / "recording")
    assert main(["web", "record", "dog ramp", "cat", "--out", out, "--sandbox", sandbox, "--json"]) == 0
    recorded = json.loads(capsys.readouterr().out)
    assert recorded["searches"] == 2
    assert recorded["pages"] == {"https://dogs.example/ramp": "ok", "https://cats.example/ramp": "ok"}
    assert main(["web", "replay", out, "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert {search["query"] for search in listed["searches"]} == {"dog ramp", "cat"}
    assert {page["status"] for page in listed["pages"]} == {"ok"}
    assert main(["web", "replay", out]) == 0
    assert "2 searches, 2 pages" in capsys.readouterr().out
    assert main(["web", "replay", out, "--search", "dog ramp"]) == 0
    assert "https://dogs.example/ramp" in capsys.readouterr().out
    assert main(["web", "replay", out, "--read", "https://dogs.example/ramp"]) == 0
    assert "18 degrees" in capsys.readouterr().out
    assert main(["web", "search", "dog ramp", "--web", "replay", "--web-record", out]) == 0
    assert "https://dogs.example/ramp" in capsys.readouterr().out
    for asked in (
        ["replay", out, "--search", "bird"],
        ["search", "bird", "--web", "replay", "--web-record", out],
    ):
        assert main(["web", *asked]) == 1
        printed = capsys.readouterr()
        assert "holds no search 'bird' with 5 results" in printed.err
        assert printed.out == ""


@pytest.mark.parametrize(
    ("words", "said"),
    cases("web", "test_misuse_exits_2"),
)
def test_misuse_exits_2(
    words: list[str], said: str, sandbox: str, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    extra = ["--sandbox", sandbox] if words and words[0] in ("search", "read", "record") else []
    assert main(["web", *words, *extra]) == 2
    printed = capsys.readouterr()
    assert said in printed.err
    assert printed.err.count("\n") == 1
    assert printed.out == ""


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:22/", "http://169.254.169.254/latest", "file:///etc/passwd"]
)
def test_reading_live_goes_through_the_guard_and_needs_no_key(url: str, drr: Drr) -> None:
    document = drr.json("web", "read", url, "--web", "serper", code=1)
    assert (document["status"], document["markdown"]) == ("blocked", None)
    assert document["reason"].startswith("refused: ")


def test_a_study_that_needs_a_key_hears_it_at_the_start() -> None:
    with pytest.raises(Misuse, match="SERPER_API_KEY"):
        open_web(Settings(web="serper"))
    web = open_web(Settings.model_validate({"web": "serper", "serper_api_key": "planted"}))
    assert (web.name, web.content_hash) == ("serper", None)
    assert "planted" not in repr(web)
