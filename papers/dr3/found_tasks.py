"""Tasks of found pages as units of a study beside the folder. One for each candidate, nothing is asked or searched twice."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

from drr.app.models import models_of, prompts_of
from drr.app.studies import budget_of, check_models, conclude, run_units, unit_cap_of
from drr.env.errors import Misuse
from drr.env.settings import Settings
from drr.env.shop import Shop
from drr.env.web.base import WebSearch, WebUnavailable
from drr.env.web.open import open_recorder
from drr.llm.factory import Models
from drr.llm.names import OFFLINE
from drr.llm.prompts import Prompts
from drr.papers.dr3.corpus.pool import COUNTER
from drr.papers.dr3.drawer.writer import WrittenDrawer
from drr.papers.dr3.form import is_task
from drr.papers.dr3.found.candidate import VERSION, FoundCandidate, FoundTerms, found_candidate
from drr.papers.dr3.found.proposals import PAGE, QUESTION, ROLE, TERMS
from drr.papers.dr3.making.generate import CaseStreams, begin_set, finish_set, remember
from drr.papers.dr3.making.manifest import FoundSet, TaskSetManifest, write_task
from drr.papers.dr3.quality.material import catalogue_of
from drr.study.study import Study
from drr.study.unit import Outcome, Unit, UnitFailure
from drr.study.worker import Context

REDRAWS = 3
"""Candidates for one number; each costs what it costs."""


class FoundSetMade(NamedTuple):
    manifest: TaskSetManifest | None
    """`None` where no task came out."""
    code: int


def make_found(
    arguments: argparse.Namespace, settings: Settings, shop: Shop, sizes: Mapping[str, int]
) -> FoundSetMade:
    models, prompts = models_of(settings), prompts_of(settings, "papers/dr3")
    if models.name_of(ROLE) == OFFLINE:
        raise Misuse(
            f"--web {settings.web}: pages that are found are judged by a model; give --model PROVIDER:MODEL"
        )
    folder = arguments.out.with_name(arguments.out.name + ".study")
    web = open_recorder(settings, folder / "web")
    found = FoundSet(
        model=models.name_of(ROLE),
        web=web.name,
        web_hash=web.content_hash,
        per_term=arguments.per_term,
        prompts=prompts.hashes([TERMS, PAGE, QUESTION]),
        version=VERSION,
    )
    wanted = TaskSetManifest(
        seed=arguments.seed,
        shop_hash=shop.manifest.content_hash,
        sizes=dict(sizes),
        counter=COUNTER,
        found=found,
    )
    begin_set(arguments.out, wanted)
    config = {
        "run": {
            "what": "tasks drawer",
            "shop": arguments.shop,
            "seed": arguments.seed,
            "model": models.name_of(ROLE),
        },
        "settings": {"shop_url": settings.shop_url},
    }
    with Study.create(folder, config) as study:  # type: ignore[arg-type]
        check_models(models, (ROLE,), budget_of(arguments, study), unit_cap_of(arguments))
        streams = CaseStreams(shop, arguments.seed)
        making = _Making(arguments, settings, wanted, study, models, prompts, web, streams)
        code = making.all_of(arguments.n)
    if not any(is_task(one) for one in arguments.out.iterdir()):
        return FoundSetMade(None, code or 1)
    return FoundSetMade(finish_set(arguments.out, complete=code == 0), code)


@dataclass
class _Making:
    arguments: argparse.Namespace
    settings: Settings
    wanted: TaskSetManifest
    study: Study
    models: Models
    prompts: Prompts
    web: WebSearch
    streams: CaseStreams
    refused: dict[int, str] = field(default_factory=dict)
    """Reasons why every candidate was put aside, by number."""

    def all_of(self, count: int) -> int:
        """Round by round, as a refused candidate is followed by the next of its number; gives the exit code."""
        while True:
            units = [unit for number in range(count) if (unit := self._next(number)) is not None]
            if not units:
                break
            summary = run_units(
                self.arguments, self.study, units, self.work, self.models, "proposing and checking"
            )
            if not summary.ok:
                for number in range(count):  # what was done before it stopped
                    self._next(number)
                return conclude(summary, self.study.folder, command=_again(self.arguments))
        for number, reason in sorted(self.refused.items()):
            print(f"drr: task {_name(number)}: every candidate was refused; {reason}", file=sys.stderr)
        return 1 if self.refused else 0

    def _next(self, number: int) -> Unit | None:
        """The unit that this number waits for; `None` where its task is written or given up."""
        out, name = self.arguments.out, _name(number)
        if is_task(out / name):
            return None
        refused: Counter[str] = Counter()
        reason = ""
        for attempt in range(REDRAWS):
            unit = self._unit(number, attempt)
            candidate = self._found(unit)
            if candidate is None:
                return unit
            if candidate.question is not None:
                files = self._drawer(number, attempt).files
                write_task(out, candidate.task(files, refused), partial(remember, out, name))
                return None
            refused.update(candidate.refused)
            reason = candidate.told
        counts = ", ".join(f"{name} {times}" for name, times in refused.most_common())
        self.refused[number] = f"{counts}; last: {reason}"
        return None

    def _found(self, unit: Unit) -> FoundCandidate | None:
        record = self.study.record(unit.key)
        text = self.study.text(record, "candidate") if record is not None and record.done else None
        return None if text is None else FoundCandidate.model_validate_json(text)

    def _unit(self, number: int, attempt: int) -> Unit:
        fields = {
            "what": "found task",
            "task": _name(number),
            "attempt": attempt,
            "set": self.wanted.model_dump(mode="json"),
            "model": self.models.name_of(ROLE),
            "max_tokens": self.settings.model_max_tokens,
        }
        spec = {"number": number, "attempt": attempt}
        return Unit("generation", fields, spec, f"{_name(number)} · candidate {attempt + 1}")

    def _drawer(self, number: int, attempt: int) -> WrittenDrawer:
        return self.streams.drawer(number, attempt, _name(number))

    async def work(self, spec: Mapping[str, Any], context: Context) -> Outcome:
        context.replaying()
        try:
            found = await found_candidate(self._terms(context), self._drawer(spec["number"], spec["attempt"]))
        except WebUnavailable as error:
            raise UnitFailure("web_unavailable", str(error), transient=True) from error
        kept = found.question is not None
        return Outcome(
            {"kept": kept, "refused": dict(found.refused), "told": found.told},
            {"candidate": found.model_dump_json()},
        )

    def _terms(self, context: Context) -> FoundTerms:
        return FoundTerms(
            model=context.models.role(ROLE),
            web=self.web,
            prompts=self.prompts,
            sizes=self.wanted.sizes,
            per_term=self.arguments.per_term,
            seed=self.wanted.seed,
            shop_hash=self.wanted.shop_hash,
            catalogue=catalogue_of(self.streams.shop),
        )


def _name(number: int) -> str:
    return f"{number + 1:03d}"


def _again(arguments: argparse.Namespace) -> str:
    words = ["papers", "tasks", "drawer", "--shop", arguments.shop, "--out", str(arguments.out)]
    words += ["--n", str(arguments.n), "--sizes", arguments.sizes, "--seed", str(arguments.seed)]
    words += ["--web", arguments.web, "--per-term", str(arguments.per_term)]
    for option in ("web_record", "sandbox", "model"):
        if getattr(arguments, option):
            words += [f"--{option.replace('_', '-')}", str(getattr(arguments, option))]
    return shlex.join(words)
