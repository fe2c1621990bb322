"""The request of a study: one model for command lines, study files, Python, `study.toml` and workers."""

from __future__ import annotations

from argparse import ArgumentTypeError
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any, NamedTuple, Self

from drr.agents.base import NAMED_LIMITS, TIMES_LEAST, CitationRepair, Limits
from drr.app.options import positive_float
from drr.app.study.terms import RunTerms, Words, deciding, option, switch
from drr.env.errors import DrrError, Misuse
from drr.env.json_object import JsonObject
from drr.env.person_setting import RECORDS
from drr.env.powers import Can, Name, Place
from drr.env.reach import WHOLE
from drr.env.settings import StudyChoices
from drr.env.world import SHOP, all_worlds
from drr.study.config import MOST_TRIALS, StudyConfig
from pydantic import BeforeValidator, Field

PERSONS = "persons.jsonl"
"""Name of the study's own file of persons, so that the study continues without the original file."""
RECALLED = "recalled.json"
"""Name of the study's own file with the texts that memories recalled."""
_USUAL = {"world": SHOP, "settings": RECORDS.name, "reach": WHOLE.name}
"""Values that `study.toml` leaves out, as studies that are older than the field lack them."""
_BEFORE = {"reason": "on", "models": None}
"""Settings assumed for a study whose configuration is older than the settings, so that its finished units stay finished."""


def _limits(given: Any) -> dict[str, int | float]:
    """Return limits by name, of a text or a mapping; raise `Misuse` for an invalid one."""
    if not isinstance(given, str):
        return {name: _limit(name, str(value), f"{name}={value}") for name, value in (given or {}).items()}
    parts = [[piece.strip() for piece in part.partition("=")] for part in given.split(",")]
    found: dict[str, int | float] = {}
    for name, sign, value in parts:
        named = {} if sign else NAMED_LIMITS.get(name)
        shown = f"{name}{sign}{value}"
        found |= named or {name: _limit(name if sign else "", value, shown)}
    return found


def limits_text(limits: Mapping[str, object]) -> str:
    """Return limits as `--limits` takes them; those that go by one name are called by it."""
    named = next((name for name, own in NAMED_LIMITS.items() if own.items() <= limits.items()), None)
    others = limits.keys() - (NAMED_LIMITS[named].keys() if named else ())
    return ",".join([*filter(None, [named]), *(f"{name}={limits[name]}" for name in sorted(others))])


def _limit(name: str, value: str, shown: str) -> int | float:
    known = {TIMES_LEAST, *(field.name for field in fields(Limits))}
    if name not in known:
        raise Misuse(
            f"--limits {shown!r}: not NAME=N, {' or '.join(NAMED_LIMITS)}; the names are {', '.join(sorted(known))}"
        )
    try:
        number = positive_float(value)
    except ArgumentTypeError as error:
        raise Misuse(f"--limits {name}: {error}") from error
    if name in ("seconds", TIMES_LEAST):
        return number
    if not number.is_integer():
        raise Misuse(f"--limits {name}: {value!r} is not a whole number")
    return int(number)


class StudyPlan(RunTerms):
    """The request of a study. `None` keeps the study's own choice, or else the default.

    The fields that decide keys and units are the table `run` of `study.toml`, in this order.
    """

    study: Place = None
    """Folder of the study; `None` for a question without one."""
    shop: Annotated[Words | None, Can("read")] = option(
        "key", "a folder, or servers:NAME (default: the shop of the study)", "SHOP"
    )
    queries: Place = option("source", "JSONL, a query a line (default: those of the study)", "FILE")
    frozen: Place = option(
        "source", "a frozen set, for --queries and web: a folder, or retail-v3", "SET", flag="--set"
    )
    variants: Annotated[Words | None, Can("run")] = option(
        "key", "names of `drr variants`, file.py:function or 'cmd:COMMAND', with commas (default: all, the paper's six)", "NAMES")  # fmt: skip
    trials: Annotated[int, Field(gt=0, le=MOST_TRIALS)] | None = option(
        "units", "repetitions of each (default: 1)", "N"
    )
    only: bool = switch(
        "call", "compute now only what --variants, --queries, --trials and the like name; the rest stays and counts")  # fmt: skip
    limits: Annotated[dict[str, int | float], BeforeValidator(_limits)] = option(
        "key", "bounds of a unit, e.g. steps=10,researchers=3, or wide, or tight; see docs/agents.md (default: the variant's)", "NAME=N,...", {})  # fmt: skip
    citation_repair: CitationRepair | None = option(
        "key", "what becomes of citations that no tool returned: left, taken out, or asked again (default: off)")  # fmt: skip
    references: bool | None = option(
        "key", "let Plan-to-Function use the results of earlier steps (default: yes; not under --profile paper)")  # fmt: skip
    world: Name = option(
        "key", "where the agents live; another than the shop may need no --shop (default: shop)", choices=all_worlds)  # fmt: skip
    place: Annotated[Words | None, Can("read")] = option(
        "key", "what a world other than the shop is opened from (default: nothing)", "PATH"
    )
    tasks: Place = option(
        "source", "tasks with files: their questions, asked in the world `files`; see docs/file-tasks.md (default: none)", "DIR")  # fmt: skip
    sizes: Annotated[Words | None, Can("name")] = option(
        "source", "of the tasks' frozen pages, with commas, e.g. 32k,128k (default: all that they have)", "LIST")  # fmt: skip
    with_shop: bool = switch("source", "agents on --tasks have the nine tools of --shop as well")
    persons: Place = option(
        "source", "JSONL, a person a line: who asks (default: those of the study)", "FILE"
    )
    contexts: Place = option(
        "key", "folder of what was gathered of them, for the settings context and memory (default: none)", "DIR")  # fmt: skip
    settings: Annotated[Words | None, Can("run")] = option(
        "key", "what of the person agents are given, with commas: task, context:N, memory:NAME[:N], persona, records (default), records+persona", "LIST")  # fmt: skip
    reach: Annotated[Words | None, Can("pay")] = option(
        "key", "what agents reach of those pages: whole (default), no-distractors, supportive, none, bm25, dense, dense:EMBEDDER, long-context, turns:N. + joins several; with commas each is a system of its own, such as AGENT@dense", "LIST")  # fmt: skip
    set: Name = None
    """Label of the frozen set whose questions the study answers."""

    @classmethod
    def of_study(cls, folder: Path, saved: StudyConfig) -> Self:
        """Return what a study was asked for, as its `study.toml` says."""
        run = saved.get("run", {})
        try:
            return cls(study=folder, **{name: run[name] for name in KEPT if run.get(name) is not None})
        except Misuse as error:
            raise DrrError(f"{folder}: run in its study.toml: {error}; restore it, or update drr") from error

    def kept(self) -> JsonObject:
        """Return the table `run` of `study.toml`."""
        found = {name: getattr(self, name) for name in KEPT}
        plain = {name: str(one) if isinstance(one, Path) else one for name, one in found.items()}
        return {name: one for name, one in plain.items() if one not in (None, _USUAL.get(name))}

    @property
    def folder(self) -> Path:
        assert self.study is not None  # only a question without a study has none
        return self.study

    @property
    def persons_file(self) -> Path | None:
        """Return the file of persons given now, else the study's own copy; `None` if there is neither."""
        own = None if self.study is None else self.study / PERSONS
        return self.persons or (own if own is not None and own.is_file() else None)

    @property
    def named_roles(self) -> list[str]:
        """Roles for which this call names a model."""
        named = self.named_settings.get("role_models") or {}
        words = named if isinstance(named, Mapping) else (part.partition("=")[0] for part in named.split(","))
        return [word.strip() for word in words if word.strip()]


KEPT = [*deciding(StudyPlan, "key", "units"), "set"]


class KeptStudy(NamedTuple):
    """The study as its folder says, before a call adds to it. A new study has an empty configuration."""

    config: StudyConfig
    plan: StudyPlan
    """The request so far."""

    @property
    def is_new(self) -> bool:
        return not self.config

    @property
    def choices(self) -> StudyChoices | None:
        """Return the study's own settings; `None` for a new study."""
        own = {**_BEFORE, **self.config.get("settings", {})}
        return None if self.is_new else StudyChoices(self.plan.folder, own, self.plan.shop)


def kept_study(folder: Path) -> KeptStudy:
    """Read what a folder's study holds. Raise `DrrError` for one that was changed outside this program."""
    from drr.study.study import Study

    if not Study.exists(folder):
        return KeptStudy({}, StudyPlan(study=folder))
    with Study.read(folder) as study:
        config = study.config
    own: StudyConfig = {**config, "run": {**_USUAL, **config.get("run", {})}}
    return KeptStudy(config, StudyPlan.of_study(folder, own))
