"""A command's model calls go through ours: three protocols, counted and paid as our own, and never with the real key."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from drr.agents.commands.model_protocols import chat, messages, responses
from drr.agents.commands.model_requests import Conversations, NotOffered
from drr.study.study import Study
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage

from tests.agents.commands.conftest import KEY, SEARCHES, Script, asked, new
from tests.commands import Drr
from tests.wire import Fail, Garbage, Reply, Request, Say, Wire

EXAMPLES = Path(__file__).parents[3] / "examples"
EMPTY = {"type": "object", "properties": {}}
TOOL = {"name": "product_catalog_search", "description": "Search", "input_schema": EMPTY}

CLIENTS = (
    f"TOOL, KEY = {TOOL!r}, {KEY!r}\n"
    + """
import anthropic, openai
question = json.load(sys.stdin)["text"]
function = {"name": TOOL["name"], "description": "Search", "parameters": TOOL["input_schema"]}
said = []
one = openai.OpenAI().chat.completions
told = [{"role": "system", "content": "Be short."}, {"role": "user", "content": question}]
reply = one.create(model="any", messages=told, tools=[{"type": "function", "function": function}], temperature=0.3)
call = reply.choices[0].message.tool_calls[0]
told += [reply.choices[0].message, {"role": "tool", "tool_call_id": call.id, "content": "Nothing."}]
pieces = one.create(model="any", messages=told, stream=True, stream_options={"include_usage": True})
pieces = list(pieces)
said.append("".join(piece.choices[0].delta.content or "" for piece in pieces if piece.choices))
said.append(pieces[-1].usage.total_tokens)
two = openai.OpenAI().responses
said.append(two.create(model="any", input=question, instructions="Be short.").output_text)
with two.stream(model="any", input=question, tools=[{"type": "function", **function}]) as events:
    final = events.get_final_response() if [event for event in events] else None
said.append(final.output[-1].name)
three = anthropic.Anthropic().messages
said.append(three.create(model="any", max_tokens=9, system="Be short.", messages=[{"role": "user", "content": question}]).content[0].text)
with three.stream(model="any", max_tokens=9, tools=[TOOL], messages=[{"role": "user", "content": question}]) as events:
    said.append(events.get_final_message().content[-1].name)
refused = 0
for odd in ({"n": 2}, {"response_format": {"type": "json_object"}}):
    try:
        one.create(model="any", messages=told, tools=[{"type": "function", "function": function}], **odd)
    except openai.BadRequestError:
        refused += 1
said += [refused, len(json.dumps(sorted(os.environ.items())).split(KEY)) - 1]
print("Said:", json.dumps(said))
"""
)


def model(wire: Wire, provider: str) -> list[str]:
    return ["--model", provider + ":scripted", "--base-url", wire.url + "/v1" * (provider == "openai")]


SEARCH = Say(calls=[("product_catalog_search", {"query": "bird house"})])


@pytest.mark.long
def test_real_clients_of_three_protocols_are_answered(box: Path, script: Script, drr: Drr) -> None:
    script("clients.py", SEARCHES + CLIENTS)
    said = [SEARCH, Say("One."), Say("Two."), SEARCH, Say("Three."), SEARCH]
    with Wire(said) as wire:
        code, out, err = drr(*asked(box, "cmd:python clients.py", *model(wire, "anthropic")))
        assert code == 0, err
        document = json.loads(out)
        assert json.loads(document["report"].removeprefix("Said: ")) == [
            "One.", 120, "Two.", "product_catalog_search", "Three.", "product_catalog_search", 2, 0,
        ]  # fmt: skip
        used = document["usage"]["agent"]
        assert (used["calls"], used["input_tokens"], used["output_tokens"]) == (6, 600, 120)
        assert len(wire.requests) == 6 and document["model"] == "anthropic:scripted"
        assert all(KEY in str(request.headers) for request in wire.requests)
        second = wire.requests[1].body["messages"]
        assert [one["role"] for one in second] == ["user", "assistant", "user"]
        assert "temperature" not in wire.requests[0].body
    assert document["notes"][0].endswith("as the study decides: temperature")


@pytest.mark.long
def test_one_script_four_agents_one_form_and_the_servers_count(box: Path, script: Script, drr: Drr) -> None:
    """Our ReAct, LangChain's `create_agent`, the MCP client and OpenAI's Agents SDK, each with the same model; beside them a shell."""
    names = {
        "react": "react",
        "create_agent.py:shopper": f"{EXAMPLES}/create_agent.py:shopper",
        "cmd:python_mcp_client.py": f"cmd:python {EXAMPLES}/agents/mcp_client.py",
        "cmd:python_openai_agents.py": f"cmd:python {EXAMPLES}/agents/openai_agents.py",
        "cmd:shell.sh": f"cmd:{EXAMPLES}/agents/shell.sh",
        **({"inspect:react": "inspect:react"} if find_spec("inspect_ai") else {}),
    }
    with Wire(scripted_by_any) as wire:
        code, _, err = drr(*new(box, ",".join(names.values()), *model(wire, "openai")))
        assert code == 0, err
        with Study.open(Path("study")) as study:
            records = {record.label.split("/")[1]: record for record in study.records("answer")}
        assert {*records} == {*names}
        shell = records.pop("cmd:shell.sh")
        assert "costs $24.95 [1]" in str(study.text(shell, "report")) and not shell.result["fabricated"]
        assert shell.usage["agent"]["calls"] == 0 and len(shell.result["tool_calls"]) == 2
        reports = {str(study.text(record, "report")).strip() for record in records.values()}
        usages = [record.usage["agent"] for record in records.values()]
        assert sum(used["calls"] for used in usages) == len(wire.requests)
        assert sum(used["input_tokens"] for used in usages) == 100 * len(wire.requests)
    form = [{*record.result} for record in records.values()]
    assert all(one == form[0] for one in form) and {*shell.result} == form[0]
    parts = ("name", "arguments", "result_sha256")
    every = [
        [call for call in record.result["tool_calls"] if call["kind"] == "api"] for record in records.values()
    ]
    calls = [[[call[part] for part in parts] for call in own] for own in every]
    assert len(calls[0]) == 2 and all(one == calls[0] for one in calls)
    assert all(record.result["sources"] == records["react"].result["sources"] for record in records.values())
    assert reports == {REPORT.strip()}


REPORT = "A bird house [1].\n\n## Sources\n\n[1] House: http://ecommerce.example/B0HOUSE001"


def scripted_by_any(request: Request) -> Reply:
    done = sum(one.get("role") == "tool" for one in request.body["messages"])
    steps = [SEARCH, Say(calls=[("get_user_orders", {})])]
    return steps[done] if done < len(steps) and request.body.get("tools") else Say(REPORT)


@pytest.mark.long
@pytest.mark.parametrize(
    ("reply", "more", "reason"),
    [(Fail(401, "authentication_error"), (), "bad_key"), (Say("x"), ("--budget-tokens", 50), "budget")],
)
def test_what_ends_a_unit_of_ours_ends_a_command(
    box: Path, script: Script, drr: Drr, reply: Reply, more: Sequence[object], reason: str
) -> None:
    script(
        "stubborn.py",
        "import openai, time\n"
        "try: openai.OpenAI(max_retries=0).chat.completions.create(model='m', messages=[{'role': 'user', 'content': 'x'}])\n"
        "except Exception: pass\n"
        "time.sleep(60)\nprint('A report of nothing.')\n",
    )
    with Wire(lambda request: reply) as wire:
        drr(*new(box, "cmd:python stubborn.py", *model(wire, "anthropic"), *more))
    with Study.open(Path("study")) as study:
        record = next(iter(study.records("answer", None)))
    assert record.reason == reason


@pytest.mark.slow
@pytest.mark.parametrize("code", ["", "try: ask()\nexcept Exception: pass\n"])
def test_a_refusal_of_the_model_ends_the_unit(box: Path, script: Script, drr: Drr, code: str) -> None:
    """Unless the command goes on: it answered at last, or it failed of itself."""
    ask = "openai.OpenAI(max_retries=0).chat.completions.create(model='m', messages=[{'role': 'user', 'content': 'x'}])"
    script("asks.py", f"import openai\ndef ask(): {ask}\n{code}ask()\nraise SystemExit(3)\n")
    refused = Say("I cannot.", stop_reason="refusal")
    for last, told in ((refused, "the model refused to answer"), (Say("Now."), "exit code 3")):
        with Wire([refused, last] if code else [last]) as wire:
            status, _, err = drr(*asked(box, "cmd:python asks.py", *model(wire, "anthropic")))
        assert status == 1 and told in err and "openai." not in err, err


def heard() -> Conversations:
    return Conversations(lambda text: None)


def test_a_reply_that_comes_back_is_what_the_model_said() -> None:
    said = AIMessage(
        [{"type": "thinking", "thinking": "", "signature": "s"}, {"type": "text", "text": "Let me look."}],
        tool_calls=[{"name": "calculator", "args": {"expression": "1"}, "id": "c1", "type": "tool_call"}],
    )
    for protocol, whole in ((chat, _chat), (messages, _messages), (responses, _responses)):
        ear = heard()
        ear.keep(said)
        asked_ = protocol.read(whole(protocol.write(said, {"model": "m"}, 1)), ear)  # type: ignore[attr-defined]
        kinds = [type(one) for one in asked_.messages]
        assert kinds == [SystemMessage, HumanMessage, AIMessage, ToolMessage]
        assert asked_.messages[2] is said
        again = protocol.read(whole(protocol.write(said, {"model": "m"}, 1)), ear)  # type: ignore[attr-defined]
        assert all(one is other for one, other in zip(asked_.messages, again.messages, strict=True))


def _chat(answer: Any) -> Any:
    result = {"role": "tool", "tool_call_id": "c1", "content": [{"type": "text", "text": "1"}]}
    told = [{"role": "developer", "content": "S"}, {"role": "user", "content": "Q"}]
    return {"messages": [*told, answer["choices"][0]["message"], result]}


def _messages(answer: Any) -> Any:
    result = {"type": "tool_result", "tool_use_id": "c1", "content": "1"}
    said = {"role": "assistant", "content": answer["content"]}
    told = [{"role": "user", "content": "Q"}, said, {"role": "user", "content": [result]}]
    return {"system": [{"type": "text", "text": "S"}], "messages": told}


def _responses(answer: Any) -> Any:
    result = {"type": "function_call_output", "call_id": "c1", "output": "1"}
    return {"instructions": "S", "input": [{"role": "user", "content": "Q"}, *answer["output"], result]}


@pytest.mark.parametrize(
    ("protocol", "body"),
    [
        (chat, {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {}}]}]}),
        (chat, {"messages": "x"}),
        (chat, {"messages": [{"role": "assistant", "content": "x"}]}),
        (responses, {"input": "x", "previous_response_id": "resp_1"}),
        (responses, {"input": [{"type": "computer_call"}]}),
        (responses, {"input": [{"type": "function_call", "arguments": "[1]"}]}),
    ],
)
def test_what_is_not_passed_on_is_refused_in_a_sentence(protocol: Any, body: Any) -> None:
    with pytest.raises(NotOffered):
        protocol.read(body, heard())


def test_tools_that_a_provider_runs_are_left_out() -> None:
    ear = heard()
    mine = {"name": "mine", "input_schema": {"type": "object"}}
    tools = [{"type": "web_search_20250305", "name": "web_search"}, mine]
    asked_ = messages.read({"messages": [{"role": "user", "content": "x"}], "tools": tools}, ear)
    assert [tool["function"]["name"] for tool in asked_.tools] == ["mine"]
    assert ear.left_out == {"tools of the type web_search_20250305"}


SCHEMA = {"type": "object", "properties": {"good": {"type": "boolean"}}}
FORM = {"name": "verdict", "strict": True, "schema": SCHEMA}
DEMANDING = (
    f"TOOL, FORM = {TOOL!r}, {FORM!r}\n"
    + """
function = {"name": TOOL["name"], "parameters": TOOL["input_schema"]}
said = [{"role": "user", "content": "x"}]
base = os.environ["ANTHROPIC_BASE_URL"] + "/v1/"
post(base + "chat/completions", {"messages": said, "tools": [{"type": "function", "function": function}], "tool_choice": "required",
     "stop": "END", "response_format": {"type": "json_schema", "json_schema": FORM}})
post(base + "responses", {"input": "x", "tools": [{"type": "function", **function}], "tool_choice": {"type": "function", "name": TOOL["name"]},
     "text": {"format": {"type": "json_schema", **FORM}}})
told = post(base + "messages", {"messages": said, "tools": [TOOL], "tool_choice": {"type": "any"}, "stop_sequences": ["END"],
     "output_config": {"format": {"type": "json_schema", "schema": FORM["schema"]}}})
print("Of 3 answers the last one ended by", told["stop_reason"])
"""
)


def demanded(body: dict[str, Any]) -> list[Any]:
    form = body.get("response_format", {}).get("json_schema") or body.get("output_config", {}).get("format")
    properties = form and {**form["schema"]["properties"]["good"]}
    return [body.get("tool_choice"), body.get("stop") or body.get("stop_sequences"), properties]


def test_a_clients_demands_reach_the_provider(box: Path, script: Script, drr: Drr) -> None:
    script("demanding.py", DEMANDING + SEARCHES)
    forms = {
        "openai": ["required", {"type": "function", "function": {"name": TOOL["name"]}}, "required"],
        "anthropic": [{"type": "any"}, {"type": "tool", "name": TOOL["name"]}, {"type": "any"}],
    }
    for provider, choices in forms.items():
        with Wire([SEARCH, SEARCH, Say("x", stop_reason="stop_sequence")]) as wire:
            code, out, err = drr(*asked(box, "cmd:./demanding.py", *model(wire, provider)))
        assert code == 0, err
        good, stops = {"type": "boolean"}, (["END"], None, ["END"])
        assert [demanded(request.body) for request in wire.requests] == [
            [choice, stop, good] for choice, stop in zip(choices, stops, strict=True)
        ]
        document = json.loads(out)
        assert not [note for note in document["notes"] if "left" in note]
        assert ("stop_sequence" in document["report"]) == (provider == "anthropic")


def test_a_demand_that_is_not_taken_is_made_once(box: Path, script: Script, drr: Drr) -> None:
    script("demanding.py", DEMANDING + SEARCHES)

    def answer(request: Request) -> Reply:
        refused = request.body.get("tool_choice") not in (None, "auto")
        return Fail(400, "invalid_request_error", "no forced tools here") if refused else SEARCH

    with Wire(answer) as wire:
        code, out, err = drr(*asked(box, "cmd:./demanding.py", *model(wire, "openai")))
    assert code == 0, err
    assert [demanded(request.body)[:2] for request in wire.requests] == [
        ["required", ["END"]], [None, ["END"]], [None, None], [None, ["END"]],
    ]  # fmt: skip
    notes = [note for note in json.loads(out)["notes"] if "left" in note]
    assert len(notes) == 1 and "(no forced tools here (HTTP 400, invalid_request_error))" in notes[0]


COUNTING = (
    f"TOOL = {TOOL!r}\n"
    + """
body = {"model": "any", "tools": [TOOL], "messages": [{"role": "user", "content": "x" * 400}]}
print("Counted 1:", json.dumps(post(os.environ["ANTHROPIC_BASE_URL"] + "/v1/messages/count_tokens", body)))
"""
)


def test_tokens_are_counted_or_said_to_be_estimated(box: Path, script: Script, drr: Drr) -> None:
    script("counting.py", COUNTING + SEARCHES)
    with Wire([Garbage('{"input_tokens": 321}')]) as wire:
        code, out, err = drr(*asked(box, "cmd:./counting.py", *model(wire, "anthropic")))
        assert code == 0, err
        assert wire.requests[0].path.endswith("/messages/count_tokens")
    assert json.loads(json.loads(out)["report"].removeprefix("Counted 1: ")) == {"input_tokens": 321}
    assert json.loads(out)["usage"]["agent"]["calls"] == 0
    for provider, said in (("openai", []), ("anthropic", [Fail(404, "not_found_error")])):
        with Wire(said) as wire:
            code, out, err = drr(*asked(box, "cmd:./counting.py", *model(wire, provider)))
            assert code == 0, err
        counted = json.loads(json.loads(out)["report"].removeprefix("Counted 1: "))
        assert counted["estimated"] is True and 100 < counted["input_tokens"] < 200


@pytest.mark.parametrize(
    ("tool", "lost"),
    [
        ({"type": "custom", "name": "mcp__shop__product_catalog_search"}, "product_catalog_search"),
        ({"type": "namespace", "name": "mcp__shop", "tools": [{"type": "custom", "name": "get_user_orders"}]}, "get_user_orders"),
        ({"type": "mcp", "server_label": "s", "server_url": "DOOR/mcp"}, "MCP server"),
        ({"type": "web_search", "name": "web_search"}, None),
        ({"type": "custom", "name": "apply_patch"}, None),
    ],
)  # fmt: skip
def test_a_dropped_tool_fails_the_unit(
    box: Path, script: Script, drr: Drr, tool: Any, lost: str | None
) -> None:
    text = json.dumps({"input": "x", "tools": [tool]})
    script(
        "drops.py",
        f"body = json.loads({text!r}.replace('DOOR', os.environ['ANTHROPIC_BASE_URL']))\n"
        "try: post(os.environ['OPENAI_BASE_URL'] + '/responses', body)\n"
        "except Exception: pass\n"
        f"{SEARCHES}print('Of 3 houses the first is fine.')\n",
    )
    with Wire([Say("Hello.")]) as wire:
        code, _, err = drr(*asked(box, "cmd:./drops.py", *model(wire, "openai")))
    assert (code, len(wire.requests)) == ((0, 1) if lost is None else (1, 0))
    assert lost is None or f"the shop's {lost}" in err


@pytest.mark.parametrize(
    ("protocol", "body"),
    [
        (chat, {"response_format": {"type": "grammar"}}),
        (chat, {"response_format": {"type": "json_schema", "json_schema": {"schema": 5}}}),
        (messages, {"stop_sequences": [5]}),
    ],
)
def test_a_demand_without_sense_is_refused(protocol: Any, body: Any) -> None:
    with pytest.raises(NotOffered):
        protocol.read({"messages": [{"role": "user", "content": "x"}], **body}, heard())


def test_tools_of_a_namespace_are_passed_on_and_called_by_it() -> None:
    search = {"type": "function", "name": "search", "parameters": {}}
    shop = {"type": "namespace", "name": "mcp__shop", "tools": [search]}
    body: Any = {"input": "x", "tools": [shop, {"type": "function", "name": "other", "parameters": {}}]}
    asked_ = responses.read(body, heard())
    assert [tool["function"]["name"] for tool in asked_.tools] == ["mcp__shop__search", "other"]
    names = {"c1": "mcp__shop__search", "c2": "other"}
    calls = [{"name": name, "args": {}, "id": key, "type": "tool_call"} for key, name in names.items()]
    reply = AIMessage("", tool_calls=calls)
    made = responses.write(reply, body, 1)["output"]
    assert [(one.get("namespace"), one["name"]) for one in made] == [("mcp__shop", "search"), (None, "other")]
    result = {"type": "function_call_output", "call_id": "c1", "output": "1"}
    again = responses.read({**body, "input": [{"role": "user", "content": "x"}, *made, result]}, heard())
    assert [call["name"] for call in again.messages[1].tool_calls] == ["mcp__shop__search", "other"]  # type: ignore[attr-defined]


def test_nonsense_is_answered_and_ends_nothing(box: Path, script: Script, drr: Drr) -> None:
    script(
        "nonsense.py",
        "import urllib.error\n"
        "codes = []\n"
        "odd = [[], 1, {'messages': [{'role': 'user', 'content': 'x'}], 'response_format': 'json', 'stream_options': 3, 'stream': True},\n"
        "       {'messages': [{'role': 'assistant', 'content': None, 'tool_calls': [{'function': 'f'}]}]}, {'input': 5, 'messages': {}},\n"
        "       {'messages': [None]}, {'input': [None]}, {'input': 'x', 'text': 'y'}, {'messages': [], 'output_config': 4}]\n"
        "for path in ('/v1/messages', '/v1/chat/completions', '/v1/responses'):\n"
        "    for body in odd:\n"
        "        try: post(os.environ['ANTHROPIC_BASE_URL'] + path, body); codes.append(200)\n"
        "        except urllib.error.HTTPError as error: codes.append(error.code)\n"
        "        except ValueError: codes.append(200)\n"
        f"{SEARCHES}print('Codes:', json.dumps(codes))\n",
    )
    with Wire(lambda request: Say("Hello.")) as wire:
        code, out, err = drr(*asked(box, "cmd:./nonsense.py", *model(wire, "anthropic")))
    assert code == 0, err
    codes = json.loads(json.loads(out)["report"].removeprefix("Codes: "))
    assert {*codes} <= {200, 400} and codes.count(400) >= 20 and len(codes) == 27
