"""The plug-ins: what papers and extras bring, each part loaded only when needed.

A paper of this repository is a folder of `papers/` with a `plugin.py`; any other is an entry point of the group `drr.papers`, whose name
is the paper's. Both give an object of a class derived from `drr.contract.Paper`. Its parts are typed there, above all rooms that read them.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

if TYPE_CHECKING:
    from pathlib import Path

PAPERS, EXTRAS = "drr.papers", "drr.extras"
_WORDS = {PAPERS: "paper", EXTRAS: "extra"}
_Loaded = TypeVar("_Loaded")


class JudgingTask(NamedTuple):
    """A task that a judge model is given."""

    group: str
    """The word of `--what` that selects the task."""
    name: str
    usual: bool = False
    """True if the task is judged without being asked for."""
    place: str = ""
    """The task's object as `module:object`, for this project's own; a paper's `Judging.task` returns the paper's."""


class Placed(NamedTuple):
    """A family of metrics with its place in the order of tables."""

    name: str
    before: str = ""
    """The name of the family that this one precedes; of another paper's as `PAPER.NAME`."""
    after: str = ""
    tasks: Sequence[str] = ()
    """Tasks whose verdicts the family's figures use; the family is loaded if one of them was judged. Empty: it is always loaded."""


class AnyPaper:
    """A paper, as rooms see it that lie below the types of its parts; `drr.contract.Paper` says what each part is."""

    name: str
    title: str
    """The title for people to read."""
    needs: Sequence[str] = ()
    """Packages that only the paper needs; the extra of the paper's name installs them."""
    agents: Any
    judging: Any
    figures: Any
    foreign: Any
    pages: Any
    commands: Any

    @property
    def folder(self) -> Path:
        """Return the folder of the module that declares the paper. Files that the paper has lie in it: `printed.toml`, and prompts in `prompts/`,
        `agent/prompts/` and `judging/prompts/`.
        """
        from pathlib import Path

        return Path(str(sys.modules[type(self).__module__].__file__)).parent

    def judges(self, tasks: Collection[str]) -> bool:
        """Return True if one of the named tasks is the paper's."""
        return any(task.name in tasks for task in self.judging.tasks)


class AnyExtra:
    """An extra, as rooms see it that lie below the types of its parts: `drr.contract.Extra`."""

    name: str
    pools: Mapping[str, Any]
    faces: Mapping[str, Any]
    variants: Mapping[str, Any]
    agents: Mapping[str, Any]
    spans: Mapping[str, Any]
    logs: Mapping[str, Any]
    clusters: Mapping[str, Any]


@cache
def papers() -> tuple[AnyPaper, ...]:
    """Return the papers of this repository, then the papers of other packages. One that cannot be loaded is left out and named by `unusable_plugins`."""
    return tuple(one for one in _found(PAPERS)[0].values() if isinstance(one, AnyPaper))


@cache
def extras() -> tuple[AnyExtra, ...]:
    """Return the extras of this repository, then the extras of other packages."""
    return tuple(one for one in _found(EXTRAS)[0].values() if isinstance(one, AnyExtra))


def unusable_plugins() -> dict[str, str]:
    """Return the fault of each unusable paper and extra of other packages, by name."""
    return {**_found(PAPERS)[1], **_found(EXTRAS)[1]}


@cache
def _found(group: str) -> tuple[dict[str, AnyPaper | AnyExtra], dict[str, str]]:
    kind = AnyPaper if group == PAPERS else AnyExtra
    found = {one.name: one for one in _ours(group)}
    wrong: dict[str, str] = {}
    for name, place in entry_points_of(group):
        which = f"{_WORDS[group]} {name!r} of {place}"
        try:
            one = load(place)
        except Exception as error:  # noqa: BLE001 - code of others, which must not end ours
            _check_contract(which, error)
            wrong[name] = (
                f"the {which} cannot be loaded ({type(error).__name__}: {error}); mend or uninstall it"
            )
            continue
        if not isinstance(one, kind) or one.name != name or name in found:
            wrong[name] = f"the {which}: it is no `{kind.__name__[3:]}` of that name, or the name is taken"
            continue
        found[name] = one
    return found, wrong


def _check_contract(which: str, error: Exception) -> None:
    """Raise `Misuse` for a plug-in that imports names which this module had before. Left out, its tasks and figures would be missed in silence."""
    if isinstance(error, ImportError) and error.name == __name__:
        from drr.env.errors import Misuse

        raise Misuse(
            f"the {which} is written for an older drr. Install its newer version, or uninstall it."
            " Its author derives it from `Paper` or `Extra` of `drr.contract` (CONTRIBUTING.md, A paper)"
        ) from error


def _ours(group: str) -> Iterator[AnyPaper | AnyExtra]:
    for name in import_module(group).ORDER:
        place = f"{group}.{name}.plugin"
        try:
            module = import_module(place)
        except ModuleNotFoundError as error:
            if error.name is None or not place.startswith(error.name):
                raise
            continue  # its folder is not here
        yield module.PAPER if group == PAPERS else module.EXTRA


def load(place: str | Callable[[], Any]) -> Any:
    """Return what a plug-in's function loads, or import the object that `module:object` names."""
    if callable(place):
        return place()
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


def prompt_folders(within: str = "") -> list[Path]:
    """Return the folders of the papers' prompts: their own, or those for the `agent` or for `judging`."""
    folders = (paper.folder / within / "prompts" for paper in papers())
    return [folder for folder in folders if folder.is_dir()]


def merged(mappings: Iterable[Mapping[str, _Loaded]]) -> dict[str, _Loaded]:
    """Merge mappings of plug-ins. The first to use a name keeps it."""
    found: dict[str, _Loaded] = {}
    for one in mappings:
        for name, value in one.items():
            found.setdefault(name, value)
    return found


def missing_package_hint(package: str | None) -> str | None:
    """Return the sentence that says what needs a missing package, and how to install it."""
    from drr.env.installation import install, lack

    for paper in papers():
        if package is not None and package.partition(".")[0] in paper.needs:
            needed = package.partition(".")[0]
            return f"{paper.title} needs the package {needed}, which is not installed: {install(paper.name)}"
    return lack((package or "").partition(".")[0])


def check_needs(name: str) -> None:
    """Raise `Misuse` if a package that the paper of this name needs is missing, before any work begins."""
    from importlib.util import find_spec

    from drr.env.errors import Misuse

    needs = (needed for paper in papers() if paper.name == name for needed in paper.needs)
    if missing := next((needed for needed in needs if find_spec(needed) is None), None):
        raise Misuse(missing_package_hint(missing) or missing)


def examples_of(command: str) -> str:
    """Return the example lines that papers add to the help of a command."""
    return "".join(f"{line}\n" for paper in papers() for line in paper.commands.examples.get(command, ()))


def in_table_places(names: Iterable[str], further: Iterable[tuple[str, Placed]]) -> list[str]:
    """Return all names in order; each name of `further` says its neighbour, or stands at the end."""
    found = list(names)
    for name, one in further:
        if one.before in found:
            found.insert(found.index(one.before), name)
        elif one.after in found:
            found.insert(found.index(one.after) + 1, name)
        else:
            found.append(name)
    return found


def entry_points_of(group: str) -> Iterator[tuple[str, str]]:
    """Yield the name and place of each entry point in a group, each name once.

    The metadata is parsed here line by line, because `importlib.metadata` takes longer to load than `drr --help` may take.
    """
    seen: set[str] = set()
    for folder in sys.path:
        for name, place in _announced_in(folder or os.curdir, group):
            if name not in seen:
                seen.add(name)
                yield name, place


def _announced_in(folder: str, group: str) -> Iterator[tuple[str, str]]:
    try:
        entries = sorted(
            entry.path for entry in os.scandir(folder) if entry.name.endswith((".dist-info", ".egg-info"))
        )
    except OSError:
        return
    for path in entries:
        try:
            with open(f"{path}/entry_points.txt", encoding="utf-8") as file:  # noqa: PTH123 - quicker than pathlib
                text = file.read()
        except (OSError, ValueError):
            continue
        if f"[{group}]" in text:
            yield from _points(text, group)


def _points(text: str, group: str) -> Iterator[tuple[str, str]]:
    inside = False
    for line in text.splitlines():
        if line.startswith("["):
            inside = line.strip() == f"[{group}]"
        elif inside and "=" in line:
            name, _, place = line.partition("=")
            yield name.strip(), place.strip()
