"""Files of others are opened as plain files, small ones whole: no pipe, device or link, and no more than they may hold."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from drr.app.pages.line_file import LineFile
from drr.env.errors import DrrError
from drr.env.small_files import DEEPEST, read_toml
from drr.study import database
from drr.study.export import export
from drr.study.study import Study

from tests.cases import cases
from tests.commands import Drr
from tests.security.test_names import plan_with

New = Callable[..., list[str]]
MAGIC = bytes.fromhex("d9d505f920a163d7")
READING = cases("security", "READING")
LOOKING = (*READING[:5], *READING[-2:], ("judge", "study", "--diff"))
"""The last three are refused for want of a vouched shop or of a judging: a refusal changes nothing either."""


def hot_journal(pages: int, names: bytes = b"") -> bytes:
    """What SQLite takes for the journal of a transaction that was cut off, and where to look for the journal of that."""
    begun = (MAGIC + struct.pack(">5I", 0, 0, pages, 512, 4096)).ljust(512, b"\0")
    if not names:
        return begun
    return begun + struct.pack(">I", 262145) + names + struct.pack(">2I", len(names), sum(names)) + MAGIC


def out_of_wal(ledger: Path) -> int:
    db = sqlite3.connect(ledger)
    db.execute("PRAGMA journal_mode = DELETE")
    (pages,) = db.execute("PRAGMA page_count").fetchone()
    db.close()
    return int(pages)


def test_no_command_deletes_what_a_journal_names(drr: Drr, new: New, tmp_path: Path) -> None:
    assert drr("run", *new(), "--quiet")[0] == 0
    victim, ledger = tmp_path / "thesis.tex", Path("study", "ledger.sqlite")
    victim.write_text("mine")
    journal = hot_journal(out_of_wal(ledger), os.fsencode(victim))
    for words in READING:
        Path("study", "ledger.sqlite-journal").write_bytes(journal)
        code, _, err = drr(*words)
        assert victim.exists(), words
        assert code == 1 and err.startswith("drr: study/ledger.sqlite-journal: "), (words, err)


@pytest.mark.parametrize("content", [b"", hot_journal(1), MAGIC, b"\0" * 512])
def test_a_journal_beside_a_ledger_is_refused_whatever_it_says(tmp_path: Path, content: bytes) -> None:
    Study.create(tmp_path / "study", {"schema": 1}).close()
    (tmp_path / "study" / "ledger.sqlite-journal").write_bytes(content)
    for opened in (Study.open, Study.read, lambda folder: Study.create(folder, {"schema": 1})):
        with pytest.raises(DrrError, match=r"ledger\.sqlite-journal: .*take it away"):
            opened(tmp_path / "study")


@pytest.mark.parametrize("ending", ["", "-wal", "-shm", "-journal"])
@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_nothing_but_plain_files_is_opened(tmp_path: Path, ending: str, make: Callable[[Path], None]) -> None:
    """A pipe that nobody writes to would be waited for without end."""
    Study.create(tmp_path / "study", {"schema": 1}).close()
    place = tmp_path / "study" / f"ledger.sqlite{ending}"
    place.unlink(missing_ok=True)
    make(place)
    with pytest.raises(DrrError):
        Study.open(tmp_path / "study")
    with pytest.raises(DrrError):
        Study.create(tmp_path / "study", {"schema": 1})


@pytest.mark.parametrize("ending", ["", "-wal", "-shm"])
def test_a_ledger_is_not_written_into_a_file_of_elsewhere(tmp_path: Path, ending: str) -> None:
    """An archive brings hard links: GNU tar makes what its entries say."""
    with Study.create(tmp_path / "live", {"schema": 1}) as study:
        study.ledger.set_meta("note", "in the journal only")
        shutil.copytree(tmp_path / "live", tmp_path / "study")
    victim, place = tmp_path / "thesis.txt", tmp_path / "study" / f"ledger.sqlite{ending}"
    os.link(place, victim)
    before = victim.read_bytes()
    for opened in (Study.open, lambda folder: Study.create(folder, {"schema": 1})):
        with pytest.raises(DrrError, match=rf"ledger\.sqlite{ending}: is a hard link.*`cp "):
            opened(tmp_path / "study")
    assert victim.read_bytes() == before and place.samefile(victim)
    aside = place.with_name(f"{place.name}.new")
    shutil.copyfile(place, aside)
    aside.replace(place)
    with Study.open(tmp_path / "study") as study:
        study.ledger.set_meta("note", "goes on")
    assert victim.read_bytes() == before


def test_a_line_is_not_added_to_a_file_of_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "diary").write_text("mine, and half a line")
    os.link(tmp_path / "diary", tmp_path / "marks.jsonl")
    with pytest.raises(DrrError, match="is a hard link"):
        LineFile(tmp_path / "marks.jsonl")
    assert (tmp_path / "diary").read_text() == "mine, and half a line"


@pytest.mark.parametrize("ending", ["jsonl", "parquet"])
@pytest.mark.parametrize("link", [os.link, os.symlink])
def test_tables_stay_out_of_files(tmp_path: Path, ending: str, link: Callable[[Path, Path], None]) -> None:
    victim, out = tmp_path / "thesis.txt", tmp_path / "tables"
    victim.write_text("mine")
    out.mkdir()
    link(victim, out / f".units.{ending}.part")
    with Study.create(tmp_path / "study", {"schema": 1}) as study:
        export(study, out)
    assert victim.read_text() == "mine" and (out / f"units.{ending}").is_file()


def test_a_ledger_is_made_without_a_journal_that_a_kill_could_leave(tmp_path: Path) -> None:
    """Else a study that was stopped while it was made would be refused."""
    seen: set[str] = set()

    class Watched(database._Connection):
        def execute(self, *given: Any) -> sqlite3.Cursor:
            seen.update(path.name for path in (tmp_path / "study").iterdir())
            return super().execute(*given)

    with pytest.MonkeyPatch.context() as patch:
        connect = sqlite3.connect
        patch.setattr(sqlite3, "connect", lambda *to, **how: connect(*to, **{**how, "factory": Watched}))
        Study.create(tmp_path / "study", {"schema": 1}).close()
    assert seen == {"ledger.sqlite", "ledger.sqlite-wal", "ledger.sqlite-shm"}
    assert Path(tmp_path / "study" / "ledger.sqlite").read_bytes()[18:20] == b"\2\2"


@pytest.mark.parametrize("unclean", [False, True])
def test_a_folder_of_a_stranger_is_left_as_it_is(drr: Drr, new: New, box: Path, unclean: bool) -> None:
    """What this user ran here is known here; a study from elsewhere is read over a copy, or as it stands."""
    assert drr("run", *new(), "--quiet")[0] == 0
    with Study.open(Path("study")) as study:
        study.ledger.set_meta("note", "in the journal only")
        if unclean:
            shutil.copytree("study", "strange")
    if not unclean:
        shutil.copytree("study", "strange")

    def times() -> dict[Path, int]:
        return {path: path.stat().st_mtime_ns for path in Path("strange").rglob("*")}

    before = times()
    for number, words in enumerate(LOOKING):
        code = drr(*(word.replace("study", "strange") if at else word for at, word in enumerate(words)))[0]
        assert number >= len(LOOKING) - 3 or code == 0, words
        assert times() == before, words
    for words in (
        ("--dry-run",),
        ("--save-config", "saved.yaml"),
    ):  # a shop that is named vouches for no study
        assert drr("run", "strange", "--shop", box / "shop", *words)[0] == 0
        assert times() == before, words
    assert drr("status", "strange", "--json")[1] == drr("status", "study", "--json")[1]
    with Study.read(Path("strange")) as study:
        assert study.ledger.meta("note") == "in the journal only"


def test_a_journal_full_of_holes_does_not_fill_the_disk(drr: Drr, new: New) -> None:
    assert drr("run", *new(), "--quiet")[0] == 0
    shutil.copytree("study", "strange")
    with Path("strange/ledger.sqlite-wal").open("ab") as file:
        file.truncate(1 << 40)
    for size in (1 << 40, 1 << 29):
        os.truncate("strange/ledger.sqlite-wal", size)
        code, _, err = drr("status", "strange")
        assert code == 1 and "without a copy of" in err and err.count("\n") == 1, err


@pytest.mark.parametrize("study", ["../outside", "{mine}", "link"])
def test_a_file_of_a_stranger_leads_to_no_study_elsewhere(drr: Drr, new: New, box: Path, study: str) -> None:
    assert drr("run", *new(), "--quiet")[0] == 0
    mine = Path("study").resolve()
    before = (mine / "ledger.sqlite").read_bytes()
    Path("gift").mkdir()
    Path("gift/link").symlink_to(mine)
    Path("gift/s.yaml").write_text(f"study: {study.format(mine=mine)}\nvariants: react+ws\n")
    named = ("--shop", box / "shop", "--queries", box / "queries.jsonl")
    code, _, err = drr("run", "gift/s.yaml", *named, "--quiet")
    assert code == 2 and "names the study" in err and err.count("\n") == 1, err
    assert not Path("outside").exists() and (mine / "ledger.sqlite").read_bytes() == before


def test_a_shop_that_only_a_file_names_is_not_used(drr: Drr, box: Path, tmp_path: Path) -> None:
    shutil.copytree(box / "shop", "private")
    shutil.copy(box / "queries.jsonl", "queries.jsonl")
    told = f"shop: {tmp_path / 'private'}\nqueries: queries.jsonl\n"
    Path("s.yaml").write_text(f"{told}variants: react\n")
    code, _, err = drr("run", "s.yaml", "--quiet")
    assert code == 2 and "names the shop" in err and "--shop" in err, err
    assert drr("run", "s.yaml", "--shop", "private", "--dry-run")[0] == 0


@pytest.mark.parametrize(
    ("name", "text", "wrong"),
    [
        ("s.yaml", "queries: pipe\n", "is no plain file"),
        ("s.toml", f"trials = 0x{'f' * 5_000}\n", "is no single word"),
    ],
)
def test_a_value_of_a_file_that_cannot_be_is_named(drr: Drr, name: str, text: str, wrong: str) -> None:
    os.mkfifo("pipe")
    Path(name).write_text(text)
    code, _, err = drr("run", name, "--quiet")
    assert code == 2 and wrong in err and err.count("\n") == 1, err


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


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "words", "make"), [(name, words, make) for name, words, made in FILES for make in made]
)
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
        '"\\"".' * DEEPEST + "b = 1",
        r'["\\".' + r'"a\"b".' * DEEPEST + "b]",
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
        r'"\"".b.c = "' + r"\"." * 90 + '"\n'
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


def test_odd_files_are_read_or_said_in_one_line(drr: Drr, tmp_path: Path) -> None:
    """`drr study import study <(zcat ...)`."""
    line = {"id": "1", "system": "s", "query": "which?", "report_markdown": "None."}
    reading, writing = os.pipe()
    os.write(writing, json.dumps(line).encode())
    os.close(writing)
    assert drr("import", "piped", f"/dev/fd/{reading}", "--quiet")[0] == 0
    row = {"system": "ours\n4 of 4 reports are new", "query": "x", "report_markdown": "y"}
    Path("reports.jsonl").write_text(json.dumps(row) + "\n")
    code, _, err = drr("import", "new", "reports.jsonl")
    assert code == 2 and "a name stands on one line" in err, err
    Path("reports.jsonl").write_text(json.dumps(row | {"system": "s" * 201}) + "\n")
    assert drr("import", "new", "reports.jsonl")[0] == 2
    (tmp_path / "pages").mkdir()
    os.mkfifo(tmp_path / "pages" / "a.md")
    code, _, err = drr("web", "build", "pages", "--out", "web")
    assert code in (1, 2) and "a.md" in err and "plain file" in err
    (tmp_path / "pages" / "a.md").unlink()
    (tmp_path / "private.md").write_text("---\nurl: https://a.example\ntitle: b\n---\nsecret\n")
    (tmp_path / "pages" / "a.md").symlink_to(tmp_path / "private.md")
    assert drr("web", "build", "pages", "--out", "web")[0] in (1, 2)
    (tmp_path / "rec" / "searches").mkdir(parents=True)
    (tmp_path / "rec" / "searches" / "a.json").write_text("{}")
    code, out, _ = drr("web", "replay", "rec")
    assert code == 0 and "1 searches" in out
    (tmp_path / "loop").symlink_to("loop")
    code, _, err = drr("import", "new", "loop")
    assert code in (1, 2) and err.startswith("drr: ") and "loop" in err


HOLDING = """
import sys, time, types
from drr.app.cli import _run_module
from drr.env.files import passing_folder

def run(_):
    with passing_folder("bundle") as place:
        print(place, flush=True)
        time.sleep(600)

_run_module(types.SimpleNamespace(run=run), types.SimpleNamespace(wide=False))
"""


def test_a_killed_command_leaves_no_folder_in_tmp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """SIGTERM unwinds; what SIGKILL leaves, the next one removes, but for what somebody holds."""
    from drr.env.files import passing_folder

    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    started = [
        subprocess.Popen(
            [sys.executable, "-c", HOLDING], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        for _ in range(3)
    ]
    places = [Path(one.stdout.readline().strip()) for one in started if one.stdout is not None]
    assert all(place.is_dir() for place in places)
    for place in places:
        os.utime(place, (1, 1))
    started[0].terminate()
    started[1].kill()
    for one in started[:2]:
        one.wait(60)
    assert [place.is_dir() for place in places] == [False, True, True]
    with passing_folder("bundle") as own:
        assert [place.is_dir() for place in (*places, own)] == [False, False, True, True]
    started[2].kill()
    started[2].wait(60)


def test_questions_are_closed_to_others_where_they_tell_what_somebody_bought(tmp_path: Path) -> None:
    from drr.env.query import Query
    from drr.querygen.files import write_queries

    for public in (False, True):
        path = tmp_path / f"{public}.jsonl"
        write_queries(
            path, [Query(id="q", query="Is the lamp that I bought dimmable?", user_id="A")], public=public
        )
        assert bool(path.stat().st_mode & 0o044) is public
