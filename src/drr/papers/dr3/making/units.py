"""Makes tasks from a person's own files, as units of a study beside the folder. Each candidate is a unit, and none is repeated."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from drr.env.drawer.drawer import AttachedFiles
from drr.env.errors import Misuse
from drr.env.files import check_plain, checked_id
from drr.env.settings import Settings
from drr.env.web.base import WebSearch, WebUnavailable
from drr.env.web.open import open_recorder
from drr.llm.factory import Models
from drr.llm.names import OFFLINE
from drr.llm.prompts import Prompts
from drr.papers.dr3.form import is_task
from drr.papers.dr3.making.candidate import VERSION, FoundCandidate, FoundTerms, OwnFiles, found_candidate
from drr.papers.dr3.making.corpus import PER_TERM
from drr.papers.dr3.making.manifest import FoundSet, TaskSetManifest, day_of
from drr.papers.dr3.making.proposals import FACTS, PAGE, QUESTION, ROLE, TERMS
from drr.papers.dr3.making.ranking import COUNTER
from drr.papers.dr3.making.sets import add_task, begin_set, finish_set
from drr.plugin import check_run, conclude, models_of, prompts_of, run_units
from drr.study.study import Study
from drr.study.unit import Outcome, Unit, UnitFailure
from drr.study.worker import Context

REDRAWS, SEED = 3, 7
"""Limit on candidates for one folder of files, each of which costs calls; and the default seed."""


class FoundSetMade(NamedTuple):
    manifest: TaskSetManifest | None
    """Manifest of the set; `None` if no task was made."""
    code: int


def make_found_set(
    arguments: argparse.Namespace, settings: Settings, sizes: Mapping[str, int]
) -> FoundSetMade:
    if arguments.web is None:
        raise Misuse(
            "--files: the pages beside them are found; give --web serper, replay or sandbox, and --model"
        )
    models, prompts = models_of(settings), prompts_of(settings, "papers/dr3")
    if models.name_of(ROLE) == OFFLINE:
        raise Misuse(
            "--files: facts, pages and questions are proposed by a model; give --model PROVIDER:MODEL"
        )
    own, today = own_files(arguments.files), day_of(arguments.today)
    folder = arguments.out.with_name(arguments.out.name + ".study")
    web = open_recorder(settings, folder / "web")
    found = FoundSet(
        model=models.name_of(ROLE),
        web=web.name,
        web_hash=web.content_hash,
        per_term=PER_TERM,
        prompts=prompts.hashes([FACTS, TERMS, PAGE, QUESTION]),
        version=VERSION,
        files=sha256("\n".join(f"{one.name} {one.drawer.content_hash}" for one in own).encode()).hexdigest(),
    )
    seed = SEED if arguments.seed is None else arguments.seed
    wanted = TaskSetManifest(seed=seed, shop_hash="", sizes=dict(sizes), counter=COUNTER, found=found)
    begin_set(arguments.out, wanted)
    run = {"what": "tasks drawer", "files": str(arguments.files), "seed": seed, "model": models.name_of(ROLE)}
    config = {"run": run, "settings": {"shop_url": settings.shop_url}}
    with Study.create(folder, config) as study:  # type: ignore[arg-type]
        check_run(arguments, models, (ROLE,), study)
        making = _Making(arguments, settings, wanted, today, study, models, prompts, web, own)
        code = making.all_of(own if arguments.n is None else own[: arguments.n])
    if not any(is_task(one) for one in arguments.out.iterdir()):
        return FoundSetMade(None, code or 1)
    return FoundSetMade(finish_set(arguments.out, complete=code == 0), code)


def own_files(folder: Path) -> list[OwnFiles]:
    """List the files of each future task: one task from the folder, or one from each of its subfolders. Links are refused."""
    if not folder.is_dir():
        raise Misuse(f"--files {folder}: there is no such folder")
    below = sorted(one for one in folder.iterdir() if one.is_dir() and not one.name.startswith("."))
    found = []
    for place in below or [folder]:
        check_plain(place)
        names = sorted(one.name for one in place.iterdir() if one.is_file() and not one.name.startswith("."))
        if not names:
            raise Misuse(f"--files {place}: holds no file")
        for name in (place.resolve().name, *names):
            try:
                checked_id(name)
            except ValueError as error:
                raise Misuse(f"--files {place}: {name!r} is {error}") from None
        found.append(OwnFiles(place.resolve().name, AttachedFiles(place.resolve(), names)))
    return found


@dataclass
class _Making:
    arguments: argparse.Namespace
    settings: Settings
    wanted: TaskSetManifest
    today: str
    study: Study
    models: Models
    prompts: Prompts
    web: WebSearch
    own: list[OwnFiles]
    refused: dict[str, str] = field(default_factory=dict)
    """Reasons why all candidates were refused, by folder of files."""

    def all_of(self, wanted: list[OwnFiles]) -> int:
        """Make all tasks in rounds and return the exit code. A refused candidate is followed by the next from the same files."""
        while True:
            units = [unit for one in wanted if (unit := self._next_unit(one)) is not None]
            if not units:
                break
            summary = run_units(
                self.arguments, self.study, units, self.work, self.models, "proposing and checking"
            )
            if not summary.ok:
                for one in wanted:  # tasks finished before the run stopped
                    self._next_unit(one)
                return conclude(summary, self.study.folder, command=_same_command(self.arguments))
        for name, reason in sorted(self.refused.items()):
            print(f"drr: task {name}: every candidate was refused; {reason}", file=sys.stderr)
        return 1 if self.refused else 0

    def _next_unit(self, files: OwnFiles) -> Unit | None:
        """Return the next unit for these files; `None` if their task is written or given up."""
        if is_task(self.arguments.out / files.name):
            return None
        refused: Counter[str] = Counter()
        reason = ""
        for attempt in range(REDRAWS):
            unit = self._unit(files, attempt, reason)
            record = self.study.record(unit.key)
            text = self.study.text(record, "candidate") if record is not None and record.done else None
            if text is None:
                return unit
            candidate = FoundCandidate.model_validate_json(text)
            if candidate.question is not None:
                add_task(self.arguments.out, candidate.task(files.drawer, refused))
                return None
            refused.update(candidate.refused)
            reason = candidate.told
        counts = ", ".join(f"{name} {times}" for name, times in refused.most_common())
        self.refused[files.name] = f"{counts}; last: {reason}"
        return None

    def _unit(self, files: OwnFiles, attempt: int, before: str) -> Unit:
        fields = {
            "what": "task of own files",
            "task": files.name,
            "files": files.drawer.content_hash,
            "attempt": attempt,
            "today": self.today,
            "set": self.wanted.model_dump(mode="json"),
            "model": self.models.name_of(ROLE),
            "max_tokens": self.settings.model_max_tokens,
        }
        spec = {"task": files.name, "before": before}
        return Unit("generation", fields, spec, f"{files.name} · candidate {attempt + 1}")

    async def work(self, spec: Mapping[str, Any], context: Context) -> Outcome:
        context.replaying()
        files = next(one for one in self.own if one.name == spec["task"])
        terms = FoundTerms(
            model=context.models.role(ROLE),
            web=self.web,
            prompts=self.prompts,
            sizes=self.wanted.sizes,
            seed=self.wanted.seed,
            today=self.today,
        )
        try:
            found = await found_candidate(terms, files, spec["before"])
        except WebUnavailable as error:
            raise UnitFailure("web_unavailable", str(error), transient=True) from error
        kept = found.question is not None
        return Outcome(
            {"kept": kept, "refused": dict(found.refused), "told": found.told},
            {"candidate": found.model_dump_json()},
        )


def _same_command(arguments: argparse.Namespace) -> str:
    words = ["papers", "tasks", "drawer", "--files", str(arguments.files), "--out", str(arguments.out)]
    words += ["--sizes", arguments.sizes, "--web", arguments.web]
    for option in ("n", "seed", "today", "web_record", "sandbox", "model"):
        if getattr(arguments, option) is not None:
            words += [f"--{option.replace('_', '-')}", str(getattr(arguments, option))]
    return shlex.join(words)
