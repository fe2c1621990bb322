"""A tool is read off its function, and what the model sees is closed and bounded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import pytest
from drr.tools.base import ToolAnswer, ToolContext, ToolError
from drr.tools.registry import TOOLS
from drr.tools.spec import make_tool
from pydantic import Field

from tests.cases import cases, each

NAMES = cases("tools", "NAMES")


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
        assert isinstance(part["type"], str), f"{parameter}: clients convert to a plain type"
        assert "anyOf" not in part
        assert part.get("default", 0) is not None, (
            f"{parameter}: what may be left out is not required, no more"
        )
        if part["type"] == "string":
            assert "enum" in part or part["maxLength"] <= 500, parameter
        elif part["type"] in ("integer", "number"):
            assert {"minimum", "maximum"} <= set(part), parameter


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


WRONG: list[tuple[Any, str]] = [
    ({"limit": "5x"}, "limit is '5x': it must be a whole number from 1 to 100."),
    ({"limit": "5.5"}, "limit is '5.5': it must be a whole number from 1 to 100."),
    ({"limit": 2.5}, "limit is 2.5: it must be a whole number from 1 to 100."),
    ({"limit": "1,0"}, "limit is '1,0': it must be a whole number from 1 to 100."),
    ({"limit": True}, "limit is True: it must be a whole number from 1 to 100."),
    ({"limit": 0}, "limit is 0: it must be a whole number from 1 to 100."),
    ({"limit": "101"}, "limit is '101': it must be a whole number from 1 to 100."),
    ({"limit": [3]}, "limit is [3]: it must be a whole number from 1 to 100."),
    (
        {"status": "Lost"},
        "status is 'Lost': it must be one of Delivered, Shipped, Processing, Cancelled, Returned.",
    ),
    ({"status": True}, "status is True: it must be one of"),
    ({"who": 1}, "who is not an argument of get_user_orders; it takes user_id, status, limit, offset."),
    ({"stats": "Lost"}, "stats is not an argument of get_user_orders; did you mean status?"),
    ({"user_id": ""}, "user_id is '': it must be text of 1 to 64 characters."),
    ({"user_id": False}, "user_id is False: it must be text of 1 to 64 characters."),
    ({"user_id": "\ud800"}, "characters of valid Unicode."),
    ({"limit": 0, "offset": "x"}, "limit is 0: it must be a whole number from 1 to 100; offset is 'x': it"),
    ([1, 2], "The arguments of get_user_orders are [1, 2]; they must be one object"),
    ({1: 2}, "1 is not an argument"),
    ({"\x00": 2}, "'' is not an argument"),
]


@each(("arguments", "said"), WRONG)
def test_a_refusal_names_the_one_argument_what_it_was_and_what_it_may_be(arguments: Any, said: str) -> None:
    with pytest.raises(ToolError) as caught:
        TOOLS["get_user_orders"].parse(arguments)
    assert caught.value.kind == "invalid"
    assert said in caught.value.message
    if said.endswith((".", "?")):
        assert caught.value.message.endswith(said)


SENT: list[tuple[str, dict[str, Any], dict[str, Any]]] = cases("tools", "SENT")


@pytest.mark.parametrize(("name", "sent", "meant"), SENT, ids=[repr(sent) for _, sent, _ in SENT])
def test_arguments_are_understood_as_clients_send_them(
    name: str, sent: dict[str, Any], meant: dict[str, Any]
) -> None:
    asked = {"query": "bird"} if "query" in TOOLS[name].schema["required"] else {}
    parsed = TOOLS[name].parse({**asked, **sent})
    for argument, value in meant.items():
        assert parsed[argument] == value
        assert type(parsed[argument]) is type(value)


def test_what_passes_as_it_is_is_never_read_as_something_else() -> None:
    parsed = TOOLS["update_user_profile"].parse({"first_name": "null", "city": "True", "zip": "00501"})
    assert (parsed["first_name"], parsed["city"], parsed["zip"]) == ("null", "True", "00501")


def _nested(levels: int) -> list[Any]:
    outermost: list[Any] = []
    innermost = outermost
    for _ in range(levels):
        innermost.append([])
        innermost = innermost[0]
    return outermost


@pytest.mark.parametrize(
    "made",
    [lambda: 10**5000, lambda: -(10**5000), lambda: _nested(100_000), lambda: {"a": _nested(100_000)}],
    ids=["large", "negative", "deep", "deeper"],
)
@pytest.mark.parametrize("parameter", ["query", "limit", "max_price", "sort", "category", "unheard_of"])
def test_values_that_python_refuses_to_write_out_are_refused_like_any_other(
    parameter: str, made: Callable[[], Any]
) -> None:
    with pytest.raises(ToolError) as caught:
        TOOLS["product_catalog_search"].parse({"query": "bird", parameter: made()})
    assert parameter in caught.value.message
    assert len(caught.value.message) < 1500


def test_numbers_that_are_none_are_refused() -> None:
    for value in (float("nan"), float("inf"), -0.01):
        with pytest.raises(ToolError):
            TOOLS["product_catalog_search"].parse({"query": "bird", "max_price": value})
