"""What a contained command sees beside the files that it names: no keys, no study, no socket, wherever it lies itself."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from drr.agents.commands.command import Command, CommandTerms, search_path
from drr.agents.commands.process import sandbox_for
from drr.agents.commands.sight import why_not_contained
from drr.env.errors import Misuse

from tests.sources import SRC

pytestmark = pytest.mark.skipif(why_not_contained() is not None, reason="this system contains no program")
LOOKS = """#!/usr/bin/env python3
import json, os, socket, sys
def how(path):
    try:
        with socket.socket(socket.AF_UNIX) as one:
            one.connect(path)
            return "reached"
    except OSError:
        pass
    if os.path.isdir(path):
        return sorted(os.listdir(path))
    try:
        with open(path) as file:
            return file.read()
    except OSError:
        return None
print(json.dumps({path: how(path) for path in json.load(sys.stdin)}))
"""


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Path]:
    """A folder as one works in: an agent in `bin`, keys, a study with an agent of its own, and a program that listens."""
    for place in ("bin", "st2/bin", "data/old", ".env.d"):
        (tmp_path / place).mkdir(parents=True)
    for name in ("bin/agent", "st2/bin/agent", "agent"):
        (tmp_path / name).write_text(LOOKS)
        (tmp_path / name).chmod(0o755)
    for name in (".env", ".env.local", "drr.toml", "data/.env", "st2/ledger.sqlite", "st2/study.toml", "data/old/study.toml", "data/page.txt"):  # fmt: skip
        (tmp_path / name).write_text("SECRET")
    (tmp_path / "data" / "page.txt").write_text("a page")
    os.mkfifo(tmp_path / "data" / "pipe")
    before = Path.cwd()
    with socket.socket(socket.AF_UNIX) as listening:
        os.chdir(tmp_path)
        try:
            listening.bind("data/agent.sock")  # a short name: its length is limited
            listening.listen()
            yield tmp_path
        finally:
            os.chdir(before)


async def seen(word: str, paths: list[Path], terms: CommandTerms) -> Mapping[Path, object]:
    """What the command finds at these paths; it is told them, it does not name them."""
    async with sandbox_for(Command.of(word), terms) as place:
        ended = await place.run({"PATH": search_path()}, json.dumps([str(path) for path in paths]), 30)
    return dict(zip(paths, json.loads(ended.report).values(), strict=True))


def secrets(project: Path) -> list[Path]:
    names = (".env", ".env.local", "drr.toml", "data/.env", "data/old/study.toml", "st2/study.toml", "st2/ledger.sqlite", "data/agent.sock")  # fmt: skip
    return [project / name for name in names]


@pytest.mark.parametrize("word", ["cmd:./agent", "cmd:./bin/agent", "cmd:./st2/bin/agent"])
async def test_a_command_sees_its_own_file_and_nothing_beside_it(project: Path, word: str) -> None:
    found = await seen(
        word, [*secrets(project), project / "data" / "page.txt"], CommandTerms(hidden=(project / "st2",))
    )
    assert not any(found.values()), found


@pytest.mark.parametrize("word", ["cmd:./agent", "cmd:./bin/agent", "cmd:./st2/bin/agent"])
@pytest.mark.parametrize("hidden", [True, False], ids=["this study", "another study"])
async def test_of_a_shown_folder_keys_stay_hidden(project: Path, word: str, hidden: bool) -> None:
    terms = CommandTerms(shown=(project,), hidden=(project / "st2",) if hidden else ())
    found = await seen(word, [*secrets(project), project / "data" / "page.txt", project / "st2"], terms)
    assert found.pop(project / "data" / "page.txt") == "a page"
    assert found.pop(project / "st2") == (["bin"] if "st2" in word else [])
    assert not any(found.values()), found


async def test_a_pipe_of_others_is_not_written_to(project: Path) -> None:
    found = await seen("cmd:./agent", [project / "data" / "pipe"], CommandTerms(shown=(project,)))
    assert found == {project / "data" / "pipe": ""}, "an empty file stands there"


def too_deep(data: Path) -> None:
    at = os.open(data, os.O_RDONLY)
    for _ in range(30):
        os.mkdir("d" * 200, dir_fd=at)
        at, above = os.open("d" * 200, os.O_RDONLY, dir_fd=at), at
        os.close(above)
    os.close(at)


def linked_and_named_again(data: Path) -> None:
    (data / ".env").rename(data / "real")
    (data / ".env").symlink_to("real")
    (data / "other").hardlink_to(data / "real")


@pytest.mark.parametrize(
    ("shown", "before", "told"),
    [
        *((name, None, "no agent may see") for name in (".env", "drr.toml", "st2", "st2/bin", "st2/ledger.sqlite", "data/agent.sock")),
        *((name, None, f"{name} is made anew for each command") for name in ("/dev", "/proc")),
        ("data", lambda data: (data / "plain.txt").hardlink_to(data.parent / ".env"), "has another name"),
        ("data", lambda data: (data / "plain.txt").hardlink_to(data.parent / "drr.toml"), "has another name"),
        ("data", linked_and_named_again, "has another name"),
        ("data", too_deep, "too deep"),
    ],
)  # fmt: skip
async def test_what_cannot_be_shown_is_misuse(
    project: Path, shown: str, before: Callable[[Path], None] | None, told: str
) -> None:
    if before is not None:
        before(project / "data")
    with pytest.raises(Misuse, match=told):
        await seen("cmd:./agent", [], CommandTerms(shown=(project / shown,)))


async def test_a_link_to_keys_in_a_folder_that_is_shown_hides_them(project: Path) -> None:
    keys = project / "data" / "plain.txt"
    (project / ".env").rename(keys)
    (project / ".env").symlink_to(keys)
    found = await seen("cmd:./agent", [keys, project / ".env"], CommandTerms(shown=(project / "data",)))
    assert not any(found.values()), found


async def test_a_project_with_the_marks_of_an_installation_is_not_shown(project: Path) -> None:
    (project / "pyvenv.cfg").touch()
    (project / "credentials.json").write_text("SECRET")
    found = await seen(
        "cmd:./bin/agent", [project / "credentials.json", project / "data" / "page.txt"], CommandTerms()
    )
    assert not any(found.values()), found


async def test_a_file_that_is_mounted_in_a_folder_is_not_shown(project: Path) -> None:
    other = project / "data" / "with space.txt"
    other.touch()
    mounted = subprocess.run(["mount", "--bind", project / ".env", other], capture_output=True, check=False)
    if mounted.returncode:
        pytest.skip("this user mounts nothing")
    try:
        found = await seen("cmd:./agent", [other], CommandTerms(shown=(project / "data",)))
    finally:
        subprocess.run(["umount", other], check=True)
    assert not found[other]


@pytest.mark.parametrize("mark", ["pyvenv.cfg", "lib/python3.12/site.py", "lib/node_modules/x/package.json"])
async def test_an_installation_is_shown_whole_but_for_keys(project: Path, mark: str) -> None:
    """Those in its own folders are hidden, too."""
    kept = [project / name for name in ("bin/.env", "lib/x/.env", "share/a/drr.toml", "lib/old/study.toml")]
    for path in (*kept, project / mark):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("SECRET" if path in kept else "installed")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("bin/a.sock")
        listening.listen()
        paths = [*secrets(project), *kept, project / "bin" / "a.sock", project / mark]
        found = await seen("cmd:./bin/agent", paths, CommandTerms())
    assert found.pop(project / mark) == "installed"
    assert not any(found.values()), found


TELLS = """#!/usr/bin/env python3
import importlib, json, os, subprocess, sys
import drr
import drr.app.session
from drr.wording.excerpt import excerpt
found = {"runs": excerpt("a b", 9), "read": []}
for name in ("querygen.composing", "querygen.builtin", "data_ingest.fresh", "data_ingest.sample", "papers.dr3.making"):
    try:
        found["read"] += [path for path in [importlib.import_module(f"drr.{name}").__file__] if path]
    except ImportError:
        pass
for place in json.load(sys.stdin):
    found["read"] += [name for above, _, names in os.walk(place) for name in names if name.endswith("l") and open(os.path.join(above, name)).read()]
made = subprocess.run(["drr", "shop", "make", "--seed", "41", "--out", "/tmp/made"], capture_output=True, text=True)
found["made"] = [made.returncode == 0, os.path.exists("/tmp/made/queries.jsonl")]
called = subprocess.run(["drr", "tools", "call", "--help"], capture_output=True, text=True)
found["calls"] = called.returncode
print(json.dumps(found))
"""


@pytest.mark.parametrize("shown", [False, True], ids=["", "with the checkout shown"])
async def test_what_tells_the_answers_of_public_sets_is_not_in_its_view(project: Path, shown: bool) -> None:
    """Neither their seeds and questions nor what makes them again; an agent that imports drr runs all the same."""
    from drr.querygen.builtin import FILE

    (project / "agent").write_text(TELLS)
    asked = project / "data" / "queries.jsonl"
    asked.write_text("SECRET")
    terms = CommandTerms(shown=(SRC / "querygen", project / "data") if shown else (), hidden=(asked,))
    given = json.dumps([str(FILE.parent), str(asked.parent)])
    async with sandbox_for(Command.of(f"cmd:{sys.executable} ./agent"), terms) as place:
        ended = await place.run({"PATH": search_path()}, given, 120)
    found = json.loads(ended.report or json.dumps(str(b"".join(place.errors))))
    assert found == {"runs": "a b", "read": [], "made": [False, False], "calls": 0}
