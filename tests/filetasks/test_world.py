"""The world of tasks with files: what a unit finds there, what decides its key, and that the truth is never opened."""

from __future__ import annotations

import json
import subprocess
import sys
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest
from drr.app.study.answers import open_answering
from drr.app.study.study_plan import StudyPlan
from drr.citations.addresses import canonical_url
from drr.env.errors import DrrError, Misuse
from drr.env.query import Query, read_queries
from drr.env.settings import resolve
from drr.env.shop import Shop
from drr.env.source import Source
from drr.env.world import Holdings, Site, all_kinds, kinds_of, open_realm
from drr.eval.metrics.document import study_document
from drr.papers.dr3.folders import FileSources
from drr.papers.dr3.world import queries_of
from drr.study.study import Study

from tests.cases import table
from tests.commands import Drr
from tests.eval.nursery import citation_verdicts
from tests.filetasks.made import QUERY, SECRET, write_task
from tests.sources import SRC, imports, modules

AGENT = """
from langchain_core.messages import HumanMessage

REPORT = '''# The kettle

The warranty of the kettle lasts 36 months [1]. Kettle descaler was bought for $7.50 [2]. The shelf has a width of 58 cm [3].
The slip says $49.00 [4]. Limescale in a kettle is removed with citric acid every 4 weeks [5]. It has a lid [6].

## Sources
[1] Manual: file://manual.pdf#page=2
[2] Orders: file://orders%202022.csv#row=3
[3] Budget: file://budget.xlsx#cell=Living room!B2
[4] Slip: file://slip.png#region=0,0,40,40
[5] Care: https://care.example/kettle-limescale
[6] Other: file://brochure.pdf#page=1
'''


async def reader(query, tools, model, budget):
    by_name = {tool.name: tool for tool in tools}
    assert sorted(by_name) == ["calculator", "list_files", "read_file", "search_file", "view_image", "web_search"], sorted(by_name)
    assert query.user_id == "" and query.as_of == "2024-03-01"
    for name in ("manual.pdf", "orders 2022.csv", "budget.xlsx", "brochure.pdf"):
        await by_name["read_file"].ainvoke({"name": name})
    await by_name["view_image"].ainvoke({"name": "slip.png"})
    await by_name["web_search"].ainvoke({"query": "kettle limescale"})
    return REPORT


reader.roles = ("agent",)
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_task(tmp_path / "tasks" / "007")
    (tmp_path / "mine.py").write_text(AGENT)
    return tmp_path / "tasks"


def fields(place: Path, **more: Any) -> list[dict[str, Any]]:
    settings = resolve({"model": "offline", **more}).settings
    with open_answering(StudyPlan(variants="react", world="files", place=place), settings) as answering:
        return [dict(unit.key_fields) for unit in answering.units(queries_of(place))]


@pytest.mark.long
def test_a_study_of_tasks_is_run_continued_and_judged_over_files(place: Path, drr: Drr) -> None:
    code, _, err = drr(
        "run", "study", "--tasks", "tasks", "--sizes", "1k", "--variants", "mine.py:reader", "--quiet"
    )
    assert (code, "1 done now" in err) == (0, True), err
    (query,) = read_queries(Path("study/queries.jsonl"))
    assert (query.id, query.task_id, query.size, query.user_id) == ("007@1k", "007", "1k", "U1")
    code, _, err = drr("run", "study", "--tasks", "tasks", "--quiet")
    assert (code, "1 done now" in err) == (0, True), err
    assert drr("run", "study", "--quiet")[0] == 0
    code, _, err = drr(
        "judge", "study", "--judge", "offline", "--what", "faithfulness,quality,rules", "--quiet"
    )
    assert code == 0, err
    with Study.open(Path("study")) as study:
        metrics = study_document(study)["metrics"]["mine.py:reader"]
        record = next(iter(study.records("answer")))
    assert metrics["n_cited_file"]["value"] == 5
    with Study.open(Path("study"), read_only=True) as study:
        verdicts = {row.url: row.standing for row in citation_verdicts(study)}
    assert verdicts == {
        "file://manual.pdf#page=2": "full",
        "file://orders%202022.csv#row=3": "partial",  # the row says no currency
        "file://budget.xlsx#cell=Living": "full",  # cut off at the space: the whole file
        "file://slip.png#region=0,0,40,40": "not_frozen",
        "file://brochure.pdf#page=1": "made_up",
        "https://care.example/kettle-limescale": "full",
    }
    assert metrics["fp_file"]["value"] == pytest.approx((1 + 1 / 2 + 1 + 0) / 4)
    assert metrics["fp_web"]["value"] == 1
    assert [one["url"] for one in record.result["fabricated"]] == [
        "file://slip.png#region=0,0,40,40",  # nobody showed it
        "file://brochure.pdf#page=1",
    ]
    assert [(call["name"], call["error"] and call["error"]["kind"]) for call in record.result["tool_calls"]] == [
        ("read_file", None), ("read_file", None), ("read_file", None), ("read_file", "not_found"), ("view_image", "unsupported"),
        ("web_search", None),
    ]  # fmt: skip
    assert drr("report", "study", "--out", "report")[0] == 0
    assert drr("view", "study", "--static", "pages")[0] == 0


def test_sizes_nest_and_keys_hold_what_decides(place: Path) -> None:
    with open_realm("files", Site(settings=resolve({}).settings, place=str(place))) as realm:
        small, large = (
            realm.world({"task_id": "007", "size": size, "user_id": "U1"}) for size in ("1k", "2k")
        )
        urls = [page.url for page in large.corpus.pages]
        assert urls == sorted(urls) and {page.url for page in small.corpus.pages} < set(urls)
        assert small.user_id is None and small.session is None and small.today.isoformat() == "2024-03-01"
        again = realm.world({"task_id": "007", "size": "1k", "user_id": "U1"})
        assert again.corpus is small.corpus
    one, two = fields(place)
    assert (one["size"], two["size"], one["task_id"]) == ("1k", "2k", "007")
    assert one["task"] == two["task"] and one["corpus"]["content_hash"] != two["corpus"]["content_hash"]
    assert one["corpus"]["search"] == "bm25" and "shop" not in one
    (dense, _) = fields(place, corpus_search="dense")
    assert (dense["corpus"]["search"], dense["corpus"]["embedder"]) == ("dense", "hashed-tfidf-1")
    (place / "007" / "files" / "notes.md").write_text("# Notes\n\nIt may be loud.\n")
    assert fields(place)[0]["task"]["files"] != one["task"]["files"]
    truth = place / "007" / "truth.json"
    before = fields(place)
    truth.write_text(truth.read_text().replace("36", "24"))
    assert fields(place) == before


@pytest.mark.long
def test_with_a_shop_the_nine_are_there_too(
    shop_folder: Path, shop: Shop, tmp_path: Path, drr: Drr, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    user = next(iter(shop.store.iter_users())).user_id
    write_task(tmp_path / "tasks" / "007", user_id=user)
    site = Site(settings=resolve({}).settings, shop=str(shop_folder), place="tasks")
    with open_realm("files", site) as realm:
        spec = {"task_id": "007", "size": "1k", "user_id": user}
        world = realm.world(spec)
        assert len(world.tools) == 13 and world.user_id == user
        assert world.key_fields()["shop"]["shop"] == shop.manifest.content_hash
        stranger = realm.strangers_world(spec)
        assert stranger.user_id is None and "get_user_profile" not in stranger.tools
        assert "list_files" in stranger.tools
        with pytest.raises(Misuse, match="whom the shop does not know"):
            realm.check([query.model_copy(update={"user_id": "X"}) for query in queries_of(Path("tasks"))])
    words = [
        "run", "study", "--tasks", "tasks", "--shop", shop_folder, "--variants", "react", "--sizes", "1k",
        "--quiet",
    ]  # fmt: skip
    code, _, err = drr(*words)
    assert (code, "with --with-shop agents have its nine tools too" in err) == (2, True), err
    code, _, err = drr(*words, "--with-shop")
    assert code == 0, err


@table("filetasks", "what_cannot_be_asked_is_said_before_anything_is_run")
def test_what_cannot_be_asked_is_said_first(place: Path, drr: Drr, words: list[str], said: str) -> None:
    Path("q.jsonl").write_text(Query(query="why?", user_id="U1").model_dump_json() + "\n")
    given = [] if "--variants" in words else ["--variants", "react"]
    code, _, err = drr("run", "study", *words, *given)
    assert (code, said in err) == (2, True), err
    assert not Path("study").exists()


def test_strange_folders_are_refused_in_one_sentence(place: Path) -> None:
    def problem() -> str:
        with pytest.raises(DrrError) as error:
            queries_of(place)
        assert "\n" not in str(error.value)
        return str(error.value)

    twin = write_task(place / "008", "007")
    assert "its task_id '007' is that of" in problem()
    question = twin / "query.json"
    for wrong, said in (
        (("2024-03-01", "tomorrow"), "is no day"),
        (('"007"', '"../x"'), "a slash"),
        (('"manual.pdf"', '"a/b.pdf"'), "a slash"),
    ):
        write_task(twin, "007" if '"007"' in wrong else "008")
        assert wrong[0] in question.read_text()
        question.write_text(question.read_text().replace(*wrong, 1))
        assert said in problem()
    write_task(twin, "008")
    question.unlink()
    question.symlink_to(place / "007" / "query.json")
    assert "is a link" in problem()
    for file in sorted(twin.rglob("*"), reverse=True):
        file.unlink() if not file.is_dir() else file.rmdir()
    twin.rmdir()
    twin.symlink_to(place / "007")
    assert "is a link" in problem()


@pytest.fixture
def kind(place: Path) -> FileSources:
    found = kinds_of(Holdings(place=str(place), spec={"task_id": "007"}))[-1]
    assert isinstance(found, FileSources)
    return found


def read(url: str, seen: str) -> Source:
    return Source(url=url, type="file", title="x", seen=seen)


@table("filetasks", "a_claim_is_held_against_the_place_that_it_cites")
def test_a_claim_is_held_against_its_place(kind: FileSources, address: str, status: str, words: str) -> None:
    frozen = kind.text(canonical_url(address), [])
    assert frozen.status == status
    assert words in (frozen.text or frozen.reason or "")
    assert frozen.status != "ok" or "#" not in address or len(frozen.text or "") <= len(words) + 60


def test_where_the_tasks_are_gone_what_was_read_stands_in(tmp_path: Path) -> None:
    kind = all_kinds()["file"] and FileSources(
        Holdings(place=str(tmp_path / "gone"), spec={"task_id": "007"})
    )
    page = "file://manual.pdf#page=2"
    assert kind.text(page, [read(page, "36 months")]).text == "36 months"
    assert kind.text(page, []).status == "not_frozen"
    assert kind.text("file://slip.png", [read("file://slip.png", "a picture")]).status == "not_frozen"


OPENED = """
import json, sys
opened = []
sys.addaudithook(lambda event, args: opened.append(str(args[0])) if event == "open" else None)
from drr.app.cli import main
code = main(["run", "study", "--tasks", "tasks", "--variants", "react+ws,plan-to-function,hybrid-react", "--sizes", "1k", "--quiet"])
print(json.dumps([code, sum("truth.json" in path for path in opened), sum(path.endswith("corpus.jsonl") for path in opened),
                  "drr.papers.dr3.truth" in sys.modules]))
"""


@pytest.mark.long
def test_no_run_opens_the_truth_or_loads_its_module(place: Path) -> None:
    """Every file that the process opens is looked at, while all variants answer."""
    done = subprocess.run(
        [sys.executable, "-c", OPENED], capture_output=True, text=True, timeout=120, cwd=place.parent
    )
    code, truths, corpora, loaded = json.loads(done.stdout.splitlines()[-1])
    assert (code, truths, loaded) == (0, 0, False), done.stderr
    assert corpora > 0
    with Study.open(place.parent / "study", read_only=True) as study:
        reports = [study.text(record, "report") or "" for record in study.records("answer")]
    assert len(reports) == 3
    assert any(
        "https://care.example/kettle-limescale" in report for report in reports
    )  # a refusal quotes no page
    for report in reports:  # the script quotes and cites
        assert "The warranty of the kettle lasts 36 months" in report and "file://manual.pdf#page=2" in report
    kept = [
        path
        for path in (place.parent / "study").rglob("*")
        if path.is_file() and SECRET.encode() in path.read_bytes()
    ]
    assert kept == []


def test_nothing_that_the_world_is_made_of_imports_the_truth() -> None:
    trees = {path: tree for path, tree in modules("papers") if path.is_relative_to(SRC / "papers" / "dr3")}
    seen, waiting = set[str](), ["drr.papers.dr3.world", "drr.papers.dr3.folders"]
    while waiting:
        name = waiting.pop()
        tree = trees.get(SRC / f"{name.removeprefix('drr.').replace('.', '/')}.py")
        if tree is not None and name not in seen:
            seen.add(name)
            waiting += [part for _, one in imports(tree) for part in (one, one.rpartition(".")[0])]
    assert {"drr.papers.dr3.form", "drr.papers.dr3.corpus_web"} <= seen
    assert SRC / "papers" / "dr3" / "truth.py" in trees and "drr.papers.dr3.truth" not in seen


def test_the_question_of_a_task_is_asked_in_its_own_words_only(place: Path) -> None:
    with open_realm("files", Site(settings=resolve({}).settings, place=str(place))) as realm:
        asked = queries_of(place)
        realm.check(asked)
        assert asked[0].query == QUERY
        for wrong in ({"task_id": "9"}, {"query": "else?"}, {"size": "9k"}, {"size": None}):
            with pytest.raises(Misuse):
                realm.check([asked[0].model_copy(update=wrong)])


def vision_in_keys(place: Path, model: str, variants: str = "react") -> dict[str, object]:
    found: dict[str, object] = {}
    for vision in ("auto", "yes", "no"):
        settings = resolve({"model": model, "vision": vision, "base_url": "http://127.0.0.1:9/v1"}).settings
        plan = StudyPlan(variants=variants, world="files", place=place, trust_agent=True)
        with open_answering(plan, settings) as answering:
            found[vision] = answering.units(queries_of(place))[0].key_fields.get("vision")
    return found


@pytest.mark.long
def test_who_sees_pictures_is_in_the_key_only_where_the_word_decides_it(place: Path) -> None:
    assert vision_in_keys(place, "offline") == {"auto": None, "yes": None, "no": None}
    assert vision_in_keys(place, "openai:home-grown") == {"auto": None, "yes": "yes", "no": None}
    assert vision_in_keys(place, "openai:gpt-4.1") == {"auto": None, "yes": None, "no": "no"}
    assert vision_in_keys(place, "offline", "cmd:/bin/true") == {"auto": None, "yes": None, "no": "no"}


@pytest.mark.long
@table("filetasks", "a_request_holds_no_byte_of_the_truth_and_a_picture_once")
def test_a_request_holds_no_truth(place: Path, drr: Drr, model: str, vision: str, shown: int) -> None:
    """Every request of a whole run, as it went over the wire."""
    from tests.wire import Say, Wire

    turns = [
        Say(
            "",
            [("list_files", {}), ("view_image", {"name": "slip.png"}), ("read_file", {"name": "manual.pdf"})],
        ),
        Say(
            "",
            [
                ("web_search", {"query": "kettle limescale warranty claim"}),
                ("read_file", {"name": "truth.json"}),
            ],
        ),
        Say("", [("finalize", {})]),
        Say("The warranty lasts 36 months [1].\n\n## Sources\n[1] Manual: file://manual.pdf#page=2\n"),
    ]
    with Wire(turns) as wire:
        code, _, err = drr(
            "run", "study", "--tasks", "tasks", "--sizes", "1k", "--variants", "react", "--model", model, "--vision", vision,
            "--base-url", wire.url if model.startswith("anthropic") else f"{wire.url}/v1", "--quiet", "--trust-address", wire.url,
        )  # fmt: skip
        sent = [json.dumps(request.body) for request in wire.requests]
    assert code == 0, err
    assert len(sent) == len(turns)
    picture = b64encode((place / "007" / "files" / "slip.png").read_bytes()).decode()
    assert [text.count(picture) for text in sent] == [0, shown, shown, shown]
    assert ("none is shown to this model" in sent[-1]) is (not shown)
    for text in sent:
        for secret in (SECRET, "supportive", "distractor", "schema_version", "U1"):
            assert secret not in text
    assert "There is no file 'truth.json' here" in sent[-1]
    assert "Kettles and limescale" in sent[-1] and "citric acid every 9 weeks" in sent[-1]
