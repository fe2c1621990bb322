"""Keeps the table and the drawing of docs/architecture.md true: which room may import which, and what no room may do at all."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from tests.commands import python
from tests.sources import FACE, FOLDERS, ROOT, SRC, every, imports, modules, walked

PAGE = (ROOT / "docs" / "architecture.md").read_text("utf-8")
PAPERS = sorted(f"papers/{path.parent.name}" for path in (SRC / "papers").glob("*/plugin.py"))
ROOMS = [*(room for room in FOLDERS if room != "papers"), *PAPERS, FACE]
OWNERS = ("agents", "data_ingest", "env", "eval", "querygen", "tools")
"""Rooms whose names stand at the top as links."""
EVAL_FLOORS = (
    {"labels", "asking", "evidence", "stats"}, {"checks", "foreign", "report_lists", "rewards"}, {"tasks"}, {"judging"}, {"metrics"},
    {"agreement"}, {"canaries"},
)  # fmt: skip
"""What lies within `eval`, from the ground up: nothing imports from a floor above its own."""
LINES = 400
"""The longest that a file may be; data belong into files of their own."""


@cache
def allowed() -> dict[str, set[str]]:
    """Return what each room may import by the table; only papers and extras see the contract, and `app` through `plugin`."""
    rows = re.findall(r"^\| (?:the files of )?`([\w/]+?)/?` \| .* \| ([^|]+) \|$", PAGE, re.M)
    found: dict[str, set[str]] = {}
    for name, cell in rows:
        room = FACE if name == "src/drr" else name
        more, _, but = cell.rpartition("all but ")
        named = {*re.split(", | and ", but)} - {"nothing of ours", "other papers"}
        assert named <= {*FOLDERS}, name
        found[room] = {*FOLDERS} - {"papers"} - named if "all but " in cell else named
        found[room] |= {"contract", "plugin"} if room in (*PAPERS, "extras", FACE) else set()
        found[room] |= {FACE} if more == "the face; " else set()
    return found


def room_of(name: str) -> str:
    first, *inside = name.split(".")[1:]
    own = first if first in (*FOLDERS, "contract", "plugin", "beside") else FACE
    return "/".join([own, *inside[:1]]) if own == "papers" else own


def faults(room: str, path: Path, tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield what is wrong; the contract takes each type from the room that reads it, and a name in a string, loaded late, is an import."""
    text = path.read_text("utf-8")
    for line, name in imports(tree):
        if room_of(name) not in {room, "beside", *allowed()[room]} and path != SRC / "contract.py":
            yield line, f"imports {name}"
    if room in (*PAPERS, "extras") and "drr.app" in text:
        yield 1, "names drr.app beside what drr.plugin offers"
    if (lines := text.count("\n")) > LINES:
        yield lines, "is too long to read"
    for node in walked(tree):
        match node:
            case ast.ImportFrom(level=level) if level:
                yield node.lineno, "imports by a relative path"
            case ast.Attribute(ast.Name("random"), name) if name not in ("Random", "SystemRandom"):
                yield node.lineno, f"random.{name} draws from one generator for the whole process"
            case ast.ClassDef(name) | ast.FunctionDef(name) | ast.AsyncFunctionDef(name):
                lines = (node.end_lineno or node.lineno) - node.lineno + 1
                if lines > (200 if isinstance(node, ast.ClassDef) else 60):
                    yield node.lineno, f"{name} has {lines} lines"


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_what_the_table_allows_and_keeps_the_rules_of_the_house(room: str) -> None:
    found = ((path, fault) for path, tree in modules(room) for fault in faults(room, path, tree))
    assert [f"{path.relative_to(SRC)}:{line} {told}" for path, (line, told) in found] == []


def test_the_table_has_every_room_and_the_drawing_has_it_above_those_that_it_imports() -> None:
    assert allowed().keys() == {*ROOMS}
    (drawn,) = re.findall(r"^```text\n(.*?)^```", PAGE, re.M | re.S)
    lines = enumerate(reversed(drawn.replace("face", FACE).splitlines()))
    floors = {room: floor for floor, line in lines for room in line.split()}
    assert floors.keys() == {*FOLDERS, FACE}
    for room, below in allowed().items():
        own = room.partition("/")[0]
        above = [other for other in below & floors.keys() if floors[other] >= floors[own] and other != own]
        assert not above, f"{room} stands no higher than {above}"


def test_files_lead_to_each_other_in_no_circle_and_within_judging_down() -> None:
    trees = {
        ".".join(("drr", *path.relative_to(SRC).with_suffix("").parts)).removesuffix(".__init__"): tree
        for path, tree in every()
    }
    below = {
        name: {one if one in trees else one.rpartition(".")[0] for _, one in imports(tree)}
        & {*trees} - {name}
        for name, tree in trees.items()
    }
    TopologicalSorter(below).prepare()  # `CycleError` names the files of a circle
    floor = {name: level for level, names in enumerate(EVAL_FLOORS) for name in names}
    up = [
        f"{name} imports {other}"
        for name, others in below.items()
        for other in others
        if name.startswith("drr.eval.") and other.startswith("drr.eval.")
        and floor[other.split(".")[2]] > floor[name.split(".")[2]]
    ]  # fmt: skip
    assert up == []


def test_no_public_class_name_stands_for_two_things() -> None:
    places: dict[str, list[str]] = {}
    for path, tree in every():
        for node in walked(tree):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places.setdefault(node.name, []).append(f"{path.relative_to(SRC)}:{node.lineno}")
    assert [where for where in places.values() if len(where) > 1] == []


def test_the_rooms_of_the_owners_stand_at_the_top() -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("a source distribution holds no links")
    for room in OWNERS:  # a clone with `core.symlinks=false` holds files that name the folders
        link = ROOT / room
        assert (str(link.readlink()) if link.is_symlink() else link.read_text("utf-8")) == f"src/drr/{room}"


@pytest.mark.long
def test_no_module_loads_under_two_names(tmp_path: Path) -> None:
    """In a checkout six rooms stand where Python may look for `env` or `tools`: they step aside for whose name that is."""
    (tmp_path / "tools.py").write_text("OTHER = True\n", encoding="utf-8")
    code = (
        "import importlib, sys\n"
        "from pathlib import Path\n"
        "sys.path.append(sys.argv[1])\n"
        "for room in sys.argv[2:]:\n"
        "    importlib.import_module(f'drr.{room}')\n"
        "    try:\n"
        "        importlib.import_module(room)\n"
        "    except ImportError as error:\n"
        "        assert f'import drr.{room}' in str(error), error\n"
        "assert sys.modules['tools'].OTHER\n"
        "files = [(name, getattr(module, '__file__', None)) for name, module in sys.modules.items()]\n"
        "here = {name for name, file in files if file and Path(file).is_relative_to(Path.cwd()) and '.venv' not in file}\n"
        "assert here and all(name.partition('.')[0] == 'drr' for name in here), here\n"
    )
    if not all((ROOT / room).is_dir() for room in OWNERS):
        pytest.skip("this clone holds no links")
    done = python(code, tmp_path, *OWNERS, cwd=ROOT)
    assert done.returncode == 0, done.stderr


def test_packages_of_others_may_bear_the_names_of_our_rooms(tmp_path: Path) -> None:
    for room in FOLDERS:
        (tmp_path / room).mkdir()
        (tmp_path / room / "__init__.py").write_text("OTHER = True\n", encoding="utf-8")
    code = (
        "import importlib, sys\n"
        "from drr.app.cli import main\n"
        "code = main(['tools', 'list'])\n"
        "assert all(importlib.import_module(room).OTHER for room in sys.argv[1:])\n"
        "sys.exit(code)\n"
    )
    done = python(code, *FOLDERS, cwd=tmp_path)
    assert done.returncode == 0, done.stderr


def test_no_registry_is_named_in_the_lock() -> None:
    lines = (ROOT / "requirements.lock").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if "://" in line or line.startswith(("-i", "--index", "--extra"))] == []
    pinned = [line for line in lines if "==" in line]
    assert pinned
    assert not [line for line in pinned if "litellm" in line.lower()]
