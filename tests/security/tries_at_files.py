"""Tries at what a stranger's folder holds, at what a contained command sees and asks the kernel for, and at our servers' redirects."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import socket
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from random import Random
from typing import Any
from weakref import finalize

from drr.agents.commands.command import Command, CommandTerms, search_path
from drr.agents.commands.process import sandbox_for
from drr.app.bundles.builder import files_beside_ledger
from drr.app.pages.serve import guarded, path_of_token
from drr.env.errors import DrrError
from drr.env.json_object import parsed
from drr.env.settings import Settings
from drr.env.shop import open_shop
from drr.env.small_files import DEEPEST, read_toml
from drr.llm.meter import UsageRow
from drr.papers.dr3.folders import open_tasks
from drr.study.study import Study
from drr.study.unit import FinishedUnit, Unit
from starlette.applications import Starlette
from starlette.testclient import TestClient

from tests.agents.garden import write_shop
from tests.filetasks.made import write_known_task
from tests.security.test_opening import MAGIC, hot_journal
from tests.security.tries import Area, mixed

_USED: UsageRow = {"model": "m", "calls": 1, "retries": 0, "unmetered": 0, "input_tokens": 5, "cache_read_tokens": 0, "cache_write_tokens": 0,
                   "output_tokens": 7, "seconds": 1.0, "cost_usd": None}  # fmt: skip


@cache
def _ledger(*, wal: bool) -> bytes:
    """Of a study of forty answers."""
    with tempfile.TemporaryDirectory() as place:
        units = [Unit("answer", {"n": n}, {"n": n, "variant": "react"}, f"q/react/{n}") for n in range(40)]
        with Study.create(Path(place, "s"), {"schema": 1}) as study:
            study.ledger.units.register(units)
            keys = [unit.key for unit in units]
            study.ledger.under_way.begin("a", keys)
            ended = [
                FinishedUnit(key=key, status="done", reason=None, message=None, transient=False, result={"n": key[:4]}, texts={},
                             usage={"agent": _USED}, cost=None, seconds=1.0, started_at=2.0, finished_at=3.0)
                for key in keys
            ]  # fmt: skip
            study.ledger.records.commit(ended, {})
            study.ledger.set_meta("note", "whole")
            study.ledger.set_meta("file:study.toml", None)  # another is put beside it
        path = Path(place, "s", "ledger.sqlite")
        if not wal:
            with sqlite3.connect(path) as db:
                db.execute("PRAGMA journal_mode = DELETE")
            db.close()
        return path.read_bytes()


def _study(place: str, ledger: bytes) -> Path:
    folder = Path(place, "study")
    folder.mkdir()
    (folder / "study.toml").write_text("schema = 1\n")
    (folder / "ledger.sqlite").write_bytes(ledger)
    return folder


def _opened(folder: Path, way: str) -> Study | None:
    ways: Mapping[str, Callable[[Path], Study]] = {
        "open": Study.open,
        "read": Study.read,
        "create": lambda at: Study.create(at, {"schema": 1}),
    }
    try:
        return ways[way](folder)
    except DrrError:
        return None


def _journals(chance: Random) -> Iterator[tuple[str, bool, str]]:
    """`VICTIM` stands for the path of a file of the user's."""
    while True:
        head = chance.choice([MAGIC, hot_journal(chance.randint(0, 90)), b"", os.urandom(3)])
        rest = mixed(chance, ["VICTIM", "\0", "/", "..", "x" * 505], 4).encode()
        whole = chance.random() < 0.6
        content = (
            hot_journal(chance.randint(0, 60), b"VICTIM" + b"\0" * chance.randint(0, 3))
            if whole
            else head + rest
        )
        yield content.hex(), chance.random() < 0.5, chance.choice(["open", "read", "create"])


def _journal_deletes(given: tuple[str, bool, str]) -> str | None:
    content, wal, way = given
    with tempfile.TemporaryDirectory() as place:
        victim = Path(place, "thesis")
        victim.write_text("mine")
        folder = _study(place, _ledger(wal=wal))
        name = os.fsencode(victim)
        raw = bytes.fromhex(content)
        named = raw.startswith(MAGIC) and b"VICTIM" in raw
        raw = hot_journal(40, name) if named else raw.replace(b"VICTIM", name)
        (folder / "ledger.sqlite-journal").write_bytes(raw)
        study = _opened(folder, way)
        if study is not None:
            study.close()
        return "deleted" if not victim.exists() else "opened" if study is not None else None


_ENTRIES: Mapping[str, Callable[[Path, Path], None]] = {
    "link": lambda at, victim: at.symlink_to(victim),
    "link to nothing": lambda at, victim: at.symlink_to(victim.with_name("none")),
    "link to a folder": lambda at, victim: at.symlink_to(victim.parent),
    "pipe": lambda at, victim: os.mkfifo(at),
}


def _entries(chance: Random) -> Iterator[tuple[str, str, str]]:
    known = ["queries", "criteria", "persons", "notes", "foreign", "study", ".", "key_points", "x" * 90]
    while True:
        name = (
            chance.choice(["", "review/"])
            + mixed(chance, known, 2)
            + chance.choice([".jsonl", ".toml", ".json", ""])
        )
        yield name, chance.choice([*_ENTRIES]), chance.choice(["read", "open", "bundle"])


def _entry_is_read(given: tuple[str, str, str]) -> str | None:
    """A link or a pipe in a study is refused, or nothing of what it leads to goes into a bundle."""
    name, kind, way = given
    with tempfile.TemporaryDirectory() as place:
        victim = Path(place, "victim.jsonl")
        victim.write_text('{"mine": "SECRET"}\n')
        folder = _study(place, _ledger(wal=False))
        (folder / name).parent.mkdir(exist_ok=True)
        if (folder / name).exists():
            return None
        _ENTRIES[kind](folder / name, victim)
        study = _opened(folder, "read" if way == "bundle" else way)
        if study is None:
            return None
        with study:
            if way != "bundle":
                return None if "/" in name else "opened"
            try:
                found = list(files_beside_ledger(study.folder, redact=False))
            except DrrError:
                return None
        return "in a bundle" if "SECRET" in repr(found) else None


def _flips(chance: Random) -> Iterator[int]:
    while True:
        yield chance.randrange(8 * len(_ledger(wal=True)))


def _rows(study: Study) -> str:
    ledger = study.ledger
    parts = (ledger.meta("note"), ledger.units.standings(), ledger.accounts.total())
    return repr([list(study.records(status=None)), *parts])


@cache
def _whole_rows() -> str:
    with tempfile.TemporaryDirectory() as place, Study.read(_study(place, _ledger(wal=True))) as study:
        return _rows(study)


def _flip_is_silent(bit: int) -> str | None:
    content = bytearray(_ledger(wal=True))
    content[bit // 8] ^= 1 << bit % 8
    with tempfile.TemporaryDirectory() as place:
        study = _opened(_study(place, bytes(content)), "read")
        if study is None:
            return None
        with study:
            return None if _rows(study) == _whole_rows() else "read otherwise"


def _statements(chance: Random) -> Iterator[str]:
    while True:
        name, table = (
            f"s{chance.randrange(10**6)}",
            chance.choice(["meta", "units", "records", "leases", "spending"]),
        )
        when, act = chance.choice(["AFTER", "BEFORE"]), chance.choice(["INSERT", "UPDATE", "DELETE"])
        some = chance.choice(["length(hex(zeroblob(10)))", "1", "'x' || 'y'", "abs(-1)"])
        yield chance.choice([
            f"CREATE TRIGGER {name} {when} {act} ON {table} BEGIN SELECT {some}; END",
            f"CREATE VIEW {name} AS SELECT {some} FROM {table}",
            f"CREATE TABLE {name} (a DEFAULT ({some}))",
            f"CREATE TABLE {name} (a, b AS ({some}))",
            f"CREATE INDEX {name} ON {table} ({some})",
            f"CREATE VIRTUAL TABLE {name} USING fts5 (a)",
            f"ALTER TABLE {table} ADD COLUMN {name} AS ({some})",
            f"ALTER TABLE {table} RENAME TO {name}",
        ])  # fmt: skip


def _statement_is_taken(statement: str) -> str | None:
    with tempfile.TemporaryDirectory() as place:
        folder = _study(place, _ledger(wal=True))
        with sqlite3.connect(folder / "ledger.sqlite") as db:
            try:
                db.execute(statement)
            except sqlite3.Error:  # SQLite itself refuses it
                return None
            finally:
                db.commit()
        db.close()
        study = _opened(folder, "read")
        if study is not None:
            study.close()
        return None if study is None else "opened"


def _tomls(chance: Random) -> Iterator[str]:
    while True:
        key = chance.choice(["a", '"a"', "'a b'", "a-1", '"a.b"', r'"\""', r'"\\"', r'"a\".b"'])
        dot = chance.choice([".", " . ", "\t.\t"])
        keys = dot.join([key] * chance.randint(DEEPEST + 1, 9_000))
        depth = chance.randint(2_000, 60_000)
        yield chance.choice([f"{keys} = 1", f"[{keys}]", f"[[{keys}]]", f"x = {{{keys} = 1}}", f"x = [{{{keys} = 1}}]",
                             "x = " + "[" * depth, "x = " + "{a=" * depth, "x = '''" + "." * depth, "#" + "\n" * (depth * 10)])  # fmt: skip


def _depth(value: Any) -> int:
    depth = 0
    while isinstance(value, (dict, list)) and value:
        value, depth = next(iter(value.values())) if isinstance(value, dict) else value[0], depth + 1
    return depth


def _toml_is_dear(text: str) -> str | None:
    with tempfile.TemporaryDirectory() as place:
        path = Path(place, "a.toml")
        path.write_text(text)
        began = time.monotonic()
        try:
            found = read_toml(path)
        except ValueError:
            found = {}
        if time.monotonic() - began > 5:
            return "took long"
        return f"{_depth(found)} deep" if _depth(found) > 4 * DEEPEST else None


def _twice(chance: Random) -> Iterator[str]:
    while True:
        key = mixed(chance, ["a", "é", "\\u0061", " ", "id"], 3)
        line = f'{{"{key}": 1, "x{chance.randrange(99)}": [], "{key}": {chance.choice(["1", "null", "{}"])}}}'
        for _ in range(chance.randint(0, 5)):
            line = chance.choice([f'{{"b": {line}}}', f"[{line}]", f'{{"c": 0, "d": [1, {line}]}}'])
        yield line


def _twice_is_taken(line: str) -> str | None:
    try:
        parsed(line)
    except ValueError:
        return None
    return "taken"


LOOKS = """#!/usr/bin/env python3
import json, os, socket, sys
root, found = json.load(sys.stdin), []
for place, folders, names in os.walk(root):
    for name in names:
        path = os.path.join(place, name)
        try:
            with socket.socket(socket.AF_UNIX) as one:
                one.connect(path)
            found.append(path)
        except OSError:
            pass
        try:
            with open(path) as file:
                if "SEC" "RET" in file.read():
                    found.append(path)
        except OSError:
            pass
print(json.dumps(found))
"""


def _ran(text: str, word: str, place: str, terms: CommandTerms, told: object) -> Any:
    async def run() -> str:
        async with sandbox_for(Command.of(word), terms) as made:
            return (await made.run({"PATH": search_path()}, json.dumps(told), 30)).report

    program = Path(word.removeprefix("cmd:"))
    program.parent.mkdir(parents=True, exist_ok=True)
    program.write_text(text)
    program.chmod(0o755)
    return json.loads(asyncio.run(run()))


def _projects(chance: Random) -> Iterator[tuple[tuple[str, ...], str, str, str]]:
    """What is secret, where the agent lies, what it is shown, what is hidden."""
    folders = ["", "a", "a/b", "bin", "lib", "a/bin", ".venv", "st2", "st2/bin", "st2/x"]
    while True:
        kinds = [".env", ".env.prod", "drr.toml", "study.toml", "sock"]
        secret = tuple(
            f"{chance.choice(folders)}/{chance.choice(kinds)}".lstrip("/")
            for _ in range(chance.randint(1, 4))
        )
        yield (
            secret,
            f"{chance.choice(folders)}/agent".lstrip("/"),
            chance.choice(["", ".", "a", "a/b"]),
            chance.choice(["", "st2", "a/bin"]),
        )


def _sees_a_secret(given: tuple[tuple[str, ...], str, str, str]) -> str | None:
    secret, agent, shown, hidden = given
    with tempfile.TemporaryDirectory(prefix="p") as place, socket.socket(socket.AF_UNIX) as listening:
        root = Path(place)
        for name in dict.fromkeys(
            (
                *secret, "st2/study.toml", "st2/ledger.sqlite", f"{hidden or 'st2'}/hidden.txt", "a/b/page",
            )
        ):  # fmt: skip
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            if name.endswith("sock") and listening.getsockname() == "":
                listening.bind(str(root / name))
                listening.listen()
            elif not name.endswith(("sock", "page")):
                (root / name).write_text("SECRET")
        terms = CommandTerms(
            shown=(root / shown,) if shown else (), hidden=(root / hidden,) if hidden else ()
        )
        try:
            found = _ran(LOOKS, f"cmd:{root / agent}", place, terms, place)
        except DrrError:
            return None
        return ", ".join(found) or None


ASKS = """#!/usr/bin/env python3
import ctypes, json, socket, sys
kind, number, *words = json.load(sys.stdin)
libc = ctypes.CDLL(None, use_errno=True)
if kind == "socket":
    made = libc.socket(number, *words)
else:
    made = libc.syscall(ctypes.c_long(number), *map(ctypes.c_long, words))
print(json.dumps([made, ctypes.get_errno()]))
"""
_CLOSED = {248: "add_key", 249: "request_key", 250: "keyctl", 298: "perf_event_open", 321: "bpf", 323: "userfaultfd", 425: "io_uring_setup",
           426: "io_uring_enter", 427: "io_uring_register"}  # fmt: skip


def _doors(chance: Random) -> Iterator[tuple[Any, ...]]:
    while True:
        words = [chance.choice([0, 1, 2, 3, -1, -3, 2**31 - 1]) for _ in range(5)]
        family = chance.choice([number for number in range(-1, 50) if number not in (1, 2, 10)])
        number = chance.choice(sorted(_CLOSED))
        twice = number | (1 << 30)
        yield chance.choice([("socket", family, chance.choice([1, 2, 3, 5]), chance.randint(0, 40)), ("call", number, *words), ("call", twice, *words)])  # fmt: skip


def _door_opens(given: tuple[Any, ...]) -> str | None:
    with tempfile.TemporaryDirectory() as place:
        made, problem = _ran(ASKS, f"cmd:{place}/agent", place, CommandTerms(), given)
    closed = 97 if given[0] == "socket" else 1
    return None if made < 0 and problem == closed else f"made {made}, errno {problem}"


def _paths(chance: Random) -> Iterator[str]:
    while True:
        yield "/" + mixed(
            chance, ["/", "\\", "%5C", "%2F", "evil.example", "@", ":", "//", ".", "%09", "a"], 8
        )


@cache
def _client() -> TestClient:
    return TestClient(
        guarded(Starlette(), lambda: {"t"}, 8123), base_url="http://127.0.0.1:8123", follow_redirects=False
    )


def _leads_away(path: str) -> str | None:
    try:
        to = _client().get(f"http://127.0.0.1:8123{path}", params={"token": "t"}).headers.get("location", "/")
    except (ValueError, OSError):
        return None
    return None if to.startswith("/") and to[1:2] not in ("/", "\\") else to


def _ports(chance: Random) -> Iterator[tuple[int, str]]:
    while True:
        parts = [
            "/", "//", path_of_token("u"), path_of_token("t")[:-1], "/index.html", "/static/look.css", "?token=t",
            "..", "%2e", "0",
        ]  # fmt: skip
        yield chance.randint(1, 65535), "/" + mixed(chance, parts, 6)


def _cookie_goes(given: tuple[int, str]) -> str | None:
    port, path = given
    client = _client()
    client.get("/", params={"token": "t"})
    assert "cookie" in client.build_request("GET", f"{path_of_token('t')}/").headers
    told = client.build_request("GET", f"http://127.0.0.1:{port}{path}").headers.get("cookie")
    return None if told is None else f"sends {told}"


_INSTEAD: dict[str, Callable[[Path, Path], object]] = {
    "link": lambda path, to: path.symlink_to(to),
    "link to what is there": lambda path, to: path.symlink_to(to / path.name),
    "link to nothing": lambda path, to: path.symlink_to(to / "nothing"),
    "link to a device": lambda path, to: path.symlink_to("/dev/zero"),
    "link to itself": lambda path, to: path.symlink_to(path.name),
    "pipe": lambda path, to: os.mkfifo(path),
}


def _folders(chance: Random) -> Iterator[tuple[str, int, str, str]]:
    while True:
        yield (
            chance.choice(["shop", "task"]),
            chance.randrange(1_000),
            chance.choice(["", "x", ".x", "x.lock"]),
            chance.choice([*_INSTEAD]),
        )


@cache
def _whole() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="drr-tries-"))
    finalize(_whole, shutil.rmtree, folder, ignore_errors=True)
    write_shop(str(folder / "shop"), Settings())
    write_known_task(folder / "task")
    return folder


def _folder_is_read(given: tuple[str, int, str, str]) -> str | None:
    kind, number, beside, instead = given
    with tempfile.TemporaryDirectory() as place:
        shutil.copytree(_whole() / kind, Path(place, kind))
        there = sorted(
            path
            for path in Path(place, kind).rglob("*")
            if kind == "task" or path.parent.name != "shop" or path.is_file()
        )
        path = there[number % len(there)]
        if beside:
            path = (
                path.parent / beside
                if path.parent.name != "shop"
                else next(Path(place, kind).glob("data-*")) / beside
            )
        else:
            path.rename(Path(place, path.name))
        _INSTEAD[instead](path, Path(place))
        try:
            if kind == "shop":
                open_shop(str(Path(place, kind)), Settings()).close()
            else:
                open_tasks(Path(place, kind))
        except DrrError:
            return None
        return f"{path.relative_to(place)} is followed"


AREAS = [
    Area("journals", "opening a study deletes a file, or a ledger with a journal is opened", _journals, _journal_deletes, 400),
    Area("bit flips", "a ledger with one flipped bit is read otherwise, and nothing is said", _flips, _flip_is_silent, 1_000),
    Area("statements", "a ledger with a statement of others is opened", _statements, _statement_is_taken, 300),
    Area("settings", "a small TOML file is deep or takes long", _tomls, _toml_is_dear, 300),
    Area("keys twice", "a line is read in which a key stands twice", _twice, _twice_is_taken, 500),
    Area("sight", "a contained command reads a key, another study, what is hidden, or reaches a socket", _projects, _sees_a_secret, 200),
    Area("kernel doors", "a contained command's call is let through", _doors, _door_opens, 200),
    Area("redirects", "a token leads a browser to another host", _paths, _leads_away, 400),
    Area("ports", "the server of another port is sent the cookie of our pages", _ports, _cookie_goes, 400),
    Area("entries", "a link or a pipe in a study is opened, or what it leads to goes into a bundle", _entries, _entry_is_read, 150),
    Area("folders", "a shop or a task is read in which a link leads out or a pipe is waited for", _folders, _folder_is_read, 300),
]  # fmt: skip
