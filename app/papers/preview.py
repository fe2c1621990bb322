"""What a reproduction would do: each step, and what agents and judge would be asked, without asking anybody.

Inputs that are not there yet are made aside by rules and thrown away, so that the forecast is of questions like those that
will be asked; what a judge takes is counted on reports that are there, else on some that rules write.
"""

from __future__ import annotations

import io
import json
import shlex
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from drr.app.papers.steps import OFFLINE, PaperSteps, Places, Reproduction, Step

if TYPE_CHECKING:
    from collections.abc import Sequence

    from drr.app.forecast import RunForecast
    from drr.eval.judging.plan import Forecast

_SAMPLED = 6
"""Answers that rules write aside at most, to count what a judge would be asked of one."""
_MODELS = (
    "--model",
    "--model-embedder",
    "--role-models",
    "--base-url",
    "--concurrency",
    "--budget",
    "--judge",
)


def preview(asked: Reproduction, paper: PaperSteps) -> int:
    with TemporaryDirectory(prefix="drr-") as aside:
        seen = replace(asked, places=Places(asked.places.out, Path(aside)))
        dry = _DryRun(seen, Path(aside))
        for step in paper.steps(seen):
            code = dry.take(step)
            if code != 0:
                return code
    print(dry.told())
    return 0


@dataclass
class _DryRun:
    asked: Reproduction
    aside: Path
    answers: int = 0
    """That are still to be given."""
    calls: int | None = 0
    """Unknown once a part is."""
    judge_calls: int = 0
    sampled: bool = False

    def take(self, step: Step) -> int:
        done = step.done and not self._is_aside(step)
        print(f"{'done' if done else 'to do'}: $ drr {self._shown(step.words)}", flush=True)
        if done:
            return 0
        if step.words[0] == "import":
            return _quietly(step.words)
        if step.kind == "input":
            return self._make(step)
        if step.kind == "run":
            return self._run(step.words)
        return self._judge(step.words) if step.kind == "judge" else 0

    def _shown(self, words: Sequence[str]) -> str:
        out = str(self.asked.places.out)
        return shlex.join(word.replace(str(self.aside), out) for word in words)

    def _is_aside(self, step: Step) -> bool:
        return step.makes is not None and step.makes.is_relative_to(self.aside)

    def _make(self, step: Step) -> int:
        """By rules whatever the model, so that nobody is paid for it."""
        if step.done:
            return 0
        if step.words[0] != "queries":
            return _quietly(step.words)
        words = _without(step.words, *_MODELS)
        if Path(words[words.index("--out") + 1]).exists():
            return 0
        if not self.asked.by_rules:
            print(
                "  a model would write these questions; rules stand in for it here, and its calls are not counted"
            )
        return _quietly([*words, "--model", OFFLINE])

    def _run(self, words: list[str]) -> int:
        code, said = _said([*words, "--dry-run", "--json"])
        if code != 0:
            return code
        document: RunForecast = json.loads(said)
        calls, cost = document["total"]["calls"], document["total"]["cost_usd"]
        self.answers += document["left"]
        self.calls = None if calls is None or self.calls is None else self.calls + calls
        price = "" if cost is None else f", about ${cost:,.2f}"
        told = "an unknown number of" if calls is None else f"about {calls:,}"
        print(
            f"  {document['units']:,} answers, {document['left']:,} of them to be given: {told} calls{price}"
        )
        return self._sample(words)

    def _sample(self, words: list[str]) -> int:
        """Once: some answers by rules, of what the first run asks."""
        if self.sampled or not self.answers:
            return 0
        self.sampled = True
        own = [words[0], str(self.aside / "sample"), *_without(words[2:], *_MODELS)]
        return _quietly([*own, "--model", OFFLINE, "--limit", str(_SAMPLED)])

    def _judge(self, words: list[str]) -> int:
        """What is there is counted as it is; of what is still to be answered, as of the sample."""
        parts: list[tuple[str, float]] = []
        if _is_study(Path(words[1])):
            parts.append((words[1], 1.0))
        if self.answers:
            parts.append((str(self.aside / "sample"), self.answers / _SAMPLED))
        calls, cost = 0.0, 0.0
        known = True
        for study, share in parts:
            code, said = _said([words[0], study, *words[2:], "--dry-run", "--json"])
            if code != 0:
                return code
            forecast: Forecast = json.loads(said)
            calls += forecast["calls"] * share
            known = known and forecast["cost_usd"] is not None
            cost += (forecast["cost_usd"] or 0.0) * share
        self.judge_calls += round(calls)
        by = ", counted on reports that rules write" if self.answers else ""
        price = f", about ${cost:,.2f}" if known else ""
        print(f"  about {calls:,.0f} calls of the judge{price}{by}")
        return 0

    def told(self) -> str:
        calls = "an unknown number of" if self.calls is None else f"about {self.calls:,}"
        by = " All are played by rules and cost nothing." if self.asked.by_rules else ""
        return (
            f"\nto do: {self.answers:,} answers ({calls} calls), about {self.judge_calls:,} calls of judges.{by}"
            " Nothing was written and nobody was asked."
        )


def _is_study(folder: Path) -> bool:
    from drr.study.study import Study

    return Study.exists(folder)


def _without(words: Sequence[str], *options: str) -> list[str]:
    """Without these options and what they are given."""
    kept: list[str] = []
    skip = False
    for word in words:
        if skip or word in options:
            skip = not skip
            continue
        kept.append(word)
    return kept


def _said(words: list[str]) -> tuple[int, str]:
    from drr.app.cli import main

    out = io.StringIO()
    with redirect_stdout(out):
        code = main(words)
    return code, out.getvalue()


def _quietly(words: list[str]) -> int:
    """What a command tells on the way is seen only where it fails."""
    from drr.app.cli import main

    out = io.StringIO()
    with redirect_stdout(out), redirect_stderr(out):
        code = main(words)
    if code != 0:
        print(out.getvalue(), end="")
    return code
