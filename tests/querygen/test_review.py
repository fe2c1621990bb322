"""Review at a terminal: every decision is on disk at once, and an interrupted review loses nothing."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
from pathlib import Path

import pytest
from drr.env.constraints import parse_constraints
from drr.env.errors import DrrError
from drr.env.query import Query, query_id, read_queries
from drr.querygen.review import RowReview, Terminal

from tests.commands import Drr

NEW = "Which of your bird feeders would you take for under $45 in total, and how is it washed?"


@pytest.fixture
def file(queries: list[Query], tmp_path: Path) -> Path:
    path = tmp_path / "q.jsonl"
    path.write_text("".join(query.model_dump_json() + "\n" for query in queries[:4]), encoding="utf-8")
    return path


def typed(file: Path, *lines: str, more: tuple[str, ...] = ()) -> str:
    """The command as a person runs it, keys from standard input."""
    words = [sys.executable, "-m", "drr.app.cli", "queries", "review", str(file), "--reviewer", "Ada", *more]
    done = subprocess.run(words, input="".join(f"{line}\n" for line in lines), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


@pytest.mark.long
def test_accept_reject_edit_and_resume(file: Path) -> None:
    before = read_queries(file)
    told = typed(file, "a", "r", "too vague", "q")
    assert "2 left" in told
    assert before[0].query in told
    first, second, third, _ = read_queries(file)
    assert (first.review.status, first.review.reviewer) == ("accepted", "Ada")
    assert second.review.status == "rejected"
    assert second.review.history[-1]["reason"] == "too vague"
    assert third.review.status == "unreviewed"

    told = typed(file, "e", NEW, "a", "n")
    assert before[0].query not in told
    third = read_queries(file)[2]
    assert third.query == NEW
    assert third.id == query_id(NEW, third.user_id)
    assert third.constraints == parse_constraints(NEW)
    assert third.review.status == "accepted"
    assert third.review.history[0]["query"] == before[2].query
    assert third.review.history[0]["id"] == before[2].id
    assert [entry["reviewer"] for entry in third.review.history] == ["Ada", "Ada"]


@pytest.mark.long
def test_input_that_ends_loses_nothing(file: Path) -> None:
    before = read_queries(file)
    typed(file, "a", "e")
    after = read_queries(file)
    assert after[0].review.status == "accepted"
    assert after[1:] == before[1:]


def test_back_wrong_keys_and_what_the_checks_say(file: Path, shop_folder: Path, queries: list[Query]) -> None:
    broken = queries[0].model_copy(update={"tools": ["oracle"]})
    file.write_text(broken.model_dump_json() + "\n" + queries[1].model_dump_json() + "\n", encoding="utf-8")
    told = typed(file, "x", "n", "b", "q", more=("--shop", str(shop_folder)))
    assert "FAILS tools" in told
    assert "is no key" in told
    assert told.count("1 of 2") == 3


@pytest.mark.parametrize("name", ["none", "model:claude", " "])
def test_only_a_person_reviews(file: Path, name: str, drr: Drr) -> None:
    assert "name of the person" in drr.err("queries", "review", file, "--reviewer", name)


def test_a_file_that_somebody_else_changed_is_not_overwritten(file: Path, queries: list[Query]) -> None:
    keys = iter(["a", "a"])
    told: list[str] = []

    def ask(prompt: str, draft: str) -> str:
        key = next(keys)
        if told.count("second"):
            file.write_text(queries[3].model_dump_json() + "\n", encoding="utf-8")
        told.append("second")
        return key

    terminal = Terminal(ask=ask, show=lambda text: None, now=lambda: "2023-09-15T00:00:00+00:00")
    with pytest.raises(DrrError, match="changed by somebody else"):
        RowReview(file, read_queries(file), "Ada", terminal, lambda query: []).run()
    assert [query.id for query in read_queries(file)] == [queries[3].id]


@pytest.mark.long
def test_an_edit_starts_from_the_text_as_it_is(file: Path) -> None:
    """In a real terminal: an addition is typed, not the whole question again; Ctrl-C leaves it on disk."""
    before = read_queries(file)[0]
    words = [sys.executable, "-m", "drr.app.cli", "queries", "review", str(file), "--reviewer", "Ada"]
    pid, terminal = pty.fork()
    if pid == 0:  # where TERM is not set, a long line scrolls the prompt out of sight
        os.execve(sys.executable, words, {**os.environ, "TERM": "xterm"})

    def until(mark: bytes, again: bytes = b"") -> bytes:
        """What is asked `again` may fall between a prompt and its reader, where a key press does nothing yet."""
        seen, left = b"", 30
        while mark not in seen:
            while not select.select([terminal], [], [], 2)[0]:
                left -= 1
                assert left, f"no {mark!r} in {seen!r}"
                os.write(terminal, again)
            try:
                piece = os.read(terminal, 65536)
            except OSError:  # the other side is closed
                piece = b""
            if not piece:
                break
            seen += piece
        return seen

    until(b"uit > ")
    os.write(terminal, b"e\n")
    until(b"should be > ")
    os.write(terminal, b" Thank you.\n")
    until(b"uit > ")
    os.write(terminal, b"\x03")
    told = until(b"interrupted", again=b"\x03")
    _, status = os.waitpid(pid, 0)
    os.close(terminal)
    assert os.waitstatus_to_exitcode(status) == 130
    assert b"on disk" in told
    after = read_queries(file)[0]
    assert after.query == before.query + " Thank you."
    assert after.review.history[0]["query"] == before.query
