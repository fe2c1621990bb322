"""Tries at what is imported of others: reports beside links and pipes, catalogues with odd cells, and tools of a user's own."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import io
import os
import sys
import tempfile
import types
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, cast

from drr.app.cli import main
from drr.data_ingest.catalogue.rows import open_table
from drr.env.errors import DrrError
from drr.env.small_files import FLOOR, RATIO
from drr.env.user_code import UserCode
from drr.eval.evidence.imported import read_reports
from drr.tools.base import ToolContext, ToolError
from drr.tools.own import _tool_of

from tests.security.tries import Area, mixed

SECRET = "HEART-OF-IT-4711"
KEY = "t0psecretvalue9"


def _folders(chance: Random) -> Iterator[tuple[str, str, str, int]]:
    while True:
        yield (
            chance.choice(["x.md", "questions.csv", "by file", "x.jsonl", "x.csv"]),
            chance.choice(["link", "pipe", "link to a link", "link in a folder"]),
            mixed(chance, ["a", "-", "Which one", "é", " "], 6),
            chance.randrange(100),
        )


def _report_is_followed(given: tuple[str, str, str, int]) -> str | None:
    where, how, words, number = given
    with tempfile.TemporaryDirectory() as place:
        folder, secret = Path(place, "r"), Path(place, "secret")
        folder.mkdir()
        table = where == "questions.csv"
        head = (
            f"file,question,system\na.md,{SECRET}?,ours\n"
            if table
            else f"---\nquestion: Why {number}?\nsystem: ours\n---\n{SECRET}\n"
        )
        secret.write_text(head)
        (folder / "a.md").write_text(f"# Answer\n\n{words}\n")
        (folder / "t.csv").write_text("file,question,system\nx.md,Which one?,ours\n")
        odd = folder / {"by file": "x.md"}.get(where, where)
        if how == "pipe":
            os.mkfifo(odd)
        else:
            Path(place, "to").symlink_to(secret)
            odd.symlink_to(Path(place, "to") if how == "link to a link" else secret)
        named = folder / {"by file": "t.csv", "questions.csv": "a.md"}.get(where, odd.name)
        try:
            read = read_reports(named, system="ours")
        except DrrError as error:
            return "its content is told" if SECRET in str(error) else None
        return "its content is taken" if SECRET in repr(read.reports) else None


def _catalogues(chance: Random) -> Iterator[tuple[dict[str, str], str]]:
    texts = ["[", "{", "1", "9,50", "€", "ABC", "\u0000", "é", '"', ";", " ", SECRET]
    options = ["", "rate = 1", "rate = inf", "rate = nan", "rate = -1", 'encoding = "utf-8"', 'encoding = "hex"', 'encoding = "\\u0000"',
               'separator = ","', 'decimal = ","', 'currency = "EUR"', 'skip = "price"']  # fmt: skip
    while True:
        names = ("id", "title", "price", "features", "currency", "language", "rating")
        row = {name: mixed(chance, texts, 4) * chance.choice([1, 1, 1, 5_000]) for name in names}
        yield row, "\n".join(chance.sample(options, 2))


def _cell_is_told(given: tuple[dict[str, str], str]) -> str | None:
    row, options = given
    with tempfile.TemporaryDirectory() as place:
        lines = [",".join(row), ",".join(cell.replace('"', "").replace(",", ".") for cell in row.values())]
        Path(place, "p.csv").write_text("\n".join([*lines, "7,Dog bed,9.50,,USD,en,4"]) + "\n")
        Path(place, "map.toml").write_text(f"[products]\n{options}\n")
        words = [
            "data",
            "ingest",
            f"{place}/p.csv",
            "--shop",
            f"{place}/s",
            "--map",
            f"{place}/map.toml",
            "--dry-run",
            "--max-bad",
            "0",
        ]
        with contextlib.redirect_stderr(io.StringIO()) as err, contextlib.redirect_stdout(io.StringIO()):
            code = main(words)
    said = err.getvalue()
    if SECRET in said or "Traceback" in said:
        return f"{code}: {said[-200:]}"
    return None


def _packings(chance: Random) -> Iterator[tuple[str, bytes, int]]:
    while True:
        unit = chance.choice([b"\0", b"a,b", b" ", b"{}", b"1"]) * chance.randrange(1, 999) + b"\n"
        yield chance.choice(["csv", "jsonl", "parquet", "xml"]), unit, chance.randrange(17, 40)


def _unpacks_on(given: tuple[str, bytes, int]) -> str | None:
    ending, unit, megabytes = given
    with tempfile.TemporaryDirectory() as place:
        path = Path(place, f"t.{ending}.gz")
        with gzip.open(path, "wb", compresslevel=6) as packed:
            packed.write(
                b"id,title\n1,a\n" if ending == "csv" else b'{"id": 1}\n' if ending == "jsonl" else b""
            )
            for _ in range(megabytes):
                packed.write(unit * ((1 << 20) // len(unit)))
        try:
            table = open_table(path)
            rows = sum(len(batch.lines) for batch in table.batches(table.columns))
        except DrrError:
            return None
        allowed = megabytes << 20 <= max(FLOOR, RATIO * path.stat().st_size)
        return None if allowed else f"it is read to its end, {rows} rows"


_RAISED = (SystemExit, KeyError, ValueError, RecursionError, UnicodeError, BaseException)


def _answers(chance: Random) -> Iterator[tuple[str, str, int]]:
    while True:
        said = mixed(
            chance, [KEY, "\n", "\ud800", "a" * 200, " sk-abcdefgh1234567890 ", "é", " ", "\u202e", "\0"], 5
        )
        yield (
            chance.choice(["text", "data", "cited", *(one.__name__ for one in _RAISED)]),
            said,
            chance.choice([1, 1, 400]),
        )


def _tool_tells(given: tuple[str, str, int]) -> str | None:
    """An answer that cannot be kept, a key, a second line, or anything but an answer and a `ToolError`."""
    kind, said, times = given

    def mine(ctx: ToolContext) -> Any:
        """Do something."""
        if kind in ("text", "data"):
            return said * times if kind == "text" else {"said": [said] * times}
        if kind == "cited":
            return ctx.cited(said * times, "Title", "place")
        raise next(one for one in _RAISED if one.__name__ == kind)(said * times)

    mine.__annotations__["ctx"] = ToolContext
    os.environ["SERVICE_OF_MINE"] = KEY
    context = cast(
        ToolContext, types.SimpleNamespace(cited=lambda *words: ToolContext.cited(context, *words))
    )
    try:
        answer = asyncio.run(
            cast(Any, _tool_of("mine", UserCode(mine, Path("mine.py"), repr(given))).function)(context)
        )
    except ToolError as error:
        hidden = KEY in error.message or "sk-abcdefgh" in error.message
        odd = "\n" in error.message or len(error.message) > 400
        return f"told: {error.message[:200]}" if hidden or odd else None
    except BaseException as error:
        return f"{type(error).__name__} comes through"
    finally:
        sys.stdout.flush()
    whole = f"{answer.text}{answer.data}{[one.seen for one in answer.sources]}"
    return "it cannot be kept" if "\ud800" in whole or len(answer.text) > 24_000 else None


AREAS = [
    Area("reports", "a link in a folder of reports is followed, or a pipe is waited for", _folders, _report_is_followed, 300),
    Area("cells", "a catalogue's cell or option is a traceback, or a message repeats a cell", _catalogues, _cell_is_told, 200),
    Area("unpacking", "what unpacks to over 200 times its size is read to its end", _packings, _unpacks_on, 60),
    Area("own tools", "a tool's exit, key, long or broken answer goes on to the agent", _answers, _tool_tells, 400),
]  # fmt: skip
