"""A tool is read off its function, and what the model sees is closed and bounded."""

from __future__ import annotations

from typing import Annotated, Any

import pytest
from drr.tools.base import ToolAnswer, ToolContext, ToolError
from drr.tools.registry import TOOLS
from drr.tools.spec import make_tool
from pydantic import Field

NAMES = [
    "product_catalog_search",
    "get_product_details",
    "get_user_orders",
    "get_order_details",
    "get_user_profile",
    "update_user_profile",
    "get_user_statistics",
    "web_search",
    "calculator",
]


def test_the_nine_names_of_the_paper_and_no_more() -> None:
    assert list(TOOLS) == NAMES


def test_only_update_user_profile_writes() -> None:
    assert [tool.name for tool in TOOLS.values() if tool.writes] == ["update_user_profile"]


@pytest.mark.parametrize("name", NAMES)
def test_schemas_are_closed_described_and_bounded(name: str) -> None:
    schema = TOOLS[name].schema
    assert schema["additionalProperties"] is False
    assert TOOLS[name].description
    for parameter, part in schema["properties"].items():
        assert part["description"], parameter
        for variant in part.get("anyOf", [part]):
            if variant["type"] == "string":
                assert "enum" in variant or variant["maxLength"] <= 500, parameter
            elif variant["type"] in ("integer", "number"):
                assert {"minimum", "maximum"} <= set(variant), parameter


def test_a_tenth_tool_is_one_function() -> None:
    def add_stars(
        ctx: ToolContext, count: Annotated[int, Field(ge=1, le=5, description="How many.")] = 2
    ) -> ToolAnswer:
        """Draw stars.

        As many as asked.
        """
        return ToolAnswer("*" * count)

    tool = make_tool(add_stars)
    assert (tool.name, tool.summary(), tool.writes) == ("add_stars", "Draw stars.", False)
    assert tool.schema == {
        "type": "object",
        "properties": {
            "count": {"type": "integer", "minimum": 1, "maximum": 5, "default": 2, "description": "How many."}
        },
        "required": [],
        "additionalProperties": False,
    }
    assert tool.parse({}) == {"count": 2}


def test_a_tool_must_say_what_it_does_and_what_it_takes() -> None:
    def silent(ctx: ToolContext) -> ToolAnswer:
        return ToolAnswer("")

    def vague(ctx: ToolContext, thing: str) -> ToolAnswer:
        """Do something."""
        return ToolAnswer(thing)

    with pytest.raises(TypeError, match="no docstring"):
        make_tool(silent)
    with pytest.raises(TypeError, match="thing has no description"):
        make_tool(vague)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"limit": "5"}, "limit: input should be a valid integer, got '5'"),
        ({"limit": True}, "limit"),
        ({"limit": 0}, "limit: input should be greater than or equal to 1, got 0"),
        ({"status": "Lost"}, "status: input should be 'Delivered'"),
        ({"who": 1}, "who is not an argument of this tool"),
        ({"user_id": ""}, "user_id"),
        ({"user_id": "\ud800"}, "user_id"),
        ([1, 2], "the arguments"),
        ({1: 2}, "1"),
        ({"\x00": 2}, "'' is not an argument"),
    ],
)
def test_wrong_arguments_are_answered_with_what_was_expected(arguments: Any, said: str) -> None:
    with pytest.raises(ToolError) as caught:
        TOOLS["get_user_orders"].parse(arguments)
    assert caught.value.kind == "invalid"
    assert said in caught.value.message
    assert "get_user_orders takes user_id (string" in caught.value.message
    assert (
        "status (one of Delivered, Shipped, Processing, Cancelled, Returned, optional)"
        in caught.value.message
    )


def _nested(levels: int) -> list[Any]:
    outermost: list[Any] = []
    innermost = outermost
    for _ in range(levels):
        innermost.append([])
        innermost = innermost[0]
    return outermost


@pytest.mark.parametrize(
    "value",
    [10**5000, -(10**5000), _nested(100_000), {"a": _nested(100_000)}],
    ids=["large", "negative", "deep", "deeper"],
)
@pytest.mark.parametrize("parameter", ["query", "limit", "max_price", "sort", "category", "unheard_of"])
def test_values_that_python_refuses_to_write_out_are_refused_like_any_other(
    parameter: str, value: Any
) -> None:
    with pytest.raises(ToolError) as caught:
        TOOLS["product_catalog_search"].parse({"query": "bird", parameter: value})
    assert parameter in caught.value.message
    assert len(caught.value.message) < 1500


def test_numbers_that_are_none_are_refused() -> None:
    for value in (float("nan"), float("inf"), -0.01):
        with pytest.raises(ToolError):
            TOOLS["product_catalog_search"].parse({"query": "bird", "max_price": value})
