"""Each page's commands that need no key run in the order in which they stand, in an empty folder with the demo's shop, questions and study."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from drr.app.cli import main

from tests.app.test_traces import WHOLE_TEXT as TRACE
from tests.once import made_once
from tests.sources import ROOT
from tests.test_documents import PAGES, command_lines, fenced, files_of

pytestmark = pytest.mark.long

NEEDS = {
    "the network": r"--web (serper|replay)|data get|amazon2023|minilm",
    "what a model finds": r"--files papers|/own\b|judges check .*--judge",
    "a server or a cluster": r"servers:|shop servers|--pool",
    "a person who answers": r"--reviewer|--human|labels\.jsonl|wice\.jsonl|judges align|/align/|judges calibrate",
    "a file that only the reader has": r"/my-base|RAW_DIR|evaluated|episodes\.jsonl|raw_results|mine\.bundle",
    "an extra": r"inspect:",
}
"""What keeps a command from being run here."""
ANY_NEED = re.compile("|".join(NEEDS.values()))
ELSEWHERE = {"CONTRIBUTING.md"}
"""Followed by `test_contributing.py`."""
USER = "AFZHL9ZQA6OAQAEZ592CHS7H02Q1"
INSTEAD = {
    r"anthropic:[\w.-]+|\bMODEL\b": "offline",
    r"--(users|count) \d+": r"--\1 4",
    r"(shop make --seed .*)": r"\1 --axes few.toml",
    r"(tasks drawer .*)": r"\1 --n 1",
    r"(papers reproduce --paper retail .*)": r"\1 --queries demo/queries.jsonl",
    r"(papers reproduce --paper (?:retail|pdr) .*)": r"\1 --variants react",
    r"(papers reproduce --paper (?:dr3|reporteval) .*)": r"\1 --dry-run",
    r"(judges rewards .*)": r"\1 --queries q.jsonl",
    r"(run wide .*)": r"\1 --limit 3",
    r"--with shuffle,[\w,]+": "--with shuffle,faults",
    r" UNIT$": "",
    r"\bUSER\b": USER,
}
"""Rules in a model's place, and less of everything, to be quick."""
MAY_FAIL = re.compile(r"drr study gate|drr queries check|judges canaries|judges check")
"""Commands whose exit code 1 is a finding."""
WAITS = re.compile(r"drr view|drr tools mcp")
SAID = r"# Answer\n\nIt lasts [1].\n\n## Sources\n\n[1] Page: https://page.example/a"
FILES = {
    "few.toml": "products = 120\nusers = 60\nreviews = 1500\nkinds = 12\nquestions = 5\n",
    "my-pages/ramp.md": "---\nurl: https://page.example/ramp\ntitle: A ramp\n---\nA dog ramp is not steep.\n",
    "my-reports.jsonl": f'{{"system": "s", "query": "Which feeder?", "report_markdown": "{SAID}"}}\n',
    "reports.jsonl": f'{{"system": "s", "query": "Which feeder?", "report_markdown": "{SAID}"}}\n',
    "raw_data/my-agent.jsonl": f'{{"id": 1, "prompt": "Which feeder?", "article": "{SAID}"}}\n',
    "scores.jsonl": '{"weights": {"GOAL": 1}, "criteria": {"GOAL": [{"weight": 1, "scores": [7, null]}]}}\n',
    "spans.json": TRACE,
    "raw.jsonl": '{"quality": {"clarity": 3}, "pairs": [4, 2], "support": [-1, 0, 1, null]}\n',
}
"""What a reader brings."""


def lines_of(page: str) -> list[str]:
    lines = (line.partition(" #")[0].strip() for name, line in command_lines() if name == page)
    return [line for line in lines if not ANY_NEED.search(line)]


def _make(home: Path) -> None:
    """The demo in small: two of its questions, one agent."""
    demo = home / "demo"
    asked = f"--shop {demo}/shop --queries {demo}/queries.jsonl"
    for line in (
        f"data sample {home}/raw --quiet",
        f"data ingest {home}/raw --shop {demo}/shop --quiet",
        f"queries builtin --out {demo}/queries.jsonl --quiet",
        f"run {demo}/live {asked} --variants react --quiet",
        f"judge {demo}/live --quiet",
        f"ask feeder --shop {demo}/shop --user {USER} --out {demo}/report.md",
    ):
        main(line.split())
        _cut(demo / "queries.jsonl")


def _cut(queries: Path) -> None:
    if queries.exists():
        lines = queries.read_text("utf-8").splitlines(keepends=True)
        queries.write_text("".join(lines[:2]), encoding="utf-8")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_once("pages", tmp_path_factory, _make)


def _write_files() -> None:
    for name, text in FILES.items():
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(text, encoding="cp1252")
    for page in PAGES:
        for block in fenced(page, "python"):
            if found := re.match(r"(?:#!.*\n)?# (\w+\.py)\n", block):
                Path(found[1]).write_text(block, encoding="utf-8")
                Path(found[1]).chmod(0o755)
    shutil.copy("clerk.py", "my-agent")
    Path("benchmarks").symlink_to(ROOT / "benchmarks")  # the reader has a clone


def _started_and_stopped(words: list[str]) -> int:
    program = [str(Path(sys.executable).with_name("drr")), *words]
    with subprocess.Popen(
        program, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        assert process.stdout
        for line in process.stdout:
            if "http://127" in line:
                process.send_signal(signal.SIGINT)
        code = process.wait(30)
    return 0 if code in (130, -signal.SIGINT) else code


@pytest.mark.parametrize("page", sorted({name for name, _ in command_lines() if lines_of(name)} - ELSEWHERE))
def test_commands_of_a_page_run_in_its_order(
    page: str, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(home / "demo", tmp_path / "demo")
    monkeypatch.chdir(tmp_path)
    _write_files()
    (file,) = (one for one in PAGES if one.name == page)
    for name, text in files_of(file).items():
        Path(name).write_text(text, encoding="utf-8")
    said = ""
    for line in lines_of(page):
        for written, instead in INSTEAD.items():
            line = re.sub(written, instead, line)
        if Path("persons.jsonl").exists() and Path("queries.jsonl").exists():
            pair = json.loads(Path("queries.jsonl").read_text("utf-8").splitlines()[0])
            line = re.sub(r"\bt-[\w-]+/p-\w+", f"{pair['task_id']}/{pair['person_id']}", line)
        words = [
            one
            for word in shlex.split(line)[1:]
            for one in (sorted(map(str, Path().glob(word))) if "*" in word else [word])
        ]
        code = _started_and_stopped(words) if WAITS.match(line) else main(words)
        told = capsys.readouterr()
        said += told.out + told.err
        assert code == 0 or (code == 1 and MAY_FAIL.search(line)), f"{page}: {line}\n{told.err[-1500:]}"
        _cut(Path("queries.jsonl"))
        _cut(Path("q.jsonl"))
    shown = [line for block in fenced(file, "output") for line in block.splitlines()]
    assert [line for line in shown if line not in said.splitlines()] == []
