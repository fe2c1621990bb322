"""What builds and publishes runs nothing that can change under its name."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").iterdir())
EXAMPLES = sorted((ROOT / "examples" / "ci").iterdir())


@pytest.mark.parametrize("path", [*WORKFLOWS, *EXAMPLES], ids=lambda path: path.stem)
def test_actions_are_pinned_by_commit(path: Path) -> None:
    used = re.findall(r"uses: (\S+)", path.read_text(encoding="utf-8"))
    assert used
    assert [name for name in used if not re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", name)] == []


def test_what_is_published_is_built_from_the_lock_with_its_bill_of_materials() -> None:
    text = (ROOT / ".github" / "workflows" / "publish.yml").read_text(encoding="utf-8")
    ran = re.findall(r"run: (.+)", text)
    assert ran and all(line.startswith("make ") for line in ran)
    assert {"dist", "sbom"} <= set(" ".join(ran).split())


def test_a_build_runs_what_must_pass_before_a_change_lands() -> None:
    """The bill of materials among it."""
    text = (ROOT / ".github" / "workflows" / "test.yml").read_text(encoding="utf-8")
    assert ".ci/run" in re.findall(r"run: (.+)", text)
    (lanes,) = re.findall(r"for lane in (.+);", (ROOT / ".ci" / "run").read_text(encoding="utf-8"))
    assert {"sbom", "test", "test-servers", "test-browser", "demo"} <= set(lanes.split())
    nightly = re.findall(r"\btest-[a-z]+\b(?!\.)", (ROOT / ".ci" / "nightly").read_text(encoding="utf-8"))
    (matrix,) = re.findall(
        r"lane: \[(.+)\]", (WORKFLOWS[0].parent / "nightly.yml").read_text(encoding="utf-8")
    )
    assert sorted(matrix.split(", ")) == sorted(nightly)


@pytest.mark.parametrize(("tag", "code"), [("v0.0.0", 1), ("", 0), ("HERE", 0)])
def test_a_tag_that_is_not_the_version_publishes_nothing(tag: str, code: int, tmp_path: Path) -> None:
    shutil.copy2(ROOT / "pyproject.toml", tmp_path)
    made = (ROOT / "Makefile").read_text(encoding="utf-8")
    (check,) = (line.strip("\t@") for line in made.splitlines() if "DRR_TAG" in line)
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    environ = os.environ | {"DRR_TAG": tag.replace("HERE", f"v{version}")}
    done = subprocess.run(["sh", "-c", check.replace("$$", "$")], cwd=tmp_path, env=environ)
    assert done.returncode == code
