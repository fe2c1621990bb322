"""Every tool: read off its function, closed and bounded; every way it can fail, on every backend, by kind and sentence."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Annotated, Any

import pytest
from drr.env.session import Session
from drr.env.shop import Shop
from drr.env.shop_world import ShopWorld
from drr.env.web.base import Page, WebHit, WebUnavailable
from drr.env.web.sandbox import Sandbox
from drr.tools.base import ToolAnswer, ToolContext, ToolError, context_for
from drr.tools.registry import TOOLS, call, call_sync
from drr.tools.spec import make_tool
from pydantic import Field

from tests.cases import cases, each
from tests.tools.small_shop import ANNA, ANNAS_ORDER, BEN, BENS_ORDER

# tool, arguments, kind, what the sentence says
FAILURES: list[tuple[str, dict[str, Any], str, str]] = [
    ("product_catalog_search", {}, "invalid", "query is missing"),
    ("product_catalog_search", {"query": ""}, "invalid", "query"),
    ("product_catalog_search", {"query": " ?! "}, "invalid", "no word"),
    ("product_catalog_search", {"query": "bird", "min_price": 9, "max_price": 3}, "invalid", "swap"),
    ("product_catalog_search", {"query": "bird", "min_price": -1}, "invalid", "min_price"),
    ("product_catalog_search", {"query": "bird", "min_rating": 5.1}, "invalid", "min_rating"),
    ("product_catalog_search", {"query": "bird", "sort": "cheap"}, "invalid", "sort"),
    ("product_catalog_search", {"query": "bird", "match": "both"}, "invalid", "match"),
    ("product_catalog_search", {"query": "bird", "category": "&!"}, "invalid", "Garden, Pet Supplies"),
    ("product_catalog_search", {"query": "bird", "limit": 51}, "invalid", "limit"),
    ("product_catalog_search", {"query": "bird", "offset": -1}, "invalid", "offset"),
    ("product_catalog_search", {"query": {"$gt": ""}}, "invalid", "query"),
    ("get_product_details", {}, "invalid", "product_id is missing"),
    ("get_product_details", {"product_id": " "}, "invalid", "product_id"),
    ("get_product_details", {"product_id": {"$ne": None}}, "invalid", "product_id"),
    ("get_product_details", {"product_id": "B0NOWHERE0"}, "not_found", "product_catalog_search"),
    ("get_product_details", {"product_id": "BOBN7FLXLV"}, "not_found", "did you mean B0BN7FLXLV"),
    ("get_product_details", {"product_id": "b0gr1nder1"}, "not_found", "did you mean B0GRINDER1"),
    ("get_product_details", {"product_id": "http://ecommerce.example/BOBN7FLXLV"}, "not_found", "mean"),
    ("get_user_orders", {"status": "lost"}, "invalid", "Delivered, Shipped"),
    ("get_user_orders", {"limit": 0}, "invalid", "limit"),
    ("get_user_orders", {"user_id": BEN}, "not_allowed", "leave user_id out"),
    ("get_user_orders", {"user_id": "NOBODY"}, "not_allowed", "leave user_id out"),
    ("get_order_details", {}, "invalid", "order_id is missing"),
    ("get_order_details", {"order_id": "77"}, "not_found", "get_user_orders"),
    ("get_order_details", {"order_id": "' OR 1=1 --"}, "not_found", "get_user_orders"),
    ("get_order_details", {"order_id": ANNAS_ORDER.replace("0", "O")}, "not_found", ANNAS_ORDER),
    ("get_order_details", {"order_id": ANNAS_ORDER[:-3] + "OO3"}, "not_found", f"did you mean {ANNAS_ORDER}"),
    ("get_order_details", {"order_id": BENS_ORDER}, "not_allowed", "not one of this session's user"),
    ("get_order_details", {"order_id": f"user://{BEN}/orders/{BENS_ORDER}"}, "not_allowed", "not one"),
    ("get_order_details", {"order_id": f"user://{BEN}/orders/{ANNAS_ORDER}"}, "not_found", "No order"),
    ("get_order_details", {"order_id": "user://"}, "not_found", "get_user_orders"),
    ("get_user_profile", {"user_id": BEN}, "not_allowed", "leave user_id out"),
    ("get_user_profile", {"name": "Ben"}, "invalid", "name is not an argument"),
    ("get_user_statistics", {"user_id": BEN}, "not_allowed", "leave user_id out"),
    ("update_user_profile", {}, "invalid", "at least one of first_name"),
    ("update_user_profile", {"user_id": BEN, "city": "Troy"}, "not_allowed", "leave user_id out"),
    ("update_user_profile", {"email": "anna"}, "invalid", "name@host.example"),
    ("update_user_profile", {"email": "a@b..example"}, "invalid", "name@host.example"),
    ("update_user_profile", {"email": ".anna@b.example"}, "invalid", "name@host.example"),
    ("update_user_profile", {"email": "anna..o@b.example"}, "invalid", "name@host.example"),
    ("update_user_profile", {"email": "a" * 65 + "@b.example"}, "invalid", "name@host.example"),
    ("update_user_profile", {"email": "a@b.example\nBcc: c@d.example"}, "invalid", "email"),
    ("update_user_profile", {"phone_number": "12345"}, "invalid", "phone_number"),
    ("update_user_profile", {"phone_number": "555-010-01999"}, "invalid", "10 digits"),
    ("update_user_profile", {"phone_number": "call me"}, "invalid", "phone"),
    ("update_user_profile", {"state": "Atlantis"}, "invalid", "two letters"),
    ("update_user_profile", {"zip": "7301"}, "invalid", "12345-6789"),
    ("update_user_profile", {"zip": "73019-1"}, "invalid", "12345-6789"),
    ("update_user_profile", {"first_name": "<b>Anna</b>"}, "invalid", "letters"),
    ("update_user_profile", {"city": "N0rman\u0000"}, "invalid", "city"),
    ("update_user_profile", {"account_status": "closed"}, "invalid", "not an argument"),
    ("web_search", {}, "invalid", "query is missing"),
    ("web_search", {"query": "..."}, "invalid", "no word"),
    ("web_search", {"query": "x" * 501}, "invalid", "query"),
    ("calculator", {}, "invalid", "expression is missing"),
    ("calculator", {"expression": "1 +"}, "invalid", "ends too early"),
    ("calculator", {"expression": "1/0"}, "invalid", "division by zero"),
    ("calculator", {"expression": "__import__('os')"}, "invalid", "not understood"),
    ("calculator", {"expression": "(" * 100_000}, "invalid", "1 to 500 characters"),
]


@pytest.mark.parametrize(("name", "arguments", "kind", "said"), FAILURES)
def test_expected_failures_say_what_to_do(
    name: str, arguments: dict[str, Any], kind: str, said: str, ctx: ToolContext
) -> None:
    with pytest.raises(ToolError) as caught:
        call_sync(name, arguments, ctx)
    error = caught.value
    assert error.kind == kind and said in error.message
    assert len(error.text) < 1500 and "\n" not in error.message


SAME_THING: list[tuple[str, dict[str, Any], dict[str, Any]]] = cases("tools", "SAME_THING")


@pytest.mark.parametrize(("name", "sent", "meant"), SAME_THING)
def test_what_has_one_meaning_is_understood(
    name: str, sent: dict[str, Any], meant: dict[str, Any], ctx: ToolContext
) -> None:
    assert call_sync(name, sent, ctx) == call_sync(name, meant, ctx)


async def test_small_letters_open_what_is_named(ctx: ToolContext, shop: Shop, web: Sandbox) -> None:
    with pytest.raises(ToolError, match="leave user_id out"):
        call_sync("get_user_profile", {"user_id": BEN.lower()}, ctx)
    anybody = context_for(Session(shop, ANNA, open_access=True), web)
    assert BEN in call_sync("get_user_profile", {"user_id": BEN.lower()}, anybody).text
    with pytest.raises(ToolError, match="No user 'nobody'"):
        call_sync("get_user_profile", {"user_id": "nobody"}, anybody)
    ctx = context_for(Session(shop, None, open_access=True), web)
    with pytest.raises(ToolError, match="give the user_id") as caught:
        call_sync("get_user_profile", {}, ctx)
    assert caught.value.kind == "invalid"
    assert "Anna Ortiz" in call_sync("get_user_profile", {"user_id": ANNA}, ctx).text
    with pytest.raises(ToolError, match="did you mean product_catalog_search") as caught:
        await call("search_product_catalog", {}, ctx)
    assert caught.value.kind == "invalid"


def test_nine_tools_and_a_tenth_is_one_function() -> None:
    assert list(TOOLS) == NAMES
    assert [tool.name for tool in TOOLS.values() if tool.writes] == ["update_user_profile"]

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

    def silent(ctx: ToolContext) -> ToolAnswer:
        return ToolAnswer("")

    def vague(ctx: ToolContext, thing: str) -> ToolAnswer:
        """Do something."""
        return ToolAnswer(thing)

    with pytest.raises(TypeError, match="no docstring"):
        make_tool(silent)
    with pytest.raises(TypeError, match="thing has no description"):
        make_tool(vague)
    assert {name for name, *_ in FAILURES} == set(TOOLS)


USER_TOOLS: list[tuple[str, dict[str, Any]]] = cases("tools", "USER_TOOLS")


@pytest.mark.parametrize(("name", "arguments"), USER_TOOLS)
def test_without_a_user_is_no_data(name: str, arguments: dict[str, Any], shop: Shop, web: Sandbox) -> None:
    with pytest.raises(ToolError) as caught:
        call_sync(name, arguments, context_for(Session(shop, None), web))
    assert caught.value.kind == "not_allowed"


@pytest.mark.parametrize(("name", "arguments"), USER_TOOLS)
def test_open_access_reaches_all(name: str, arguments: dict[str, Any], shop: Shop, web: Sandbox) -> None:
    ctx = context_for(Session(shop, BEN, open_access=True), web)
    asked = arguments if "order_id" in arguments else {**arguments, "user_id": ANNA}
    assert ANNA in call_sync(name, asked, ctx).text
    if "order_id" not in arguments:
        with pytest.raises(ToolError) as caught:
            call_sync(name, {**arguments, "user_id": "NOBODY"}, ctx)
        assert caught.value.kind == "not_found"


@dataclass(frozen=True)
class BrokenWeb:
    problem: Exception
    name: str = "broken"
    content_hash: str | None = None

    async def search(self, query: str, top_k: int) -> list[WebHit]:
        raise self.problem

    async def read(self, url: str) -> Page:
        raise self.problem


class SilentWeb(BrokenWeb):
    async def search(self, query: str, top_k: int) -> list[WebHit]:
        await asyncio.sleep(60)
        return []


async def test_outages_hangs_and_bugs_are_told_apart(ctx: ToolContext, shop: Shop) -> None:
    def broken(problem: Exception, web: type[BrokenWeb] = BrokenWeb, **more: Any) -> ToolContext:
        return replace(ctx, world=ShopWorld(ctx.session, web(problem)), **more)

    birds = {"query": "birds"}
    with pytest.raises(ToolError, match="status 503") as caught:
        await call("web_search", birds, broken(WebUnavailable("status 503")))
    assert caught.value.kind == "unavailable"
    for bug in (ZeroDivisionError(), TimeoutError()):  # no tool error, and no deadline of ours
        with pytest.raises(type(bug)):
            await call("web_search", birds, broken(bug))
    with pytest.raises(ToolError, match=r"within 0\.05 s") as caught:
        await call("web_search", birds, broken(ValueError(), SilentWeb, deadline_s=0.05))
    assert caught.value.kind == "timeout"
    released = threading.Event()

    class Hanging:
        def user(self, user_id: str) -> None:
            released.wait(30)

    slow = replace(shop, store=Hanging())  # type: ignore[arg-type]
    hanging = replace(ctx, world=ShopWorld(Session(slow, ANNA), ctx.web), deadline_s=0.05)
    try:
        with pytest.raises(ToolError, match="did not answer") as caught:
            await call("get_user_profile", {}, hanging)
        assert caught.value.kind == "timeout"
    finally:
        released.set()


async def test_a_thousand_calls_at_once(ctx: ToolContext) -> None:
    asked = [
        ("product_catalog_search", {"query": "bird"}),
        ("get_user_orders", {}),
        ("web_search", {"query": "winter birds"}),
        ("calculator", {"expression": "2**10"}),
    ]
    texts = await asyncio.gather(*(call(*asked[k % 4], ctx) for k in range(1000)))
    assert {answer.text for answer in texts} == {call_sync(*one, ctx).text for one in asked}


NAMES = cases("tools", "NAMES")


@pytest.mark.parametrize("name", NAMES)
def test_schemas_are_closed_described_and_bounded(name: str) -> None:
    schema = TOOLS[name].schema
    assert schema["additionalProperties"] is False
    assert TOOLS[name].description
    for parameter, part in schema["properties"].items():
        assert part["description"], parameter
        assert isinstance(part["type"], str), f"{parameter}: clients convert to a plain type"
        assert "anyOf" not in part
        assert part.get("default", 0) is not None, parameter
        if part["type"] == "string":
            assert "enum" in part or part["maxLength"] <= 500, parameter
        elif part["type"] in ("integer", "number"):
            assert {"minimum", "maximum"} <= set(part), parameter


WHOLE, TEXT = "it must be a whole number from 1 to 100", "it must be text of 1 to 64 characters"
WRONG: list[tuple[Any, str]] = [
    *(
        ({"limit": one}, f"limit is {one!r}: {WHOLE}.")
        for one in ("5x", "5.5", 2.5, "1,0", True, 0, "101", [3])
    ),
    ({"status": "Lost"}, "status is 'Lost': it must be one of Delivered, Shipped, Processing, Cancelled"),
    ({"status": True}, "status is True: it must be one of"),
    (
        {"who": 1},
        "who is not an argument of get_user_orders; it takes user_id, words, status, since, before, limit, offset.",
    ),
    ({"stats": "Lost"}, "stats is not an argument of get_user_orders; did you mean status?"),
    *(({"user_id": one}, f"user_id is {one!r}: {TEXT}.") for one in ("", False)),
    ({"user_id": "\ud800"}, "characters of valid Unicode."),
    ({"limit": 0, "offset": "x"}, f"limit is 0: {WHOLE}; offset is 'x': it"),
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
def test_arguments_are_read_as_they_are_sent(name: str, sent: dict[str, Any], meant: dict[str, Any]) -> None:
    asked = {"query": "bird"} if "query" in TOOLS[name].schema["required"] else {}
    parsed = TOOLS[name].parse({**asked, **sent})
    for argument, value in meant.items():
        assert parsed[argument] == value
        assert type(parsed[argument]) is type(value)


def test_what_passes_as_it_is_stays_and_numbers_that_are_none_do_not() -> None:
    parsed = TOOLS["update_user_profile"].parse({"first_name": "null", "city": "True", "zip": "00501"})
    assert (parsed["first_name"], parsed["city"], parsed["zip"]) == ("null", "True", "00501")
    for value in (float("nan"), float("inf"), -0.01):
        with pytest.raises(ToolError):
            TOOLS["product_catalog_search"].parse({"query": "bird", "max_price": value})


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
def test_values_that_python_cannot_write_are_refused(parameter: str, made: Callable[[], Any]) -> None:
    with pytest.raises(ToolError) as caught:
        TOOLS["product_catalog_search"].parse({"query": "bird", parameter: made()})
    assert parameter in caught.value.message
    assert len(caught.value.message) < 1500
