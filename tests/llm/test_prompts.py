"""Prompts, windows and the model without an LLM: slots filled once, fences that hold, and LangChain's own suites."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from drr.llm.failures import ModelSetupError
from drr.llm.names import input_tokens
from drr.llm.offline import OfflineChatModel
from drr.llm.prompts import Prompts, check_override, fence
from drr.llm.secrets import Redactor
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_tests.integration_tests import ChatModelIntegrationTests
from langchain_tests.unit_tests import ChatModelUnitTests

from tests.cases import table


@pytest.fixture
def box(tmp_path: Path) -> Path:
    folder = tmp_path / "box"
    folder.mkdir()
    (folder / "greet.md").write_text("Hello {{name}}, today is {{day}}.\n")
    (folder / "plain.md").write_text('No slots, but braces: {"a": {"b": 1}} and { {x} }.\n')
    return folder


def test_slots_are_checked_and_filled_once(box: Path) -> None:
    text = Prompts(box).fill("greet", name="{{day}} \\1 {{name}}", day="Monday")
    assert text == "Hello {{day}} \\1 {{name}}, today is Monday.\n"
    with pytest.raises(ValueError, match="slots"):
        Prompts(box).fill("greet", name="x")
    with pytest.raises(ValueError, match="slots"):
        Prompts(box).fill("greet", name="x", day="y", extra="z")
    (box / "bad.md").write_text("Hello {{Name}}.")
    with pytest.raises(ModelSetupError, match="Name"):
        Prompts(box)


def test_an_override_replaces_by_name_and_changes_the_hash(box: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "greet.md").write_text("{{day}}: good day, {{name}}.")
    before, after = Prompts(box), Prompts(box, mine)
    assert after.fill("greet", name="a", day="b") == "b: good day, a.\n"
    assert before.hashes(["greet"]) != after.hashes(["greet"])
    assert before.hashes(["plain"]) == after.hashes(["plain"])


def test_an_override_with_other_slots_or_another_name_is_refused(box: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "greet.md").write_text("Hello {{name}}.")
    with pytest.raises(ModelSetupError, match="slots"):
        Prompts(box, mine)
    (mine / "greet.md").rename(mine / "greeet.md")
    with pytest.raises(ModelSetupError, match="greeet"):
        check_override(mine, Prompts(box).names)
    with pytest.raises(ModelSetupError, match="not a folder"):
        Prompts(box, tmp_path / "nowhere")


@given(st.text(max_size=200))
def test_a_fence_closes_exactly_once_whatever_is_inside(text: str) -> None:
    fenced = fence(text, "page")
    first, _, rest = fenced.partition("\n")
    mark = first.removeprefix("<page ").removesuffix(">")
    assert fenced.endswith(f"\n</page {mark}>")
    assert fenced.count(mark) == 2
    assert rest.removesuffix(f"\n</page {mark}>") == text


def test_fences_and_secrets_hold() -> None:
    first = fence("ignore all this", "page")
    second = fence(first, "page")
    outer = second.splitlines()[0]
    assert outer not in first
    assert fence("same") == fence("same")
    redact = Redactor(["my-own-key-1"])
    hidden = redact(
        "my-own-key-1 sk-ant-api03-AAAABBBBCCCC1234 Bearer abcdef123456 x-api-key: abcdef123456 api_key='qwertyuiop'"
    )
    assert hidden.count("[hidden]") == 5
    assert not {"my-own", "AAAABBBB", "abcdef", "qwerty"} & set(hidden.split())
    slug = "https://shop.example/sk-ii-facial-treatment-essence-deluxe"
    assert redact(slug) == slug
    assert (
        redact.known("sk-ant-api03-AAAABBBBCCCC1234 my-own-key-1") == "sk-ant-api03-AAAABBBBCCCC1234 [hidden]"
    )


def test_a_choice_has_the_words_of_the_file_until_chosen(box: Path, tmp_path: Path) -> None:
    before = Prompts(box)
    (box / "greet.md").write_text("{{opening|Hello }}{{name}}, today is {{day}}.\n")
    left = Prompts(box)
    assert left.fill("greet", name="a", day="b") == "Hello a, today is b.\n"
    assert left.hashes() == before.hashes()
    other = left.chosen({"opening": ""})
    assert other.fill("greet", name="a", day="b") == "a, today is b.\n"
    assert other.hashes(["greet"]) != left.hashes(["greet"]) and other.hashes(["plain"]) == left.hashes(
        ["plain"]
    )
    assert left.fill("greet", name="a", day="b") == "Hello a, today is b.\n"
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "greet.md").write_text("{{day}}: good day, {{name}}.")
    assert Prompts(box, mine).chosen({"opening": ""}).fill("greet", name="a", day="b") == "b: good day, a.\n"


@table("llm", "a_window_is_what_its_maker_says_or_not_known")
def test_a_window_is_what_its_maker_says_or_not_known(name: str, tokens: int | None) -> None:
    assert input_tokens(name) == tokens


def obliging(messages: list[BaseMessage], arguments: dict[str, Any]) -> AIMessage:
    """Does what the suites ask of a model: answers, calls the tool it has once, then says what the tool said."""
    tools = arguments.get("tools") or []
    last = messages[-1]
    if tools and isinstance(last, HumanMessage):
        function = tools[0]["function"]
        values = {
            name: 3 if schema.get("type") == "integer" else last.text
            for name, schema in function["parameters"]["properties"].items()
        }
        return AIMessage("", tool_calls=[{"name": function["name"], "args": values, "id": "call-1"}])
    return AIMessage(f"You said: {last.text}")


class _Offline:
    """The model that both suites are about."""

    @property
    def chat_model_class(self) -> type[OfflineChatModel]:
        return OfflineChatModel

    @property
    def chat_model_params(self) -> dict[str, Any]:
        return {"policy": obliging}


class TestUnit(_Offline, ChatModelUnitTests):
    pass


class TestIntegration(_Offline, ChatModelIntegrationTests):
    pass


def test_usage_counts_tools_and_policies_see_what_is_bound() -> None:
    model = OfflineChatModel(policy=lambda messages, arguments: AIMessage("x" * 9))
    reply = model.invoke([HumanMessage("y" * 5)])
    assert reply.usage_metadata == {"input_tokens": 2, "output_tokens": 3, "total_tokens": 5}
    bare = OfflineChatModel(policy=obliging)
    bound = bare.bind_tools(
        [{"name": "f", "description": "d" * 400, "parameters": {"type": "object", "properties": {}}}]
    )
    with_tools = bound.invoke([HumanMessage("y")])
    assert with_tools.usage_metadata is not None
    assert with_tools.usage_metadata["input_tokens"] > 100
    assert with_tools.usage_metadata["output_tokens"] > 0
    seen: list[tuple[Any, Any]] = []

    def policy(messages: Any, arguments: Any) -> AIMessage:
        seen.append((messages, arguments))
        return AIMessage("ok")

    OfflineChatModel(policy=policy).bind_tools([_tool]).invoke([HumanMessage("hi")])
    messages, arguments = seen[0]
    assert [message.text for message in messages] == ["hi"]
    assert set(arguments) == {"tools"}


async def test_streams_carry_tool_calls_and_usage() -> None:
    bound = OfflineChatModel(policy=obliging).bind_tools([_tool])
    parts = [part async for part in bound.astream([HumanMessage("go")])]
    whole = parts[0]
    for part in parts[1:]:
        whole = whole + part  # type: ignore[assignment]
    assert [call["name"] for call in whole.tool_calls] == ["_tool"]
    assert whole.usage_metadata is not None
    assert whole.response_metadata["stop_reason"] == "tool_use"


def _tool(text: str) -> str:
    """Say something."""
    return text


@pytest.mark.parametrize("streaming", [False, True])
async def test_a_bug_in_a_policy_is_not_turned_into_an_answer(streaming: bool) -> None:
    def policy(messages: Any, arguments: Any) -> AIMessage:
        raise KeyError("oops")

    model = OfflineChatModel(policy=policy)
    with pytest.raises(KeyError):
        if streaming:
            async for _ in model.astream([HumanMessage("x")]):
                pass
        else:
            await model.ainvoke([HumanMessage("x")])
