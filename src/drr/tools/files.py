"""Tools for the files of a question: list them, read a part, search for words, show a picture."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, NotRequired

from drr.citations.files import (
    Box,
    FilePlace,
    cell_range,
    column_letters,
    file_address,
    file_place,
    place_in,
    read_range,
)
from drr.env.drawer.content import FileContent, FilePart, Sheet, passages
from drr.env.drawer.form import FileProblem
from drr.env.records.lines import one_line, visible
from drr.env.source import Source
from drr.env.text import tokens
from drr.tools.base import ToolAnswer, ToolContext, ToolError
from pydantic import Field, StringConstraints
from typing_extensions import TypedDict

KIND = "file"
MOST_PAGES, MOST_ROWS, MOST_COLUMNS, MOST_HITS = 3, 50, 30, 5
PIECE = 6_000
_PAGE_CHARS, _CELL_CHARS = 8_000, 300
_NUMBERS = re.compile(
    r"(?:pages?|rows?|parts?)?[ =:]{0,3}([0-9]{1,7})(?: {0,2}(?:-|–|to) {0,2}([0-9]{1,7}))?", re.IGNORECASE
)
FileName = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=400),
    Field(description="The file's name as list_files gives it."),
]


class ListedFile(TypedDict):
    """A file of the question, as data."""

    name: str
    url: str
    kind: str
    error: NotRequired[str]


class ListedFiles(TypedDict):
    """The files of the question, as data."""

    items: list[ListedFile]
    total: int


class FoundPassage(TypedDict):
    """A hit in a file, as data."""

    url: str
    text: str


class ReadPart(TypedDict):
    """The part read of a file, as data."""

    name: str
    url: str
    text: str
    last: bool
    """True if the part ends the file."""
    parts: list[FoundPassage]
    """Passages that can be cited by themselves: pages, rows, or else the whole part."""


class FoundPassages(TypedDict):
    """The passages found in a file, as data."""

    items: list[FoundPassage]
    total: int


class ViewedImage(TypedDict):
    """The picture that was shown, as data."""

    name: str
    url: str
    mime_type: str
    width: int
    height: int


def list_files(ctx: ToolContext) -> ToolAnswer:
    """List the files that belong to the question: name, kind, and how much there is of each."""
    drawer = ctx.files
    items: list[ListedFile] = []
    for name in drawer.names:
        item = ListedFile(name=name, url=file_address(name), kind="")
        try:
            item["kind"] = drawer.content(name).label
        except FileProblem as problem:
            item["kind"], item["error"] = "cannot be read", problem.message
        items.append(item)
    if not items:
        return ToolAnswer("No files belong to this question.", (), {"items": [], "total": 0})
    rows = [
        f"{number}. {one_line(item['name'], 200)}: {one_line(item.get('error') or item['kind'], 400)}"
        for number, item in enumerate(items, 1)
    ]
    return ToolAnswer("\n".join([f"{len(items)} files", *rows]), (), {"items": items, "total": len(items)})


def read_file(
    ctx: ToolContext,
    name: FileName,
    part: Annotated[
        str | None,
        StringConstraints(strip_whitespace=True, max_length=120),
        Field(
            description="What of it: pages of a PDF such as 2 or 4-6, rows of a table such as 10-40, a range of a workbook such as Rooms!A1:D9"
            " or a sheet's name, the number of a part of a long text. Left out: the beginning."
        ),
    ] = None,
) -> ToolAnswer:
    """Read a part of a file that belongs to the question: at most three pages, fifty rows, or one part of a long text at a time.

    The answer gives the address under which each page, row or cell is cited. A workbook shows the values stored in it. Pictures are
    looked at with view_image.
    """
    content, part = _open_file(ctx, name, part)
    if content.picture is not None:
        raise ToolError("invalid", f"{content.name} is a picture, which has no text; view_image shows it.")
    if content.pages:
        return _pages(content, part)
    if content.sheets:
        return _rows(content, part)
    return _piece(content, part)


def search_file(
    ctx: ToolContext,
    name: FileName,
    query: Annotated[
        str,
        StringConstraints(strip_whitespace=True, min_length=1, max_length=200),
        Field(description="A word or phrase to look for in it."),
    ],
) -> ToolAnswer:
    """Search one file that belongs to the question: the places that hold the words, each with some 500 characters around and its address."""
    content, _ = _open_file(ctx, name, None)
    if content.picture is not None:
        raise ToolError("invalid", f"{content.name} is a picture, which has no text; view_image shows it.")
    if not tokens(query):
        raise ToolError("invalid", "The query has no word to search for; give a word such as 'warranty'.")
    hits = passages(content, query)
    shown = [FilePart(hit.place, visible(hit.text)) for hit in hits[:MOST_HITS]]
    if not shown:
        text = f"Nothing in {content.name} holds words of {one_line(query, 80)!r}."
        return ToolAnswer(text, (), {"items": [], "total": 0})
    rows = [f"{number}. {hit.place.address}\n{_set_in(hit.text)}" for number, hit in enumerate(shown, 1)]
    heading = f"{len(shown)} of {len(hits)} places in {content.name} for {one_line(query, 80)!r}"
    items = [FoundPassage(url=hit.place.address, text=hit.text) for hit in shown]
    return ToolAnswer(
        "\n".join([heading, *rows]),
        [_source(hit.place, hit.text) for hit in shown],
        {"items": items, "total": len(hits)},
    )


def view_image(ctx: ToolContext, name: FileName) -> ToolAnswer:
    """Look at a picture (PNG or JPEG) that belongs to the question. Only for models that take pictures."""
    content, _ = _open_file(ctx, name, None)
    if content.picture is None:
        raise ToolError("invalid", f"{content.name} is no picture; read_file reads it.")
    if not ctx.sees:
        raise ToolError(
            "unsupported",
            f"{content.name} is a picture, and none is shown to this model: what is in it stays unknown.",
        )
    picture = ctx.files.picture(content.name)
    place = FilePlace(picture.name)
    seen = f"{picture.name}: a picture of {picture.width} x {picture.height} pixels"
    text = f"{seen}; it is shown beside this answer. Cite it as {place.address}, a part of it as {place.address}#region=x0,y0,x1,y1."
    data = ViewedImage(
        name=picture.name,
        url=place.address,
        mime_type=picture.mime_type,
        width=picture.width,
        height=picture.height,
    )
    return ToolAnswer(text, [_source(place, seen)], data, [picture])


def _open_file(ctx: ToolContext, name: str, part: str | None) -> tuple[FileContent, str]:
    """Return the file with this name or address, and the part; the place in an address is the part."""
    drawer = ctx.files
    if (place := file_place(name)) is not None and name not in drawer.names:
        name, part = place.name, part or place.fragment
    try:
        return drawer.content(name), (part or "").strip()
    except FileProblem as problem:
        raise ToolError(problem.kind, problem.message) from None


def _source(place: FilePlace, seen: str) -> Source:
    part = place.fragment.replace("=", " ", 1)
    return Source(
        url=place.address, type=KIND, title=f"{place.name}, {part}" if part else place.name, seen=seen
    )


def _set_in(text: str) -> str:
    """Indent a text, so that no line of a file can pass for a line of the answer."""
    return "\n".join(f"   {line}" for line in f"{text}\n".splitlines())


def _numbers(part: str, what: str, count: int, most: int) -> tuple[int, int]:
    """Parse the first and the last number of a range. Raises `ToolError` for text that names none of `count`."""
    found = _NUMBERS.fullmatch(part) if part else None
    if part and found is None:
        raise ToolError(
            "invalid",
            f"part {one_line(part, 60)!r} names no {what}s; give a number, or two such as 1-{most}.",
        )
    first = int(found[1]) if found else 1
    last = int(found[2] or first) if found else min(most, count)
    if not 1 <= first <= last:
        raise ToolError(
            "invalid", f"part {one_line(part, 60)!r}: {what}s are counted from 1, the first before the last."
        )
    if first > count:
        raise ToolError("not_found", f"There is no {what} {first:,}; the last is {count:,}.")
    if last - first >= most:
        raise ToolError(
            "invalid", f"{last - first + 1:,} {what}s at a time are too many; at most {most} are read."
        )
    return first, min(last, count)


def _pages(content: FileContent, part: str) -> ToolAnswer:
    first, last = _numbers(part, "page", len(content.pages), MOST_PAGES)
    sources, lines = [], []
    for number in range(first, last + 1):
        place = FilePlace(content.name, "page", Box(1, number, 1, number))
        text = visible(content.pages[number - 1])
        text_parts = (
            text
            if len(text) <= _PAGE_CHARS
            else f"{text[:_PAGE_CHARS]} [… cut; search_file finds what follows]"
        )
        lines += [
            f"Page {number} of {len(content.pages)} ({place.address})",
            _set_in(text_parts or "(no text; it may be a picture)"),
        ]
        sources.append(_source(place, text_parts))
    address = FilePlace(content.name, "page", Box(1, first, 1, last)).address
    return _listing(content, address, "\n".join(lines), sources, last == len(content.pages))


def _piece(content: FileContent, part: str) -> ToolAnswer:
    """Return the whole text, or one of its equal parts."""
    text = visible(content.whole or "")
    count = max(1, -(-len(text) // PIECE))
    first, _ = _numbers(part, "part", count, 1)
    piece = text[(first - 1) * PIECE : first * PIECE]
    place = FilePlace(content.name)
    of = f", part {first} of {count}" if count > 1 else ""
    source = _source(place, piece)
    return _listing(
        content,
        place.address,
        f"{content.name}{of} ({place.address})\n{_set_in(piece)}",
        [source],
        first == count,
    )


def _rows(content: FileContent, part: str) -> ToolAnswer:
    sheet, box = _range(content, part)
    columns = range(box.left, min(box.right, box.left + MOST_COLUMNS - 1) + 1)
    rows = [(number, row) for number, row in sheet.rows if box.top <= number <= box.bottom]
    head = [f"| {' | '.join(map(column_letters, columns))}"] if sheet.name else []
    grid = [f"{number} | {' | '.join(_shown_cell(row, k) for k in columns)}" for number, row in rows]
    seen = "\n".join([*head, *(grid or ["(nothing stands there)"])])
    place = sheet.place(box._replace(right=columns[-1]))
    more = (
        f"; columns up to {column_letters(columns[-1])} of {column_letters(box.right)}"
        if box.right > columns[-1]
        else ""
    )
    if sheet.name:
        shown = f"{sheet.name}!{cell_range(sheet.used)}"
        how = f"all of it is {shown}; cite a cell as {FilePlace(content.name, 'cell', Box(2, 4, 2, 4), sheet.name).address}"
    else:
        how = f"the last row is {sheet.used.bottom}; cite a row as {FilePlace(content.name, 'row', Box(1, 12, 1, 12)).address}"
    others = [one.name for one in content.sheets if one is not sheet]
    beside = [f"Other sheets: {', '.join(one_line(name, 60) for name in others[:20])}"] if others else []
    text = "\n".join([f"{place.address} ({how}{more})", _set_in(seen), *beside])
    passages = [
        FoundPassage(url=sheet.row_place(n).address, text=visible(sheet.row_text(n))) for n, _ in rows
    ]
    return _listing(
        content,
        place.address,
        text,
        [_source(place, seen)],
        box.bottom >= sheet.used.bottom,
        passages,
    )


def _shown_cell(row: Sequence[str], column: int) -> str:
    text = row[column - 1] if column <= len(row) else ""
    return one_line(text, _CELL_CHARS).replace("|", "/")


def _range(content: FileContent, part: str) -> tuple[Sheet, Box]:
    """Parse a part of a table: rows by number; of a workbook, a sheet or a range."""
    named, _, cells = part.rpartition("!") if "!" in part else ("", "", part)
    place = place_in(content.name, part)
    if place is not None and place.kind == "cell":
        named, cells = place.sheet or "", cell_range(place.box or Box(1, 1, 1, 1))
    whole = content.sheet(cells.strip("'")) if not named and content.sheets[0].name else None
    sheet = whole or content.sheet(named.strip("'")) or (None if named else content.sheets[0])
    if sheet is None:
        names = ", ".join(one_line(one.name, 60) for one in content.sheets[:20])
        raise ToolError("not_found", f"There is no sheet {one_line(named, 60)!r}; there are {names}.")
    used, cells = sheet.used, "" if whole else cells
    box = read_range(cells) if cells else None
    if box is None:
        first, last = _numbers(cells, "row", used.bottom, MOST_ROWS)
        return sheet, used._replace(top=first, bottom=last)
    if not box.meets(used):
        raise ToolError(
            "not_found",
            f"Nothing stands in {one_line(cells, 30)}; {one_line(sheet.name, 60) or content.name} is {cell_range(used)}.",
        )
    if box.bottom - box.top >= MOST_ROWS:
        raise ToolError(
            "invalid",
            f"{box.bottom - box.top + 1:,} rows at a time are too many; at most {MOST_ROWS} are read.",
        )
    return sheet, Box(box.left, box.top, min(box.right, used.right), min(box.bottom, used.bottom))


def _listing(
    content: FileContent,
    url: str,
    text: str,
    sources: Sequence[Source],
    last: bool,
    rows: Sequence[FoundPassage] = (),
) -> ToolAnswer:
    seen = "\n\n".join(source.seen for source in sources)
    parts = list(rows) or [FoundPassage(url=source.url, text=source.seen) for source in sources]
    return ToolAnswer(text, sources, ReadPart(name=content.name, url=url, text=seen, last=last, parts=parts))
