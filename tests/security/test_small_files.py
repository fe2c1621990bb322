"""Small files of strangers cost what a small file costs, however large or deep they were made."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from drr.env.bounded import DEEPEST, read_toml

from tests.commands import Drr
from tests.security.test_names import plan_with

New = Callable[..., list[str]]
SPARSE = 4_300_000_000
_CODE = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
from drr.app.cli import main
sys.exit(main(sys.argv[1:]))
"""


def limited(*words: object) -> tuple[int, str]:
    """The command in a process of its own, with little memory and little time."""
    told = [str(word) for word in words]
    done = subprocess.run([sys.executable, "-c", _CODE, *told], capture_output=True, text=True, timeout=60, check=False)  # fmt: skip
    return done.returncode, done.stderr


def sparse(path: Path) -> None:
    with path.open("ab") as file:
        file.truncate(SPARSE)


def dotted(path: Path) -> None:
    path.write_text(".".join("a" * 50_000) + " = 1\n")


def long_line(path: Path) -> None:
    path.write_text(f'{{"query": "{"x" * 20_000_000}"}}\n')


def many_lines(path: Path) -> None:
    path.write_bytes(b"\n" * 6_000_000)


@pytest.fixture
def study(drr: Drr, new: New) -> Path:
    assert drr("run", *new(), "--quiet")[0] == 0
    return Path("study")


def many_parts(path: Path) -> None:
    path.write_text('{"query": "x", "user_id": "u", "exclusions": [' + "[[]]," * 600_000 + "[]]}\n")


FILES: list[tuple[str, tuple[object, ...], tuple[Callable[[Path], None], ...]]] = [
    ("study/study.toml", ("status", "study"), (sparse, dotted)),
    ("drr.toml", ("env", "settings"), (sparse, dotted)),
    ("study/queries.jsonl", ("run", "study", "--dry-run"), (sparse, long_line, many_lines, many_parts)),
    ("study/annotation/plan.json", ("annotate", "study", "--export", "labels.jsonl"), (sparse,)),
    ("reports.jsonl", ("import", "new", "reports.jsonl"), (sparse, long_line, many_lines)),
    ("labels.jsonl", ("agreement", "study", "--human", "labels.jsonl"), (sparse, long_line)),
    ("web/documents.jsonl", ("run", "study", "--dry-run", "--sandbox", "web"), (sparse, long_line)),
    ("shop/manifest.json", ("shop", "info", "shop"), (sparse,)),
    ("report.md", ("check", "report.md"), (sparse,)),
]
CASES = [
    pytest.param(name, words, make, id=f"{name} {make.__name__}")
    for name, words, made in FILES
    for make in made
]


@pytest.mark.long
@pytest.mark.parametrize(("name", "words", "make"), CASES)
def test_what_is_too_large_or_too_deep_is_said_at_once(
    study: Path, name: str, words: tuple[object, ...], make: Callable[[Path], None]
) -> None:
    Path(name).parent.mkdir(exist_ok=True)
    if name.endswith("plan.json"):
        Path(name).write_text(json.dumps(plan_with("ann")))
    make(Path(name))
    code, err = limited(*words)
    assert code in (1, 2), err
    assert err.startswith("drr: ") and name.rpartition("/")[2] in err and err.count("\n") == 1, err


@pytest.mark.parametrize(
    "text",
    [
        ".".join("a" * DEEPEST + "b") + " = 1",
        "[" + " . ".join("a" * DEEPEST + "b") + "]",
        "x = {" + ".".join(['"a"'] * DEEPEST + ["b"]) + " = 1}",
        "x = " + "[" * 20_000,
        "x = " + "{a=" * 20_000,
    ],
)
def test_keys_and_tables_go_only_so_deep(tmp_path: Path, text: str) -> None:
    file = tmp_path / "a.toml"
    file.write_text(text)
    with pytest.raises(ValueError, match=r"parts|within tables|Unclosed|Invalid"):
        read_toml(file)


def test_what_people_write_is_read(tmp_path: Path) -> None:
    text = (
        'a.b.c = "Yes. No. 1.2.3.4.5 www.a.b.c.example ..... ' + "word. " * 20 + '"\n[d.e]\nf = [1.5, 2.5]\n'
    )
    (tmp_path / "a.toml").write_text(text)
    assert read_toml(tmp_path / "a.toml")["d"] == {"e": {"f": [1.5, 2.5]}}


@pytest.mark.parametrize("deep", [300, 900, 5_000])
def test_a_line_that_is_nested_deep_is_refused(drr: Drr, deep: int) -> None:
    """Python 3.12 and later parse what no writer of ours can write again."""
    line = {
        "id": "1", "system": "s", "query": "which?", "report_markdown": "None.",
        "tool_calls": [{"arguments": {"a": "DEEP"}}],
    }  # fmt: skip
    Path("reports.jsonl").write_text(json.dumps(line).replace('"DEEP"', "[" * deep + "]" * deep) + "\n")
    code, _, err = drr("import", "new", "reports.jsonl", "--quiet")
    assert code == 2 and "nested more than" in err and err.count("\n") == 1, err


def test_a_pipe_of_the_user_is_read(drr: Drr, tmp_path: Path) -> None:
    """`drr study import study <(zcat ...)`."""
    line = {"id": "1", "system": "s", "query": "which?", "report_markdown": "None."}
    reading, writing = os.pipe()
    os.write(writing, json.dumps(line).encode())
    os.close(writing)
    assert drr("import", "piped", f"/dev/fd/{reading}", "--quiet")[0] == 0


def test_a_name_of_a_system_stands_on_one_line(drr: Drr) -> None:
    row = {"system": "ours\n4 of 4 reports are new", "query": "x", "report_markdown": "y"}
    Path("reports.jsonl").write_text(json.dumps(row) + "\n")
    code, _, err = drr("import", "new", "reports.jsonl")
    assert code == 2 and "a name stands on one line" in err, err
    Path("reports.jsonl").write_text(json.dumps(row | {"system": "s" * 201}) + "\n")
    assert drr("import", "new", "reports.jsonl")[0] == 2


def test_documents_of_a_web_are_plain_files(drr: Drr, tmp_path: Path) -> None:
    (tmp_path / "pages").mkdir()
    os.mkfifo(tmp_path / "pages" / "a.md")
    code, _, err = drr("web", "build", "pages", "--out", "web")
    assert code in (1, 2) and "a.md" in err and "plain file" in err
    (tmp_path / "pages" / "a.md").unlink()
    (tmp_path / "private.md").write_text("---\nurl: https://a.example\ntitle: b\n---\nsecret\n")
    (tmp_path / "pages" / "a.md").symlink_to(tmp_path / "private.md")
    assert drr("web", "build", "pages", "--out", "web")[0] in (1, 2)


def test_a_recording_with_nothing_in_it_is_shown(drr: Drr, tmp_path: Path) -> None:
    (tmp_path / "rec" / "searches").mkdir(parents=True)
    (tmp_path / "rec" / "searches" / "a.json").write_text("{}")
    code, out, _ = drr("web", "replay", "rec")
    assert code == 0 and "1 searches" in out


def test_a_link_in_a_circle_is_said(drr: Drr, tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    code, _, err = drr("import", "new", "loop")
    assert code in (1, 2) and err.startswith("drr: ") and "loop" in err
