"""Previews a reproduction: each step, and the calls of agents and judges, without calling any model.

Missing inputs are made by rules in a temporary folder, so that the forecast is of questions like those that
will be asked; a judge's calls are counted on existing reports, else on a few that rules write.
"""

from __future__ import annotations

import io
import json
import shlex
from collections.abc import Iterable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, TypedDict

from drr.app.papers.steps import OFFLINE, PaperSteps, Places, Reproduction, Step
from drr.app.study.forecast import RunForecast
from drr.app.terminal import flowed, wrapped_paragraph
from drr.env.jsonl import lines_of
from drr.study.study import Study

if TYPE_CHECKING:
    from drr.eval.judging.run import Forecast

_SAMPLED = 4
"""Number of answers of each variant that rules write for the forecast, each on another task."""
_MODELS = (
    "--model",
    "--models",
    "--model-embedder",
    "--role-models",
    "--base-url",
    "--concurrency",
    "--budget",
    "--judge",
)


class PreviewCounts(TypedDict):
    """The numbers of pending answers and calls that a dry run found."""

    answers: int
    calls: int | None
    """Number of calls that agents make to models; `None` where a part is unknown."""
    judge_calls: int


def preview(asked: Reproduction, paper: PaperSteps) -> tuple[int, PreviewCounts]:
    """Return the exit code and the pending answers and calls, counted up to the first failed step."""
    with TemporaryDirectory(prefix="drr-") as aside:
        seen = replace(asked, places=Places(asked.places.out, Path(aside)))
        dry = _DryRun(seen, Path(aside))
        for step in paper.steps(seen):
            code = dry.take(step)
            if code != 0:
                return code, dry.counts()
    print(wrapped_paragraph(dry.summary(), 2))
    return 0, dry.counts()


@dataclass
class _DryRun:
    asked: Reproduction
    aside: Path
    answers: int = 0
    calls: int | None = 0
    """Number of agents' calls so far; `None` once a part is unknown."""
    judge_calls: int = 0
    sampled: dict[str, float] = field(default_factory=dict)
    """Mean number of calls per answer in the sample that rules wrote, by variant."""

    def counts(self) -> PreviewCounts:
        return {"answers": self.answers, "calls": self.calls, "judge_calls": self.judge_calls}

    def take(self, step: Step) -> int:
        done = step.done and not (step.makes is not None and step.makes.is_relative_to(self.aside))
        print(f"{'done' if done else 'to do'}: $ drr {self._shown_command(step.words)}", flush=True)
        if done:
            return 0
        if step.words[:2] == ["study", "import"]:
            return _run_quietly(step.words)
        if step.kind == "input":
            return self._make(step)
        if step.kind == "run":
            return self._run(step.words)
        return self._judge(step.words) if step.kind == "judge" else 0

    def _shown_command(self, words: Sequence[str]) -> str:
        out = str(self.asked.places.out)
        return shlex.join(word.replace(str(self.aside), out) for word in words)

    def _make(self, step: Step) -> int:
        """Make a missing input by rules, whatever the model, so that the preview costs nothing."""
        if step.done:
            return 0
        if step.words[0] != "queries":
            return _run_quietly(step.words)
        words = _without_options(step.words, *_MODELS)
        if Path(words[words.index("--out") + 1]).exists():
            return 0
        if not self.asked.by_rules:
            print(
                "  a model would write these questions; rules stand in for it here, and its calls are not counted"
            )
        return _run_quietly([*words, "--model", OFFLINE])

    def _run(self, words: list[str]) -> int:
        code, output = _output([*words, "--dry-run", "--json"])
        if code != 0:
            return code
        document: RunForecast = json.loads(output)
        self.answers += document["left"]
        if document["left"]:
            variants = dict.fromkeys(row["variant"].partition("@")[0] for row in document["variants"])
            code = self._sample(words, variants)
            if code != 0:
                return code
        calls, cost = self._calls(document), document["total"]["cost_usd"]
        self.calls = None if calls is None or self.calls is None else self.calls + calls
        price = "" if cost is None else f", about ${cost:,.2f}"
        number = "an unknown number of" if calls is None else f"about {calls:,}"
        print(
            f"  {document['units']:,} answers, {document['left']:,} of them to be given: {number} calls{price}"
        )
        return 0

    def _calls(self, document: RunForecast) -> int | None:
        """Return the number of calls in a forecast, with the sample's calls for variants without one; `None` if unknown."""
        if not document["left"]:
            return 0
        found = 0.0
        for row in document["variants"]:
            each = self.sampled.get(row["variant"].partition("@")[0])
            if row["calls"] is None and each is None:
                return None
            found += row["left"] * (each or 0.0) if row["calls"] is None else row["calls"]
        for memory in document["memories"]:
            if memory["calls"] is None:
                return None
            found += memory["calls"]
        return round(found)

    def _sample(self, words: list[str], variants: Iterable[str]) -> int:
        """Write a few answers of each variant by rules, to the questions of the first run with the variant."""
        sample = self.aside / "sample"
        for variant in variants:
            if variant in self.sampled:
                continue
            own = self._spread([words[0], str(sample), *_with(words[2:], "--variants", variant)])
            code = _run_quietly([*own, *([] if "--only" in own else ["--only"])])
            if code != 0:
                return code
            self.sampled[variant] = _calls_each(sample, variant)
        if "--queries" in words:  # a judge is asked about every question, answered or not
            with Study.open(sample) as study:
                study.write(
                    "queries.jsonl", "\n".join(lines_of(Path(_option_value(words, "--queries")), "questions"))
                )
        return 0

    def _spread(self, words: list[str]) -> list[str]:
        """Return the command for a few questions, spread over the whole file, under one setting and size.
        Rules answer them. Neighbouring questions belong to one task."""
        for several in ("--settings", "--sizes", "--reach"):
            if several in words:
                words = _with(words, several, _option_value(words, several).split(",")[0])
        words = [*_without_options(words, *_MODELS, "--trials"), "--model", OFFLINE]
        if "--queries" not in words:
            return [*words, "--limit", str(_SAMPLED)]
        some = self.aside / "sampled.jsonl"
        lines = lines_of(Path(_option_value(words, "--queries")), "questions")
        known = [line for line in lines if line.strip()]
        number = min(_SAMPLED, len(known))
        some.write_text(
            "".join(known[i * len(known) // number] + "\n" for i in range(number)), encoding="utf-8"
        )
        return _with(words, "--queries", str(some))

    def _judge(self, words: list[str]) -> int:
        """Print and count a judge's calls: on existing answers as they are, on pending answers as in the sample. Calls about questions count once."""
        parts = [words[1]] if Study.exists(Path(words[1])) else []
        parts += [str(self.aside / "sample")] if self.answers else []
        calls, cost = 0.0, 0.0
        known = True
        if "--judge" not in words:
            words = [*words, "--judge", self.asked.arguments.model or OFFLINE]
        for number, study in enumerate(parts):
            code, output = _output([words[0], study, *words[2:], "--dry-run", "--json"])
            if code != 0:
                return code
            forecast: Forecast = json.loads(output)
            share = self.answers / max(forecast["answers"], 1) if study != words[1] else 1.0
            once = forecast["of_questions"]
            calls += (forecast["calls"] - once["calls"]) * share + (0 if number else once["calls"])
            known = known and forecast["cost_usd"] is not None
            asked_once = once["cost_usd"] or 0.0
            cost += ((forecast["cost_usd"] or 0.0) - asked_once) * share + (0.0 if number else asked_once)
        self.judge_calls += round(calls)
        by = ", counted on reports that rules write" if self.answers else ""
        price = f", about ${cost:,.2f}" if known else ""
        print(flowed(f"  about {calls:,.0f} calls of the judge{price}{by}", 2))
        return 0

    def summary(self) -> str:
        calls = "an unknown number of" if self.calls is None else f"about {self.calls:,}"
        by = " All are played by rules and cost nothing." if self.asked.by_rules else ""
        return (
            f"\nto do: {self.answers:,} answers ({calls} calls), about {self.judge_calls:,} calls of judges.{by}"
            " Nothing was written and nobody was asked."
        )


def _calls_each(folder: Path, variant: str) -> float:
    with Study.read(folder) as study:
        found = [
            sum(role["calls"] for role in record.usage.values())
            for record in study.records("answer")
            if str(record.spec["variant"]).partition("@")[0] == variant
        ]
    return sum(found) / max(len(found), 1)


def _option_value(words: Sequence[str], option: str) -> str:
    return words[words.index(option) + 1]


def _with(words: Sequence[str], option: str, value: str) -> list[str]:
    place = words.index(option) + 1
    return [*words[:place], value, *words[place + 1 :]]


def _without_options(words: Sequence[str], *options: str) -> list[str]:
    """Return the words without these options and their values."""
    kept: list[str] = []
    skip = False
    for word in words:
        if skip or word in options:
            skip = not skip
            continue
        kept.append(word)
    return kept


def _output(words: list[str]) -> tuple[int, str]:
    from drr.app.cli import main

    out = io.StringIO()
    with redirect_stdout(out):
        code = main(words)
    return code, out.getvalue()


def _run_quietly(words: list[str]) -> int:
    """Run a command and return its exit code; its output is printed only where it fails."""
    from drr.app.cli import main

    out = io.StringIO()
    with redirect_stdout(out), redirect_stderr(out):
        code = main(words)
    if code != 0:
        print(out.getvalue(), end="")
    return code
