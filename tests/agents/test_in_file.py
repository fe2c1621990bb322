"""Agents that nobody installed: a function in a file, keyed by its content, and LangChain's `create_agent` of the examples."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import orjson
import pytest
from drr.agents.registry import choose, variant
from drr.env.errors import Misuse
from drr.study.study import Study

from tests.agents.garden import ANNA, BEN, write_box
from tests.cases import table
from tests.commands import Drr
from tests.wire import Say, Wire

AGENT = """
import asyncio, sys
from dataclasses import dataclass
from langchain_core.messages import HumanMessage


@dataclass
class Wish:
    words: str


async def quick(query, tools, model, budget):
    search = next(tool for tool in tools if tool.name == "product_catalog_search")
    await search.ainvoke({"query": Wish("bird house").words})
    said = await model.reply([HumanMessage(str(query))])
    return "EDITION\\n\\n" + said.text


def slow(query, tools, model, budget):
    return "no"


async def three(query, tools, model):
    return "no"


async def forcing(query, tools, model, budget):
    made = model.bind_tools(tools, tool_choice="any")
    first = await made.ainvoke([HumanMessage(str(query))], stop=["END"])
    call = first.tool_calls[0]
    found = await next(tool for tool in tools if tool.name == call["name"]).ainvoke(call["args"])
    return (await model.ainvoke([HumanMessage(found)])).text


async def plain(query, tools, model, budget):
    search = next(tool for tool in tools if tool.name == "product_catalog_search")
    await search.ainvoke({"query": "bird house " * 60})
    found = await search.ainvoke({"query": "bird house"})
    return "One house costs $24.95 [7].\\n\\n" + found


async def said(query, tools, model, budget):
    return (await model.reply([("system", "Advise."), ("human", query)])).text


async def nothing(query, tools, model, budget):
    return "  "


async def short(query, tools, model, budget):
    return "OK"


async def brief(query, tools, model, budget):
    await next(tool for tool in tools if tool.name == "product_catalog_search").ainvoke({"query": "house"})
    return "OK."


async def refused(query, tools, model, budget):
    search = next(tool for tool in tools if tool.name == "product_catalog_search")
    call = {"type": "tool_call", "id": "1", "name": search.name, "args": {"query": "bird house " * 60}}
    found = (await search.ainvoke(call)).artifact
    await search.ainvoke({"query": "bird house"})
    return f"# Answer\\n\\nIt was refused as {found.error.kind}: {found.error.message}. {found.text}."


async def elsewhere(query, tools, model, budget):
    await next(tool for tool in tools if tool.name == "product_catalog_search").ainvoke({"query": "house"})
    return "Ask Amazon: [this one](https://www.amazon.com/dp/B000000001)"


async def broken(query, tools, model, budget):
    return {}["missing"]


async def leaving(query, tools, model, budget):
    if "feeder" in query:
        sys.exit()
    return await plain(query, tools, model, budget)


async def leaving_from_a_task(query, tools, model, budget):
    await asyncio.gather(leaving(query, tools, model, budget), asyncio.sleep(0))
    return await plain(query, tools, model, budget)


class Untold(Exception):
    def __str__(self):
        sys.exit()


async def untold(query, tools, model, budget):
    if "feeder" in query:
        raise Untold
    return await plain(query, tools, model, budget)


async def ending(query, tools, model, budget):
    raise BaseException("of its own kind")


steps = 3
"""


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_box(
        tmp_path_factory.mktemp("in-file"),
        {"id": "q-house", "query": "Which bird house?", "user_id": ANNA},
        {"id": "q-feeder", "query": "Which feeder is best under $30?", "user_id": BEN},
    )


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine").mkdir()
    path = tmp_path / "mine" / "my_agent.py"
    path.write_text(AGENT.replace("EDITION", "First edition."))
    return path


def new(box: Path, variants: str) -> list[object]:
    return ["study", "--shop", box / "shop", "--queries", box / "queries.jsonl", "--variants", variants,
            "--sandbox", box / "sandbox"]  # fmt: skip


def test_one_question_is_answered_by_a_function_in_a_file(box: Path, file: Path, drr: Drr) -> None:
    asked = ["ask", "Which bird house?", "--shop", box / "shop", "--user", ANNA, "--sandbox", box / "sandbox"]
    code, out, _ = drr(*asked, "--variant", "mine/my_agent.py:quick+ws", "--json")
    document = json.loads(out)
    assert code == 0 and "First edition." in document["report"] and "Cedar bird house" in document["report"]
    assert document["variant"] == "my_agent.py:quick+ws" and document["rule_written"] is True
    assert [call["name"] for call in document["tool_calls"]] == ["product_catalog_search"]


def test_an_edit_is_computed_anew_and_what_is_unchanged_is_kept(box: Path, file: Path, drr: Drr) -> None:
    code, _, err = drr("run", *new(box, "mine/my_agent.py:quick,plan-to-function"))
    assert code == 0 and "4 done now; nothing left" in err
    code, _, err = drr("run", "study")
    assert code == 0 and "0 done now; nothing left" in err
    file.write_text(AGENT.replace("EDITION", "Second edition."))
    code, _, err = drr("run", "study")
    assert code == 0 and "2 done now; nothing left" in err and "2 units of an earlier configuration" in err
    with Study.open(Path("study")) as study:
        counted = [record for record in study.records("answer") if "my_agent" in record.label]
        reports = [str(study.text(record, "report")) for record in counted]
    assert [report.startswith("Second edition.") for report in reports] == [True, True]
    file.write_text(AGENT.replace("EDITION", "First edition."))
    code, _, err = drr("run", "study")
    assert code == 0 and "0 done now; nothing left" in err


@pytest.mark.parametrize("agent", ["leaving", "leaving_from_a_task", "untold"])
def test_an_exit_fails_its_unit_by_name_and_the_run_goes_on(
    box: Path, file: Path, drr: Drr, agent: str
) -> None:
    code, _, err = drr("run", *new(box, f"mine/my_agent.py:{agent}"))
    with Study.open(Path("study")) as study:
        ended = {
            str(one.spec["query"]): (one.status, one.reason, one.message)
            for one in study.records("answer", None)
        }
    assert code == 1 and ended["Which bird house?"][0] == "done", err
    status, reason, message = ended["Which feeder is best under $30?"]
    assert (status, reason) == ("failed", "bug") and ("exit" in str(message) or "Untold" in str(message))


def test_an_agent_without_a_model_has_a_transcript_of_its_calls(box: Path, file: Path, drr: Drr) -> None:
    """And `OK.` after a search is no answer of it."""
    assert drr("run", *new(box, "mine/my_agent.py:plain"), "--limit", 1)[0] == 0
    with Study.open(Path("study")) as study:
        (record,) = study.records("answer")
        (said,) = study.json(record, "transcript")
    asked, _, _, call, result = said["messages"]
    assert (asked["role"], call["tool_calls"][0]["name"]) == ("human", "product_catalog_search")
    assert call["tool_calls"][0]["args"] == {"query": "bird house"} and "Cedar bird house" in result["text"]
    assert drr("view", "study", "--static", "viewer")[0] == 0
    pages = [path.read_text() for path in Path("viewer").rglob("*.html")]
    assert pages and not any("No conversation is recorded" in page for page in pages)
    code, _, err = drr("run", "other", *new(box, "mine/my_agent.py:brief")[1:], "--limit", 1)
    with Study.open(Path("other")) as study:
        (record,) = study.records("answer", None)
    assert (code, record.status, record.reason) == (1, "failed", "empty"), err


def test_an_exit_is_told_to_whoever_asks(box: Path, file: Path, drr: Drr) -> None:
    sent = [*asked(box)]
    for agent, said in (("leaving", "my_agent.py, line"), ("ending", "of its own kind")):
        sent[sent.index("--variant") + 1] = f"mine/my_agent.py:{agent}"
        code, _, err = drr(*sent)
        assert code == 1 and said in err and "Traceback" not in err


def test_a_study_goes_on_from_another_folder(
    box: Path, file: Path, drr: Drr, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert drr("run", *new(box, "mine/my_agent.py:quick"), "--limit", 1)[0] == 0
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    code, _, err = drr("run", "../study")
    assert code == 0 and "1 done now; nothing left" in err


@pytest.mark.long
def test_its_name_does_no_harm_in_pages_and_files(box: Path, file: Path, drr: Drr, tmp_path: Path) -> None:
    assert drr("run", *new(box, "mine/my_agent.py:quick,react"))[0] == 0
    assert drr("judge", "study", "--judge", "offline")[0] == 0
    code, out, _ = drr("report", "study", "--out", "report", "--json")
    assert code == 0 and set(json.loads(out)["metrics"]) == {"my_agent.py:quick", "react"}
    assert drr("view", "study", "--static", "viewer")[0] == 0
    assert drr("export", "study", "--out", "out")[0] == 0
    made = [path for folder in ("report", "viewer", "out") for path in (tmp_path / folder).rglob("*")]
    assert made and not [path.name for path in made if ":" in path.name or "my_agent" in path.name]
    pages = [path.read_text() for path in made if path.suffix == ".html"]
    assert any("my_agent.py:quick" in page for page in pages)
    assert not any('href="my_agent.py:' in page or "/mine/" in page for page in pages)


@table("agents", "what_cannot_be_run_is_said_in_one_line")
def test_what_cannot_be_run_is_said_in_one_line(file: Path, drr: Drr, name: str, said: str) -> None:
    (file.parent / "my agent.py").write_text(AGENT)
    with pytest.raises(Misuse, match=said):
        variant(name)
    code, out, err = drr("run", "study", "--shop", "s", "--queries", "q", "--variants", f"react,{name}")
    assert (code, out) == (2, "") and said.replace("\\", "") in err and err.count("\n") == 1


@table("agents", "a_file_that_cannot_be_loaded_is_misuse_with_line_and_cause")
def test_a_broken_file_is_misuse_with_its_line(box: Path, file: Path, drr: Drr, text: str, said: str) -> None:
    file.write_text(text)
    code, out, err = drr("run", *new(box, "mine/my_agent.py:quick"))
    assert (code, out) == (2, "") and "my_agent.py" in err and said in err and err.count("\n") == 1
    assert not Path("study").exists()


def test_files_of_one_name_are_one_and_its_version_has_their_hash(file: Path, tmp_path: Path) -> None:
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "my_agent.py").write_text(AGENT)
    with pytest.raises(Misuse, match="two variants are called"):
        choose("mine/my_agent.py:quick,theirs/my_agent.py:quick")
    assert len(choose("mine/my_agent.py:quick,./mine/my_agent.py:quick")) == 1
    first = variant("mine/my_agent.py:quick").version
    file.write_text(AGENT + "\n# a word\nquick.version = '7'\n")
    second = variant("mine/my_agent.py:quick").version
    assert first.startswith("0+") and second.startswith("7+")
    assert first.partition("+")[2] != second.partition("+")[2]


def test_what_a_library_demands_of_the_model_reaches_it(box: Path, file: Path, drr: Drr) -> None:
    with Wire([Say(calls=[("product_catalog_search", {"query": "house"})]), Say("A house for $5.")]) as wire:
        sent = [*asked(box, "--model", "openai:mine", "--base-url", f"{wire.url}/v1")]
        sent[sent.index("--variant") + 1] = "mine/my_agent.py:forcing"
        assert drr(*sent)[0] == 0
    bodies = [request.body for request in wire.requests]
    demands = [(body.get("tool_choice"), body.get("stop")) for body in bodies]
    assert demands == [("required", ["END"]), (None, None)]


EXAMPLE = Path(__file__).parents[2] / "examples" / "create_agent.py"


def asked(box: Path, *more: str) -> list[str]:
    return ["ask", "Which feeder?", "--shop", str(box / "shop"), "--user", ANNA, "--sandbox", str(box / "sandbox"),
            "--variant", f"{EXAMPLE}:shopper", "--json", "--quiet", *more]  # fmt: skip


def test_create_agent_is_a_variant_like_any_other(box: Path, drr: Drr) -> None:
    search = [("product_catalog_search", {"query": "bird feeder"}), ("calculator", {"expression": "2*19.99"})]
    script = [Say(calls=search), Say(calls=[("get_user_orders", {})]), Say("A feeder for $39.98.")]
    with Wire(script) as wire:
        document = json.loads(drr.out(*asked(box, "--model", "openai:mine", "--base-url", f"{wire.url}/v1")))
        assert document["report"].startswith("A feeder for $39.98.")
        assert [(call["name"], call["error"]) for call in document["tool_calls"]] == [
            ("product_catalog_search", None), ("calculator", None), ("get_user_orders", None),
        ]  # fmt: skip
        assert any("B0" in source["url"] for source in document["sources"])
        assert len(wire.requests) == document["usage"]["agent"]["calls"] == 3
        assert document["usage"]["agent"]["input_tokens"] == 300
        told = json.dumps(wire.requests[-1].body["messages"])
        assert "39.98" in told and "never an instruction" in told
        offered = {tool["function"]["name"] for tool in wire.requests[0].body["tools"]}
        assert offered >= {"calculator", "web_search"}
    document = json.loads(drr.out(*asked(box)))
    assert document["rule_written"] is True and document["tool_calls"] and "## Sources" in document["report"]


def test_what_went_wrong_in_an_agent_is_said_where_one_looks(box: Path, file: Path, drr: Drr) -> None:
    agents = ",".join(f"mine/my_agent.py:{name}" for name in ("plain", "said", "nothing", "short", "broken"))
    code, _, err = drr("run", *new(box, agents))
    assert code == 1
    lines = err.splitlines()
    (bug,) = [line for line in lines if "KeyError" in line]
    line = 1 + next(n for n, text in enumerate(file.read_text().splitlines()) if "missing" in text)
    assert f"KeyError: 'missing' (my_agent.py, line {line})" in bug
    shows = bug.partition("`")[2].partition("`")[0].split()[1:]
    assert 'return {}["missing"]' in drr.out(*shows)
    assert any("model.reply: message 1 is a tuple; give messages" in line for line in lines)
    (first,) = [line for line in lines if "answered without content: " in line]
    assert "my_agent.py:nothing" in first or "my_agent.py:short" in first, "whichever ended first"
    with Study.open(Path("study")) as study:
        messages = {r.label.split("/")[1]: str(r.message) for r in study.records("answer", None)}
    assert "its report is empty" in messages["my_agent.py:nothing"]
    short = "'OK' is all of its report; under 8 words only a link, a figure or a form is an answer"
    assert short in messages["my_agent.py:short"]
    status = drr.out("study", "status", "study")
    assert "failed: bug 2, the first: KeyError: 'missing'" in status
    assert "refused: 2 tool calls in 2 answers" in status


def test_what_became_of_a_call_is_told_where_it_was_asked(box: Path, file: Path, drr: Drr) -> None:
    house = ("ask", "Which bird house?", "--shop", box / "shop", "--user", ANNA, "--sandbox", box / "sandbox")

    def answered(name: str, *more: str) -> tuple[int, str, str]:
        return drr(*house, "--variant", f"mine/my_agent.py:{name}", *more)

    code, out, err = answered("plain")
    assert code == 0 and "Written by rules" not in out, "it asked no model"
    assert "my_agent.py:plain without a model:" in err and "cost unknown" in err and "taken out: [7]" in err
    assert "1 of 2 tool calls were refused, the first of product_catalog_search" in err
    code, out, _ = answered("refused", "--quiet")
    assert code == 0 and "It was refused as invalid: query is" in out and "Error (invalid): query is" in out
    code, out, err = answered("broken", "--quiet")
    line = 1 + next(n for n, text in enumerate(file.read_text().splitlines()) if "missing" in text)
    assert (code, out) == (1, "")
    assert err == f"drr: the agent failed: KeyError: 'missing' (my_agent.py, line {line})\n"


def test_costs_of_an_agent_that_asked_no_model_of_ours_are_unknown(box: Path, file: Path, drr: Drr) -> None:
    assert drr("run", *new(box, "mine/my_agent.py:plain,mine/my_agent.py:quick"), "--quiet")[0] == 0
    assert "what 2 answers made without a model of ours cost is" in drr.out("study", "status", "study")
    assert drr.json("study", "status", "study")["uncounted"] == 2
    assert "and 2 units of unknown cost" in drr.out("bundle", "make", "study", "--out", "study.bundle")
    told = drr.json("study", "export", "study", "--out", "theirs", "--format", "drb")
    assert sorted(told["systems"].values()) == ["my_agent.py:plain", "my_agent.py:quick"]
    assert {f"{name}.jsonl" for name in told["systems"]} <= {Path(one).name for one in told["files"]}
    file.write_text(file.read_text() + "\n")
    row, known = drr.json("run", "study", "--dry-run")["variants"]
    assert (row["left"], row["from"], row["cost_usd"]) == (2, None, None)
    renamed = file.read_text().replace("async def plain", "async def fails")
    file.write_text(f"{renamed}\n\nasync def plain(*given):\n    raise ValueError\n")
    drr("run", "study", "--quiet")
    counted = drr.json("study", "status", "study")
    assert counted["units"]["failed"] == 2 and counted["uncounted"] == 4, "failed and earlier ones cost, too"
    told = drr.out("study", "status", "study")
    assert "what 2 answers made without a model of ours and 2 such answers set aside cost is" in told
    told = drr.out("bundle", "make", "study", "--out", "again.bundle")
    assert "answers: 2 done, 2 failed, and 4 of earlier settings set aside;" in told
    assert (known["left"], known["from"], known["cost_usd"]) == (2, "this study", 0.0)


def test_a_list_of_units_leaves_out_the_judgements_that_are_done(box: Path, file: Path, drr: Drr) -> None:
    assert drr("run", *new(box, "mine/my_agent.py:plain"), "--quiet")[0] == 0
    assert drr("judge", "study", "--what", "rules", "--quiet")[0] == 0
    code, out, err = drr("study", "trace", "study")
    assert code == 0 and "judgement" not in out and len(out.splitlines()) == 2
    assert "2 finished judgements are not listed here; --full lists all" in err
    assert "judgement" in drr.out("study", "trace", "study", "--full")


def test_the_trace_of_an_answer_has_its_grades_and_broken_rules(box: Path, file: Path, drr: Drr) -> None:
    assert drr("run", *new(box, "mine/my_agent.py:elsewhere"), "--quiet")[0] == 0
    with Study.open(Path("study")) as study:
        key = next(record.key for record in study.records("answer"))
    assert "grades" not in drr.out("study", "trace", "study", key)
    assert drr("judge", "study", "--judge", "offline", "--quiet")[0] == 0
    judged = drr.out("study", "trace", "study", key).partition("--- grades of rules-2, 0 to 10: ")[2]
    assert judged.startswith("clarity 0, depth 0, ") and "overall 0 ---\n  overall: " in judged
    assert "\n--- broken rules ---\n" in judged and "\n  outside_shop: Address: https://www.am" in judged


def test_a_file_that_imports_what_lies_beside_it_learns_how(box: Path, file: Path, drr: Drr) -> None:
    (file.parent / "helper.py").write_text("TEXT = 'None fits.'\n")
    program = "from helper import TEXT\n\n\nasync def one(query, tools, model, budget):\n    return TEXT\n"
    (file.parent / "importing.py").write_text(program)
    asking = ("ask", "Which?", "--shop", box / "shop", "--user", ANNA)
    err = drr.err(*asking, "--variant", "mine/importing.py:one")
    assert f"No module named 'helper'); PYTHONPATH={file.parent} lets it import" in err


@pytest.mark.slow
def test_judgements_of_answers_that_are_set_aside_do_not_count(box: Path, file: Path, drr: Drr) -> None:
    def judgements() -> int:
        found: int = drr.json("study", "status", "study")["by_kind"]["judgement"]["total"]
        return found

    def covered() -> Any:
        return drr.json("report", "study")["coverage"]

    assert drr("run", *new(box, "react,mine/my_agent.py:plain"), "--quiet")[0] == 0
    assert "not judged" not in drr.out("study", "status", "study")
    assert drr("judge", "study", "--judge", "offline", "--quiet")[0] == 0
    both, before = judgements(), covered()
    assert both and "unjudged" not in before and drr.json("study", "status", "study")["unjudged"] == 0
    file.write_text(file.read_text() + "# an edit\n")
    assert drr("run", "study", "--quiet")[0] == 0
    assert 0 < judgements() < both
    assert "not judged yet: 2 answers; `drr judge study`" in drr.out("study", "status", "study")
    for name in ("rating", "rules"):
        assert covered()["tasks"][name]["judged"] * 2 == before["tasks"][name]["judged"]
    err = drr("report", "study", "--out", "page")[2]
    assert "2 of 4 answers are not judged yet by rules-2: `drr judge study`" in err
    assert "2 answers not judged yet" in Path("page/index.html").read_text("utf-8")
    assert "2 answers of the two are not" in drr("study", "compare", "study", "react", "my_agent.py:plain")[2]
    drr.out("view", "study", "--static", "pages", "--quiet")
    assert "Judged by rules-2, 2 not yet." in Path("pages/index.html").read_text("utf-8")
    pages = [one.read_text("utf-8") for one in Path("pages/r").iterdir()]
    assert sum("0 claims, not judged yet" in one for one in pages) == 2
    drr.out("study", "export", "study", "--out", "tables", "--quiet")
    rows = [orjson.loads(line) for line in Path("tables/units.jsonl").read_bytes().splitlines()]
    assert 0 < sum(row["kind"] == "judgement" for row in rows) < both
    assert drr("judge", "study", "--judge", "offline", "--quiet")[0] == 0
    drr.out("report", "study", "--out", "page")
    page = Path("page/index.html").read_text("utf-8")
    assert "Not here, for want of a known cost or a grade: my_agent.py:plain." in page
    assert judgements() == both and covered() == before
