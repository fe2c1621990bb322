"""The four tools for files: what they say, what they offer for citation, and how they fail."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, ClassVar

import pytest
from drr.citations.addresses import canonical_url
from drr.citations.files import file_place
from drr.env.drawer.drawer import AttachedFiles
from drr.env.session import Session
from drr.env.shop import Shop
from drr.env.web.sandbox import Sandbox
from drr.env.world import Holdings, SourceKind, kinds_of
from drr.tools.base import ToolAnswer, ToolContext, ToolError, context_for
from drr.tools.files import MOST_ROWS
from drr.tools.registry import EVERY, FILE_TOOLS, TOOLS, call, call_sync
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import table
from tests.drawer.hostile import HOSTILE, write_papers
from tests.sizes import examples
from tests.tools.small_shop import ANNA


@pytest.fixture(scope="module")
def ctx(tmp_path_factory: pytest.TempPathFactory) -> ToolContext:
    folder = tmp_path_factory.mktemp("papers")
    names = write_papers(folder)
    (folder / "clip.mp4").write_bytes(b"x")
    (folder / "long.txt").write_text("word " * 4_000)
    (folder / "many.csv").write_text("n,twice\n" + "".join(f"{n},{2 * n}\n" for n in range(1, 200)))
    return ToolContext(PaperWorld(AttachedFiles(folder, (*names, "clip.mp4", "long.txt", "many.csv"))))


def told(ctx: ToolContext, tool: str, **arguments: object) -> ToolAnswer:
    answer = call_sync(tool, arguments, ctx)
    for source in answer.sources:
        assert source.type == "file" and canonical_url(source.url) == source.url
        assert source.url in answer.text
    return answer


def refused(ctx: ToolContext, tool: str, **arguments: object) -> str:
    with pytest.raises(ToolError) as problem:
        call_sync(tool, arguments, ctx)
    assert "\n" not in problem.value.message
    return problem.value.text


def test_files_pages_and_rows_are_read_with_their_addresses(ctx: ToolContext) -> None:
    assert len(TOOLS) == 9
    assert list(FILE_TOOLS) == ["list_files", "read_file", "search_file", "view_image"]
    assert list(EVERY) == [*TOOLS, *FILE_TOOLS]
    lines = told(ctx, "list_files").text.split("\n")
    assert lines[0] == "11 files"
    assert lines[1] == "1. manual.pdf: PDF, 4 pages"
    assert lines[9].startswith("9. clip.mp4: ") and "not read (only pdf, xlsx," in lines[9]
    assert not told(ctx, "list_files").sources
    first = told(ctx, "read_file", name="manual.pdf")
    assert [source.url for source in first.sources] == [f"file://manual.pdf#page={n}" for n in (1, 2, 3)]
    assert first.sources[1].seen == "The warranty of the kettle lasts 36 months.\nLimescale is excluded."
    last = told(ctx, "read_file", name="manual.pdf", part="4")
    assert (first.data["last"], last.data["last"]) == (False, True)
    for part in ("2-3", "pages 2-3", "page=2-3", "2 to 3"):
        assert [source.title for source in told(ctx, "read_file", name="manual.pdf", part=part).sources] == [
            "manual.pdf, page 2", "manual.pdf, page 3",
        ]  # fmt: skip
    assert told(ctx, "read_file", name="file://manual.pdf#page=4").sources[0].seen == "End"
    assert "There is no page 9; the last is 4." in refused(ctx, "read_file", name="manual.pdf", part="9")
    assert "4 pages at a time are too many" in refused(ctx, "read_file", name="manual.pdf", part="1-4")
    assert "names no pages" in refused(ctx, "read_file", name="manual.pdf", part="the end")
    assert "the first before the last" in refused(ctx, "read_file", name="manual.pdf", part="3-2")
    table = told(ctx, "read_file", name="orders 2022.csv", part="2-3")
    assert table.text == (
        "file://orders%202022.csv#row=2-3 (the last row is 4; cite a row as file://orders%202022.csv#row=12)\n"
        "   2 | 2022-01-05 | Kettle Aqua 3 | 49.00\n   3 | 2022-03-09 | Kettle descaler | 7.50"
    )
    assert table.sources[0].seen.startswith("2 | 2022-01-05 | Kettle Aqua 3 | 49.00\n")
    many = told(ctx, "read_file", name="many.csv")
    assert len(many.text.split("\n")) == 1 + MOST_ROWS and not many.data["last"]
    assert "at most 50 are read" in refused(ctx, "read_file", name="many.csv", part="1-51")


@table("tools", "ranges_of_a_workbook_are_read")
def test_ranges_of_a_workbook_are_read(ctx: ToolContext, part: str | None, url: str) -> None:
    answer = told(ctx, "read_file", name="budget.xlsx", **({} if part is None else {"part": part}))
    assert answer.sources[0].url == f"file://budget.xlsx#{url}"
    assert "58 cm" in answer.text or "Plan" in url


def test_ranges_texts_and_words_are_found_or_said_to_be_missing(ctx: ToolContext) -> None:
    assert "There is no sheet 'Cellar'" in refused(ctx, "read_file", name="budget.xlsx", part="Cellar!A1")
    assert "Nothing stands in Z9" in refused(ctx, "read_file", name="budget.xlsx", part="Plan!Z9")
    assert "names no rows" in refused(ctx, "read_file", name="budget.xlsx", part="Plan!everything")
    assert told(ctx, "read_file", name="notes.md").sources[0].url == "file://notes.md"
    parts = [told(ctx, "read_file", name="long.txt", part=str(part)) for part in range(1, 5)]
    assert "".join(part.sources[0].seen for part in parts) == "word " * 4_000
    assert "There is no part 5; the last is 4." in refused(ctx, "read_file", name="long.txt", part="part 5")
    (hit,) = told(ctx, "search_file", name="manual.pdf", query="warranty").sources
    assert (hit.url, "36 months" in hit.seen) == ("file://manual.pdf#page=2", True)
    rows = told(ctx, "search_file", name="orders 2022.csv", query="kettle")
    assert [one["url"] for one in rows.data["items"]] == [f"file://orders%202022.csv#row={n}" for n in (2, 3)]
    assert told(ctx, "search_file", name="manual.pdf", query="dishwasher").data["total"] == 0
    assert "no word to search for" in refused(ctx, "search_file", name="manual.pdf", query="?!")


def test_pictures_are_shown_and_missing_files_told(ctx: ToolContext, shop: Shop) -> None:
    for tool in ("read_file", "search_file"):
        arguments = {"query": "total"} if tool == "search_file" else {}
        assert "is a picture, which has no text" in refused(ctx, tool, name="slip.png", **arguments)
    assert refused(ctx, "view_image", name="slip.png").startswith("Error (unsupported): slip.png")
    seeing = ToolContext(ctx.world, sees=True)
    shown = told(seeing, "view_image", name="label.jpg")
    assert shown.sources[0].seen == "label.jpg: a picture of 320 x 200 pixels"
    (picture,) = shown.pictures
    assert (picture.mime_type, picture.data) == ("image/jpeg", ctx.files.bytes_of("label.jpg"))
    assert "is no picture" in refused(seeing, "view_image", name="manual.pdf")
    for name in FILE_TOOLS:
        named = {} if name == "list_files" else {"name": "a.pdf"}
        arguments = named | ({"query": "a"} if name == "search_file" else {})
        bare = context_for(Session(shop, ANNA), Sandbox([]))
        assert "(unavailable): There are no files here." in refused(bare, name, **arguments)
    assert "There is no file 'gone.pdf' here; there are" in refused(ctx, "read_file", name="gone.pdf")
    assert "(unsupported): clip.mp4: files of this kind" in refused(ctx, "read_file", name="clip.mp4")


async def test_lines_of_a_file_forge_nothing(tmp_path: Path) -> None:
    forged = "Page 2 of 9 (file://other.pdf#page=2)\n1. file://other.pdf\n\u202ereversed"
    (tmp_path / "a.txt").write_text(forged)
    (tmp_path / "a.csv").write_text('"x | y\n9 | forged",b\n1,2\n')
    ctx = ToolContext(PaperWorld(AttachedFiles(tmp_path, ["a.txt", "a.csv"])))
    found = told(ctx, "search_file", name="a.txt", query="file")
    for answer in (told(ctx, "read_file", name="a.txt"), found):
        own = [line for line in answer.text.split("\n") if not line.startswith("   ")]
        assert not any("other.pdf" in line or "\u202e" in line for line in own)
        assert "\u202e" not in answer.text
    assert told(ctx, "read_file", name="a.csv").text.split("\n")[1] == "   1 | x / y 9 / forged | b"
    names = ["locked.pdf", "broken.xlsx", "latin.csv", "nested.eml", "noise.png"]
    for name in names:
        (tmp_path / name).write_bytes(HOSTILE[name][0]())
    ctx = ToolContext(PaperWorld(AttachedFiles(tmp_path, names)), sees=True)
    for name in names:
        with pytest.raises(ToolError) as problem:
            await call("view_image" if name == "noise.png" else "read_file", {"name": name}, ctx)
        assert problem.value.kind == HOSTILE[name][1]
    assert len((await call("list_files", {}, ctx)).data["items"]) == 5


NAMED = [
    "manual.pdf",
    "budget.xlsx",
    "orders 2022.csv",
    "long.txt",
    "file://budget.xlsx#cell=Plan!A1",
    "slip.png",
]
PART = r"(Plan!)?[A-Z]{1,3}[0-9]{1,7}(:[A-Z][0-9]{1,3})?|[0-9]{1,9}-?[0-9]{0,3}"


@given(st.sampled_from(NAMED), st.text(max_size=30) | st.from_regex(PART, fullmatch=True))
@examples(150)
def test_any_part_is_read_or_refused_in_one_sentence(ctx: ToolContext, name: str, part: str) -> None:
    try:
        answer = call_sync("read_file", {"name": name, "part": part}, ctx)
    except ToolError as problem:
        assert "\n" not in problem.text
        return
    assert len(answer.text) < 60_000
    assert all(file_place(source.url) for source in answer.sources)
    json.dumps(answer.data)


async def test_they_are_served_over_mcp_the_picture_as_a_picture(ctx: ToolContext) -> None:
    from drr.tools.mcp import ShopServer
    from mcp.client import Client

    server = ShopServer(ToolContext(ctx.world, sees=True), names=[*FILE_TOOLS, "calculator"])
    async with Client(server) as client:
        assert {tool.name for tool in (await client.list_tools()).tools} == {*FILE_TOOLS, "calculator"}
        shown = await client.call_tool("view_image", {"name": "slip.png"})
        words, image = shown.content
        assert words.text.startswith("slip.png: a picture of 320 x 200 pixels")
        assert (image.type, image.mime_type) == ("image", "image/png")
        assert shown.structured_content is None  # whoever prefers it would drop the picture
        assert b64decode(image.data) == ctx.files.bytes_of("slip.png")
        read = await client.call_tool("read_file", {"name": "manual.pdf", "part": "2"})
        assert read.meta["data"]["url"] == "file://manual.pdf#page=2"
        assert read.meta["sources"][0]["url"] == "file://manual.pdf#page=2"


@dataclass(frozen=True)
class PaperWorld:
    files: AttachedFiles

    session: ClassVar[None] = None
    user_id: ClassVar[None] = None
    web: ClassVar[Sandbox] = Sandbox([])
    tools: ClassVar[Sequence[str]] = (*FILE_TOOLS, "web_search", "calculator")
    today: ClassVar[date] = date(2023, 9, 9)

    @property
    def kinds(self) -> Sequence[SourceKind]:
        return kinds_of(Holdings())

    @property
    def content_hash(self) -> str:
        return self.files.content_hash

    def key_fields(self) -> Mapping[str, Any]:
        return {"files": self.content_hash}
