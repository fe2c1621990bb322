"""Keeps the table of DESIGN.md true: which room may import which, and what no room may do at all."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from tests.commands import python
from tests.sources import FACE, ROOT, SRC, modules, walked

PAPERS = sorted(f"papers/{path.parent.name}" for path in (SRC / "papers").glob("*/plugin.py"))
"""Each leans on every room but `app`, of which it sees what `drr.plugin` offers, and on no other paper."""
ALLOWED: dict[str, set[str]] = {
    "citations": set(),
    "wording": set(),
    "env": {"citations", "wording"},
    "data_ingest": {"wording", "env"},
    "tools": {"citations", "wording", "env", "llm"},
    "llm": set(),
    "study": {"env", "llm"},
    "agents": {"citations", "wording", "env", "tools", "llm"},
    "querygen": {"wording", "env", "tools", "llm", "study"},
    "eval": {"citations", "wording", "env", "tools", "llm", "study"},
    "offline": {"citations", "wording", "env", "tools", "llm", "agents", "querygen", "eval"},
    "app": {
        "citations", "wording", "env", "data_ingest", "tools", "llm", "agents", "study", "querygen", "eval", "offline",
    },
    "extras": {"citations", "wording", "env", "tools", "llm", "agents", "study", "querygen", "eval", "contract", "plugin"},
}  # fmt: skip
ALLOWED |= {paper: {*ALLOWED, "contract", "plugin"} - {"app"} for paper in PAPERS}
FOLDERS = sorted({room.partition("/")[0] for room in ALLOWED})
"""The folders of the package."""
OWNERS = ("agents", "data_ingest", "env", "eval", "querygen", "tools")
"""Rooms whose names stand at the top as links."""


def imported_rooms(tree: ast.Module) -> Iterator[tuple[int, str]]:
    for node in walked(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
            if node.module == "drr":
                names += [f"drr.{alias.name}" for alias in node.names if alias.name in FOLDERS]
        else:
            continue
        for name in names:
            package, _, rest = name.partition(".")
            if package == "drr" and rest and rest != "beside":
                room, *inside = rest.split(".")
                if room == "papers" and not inside and isinstance(node, ast.ImportFrom):
                    inside = [alias.name for alias in node.names]
                yield node.lineno, "/".join([room, *inside[:1]]) if room == "papers" else room


@pytest.mark.parametrize("room", ALLOWED)
def test_a_room_imports_only_what_the_design_allows(room: str) -> None:
    wrong = [
        f"{path.relative_to(SRC)}:{line} imports {other}"
        for path, tree in modules(room)
        for line, other in imported_rooms(tree)
        if other != room and other not in ALLOWED[room]
    ]
    assert wrong == []


def test_the_drawing_has_every_room_above_those_that_it_imports() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    drawn = re.search(r"^```text\n(.*?)^```", text, re.M | re.S)
    assert drawn
    floors = {
        room: floor
        for floor, line in enumerate(reversed(drawn[1].splitlines()))
        for room in re.findall(r"[\w/]+", line)
    }
    rooms = {room.partition("/")[0] for room in ALLOWED}
    assert rooms == {room for room in floors if room != "face"}
    for room, below in ALLOWED.items():
        for other in {one.partition("/")[0] for one in below} - {
            "contract",
            "plugin",
            room.partition("/")[0],
        }:
            assert floors[other] < floors[room.partition("/")[0]], f"{room} stands no higher than {other}"


def imports_of(tree: ast.Module, files: set[str]) -> set[str]:
    """The files of ours that a module imports, at its head, within a function or for its types alone."""
    names: set[str] = set()
    for node in walked(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            inside = {f"{node.module}.{alias.name}" for alias in node.names}
            names |= {one if one in files else node.module for one in inside}
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    return names & files


def test_files_lead_to_each_other_in_no_circle() -> None:
    trees = {
        ".".join(("drr", *path.relative_to(SRC).with_suffix("").parts)).removesuffix(".__init__"): tree
        for room in ALLOWED
        for path, tree in modules(room)
    }
    below = {name: imports_of(tree, {*trees}) - {name} for name, tree in trees.items()}
    TopologicalSorter(below).prepare()  # `CycleError` names the files of a circle


@pytest.mark.parametrize("room", [*PAPERS, "extras"])
def test_papers_and_extras_see_of_the_app_what_drr_plugin_offers(room: str) -> None:
    """A name in a string, which is loaded late, is an import too."""
    assert [str(path) for path, _ in modules(room) if "drr.app" in path.read_text("utf-8")] == []


EVAL_FLOORS = (
    {"labels", "asking", "evidence", "stats"}, {"checks", "foreign", "report_lists", "rewards"}, {"tasks"}, {"judging"}, {"metrics"},
    {"agreement"}, {"canaries"},
)  # fmt: skip
"""What lies within `eval`, from the ground up: nothing imports from a floor above its own."""


def test_arrows_within_judging_lead_down() -> None:
    floor = {name: level for level, names in enumerate(EVAL_FLOORS) for name in names}
    wrong = []
    for path, tree in modules("eval"):
        inside = path.relative_to(SRC / "eval").parts
        own = inside[0].removesuffix(".py")
        if own == "__init__":
            continue
        for node in walked(tree):
            name = node.module if isinstance(node, ast.ImportFrom) else None
            if name and name.startswith("drr.eval."):
                other = name.split(".")[2]
                if floor[other] > floor[own]:
                    wrong.append(f"{path.relative_to(SRC)}:{node.lineno} imports {name}")
    assert wrong == []


def test_the_face_stands_on_the_rooms() -> None:
    """But for the contract, which takes the type of each part from the room that reads it."""
    used = {
        other
        for path, tree in modules(FACE)
        if path.name != "contract.py"
        for _, other in imported_rooms(tree)
    }
    assert used <= {"face", "tables", "twins", "app", "env", "eval", "study"}
    below = {other for room in ALLOWED for _, tree in modules(room) for _, other in imported_rooms(tree)}
    assert below <= {*ALLOWED, "contract", "plugin"}


@pytest.mark.parametrize("room", ALLOWED)
def test_randomness_is_handed_in(room: str) -> None:
    """`random.random()` and friends draw from one generator for the whole process; a seeded `Random` does not."""
    wrong = [
        f"{path.relative_to(SRC)}:{node.lineno}"
        for path, tree in modules(room)
        for node in walked(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "random"
        and node.attr not in {"Random", "SystemRandom"}
    ]
    assert wrong == []


LINES = {"a file": 400, "a class": 200, "a function": 60}
"""The longest that one may be; data belong into files of their own."""


@pytest.mark.parametrize("room", ALLOWED)
def test_nothing_is_longer_than_one_can_read(room: str) -> None:
    long = [
        f"{path.relative_to(SRC)}: {name} has {lines} lines"
        for path, tree in modules(room)
        for kind, name, lines in lengths(path, tree)
        if lines > LINES[kind]
    ]
    assert long == []


def lengths(path: Path, tree: ast.Module) -> Iterator[tuple[str, str, int]]:
    yield "a file", path.name, len(path.read_text(encoding="utf-8").splitlines())
    for node in walked(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            kind = "a class" if isinstance(node, ast.ClassDef) else "a function"
            yield kind, node.name, (node.end_lineno or node.lineno) - node.lineno + 1


def test_no_public_class_name_stands_for_two_things() -> None:
    places: dict[str, list[str]] = {}
    for room in ALLOWED:
        for path, tree in modules(room):
            for node in walked(tree):
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    places.setdefault(node.name, []).append(f"{path.relative_to(SRC)}:{node.lineno}")
    assert {name: where for name, where in places.items() if len(where) > 1} == {}


def test_every_folder_of_the_package_is_a_room_and_the_owners_stand_at_the_top() -> None:
    assert sorted(path.parent.name for path in SRC.glob("*/__init__.py")) == FOLDERS
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
