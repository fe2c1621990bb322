"""What builds and publishes runs nothing that can change under its name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").iterdir())


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_actions_are_pinned_by_commit(path: Path) -> None:
    used = re.findall(r"uses: (\S+)", path.read_text(encoding="utf-8"))
    assert used
    assert [name for name in used if not re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", name)] == []


def test_what_is_published_is_built_from_the_lock_with_its_bill_of_materials() -> None:
    text = (ROOT / ".github" / "workflows" / "publish.yml").read_text(encoding="utf-8")
    ran = re.findall(r"run: (.+)", text)
    assert ran and all(line.startswith("make ") for line in ran)
    assert {"dist", "sbom"} <= set(" ".join(ran).split())


def test_the_bill_of_materials_is_made_in_each_build() -> None:
    text = (ROOT / ".github" / "workflows" / "test.yml").read_text(encoding="utf-8")
    assert any("sbom" in line.split() for line in re.findall(r"run: make (.+)", text))
