"""A terminal obeys nobody whose text is printed: not a file, not a page, not a model, not a name."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest
from drr.app import cli
from drr.app.terminal import Screen, plain, screened, shown, unscreened_stream
from hypothesis import given
from hypothesis import strategies as st

from tests.agents.garden import ANNA
from tests.commands import Drr
from tests.wire import Wire, looked

ESCAPES = [
    "\x1b[2J", "\x1b]0;title\x07", "\x1b]8;;http://evil.example\x1b\\", "\x1b]52;c;cm0gLXJm\x07", "\x1bP+q544e\x1b\\", "\x9b31m",
    "\x90q\x9c", "\x08\x08\x08", "\rdrr: done", "\x07", "\x7f", "\u202edone\u202c", "\u2066x\u2069", "\x0e", "\x05",
]  # fmt: skip
OBEYED = re.compile("[\x00-\x08\x0b-\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]|\r(?!\n)")


@given(st.text() | st.lists(st.sampled_from([*ESCAPES, "a", "\n", "\t", "é", "\ud800"])).map("".join))
def test_what_is_shown_is_obeyed_by_no_terminal_and_tells_what_it_was(text: str) -> None:
    out = shown(text)
    assert not OBEYED.search(out)
    out.encode()
    assert shown(out) == out
    assert json.loads(f'"{shown(json.dumps(text, ensure_ascii=False)[1:-1])}"') == text
    assert "\n" not in plain(text)


@given(st.text("abc äöü€\n\t0123[]{}\"'\\;🙂"))
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert shown(text) == text


def test_a_screen_is_its_stream_in_all_else(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = StringIO()
    monkeypatch.setattr(sys, "stdout", stream)
    with screened(), screened():
        print("a\x1b[2Jb", file=sys.stdout)
        sys.stdout.writelines(["\x9b1m", "\r\n"])
        assert sys.stdout.isatty() is False
        assert unscreened_stream(sys.stdout) is stream
    assert sys.stdout is stream
    assert stream.getvalue() == "a\\u001b[2Jb\n\\u009b1m\r\n"
    assert isinstance(Screen(stream).getvalue(), str)


def _hostile(box: Path, tmp_path: Path, escape: str) -> tuple[Path, Path]:
    """A report and a folder of questions whose every text holds the escape."""
    report = tmp_path / "report.md"
    report.write_text(
        f"# A{escape}\n\nIt costs $19.99 {escape} [1].\n\n[1] {escape}: http://x.example/{escape}\n"
    )
    queries = tmp_path / "queries.jsonl"
    line = {"query": f"Which {escape} house?", "user_id": f"NOBODY{escape}"}
    queries.write_text(json.dumps(line) + "\n")
    return report, queries


@pytest.mark.parametrize("escape", ["\x1b]0;owned\x07", "\x9b2J", "\r\u202e"])
def test_no_command_sends_what_a_file_or_a_name_holds(
    drr: Drr, new: Callable[..., list[str]], box: Path, tmp_path: Path, escape: str
) -> None:
    report, queries = _hostile(box, tmp_path, escape)
    assert drr("run", *new(), "--quiet")[0] == 0
    imported = tmp_path / "import.jsonl"
    evidence = [{"url": "http://x.example/", "type": "web", "text": escape}]
    row = {"id": "a", "system": "theirs", "query": f"Which{escape} house?", "evidence": evidence}
    row["report_markdown"] = report.read_text()
    imported.write_text(json.dumps(row) + "\n")
    calls: list[tuple[object, ...]] = [
        ("check", report, "--shop", box / "shop"),
        ("check", report, "--json"),
        ("check", f"no{escape}file"),
        ("run", "other", "--queries", queries, "--shop", box / "shop"),
        ("shop", "search", box / "shop", f"feeder {escape}"),
        ("shop", "info", f"no{escape}shop"),
        ("tools", "call", f"no{escape}tool", "--shop", box / "shop"),
        ("tools", "call", "calculator", "--shop", box / "shop", "--args", json.dumps({"expression": escape})),
        ("ask", f"Which {escape} house?", "--user", f"x{escape}", "--shop", box / "shop"),
        ("queries", "check", queries),
        ("import", "theirs", imported),
        ("study", "trace", "theirs"),
        ("study", "trace", "theirs", escape),
        ("status", "theirs", "--json"),
        ("judge", "theirs", "--judge", "offline", "--what", "quality"),
        ("report", "theirs"),
        ("compare", "theirs", escape, "b"),
        (escape,),
        ("env", "settings", escape),
    ]  # fmt: skip
    for words in calls:
        _, out, err = drr(*words)
        assert not OBEYED.search(out + err), words
        assert "Traceback" not in err


def test_what_a_model_writes_is_shown(drr: Drr, box: Path) -> None:
    with Wire(lambda request: looked(request, "Nothing \x1b]0;owned\x07 was\x9b found.")) as wire:
        where = ("--shop", box / "shop", "--user", ANNA, "--variant", "react")
        model = ("--model", "openai:mine", "--base-url", f"{wire.url}/v1")
        code, out, err = drr("ask", "Which house?", *where, *model)
        assert code == 0, err
        assert "Nothing \\u001b]0;owned\\u0007 was\\u009b found." in out
        assert not OBEYED.search(out + err)


def test_there_is_no_way_past_the_screen() -> None:
    """Whoever prints by other means than `print` and `sys.stdout` would send what strangers wrote."""
    source = Path(cli.__file__).parents[1]
    for path in source.rglob("*.py"):
        if path == source / "env" / "drawer" / "worker.py":
            continue  # its standard output is a pipe to its parent, never a screen
        text = path.read_text(encoding="utf-8")
        way = r"\bos\.write\(\s*[12]\b|sys\.__std(?:out|err)__|std(?:out|err)\.buffer"
        assert not re.search(way, text), path
