"""What is installed: two import names, with everything that the rooms need beside code."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.commands import python
from tests.test_rooms import FOLDERS

ROOT = Path(__file__).parent.parent


def tracked(*folders: str, soon: bool = True) -> list[str]:
    """Files of these folders, or of the whole project, that are in version control or, `soon`, about to be."""
    more = ["--others", "--exclude-standard"] if soon else []
    words = ["git", "ls-files", "--cached", *more, *folders]
    listed = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [name for name in listed.splitlines() if (ROOT / name).is_file()]


def build_wheel(folder: Path) -> Path:
    """Built in `folder` from a copy: an older build left in the checkout must not flatter it."""
    for name in tracked():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, folder / name, follow_symlinks=False)
    code = "import sys; from setuptools.build_meta import build_wheel; print(build_wheel(sys.argv[1]))"
    built = python(code, folder, cwd=folder)
    assert built.returncode == 0, built.stderr
    (wheel,) = folder.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def inside(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """The names in the wheel."""
    return set(ZipFile(build_wheel(tmp_path_factory.mktemp("source"))).namelist())


def test_nothing_else_stands_at_the_top() -> None:
    """What somebody made while he tried things is no part of the project."""
    folders = {name.partition("/")[0] for name in tracked(soon=False) if "/" in name}
    assert folders == {
        *FOLDERS,
        *["src", "tests", "benchmarks", "docs", "examples", "typings", ".ci", ".github"],
    }
    files = {name for name in tracked(soon=False) if "/" not in name and name.endswith(".md")}
    names = ("AGENTS", "README", "CHANGELOG", "CONTRIBUTING", "SECURITY", "VERSIONING")
    assert files == {f"{name}.md" for name in names}


@pytest.mark.long
def test_every_tracked_file_of_every_room_is_in_the_wheel(inside: set[str]) -> None:
    files = {f"drr/{name}" for name in tracked(*FOLDERS)} | {one[4:] for one in tracked("src")}
    assert len(files) > 100
    assert sorted(files - inside) == []


@pytest.mark.long
def test_the_wheel_owns_two_import_names(inside: set[str]) -> None:
    """The second is for verifiers, which takes no name with a dot."""
    assert {name.split("/")[0] for name in inside if ".dist-info/" not in name} == {"drr", "drr_retail"}
