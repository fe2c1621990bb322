"""Completion in real shells: what a user is offered is what the parsers know."""

from __future__ import annotations

import os
import pty
import re
import select
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest
from drr.app.commands.completion import SHELLS, WordPlace, command_places, fish
from drr.app.commands.table import top_level_words

from tests.commands import Drr


@pytest.fixture(scope="module")
def places() -> dict[str, WordPlace]:
    return command_places()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, places: dict[str, WordPlace]) -> Path:
    made = tmp_path_factory.mktemp("completion")
    for shell, written in SHELLS.items():
        (made / f"drr.{shell}").write_text(written(places), "utf-8")
    (made / "study-of-mine").mkdir()
    return made


CASES = [
    (["sho"], {"shop"}, set()),
    (["shop", ""], {"info", "users", "search"}, {"run"}),
    (["shop", "users", "--js"], {"--json"}, {"--json-lines"}),
    (["help", "jud"], {"judge", "judges"}, {"shop"}),
    (["study", "ex"], {"export"}, {"status"}),
    (["env", "completion", ""], {"bash", "zsh", "fish"}, set()),
    (["data", "ingest", "raw", "--pick", ""], {"meta-prefix", "review-prefix"}, {"--json"}),
    (["check", "--sh"], {"--shop", "--shop-url"}, {"--statuses"}),
    (["judges", "check", "--sh"], {"--shop", "--shop-url"}, {"--statuses"}),
]


def _bash(folder: Path, words: list[str]) -> set[str]:
    script = f'source {folder / "drr.bash"}; COMP_WORDS=(drr "$@"); COMP_CWORD=$#; _drr; printf \'%s\\n\' "${{COMPREPLY[@]}}"'
    return _lines(["bash", "--norc", "-c", script, "bash", *words], folder)


def _fish(folder: Path, words: list[str]) -> set[str]:
    line = " ".join(["drr", *words])
    script = f"source {folder / 'drr.fish'}; complete -C {line!r}"
    return {one.split("\t")[0] for one in _lines(["fish", "--no-config", "-c", script], folder)}


def _zsh(folder: Path, words: list[str]) -> set[str]:
    """`_describe`, `compadd` and `_files` note what they are given: a real completion needs a terminal."""
    script = (
        f"compdef() {{ : }}; source {folder / 'drr.zsh'};"
        "_describe() { local name=${@[-1]}; print -l -- ${${(P)name}%%:*} };"
        "compadd() { shift; print -l -- $@ }; _files() { print -l -- * };"
        'words=(drr "$@"); CURRENT=$#words; _drr'
    )
    shown = _lines(["zsh", "-f", "-c", script, "zsh", *words], folder)
    return {one for one in shown if one.startswith(words[-1])}


def _lines(command: list[str], folder: Path) -> set[str]:
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, timeout=30, check=True)
    assert done.stderr == ""
    return set(done.stdout.split("\n")) - {""}


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize(("words", "there", "not_there"), CASES)
def test_a_shell_offers_what_the_parsers_know(
    folder: Path, shell: str, words: list[str], there: set[str], not_there: set[str]
) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"no {shell} here")
    offered = {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell](folder, words)
    assert there <= offered
    assert not not_there & offered
    assert all(one.startswith(words[-1]) for one in offered)


STARTED = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], "source drr.bash"),
    "zsh": (["zsh", "-f", "-i"], "autoload -U compinit; compinit -u -D; source drr.zsh"),
    "fish": (["fish", "--no-config", "-i"], "source drr.fish; function fish_prompt; printf '$ '; end"),
}


@pytest.mark.long
@pytest.mark.parametrize("shell", SHELLS)
def test_tab_completes_in_a_real_terminal(folder: Path, shell: str) -> None:
    """Typed as a person types: `drr sho`, Tab, ` us`, Tab; the shell runs what then stands there."""
    if shutil.which(shell) is None:
        pytest.skip(f"no {shell} here: install Debian's `{shell}` to try it")
    program = folder / "bin" / "drr"
    program.parent.mkdir(exist_ok=True)
    program.write_text("#!/bin/sh\nprintf 'asked for <%s>\\n' \"$*\"\n", "utf-8")
    program.chmod(0o755)
    command, sourced = STARTED[shell]
    place = {
        "PATH": f"{program.parent}:{os.environ['PATH']}",
        "HOME": str(folder),
        "TERM": "xterm",
        "PS1": "$ ",
    }
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(folder)
        os.execvpe(command[0], command, place)
    try:
        _typed(terminal, f"{sourced}\r", "$ ")
        _typed(terminal, "drr sho\t", "shop")
        _typed(terminal, "us\t", "users")
        _typed(terminal, "\r", "asked for <shop users>")
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(terminal)


def _typed(terminal: int, keys: str, shown: str) -> None:
    """What is typed, and what must then be seen; a shell that has just started takes its time."""
    os.write(terminal, keys.encode())
    seen, until = "", time.monotonic() + 20
    while shown not in seen:
        assert time.monotonic() < until, f"{shown!r} did not show: {seen!r}"
        if select.select([terminal], [], [], 0.5)[0]:
            seen += re.sub(
                r"\x1b\[[0-9;?]*[a-zA-Z]", "", os.read(terminal, 65_536).decode("utf-8", "replace")
            )


def test_every_command_and_option_is_known(places: dict[str, WordPlace], drr: Drr, folder: Path) -> None:
    assert set(places[""].words) == {*(row.name for row in top_level_words()), "help"}
    assert {"info", "users"} <= set(places["shop"].words)
    assert all(
        {"--help", "--quiet", "--wide"} <= set(spot.options)
        for spot in places.values()
        if not spot.words and spot.options
    )
    hostile = {"": WordPlace({"a'b$(touch x)`": "it's \\ here"}, {"--o'": "x"}, {"--o'": ["$(y)"]})}
    assert "'a\\'b$(touch x)`'" in fish(hostile)
    assert "did you mean bash" in drr.err("completion", "bsh")
    assert _bash(folder, ["status", "stu"]) == set()
    assert _bash(folder, ["run", "study", "--shop", ""]) == set()
    assert "complete -o default" in (folder / "drr.bash").read_text("utf-8")
