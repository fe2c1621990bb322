"""The same call gives the same text through Python and LangChain (and MCP: test_mcp.py)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import pytest
from drr.env.errors import ServerFailure
from drr.env.session import Session
from drr.env.shop import Shop
from drr.env.shop_world import ShopWorld
from drr.env.web.sandbox import Sandbox
from drr.tools.base import ToolAnswer, ToolContext, ToolError, context_for
from drr.tools.langchain import langchain_tools
from drr.tools.registry import TOOLS, call, call_sync
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.graph import MessagesState, StateGraph
from langgraph.prebuilt import ToolNode

from tests.cases import cases
from tests.tools.small_shop import ANNA

CALLS: list[tuple[str, dict[str, Any]]] = cases("tools", "CALLS")


@pytest.fixture
def fresh(shop: Shop, web: Sandbox) -> ToolContext:
    return context_for(Session(shop, ANNA), web)


async def in_python(ctx: ToolContext) -> list[tuple[str, bool]]:
    texts = []
    for name, arguments in CALLS:
        try:
            texts.append(((await call(name, arguments, ctx)).text, True))
        except ToolError as error:
            texts.append((error.text, False))
    return texts


@dataclass(frozen=True)
class GraphContext:
    tools: ToolContext


def _graph(context_schema: type) -> Any:
    tools = langchain_tools(
        context_of=(lambda c: c.tools) if context_schema is GraphContext else (lambda c: c)
    )
    builder = StateGraph(MessagesState, context_schema=context_schema).add_node("tools", ToolNode(tools))
    return builder.set_entry_point("tools").compile()


def _asking(calls: list[tuple[str, dict[str, Any]]]) -> dict[str, Any]:
    wanted = [{"name": n, "args": a, "id": str(k)} for k, (n, a) in enumerate(calls)]
    return {"messages": [AIMessage(content="", tool_calls=wanted)]}


async def test_langchain_gives_the_same_texts(fresh: ToolContext, shop: Shop, web: Sandbox) -> None:
    graph = _graph(GraphContext)
    texts: list[tuple[str, bool]] = []
    ctx = GraphContext(fresh)
    for one in CALLS:
        message = (await graph.ainvoke(_asking([one]), context=ctx))["messages"][-1]
        assert isinstance(message, ToolMessage)
        assert isinstance(message.artifact, ToolAnswer) == (message.status == "success")
        texts.append((str(message.content), message.status == "success"))
    assert texts == await in_python(context_for(Session(shop, ANNA), web))


def test_langchain_works_without_an_event_loop(fresh: ToolContext) -> None:
    messages = _graph(ToolContext).invoke(_asking(CALLS), context=fresh)["messages"][1:]
    assert [m.status for m in messages] == ["success"] * 9 + ["error"] * 5
    assert messages[7].artifact.sources[0].type == "web"


async def test_langchain_called_from_inside_a_loop_still_answers(fresh: ToolContext) -> None:
    messages = _graph(ToolContext).invoke(_asking(CALLS[:3]), context=fresh)["messages"][1:]
    assert [m.status for m in messages] == ["success"] * 3


def test_the_model_sees_our_schema_and_cannot_hand_in_the_runtime(fresh: ToolContext) -> None:
    for tool in langchain_tools():
        function = convert_to_openai_tool(tool)["function"]
        assert function["name"] == tool.name
        assert function["description"] == TOOLS[tool.name].description
        assert function["parameters"]["properties"] == TOOLS[tool.name].schema["properties"]
        assert "runtime" not in str(function)
    asked = [("calculator", {"expression": "1+1", "runtime": {"context": "evil"}})]
    assert _graph(ToolContext).invoke(_asking(asked), context=fresh)["messages"][-1].content == "1+1 = 2"


def test_a_bug_in_a_tool_is_not_fed_to_the_model(fresh: ToolContext) -> None:
    with pytest.raises(TypeError, match="pass context_of"):
        langchain_tools(["calculator"])[0].invoke(
            {
                "name": "calculator",
                "args": {"expression": "1", "runtime": _Runtime()},
                "id": "1",
                "type": "tool_call",
            }
        )


class _Runtime:
    context = "not a tool context"


async def test_a_shop_that_fails_behind_a_tool_is_unavailable_through_every_door(
    fresh: ToolContext, shop: Shop
) -> None:
    """Python raised whatever the store raised."""
    gone = ServerFailure("MongoDB at 127.0.0.1:9 does not answer; start it")

    class Dead:
        def user(self, user_id: str) -> None:
            raise gone

    broken = replace(shop, store=Dead())  # type: ignore[arg-type]
    ctx = replace(fresh, world=ShopWorld(Session(broken, ANNA), fresh.web))
    with pytest.raises(ToolError) as caught:
        await call("get_user_profile", {}, ctx)
    assert caught.value.kind == "unavailable" and caught.value.message == str(gone)
    assert caught.value.__cause__ is gone, (
        "a study tells by it that the unit failed and nothing was found out"
    )
    with pytest.raises(ToolError, match="does not answer"):
        call_sync("get_user_profile", {}, ctx)
    message = (await _graph(ToolContext).ainvoke(_asking([("get_user_profile", {})]), context=ctx))[
        "messages"
    ][-1]
    assert (message.status, message.content) == ("error", f"Error (unavailable): {gone}")
