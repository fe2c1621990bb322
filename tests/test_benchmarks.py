"""The results of benchmarks: short, each section by a command that is there, and `--help` runs nothing."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import results, usage
from tests.sources import ROOT

MOST_BYTES = 25_000
BY_HAND = "By language models or by hand"
"""The one section that no program writes."""


def test_the_results_are_short_and_each_section_is_written_by_a_command_that_is_there() -> None:
    text = results.RESULTS.read_text(encoding="utf-8")
    assert len(text.encode()) <= MOST_BYTES
    head, *sections = text.split("\n## ")
    assert BY_HAND in head
    for section in sections:
        heading, _, body = section.partition("\n")
        if heading == BY_HAND:
            continue
        command = re.match(r"\n`(?:python -m benchmarks\.(\w+)[^`]*|make endurance)`, ", body)
        assert command, heading
        writers = [command[1]] if command[1] else ["results", "security_tries"]
        codes = [(ROOT / f"benchmarks/{name}.py").read_text("utf-8") for name in writers]
        assert any(f'"{heading}"' in code for code in codes), heading


def test_each_commit_that_is_named_is_one_of_this_history() -> None:
    git = ("git", "-C", str(ROOT))
    asked = [*git, "rev-parse", "--is-shallow-repository"]
    if not (ROOT / ".git").exists() or subprocess.check_output(asked, text=True) != "false\n":
        pytest.skip("the whole history is not here")
    named = re.findall(r"`, commit ([0-9a-f]{8})", results.RESULTS.read_text(encoding="utf-8"))
    named += re.findall(r"`git checkout ([0-9a-f]{8})`", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))
    assert len(named) > 20
    for commit in set(named):
        told = subprocess.run([*git, "merge-base", "--is-ancestor", commit, "HEAD"], capture_output=True)
        assert told.returncode == 0, commit


def test_help_of_a_module_is_its_usage_and_runs_nothing() -> None:
    """A parser prints its own; of the others the head is printed in the place of a run."""
    for path in (ROOT / "benchmarks").glob("*.py"):
        code = path.read_text("utf-8")
        name = "benchmarks" if path.stem == "__main__" else f"benchmarks.{path.stem}"
        asked = ["python", "-m", name, "--help"]
        if "if __name__ ==" in code:
            assert bool(usage(asked)) != ("parse_args(" in code) and usage(asked[:-1]) is None, name
    before = results.RESULTS.read_bytes()
    words = [sys.executable, "-m", "benchmarks.startup", "--help"]
    told = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert (told.returncode, told.stderr) == (0, "") and len(told.stdout) > 50
    assert results.RESULTS.read_bytes() == before


def test_a_section_takes_the_place_of_the_one_before_and_a_row_that_of_its_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "RESULTS.md"
    path.write_text(
        f"# Results\n\nOn {results.machine()}.\n\n## A\n\nold\n\n## B\n\nkept\n", encoding="utf-8"
    )
    monkeypatch.setattr(results, "RESULTS", path)
    results.record("A", "new")
    head = ("what", "times")
    for cells in (("x", 1), ("y", 2), ("x", 3)):
        results.row("C", head, cells)
    begun = f"`{results.command()}`, {results.commit()}."
    rows = "| what | times |\n| --- | --- |\n| y | 2 |\n| x | 3 |"
    text = path.read_text(encoding="utf-8")
    assert (
        text.partition("\n\n## ")[2] == f"A\n\n{begun}\n\nnew\n\n## B\n\nkept\n\n## C\n\n{begun}\n\n{rows}\n"
    )
    path.write_text("# Results\n\nOn another machine.\n", encoding="utf-8")
    results.record("A", "new")
    assert f"{results.commit()}, {results.machine()}.\n\nnew" in path.read_text(encoding="utf-8")
