"""Utility: the web and the calculator."""

from __future__ import annotations

import asyncio
from typing import Annotated

from drr.env.records.lines import one_line, visible
from drr.env.records.listing import in_pages
from drr.env.source import Source
from drr.env.text import tokens
from drr.env.web.base import InPieces, WebUnavailable
from drr.env.web.open import is_shop_address
from drr.tools.arithmetic import MAX_LENGTH, ArithmeticProblem, evaluate
from drr.tools.base import ToolAnswer, ToolContext, ToolError
from pydantic import Field, StringConstraints
from typing_extensions import TypedDict

_SNIPPET, _ROWS = 320, 5
"""Longest snippet and table row in characters, and most rows of one page."""
_BREAK, _SET_IN = "\n", "\n   "
WHOLE = 6_000
"""Characters of a page that one answer holds."""


class WebResult(TypedDict):
    """A result of the web, as data."""

    title: str
    url: str
    snippet: str
    date: str | None
    rows: list[str]
    page: str | None
    """The text of the page, or of the asked part of it, where it was read."""


class WebResults(TypedDict):
    """The web's results, as data."""

    items: list[WebResult]
    total: int


class Calculated(TypedDict):
    """The value of an expression, in digits."""

    value: str


async def web_search(
    ctx: ToolContext,
    query: Annotated[
        str,
        StringConstraints(strip_whitespace=True, min_length=1, max_length=500),
        Field(description="What to look for on the web, or the address of a result."),
    ],
    part: Annotated[int, Field(ge=1, le=1000, description="Part of a page too long for one answer.")] = 1,
) -> ToolAnswer:
    """Search the web: the best result as a whole page, the others as snippets that follow the words of the query.

    With a result's address as the query, its page comes whole. One answer holds 6,000 characters of a page; `part` goes on.
    """
    in_pieces = isinstance(ctx.web, InPieces)
    if is_address(query):
        return await _whole_page(ctx, query, part)
    if not tokens(query):
        raise ToolError(
            "invalid", "The query has no word to search for; give a few words such as 'birds of Oklahoma'."
        )
    try:
        hits = await ctx.web.search(query, ctx.top_k)
    except WebUnavailable as error:
        raise ToolError(
            "unavailable", f"Web search is not available: {one_line(str(error), 300)}."
        ) from error
    if not hits:
        return ToolAnswer(
            f"No web results for {one_line(query, 80)!r}. Try other or fewer words.",
            (),
            {"items": [], "total": 0},
        )
    longest = ctx.web.piece_chars if isinstance(ctx.web, InPieces) else _SNIPPET
    items: list[WebResult] = [
        {
            "title": one_line(hit.title, 150) or "untitled",
            "url": one_line(hit.url, 2000),
            "snippet": one_line(hit.snippet, longest) or "no snippet",
            "date": hit.date,
            "rows": [one_line(row, _SNIPPET) for row in hit.rows[:_ROWS]],
            "page": None,
        }
        for hit in hits[: ctx.top_k]
    ]
    ctx.named.update(one["url"] for one in items)
    remark, last = "", "" if in_pieces else _HINT
    if ctx.whole and not in_pieces:
        try:
            _, items[0]["page"], remark = await _read_page(ctx, items[0]["url"], 1)
        except WebUnavailable as error:
            remark = f" (the page could not be read: {one_line(str(error), 200)})"
    return _web_answer(f"{len(items)} web results for {one_line(query, 80)!r}", items, remark, last)


_HINT = "Snippets follow the words of the query; with a result's address as the query, its page comes whole."


def is_address(query: str) -> bool:
    return query.strip().casefold().startswith(("http://", "https://")) and len(query.split()) == 1


def _web_answer(heading: str, items: list[WebResult], remark: str, last: str = "") -> ToolAnswer:
    """Return the answer with these results; the remark is on the first. What a page says is set in, so that it forges no result."""
    sources = [
        Source(
            url=i["url"],
            type="web",
            title=i["title"],
            seen=i["page"] or "; ".join([i["snippet"], *i["rows"]]),
        )
        for i in items
    ]
    rows = [
        f"{k}. {one.title}\n   {one.url}\n   {one.seen.replace(_BREAK, _SET_IN)}{remark if k == 1 else ''}"
        for k, one in enumerate(sources, 1)
    ]
    text = "\n".join(filter(None, [heading, *rows, last]))
    return ToolAnswer(text, sources, {"items": items, "total": len(items)})


async def _read_page(ctx: ToolContext, url: str, part: int) -> tuple[str, str, str]:
    """Return a page's title, one part of its text and a remark on the parts. Reading takes at most half of the deadline.
    Raises `WebUnavailable` with the reason where there is no text."""
    try:
        # Else a slow page would take the whole deadline, and the hits would be lost with it.
        async with asyncio.timeout(ctx.deadline_s / 2):
            page = await ctx.web.read(url)
    except TimeoutError:
        raise WebUnavailable("it took too long") from None
    lines = [one_line(line, len(line)) for line in visible(page.markdown or "").splitlines() if line]
    parts = list(in_pages("\n".join(filter(None, lines)), WHOLE))
    if not parts[0]:
        raise WebUnavailable(page.reason or page.status)
    if part > len(parts):
        raise ToolError("invalid", f"part {part} of {len(parts)}: this page ends before.")
    more = f"; its address as the query with part={part + 1} goes on" if part < len(parts) else ""
    remark = f"{_SET_IN}(part {part} of {len(parts)} of this page{more})" if len(parts) > 1 else ""
    return one_line(page.title or "", 150) or "untitled", parts[part - 1], remark


async def _whole_page(ctx: ToolContext, url: str, part: int) -> ToolAnswer:
    if isinstance(ctx.web, InPieces):
        raise ToolError(
            "not_allowed", "Here searches show pieces of pages, and no page is read whole; search by words."
        )
    if ctx.shop is not None and is_shop_address(url, ctx.shop.shop_url):
        raise ToolError("invalid", "This is an address of the shop; get_product_details reads it.")
    if ctx.web.content_hash is None and url not in ctx.named:
        # Nothing that a model makes up, a shopper's name say, may reach a server.
        raise ToolError(
            "not_allowed", "No search has shown this address; give one of a result, letter for letter."
        )
    try:
        title, text, remark = await _read_page(ctx, url, part)
    except WebUnavailable as error:
        raise ToolError("unavailable", f"The page could not be read: {one_line(str(error), 300)}.") from error
    item = WebResult(title=title, url=one_line(url, 2000), snippet="", date=None, rows=[], page=text)
    return _web_answer("The page of this address", [item], remark)


def calculator(
    ctx: ToolContext,
    expression: Annotated[
        str,
        StringConstraints(min_length=1, max_length=MAX_LENGTH),
        Field(description="For example (43.99 + 2*12.50) * 1.08"),
    ],
) -> ToolAnswer:
    """Calculate an expression: + - * / ** ( ), sin cos tan (radians), log (base 10), ln, sqrt, abs, constants pi and e.

    Decimals are exact (0.1 + 0.2 is 0.3). Write plain numbers, without $, % or thousands separators.
    """
    try:
        value = evaluate(expression)
    except ArithmeticProblem as error:
        raise ToolError("invalid", f"Cannot calculate {one_line(expression, 80)!r}: {error}.") from None
    return ToolAnswer(f"{one_line(expression, MAX_LENGTH)} = {value}", (), {"value": value})
