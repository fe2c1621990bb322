"""Every example of every `--help`, as written: run on the sample shop where nothing but the shop is needed, read by its command where more is."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from pathlib import Path

import pytest
from drr.app.cli import main
from drr.app.commands.parser import parser_of
from drr.app.commands.table import command_of, commands

from tests.command_lines import parsed

pytestmark = pytest.mark.long

NAMES = [row.name for row in commands()]
ORDER = (
    *("data", "data ingest", "shop", "tools", "shop profile", "papers persons", "papers context", "papers tasks", "queries", "variants", "ask", "run"),
    *("study status", "study trace", "study export", "judges check", "judge", "papers criteria", "judges agreement", "judges canaries", "study gate", "study compare", "report", "view", "judges annotate"),
    *("web", "study", "env settings", "env doctor"),
)  # fmt: skip
"""Commands with examples that need what those before them made."""
NEEDS = {
    "a key": re.compile(r"anthropic:|--web serper|MODEL|^judges agreement study"),
    "a server": re.compile(r"servers:|^shop servers |--base-url http://127"),
    "real data": re.compile(r"~/amazon2023|--mirror "),
    "time": re.compile(r"^data sample big"),
    "a person who answers or looks": re.compile(
        r"^tools mcp |^view (study|tasks)$|^view study --reviewer|^judges annotate .*--(annotators|task criteria|sample 60)|^(papers tasks|queries) review|^study edit study --variants"
    ),
    "a file of one's own": re.compile(
        r"my[-_]|^study import |^data ingest \S+\.(csv|xml|parquet)|^papers (persons import|aggregate |swap |criteria)|^judges (calibrate |align |plan )|labels?[-.]|sheet\.jsonl|anna\.jsonl|points\.jsonl"
        r"|^judges check report.md|--relative|^web replay|^study trace study .|fewer\.jsonl|marks-ann\.jsonl|persons persons|study/align|--with old"
    ),
    "minutes": re.compile(
        r"^papers reproduce |--help|--tokens 8k,32k,128k|--what (pqr|criteria|pairwise|relative|dr3|reporteval)|--repeat|--diff|--workers|--tasks"
    ),
}
"""What keeps an example from being run here; it is read by its command all the same."""


def examples(name: str) -> list[list[str]]:
    """The words of each call, one list for each command between `&&`."""
    epilog = parser_of(command_of(name)).epilog or ""
    text = epilog.replace("\\\n", " ")
    lines = [line.strip() for line in text.splitlines() if re.match(r"\s+(?:[A-Z_]+=\S+ )*drr ", line)]
    calls = (call for line in lines for call in re.split(r"\s&&\s", line) if call.strip())
    return [shlex.split(call, comments=True) for call in calls]


def test_every_command_that_takes_words_has_examples() -> None:
    without = [name for name in NAMES if not examples(name)]
    assert without == []


@pytest.mark.parametrize("name", NAMES)
def test_every_example_is_understood(name: str) -> None:
    for words in examples(name):
        words = [word for word in words if not re.match(r"[A-Z_]+=", word)]
        assert words[0] == "drr"
        parsed(words[1:])


def _needed(words: list[str]) -> str | None:
    line = " ".join(words[1:])
    return next((what for what, seen in NEEDS.items() if seen.search(line)), None)


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory, sample_home: Path) -> Path:
    """A folder as somebody has it who made the sample as the first examples say."""
    folder = tmp_path_factory.mktemp("examples")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        shutil.copytree(sample_home / "raw", "raw")
        shutil.copytree(sample_home / "shop", "shop")
        shutil.copytree("shop", "demo/shop")
        for words in (
            "papers persons build --shop shop --out few.jsonl --users 2 --quiet",
            "papers context build few.jsonl --shop shop --tokens 8k --out contexts --quiet",
        ):
            assert main(words.split()) == 0
        shutil.rmtree("shop")  # which an example makes anew
    return folder


def test_examples_run_as_written(
    scene: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(scene)
    for key in [key for key in os.environ if key.endswith("_API_KEY")]:
        monkeypatch.delenv(key)
    wrong, ran = [], 0
    for name in ORDER:
        for given in examples(name):
            words = [word for word in given if not re.match(r"[A-Z_]+=", word)]
            if _needed(words) is not None:
                continue
            if name == "run" and not (scene / "study").exists():
                few = (scene / "queries.jsonl").read_text("utf-8").splitlines()[:2]
                (scene / "queries.jsonl").write_text("\n".join(few) + "\n", "utf-8")
            code = main(words[1:])
            ran += 1
            if code != (words[1:3] == ["study", "gate"]):  # a check that does not hold
                wrong.append(f"{code}: {shlex.join(words)}: {capsys.readouterr().err[-200:]}")
    assert not wrong, "\n".join(wrong)
    assert ran > 60
