"""The plug-ins: the parts that papers and extras bring, in plain data, each loaded only when needed.

A paper of this repository is a folder of `papers/` with a `plugin.py`; any other is an entry point of the group `drr.papers`, whose name
is the paper's. Both give a `Paper`. Objects named by `module:object` are imported on use, so that the command line stays quick.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

PAPERS, EXTRAS = "drr.papers", "drr.extras"
_WORDS = {PAPERS: "paper", EXTRAS: "extra"}


class JudgingTask(NamedTuple):
    """A task that a judge model is given."""

    group: str
    """The word of `--what` that selects the task."""
    name: str
    place: str
    """The task's object as `module:object`."""
    usual: bool = False
    """True if the task is judged without being asked for."""


class Placed(NamedTuple):
    """A module with its place in an ordered list, which is the order of tables."""

    name: str
    before: str = ""
    """The name of the module that this one precedes."""
    after: str = ""
    tasks: Sequence[str] = ()
    """Tasks whose verdicts the module's figures use; the module is loaded if one of them was judged. Empty: it is always loaded."""


class Paper(NamedTuple):
    """Everything that a paper brings; empty fields stand for parts that it lacks."""

    name: str
    title: str
    """The title for people to read."""
    worlds: Mapping[str, str] = {}
    """Worlds by the name that `--world` takes. Each is a function of the `Site` that returns a context manager of the `WorldResources`."""
    kinds: Mapping[str, str] = {}
    """Classes of the paper's kinds of sources, by name."""
    tasks: Sequence[JudgingTask] = ()
    besides: Mapping[str, Sequence[str]] = {}
    """Words of `--what` that another word of `--what` implies."""
    asks: Mapping[str, str] = {}
    """Questions of the paper's tasks by judging protocol, in the form of `JudgingProtocol.asks`."""
    metrics: Sequence[Placed] = ()
    """Families of metrics, by module name."""
    documents: Mapping[str, str] = {}
    """Parts of the study's document by key. Each is a function of `drr.eval.metrics.document.JudgedStudy`."""
    printed: str = ""
    """The figures by the definitions printed in the paper, a `drr.eval.metrics.document.PrintedFigures`."""
    judge_rules: str = ""
    """A `drr.offline.judge.Rules`, which answers in place of a judge model."""
    ruled: Sequence[str] = ()
    """The tasks that these rules answer."""
    labels: str = ""
    """A function of the judged units and the judge's name that returns the verdicts as labels."""
    corrected: str = ""
    """A function of the judged units and people's labels that returns the figures which labels can correct."""
    formats: Mapping[str, str] = {}
    """Other benchmarks' file formats (`drr.eval.foreign.form.Format`), by the name that `--format` takes."""
    sums: Mapping[str, tuple[str, str]] = {}
    """Protocols of `drr papers aggregate` by name. Each is the class that sums, and one line of help."""
    architectures: str = ""
    """The place of a tuple of `drr.agents.architecture.Architecture`."""
    graphs: Mapping[str, str] = {}
    """Functions that make the graphs of the paper's agents, by name, for drawing them."""
    agent_prompts: str = ""
    """The package whose folder `prompts` holds the prompts of the paper's agents."""
    task_folders: str = ""
    """The module of the paper's tasks, if these are folders (`drr.app.study.worlds.TaskFolders`)."""
    annotations: Mapping[str, str] = {}
    """Tasks of `drr judges annotate`. Each is a function that returns the items of a study that people score."""
    agreement: Mapping[str, Mapping[str, float]] = {}
    """The printed figures of how well judges agree with people, by name."""
    leads: Mapping[str, Sequence[str]] = {}
    """Metrics of other tables that precede one of the paper's own in the summary of a judging run."""
    examples: Mapping[str, Sequence[str]] = {}
    """Example lines for the help of commands."""
    canaries: str = ""
    """The module of the paper's canaries (`drr.app.commands.canaries.PaperCanaries`)."""
    task_actions: str = ""
    """The module that carries out `drr papers tasks` (`drr.app.commands.tasks.TaskActions`)."""
    traces: Sequence[str] | None = None
    """Values of a study's plan and files in its folder that only the paper's studies have. Reports and pages of studies without any, and without
    a judged task or a world of the paper, do not load it. `None`: they always do.
    """
    headline: str = ""
    """The name of the paper's lead metric."""
    report: str = ""
    """The paper's part of reports (`drr.app.report.of_papers.ReportParts`)."""
    viewer: str = ""
    """The paper's part of a study's pages (`drr.app.viewer.of_papers.StudyPart`); `templates` lie beside its module."""
    choices: str = ""
    """The module with the choices of the paper's judging tasks (`drr.app.judge.plan.PaperChoices`)."""
    person_facts: str = ""
    """The module that makes the text about a person for each setting (`drr.app.study.person.PersonFactsModule`)."""
    gone: Mapping[str, str] = {}
    """Former commands, within `drr papers` and on their own, with their replacements."""
    commands: str = ""
    """The place of the paper's commands, as `drr.app.commands.table.CommandRow`s."""
    reproduction: str = ""
    """The module that carries out `drr papers reproduce` (`drr.app.papers.steps.PaperSteps`)."""
    exhibits: str = ""
    """The package whose file `printed.toml` holds the paper's tables and figures, as printed."""
    prompts: str = ""
    """The package whose folder `prompts` holds the paper's own prompts."""
    needs: Sequence[str] = ()
    """Packages that only the paper needs; the extra of the paper's name installs them."""
    judging_prompts: str = ""
    """The package whose folder `prompts` holds the prompts of the paper's judging tasks."""

    def judges(self, tasks: Collection[str]) -> bool:
        """Return True if one of the named tasks is the paper's."""
        return any(task.name in tasks for task in self.tasks)


class ExtraDoor(NamedTuple):
    """An extra: the connection to other authors' software."""

    name: str
    pools: Mapping[str, str] = {}
    """Pools by the name that `--pool` takes. Each is a function of a `PoolOrder` that returns the pool."""
    faces: Mapping[str, str] = {}
    """Faces by the name that `drr tools mcp --face` takes. Each is a class of `drr.tools.mcp.Face`."""
    variants: Mapping[str, str] = {}
    """Variants by the word before the colon. Each is a function of the whole name that returns the `Architecture`."""
    agents: Mapping[str, str] = {}
    """Loaders for agents of other packages in files. Each is a function of the file's object that returns how to load it and its prompts, or `None`."""
    spans: Mapping[str, str] = {}
    """Classes of `drr.app.study.spans.Spans`, by the option of a run."""
    logs: Mapping[str, str] = {}
    """Readers of other harnesses' logs, by the ending of the file. Each is a function of path, system and scorer that returns `ReadReports`."""
    clusters: Mapping[str, str] = {}
    """Lines of `drr env doctor` by name. Each is a function that names the cluster of this machine, or returns `None`."""


@cache
def papers() -> tuple[Paper, ...]:
    """Return the papers of this repository, then those of other packages. One that cannot be loaded is left out and named by `unusable_plugins`."""
    return tuple(one for one in _found(PAPERS)[0].values() if isinstance(one, Paper))


@cache
def extras() -> tuple[ExtraDoor, ...]:
    """Return the extras of this repository, then those of other packages."""
    return tuple(one for one in _found(EXTRAS)[0].values() if isinstance(one, ExtraDoor))


def unusable_plugins() -> dict[str, str]:
    """Return the fault of each unusable paper and extra of other packages, by name."""
    return {**_found(PAPERS)[1], **_found(EXTRAS)[1]}


@cache
def _found(group: str) -> tuple[dict[str, Paper | ExtraDoor], dict[str, str]]:
    kind = Paper if group == PAPERS else ExtraDoor
    found = {one.name: one for one in _ours(group)}
    wrong: dict[str, str] = {}
    for name, place in entry_points_of(group):
        which = f"{_WORDS[group]} {name!r} of {place}"
        try:
            one = load(place)
        except Exception as error:  # noqa: BLE001 - code of others, which must not end ours
            wrong[name] = (
                f"the {which} cannot be loaded ({type(error).__name__}: {error}); mend or uninstall it"
            )
            continue
        if not isinstance(one, kind) or one.name != name or name in found:
            wrong[name] = f"the {which}: it is no `{kind.__name__}` of that name, or the name is taken"
            continue
        found[name] = one
    return found, wrong


def _ours(group: str) -> Iterator[Paper | ExtraDoor]:
    for name in import_module(group).ORDER:
        place = f"{group}.{name}.plugin"
        try:
            module = import_module(place)
        except ModuleNotFoundError as error:
            if error.name is None or not place.startswith(error.name):
                raise
            continue  # its folder is not here
        yield module.PAPER if group == PAPERS else module.EXTRA


def load(place: str) -> Any:
    """Import the object that `module:object` names."""
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


def prompt_folders(field: str) -> list[Path]:
    """Return the folders of the papers' prompts; `field` is `prompts` or `judging_prompts`."""
    return [folder_of(name) / "prompts" for paper in papers() if (name := getattr(paper, field))]


def folder_of(package: str) -> Path:
    """Return the folder that holds a package's files."""
    from importlib.util import find_spec
    from pathlib import Path

    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(f"{package}: no such package", name=package)
    return Path(spec.origin).parent


def merged_field(field: str) -> dict[str, Any]:
    """Merge one mapping field of all papers, or of all extras. The first to use a name keeps it."""
    found: dict[str, Any] = {}
    for one in papers() if field in Paper._fields else extras():
        for name, value in getattr(one, field).items():
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


def check_needs(paper: Paper) -> None:
    """Raise `Misuse` if a package that the paper needs is missing, before any work begins."""
    from importlib.util import find_spec

    from drr.env.errors import Misuse

    if missing := next((name for name in paper.needs if find_spec(name) is None), None):
        raise Misuse(missing_package_hint(missing) or missing)


def examples_of(command: str) -> str:
    """Return the example lines that papers add to the help of a command."""
    return "".join(f"{line}\n" for paper in papers() for line in paper.examples.get(command, ()))


def in_table_places(names: Iterable[str], further: Iterable[Placed]) -> list[str]:
    """Return all names in order: each of `further` before the one that it names, or at the end."""
    found = list(names)
    for one in further:
        if one.before in found:
            found.insert(found.index(one.before), one.name)
        elif one.after in found:
            found.insert(found.index(one.after) + 1, one.name)
        else:
            found.append(one.name)
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
