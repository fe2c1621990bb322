"""Utility: the web and the calculator."""

from __future__ import annotations

from typing import Annotated

from drr.env.records.lines import one_line
from drr.env.source import Source
from drr.env.text import tokens
from drr.env.web.base import InPieces, WebUnavailable
from drr.tools.arithmetic import MAX_LENGTH, ArithmeticProblem, evaluate
from drr.tools.base import ToolAnswer, ToolContext, ToolError
from pydantic import Field, StringConstraints
from typing_extensions import TypedDict

_SNIPPET, _ROWS = 320, 5
"""Longest snippet and table row in characters, and most rows of one page."""


class WebResult(TypedDict):
    """A result of the web, as data."""

    title: str
    url: str
    snippet: str
    date: str | None
    rows: list[str]


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
        StringConstraints(strip_whitespace=True, min_length=1, max_length=400),
        Field(description="What to look for on the web."),
    ],
) -> ToolAnswer:
    """Search the web for information related to the query; returns the best results with title, address and snippet."""
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
        }
        for hit in hits[: ctx.top_k]
    ]
    sources = [
        Source(url=one["url"], type="web", title=one["title"], seen="; ".join([one["snippet"], *one["rows"]]))
        for one in items
    ]
    text = "\n".join(
        [
            f"{len(items)} web results for {one_line(query, 80)!r}",
            *(f"{k}. {one.title}\n   {one.url}\n   {one.seen}" for k, one in enumerate(sources, 1)),
        ]
    )
    return ToolAnswer(text, sources, {"items": items, "total": len(items)})


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
