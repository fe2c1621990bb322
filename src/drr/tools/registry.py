"""Lists the tools by name, and calls them in two ways. A further tool needs one function and one line here: in `TOOLS`, the nine of a shop, or in
`FILE_TOOLS`, those for the files of a question."""

from __future__ import annotations

import asyncio
from collections import ChainMap
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from difflib import get_close_matches
from functools import cache
from typing import Any

from drr.env.errors import ShopError
from drr.env.records.lines import one_line
from drr.env.world import Fault
from drr.tools.base import ToolAnswer, ToolContext, ToolError
from drr.tools.catalog import get_product_details, product_catalog_search
from drr.tools.files import list_files, read_file, search_file, view_image
from drr.tools.spec import Tool, make_tool
from drr.tools.users import (
    get_order_details,
    get_user_orders,
    get_user_profile,
    get_user_statistics,
    update_user_profile,
)
from drr.tools.utility import calculator, web_search

TOOLS: dict[str, Tool] = {
    tool.name: tool
    for tool in (
        make_tool(product_catalog_search),
        make_tool(get_product_details),
        make_tool(get_user_orders),
        make_tool(get_order_details),
        make_tool(get_user_profile),
        make_tool(update_user_profile, writes=True),
        make_tool(get_user_statistics),
        make_tool(web_search),
        make_tool(calculator, looks_up=False),
    )
}
FILE_TOOLS: dict[str, Tool] = {
    tool.name: tool
    for tool in (make_tool(list_files), make_tool(read_file), make_tool(search_file), make_tool(view_image))
}
"""Tools for files, offered only in worlds whose questions have files."""
OWN: dict[str, Tool] = {}
"""Tools of the user's own (`drr.tools.own`), as this process loaded them last."""
EVERY: Mapping[str, Tool] = ChainMap(OWN, FILE_TOOLS, TOOLS)
"""All tools, the nine of a shop first and the user's own last."""

# Store and search calls block (a server's for seconds when it is ill), so each takes a thread of its own, off the event
# loop; enough of them that a few hung calls do not hold up the rest.
_THREADS = 32


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(_THREADS, thread_name_prefix="tool")


def find(name: str) -> Tool:
    """Return the tool of that name. Raises `ToolError` for a name that a model made up."""
    tool = EVERY.get(name)
    if tool is None:
        # Models often miss a name by a letter, and mend it when they are shown the right one.
        near = get_close_matches(name[:60], EVERY, 2) or list(TOOLS)
        raise ToolError(
            "invalid", f"There is no tool {one_line(name, 60)!r}; did you mean {' or '.join(near)}?"
        )
    return tool


async def call(name: str, args: Mapping[str, Any], ctx: ToolContext) -> ToolAnswer:
    """Call a tool within the deadline. Raises `ToolError` for faults that the model can act on; its kind is `unavailable` if the shop behind it
    fails (its cause is the `ShopError`). Any other exception is a bug."""
    tool = find(name)
    arguments = tool.parse(args)
    _fail(tool, arguments, ctx)
    work: Any
    if tool.is_async:
        work = tool.function(ctx, **arguments)
    else:
        work = asyncio.get_running_loop().run_in_executor(_pool(), lambda: tool.function(ctx, **arguments))
    try:
        async with asyncio.timeout(ctx.deadline_s) as limit:
            answer: ToolAnswer = await work
    except ShopError as error:
        raise _unavailable_error(error) from error
    except TimeoutError:
        # A timeout inside the tool is its own failure; only ours means that it took too long.
        if not limit.expired():
            raise
        raise _too_late(tool, ctx) from None
    return answer


def _fail(tool: Tool, arguments: Mapping[str, Any], ctx: ToolContext) -> None:
    """Raise the failure that a stressed world prescribes for this call."""
    fault: Callable[[str, Mapping[str, Any]], Fault | None] | None = getattr(ctx.world, "fault", None)
    kind = fault and fault(tool.name, arguments)
    if kind is not None:
        raise (
            _too_late(tool, ctx)
            if kind == "timeout"
            else ToolError(kind, f"{tool.name}: the server answered 500.")
        )


def _too_late(tool: Tool, ctx: ToolContext) -> ToolError:
    return ToolError(
        "timeout", f"{tool.name} did not answer within {ctx.deadline_s:g} s; try again or do without."
    )


def call_blocking(name: str, args: Mapping[str, Any], ctx: ToolContext) -> ToolAnswer:
    """Call a tool from code without an event loop, or inside a foreign event loop; the deadline holds."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(call(name, args, ctx))
    with ThreadPoolExecutor(1) as alone:
        return alone.submit(lambda: asyncio.run(call(name, args, ctx))).result()


def call_sync(name: str, args: Mapping[str, Any], ctx: ToolContext) -> ToolAnswer:
    """Call a tool the shortest way. A store tool runs in this thread, limited by its store's own timeouts and not by the deadline."""
    tool = find(name)
    if tool.is_async:
        return call_blocking(name, args, ctx)
    arguments = tool.parse(args)
    _fail(tool, arguments, ctx)
    try:
        answer: Any = tool.function(ctx, **arguments)
    except ShopError as error:
        raise _unavailable_error(error) from error
    result: ToolAnswer = answer
    return result


def _unavailable_error(error: ShopError) -> ToolError:
    """Return the error for a failed server or shop; the shop's own message says what happened and what to do."""
    return ToolError("unavailable", one_line(str(error), 400))
