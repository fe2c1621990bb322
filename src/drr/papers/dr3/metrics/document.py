"""The tables on tasks with files in a study's document: by size, option, modality and kind of error."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import get_args

from drr.eval.evidence.answers import Answer
from drr.eval.judging.read import repetitions
from drr.eval.labels import CriterionLabel, Label, rating_id
from drr.eval.metrics import document_rows, figures, metrics, values_of
from drr.eval.metrics.base import Values
from drr.eval.metrics.costs import cost_document, ended_answers
from drr.eval.metrics.coverage import variants_of
from drr.eval.metrics.document import JudgedStudy
from drr.eval.stats.differences import paired, with_holm
from drr.eval.stats.intervals import VRow, mean
from drr.eval.stats.question import AskedQuestion, grouped
from drr.eval.tasks.judgements import Judged
from drr.papers.dr3.judging.rows import Modality, fact_labels
from drr.papers.dr3.judging.truths import task_of
from drr.papers.dr3.metrics import accuracy
from drr.papers.dr3.metrics import dr3 as family
from drr.papers.dr3.metrics.rows import Dr3Difference, Dr3Document, error_shares, noise_floor, values_of_tasks
from drr.papers.dr3.sums import SIX

SHOWN = (
    *("dr3_ir_sc", "dr3_cc", "dr3_ir_uf", "dr3_fa", "dr3_if", "dr3_dq", "dr3_avg", "dr3_harm"),
    *("dr3_search_loss", "dr3_writing_loss"),
)
"""Figures shown side by side. Recall of pages and citation coverage come first, since only they change with size."""
_OPTIONS = re.compile(r"[+@]")
_TOKENS = re.compile(r"(\d+)(k?)", re.IGNORECASE)


def document_of(about: JudgedStudy) -> Dr3Document | None:
    """Return the part `dr3` of a study's document; `None` without facts."""
    again = [about.counted(one) for one in repetitions(about.study, about.judged)]
    found = dr3_document(about.judged, again)
    if found is not None:
        found["cost"] = cost_document(about.study, about.judged, ended_answers(about.study))
    return found


def dr3_document(judged: Judged, again: Sequence[Judged] = ()) -> Dr3Document | None:
    """Build the tables; `None` if no report was compared with required facts. `again` holds repeated judgings by the same judge."""
    asked = {answer.key for answer in judged.answers if fact_labels(judged, answer.key) is not None}
    if not asked:
        return None
    systems = {
        system: own
        for system, answers in variants_of(judged).items()
        if (own := [a for a in answers if a.key in asked])
    }
    by_size = {system: _by_size(answers) for system, answers in systems.items()}
    firsts = {system: next(iter(own)) for system, own in by_size.items()}
    sizes = [
        (system, size, firsts[system], own[size], own[firsts[system]])
        for system, own in by_size.items()
        for size in list(own)[1:]
    ]
    options = [(a, a, b, systems[a], systems[b]) for a, b in option_pairs(list(systems))]
    values = {answer.key: values_of_tasks(judged, answer) for own in systems.values() for answer in own}
    return {
        "sizes": {
            system: {size: _figures(judged, answers) for size, answers in own.items()}
            for system, own in by_size.items()
        },
        "between_sizes": _differences(values, sizes, by_size=False),
        "between_options": _differences(values, options, by_size=True),
        "modalities": {system: _modalities(judged, answers) for system, answers in systems.items()},
        "errors": {system: error_shares(judged, answers) for system, answers in systems.items()},
        "noise": {system: noise_floor(judged, again, answers, SHOWN) for system, answers in systems.items()},
    }


def option_pairs(systems: Sequence[str]) -> list[tuple[str, str]]:
    """Pair each system with the one of its architecture that has most of its options and no others. If there is none, the plainest is taken."""
    by_name = grouped((_OPTIONS.split(system, maxsplit=1)[0], system) for system in systems)
    found = []
    for own in by_name.values():
        plain = sorted(own, key=lambda one: (len(_parts(one)), one))
        for one in own:
            within = [other for other in plain if _parts(other) < _parts(one)]
            other = within[-1] if within else plain[0]
            if other != one:
                found.append((one, other))
    return found


def _parts(system: str) -> frozenset[str]:
    """Return what a system's name adds to its architecture: options after `+`, and model, inputs and reach after `@`."""
    agent, *given = system.split("@")
    return frozenset(agent.split("+")[1:]) | {f"@{one}" for part in given for one in part.split("+")}


def _by_size(answers: Sequence[Answer]) -> dict[str, list[Answer]]:
    found = grouped((_size(answer), answer) for answer in answers)
    return dict(sorted(found.items(), key=lambda one: _tokens(one[0])))


def _figures(judged: Judged, answers: Sequence[Answer]) -> dict[str, VRow]:
    found = figures(judged, answers, [accuracy, family])
    return document_rows({name: found[name] for name in SHOWN if name in found})


def _differences(
    values: Mapping[str, Values],
    pairs: Iterable[tuple[str, str, str, Sequence[Answer], Sequence[Answer]]],
    *,
    by_size: bool,
) -> list[Dr3Difference]:
    """Return the paired differences for rows of system, two names, and the answers of each. With `by_size`, only equal sizes of a task are paired."""
    rows: list[Dr3Difference] = []
    tested = {}
    for system, a, b, left, right in pairs:
        for name in SHOWN:
            one, other = (_by_task(values, own, name, by_size=by_size) for own in (left, right))
            if one.keys() & other.keys():
                tested[len(rows), name] = paired(one, other, metrics()[name].range)
        rows.append({"system": system, "a": a, "b": b, "metrics": {}})
    for (place, name), difference in with_holm(tested).items():
        rows[place]["metrics"][name] = difference.document()
    return rows


def _by_task(
    values: Mapping[str, Values], answers: Sequence[Answer], name: str, *, by_size: bool
) -> dict[AskedQuestion, list[float | None]]:
    known = [(answer, values[answer.key][name]) for answer in answers if name in values[answer.key]]
    tasks = [(task_of(answer), _size(answer), value) for answer, value in known]
    return grouped((AskedQuestion(f"{task}@{size}" if by_size else task, task), v) for task, size, v in tasks)


def _modalities(judged: Judged, answers: Sequence[Answer]) -> dict[str, VRow]:
    method = (
        "100 x required facts of this modality told wholly / those with a label, mean over queries with any"
    )

    def recall(answer: Answer, modality: str) -> float | None:
        labels = [one for one in fact_labels(judged, answer.key) or () if one.row["modality"] == modality]
        scores = [one.score for one in labels if one.score is not None]
        return 100 * sum(score == 1 for score in scores) / len(scores) if scores else None

    found = {
        modality: mean(grouped((one.asked, recall(one, modality)) for one in answers), method, family.HUNDRED)
        for modality in get_args(Modality)
    }
    return {modality: value.document() for modality, value in found.items() if value.n}


def _size(answer: Answer) -> str:
    return answer.size or answer.query_id.partition("@")[2] or "all"


def _tokens(size: str) -> tuple[int, str]:
    written = _TOKENS.fullmatch(size)
    return (int(written[1]) * (1000 if written[2] else 1) if written else 0, size)


def labels_of(judged: Judged, name: str) -> Iterable[Label]:
    """Yield DR3-Eval's six figures of each report as criteria, 0-10. Their mean is the total that is compared with people's ratings."""
    for answer in judged.answers:
        if fact_labels(judged, answer.key) is None:
            continue
        values = values_of(judged, answer)
        for criterion in (f"dr3_{figure}" for figure in SIX):
            value = values.get(criterion)
            if value is not None:
                yield CriterionLabel(
                    id=rating_id(answer.query_id, answer.variant, answer.trial),
                    judge=name,
                    query=answer.query,
                    answer=answer.report,
                    dimension="DR3",
                    criterion=criterion,
                    label=value / 10,
                )
