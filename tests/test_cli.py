"""The command line's own manners: help, exit codes, one clear line for a mistake, settings that know their origin."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from drr.app.cli import main
from drr.app.commands import table as command_table
from drr.app.commands.table import (
    GROUPS,
    CommandRow,
    add_commands,
    commands,
    find_command,
    subcommand_rows,
    top_level_words,
)
from drr.env.setting_sources import VARIABLES

from tests.cases import table

ROOT = Path(__file__).parent.parent
HEAVY = {
    "langchain", "langchain_core", "langgraph", "anthropic", "pydantic", "numpy", "tantivy", "pymongo",
    "elasticsearch", "scipy",
}  # fmt: skip


Drr = Callable[..., tuple[int, str, str]]


@pytest.fixture
def drr(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Drr:
    """Run a command in `tmp_path`, with these variables set: its exit code and what it printed."""
    monkeypatch.chdir(tmp_path)

    def call(*words: str, **variables: str) -> tuple[int, str, str]:
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        return main(list(words)), *capsys.readouterr()

    return call


def test_help_lists_every_command_and_imports_nothing_heavy() -> None:
    code = (
        "import sys; from drr.app.cli import main; code = main(['--help']); "
        f"heavy = {HEAVY!r} & {{name.split('.')[0] for name in sys.modules}}; "
        "print('HEAVY', sorted(heavy)); sys.exit(code)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, timeout=60)
    assert done.returncode == 0
    assert "HEAVY []" in done.stdout
    assert [f"\n  {row.name} " in done.stdout for row in top_level_words()] == [True] * len(top_level_words())
    assert [line[:-1] for line in done.stdout.splitlines() if line[:-1] in GROUPS] == list(GROUPS)


def test_settings_load_neither_langchain_nor_a_shop() -> None:
    code = (
        "import sys; from drr.app.cli import main; code = main(['env', 'settings']); "
        "print('LOADED', sorted(name for name in sys.modules if name.startswith(('lang', 'tantivy', 'drr.env.embedded')))); sys.exit(code)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, timeout=60)
    assert done.returncode == 0, done.stderr
    assert "LOADED []" in done.stdout


@pytest.mark.slow
def test_a_judging_of_no_paper_loads_no_task_of_one(tmp_path: Path) -> None:
    report = {"id": "r", "system": "x", "query": "Which?", "report_markdown": "It is light."}
    (tmp_path / "reports.jsonl").write_text(json.dumps(report))
    study = str(tmp_path / "study")
    assert main(["import", study, str(tmp_path / "reports.jsonl"), "--quiet"]) == 0
    code = (
        f"import sys; from drr.app.cli import main; main(['judge', {study!r}, '--judge', 'offline', '--quiet']); "
        "print('LOADED', ' '.join(sorted(name for name in sys.modules if name.startswith('drr.papers.'))))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, timeout=60)
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("LOADED")]
    loaded = line.split()[1:]
    options = {"drr.papers.pdr.judging.choices", "drr.papers.pdr.judging.rows"}
    options |= {f"drr.papers.{paper}.judging.choosing" for paper in ("dr3", "reporteval")}
    working = [name for name in loaded if ".judging." in name and name not in options]
    assert options <= {*loaded} and working == [] and len(loaded) <= 30, loaded


@pytest.mark.parametrize("name", [row.name for row in commands()])
def test_every_command_has_help_with_an_example(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*name.split(), "--help"]) == 0
    shown = capsys.readouterr()
    assert shown.out.startswith(f"usage: drr {name}") and shown.err == ""
    assert "example" in shown.out.lower()
    assert f"drr {name}" in shown.out.split("usage:", 1)[1].split("\n", 1)[1]


def test_heads_list_their_parts(capsys: pytest.CaptureFixture[str]) -> None:
    assert {row.group for row in top_level_words()} == set(GROUPS)
    for row in top_level_words():
        assert row.module or subcommand_rows(row.name), f"{row.name} leads nowhere"
    for row in top_level_words():
        assert main([row.name, "--help"]) == 0
        shown = capsys.readouterr().out
        assert all(f"\n    {part.name.split()[1]} " in shown for part in subcommand_rows(row.name))


def test_a_promised_name_stays_and_another_is_answered_with_the_new_one(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for old, new in (
        ("settings", "env settings"),
        ("criteria", "papers criteria"),
        ("ingest", "data ingest"),
    ):
        assert main([old, "--json"]) == 2
        shown = capsys.readouterr()
        assert shown.out == "" and shown.err == f"drr: no command {old!r}; did you mean {new}?\n"
    for promised in (
        "status", "export", "check", "agreement", "calibrate", "aggregate", "annotate", "import", "doctor",
    ):  # fmt: skip
        assert main([promised, "--help"]) == 0
        shown = capsys.readouterr()
        assert shown.err == "" and shown.out.startswith("usage: drr ")
        assert main([promised, "--no-such-option"]) == 2
        assert capsys.readouterr().err.count("\n") == 1


def test_a_plug_in_adds_rows_to_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    others = {name: row for name, row in command_table._table.items() if name != "board"}
    monkeypatch.setattr(command_table, "_table", others)  # so there is room for a head
    add_commands(
        CommandRow("papers toy", "toy.commands", "a toy", old="toy"), CommandRow("toys", "", "toys", "shop")
    )
    found = find_command(["papers", "toy", "now"])
    assert found is not None and (found.command.module, found.rest) == ("toy.commands", ["now"])
    assert find_command(["toy"]) == (found.command, [], "toy")
    assert [row.name for row in top_level_words()][-1] == "toys"
    for wrong in (
        CommandRow("papers toy", "other", "the name is taken"),
        CommandRow("status", "other", "an old name is taken"),
        CommandRow("none toy", "other", "no such head"),
        CommandRow("mine", "other", "a head without a group"),
    ):
        with pytest.raises(ValueError, match=wrong.name):
            add_commands(wrong)


def test_slips_are_misuse_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == main(["ingets"]) == 2
    error = capsys.readouterr().err
    assert "did you mean data ingest?" in error and "Traceback" not in error
    assert main(["env", "settings", "--colour"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert main(["shop", "zzz"]) == 2
    told = capsys.readouterr().err
    assert "did you mean" not in told and "search" in told


def test_settings_know_their_origin_and_print_no_secret(tmp_path: Path, drr: Drr) -> None:
    (tmp_path / "drr.toml").write_text('model = "ollama:qwen3:8b"\nweb_top_k = 7\n', encoding="utf-8")
    code, out, err = drr(
        "env", "settings", "--json", DRR_WEB_TOP_K="3", ANTHROPIC_API_KEY="sk-planted-secret"
    )
    assert code == 0, err
    shown = json.loads(out)
    assert shown["model"] == {"value": "ollama:qwen3:8b", "origin": "file drr.toml"}
    assert shown["web_top_k"] == {"value": 3, "origin": "environment"}
    assert shown["concurrency"]["origin"] == "default"
    assert shown["anthropic_api_key"] == {"value": "********", "origin": "environment"}
    assert "planted" not in out + err
    shown = json.loads(drr("env", "settings", "--json", "--profile", "paper")[1])
    assert shown["shop_url"] == {"value": "http://ecommerce.com", "origin": "profile paper"}
    (tmp_path / "drr.toml").write_text('mongodb_url = 5\nanthropic_api_key = ["sk-planted-secret"]\n')
    code, out, err = drr("env", "settings")
    assert code == 2
    assert "planted" not in out + err
    secret = "sk-planted-secret"
    code, out, err = drr("doctor", SERPER_API_KEY=secret, DRR_MONGODB_URL=f"mongodb://u:{secret}@127.0.0.1:1")
    assert code == 0, out + err
    assert "serper_api_key: set" in out
    assert all(f"  {name}" in out for name in VARIABLES) and re.search(r"SERPER_API_KEY +set ", out)
    assert re.search(r"^  [A-Z_]+ +- ", out, re.MULTILINE)
    assert secret not in out + err


def test_doctor_names_another_project_that_owns_our_name(
    tmp_path: Path, drr: Drr, monkeypatch: pytest.MonkeyPatch
) -> None:
    info = tmp_path / "drr-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: drr\nVersion: 1.0\n", encoding="utf-8")
    (info / "top_level.txt").write_text("drr\n", encoding="utf-8")
    code, out, _ = drr("doctor", "--json")
    assert code == 0 and json.loads(out)["others"] == []
    monkeypatch.syspath_prepend(str(tmp_path))
    code, out, _ = drr("doctor")
    assert code == 1 and "`pip uninstall drr`" in out


@pytest.mark.parametrize(
    ("text", "expected"),
    [("modle = 1", "unknown setting modle"), ("model = ", "not TOML"), ("web_top_k = 'many'", "web_top_k")],
)
def test_a_bad_settings_file_is_misuse(tmp_path: Path, drr: Drr, text: str, expected: str) -> None:
    (tmp_path / "drr.toml").write_text(text, encoding="utf-8")
    code, _, err = drr("env", "settings")
    assert code == 2
    assert expected in err


def test_an_interrupt_in_a_callback_is_not_lost() -> None:
    script = """
import signal, sys, time, weakref
from types import SimpleNamespace
from drr.app.cli import _run
from drr.app.commands.table import CommandRow

class Thing:
    pass

def run(arguments):
    thing = Thing()
    callback = weakref.ref(thing, lambda _: signal.raise_signal(signal.SIGINT))
    del thing
    time.sleep(20)
    return 0

signal.signal(signal.SIGINT, signal.default_int_handler)
sys.modules["toy"] = SimpleNamespace(build=lambda parser: None, run=run)
sys.exit(_run(CommandRow("toy", "toy", ""), []))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (130, "drr: interrupted\n")


@table("top", "a_slip_is_answered_with_what_was_meant")
def test_a_slip_is_answered(words: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    shown = capsys.readouterr()
    assert told in shown.err and shown.err.count("\n") == 1 and shown.out == ""


def test_help_of_a_command_is_what_its_help_option_prints(capsys: pytest.CaptureFixture[str]) -> None:
    for asked, option in (
        (["help"], ["--help"]),
        (["help", "shop"], ["shop", "--help"]),
        (["help", "shop", "search"], ["shop", "search", "--help"]),
    ):
        assert main(asked) == 0
        told = capsys.readouterr().out
        assert main(option) == 0
        assert told == capsys.readouterr().out
        assert told.startswith("usage: drr")


@table("top", "what_is_not_there_is_misuse_in_one_line")
def test_what_is_not_there_is_misuse_in_one_line(
    words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(words.split()) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1 and "nowhere" in err
    assert list(tmp_path.iterdir()) == []
