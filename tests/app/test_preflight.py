"""The examination of a model: what it can do, how fast, and the settings that follow."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from drr.app.cli import main
from drr.app.models.preflight import run_preflight
from drr.app.models.servers import ServerFacts, facts_of
from drr.app.models.setup import models_of
from drr.env.settings import resolve
from drr.llm.models import ModelSettings
from langchain_core.messages import HumanMessage

from tests.small_models import small_server
from tests.wire import Fail, Garbage, Pace, Reply, Request, Say, Wire

KEY = "sk-planted-000000000000"


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


def able(request: Request) -> Reply:
    asked = json.dumps(request.body["messages"])
    if request.body.get("tools"):
        return Say(calls=[("price_of", {"product": "K2"})])
    if "response_format" in request.body:
        return Say('{"name": "oak table", "price": 120.5, "in_stock": true}')
    if "image_url" in asked:
        return Say("Red.")
    return Say("MAPLE" if "code word" in asked else "one two three four five six seven eight nine ten")


def examined(wire: Wire, capsys: pytest.CaptureFixture[str], *more: str) -> tuple[int, dict[str, Any], str]:
    code = main(["doctor", "--model", "openai:small", "--base-url", f"{wire.url}/v1", "--json", *more])
    out, err = capsys.readouterr()
    return code, json.loads(out) if out else {}, err


def test_an_able_model_can_run_everything(capsys: pytest.CaptureFixture[str]) -> None:
    with Wire(able, pace=Pace(writes=500, reads=20_000, slots=4)) as wire:
        code, document, err = examined(wire, capsys)
    assert code == 0 and err == ""
    works = {name: probe["works"] for name, probe in document["probes"].items()}
    assert works == {"text": True, "tool_call": True, "form": True, "thinking": False, "images": True,
                     "long_prompt": True, "cache": True}  # fmt: skip
    assert {probe["works"] for probe in document["can_run"].values()} == {True}
    assert document["server"] == dict.fromkeys(ServerFacts._fields)
    assert document["speed"]["writes_per_s"] > 0 and 1 <= document["speed"]["in_parallel"] <= 4
    assert document["suggested"]["model_timeout"] >= 300 and document["saved"] is None
    assert not Path("drr.toml").exists()


def test_suggestions_are_saved_beside_what_stands_there(capsys: pytest.CaptureFixture[str]) -> None:
    ours = '# ours\nmodel = "openai:other"\n'
    Path("drr.toml").write_text(f'{ours}concurrency = 7\n\n[role_models]\ncritic = "offline"\n')
    with small_server("text_call", writes=400, window=4_096, loading=1) as wire:
        code, document, err = examined(wire, capsys, "--save")
    assert code == 0, err
    assert document["server"] == {"kind": "llama.cpp", "slots": 1, "window": 4_096, "images": False}
    assert document["probes"]["images"]["detail"] == "the server says so"
    react = document["can_run"]["react"]
    assert react == {"works": True, "detail": "with --text-calls parse", "seconds": None}
    assert document["can_run"]["plan-to-function"]["works"] is False
    saved = Path("drr.toml").read_text()
    assert saved.count("concurrency") == 1 and ours in saved and KEY not in saved
    found = resolve(environ={}).settings
    assert (found.concurrency, found.model_max_tokens, found.text_calls) == (1, 1_024, "parse")
    assert found.role_models == {"critic": "offline"} and found.base_url is None


@pytest.mark.parametrize(
    ("script", "told"),
    [
        (lambda request: Fail(401, "authentication_error", f"Incorrect API key: {KEY}"), "(bad_key)"),
        (lambda request: Fail(404, "not_found_error", "no such model"), "(unknown_model)"),
        (lambda request: Garbage("<html>an inn</html>", "text/html"), "(malformed)"),
        (None, "(connection)"),
    ],
)
def test_who_gives_no_answer_is_told(script: Any, told: str, capsys: pytest.CaptureFixture[str]) -> None:
    with Wire(script or able) as wire:
        if script is not None:
            code, document, err = examined(wire, capsys)
    if script is None:
        code, document, err = examined(wire, capsys)
    assert (code, document) == (1, {}) and err.count("\n") == 1 and told in err and KEY not in err


@pytest.mark.parametrize("words", [["--model", "offline"], ["--model", "nobody"], ["--save"]])
def test_what_cannot_be_examined_is_misuse(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["env", "doctor", *words]) == 2
    assert capsys.readouterr().err.count("\n") == 1


async def test_a_slow_server_is_examined_as_far_as_time_allows() -> None:
    with small_server("prose", writes=20) as wire:
        settings = ModelSettings({"default": "openai:small"}, base_url=f"{wire.url}/v1")
        found = await run_preflight(settings, ServerFacts, seconds=3)
    assert found["probes"]["text"]["works"] and found["speed"]["writes_per_s"]
    assert found["probes"]["cache"] == {"works": None, "detail": "no time was left", "seconds": None}


@pytest.mark.parametrize(
    "junk", [[], {}, {"total_slots": True}, {"total_slots": "9"}, {"total_slots": 1, "modalities": 3}]
)
def test_facts_are_read_strictly(junk: object) -> None:
    with Wire([], pages={"/props": junk}) as wire:
        found = facts_of(resolve({"model": "openai:small", "base_url": wire.url}, environ={}).settings)
    assert found.slots is None or found == ServerFacts("llama.cpp", 1)


@pytest.mark.parametrize("pages", [{}, {"/props": {"total_slots": 2}}])
async def test_no_more_calls_are_made_at_once_than_the_server_works_on(pages: dict[str, object]) -> None:
    with Wire(lambda request: Say("one two"), pace=Pace(writes=20, slots=9), pages=pages) as wire:
        chosen = {"model": "openai:small", "base_url": f"{wire.url}/v1", "concurrency": 5}
        models = models_of(resolve(chosen, environ={}).settings)
        await asyncio.gather(*(models.role("agent").reply([HumanMessage("hello")]) for _ in range(5)))
        await models.aclose()
    assert wire.most_at_once == (2 if pages else 5)
