"""What is installed: two import names, with everything that the rooms need beside code."""

from __future__ import annotations

import re
import shutil
import subprocess
import tarfile
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.commands import python
from tests.test_rooms import OWNERS

ROOT = Path(__file__).parent.parent


def tracked(*folders: str, soon: bool = True) -> list[str]:
    """Files of these folders, or of the whole project, that are in version control or, `soon`, about to be. A source distribution lists its own."""
    if not (ROOT / ".git").exists():
        given = (ROOT / "src/deepresearch_retail.egg-info/SOURCES.txt").read_text("utf-8").splitlines()
        return [name for name in given if not folders or name.startswith(tuple(f"{one}/" for one in folders))]
    more = ["--others", "--exclude-standard"] if soon else []
    words = ["git", "ls-files", "--cached", *more, *folders]
    listed = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [name for name in listed.splitlines() if (ROOT / name).is_file()]


def built(kind: str, folder: Path) -> Path:
    """Built in `folder` from a copy: an older build left in the checkout must not flatter it."""
    for name in tracked():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, folder / name, follow_symlinks=False)
    code = f"import sys; from setuptools.build_meta import build_{kind} as build; print(build(sys.argv[1]))"
    done = python(code, folder, cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder / done.stdout.splitlines()[-1]


def build_wheel(folder: Path) -> Path:
    return built("wheel", folder)


@pytest.fixture(scope="module")
def inside(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """The names in the wheel."""
    return set(ZipFile(build_wheel(tmp_path_factory.mktemp("source"))).namelist())


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="a source distribution has files of its own")
def test_nothing_else_stands_at_the_top() -> None:
    """What somebody made while he tried things is no part of the project."""
    folders = {name.partition("/")[0] for name in tracked(soon=False) if "/" in name}
    assert folders == {
        *["src", "tests", "benchmarks", "docs", "examples", ".ci", ".github"],
    }
    files = {name for name in tracked(soon=False) if "/" not in name and name.endswith(".md")}
    names = ("AGENTS", "README", "CHANGELOG", "CONTRIBUTING", "SECURITY", "VERSIONING")
    assert files == {f"{name}.md" for name in names}


@pytest.mark.long
def test_every_tracked_file_of_every_room_is_in_the_wheel(inside: set[str]) -> None:
    files = {name.removeprefix("src/") for name in tracked("src")}
    assert len(files) > 100
    assert sorted(files - inside) == []


@pytest.mark.long
def test_the_source_holds_what_its_tests_read(tmp_path: Path) -> None:
    """Links to folders at the top are left out."""
    source = built("sdist", tmp_path)
    with tarfile.open(source) as packed:
        names = {name.partition("/")[2] for name in packed.getnames()}
    assert [name for name in tracked() if name not in names and name not in OWNERS] == []


@pytest.mark.long
def test_the_page_of_the_index_leads_to_the_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DRR_TREE", "https://git.example/a/b/blob/v9")
    wheel = ZipFile(built("wheel", tmp_path))
    (name,) = [name for name in wheel.namelist() if name.endswith(".dist-info/METADATA")]
    page = wheel.read(name).decode()
    assert "](https://git.example/a/b/raw/v9/docs/images/caught.png)" in page
    assert "](https://git.example/a/b/blob/v9/docs/judging.md)" in page
    assert "\nProject-URL: Source, https://git.example/a/b\n" in page
    assert re.findall(r"\]\((?!https:|#)", page) == []


@pytest.mark.long
def test_the_wheel_owns_two_import_names(inside: set[str]) -> None:
    """The second is for verifiers, which takes no name with a dot."""
    assert {name.split("/")[0] for name in inside if ".dist-info/" not in name} == {"drr", "drr_retail"}
