"""Papers and extras: what each plug-in brings, in plain data, loaded only where something of it is asked for.

A paper of ours is a folder of `papers/` with a `plugin.py`; one of somebody else is an entry point of the group `drr.papers`, whose name
is the paper's. Both give a `Paper`. What is named by `module:object` is imported where it is used, so that the command line stays quick.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

PAPERS, EXTRAS = "drr.papers", "drr.extras"
_WORDS = {PAPERS: "paper", EXTRAS: "extra"}


class JudgingTask(NamedTuple):
    """A task of judging."""

    group: str
    """The word of `--what` that asks for it."""
    name: str
    place: str
    """`module:object`."""
    usual: bool = False
    """Judged where nothing is said."""


class Placed(NamedTuple):
    """A module among others, where their order is that of tables."""

    name: str
    before: str = ""
    """The one that it stands in front of."""
    after: str = ""
    tasks: Sequence[str] = ()
    """Its figures are of verdicts of these tasks alone, so it is loaded where one of them judged; empty: always."""


class Paper(NamedTuple):
    """Everything that a paper brings; what it has none of is left out."""

    name: str
    title: str
    """The title as people read it."""
    worlds: Mapping[str, str] = {}
    """Worlds by the name that `--world` takes: a function of the `Site` that gives a context manager of the `Realm`."""
    kinds: Mapping[str, str] = {}
    """Kinds of sources by name: their class."""
    tasks: Sequence[JudgingTask] = ()
    besides: Mapping[str, Sequence[str]] = {}
    """Words of `--what` that another of its words asks for too."""
    asks: Mapping[str, str] = {}
    """Questions of its tasks by protocol of judging, in the form of `JudgingProtocol.asks`."""
    metrics: Sequence[Placed] = ()
    """Families of metrics, by the name of the module."""
    documents: Mapping[str, str] = {}
    """Parts of the study's document by key: a function of `drr.eval.metrics.document.JudgedStudy`."""
    printed: str = ""
    """Figures by the definitions that were printed: a `drr.eval.metrics.document.PrintedFigures`."""
    judge_rules: str = ""
    """`drr.offline.judge.Rules`: what answers in place of a model."""
    ruled: Sequence[str] = ()
    """The tasks that these rules answer."""
    labels: str = ""
    """A function of what was judged and the judge's name, that gives its verdicts in the form of labels."""
    corrected: str = ""
    """A function of what was judged and the labels of people, that gives figures which labels can correct."""
    formats: Mapping[str, str] = {}
    """Forms of other benchmarks' files by the name that `--format` takes: their class."""
    sums: Mapping[str, tuple[str, str]] = {}
    """Protocols of `drr papers aggregate` by name: the class of the sums, and one line of help."""
    architectures: str = ""
    """A tuple of `drr.agents.architecture.Architecture`."""
    graphs: Mapping[str, str] = {}
    """Graphs of its agents by name, for pictures of them: functions that make one."""
    agent_prompts: str = ""
    """The package in whose folder `prompts` those of its agents lie."""
    task_folders: str = ""
    """The module of its tasks, where these are folders (`drr.app.study.worlds.TaskFolders`)."""
    annotations: Mapping[str, str] = {}
    """Tasks of `drr judges annotate`: a function that gives what people are to score of a study."""
    agreement: Mapping[str, Mapping[str, float]] = {}
    """Figures of judges beside people that the paper prints, by what they are called."""
    leads: Mapping[str, Sequence[str]] = {}
    """Metrics of other tables that stand in front of one of its own where a judging is summed up."""
    examples: Mapping[str, Sequence[str]] = {}
    """Lines for the help of commands."""
    task_actions: str = ""
    """The module of what `drr papers tasks` does with its tasks (`drr.app.commands.tasks.TaskActions`)."""
    report: str = ""
    """Its part of reports (`drr.app.report.of_papers.ReportParts`)."""
    viewer: str = ""
    """Its part of the pages of a study (`drr.app.viewer.of_papers.StudyPart`); `templates` lie beside its module."""
    choices: str = ""
    """The module of what its tasks of judging go by (`drr.app.judge.choices.PaperChoices`)."""
    giving: str = ""
    """The module that opens what settings tell of persons (`drr.app.study.person.GivingModule`)."""
    gone: Mapping[str, str] = {}
    """Words of former commands, below `drr papers` and by themselves, with what does their work."""
    commands: str = ""
    """`drr.app.commands.table.CommandRow`s of its commands."""
    reproduction: str = ""
    """The module of what `drr papers reproduce` does for it (`drr.app.papers.steps.PaperSteps`)."""
    exhibits: str = ""
    """The package in whose file `printed.toml` its tables and figures stand, as printed."""
    prompts: str = ""
    """The package in whose folder `prompts` its own prompts lie."""
    needs: Sequence[str] = ()
    """Packages that only the paper needs; the extra of its name installs them."""
    judging_prompts: str = ""
    """The package in whose folder `prompts` those of its tasks of judging lie."""


class ExtraDoor(NamedTuple):
    """A door to other people's software."""

    name: str
    pools: Mapping[str, str] = {}
    """Pools by the name that `--pool` takes: a function of a `PoolOrder` that gives the pool."""
    faces: Mapping[str, str] = {}
    """Faces by the name that `drr tools mcp --face` takes: a class of `drr.tools.mcp.Face`."""
    variants: Mapping[str, str] = {}
    """Variants by the word in front of their colon: a function of the whole word that gives the `Architecture`."""
    agents: Mapping[str, str] = {}
    """Agents of other packages found in files: a function of what a file holds that gives how it is loaded and its prompts, or `None`."""
    spans: Mapping[str, str] = {}
    """Spans by option of a run: a class of `drr.app.study.spans.Spans`."""
    clusters: Mapping[str, str] = {}
    """Lines of `drr env doctor` by name: a function that says what this machine belongs to, or `None`."""


@cache
def papers() -> tuple[Paper, ...]:
    """Ours that are there, then those of other packages; one that cannot be loaded is left out, see `problems`."""
    return tuple(one for one in _found(PAPERS)[0].values() if isinstance(one, Paper))


@cache
def extras() -> tuple[ExtraDoor, ...]:
    """The same of extras."""
    return tuple(one for one in _found(EXTRAS)[0].values() if isinstance(one, ExtraDoor))


def problems() -> dict[str, str]:
    """List what is wrong with the papers and extras of other packages that cannot be used, by name."""
    return {**_found(PAPERS)[1], **_found(EXTRAS)[1]}


@cache
def _found(group: str) -> tuple[dict[str, Paper | ExtraDoor], dict[str, str]]:
    kind = Paper if group == PAPERS else ExtraDoor
    found = {one.name: one for one in _ours(group)}
    wrong: dict[str, str] = {}
    for name, place in announced(group):
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
    """The object behind `module:object`."""
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


def prompt_folders(field: str) -> list[Path]:
    """The folders of the papers' prompts: of `prompts` or of `judging_prompts`."""
    return [folder_of(name) / "prompts" for paper in papers() if (name := getattr(paper, field))]


def folder_of(package: str) -> Path:
    """Return the folder of a package's files."""
    from importlib.util import find_spec
    from pathlib import Path

    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(f"{package}: no such package", name=package)
    return Path(spec.origin).parent


def merged(field: str) -> dict[str, Any]:
    """A mapping of every paper, or of every extra, in one; the first to take a name keeps it."""
    found: dict[str, Any] = {}
    for one in papers() if field in Paper._fields else extras():
        for name, value in getattr(one, field).items():
            found.setdefault(name, value)
    return found


def without(package: str | None) -> str | None:
    """Return the sentence that says which paper needs a package that is missing, and how it is had."""
    for paper in papers():
        if package is not None and package.partition(".")[0] in paper.needs:
            from drr.env.installation import install

            needed = package.partition(".")[0]
            return f"{paper.title} needs the package {needed}, which is not installed: {install(paper.name)}"
    return None


def check_needs(paper: Paper) -> None:
    """Raise `Misuse` before anything begins for which a package of the paper is missing."""
    from importlib.util import find_spec

    from drr.env.errors import Misuse

    if missing := next((name for name in paper.needs if find_spec(name) is None), None):
        raise Misuse(without(missing) or missing)


def examples_of(command: str) -> str:
    """The lines that papers add to the help of a command."""
    return "".join(f"{line}\n" for paper in papers() for line in paper.examples.get(command, ()))


def placed(names: Iterable[str], further: Iterable[Placed]) -> list[str]:
    """All in order: each further one beside the one that it names, or at the end."""
    found = list(names)
    for one in further:
        if one.before in found:
            found.insert(found.index(one.before), one.name)
        elif one.after in found:
            found.insert(found.index(one.after) + 1, one.name)
        else:
            found.append(one.name)
    return found


def announced(group: str) -> Iterator[tuple[str, str]]:
    """Name and place of the entry points of a group, each name once.

    Read here line by line: `importlib.metadata` takes longer to load than `drr --help` may take.
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
