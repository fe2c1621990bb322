"""What `drr papers reproduce` does for a paper: commands one after the other, each of which a user can give alone."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Literal, NamedTuple, Protocol, cast

from drr.app.papers.names import RETAIL
from drr.env.plugins import papers

StepKind = Literal["input", "run", "judge", "align", "report"]
OFFLINE = "offline"


@dataclass(frozen=True)
class Step:
    words: list[str]
    kind: StepKind
    makes: Path | None = None
    """Where this is there the step is done; without it the command itself computes only what is missing."""

    @property
    def done(self) -> bool:
        return self.makes is not None and self.makes.exists()


class Size(NamedTuple):
    """The size of a request where nobody names one: little where rules play everything, else the paper's."""

    rules: int
    paper: int


class PaperOption(NamedTuple):
    """An option of a paper; several may have it."""

    told: str
    kind: Literal["size", "file", "folder", "text"] = "text"
    metavar: str = "N"
    choices: tuple[str, ...] | None = None


class PaperSteps(Protocol):
    """A paper's module."""

    OPTIONS: Mapping[str, PaperOption]
    """By name, beside those that every paper has."""
    EXAMPLES: Sequence[str]
    """Lines for the help."""

    SIZES: Mapping[str, Size]
    OWN: Sequence[str]
    """Its options, beside those that every paper has."""
    HEADLINE: Sequence[str]
    """The few metrics that say how it went."""

    def check(self, asked: Reproduction) -> None: ...
    def steps(self, asked: Reproduction) -> Iterator[Step]: ...


def steps_of(name: str) -> PaperSteps:
    """The module of a paper that can be reproduced."""
    places = {RETAIL: "drr.app.papers.retail", **{paper.name: paper.reproduction for paper in papers()}}
    return cast("PaperSteps", import_module(places[name]))


@dataclass(frozen=True)
class Places:
    """The places of a reproduction's things. A dry run makes what is missing aside, and looks at what is there."""

    out: Path
    aside: Path | None = None

    def of(self, name: str) -> Path:
        kept = self.out / name
        return kept if self.aside is None or kept.exists() else self.aside / name

    def given(self, path: Path | None, name: str) -> Path:
        return path if path is not None else self.of(name)


@dataclass(frozen=True)
class Reproduction:
    """The request on the command line, with what follows from it."""

    arguments: argparse.Namespace
    places: Places
    by_rules: bool
    """Whether no model takes part, so that little is asked by default."""
    sizes: dict[str, int] = field(default_factory=dict)
    """By option: what was given, else the default."""

    @property
    def shop(self) -> str:
        return self.arguments.shop or str(self.places.of("shop"))

    @property
    def study(self) -> str:
        return str(self.places.of("study"))

    @property
    def is_given(self) -> bool:
        """Tell whether questions, tasks or reports were given, so that none are made."""
        return any(
            getattr(self.arguments, name, None) is not None for name in ("queries", "tasks", "reports")
        )

    def words(self, *names: str) -> list[str]:
        """Options that were given, to hand on."""
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


def sample_shop(asked: Reproduction) -> Iterator[Step]:
    """Yield, where no shop was named, an invented one, with reviews kept, of which persons can be made."""
    if asked.arguments.shop is None:
        raw, shop = asked.places.of("raw"), asked.places.of("shop")
        whole = shop / "manifest.json"
        yield Step(["data", "sample", str(raw), "--seed", "7", "--quiet"], "input", whole)
        ingest = ["data", "ingest", str(raw), "--shop", str(shop), "--keep-reviews", "--quiet"]
        yield Step(ingest, "input", whole)


def generated_queries(asked: Reproduction, sizes: list[str]) -> Step:
    """Continues by itself: its own study is beside the file."""
    queries = asked.places.of("queries.jsonl")
    words = ["queries", "generate", "--shop", asked.shop, "--out", str(queries), *sizes]
    return Step([*words, *asked.words("model"), *asked.server, *asked.budget, *asked.quiet], "input")


def answered(asked: Reproduction, what: list[str], budget: list[str]) -> Step:
    trials = ["--trials", str(asked.arguments.trials)]
    settings = asked.words("model", "models", "model_embedder", "role_models", "web", "sandbox", "shop_url")
    words = ["run", asked.study, *what, *trials, *settings, *asked.server, *asked.profile, *budget]
    return Step([*words, *asked.quiet], "run")


def judged(asked: Reproduction, what: list[str], budget: list[str]) -> Iterator[Step]:
    """Yield the judging, and that of a second judge where there is one."""
    for judge in asked.judges:
        by = ["--judge", judge] if judge else []
        words = ["judge", asked.study, *what, *by, *asked.server, *asked.profile, *budget, *asked.quiet]
        yield Step(words, "judge")


def reported(asked: Reproduction, paper: list[str]) -> Iterator[Step]:
    out: Path = asked.places.out
    judge = ["--judge", asked.arguments.judge] if asked.arguments.judge else []
    people = [str(path) for path in asked.arguments.human]
    human = ["--human", *people] if people else []
    yield Step(
        [
            "report",
            asked.study,
            "--out",
            str(out / "report"),
            "--viewer",
            "../viewer",
            *paper,
            *judge,
            *human,
        ],
        "report",
    )
    yield Step(
        [
            "view",
            asked.study,
            "--static",
            str(out / "viewer"),
            "--report",
            "../report/index.html",
            *asked.quiet,
        ],
        "report",
    )
