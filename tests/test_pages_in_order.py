"""Each page's commands that need no key run in the order in which they stand, in an empty folder with the demo's shop and questions."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from pathlib import Path

import pytest
from drr.app.cli import main

from tests.once import made_once
from tests.test_documents import PAGES, command_lines, fenced

pytestmark = pytest.mark.long

ASKED = "--shop demo/shop --queries demo/queries.jsonl"
STUDY = f"drr run mystudy {ASKED} --variants react,plan-to-function --quiet"
BEFORE = {
    "README.md": STUDY,
    "bundles.md": f"drr run demo/live {ASKED} --variants react --quiet && drr judge demo/live --quiet && drr bundle key new other.key",
    "board.md": f"drr run demo/live {ASKED} --variants react --quiet && drr bundle make demo/live --out bundles/one.bundle",
    "ci.md": f"{STUDY} && drr judge mystudy --quiet",
    "judging.md": f"{STUDY}",
    "record.md": "drr queries generate --checkable --shop shop --seed 7 --count 4 --out c.jsonl --quiet && drr run mystudy --shop shop --queries c.jsonl --variants react --quiet",
    "reliability.md": f"{STUDY}",
    "study.md": f"{STUDY}",
}
"""What makes the shop or study that a page begins with, in one line. """
ALONE = {
    "README.md", "agents.md", "board.md", "bundles.md", "ci.md", "data.md", "judging.md", "record.md",
    "reliability.md", "start.md", "study.md", "tools.md", "training.md", "your-agent.md",
}  # fmt: skip
"""Pages whose commands run; the others need a model, servers, a cluster, or files that only a reader has."""
NEEDS = re.compile(
    r"anthropic:|\bMODEL\b|--web serper|--web replay|servers:|shop servers|--pool|--otel|data get|amazon2023|RAW_DIR|minilm"
    r"|--reviewer|--format drb|my-reports|my-pages|my-sandbox|cmd:\./|inspect:|evaluated|/my-base|drr view|tools mcp"
    r"|REPORT\.md|points|--human|scores\.jsonl|episodes\.jsonl|\bUNIT\b|judge real|judge mine|judges rewards|A\.\.\.|annotate|bundle reproduce"
)
"""A key, a network, a server, somebody's answers, or a process that waits."""
MAY_FAIL = re.compile(r"drr study gate|drr queries check")
"""Commands whose exit code 1 is a finding."""


def _make(home: Path) -> None:
    for line in (
        f"sample {home}/raw --products 300 --users 80 --reviews 4000 --quiet",
        f"ingest {home}/raw --shop {home}/demo/shop --min-reviews 1 --quiet",
        f"queries generate --shop {home}/demo/shop --out {home}/demo/queries.jsonl --users 2 --per-user 1 --quiet",
    ):
        main(line.split())


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_once("pages", tmp_path_factory, _make)


@pytest.mark.parametrize("page", sorted(ALONE))
def test_commands_of_a_page_run_in_its_order(
    page: str, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(home / "demo", tmp_path / "demo")
    if page == "record.md":
        shutil.copytree(home / "demo/shop", tmp_path / "shop")
    monkeypatch.chdir(tmp_path)
    Path("bundles").mkdir()
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "SERPER_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    for written in PAGES:
        for block in fenced(written, "python"):
            if found := re.match(r"(?:#!.*\n)?# (\w+\.py)\n", block):
                Path(found[1]).write_text(block, encoding="utf-8")
                Path(found[1]).chmod(0o755)
    user = json.loads((home / "demo/queries.jsonl").read_text("utf-8").splitlines()[0])["user_id"]
    own = [
        line for name, line in command_lines() if name == page and not NEEDS.search(line.partition(" #")[0])
    ]
    own = [*filter(None, BEFORE.get(page, "").split(" && ")), *own]
    assert own
    for line in own:
        line = line.replace("STUDY", "mystudy")
        line = line if page == "README.md" else line.replace("AFZHL9ZQA6OAQAEZ592CHS7H02Q1", user)
        split = shlex.split(line, comments=True)[1:]
        words = [
            one
            for word in split
            for one in (sorted(map(str, Path().glob(word))) if "*.bundle" in word else [word])
        ]
        code = main(words)
        told = capsys.readouterr()
        assert code == 0 or (code == 1 and MAY_FAIL.search(line)), f"{page}: {line}\n{told.err[-1500:]}"
