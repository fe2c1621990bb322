"""A real model's first day. Studies run over the wire with a careless model, faults of the provider, kills and small budgets.

    python -m benchmarks.wire_study               # all parts, about a quarter of an hour
    python -m benchmarks.wire_study calm          # one of them: calm, killed, budgets

Everything is a user's: `drr run` in a process of its own, the real Anthropic client, the sample shop, six variants, 23 of the built-in
questions. What was paid is counted by the server and by `drr study status`.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from drr.agents.base import BROKEN_OFF
from drr.app.cli import main as drr
from drr.querygen.builtin import SEED, builtin_queries
from drr.study.status import StudyStatus, status
from drr.study.study import Study

from benchmarks.careless import CarelessModel
from benchmarks.results import machine, record, table
from tests.wire import Wire

QUESTIONS, BUDGETED = 23, 12
KILLS = 12
AT_ONCE = 8
BUDGETS = (0.25, 0.35, 0.45)
MODEL = "anthropic:claude-sonnet-5-5"
PICO = 1e12


class Site(NamedTuple):
    """The place where the studies of this benchmark lie."""

    folder: Path

    @property
    def shop(self) -> Path:
        return self.folder / "shop"

    def queries(self, count: int) -> Path:
        path = self.folder / f"queries-{count}.jsonl"
        lines = [query.model_dump_json(exclude_none=True) for query in builtin_queries()[:count]]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return path


class ProcessEnd(NamedTuple):
    """The end that a study has come to."""

    told: StudyStatus
    recorded: int
    """Answers of the model that the ledger holds."""
    stops: Counter[str]


@contextmanager
def site() -> Iterator[Site]:
    with TemporaryDirectory() as name:
        made = Site(Path(name))
        for words in (
            ("sample", made.folder / "raw", "--seed", SEED, "--quiet"),
            ("ingest", made.folder / "raw", "--shop", made.shop, "--quiet"),
        ):
            if drr([str(word) for word in words]) != 0:
                raise SystemExit("the sample shop could not be made")
        yield made


def begun(site: Site, study: Path, wire: Wire, words: Sequence[str]) -> subprocess.Popen[bytes]:
    """`drr run`, a process of its own."""
    command = [sys.executable, "-m", "drr.app.cli", "run", str(study), *words, "--quiet"]
    if not study.exists():
        command += ["--shop", str(site.shop), "--model", MODEL, "--base-url", wire.url]
        command += ["--model-timeout", "5", "--model-max-tokens", "4000", "--units", str(AT_ONCE)]
    else:
        command += ["--units", str(AT_ONCE)]
    environment = {**os.environ, "ANTHROPIC_API_KEY": "sk-test-0123456789abcdef"}
    log = (site.folder / f"{study.name}.log").open("ab")
    return subprocess.Popen(command, env=environment, stdout=log, stderr=log)


def ended(folder: Path) -> ProcessEnd:
    with Study.open(folder, read_only=True) as study:
        told = status(study)
        done = sum(role["calls"] for one in study.records("answer") for role in one.usage.values())
        answered = done + sum(len(saved) for saved in study.ledger.saved.of_kind("answer", "way:"))
        stops = Counter(str(one.result.get("stop_reason")) for one in study.records("answer"))
    return ProcessEnd(told, answered, stops)


def lies_between(told: StudyStatus, model: CarelessModel) -> bool:
    """Tell whether the server's own count lies between what is known and the most that it can be. This goes for tokens and for dollars."""
    tokens = model.whole.tokens + model.lost.tokens
    cost = (model.whole.cost + model.lost.cost) / PICO
    known, most = told.cost_usd, told.cost_usd_at_most
    if known is None or most is None:
        return False
    return told.spent_tokens <= tokens <= told.spent_tokens_at_most and known <= cost <= most


def calm(site: Site) -> list[str]:
    """138 units, no kill: what finishes, and whether the count of every answer that came is the server's."""
    rows, parts = [], []
    for seed in (16, 61):
        model, study = CarelessModel(seed=seed), site.folder / f"calm-{seed}"
        with Wire(model) as wire:
            asked = ("--queries", str(site.queries(QUESTIONS)), "--variants", "all")
            begun(site, study, wire, asked).wait()
        end = ended(study)
        units, told = end.told.units, end.told
        broken = {why: count for why, count in sorted(end.stops.items()) if why in BROKEN_OFF}
        rows.append(
            (
                seed,
                f"{model.requests:,}",
                sum(n for what, n in model.done.items() if what.startswith("fault")),
                sum(n for what, n in model.done.items() if what.startswith("slip")),
                f"{units.done} of {units.total}",
                _told(told.failures),
                _told(broken),
                f"{model.whole.tokens:,}",
                f"{told.spent_tokens:,}",
                f"${model.whole.cost / PICO:.4f}",
                f"${told.cost_usd or 0:.4f}",
                "yes" if lies_between(told, model) else "NO",
            )
        )
        parts.append(f"Seed {seed}: {_told(dict(sorted(model.done.items())))}.")
    head = (
        *("seed", "requests", "faults", "slips", "finished", "failed", "of the finished, broken off"),
        *(
            "tokens of whole answers, server",
            "known",
            "cost, server",
            "known",
            "with lost answers within known..at most",
        ),
    )
    return [table(head, rows), "\n".join(parts)]


def killed(site: Site) -> list[str]:
    """Run the same, killed at even distances. Nothing is asked twice but what was in flight, and the bounds stay true after each kill."""
    model, study = CarelessModel(seed=16, latency_s=0.03), site.folder / "killed"
    asked: Sequence[str] = ("--queries", str(site.queries(QUESTIONS)), "--variants", "all")
    within, again, most_at_once = 0, 0, 0
    with Wire(model) as wire:
        for _ in range(KILLS):
            process, asked_before = begun(site, study, wire, asked), model.requests
            while model.requests < asked_before + 110 and process.poll() is None:
                time.sleep(0.005)
            process.send_signal(signal.SIGKILL)
            process.wait()
            time.sleep(0.3)  # the server finishes what it is saying
            end = ended(study)
            within += lies_between(end.told, model)
            lost = model.whole.answers - end.recorded
            most_at_once, again = max(most_at_once, lost - again), lost
            asked = ()
        begun(site, study, wire, ()).wait()
    end = ended(study)
    units = end.told.units
    row = (
        KILLS,
        f"{within} of {KILLS}",
        f"{units.done} of {units.total}",
        _told(end.told.failures),
        f"{model.whole.answers:,}",
        f"{end.recorded:,}",
        model.whole.answers - end.recorded,
        most_at_once,
        "yes" if lies_between(end.told, model) else "NO",
    )
    head = (
        *(
            "kills",
            "server's count within known..at most after a kill",
            "finished",
            "failed",
            "whole answers, server",
        ),
        *("on record", "paid twice: in flight at a kill", "most of one kill", "within at the end"),
    )
    return [table(head, [row])]


def budgets(site: Site) -> list[str]:
    """Twelve units of Hybrid with a budget for some of them, then as much as they need.

    A request that was cut off may have been billed: the budget is held against the most that it can have cost, so faults leave less. A
    slip may be a refusal, which ends a unit that was paid for.
    """
    rows = []
    for (faults, slips), usd in product(((0.0, 0.0), (0.0, 0.12), (0.08, 0.12)), BUDGETS):
        model = CarelessModel(seed=16, faults=faults, slips=slips)
        study = site.folder / f"budget-{faults}-{slips}-{usd}"
        with Wire(model) as wire:
            asked = ("--queries", str(site.queries(BUDGETED)), "--variants", "hybrid-react")
            begun(site, study, wire, (*asked, "--budget", str(usd))).wait()
            first, paid = ended(study), model.whole.cost + model.lost.cost
            most = first.told.cost_usd_at_most or 0.0
            begun(site, study, wire, ("--budget", "100")).wait()
        end = ended(study)
        mean = (end.told.cost_usd or 0) / max(1, end.told.units.done)
        rows.append(
            (
                f"{faults:g}",
                f"{slips:g}",
                f"${usd}",
                f"{first.told.units['done']} of {BUDGETED}",
                f"${paid / PICO:.3f}",
                f"${most:.3f}",
                f"${mean:.3f}",
                f"{end.told.units['done']} of {BUDGETED}",
                f"{model.whole.answers:,}",
                f"{end.recorded:,}",
                model.whole.answers - end.recorded,
            )
        )
    head = (
        *(
            "faults",
            "slips",
            "budget",
            "finished with it",
            "paid by the server's count",
            "at most",
            "a unit costs, mean",
            "finished after more money",
        ),
        *("whole answers, server", "on record", "paid twice"),
    )
    return [table(head, rows)]


def _told(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items()) or "none"


PARTS = {
    "calm": ("Over the wire", calm),
    "killed": ("Over the wire, killed", killed),
    "budgets": ("Over the wire, small budgets", budgets),
}


def main(chosen: Sequence[str]) -> int:
    with site() as made:
        for name in chosen or PARTS:
            heading, part = PARTS[name]
            started = time.monotonic()
            text = "\n\n".join(part(made))
            took = f"{time.monotonic() - started:.0f} s"
            record(heading, f"{part.__doc__}\n\n{machine()}, {took}\n\n{text}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
