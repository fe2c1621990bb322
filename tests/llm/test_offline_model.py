"""The offline model is a LangChain chat model like any other: the library's own suites say so."""

from __future__ import annotations

from typing import Any

import pytest
from drr.llm.offline import OfflineChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_tests.integration_tests import ChatModelIntegrationTests
from langchain_tests.unit_tests import ChatModelUnitTests


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


class TestUnit(ChatModelUnitTests):
    @property
    def chat_model_class(self) -> type[OfflineChatModel]:
        return OfflineChatModel

    @property
    def chat_model_params(self) -> dict[str, Any]:
        return {"policy": obliging}


class TestIntegration(ChatModelIntegrationTests):
    @property
    def chat_model_class(self) -> type[OfflineChatModel]:
        return OfflineChatModel

    @property
    def chat_model_params(self) -> dict[str, Any]:
        return {"policy": obliging}


def test_usage_follows_the_stated_rule() -> None:
    model = OfflineChatModel(policy=lambda messages, arguments: AIMessage("x" * 9))
    reply = model.invoke([HumanMessage("y" * 5)])
    assert reply.usage_metadata == {"input_tokens": 2, "output_tokens": 3, "total_tokens": 5}


def test_tools_and_their_calls_count_as_sent_and_written() -> None:
    bare = OfflineChatModel(policy=obliging)
    bound = bare.bind_tools(
        [{"name": "f", "description": "d" * 400, "parameters": {"type": "object", "properties": {}}}]
    )
    with_tools = bound.invoke([HumanMessage("y")])
    assert with_tools.usage_metadata is not None
    assert with_tools.usage_metadata["input_tokens"] > 100
    assert with_tools.usage_metadata["output_tokens"] > 0


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


def test_the_policy_sees_messages_and_bound_arguments_only() -> None:
    seen: list[tuple[Any, Any]] = []

    def policy(messages: Any, arguments: Any) -> AIMessage:
        seen.append((messages, arguments))
        return AIMessage("ok")

    OfflineChatModel(policy=policy).bind_tools([_tool]).invoke([HumanMessage("hi")])
    messages, arguments = seen[0]
    assert [message.text for message in messages] == ["hi"]
    assert set(arguments) == {"tools"}


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
