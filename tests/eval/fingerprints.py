"""What decides a verdict without a model, fingerprinted: a task's, a rule's and the stand-in's code with all that it imports.

A declared version is raised by hand. So that nobody forgets, the fingerprint of the code behind each version is kept in
`fingerprints.json`; comments, docstrings and formatting are no part of it. Where it changed, either the version is raised or the
change is waived with a reason:

python -m tests.eval.fingerprints --raise "task support"
python -m tests.eval.fingerprints --waive "rule price" "renamed a variable"
python -m tests.eval.fingerprints --waive all "moved a module; no verdict changes"
"""

from __future__ import annotations

import argparse
import ast
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import NotRequired, TypedDict

from drr.eval.checks import RULES
from drr.eval.tasks.registry import tasks
from drr.offline.judge import RulesJudge

from tests.sources import SRC, imports, no_search_for_garbage, walked

KEPT = Path(__file__).with_name("fingerprints.json")
DECIDING = (
    "drr.citations", "drr.wording", "drr.env.constraints", "drr.env.entities", "drr.env.profile",
    "drr.env.records", "drr.env.shop_world", "drr.env.source", "drr.env.statistics",
    "drr.env.text", "drr.env.web.open", "drr.env.world", "drr.eval.asking.safety", "drr.eval.asking.seen", "drr.eval.checks",
    "drr.eval.evidence", "drr.eval.tasks", "drr.offline.judge", "drr.offline.surface", "drr.papers.dr3.judging",
    "drr.papers.pdr.judging", "drr.papers.reporteval.judging",
)  # fmt: skip
"""Where code decides; the answer forms and prompts are part of every request, and so of its key."""
SEAM = frozenset(f"drr.eval.tasks.{name}" for name in ("citation_rows", "desk", "judgements", "registry"))
"""What carries tasks and decides nothing."""
DATA = (".toml", ".txt", ".json", ".csv")


class Row(TypedDict):
    version: str
    fingerprint: str
    waived: NotRequired[list[str]]
    """Reasons why code changed under this version."""


@dataclass(frozen=True)
class Versioned:
    name: str
    version: str
    module: str


def versioned() -> list[Versioned]:
    """Everything with a declared version."""
    found = [
        Versioned(f"task {name}", str(task.version), type(task).__module__) for name, task in tasks().items()
    ]
    found += [Versioned(f"rule {name}", rule.version, rule.check.__module__) for name, rule in RULES.items()]
    return [*found, Versioned(f"judge {RulesJudge.name}", str(RulesJudge.version), RulesJudge.__module__)]


def fingerprint(module: str, root: Path = SRC) -> str:
    """Of the module and of everything that decides among what it imports, vocabularies included."""
    reached = reach(module, root)
    if not reached:
        raise ValueError(f"{module}: no code of ours; a version would stand for nothing")
    files = sorted({path for name in reached for path in _files(root, name)})
    parts = [f"{path.relative_to(root)}\0{_content(path)}" for path in files]
    return sha256("\0".join(parts).encode()).hexdigest()[:16]


def reach(module: str, root: Path = SRC) -> set[str]:
    """The deciding modules that this one imports, over any number of steps, itself included."""
    found: set[str] = set()
    waiting = [module]
    while waiting:
        name = waiting.pop()
        path = _path(root, name)
        if path is None or name in found or name in SEAM:
            continue
        if not any(name == start or name.startswith(f"{start}.") for start in DECIDING):
            continue
        found.add(name)
        waiting += _imports(path)
    return found


@cache
def _path(root: Path, module: str) -> Path | None:
    place = root.joinpath(*module.split(".")[1:])
    for path in (place.with_suffix(".py"), place / "__init__.py"):
        if path.is_file():
            return path
    return None


@cache
def _files(root: Path, module: str) -> tuple[Path, ...]:
    path = _path(root, module)
    if path is None:
        return ()
    return (path, *(other for other in path.parent.iterdir() if other.suffix in DATA))


@cache
def _tree(path: Path) -> ast.Module:
    with no_search_for_garbage():
        return ast.parse(path.read_text(encoding="utf-8"))


@cache
def _imports(path: Path) -> tuple[str, ...]:
    return tuple(part for _, name in imports(_tree(path)) for part in (name, name.rpartition(".")[0]))


@cache
def _content(path: Path) -> str:
    if path.suffix != ".py":
        return path.read_text(encoding="utf-8")
    for node in walked(tree := _tree(path)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            node.body = [one for one in node.body if not _is_text(one)]
    return ast.dump(tree).replace(", type_params=[]", "")  # which Python 3.12 adds


def _is_text(statement: ast.stmt) -> bool:
    """A docstring, or the text under a name that says what it holds."""
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def kept() -> dict[str, Row]:
    found: dict[str, Row] = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.is_file() else {}
    return found


def stale(rows: Mapping[str, Row], things: list[Versioned]) -> list[str]:
    """One line for everything whose code changed and whose version did not, or whose version nobody entered."""
    told: list[str] = []
    for one in things:
        row = rows.get(one.name)
        if row is None or row["version"] != one.version:
            told.append(f"{one.name}: version {one.version} is not entered; --raise {one.name!r}")
        elif row["fingerprint"] != fingerprint(one.module):
            told.append(
                f"{one.name}: its code changed; raise its version if a verdict can change, then --raise {one.name!r}, "
                f"else --waive {one.name!r} WHY (all: every stale one)"
            )
    return told + [f"{name}: is gone; any call drops it" for name in rows.keys() - {t.name for t in things}]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.eval.fingerprints")
    choice = parser.add_mutually_exclusive_group(required=True)
    choice.add_argument("--raise", dest="raised", metavar="NAME", help="enter a version that was raised")
    choice.add_argument(
        "--waive", nargs=2, metavar=("NAME", "WHY"), help="the change alters no verdict; NAME may be `all`"
    )
    arguments = parser.parse_args()
    name, why = arguments.waive or (arguments.raised, None)
    things = versioned()
    rows = {one.name: row for one in things if (row := kept().get(one.name)) is not None}
    chosen = [one for one in things if name in ("all", one.name)]
    if not chosen:
        parser.error(f"nothing is called {name!r}; there are {', '.join(one.name for one in things)}")
    for one in chosen:
        row, now = rows.get(one.name), fingerprint(one.module)
        if why is None and row is not None and row["version"] == one.version:
            if name == one.name:
                parser.error(f"{name} is still at version {one.version}; raise it in the code")
        elif why is None:
            rows[one.name] = {"version": one.version, "fingerprint": now}
        elif row is not None and row["version"] == one.version and row["fingerprint"] != now:
            rows[one.name] = {**row, "fingerprint": now, "waived": [*row.get("waived", ()), why]}
    KEPT.write_text(json.dumps(rows, indent=1, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
