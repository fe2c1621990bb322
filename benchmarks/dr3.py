"""DR3-Eval's figures on reports built from known facts, without a model. Are recall, coverage and harm as built, and is the order right?

python -m benchmarks.dr3 [--tasks 20] [--seed 1]

Tasks are made from the sample shop. Of each, reports are built in a prose that is not the tasks' own (`dr3_prose.toml`: four sentences for each kind of
fact, values in other forms, subjects by several names): with all facts, every second one, none, and with the values of distractors in the place of
those of pages. Recall, coverage and harm of each are known by construction. The sums are compared with a plain recomputation.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import random
import re
import tempfile
import time
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from math import fsum
from pathlib import Path
from typing import NamedTuple

from drr.app.cli import main as drr
from drr.env.json_object import JsonObject
from drr.eval.judging.read import choose, read_judged
from drr.eval.metrics import values_of
from drr.papers.dr3.folders import open_tasks
from drr.papers.dr3.judging.rows import FactLabel, fact_labels
from drr.papers.dr3.judging.subjects import FACT_WORDS
from drr.papers.dr3.truth import TaskFact, TaskTruth, read_truth
from drr.study.study import Study
from drr.wording.dates import dates

from benchmarks.results import machine, record, table

PROSE: Mapping[str, Sequence[str]] = tomllib.loads(
    Path(__file__).with_name("dr3_prose.toml").read_text(encoding="utf-8")
)
KINDS = ("all", "half", "none", "distractors")
_FILLER = (
    "A purchase like this deserves a calm look before money moves.",
    "What follows weighs the papers against what others have written.",
    "Sources of several ages were read, and the newest first-hand one was trusted.",
)
_INCHES = re.compile(r"([\d.]+) (?:in|inches)")
_MONTHS = re.compile(r"(\d+) months")


class BuiltReport(NamedTuple):
    """A built report, with what must be found in it."""

    text: str
    told: frozenset[str]
    """Facts."""
    cited: int
    """Required documents."""
    false: int
    """Sentences that state a falsified value."""
    claims: int


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--tasks", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="drr-dr3-") as scratch:
        record("DR3-Eval without a model", _measured(Path(scratch), arguments.tasks, arguments.seed))


def _measured(folder: Path, many: int, seed: int) -> str:
    tasks = _made(folder, many, seed)
    built, rows = _built(tasks, seed)
    (folder / "reports.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    study = folder / "study"
    _quiet("import", str(study), str(folder / "reports.jsonl"))
    began = time.process_time()
    _quiet("judge", str(study), "--what", "dr3", "--tasks", str(tasks), "--judge", "offline", "--quiet")
    seconds = time.process_time() - began
    return f"{_compared(study, built)}\n\n{len(rows)} reports judged in {seconds:.1f} s of processor time; {machine()}."


def _made(folder: Path, many: int, seed: int) -> Path:
    _quiet(
        "sample",
        str(folder / "raw"),
        "--products",
        "600",
        "--users",
        "80",
        "--reviews",
        "4000",
        "--seed",
        "5",
        "--quiet",
    )
    _quiet("ingest", str(folder / "raw"), "--shop", str(folder / "shop"), "--quiet")
    made = (
        "tasks",
        "drawer",
        "--shop",
        str(folder / "shop"),
        "--out",
        str(folder / "tasks"),
        "--n",
        str(many),
    )
    _quiet(*made, "--seed", str(seed), "--sizes", "64k")
    return folder / "tasks"


def _built(tasks: Path, seed: int) -> tuple[dict[tuple[str, str], BuiltReport], list[JsonObject]]:
    built: dict[tuple[str, str], BuiltReport] = {}
    rows: list[JsonObject] = []
    for task_id, task in open_tasks(tasks).items():
        truth = read_truth(task.folder)
        for kind in KINDS:
            one = build_report(truth, kind, random.Random(f"{seed} {task_id} {kind}"))
            built[task_id, kind] = one
            rows.append(
                {
                    "id": f"{task_id}-{kind}",
                    "system": kind,
                    "query": task.question.query,
                    "query_id": f"{task_id}@64k",
                    "task_id": task_id,
                    "report_markdown": one.text,
                }
            )
    return built, rows


def build_report(truth: TaskTruth, kind: str, rng: random.Random) -> BuiltReport:
    told = {"all": truth.facts, "half": truth.facts[::2], "none": (), "distractors": truth.facts}[kind]
    false = _false_values(truth) if kind == "distractors" else {}
    lines, documents, wrong = list(_FILLER), set[str](), 0
    for fact in told:
        value = rng.choice(false[fact.id]) if fact.id in false else fact.value
        wrong += fact.id in false
        address = fact.places[0].address
        documents.add(address.partition("#")[0])
        said = rng.choice(_prose(fact)).format(s=_subject(fact, truth, rng), v=reworded(value, rng))
        lines.append(f"{said[0].upper()}{said[1:].rstrip('.')} ({address}).")
    rng.shuffle(lines)
    names = frozenset(fact.id for fact in told if fact.id not in false)
    return BuiltReport(
        "# What the papers say\n\n" + "\n\n".join(lines) + "\n", names, len(documents), wrong, len(lines)
    )


def _false_values(truth: TaskTruth) -> dict[str, list[str]]:
    """List the false values that distractors state of the very thing."""
    found: dict[str, list[str]] = {}
    for page in truth.pages:
        change = page.change
        if change is not None and change.after and change.kind != "other_model":
            found.setdefault(change.fact, []).append(change.after)
    return found


def _prose(fact: TaskFact) -> Sequence[str]:
    return next(said for start, said in PROSE.items() if fact.attribute.startswith(start))


def _subject(fact: TaskFact, truth: TaskTruth, rng: random.Random) -> str:
    """The whole name, the maker's alone, or the maker's with the last word."""
    words = fact.subject.split()
    brand = [word for word in words if not word[:1].islower()]
    if not brand:
        door = FACT_WORDS.doors.search(fact.subject) is not None
        named = (
            ("your doorway", "the door at home") if door else ("your spot", "the place at home", fact.subject)
        )
        return rng.choice(named)
    named = " ".join(brand)
    if len(brand) == len(words):
        return named
    return rng.choice(
        (f"the {fact.subject}", f"the {named} {words[-1]}", f"your {fact.subject}", f"the {named} one")
    )


def reworded(value: str, rng: random.Random) -> str:
    """The same value as another writer would put it."""
    when = next((one for one in dates(value, 0, len(value)) if one.month and one.day), None)
    if when is not None:
        names = [
            "January",
            "February",
            "March",
            "April",
            "May",
            "June",
            "July",
            "August",
            "September",
            "October",
            "November",
            "December",
        ]
        month = names[(when.month or 1) - 1]
        iso = f"{when.year}-{when.month:02d}-{when.day:02d}"
        return rng.choice(
            (
                iso,
                f"{when.day} {month} {when.year}",
                f"{month[:3]} {when.day}, {when.year}",
                f"the {when.day}th of {month}, {when.year}",
            )
        )
    if value.startswith("$"):
        return rng.choice((value, f"{value[1:]} dollars", f"USD {value[1:]}"))
    if value.endswith(" percent"):
        return rng.choice((value, value.replace(" percent", "%"), value.replace(" percent", " per cent")))
    if (inches := _INCHES.fullmatch(value)) is not None:
        return rng.choice(
            (f"{inches[1]} inches", f'{inches[1]}"', f"{inches[1]}-inch", f"{float(inches[1]) * 2.54:.1f} cm")
        )
    if (months := _MONTHS.fullmatch(value)) is not None and int(months[1]) > 12:
        years, rest = divmod(int(months[1]), 12)
        long = f"{years} years" + (f" and {rest} months" if rest else "")
        return rng.choice((value, long))
    if re.fullmatch(r"[\d.]+ (?:lb|pounds)", value):
        return f"{value.split()[0]} {rng.choice(('lb', 'lbs', 'pounds'))}"
    return value


def _compared(study: Path, built: Mapping[tuple[str, str], BuiltReport]) -> str:
    with Study.open(study) as opened:
        judged = read_judged(opened, choose(opened))
        found = {
            (one.query_id.partition("@")[0], one.variant): (one, values_of(judged, one))
            for one in judged.answers
        }
        labels = {place: fact_labels(judged, one.key) or () for place, (one, _) in found.items()}
        off = max(_off(labels[place], values) for place, (_, values) in found.items())
        rows = []
        for kind in KINDS:
            here = [place for place in built if place[1] == kind]
            rows.append(
                [kind, len(here), *_as_built(here, built, labels, {place: found[place][1] for place in here})]
            )
            for place in here:
                for label in labels[place]:
                    if (label.score == 1) != (label.id in built[place].told):
                        print(
                            f"{place}: {label.id} {label.value!r} of {label.subject!r}: {label.score}, {label.rule_reason}"
                        )
    tasks = sorted({task for task, _ in built})
    order = sum(_is_ordered({kind: found[task, kind][1] for kind in KINDS}) for task in tasks)
    head = [
        "reports",
        "n",
        "facts as built",
        "facts found that are not there",
        "CC as built",
        "falsified values as built",
        "harm as built",
    ]
    told = f"Order right (all over half over none in IR and CC, distractors alone do harm): {order} of {len(tasks)} tasks."
    return f"{table(head, rows)}\n\n{told} Sums differ from a plain recomputation by at most {off:.1e}."


def _as_built(
    here: Sequence[tuple[str, str]],
    built: Mapping[tuple[str, str], BuiltReport],
    labels: Mapping[tuple[str, str], Sequence[FactLabel]],
    values: Mapping[tuple[str, str], Mapping[str, float | None]],
) -> list[str]:
    there = sum(len(built[place].told) for place in here)
    right = sum(
        label.score == 1 for place in here for label in labels[place] if label.id in built[place].told
    )
    extra = sum(
        label.score == 1 for place in here for label in labels[place] if label.id not in built[place].told
    )
    required = {place: _required(labels[place]) for place in here}
    cc = sum(_same(values[place]["dr3_cc"], 100 * built[place].cited / required[place]) for place in here)
    false = sum(len(label.repeated) for place in here for label in labels[place])
    harm = sum(
        _same(values[place]["dr3_harm"], 100 * built[place].false / built[place].claims) for place in here
    )
    planted = sum(built[place].false for place in here)
    return [
        f"{right} of {there}",
        str(extra),
        f"{cc} of {len(here)}",
        f"{false} of {planted}",
        f"{harm} of {len(here)}",
    ]


def _required(labels: Iterable[FactLabel]) -> int:
    return len({place.address.partition("#")[0] for label in labels for place in label.places})


def _same(value: float | None, built: float) -> bool:
    return value is not None and abs(value - built) < 1e-9


def _off(labels: Sequence[FactLabel], values: Mapping[str, float | None]) -> float:
    """Compare with sums that are written out once more, plainly."""
    worst = 0.0
    for source, name in (("file", "uf"), ("page", "sc")):
        scores = [label.score for label in labels if label.source == source and label.score is not None]
        whole = 100 * fsum(1.0 for score in scores if score == 1) / len(scores)
        part = 100 * fsum(scores) / len(scores)
        worst = max(
            worst,
            abs(whole - (values[f"dr3_ir_{name}"] or 0)),
            abs(part - (values[f"dr3_ir_{name}_mean"] or 0)),
        )
    six = [values[f"dr3_{name}"] for name in ("ir_uf", "ir_sc", "cc", "fa", "if", "dq")]
    known = [value for value in six if value is not None]
    return max(worst, abs(fsum(known) / len(known) - (values["dr3_avg_printed"] or 0)))


def _is_ordered(values: Mapping[str, Mapping[str, float | None]]) -> bool:
    def of(kind: str, *names: str) -> float:
        return fsum(values[kind][f"dr3_{name}"] or 0.0 for name in names)

    recall = [of(kind, "ir_uf", "ir_sc") for kind in ("all", "half", "none")]
    cover = [of(kind, "cc") for kind in ("all", "half", "none")]
    harm = [of(kind, "harm") for kind in KINDS]
    return (
        recall[0] > recall[1] > recall[2] == 0
        and cover[0] > cover[1] > cover[2] == 0
        and harm[:3] == [0, 0, 0]
        and harm[3] > 0
    )


def _quiet(*words: str) -> None:
    with contextlib.redirect_stdout(io.StringIO()) as said, contextlib.redirect_stderr(io.StringIO()) as told:
        code = drr(list(words))
    if code != 0:
        raise SystemExit(f"drr {' '.join(words)}: exit code {code}\n{said.getvalue()}{told.getvalue()}")


if __name__ == "__main__":
    main()
