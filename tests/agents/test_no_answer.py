"""An answer without content, without any research, or that is the text of a tool call: asked once more, and then none."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from drr.agents.answers import is_empty
from drr.agents.registry import variant
from drr.agents.run_state import ONCE_MORE
from drr.agents.runner import AgentOptions, key_fields, load_prompts
from drr.agents.text_calls import is_call
from drr.env.settings import Settings
from drr.study.study import Study

from tests.agents.commands.conftest import HEAD, TERMS
from tests.agents.garden import ANNA, write_shop
from tests.cases import table
from tests.commands import Drr
from tests.small_models import CALL as PLAIN_CALL
from tests.small_models import JSON_REPORT, SmallModel
from tests.wire import Fail, Request, Say, Wire, looked

REPORT = (
    "Take the cedar house [1].\n\n## Sources\n\n[1] Cedar bird house: http://ecommerce.example/B0HOUSE001"
)
CALL = '{"name": "product_catalog_search", "arguments": {"query": "bird house"}}'
MORE = "An earlier attempt"
TOOLS = {"product_catalog_search", "finalize"}


class Asked(NamedTuple):
    code: int
    document: dict[str, Any]
    told: str
    requests: list[str]


@table("agents", "the_text_of_a_call_is_known_by_its_form")
def test_the_text_of_a_call_is_known_by_its_form(text: str) -> None:
    assert is_call(text, TOOLS)


@pytest.mark.parametrize(
    "text",
    [
        "", REPORT, f"{REPORT}\n\n```json\n{CALL}\n```", '{"title": "Houses", "text": "The cedar one."}',
        "```\nfinalize\n```", "I searched with product_catalog_search and found a house.",
        "<p>A house of cedar</p>", "[" * 100_000, "{" + "<a>" * 50_000,
    ],
)  # fmt: skip
def test_a_report_is_no_call(text: str) -> None:
    assert not is_call(text, TOOLS)


@table("agents", "few_words_are_an_answer_only_with_a_link_a_figure_or_a_form")
def test_few_words_are_an_answer_only_with_a_link_a_figure_or_a_form(text: str, empty: bool) -> None:
    assert is_empty(text) is empty


def careless(said: str) -> Callable[[Request], Say]:
    """Calls no tool; where its answer is short, one first."""

    def script(request: Request) -> Say:
        known = any(message["role"] == "assistant" for message in request.body["messages"])
        if said == "Here you are:" and request.body.get("tools") and not known:
            return Say(calls=[("product_catalog_search", {"query": "house"})])
        return Say(said)

    return script


SAYS = {"no_research": REPORT, "empty": "Here you are:", "malformed_call": CALL}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("none") / "shop"
    write_shop(str(folder), Settings())
    return folder


@pytest.fixture
def words(place: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-not-a-real-key-0123456789")
    return ["--shop", str(place), "--model", "anthropic:claude-sonnet-5-5", "--quiet"]


def asking(words: list[str], script: Callable[[Request], Say], drr: Drr) -> Asked:
    """The exit code, the document, what was told, and the questions as the model was asked them."""
    with Wire(script) as wire:
        code, out, err = drr("ask", "Which house?", "--user", ANNA, *words, "--base-url", wire.url, "--json")
        asked = [json.dumps(request.body["messages"]) for request in wire.requests]
    return Asked(code, json.loads(out), err, asked)


def test_research_left_out_is_asked_for_once(words: list[str], drr: Drr) -> None:
    def script(request: Request) -> Say:
        return looked(request, REPORT) if MORE in json.dumps(request.body["messages"]) else Say(REPORT)

    code, document, err, asked = asking(words, script, drr)
    assert code == 0, err
    assert document["stop_reason"] == "answered" and [c["kind"] for c in document["tool_calls"]] == ["api"]
    assert [MORE in one for one in asked] == [False] * 2 + [True] * 3
    version = load_prompts()[ONCE_MORE].sha256[:8]
    assert document["notes"] == [f"asked once more (no_research, answered; once_more {version})"]


@pytest.mark.parametrize("said", ["Here is your report:", CALL])
def test_a_report_of_none_is_anew(words: list[str], drr: Drr, said: str) -> None:
    def script(request: Request) -> Say:
        return looked(request, REPORT if MORE in json.dumps(request.body["messages"]) else said)

    code, document, err, asked = asking(words, script, drr)
    assert code == 0, err
    assert document["report"].startswith("Take the cedar house") and len(document["tool_calls"]) == 1
    assert len(asked) == 4 and "Cedar bird house" in asked[-1], "written from what was found"


def test_a_short_refusal_is_an_answer(words: list[str], drr: Drr) -> None:
    said = "No product in this shop fits what you asked for."
    code, document, err, asked = asking(words, lambda request: looked(request, said), drr)
    assert code == 0, err
    assert document["stop_reason"] == "answered" and document["report"].strip() == said
    assert document["notes"] == [] and not any(MORE in one for one in asked)
    code, document, err, _ = asking(words, lambda request: Say(said), drr)
    assert (code, document["stop_reason"]) == (1, "no_research"), "of nothing that was looked up"


@pytest.mark.parametrize("kind", SAYS)
def test_ask_shows_what_came(kind: str, words: list[str], drr: Drr) -> None:
    code, document, err, _ = asking(words, careless(SAYS[kind]), drr)
    assert (code, document["stop_reason"]) == (1, kind) and document["report"].startswith(SAYS[kind][:20])
    assert f"no answer ({kind}): react " in err and "Traceback" not in err
    assert sum("asked once more" in note for note in document["notes"]) == 1


def test_an_overflow_names_the_options(words: list[str], drr: Drr) -> None:
    told = "prompt is too long: 250000 tokens > 200000"
    with Wire(lambda request: Fail(400, "invalid_request_error", told)) as wire:
        err = drr.err("ask", "Which house?", "--user", ANNA, *words, "--base-url", wire.url, code=1)
    assert all(f"--{name}" in err for name in ("model", "judge", "limits"))


@pytest.mark.long
def test_a_study_counts_it_as_none(words: list[str], drr: Drr) -> None:
    questions = [{"id": kind, "query": f"Which house? {kind}", "user_id": ANNA} for kind in SAYS]
    questions.append({"id": "good", "query": "Which house? good", "user_id": ANNA})
    Path("queries.jsonl").write_text("".join(json.dumps(one) + "\n" for one in questions))

    def script(request: Request) -> Say:
        asked = json.dumps(request.body["messages"])
        for kind, said in SAYS.items():
            if f"Which house? {kind}" in asked:
                return careless(said)(request)
        called = any(message["role"] == "assistant" for message in request.body["messages"])
        return Say(REPORT) if called else Say(calls=[("product_catalog_search", {"query": "house"})])

    run = ["run", "study", "--variants", "react", "--queries", "queries.jsonl", *words]
    with Wire(script) as wire:
        assert drr(*run, "--base-url", wire.url)[0] == 1
        asked = len(wire.requests)
        assert drr("run", "study", "--base-url", wire.url, "--quiet")[0] == 1 and len(wire.requests) == asked
    assert json.loads(drr("status", "study", "--json")[1])["failures"] == dict.fromkeys(sorted(SAYS), 1)
    assert drr("judge", "study", "--judge", "offline", "--quiet")[0] == 0
    document = json.loads(drr("report", "study", "--json")[1])
    assert document["coverage"]["answers"] == 1
    assert document["coverage"]["failed"] == {"react": dict.fromkeys(sorted(SAYS), 1)}
    assert document["metrics"]["react"]["words"]["n"] == 1
    assert drr("report", "study", "--out", "pages", "--quiet")[0] == 0
    page = Path("pages/index.html").read_text()
    assert "malformed_call" in page and "was asked twice for its report and gave none" in " ".join(
        page.split()
    )
    code, gate, _ = drr("study", "gate", "study", "--require", "words>=1")
    assert code == 1 and "3 failed (1 empty, 1 malformed_call, 1 no_research)" in gate
    few = ["study", "gate", "study", "--unanswered", "0.5", "--require"]
    assert drr(*few, "no_research<=0.3")[0] == 0, "what is bounded by name is not counted as unanswered"
    code, gate, _ = drr(*few, "react:no_research<=0.02")
    assert code == 1 and "no_research <= 0.02" in gate and "0.250" in gate
    with Study.read(Path("study")) as study:
        kept = {record.reason: study.text(record, "report") for record in study.records("answer", "failed")}
    assert kept == SAYS
    with Wire(lambda request: Say(REPORT) if "tool_result" in json.dumps(request.body) else Say(
        calls=[("product_catalog_search", {"query": "house"})]
    )) as wire:  # fmt: skip
        assert drr("run", "study", "--retry-failed", "--base-url", wire.url, "--quiet")[0] == 0
    assert json.loads(drr("status", "study", "--json")[1])["units"]["done"] == 4


def test_keys_stay_as_they_were_until_the_line_is_another(tmp_path: Path) -> None:
    (tmp_path / f"{ONCE_MORE}.md").write_text("Try again.\n")
    ours, other = (
        key_fields(variant("react"), AgentOptions(), load_prompts(folder))["prompts"]
        for folder in (None, tmp_path)
    )
    assert ONCE_MORE not in ours and other == {**ours, ONCE_MORE: load_prompts(tmp_path)[ONCE_MORE].sha256}


SOURCES = "# Houses\n\n## Sources\n\n[1] Cedar bird house: http://ecommerce.example/B0HOUSE001\n"
SAID = "The shop has no bird feeder that fits, though three were looked at with care. Take the cedar house."


@pytest.mark.parametrize(
    ("call", "said", "ending"),
    [
        (("product_catalog_search", {"query": "zeppelin"}), SAID, None),
        (("get_product_details", {"product_id": "B0NOTHERE1"}), SAID, None),
        (("calculator", {"expression": "1 + 1"}), SAID, "no_research"),
        (("product_catalog_search", {"query": "bird house " * 60}), SAID, "no_research"),
        (("no_such_tool", {}), SAID, "no_research"),
        (("calculator", {"expression": "1 + 1"}), '{"answer": [1,', "malformed_call"),
        (
            ("calculator", {"expression": "1 + 1"}),
            '{"answer": "the cedar house is the one to take',
            "malformed_call",
        ),
        (("product_catalog_search", {"query": "house"}), SOURCES, "empty"),
        (("calculator", {"expression": "1 + 1"}), SOURCES, "empty"),
    ],
)
@pytest.mark.parametrize(
    "kind", ["react", "hybrid-react", "plan-to-function", "mine.py:mine", "cmd:./agent.py"]
)
def test_research_is_an_answered_call_of_a_tool_that_looks_up_whoever_answers(
    words: list[str], drr: Drr, kind: str, call: Any, said: str, ending: str | None
) -> None:
    name, arguments = call
    if kind.startswith("mine") and name == "no_such_tool":
        pytest.skip("a function holds its tools")
    made = f"NAME, ARGUMENTS, SAID = {name!r}, {arguments!r}, {said!r}\n"
    Path("mine.py").write_text(
        f"{made}async def mine(query, tools, model, budget):\n"
        "    await next(tool for tool in tools if tool.name == NAME).ainvoke(ARGUMENTS)\n"
        "    return SAID\n"
    )
    Path("agent.py").write_text(f"{HEAD}{made}call(NAME, **ARGUMENTS)\nprint(SAID)\n")
    Path("agent.py").chmod(0o755)

    def script(request: Request) -> Say:
        known = any(message["role"] == "assistant" for message in request.body["messages"])
        bound = {tool["name"] for tool in request.body.get("tools") or ()}
        if "output_config" in request.body:
            plan = {"plan": "p", "calls": [{"tool": name, "arguments": json.dumps(arguments)}]}
            return Say(json.dumps(plan))
        if "launch_researcher" in bound and not known:
            return Say(calls=[("launch_researcher", {"sub_problem": "What is there?"})])
        return Say(calls=[call]) if bound and not known else Say(said)

    terms = TERMS if kind.startswith("cmd:") else []
    found = asking([*words, "--variant", kind, *terms], script, drr)
    if ending is None:
        assert found.code == 0, found.told
    else:
        assert (found.code, found.document["stop_reason"]) == (1, ending), found.told


@pytest.mark.parametrize(
    ("declared", "code"), [("", 1), ("knows.tools = ()", 0), ("knows.tools = ('calculator',)", 0)]
)
def test_what_needs_no_tool_declares_none(words: list[str], drr: Drr, declared: str, code: int) -> None:
    Path("knows.py").write_text(
        f"async def knows(query, tools, model, budget):\n    return {REPORT!r}\n\n{declared}\n"
    )
    found = asking([*words, "--variant", "knows.py:knows"], careless("unasked"), drr)
    assert found.code == code, found.told


def small(drr: Drr, place: Path, wire: Wire, *more: str) -> tuple[int, dict[str, Any], str]:
    words = ("--user", ANNA, "--shop", place, "--model", "openai:small", "--quiet", "--json", *more)
    code, out, err = drr("ask", "Which house?", *words, "--base-url", wire.url)
    return code, json.loads(out), err


@pytest.mark.parametrize(
    ("manner", "told"),
    [("empty_plan", "the plan holds no ca"), ("worded_plan", "the arguments are no JSON object")],
)
def test_a_plan_of_nothing_is_refused(
    manner: Any, told: str, place: Path, words: list[str], drr: Drr
) -> None:
    with Wire(SmallModel(manner)) as wire:
        code, document, err = small(drr, place, wire, "--variant", "plan-to-function")
        plans = [json.dumps(r.body["messages"]) for r in wire.requests if "response_format" in r.body]
        assert len(wire.requests) == 3, "two plans and a report"
    assert (code, document["stop_reason"]) == (1, "no_research")
    assert [MORE in one for one in plans] == [False, True]
    assert told in "".join(document["notes"]) + err
    assert {call["kind"] for call in document["tool_calls"]} <= {"refused"}


@pytest.mark.parametrize("manner", ["text_call", "tagged_call"])
def test_calls_as_text_are_read_where_asked(manner: Any, place: Path, words: list[str], drr: Drr) -> None:
    with Wire(SmallModel(manner)) as wire:
        code, document, _ = small(drr, place, wire, "--text-calls", "parse")
        *_, made, answer = wire.requests[1].body["messages"]
    assert code == 0 and [call["name"] for call in document["tool_calls"]] == ["product_catalog_search"]
    assert made["tool_calls"][0]["function"]["name"] == "product_catalog_search"
    assert "Cedar bird house" in answer["content"] and document["notes"] == []


def test_calls_as_text_are_hinted(place: Path, words: list[str], drr: Drr) -> None:
    with Wire(lambda request: Say(PLAIN_CALL)) as wire:
        code, document, err = small(drr, place, wire)
    assert (code, document["stop_reason"]) == (1, "malformed_call") and "--tool-call-parser" in err
    with Wire(SmallModel("json_report")) as wire:
        document = small(drr, place, wire)[1]
    assert (document["stop_reason"], document["report"]) == ("malformed_call", f"{JSON_REPORT}\n")


def test_reading_calls_from_text_is_in_the_key_only_where_it_is_asked_for() -> None:
    fields = [
        key_fields(variant(name), AgentOptions(text_calls=parse), load_prompts())
        for name in ("react", "plan-to-function")
        for parse in (False, True)
    ]
    assert "text_calls" not in fields[0] and fields[1] == {**fields[0], "text_calls": "parse"}
    assert fields[2] == fields[3], "planning binds no tool"


def test_an_unnamed_judge_is_named(place: Path, words: list[str], drr: Drr) -> None:
    Path("queries.jsonl").write_text(json.dumps({"id": "q", "query": "Which house?", "user_id": ANNA}))
    run = ("run", "study", "--variants", "react", "--queries", "queries.jsonl", "--shop", place)
    with Wire(lambda request: looked(request, REPORT)) as wire:
        drr.out(*run, "--model", "openai:small", "--base-url", wire.url, "--quiet")
        judge = ("judge", "study", "--what", "quality", "--base-url", wire.url, "--quiet")
        itself, other = drr(*judge)[2], drr(*judge, "--judge", "openai:other")[2]
    assert "judged by openai:small" in itself and "it judges itself" in itself and "judged by" not in other
