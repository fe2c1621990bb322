"""ReportEval without a model: is a copied paragraph always found, and what does judging 300 reports again cost?

python -m benchmarks.reporteval [--reports 300] [--words 1200] [--planted 20]

Reports are written by seed, no two of their paragraphs the same, with tables, lists and links. A paragraph is copied in somewhere else;
right is: non-redundancy is lower than the clean report's. The mean of the scored pairs stands beside the mean over all pairs that is estimated from them.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import random
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from drr.app.cli import main as drr
from drr.env.json_object import JsonObject
from drr.eval.judging.read import choose, read_judged
from drr.eval.metrics import values_of
from drr.study.study import Study

from benchmarks.results import machine, record, table
from tests.eval.written_reports import HEADINGS, with_copy, write_report


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--reports", type=int, default=300)
    parser.add_argument("--words", type=int, default=1200)
    parser.add_argument("--planted", type=int, default=20)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="drr-reporteval-") as scratch:
        planted = _planted(Path(scratch), arguments.planted)
        again = _again(Path(scratch), arguments.reports, arguments.words)
    record("ReportEval without a model", f"{planted}\n\n{again}")


def _planted(folder: Path, many: int) -> str:
    rows: list[JsonObject] = []
    for number in range(many):
        rng = random.Random(number)
        report = write_report(rng, 500 + 4500 * number // max(1, many - 1), list(HEADINGS)[number % 5])
        for system, text in (("clean", report.text), ("copied", with_copy(report, rng))):
            rows.append(_row(number, system, text))
    study = _imported(folder, "planted", rows)
    _quiet("judge", str(study), "--what", "reporteval", "--judge", "offline", "--quiet")
    with Study.open(study) as opened:
        judged = read_judged(opened, choose(opened))
        values = {(one.query_id, one.variant): values_of(judged, one) for one in judged.answers}
    names = ("re_non_redundancy", "re_non_redundancy_all", "re_worst_pair")
    shown = []
    for name in names:
        clean, copied = (
            [
                value
                for (_, variant), row in sorted(values.items())
                if variant == system and (value := row[name]) is not None
            ]
            for system in ("clean", "copied")
        )
        lower = sum(b < a for a, b in zip(clean, copied, strict=True))
        shown.append((name, f"{sum(clean) / many:.3f}", f"{sum(copied) / many:.3f}", f"{lower} of {many}"))
    head = f"A paragraph copied into {many} written reports of 500 to 5,000 words in five languages of headings, judged by rules-2 ({machine()}).\n\n"
    return head + table(("figure", "clean", "copied", "lower"), shown)


def _again(folder: Path, reports: int, words: int) -> str:
    rows = [
        _row(
            number // 3,
            ("alpha", "beta", "gamma")[number % 3],
            write_report(random.Random(number), words).text,
        )
        for number in range(reports)
    ]
    study = _imported(folder, "again", rows)
    timed = []
    for name in ("first, by rules-2", "again, from what is kept"):
        started, worked = time.perf_counter(), time.process_time()
        told = _quiet("judge", str(study), "--what", "reporteval", "--judge", "offline", "--quiet")
        seconds, cpu = time.perf_counter() - started, time.process_time() - worked
        done = next(word for word in told.split(": ")[-1].split(";") if "done now" in word).split()[0]
        timed.append((name, done, f"{seconds:.1f} ({cpu:.1f} of processor time)"))
    head = f"{reports} reports of {words} words, `drr judge --what reporteval` (grades, 30 pairs each, support of every citation).\n\n"
    return head + table(("judging", "units computed", "s"), timed)


def _row(number: int, system: str, text: str) -> JsonObject:
    return {
        "id": f"{number}-{system}",
        "query_id": f"q-{number}",
        "system": system,
        "query": f"Question {number}: which of them lasts?",
        "report_markdown": text,
    }


def _imported(folder: Path, name: str, rows: Sequence[JsonObject]) -> Path:
    path, study = folder / f"{name}.jsonl", folder / name
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    _quiet("import", str(study), str(path), "--quiet")
    return study


def _quiet(*words: str) -> str:
    said = io.StringIO()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(said):
        code = drr(words)
    if code:
        raise SystemExit(f"drr {' '.join(words)}: {said.getvalue()}")
    return said.getvalue()


if __name__ == "__main__":
    main()
