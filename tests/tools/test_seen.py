"""What an MCP client was given of each tool is what the record of its run holds as `seen`, for readers of text and of structured content."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterable
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from drr.agents.architecture import Architecture, Variant
from drr.agents.base import AGENT, AnswerRecord, Ending
from drr.agents.commands.dialogue import open_door
from drr.agents.run_state import AgentRun
from drr.agents.runner import load_prompts, run_variant
from drr.env.drawer.drawer import AttachedFiles
from drr.env.session import Session
from drr.env.shop import Shop
from drr.env.shop_world import ShopWorld
from drr.env.web.sandbox import Document, Sandbox
from drr.env.world import World
from drr.llm.factory import Models
from drr.llm.meter import Meter
from drr.llm.models import ModelSettings
from drr.tools.registry import FILE_TOOLS, TOOLS
from langchain_core.messages import AIMessage

from tests.drawer.hostile import write_papers
from tests.tools.small_shop import ANNA, BARE, HOSTILE
from tests.tools.test_files import PaperWorld
from tests.tools.test_mcp import CALLS, reaching

UNSEEN = "\u200b\u202e\x07\xad\u2028"
FRAMES = {
    "product_catalog_search": r"Products .*|\d+\.",
    "get_user_orders": r"Orders .*",
    "web_search": r"\d web results .*|\d\. A 2\. b \d|https://h\d\.example/|\(part 1 of \d .*\)|Snippets .*",
    "calculator": r"0\.1 \+ 0\.2 = 0\.3",
    "list_files": r"\d+ files|\d+\. .*",
    "read_file": r"Page \d of \d \(file://\S+\)|.* \(file://\S+\)|file://\S+ \(.*\)|Other sheets: Plan",
    "search_file": r"\d of \d places .*|\d\. file://\S+",
    "view_image": r"; it is shown beside this answer\. .*",
}
"""The lines of a tool's answer around what it says of its sources; where none is named there are none."""


class Given(NamedTuple):
    """One answer as a client had it."""

    tool: str
    text: str
    structured: Any
    sources: list[tuple[str, str]]
    pictures: int


async def _run(world: World, calls: Iterable[tuple[str, dict[str, Any]]]) -> tuple[list[Given], AnswerRecord]:
    """Make these calls with the official client, through the door that a command is given."""
    given: list[Given] = []

    async def answer(run: AgentRun) -> Ending:
        with socket.create_server(("127.0.0.1", 0)) as listening:
            port = listening.getsockname()[1]
            async with open_door(run, listening) as door, reaching(port, door.token) as client:
                for tool, arguments in calls:
                    said = await client.call_tool(tool, arguments)
                    text, *pictures = said.content
                    sources = [(one["url"], one["sha256"]) for one in (said.meta or {}).get("sources", ())]
                    given.append(Given(tool, text.text, said.structured_content, sources, len(pictures)))  # type: ignore[union-attr]
        return Ending("A report of what the tools returned to it, word by word.", "finalized")

    meter = Meter()
    model = Models(ModelSettings({})).unit(meter).role(AGENT, lambda *_: AIMessage(""))
    client = Architecture(name="client", version="1", summary="", load=lambda: answer, sees=True)
    record = await run_variant(
        Variant(client), "Which?", world=world, models={AGENT: model}, meter=meter, prompts=load_prompts(None)
    )
    return given, record


def _look_over(given: list[Given], record: AnswerRecord) -> None:
    seen = {(source.url, source.sha256): source.seen for source in record.sources}
    assert {pair for one in given for pair in one.sources} == set(seen)
    for one, call in zip(given, record.tool_calls, strict=True):
        assert one.text == call.result
        assert one.structured == (None if call.error or one.pictures else {"result": one.text})
        if call.error:
            assert not one.sources
            continue
        frame, at = "", 0
        for text, _ in groupby(seen[pair] for pair in one.sources):  # an order's row is also its product's
            found, until = _found(text, one.text, at)
            frame, at = frame + one.text[at:found], until
        for line in filter(None, map(str.strip, (frame + one.text[at:]).split("\n"))):
            assert re.fullmatch(FRAMES.get(one.tool, ""), line), (one.tool, line)


def _found(seen: str, text: str, at: int) -> tuple[int, int]:
    """Where `seen` stands in the text, as it is or set in as what a file holds is."""
    for written in ("\n   ".join(f"{seen}\n".splitlines()), seen):
        if (found := text.find(written, at)) >= 0:
            return found, found + len(written)
    raise AssertionError(f"not given: {seen!r} in {text!r}")


async def test_a_shops_tools(shop: Shop) -> None:
    page = f"bird{UNSEEN} word | $0.00\n\n3. Free\n   http://forged.example\n " * 40
    titles = [f"A{UNSEEN}\n2. b {k}" for k in range(3)]
    pages = [
        Document(url=f"https://h{k}.example/", title=t, text=f"{k} {page}") for k, t in enumerate(titles)
    ]
    web = Sandbox(pages)
    parts = ("short", "all", "features", "description", "details")
    calls = [
        *CALLS,
        *(("get_product_details", {"product_id": HOSTILE, "part": part}) for part in parts),
        ("get_product_details", {"product_id": BARE}),
        ("product_catalog_search", {"query": "bird", "match": "any", "limit": 50}),
        ("web_search", {"query": "bird word"}),
    ]
    given, record = await _run(ShopWorld(Session(shop, ANNA), web), calls)
    _look_over(given, record)
    assert {one.tool for one in given if one.structured} == set(TOOLS)
    assert not any(mark in one.text for one in given for mark in UNSEEN)
    assert any("…" in one.text for one in given)


async def test_the_tools_for_files(tmp_path: Path) -> None:
    names = write_papers(tmp_path)
    long = "long | word " * 60
    (tmp_path / "cells.csv").write_text(f"name,text\nk,{long}\nx{UNSEEN},y\n", "utf-8")
    (tmp_path / "long.txt").write_text(f"word{UNSEEN} " * 4_000, "utf-8")
    (tmp_path / "wide.csv").write_text(",".join(f"c{k}" for k in range(40)) + "\n" + "1," * 39 + "1\n")
    every = (*names, "cells.csv", "long.txt", "wide.csv")
    parts = {"long.txt": "4", "budget.xlsx": "Living room!B2:B3"}
    words = {"manual.pdf": "warranty", "cells.csv": "long"}
    calls: list[tuple[str, dict[str, Any]]] = [
        ("list_files", {}),
        *(("read_file", {"name": name}) for name in every),
        *(("read_file", {"name": name, "part": part}) for name, part in parts.items()),
        *(("search_file", {"name": name, "query": word}) for name, word in words.items()),
        ("view_image", {"name": "slip.png"}),
    ]
    given, record = await _run(PaperWorld(AttachedFiles(tmp_path, every)), calls)
    _look_over(given, record)
    assert {one.tool for one in given if one.structured or one.pictures} == set(FILE_TOOLS)
