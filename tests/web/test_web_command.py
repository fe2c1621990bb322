"""`drr web`, and which web the settings open."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from drr.env.errors import Misuse
from drr.env.settings import Settings
from drr.env.web.open import open_web
from drr.env.web.sandbox import DOCUMENTS, Document, build_sandbox

from tests.cases import cases
from tests.commands import Drr

RAMP = "A ramp rises 18 degrees at most. " * 3
DOCS = [
    Document(url="https://dogs.example/ramp", title="Dog ramps", text=RAMP, date="2020-02-02"),
    Document(url="https://cats.example/ramp", title="Cat ramps", text="A cat needs none.", kind="distractor"),
]


pytestmark = pytest.mark.usefixtures("at_home")


@pytest.fixture
def sandbox(tmp_path: Path) -> str:
    raw = tmp_path / "raw"
    raw.mkdir()
    (raw / DOCUMENTS).write_text("\n".join(d.model_dump_json() for d in DOCS), encoding="utf-8")
    build_sandbox(raw, tmp_path / "box")
    return str(tmp_path / "box")


def test_build_search_read(sandbox: str, drr: Drr) -> None:
    out = drr.out("web", "build", "raw", "--out", "again")
    assert "again: 2 documents (1 distractor, 1 supportive)" in out
    search, read = ("web", "search", "dog ramp", "--sandbox", sandbox), ("web", "read", "--sandbox", sandbox)
    first = "1. Dog ramps\n   https://dogs.example/ramp\n   2020-02-02 - A ramp"
    assert drr.out(*search).startswith(first)
    document = drr.json(*search, "--web-top-k", "1")
    assert (document["web"], document["total"], len(document["content_hash"])) == ("sandbox", 1, 64)
    assert set(document["items"][0]) == {"title", "url", "snippet", "date", "rows"}
    assert document["items"][0]["date"] == "2020-02-02"
    assert drr.out(*read, "https://dogs.example/ramp").startswith("# Dog ramps\n\nPublished 2020-02-02")
    code, out, err = drr(*read, "https://dogs.example/none", "--json")
    assert (code, json.loads(out)["status"], json.loads(out)["sha256"]) == (1, "unreachable", None)
    none = "https://dogs.example/none: unreachable: this address is not in the sandbox"
    assert err == f"drr: web read: {none}\n"
    assert "only an open shop answers it" in drr.err(*read, "http://ecommerce.example/B01", code=1)


def test_record_then_replay(sandbox: str, tmp_path: Path, drr: Drr) -> None:
    out = tmp_path / "recording"
    recorded = drr.json("web", "record", "dog ramp", "cat", "--out", out, "--sandbox", sandbox)
    assert recorded["searches"] == 2
    assert recorded["pages"] == {"https://dogs.example/ramp": "ok", "https://cats.example/ramp": "ok"}
    replay = ("web", "replay", out)
    listed = drr.json(*replay)
    assert {search["query"] for search in listed["searches"]} == {"dog ramp", "cat"}
    assert {page["status"] for page in listed["pages"]} == {"ok"}
    assert "2 searches, 2 pages" in drr.out(*replay)
    kept = ("--web", "replay", "--web-record", out)
    assert "18 degrees" in drr.out("web", "read", "https://dogs.example/ramp", *kept)
    assert "https://dogs.example/ramp" in drr.out("web", "search", "dog ramp", *kept)
    code, printed, err = drr("web", "search", "bird", *kept)
    assert (code, printed) == (1, "") and "holds no search 'bird' with 5 results" in err


@pytest.mark.parametrize(("words", "said"), cases("web", "test_misuse_exits_2"))
def test_misuse_exits_2(words: list[str], said: str, sandbox: str, drr: Drr) -> None:
    extra = ["--sandbox", sandbox] if words and words[0] in ("search", "read", "record") else []
    code, out, err = drr("web", *words, *extra)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert said in err


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
