"""The import and export of DR3-Eval's results. Each task has a folder with its report and measures, below those of model and corpus size."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from drr.env.errors import Misuse
from drr.env.files import file_name
from drr.env.json_object import JsonObject
from drr.eval.foreign.form import (
    FigureColumn,
    FileOut,
    ForeignId,
    ForeignPart,
    ForeignQuestion,
    ForeignRow,
    Format,
    Given,
    GivenQuestion,
    GivenReport,
    GivenScores,
    Label,
    Words,
    files_below,
    json_line,
    object_in,
    objects_in,
    row_of,
    text_in,
)
from pydantic import AfterValidator, Field

REPORT = "final_report.md"
COMBINED = "combined_result.json"
_NAMES = (REPORT, COMBINED, "query.jsonl")
_SINGLE = re.compile(r"eval_[a-z_]+?(?:_\d{8}_\d{6})?\.json")
_SIZE = re.compile(r"\d{1,6}k")


def _defined_score(score: float) -> float | None:
    """Return no value for -1, which DR3-Eval's evaluators write for an undefined figure."""
    return None if score < 0 else score


Percent = Annotated[float, Field(ge=-1, le=100), AfterValidator(_defined_score)]
FIGURES = (
    ("total_score", "total"),
    ("information_recall", "information recall"),
    ("recall_pages", "of pages"),
    ("recall_files", "of files"),
    ("citation_coverage", "citation coverage"),
    ("factual_accuracy", "factual accuracy"),
    ("format_compliance", "instructions"),
    ("overall_quality", "quality"),
)
_RECALLS = {"long_context": "recall_pages", "source_documents": "recall_files"}


class _Asked(ForeignRow):
    """A row of `query.jsonl`; one of three keys names the task."""

    task: ForeignId | None = None
    id: ForeignId | None = None
    number: ForeignId | None = None
    query: Words


class _Component(ForeignRow):
    available: bool = False
    score: Percent | None = None


class _Details(ForeignRow):
    components: dict[str, _Component]


class _Measured(ForeignRow):
    metric_name: Label | None = None
    score: Percent | None
    details: Any = None


class _Single(_Measured):
    metric_name: Label


class _Combined(ForeignRow):
    total_score: Percent | None = None
    metrics: dict[str, _Measured]


class Dr3Eval(Format):
    def read(self, path: Path) -> Iterator[Given]:
        if not path.is_dir():
            yield from self._file(path)
            return
        found = [one for one in files_below(path) if one.name in _NAMES or _SINGLE.fullmatch(one.name)]
        if not found:
            raise Misuse(f"{path}: holds no {REPORT}, {COMBINED}, eval_*.json and no query.jsonl")
        scored: dict[Path, list[Path]] = {}
        for one in found:
            if one.suffix == ".json":
                scored.setdefault(one.parent, []).append(one)
            else:
                yield from self._file(one)
        for files in scored.values():
            yield _scores(files)

    def _file(self, path: Path) -> Iterator[Given]:
        if path.suffix == ".jsonl":
            for where, raw in objects_in(path, "queries of DR3-Eval"):
                row = row_of(where, raw, _Asked)
                names = [one for one in (row.task, row.id, row.number) if one is not None]
                if not names:
                    raise Misuse(f"{where}: number: whose query this is stands nowhere")
                yield GivenQuestion(where, ForeignQuestion(names[0], row.query))
        elif path.suffix == ".md":
            yield GivenReport(str(path), *_question_and_system(path), text_in(path))
        else:
            yield _scores([path])

    def write(self, reports: Sequence[GivenReport]) -> Iterator[FileOut]:
        """Yield the files of the reports. A task keeps the number of its import, or its name here, at every size."""
        numbers = _numbers(reports)
        rows = (json_line(number=number, query=words) for words, number in numbers.items())
        yield FileOut("query.jsonl", "".join(rows))
        for one in reports:
            yield FileOut(f"{_folder(one, numbers)}/{REPORT}", one.text)

    @property
    def written_parts(self) -> frozenset[str]:
        return frozenset({"scores"})

    def write_scores(self, scores: Sequence[GivenScores]) -> Iterator[FileOut]:
        numbers = _numbers(scores)
        for one in scores:
            yield FileOut(f"{_folder(one, numbers)}/{COMBINED}", json_line(**_combined_row(one.values)))


DR3 = Dr3Eval(
    "dr3",
    "DR3-Eval",
    (ForeignPart("scores", "DR3-Eval", tuple(FigureColumn(*row, (0.0, 100.0)) for row in FIGURES)),),
    frozenset({"user", "language"}),
)


def _numbers(rows: Sequence[GivenReport | GivenScores]) -> dict[str, str]:
    """Map the words of each question to the number or name of its task."""
    found: dict[str, str] = {}
    for one in rows:
        words, task = one.asked.words or "", one.asked.task if one.asked.id is None else one.asked.id
        own = None if task is None else str(task)
        free = (name for n in range(1, 10**6) if (name := f"{n:03}") not in found.values())
        if words not in found:
            found[words] = own if own and own not in found.values() else next(free)
    return found


def _folder(one: GivenReport | GivenScores, numbers: Mapping[str, str]) -> str:
    number = file_name(numbers[one.asked.words or ""])
    return "/".join(filter(None, ("result", one.asked.size, file_name(one.system), number)))


def _combined_row(values: Mapping[str, float | None]) -> JsonObject:
    """Build the row of `combined_result.json`. A missing value is left out, except an undefined total, which is written as such."""
    parts = {
        key: {"available": True, "score": values[name]}
        for key, name in _RECALLS.items()
        if values.get(name) is not None
    }
    metrics: dict[str, JsonObject] = {
        name: {"metric_name": name, "score": values[name], "weight": 1.0, "details": {}}
        for name, _ in FIGURES
        if values.get(name) is not None and name not in ("total_score", *_RECALLS.values())
    }
    if "information_recall" in metrics and parts:
        metrics["information_recall"]["details"] = {"components": parts}
    return {"total_score": values.get("total_score"), "metrics": metrics}


def _question_and_system(path: Path) -> tuple[ForeignQuestion, str]:
    """Return the question and the system of a file in `SIZE/MODEL/TASK/`. The same task at another size is another question."""
    names = [one.name for one in path.resolve().parents[:3]]
    if len(names) < 3 or not names[1]:
        raise Misuse(f"{path}: lies in no folder of a task below that of a model")
    size = names[2] if _SIZE.fullmatch(names[2]) else None
    return ForeignQuestion(names[0], size=size), names[1]


def _scores(files: Sequence[Path]) -> GivenScores:
    """Read the scores of one task. If several files hold a metric, the last by name counts, as names end with the time of writing."""
    asked, system = _question_and_system(files[0])
    values: dict[str, float | None] = {}
    for path in sorted(files):
        raw = object_in(path)
        if path.name == COMBINED:
            row = row_of(str(path), raw, _Combined)
            values["total_score"] = row.total_score
            measured = dict(row.metrics)
        else:
            single = row_of(str(path), raw, _Single)
            measured = {single.metric_name: single}
        for name, one in measured.items():
            values |= _values_of_metric(path, name, one)
    last = max(files)
    return GivenScores(str(last), asked, system, "scores", values, last)


def _values_of_metric(path: Path, name: str, measured: _Measured) -> dict[str, float | None]:
    """Return a metric's value and its components by column; empty for a metric without a column."""
    if name not in dict(FIGURES):
        return {}
    values = {name: measured.score}
    if name == "information_recall" and isinstance(measured.details, dict):
        parts = measured.details.get("components", {})
        details = row_of(f"{path}: details", {"components": parts}, _Details)
        for key, part in details.components.items():
            if key in _RECALLS and part.available:
                values[_RECALLS[key]] = part.score
    return values
