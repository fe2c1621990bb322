"""Builds the commands of `drr papers reproduce` for a paper, and stores the request that a folder was begun with."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Literal, NamedTuple, Protocol, TypedDict, cast

from drr.env.errors import Misuse
from drr.env.files import read_file, write_file
from drr.env.json_object import parsed
from drr.env.plugins import papers
from drr.env.small_files import DOCUMENT, LINES, read_within

RETAIL = "retail"
"""Name of this project's own paper; the other papers are plug-ins."""
PRINTED = "printed.toml"
"""File of a paper's tables and figures, as printed."""


def reproducible() -> tuple[str, ...]:
    """Return the names of the papers that `drr papers reproduce` can reproduce."""
    return (RETAIL, *(paper.name for paper in papers() if paper.commands.reproduces))


def printed_papers() -> tuple[str, ...]:
    """Return the names of the papers whose printed tables and figures are known."""
    return (RETAIL, *(paper.name for paper in papers() if (paper.folder / PRINTED).is_file()))


StepKind = Literal["input", "run", "judge", "align", "report"]
OFFLINE = "offline"


@dataclass(frozen=True)
class Step:
    words: list[str]
    kind: StepKind
    makes: Path | None = None
    """File whose presence means that the step is done; `None` where the command itself computes only missing parts."""

    @property
    def done(self) -> bool:
        return self.makes is not None and self.makes.exists()


class Size(NamedTuple):
    """Default of a size option: a small number where rules replace all models, else the paper's number."""

    rules: int
    paper: int


class PaperOption(NamedTuple):
    """A command line option of a paper; several papers may share an option."""

    help: str
    kind: Literal["size", "file", "folder", "text"] = "text"
    metavar: str = "N"
    choices: tuple[str, ...] | None = None


class PaperSteps(Protocol):
    """The interface of a paper's module for `drr papers reproduce`."""

    @property
    def OPTIONS(self) -> Mapping[str, PaperOption]:
        """Options by name, besides the options that every paper has."""

    @property
    def EXAMPLES(self) -> Sequence[str]: ...

    @property
    def SIZES(self) -> Mapping[str, Size]: ...
    @property
    def OWN(self) -> Sequence[str]:
        """Names of the options that not every paper has."""

    @property
    def HEADLINE(self) -> Sequence[str]:
        """Names of the few metrics that summarise the result."""

    def check(self, asked: Reproduction) -> None: ...
    def steps(self, asked: Reproduction) -> Iterator[Step]: ...


def steps_of(name: str) -> PaperSteps:
    """Return the module that reproduces a paper."""
    if name == RETAIL:
        return cast("PaperSteps", import_module("drr.app.papers.retail"))
    steps: PaperSteps = next(paper.commands.steps() for paper in papers() if paper.name == name)
    return steps


@dataclass(frozen=True)
class Places:
    """The paths of a reproduction's files. A dry run puts missing files into `aside` and reads existing ones."""

    out: Path
    aside: Path | None = None

    def of(self, name: str) -> Path:
        kept = self.out / name
        return kept if self.aside is None or kept.exists() else self.aside / name

    def path_of(self, path: Path | None, name: str) -> Path:
        return path if path is not None else self.of(name)


@dataclass(frozen=True)
class Reproduction:
    """The request on the command line, with the paths and sizes that follow from it."""

    arguments: argparse.Namespace
    places: Places
    by_rules: bool
    """True where no model takes part, so that default sizes are small."""
    sizes: dict[str, int] = field(default_factory=dict)
    """Sizes by option: the given size, else the default."""

    @property
    def shop(self) -> str:
        return self.arguments.shop or str(self.places.of("shop"))

    @property
    def study(self) -> str:
        return str(self.places.of("study"))

    @property
    def is_given(self) -> bool:
        """Return whether questions, tasks or reports were given, so that none are made."""
        return any(
            getattr(self.arguments, name, None) is not None for name in ("queries", "tasks", "reports")
        )

    def words(self, *names: str) -> list[str]:
        """Return the named options as command line words, where they were given."""
        given = [(name, getattr(self.arguments, name, None)) for name in names]
        return [
            word for name, v in given if v is not None for word in ("--" + name.replace("_", "-"), str(v))
        ]

    @property
    def quiet(self) -> list[str]:
        return ["--quiet"] if self.arguments.quiet else []

    @property
    def profile(self) -> list[str]:
        return self.words("profile")

    @property
    def server(self) -> list[str]:
        return self.words("base_url", "concurrency")

    @property
    def budget(self) -> list[str]:
        return self.words("budget")

    @property
    def judges(self) -> list[str | None]:
        both = [self.arguments.judge, *([self.arguments.second_judge] if self.arguments.second_judge else [])]
        return list(dict.fromkeys(both))

    def sample_shop(self) -> Iterator[Step]:
        """Yield the steps that make an invented shop where none was named. Reviews are kept, as persons are made from them."""
        if self.arguments.shop is None:
            raw, shop = self.places.of("raw"), self.places.of("shop")
            whole = shop / "manifest.json"
            yield Step(["data", "sample", str(raw), "--seed", "7", "--quiet"], "input", whole)
            ingest = ["data", "ingest", str(raw), "--shop", str(shop), "--keep-reviews", "--quiet"]
            yield Step(ingest, "input", whole)

    def queries(self, sizes: list[str], out: Path | None = None, budget: list[str] | None = None) -> Step:
        """Return the step that writes questions. The command continues unfinished work from the study next to the file."""
        file = str(out or self.places.of("queries.jsonl"))
        words = ["queries", "generate", "--shop", self.shop, "--out", file]
        most = self.budget if budget is None else budget
        return Step([*words, *sizes, *self.words("model"), *self.server, *most, *self.quiet], "input")

    def answers(self, what: list[str], budget: list[str] | None = None) -> Step:
        """Return the step that runs agents; `what` are command line words that name shop, questions and variants."""
        trials = ["--trials", str(self.arguments.trials)]
        settings = self.words(
            "model", "models", "model_embedder", "role_models", "web", "sandbox", "shop_url"
        )
        most = self.budget if budget is None else budget
        words = ["run", self.study, *what, *trials, *settings, *self.server, *self.profile, *most]
        return Step([*words, *self.quiet], "run")

    def judging(self, what: list[str], budget: list[str] | None = None) -> Iterator[Step]:
        """Yield the judging steps, one for each judge."""
        most = self.budget if budget is None else budget
        for judge in self.judges:
            named = judge or (OFFLINE if self.by_rules else None)
            by = ["--judge", named] if named else []
            words = ["judge", self.study, *what, *by, *self.server, *self.profile, *most, *self.quiet]
            yield Step(words, "judge")

    def report(self, paper: str) -> Iterator[Step]:
        """Yield the steps that write the report, with the paper's figures, and the viewer."""
        out, people = self.places.out, [str(path) for path in self.arguments.human]
        words = [
            "report",
            self.study,
            "--out",
            str(out / "report"),
            "--viewer",
            "../viewer",
            "--paper",
            paper,
        ]
        judge = ["--judge", self.arguments.judge] if self.arguments.judge else []
        yield Step([*words, *judge, *(["--human", *people] if people else [])], "report")
        yield Step(["view", self.study, "--static", str(out / "viewer"), *self.quiet], "report")


_FILE = "reproduce.json"
_FILES = ("queries", "persons", "reports")
"""Options that name a file, which is identified by its content."""
_PLACES = ("shop", "tasks")


class Begun(TypedDict):
    schema: int
    paper: str
    asked: dict[str, int | str | None]
    """Values of the options that decide the questions, by option."""


def stored_reproduction(out: Path) -> Begun | None:
    path = out / _FILE
    if not path.is_file():
        return None
    try:
        found: Begun = parsed(read_file(path, DOCUMENT))
        _ = found["paper"], found["asked"].get("seed")
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Misuse(f"{path}: not a file of `drr papers reproduce`; name another --out") from error
    return found


def check_options(arguments: argparse.Namespace) -> None:
    """Raise `Misuse` for an option that belongs to another paper."""
    own = steps_of(arguments.paper)
    known = {*own.OWN, *own.SIZES}
    for paper in reproducible():
        other = steps_of(paper)
        for name in {*other.OWN, *other.SIZES} - known:
            if getattr(arguments, name) is not None:
                raise Misuse(
                    f"--{name.replace('_', '-')}: is an option of --paper {paper}, not of {arguments.paper}"
                )


def sizes_of(arguments: argparse.Namespace, begun: Begun | None, *, by_rules: bool) -> dict[str, int]:
    """Return the sizes by option: as given, else as the folder was begun, else the default."""
    kept = {} if begun is None else begun["asked"]
    found: dict[str, int] = {}
    for name, size in steps_of(arguments.paper).SIZES.items():
        given, had = getattr(arguments, name), kept.get(name)
        usual = size.rules if by_rules else size.paper
        found[name] = given if given is not None else had if isinstance(had, int) else usual
    return found


def request_to_store(arguments: argparse.Namespace, begun: Begun | None, sizes: dict[str, int]) -> Begun:
    """Return the request to store for this call. Raises `Misuse` where the folder was begun with another request."""
    paper = steps_of(arguments.paper)
    now = Begun(schema=1, paper=arguments.paper, asked=_question_options(arguments, paper, sizes))
    if begun is None:
        return now
    out = arguments.out
    if begun["paper"] != now["paper"]:
        raise Misuse(f"{out}: was begun with --paper {begun['paper']}; name another --out for {now['paper']}")
    for name, value in now["asked"].items():
        had = begun["asked"].get(name)
        if had != value:
            was, after = ("without it" if had is None else f"with {_value_text(had)}"), _value_text(value)
            raise Misuse(
                f"{out}: --{name.replace('_', '-')}: was begun {was}, now {after}; rows would answer different questions."
                " Give the same, or name another --out"
            )
    return now


def _question_options(
    arguments: argparse.Namespace, paper: PaperSteps, sizes: dict[str, int]
) -> dict[str, int | str | None]:
    """Return the options that decide the questions. Empty for the retail paper, whose new questions join the study's for every variant."""
    if arguments.paper == RETAIL:
        return {}
    found: dict[str, int | str | None] = {**sizes, "seed": arguments.seed}
    options = {*paper.OWN, "shop"}
    found |= {name: _content_hash(getattr(arguments, name)) for name in _FILES if name in options}
    found |= {name: _place(getattr(arguments, name)) for name in _PLACES if name in options}
    return found


def _content_hash(path: Path | None) -> str | None:
    if path is None:
        return None
    try:
        return sha256(read_within(path, LINES)).hexdigest()
    except (OSError, ValueError) as error:
        raise Misuse(f"{path}: cannot be read ({error})") from error


def _place(place: str | Path | None) -> str | None:
    if place is None or str(place).startswith("servers:"):
        return None if place is None else str(place)
    return str(Path(place).resolve())


def _value_text(value: int | str | None) -> str:
    if value is None:
        return "none"
    return f"a file of the hash {value[:12]}" if isinstance(value, str) and len(value) == 64 else str(value)


def store_reproduction(out: Path, begun: Begun) -> None:
    out.mkdir(parents=True, exist_ok=True)
    write_file(out / _FILE, json.dumps(begun, indent=1, sort_keys=True) + "\n")
