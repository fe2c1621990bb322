"""What a study lets its agents reach of the frozen pages: its forms, what is then there, and that nothing there tells which one it is."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from drr.app.cli import main
from drr.app.study.answers import open_answering
from drr.app.study.study_plan import StudyPlan
from drr.env.errors import Misuse
from drr.env.reach import Reach, reach_of, reaches_of
from drr.env.settings import resolve
from drr.eval.metrics.document import study_document
from drr.papers.dr3.truth import KnownPage, StatementChange, TaskFact, TaskTruth
from drr.papers.dr3.world import FileWorld, queries_of
from drr.study.study import Study

from tests.cases import cases, table
from tests.env.test_embedding import _Server as EmbeddingServer
from tests.env.test_embedding import server  # noqa: F401 - a fixture
from tests.filetasks.made import PAGES, write_task
from tests.wire import Request, Say, Wire

SUPPORTIVE, DISTRACTOR = PAGES[0][0], PAGES[2][0]


def write_truth(folder: Path, *, distractors: bool = True) -> None:
    fact = TaskFact(
        id="p1", subject="kettle", attribute="descaling", value="4 weeks", text="Descale every 4 weeks.",
        source="page",
    )  # fmt: skip
    wrong = StatementChange(kind="wrong_figure", fact="p1", before="4 weeks", after="9 weeks")
    pages = [KnownPage(url=SUPPORTIVE, kind="supportive", facts=("p1",))]
    if distractors:
        pages.append(KnownPage(url=DISTRACTOR, kind="distractor", made_from=SUPPORTIVE, change=wrong))
    truth = TaskTruth(
        task_id="007", intent="other", theme="kitchen", seed=1, shop_hash="0", facts=(fact,), pages=tuple(pages), terms=(),
        checklist=(), sizes={}, counter="characters/4",
    )  # fmt: skip
    (folder / "truth.json").write_text(truth.model_dump_json())


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_truth(write_task(tmp_path / "tasks" / "007"))
    return tmp_path / "tasks"


@table("filetasks", "each_reach_has_one_name")
def test_each_reach_has_one_name(text: str, name: str) -> None:
    assert reach_of(text).name == name and reach_of(name) == reach_of(text)


@pytest.mark.parametrize("text", cases("filetasks", "test_what_is_none_is_misuse"))
def test_what_is_none_is_misuse(text: str) -> None:
    with pytest.raises(Misuse):
        reaches_of(text)


def worlds(place: Path, *reaches: str) -> dict[tuple[str, str], FileWorld]:
    plan = StudyPlan(variants="dr3", world="files", place=place, reach=reaches)
    with open_answering(plan, resolve({"model": "offline"}).settings) as answering:
        specs = answering.specs(queries_of(place))
        return {(spec.get("reach", "whole"), spec["size"]): answering.realm.world(spec) for spec in specs}  # type: ignore[misc]


async def test_what_is_not_reached_is_not_there(place: Path) -> None:
    found = worlds(place, "whole", "no-distractors", "supportive", "none")
    urls = {key: {page.url for page in world.corpus.pages} for key, world in found.items()}
    assert urls["supportive", "1k"] == urls["supportive", "2k"] == {SUPPORTIVE}
    for size in ("1k", "2k"):
        assert set() == urls["none", size] < urls["supportive", size] < urls["no-distractors", size]
        assert urls["whole", size] - urls["no-distractors", size] == {DISTRACTOR}
    for reach in ("whole", "no-distractors"):
        assert urls[reach, "1k"] < urls[reach, "2k"]
    hashes = {world.corpus.content_hash for world in found.values()}
    assert len(hashes) == 6, "what is the same says so: supportive and none hold the same at each size"
    found = worlds(place, "whole", "none", "supportive", "dense", "none+dense")
    assert [hit.url for hit in await found["supportive", "2k"].web.search("kettle limescale 9 weeks", 5)] == [
        SUPPORTIVE
    ]
    assert (await found["supportive", "2k"].web.read(DISTRACTOR)).status == "unreachable"
    for nothing in ("none", "none+dense"):
        assert await found[nothing, "2k"].web.search("kettle limescale", 5) == []
    assert found["dense", "1k"].key_fields()["corpus"]["search"] == "dense"
    assert len({tuple(world.tools) for world in found.values()}) == 1


@pytest.mark.long
def test_reaches_are_systems_of_one_study(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = ["run", "study", "--tasks", "tasks", "--model", "offline", "--quiet"]
    assert main([*run, "--variants", "dr3,react", "--reach", "whole,supportive", "--sizes", "2k"]) == 0
    assert main(["run", "study", "--reach", "long-context", "--variants", "dr3", "--only", "--quiet"]) == 0
    assert main(["run", "study", "--quiet"]) == 0
    said = capsys.readouterr().err
    assert "--reach long-context is for agents that have others search; not asked of react" in said
    with Study.open(Path("study"), read_only=True) as study:
        records = {record.spec["variant"]: record for record in study.records("answer")}
        assert set(study_document(study)["metrics"]) == set(records)
        reports = {name: study.text(record, "report") or "" for name, record in records.items()}
    assert set(records) == {"dr3", "react", "dr3@supportive", "react@supportive", "dr3@long-context"}
    assert all("Written by rules" in report for report in reports.values())
    assert not any(DISTRACTOR in report for name, report in reports.items() if "@supportive" in name)
    assert (
        "reach" not in records["dr3"].key_fields
        and records["dr3@supportive"].key_fields["reach"] == "supportive"
    )
    assert records["dr3@long-context"].key_fields["long_context"] == "on"
    assert main(["compare", "study", "dr3", "dr3@supportive", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["metrics"]["words"]["n"] == 1
    assert main(["study", "edit", "study", "--variants", "dr3,react@supportive", "--yes"]) == 0
    assert main(["run", "study", "--dry-run"]) == 0
    assert "dr3@long-context" in capsys.readouterr().out


@pytest.mark.slow
def test_retrievers_and_models_stand_side_by_side_in_one_study(
    place: Path, request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]
) -> None:
    embedding: EmbeddingServer = request.getfixturevalue("server")
    url = f"http://127.0.0.1:{embedding.server_address[1]}/v1"
    where = ["--tasks", "tasks", "--sizes", "2k", "--base-url", url, "--trust-address", url, "--quiet"]
    reaches = ("bm25", "dense:offline", "dense:openai:tiny")
    words = ["run", "study", *where, "--variants", "dr3", "--reach", ",".join(reaches)]
    assert main([*words, "--model", "offline"]) == 0
    assert embedding.asked
    with Study.open(Path("study"), read_only=True) as study:
        records = {str(record.spec["variant"]): record for record in study.records("answer")}
    assert set(records) == {f"dr3@{reach}" for reach in reaches}
    corpora = [records[f"dr3@{reach}"].key_fields["corpus"] for reach in reaches]
    assert [one.get("embedder") for one in corpora] == [None, "hashed-tfidf-1", "openai:tiny"]
    asked = len(embedding.asked)
    capsys.readouterr()
    assert main([*words, "--models", "openai:one", "--dry-run", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    named = [f"dr3@{model}@{reach}" for model in ("offline", "openai:one") for reach in reaches]
    assert [row["variant"] for row in document["variants"]] == named
    assert (document["units"], document["done"], len(embedding.asked)) == (6, 3, asked)


@pytest.mark.parametrize(
    ("words", "said"), cases("filetasks", "test_what_cannot_be_reached_is_said_before_anything_is_run")
)
def test_misuse_is_told(place: Path, words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("q.jsonl").write_text("")
    write_truth(write_task(Path("plain") / "007"), distractors=False)
    (write_task(Path("lost") / "007") / "truth.json").unlink()
    given = [] if "--variants" in words else ["--variants", "dr3"]
    assert main(["run", "study", *words, *given, "--model", "offline"]) == 2
    assert said in capsys.readouterr().err and not Path("study").exists()


def sent(
    place: Path, reach: str, script: Callable[[Request], Any], model: str = "anthropic:claude-sonnet-5-5"
) -> Any:
    """A run of one unit: its record and what went over the wire."""
    with Wire(script) as wire:
        words = [
            "--tasks", "tasks", "--sizes", "2k", "--variants", "dr3", "--reach", reach, "--quiet", "--model",
            model,
        ]  # fmt: skip
        base = wire.url if model.startswith("anthropic") else f"{wire.url}/v1"
        code = main(["run", f"study-{reach}", *words, "--base-url", base, "--trust-address", wire.url])
        bodies = [request.body for request in wire.requests]
    with Study.open(Path(f"study-{reach}"), read_only=True) as study:
        (record,) = study.records("answer", None)
    return code, record, bodies


def searching(request: Request) -> Say:
    names = {tool["name"] for tool in request.body.get("tools", ())}
    turns = sum(message["role"] == "assistant" for message in request.body["messages"])
    if "search_pages" in names and not turns:
        return Say("", [("search_pages", {"task": "limescale"})])
    if "web_search" in names and not turns:
        return Say("", [("web_search", {"query": "kettle limescale"})])
    return Say("It is so.")


@pytest.mark.long
def test_nothing_that_is_sent_tells_which_reach_it_is(place: Path) -> None:
    """Before anything is searched every request is the same; afterwards only what was found differs."""
    runs = {
        reach: sent(place, reach, searching)[2] for reach in ("whole", "no-distractors", "supportive", "none")
    }
    firsts = [
        [(body["system"], body["tools"], body["messages"][:1]) for body in bodies] for bodies in runs.values()
    ]
    assert all(one == firsts[0] for one in firsts)
    for bodies in runs.values():
        told = json.dumps(bodies)
        assert not any(word in told for word in ("distractor", "supportive", "--reach", "schema_version"))
    assert "No web results for" in json.dumps(runs["none"])


def test_the_whole_of_the_pages_stands_in_the_window_once(place: Path) -> None:
    code, record, bodies = sent(
        place, "long-context", lambda request: Say(f"Every 4 weeks [1].\n\n## Sources\n[1] K: {SUPPORTIVE}")
    )
    assert code == 0 and record.result["fabricated"] == []
    assert "search_pages" not in {tool["name"] for tool in bodies[0]["tools"]}
    for url, title, _ in PAGES:
        assert json.dumps(bodies[0]).count(url) == 1 and title in json.dumps(bodies[0])
    assert {row["url"] for row in record.result["sources"]} == {url for url, _, _ in PAGES}


@pytest.mark.long
def test_pages_that_do_not_fit_the_model_are_a_typed_failure_before_any_call(place: Path) -> None:
    corpus = place / "007" / "corpus.jsonl"
    rows = [json.loads(line) for line in corpus.read_text().splitlines()]
    corpus.write_text("".join(json.dumps({**row, "text": row["text"] * 20}) + "\n" for row in rows))
    code, record, bodies = sent(place, "long-context", lambda request: Say("no"), "openai:gpt-4")
    assert (code, record.status, record.reason, bodies) == (1, "failed", "context_overflow", [])
    assert "openai:gpt-4 reads 8,192; take a smaller size" in record.message


def test_the_default_reach_leaves_keys_as_they_were(place: Path) -> None:
    plan = StudyPlan(variants="react", world="files", place=place)
    with open_answering(plan, resolve({"model": "offline"}).settings) as answering:
        (one, _) = answering.units(queries_of(place))
    assert not {"reach", "long_context"} & one.key_fields.keys()
    assert not {"search_turns", "reader_turns", "context_chars", "checks"} & one.key_fields["limits"].keys()
    assert Reach() == reach_of("whole")
