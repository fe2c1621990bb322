"""Agents over a task with files: DR3 on the wire, within its limits to the call, and a program that has no way to the truth."""

from __future__ import annotations

import asyncio
import json
from base64 import b64encode
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from drr.agents.base import AnswerRecord
from drr.app.cli import main
from drr.app.study.answers import open_answering
from drr.app.study.study_plan import StudyPlan
from drr.env.settings import resolve
from drr.llm.failures import ModelFailure
from drr.llm.meter import Meter
from drr.papers.dr3.world import queries_of
from drr.study.study import Study

from tests.agents.commands.conftest import HEAD, TERMS, needs_namespaces
from tests.cases import cases
from tests.drawer.hostile import picture
from tests.filetasks.made import QUERY, SECRET, write_task
from tests.wire import Fail, Reply, Request, Say, Wire

REPORT = "The warranty lasts 36 months [1].\n\n## Sources\n[1] Manual: file://manual.pdf#page=2\n"
OVER, END = "The research is over", "Your research on this sub-problem ends here"
FIRST = cases("filetasks", "FIRST")
Script = Callable[[Request], Reply]


def tools(request: Request) -> set[str]:
    return {tool["name"] for tool in request.body.get("tools", ())}


def part(request: Request) -> str:
    bound = tools(request)
    if "search_pages" in bound or "read_files" in bound:
        return "main"
    if not bound:
        return "look" if '"image"' in text(request) else "alone"
    return "search" if "web_search" in bound else "reader"


def text(request: Request) -> str:
    return json.dumps(request.body["messages"], ensure_ascii=False)


def turns(request: Request) -> int:
    return sum(message["role"] == "assistant" for message in request.body["messages"])


def never_ending(request: Request) -> Reply:
    """Every part goes on calling until it is told that its turns are over."""
    over = text(request)
    match part(request):
        case "main":
            if OVER in over:
                return Say(REPORT)
            return Say(
                "", FIRST if not turns(request) else [("calculator", {"expression": f"{turns(request)} + 1"})]
            )
        case "search":
            return (
                Say("SUMMARY-S [1]")
                if END in over
                else Say("", [("web_search", {"query": "Kettle limescale"})])
            )
        case "reader":
            if END in over:
                return Say("SUMMARY-F [1]")
            return Say("", [("read_file", {"name": "manual.pdf", "part": f"{turns(request) + 1}"})])
    return Say("SUMMARY-P")


def brief(request: Request, but: str = "") -> Reply:
    """Every part does one thing and is done."""
    if part(request) == "main" and turns(request):
        return Say(REPORT)
    if part(request) in ("search", "reader") and (turns(request) or part(request) == but):
        return Say(f"SUMMARY-{'S' if part(request) == 'search' else 'F'} [1]")
    return never_ending(request)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dr3")
    write_task(folder / "tasks" / "007")
    return folder / "tasks"


async def answered(
    place: Path, script: Script, name: str = "dr3", limits: dict[str, int] | None = None, **settings: Any
) -> tuple[AnswerRecord, list[Request]]:
    """One unit as a study runs it, with the real client."""
    with Wire(script) as wire:
        told = {
            "model": "anthropic:claude-sonnet-5-5",
            "base_url": wire.url,
            "anthropic_api_key": "sk-test",
            **settings,
        }
        plan = StudyPlan(variants=name, limits=limits or {}, world="files", place=place)
        with open_answering(plan, resolve(told).settings) as answering:
            (spec, _) = answering.specs(queries_of(place))
            meter = Meter()
            models = answering.models.unit(meter)
            try:
                return await answering.answer(spec, models, meter), wire.requests
            finally:
                await answering.models.aclose()


@pytest.fixture(scope="module")
def endless(place: Path) -> tuple[AnswerRecord, list[Request]]:
    return asyncio.run(answered(place, never_ending))


Endless = tuple[AnswerRecord, list[Request]]


def test_limits_are_kept_and_the_main_agent_sees_summaries_only(endless: Endless) -> None:
    record, requests = endless
    assert Counter(map(part, requests)) == {"main": 10 + 1, "search": 5 + 1, "reader": 3 + 1, "look": 1}
    assert record.report == REPORT.strip() and record.stop_reason == "step_limit"
    assert {role: used["calls"] for role, used in record.usage.items()} == {"agent": 21, "perception": 1}
    assert not any(request.body.get("output_config") for request in requests), "nothing is checked unasked"
    _, requests = endless
    raw = ("citric acid", "care.example", "lasts 36 months.", "schema_version", "U1")
    below = "".join(text(request) for request in requests if part(request) in ("search", "reader"))
    assert "citric acid" in below and "lasts 36 months." in below
    for request in requests:
        if part(request) == "main":
            assert not any(words in text(request) for words in raw)
            assert tools(request) == {"reason", *(name for name, _ in FIRST), "calculator", "finalize"}
    assert all(summary in text(requests[-1]) for summary in ("SUMMARY-S", "SUMMARY-F", "SUMMARY-P"))


async def test_a_picture_is_shown_once_to_who_sees(place: Path) -> None:
    def twice(request: Request) -> Reply:
        if part(request) == "main" and turns(request) == 1:
            return Say("", [("look_at_picture", {"name": "file://slip.png", "question": "And the date?"})])
        return Say(REPORT) if part(request) == "main" and turns(request) > 1 else brief(request)

    record, requests = await answered(place, twice)
    picture = b64encode((place / "007" / "files" / "slip.png").read_bytes()).decode()
    assert sum(json.dumps(request.body).count(picture) for request in requests) == 1
    looks = [call.error and call.error.kind for call in record.tool_calls if call.name == "look_at_picture"]
    assert looks == [None, "not_allowed"]
    record, requests = await answered(place, brief, role_models={"perception": "offline"})
    assert "look" not in Counter(map(part, requests))
    (look,) = [call for call in record.tool_calls if call.name == "look_at_picture"]
    assert look.error is not None and look.error.kind == "unsupported"
    assert "what is in it stays unknown" in text(requests[-1])


async def test_searches_and_contexts_are_bounded(place: Path) -> None:
    words = ["kettle limescale", "Limescale kettles", "limescale KETTLE", "other words", "kettle limescale"]

    def script(request: Request) -> Reply:
        if part(request) == "search" and END not in text(request):
            return Say("", [("web_search", {"query": words[turns(request)]})])
        return brief(request, but="search")

    record, requests = await answered(place, script)
    made = [call.kind for call in record.tool_calls if call.name == "web_search"]
    assert sorted(made) == ["api", "api", "api", "refused", "refused"]
    last = [text(request) for request in requests if part(request) == "search"][-1]
    assert last.count("these words were searched for twice already") == 2

    def script(request: Request) -> Reply:
        if part(request) == "search" and not turns(request):
            return Say("", [("get_context", {"query": "kettle limescale"})])
        return brief(request)

    record, _ = await answered(place, script, limits={"context_chars": 500})
    (call,) = [call for call in record.tool_calls if call.name == "get_context"]
    assert (call.kind, call.error) == ("api", None)
    assert sum(len(source.seen) for source in record.sources if source.type == "web") == 500
    assert 500 < len(call.result) < 900, "and titles and addresses"


def validating(unmet: list[list[str]]) -> Script:
    def script(request: Request) -> Reply:
        if request.body.get("output_config"):
            return Say(json.dumps({"unmet": unmet.pop(0)}))
        if "Write the whole report anew" in text(request):
            return Say(REPORT.replace("lasts 36", "clearly lasts 36"))
        return brief(request)

    return script


@pytest.mark.parametrize(("answers", "rounds"), [([["no table"], []], 2), ([["a"], ["b"], ["c"], ["d"]], 3)])
async def test_validation_ends_in_time(place: Path, answers: list[list[str]], rounds: int) -> None:
    left = list(answers)
    record, requests = await answered(place, validating(left), "dr3+validate")
    checks = [request for request in requests if request.body.get("output_config")]
    assert len(checks) == len(answers) - len(left) == rounds
    assert "clearly" in record.report and len([n for n in record.notes if n.startswith("validate")]) == rounds
    assert "# Report, 6 words without its list of sources" in text(checks[0])


async def test_a_check_that_fails_leaves_the_report(place: Path) -> None:
    def script(request: Request) -> Reply:
        return Say("no", stop_reason="refusal") if request.body.get("output_config") else brief(request)

    record, _ = await answered(place, script, "dr3+validate")
    assert record.report == REPORT.strip() and "stayed as it was (refusal)" in " ".join(record.notes)


@pytest.mark.parametrize("broken", ["search", "reader", "look", "main"])
async def test_who_refuses_or_is_cut_does_not_sink_the_others(place: Path, broken: str) -> None:
    def script(request: Request) -> Reply:
        if part(request) == broken and (broken != "main" or turns(request) == 1):
            return Say("no", stop_reason="refusal" if broken != "reader" else "max_tokens")
        return Say(REPORT) if part(request) == "alone" else brief(request)

    record, requests = await answered(place, script)
    assert record.report == REPORT.strip()
    if broken == "main":
        assert record.stop_reason == "refused"
        assert "SUMMARY-S" in text(requests[-1]) and "citric acid" not in text(requests[-1])
    else:
        assert [one.kind for one in record.failures] == ["truncated" if broken == "reader" else "refusal"]


async def test_where_nothing_below_could_be_asked_there_is_no_report(place: Path) -> None:
    def script(request: Request) -> Reply:
        small = Fail(400, "invalid_request_error", "prompt is too long: 300000 tokens > 200000 maximum")
        return brief(request) if part(request) == "main" else small

    with pytest.raises(ModelFailure) as raised:
        await answered(place, script)
    assert raised.value.kind == "context_overflow"


ANSWERS = """
import glob
asked = json.load(sys.stdin)
tools = post(os.environ["DRR_MCP_URL"], {"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}})["result"]["tools"]

def told(tool, **more):
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": more}}
    result = post(os.environ["DRR_MCP_URL"], body)["result"]
    return [result["isError"]] + [one.get("text") or one["data"] for one in result["content"]]

found = {
    "asked": asked,
    "tools": sorted(tool["name"] for tool in tools),
    "files": told("list_files"),
    "page": told("read_file", name="manual.pdf", part="2"),
    "hit": told("search_file", name="manual.pdf", query="warranty"),
    "slip": told("view_image", name="slip.png"),
    "web": told("web_search", query="kettle limescale citric acid"),
    "late": told("web_search", query="tea fair stalls"),
    "truths": [told("read_file", name=name) for name in ("truth.json", "../truth.json", TASKS + "/007/truth.json", "file://../truth.json")],
}

def reached():
    for pattern in (TASKS + "/**", STUDY + "/**", BOX + "/*", "/agent/**", "/tmp/**", "/proc/[0-9]*/environ", "/proc/[0-9]*/cmdline"):
        for path in glob.glob(pattern, recursive=True):
            try:
                with open(path, "rb") as file:
                    yield path, file.read(500_000)
            except OSError:
                pass

own = os.path.abspath(sys.argv[0])
texts = list(reached())
found["secret"] = [path for path, text in texts if b"hidden-" + b"truth" in text]
found["paths"] = [path for path, text in texts if path != own and (TASKS.encode() in text or path.startswith((TASKS, STUDY)))]
found["open"] = [path for path in glob.glob("/proc/self/fd/*") if os.path.exists(path) and TASKS in os.path.realpath(path)]
found["environment"] = [value for value in os.environ.values() if TASKS in value]
print("The warranty lasts 36 months [1].\\n\\n" + json.dumps(found) + "\\n\\n## Sources\\n[1] Manual: file://manual.pdf#page=2")
"""


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the command ran, with everything beside it that it must not reach."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    write_task(tmp_path / "tasks" / "007")
    known = {"TASKS": tmp_path / "tasks", "STUDY": tmp_path / "study", "BOX": tmp_path}
    script = tmp_path / "agent.py"
    script.write_text(HEAD + "".join(f"{name} = {str(path)!r}\n" for name, path in known.items()) + ANSWERS)
    script.chmod(0o755)
    words = ["run", "study", "--tasks", "tasks", "--sizes", "1k", "--variants", "cmd:./agent.py", "--quiet"]
    assert main([*words, "--agent-sees", str(tmp_path), *TERMS]) == 0
    return tmp_path / "study"


@needs_namespaces
def test_it_lists_reads_searches_and_answers_by_the_door_and_finds_no_truth(study: Path) -> None:
    with Study.open(study, read_only=True) as opened:
        record = next(iter(opened.records("answer")))
        report = opened.text(record, "report") or ""
    found = json.loads(report.split("\n\n")[1])
    assert found["asked"]["text"] == QUERY and found["asked"]["user_id"] is None
    assert found["asked"]["today"] == "2024-03-01"
    six = ["calculator", "list_files", "read_file", "search_file", "view_image", "web_search"]
    assert found["tools"] == six
    failed, listed = found["files"]
    assert not failed and "manual.pdf" in listed and "slip.png" in listed and "truth" not in listed
    assert found["page"] == [False, found["page"][1]] and "file://manual.pdf#page=2" in found["page"][1]
    assert not found["hit"][0] and "36 months" in found["hit"][1]
    assert not found["slip"][0] and found["slip"][2:] == [b64encode(picture()).decode()]
    assert "citric acid every 4 weeks" in found["web"][1]
    assert "40 stalls" not in found["late"][1]  # of a larger corpus than this unit's
    assert [failed for failed, *_ in found["truths"]] == [True] * 4
    assert found["secret"] == found["paths"] == found["open"] == found["environment"] == []
    assert SECRET not in report
    calls = [(call["name"], call["error"] and call["error"]["kind"]) for call in record.result["tool_calls"]]
    assert calls[:4] == [
        ("list_files", None), ("read_file", None), ("search_file", None), ("view_image", None),
    ]  # fmt: skip
    assert [kind for name, kind in calls[6:]] == ["not_found"] * 4
    assert [one["url"] for one in record.result["sources"]][:1] == ["file://manual.pdf#page=2"]
    assert record.result["fabricated"] == []
