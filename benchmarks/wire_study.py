"""A real model's first day. Studies run over the wire with a careless model, faults of the provider and kills.

    python -m benchmarks.wire_study               # some six minutes

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
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from drr.app.cli import main as drr
from drr.querygen.builtin import SEED, builtin_queries
from drr.study.status import StudyStatus, status
from drr.study.study import Study

from benchmarks.careless import CarelessModel
from benchmarks.results import record, table
from tests.wire import Wire

QUESTIONS = 23
KILLS = 12
AT_ONCE = 8
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
            ("data", "sample", made.folder / "raw", "--seed", SEED, "--quiet"),
            ("data", "ingest", made.folder / "raw", "--shop", made.shop, "--quiet"),
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


def calm(site: Site) -> str:
    """Run 138 units without a kill: what finishes, and whether the count of every answer that came is the server's."""
    rows = []
    for seed in (16, 61):
        model, study = CarelessModel(seed=seed), site.folder / f"calm-{seed}"
        with Wire(model) as wire:
            asked = ("--queries", str(site.queries(QUESTIONS)), "--variants", "all")
            begun(site, study, wire, asked).wait()
        end = ended(study)
        units, told = end.told.units, end.told
        rows.append(
            (
                seed,
                f"{model.requests:,}",
                sum(n for what, n in model.done.items() if what.startswith("fault")),
                sum(n for what, n in model.done.items() if what.startswith("slip")),
                f"{units.done} of {units.total}",
                _told(told.failures),
                f"{told.spent_tokens:,} of {model.whole.tokens:,}",
                f"${told.cost_usd or 0:.4f} of ${model.whole.cost / PICO:.4f}",
                "yes" if lies_between(told, model) else "NO",
            )
        )
    head = (
        *("seed", "requests", "faults", "slips", "finished", "failed", "tokens known of the server's"),
        *("cost known of the server's", "lost answers within known..at most"),
    )
    return (
        "A careless model and faults of the provider on the wire, six variants, 23 questions: what finishes, and whether our count of "
        f"what was paid is the server's.\n\n{table(head, rows)}"
    )


def killed(site: Site) -> str:
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
    return (
        f"Seed 16 again, killed {KILLS} times: {end.told.units.done} of {end.told.units.total} finished; the server's count lay within "
        f"known..at most after {within} of {KILLS} kills and {'also' if lies_between(end.told, model) else 'NOT'} at the end; of "
        f"{model.whole.answers:,} whole answers {model.whole.answers - end.recorded} were paid twice, those in flight at a kill (at most "
        f"{most_at_once} at one)."
    )


def _told(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items()) or "none"


def main() -> int:
    with site() as made:
        record("Over the wire", f"{calm(made)}\n\n{killed(made)}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
