"""Reads a study's judgements from its ledger: which judging runs there are, and the verdicts of one run."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from functools import cache
from typing import TYPE_CHECKING, Any

from drr.env.errors import Misuse
from drr.eval.asking.rules import CODE
from drr.eval.evidence.answers import Answer, read_answers
from drr.eval.tasks.judgements import Judged, JudgingRun
from drr.eval.tasks.protocol import AS_PRINTED, OURS, JudgingProtocol
from drr.eval.tasks.registry import known_task, tasks
from drr.study.config import what_was_given_up
from drr.study.form import naming_errors
from drr.study.study import Study
from drr.study.unit import Record, canonical_json, is_about

if TYPE_CHECKING:
    from drr.eval.tasks.desk import JudgingContext

_META, _MEASURED = "judgings", "scorecards"
NOT_MEASURED = "accuracy not measured (drr judges scorecard measures it)"
_HOW = frozenset({"version", "prompt", "schema", "report", "statuses", "repeat"})
"""Fields of a judgement's key that say how it was judged and with which words shown, not what was judged."""


def judging_of(desk: JudgingContext, named: Iterable[str]) -> JudgingRun:
    """Return this desk's judging run of the named tasks and of the tasks that they need."""
    asked = tasks((), named).values()
    return desk.judging({name: v for task in asked for name, v in task.versions(desk).items()})


def judgings(study: Study) -> list[JudgingRun]:
    """List the judging runs, oldest first. A run that was continued counts by its last start."""
    with naming_errors(f"{study.folder}, its judgings"):
        return [JudgingRun(**fields) for fields in json.loads(study.ledger.meta(_META) or "[]")]


def store_judging(study: Study, judging: JudgingRun) -> None:
    """Store a judging run as the last one. Tasks that the same judge judged earlier, and not in this run, keep their versions."""
    known = judgings(study)
    same = [one for one in known if replace(one, versions={}) == replace(judging, versions={})]
    before = next((one for one in reversed(same) if one.agrees(judging)), same[-1] if same else judging)
    now = {name.partition("/")[0] for name in judging.versions}
    # A judging of pairs alone must not take the earlier grades out of the figures.
    rest = {name: v for name, v in before.versions.items() if name.partition("/")[0] not in now}
    banner = judging.banner or next((one.banner for one in known if one.judge == judging.judge), None)
    whole = replace(judging, versions={**rest, **judging.versions}, banner=banner)
    kept = [asdict(one) for one in known if not (one == whole or (one is before and one.agrees(whole)))]
    text = json.dumps([*kept, asdict(whole)], sort_keys=True)
    if text != study.ledger.meta(_META):
        study.ledger.set_meta(_META, text)


def tell_scorecard(study: Study, judge: str, labels: str, measured: str, weak: str | None) -> None:
    """Store a judge's scorecard with the study: its accuracy on these labels, and a sentence if it is weak."""
    found = judgings(study)
    if not any(one.judge == judge for one in found):
        raise Misuse(f"{study.folder}: {judge} has not judged it")
    marked = [
        replace(one, banner=weak) if one.judge == judge and not one.rule_written else one for one in found
    ]
    study.ledger.set_meta(_META, json.dumps([asdict(one) for one in marked], sort_keys=True))
    cards = _scorecards(study)
    cards.setdefault(judge, {})[labels] = measured
    study.ledger.set_meta(_MEASURED, json.dumps(cards, sort_keys=True))


def _scorecards(study: Study) -> dict[str, dict[str, str]]:
    """Return the accuracy of each judge in words, by the name of the labels."""
    return {**json.loads(study.ledger.meta(_MEASURED) or "{}")}


def accuracy_of(study: Study, judge: str) -> str:
    """Return a judge's accuracy in words, on each set of labels that a scorecard told to the study."""
    return "; ".join(_scorecards(study).get(judge, {}).values()) or NOT_MEASURED


def choose_judging(study: Study, judge: str | None = None) -> JudgingRun | None:
    """Choose the last judging run by this judge. Without a name, choose the last by a model, else by rules, else by code alone."""
    found = _last(study, judge, OURS)
    if found is None and judge is not None:
        known = ", ".join(sorted({j.judge for j in judgings(study) if j.is_first})) or "nobody yet"
        raise Misuse(f"{study.folder}: {judge} has not judged it; judged by {known}")
    return found


def has_figures(study: Study, judge: str) -> bool:
    """Tell whether this judge judged the study itself, not only refetched pages or repetitions."""
    return _last(study, judge, OURS) is not None


def as_printed(study: Study, judge: str | None) -> JudgingRun | None:
    """Return the last judging run by this judge under the paper's protocol."""
    return _last(study, judge, AS_PRINTED)


def _last(study: Study, judge: str | None, protocol: JudgingProtocol) -> JudgingRun | None:
    found = [j for j in judgings(study) if j.protocol == protocol.name and j.is_first]
    if judge is not None:
        found = [j for j in found if j.is_by(judge)]
    ranked = sorted(found, key=lambda j: (j.judge != CODE, not j.rule_written))
    return ranked[-1] if ranked else None


def refetched_judging(study: Study, judging: JudgingRun | None) -> JudgingRun | None:
    """Return the last judging run by the same judge against refetched pages; `None` where there is none."""
    if judging is None:
        return None
    ours = (True, judging.judge, judging.protocol)
    same = [j for j in judgings(study) if (j.refetch, j.judge, j.protocol) == ours]
    return same[-1] if same else None


def repetitions(study: Study, judged: Judged) -> list[Judged]:
    """Read the repetitions of a judging run (`drr judge --repeat`). They have the same judge and prompts, and judge a part of the study."""
    first = judged.judging
    if first is None or first.repeat or first.refetch or first.protocol != OURS.name:
        return []
    known = {j.id: j for j in judgings(study) if j.repeat and not j.refetch and j.protocol == first.protocol}
    same = [j for j in known.values() if j.judge == first.judge and replace(j, repeat=0).agrees(first)]
    return [read_judged(study, j, answers=judged.answers) for j in same]


def read_judged(
    study: Study,
    judging: JudgingRun | None,
    *,
    answers: list[Answer] | None = None,
    among: Iterable[Record] | None = None,
) -> Judged:
    """Read the answers and judgements of the study, or those given. Judgements on answers that were set aside are left out."""
    gone = what_was_given_up(study.config)
    judged = Judged(judging, read_answers(study) if answers is None else answers, given_up=gone)
    if judging is None:
        return judged
    if among is None:
        aside = study.ledger.units.aside()
        among = (one for one in study.records("judgement", None) if not is_about(one, aside))
    found = _by_task(among, judging)
    for name, task in tasks((), found).items():
        records = found.get(name, [])
        counted = [record for record in records if task.counts(record, judged)]
        # By time, so that of two verdicts on one thing the later stands.
        settled = sorted((r for r in counted if _is_final(r)), key=lambda r: (r.finished_at, r.key))
        judged.units[name] += len(settled)
        judged.failed[name] += sum(not record.done for record in settled)
        waiting = _waiting(counted, settled)
        judged.awaited[name] += len(waiting)
        for record in (*settled, *waiting):
            for about in _ABOUT & record.key_fields.keys():
                judged.units_of[str(record.key_fields[about])][name] += 1
        for record in settled:
            with naming_errors(f"the judgement {record.label!r}"):
                task.read(record, judged)
        task.finish_reading(judged)
    return judged


def without_broken_off(judged: Judged) -> Judged:
    """Return the judgements without the answers whose research was broken off, and without comparisons with those."""
    kept = [answer for answer in judged.answers if answer.broken_off is None]
    keys = {answer.key for answer in kept}
    pairs = {pair: won for pair, won in judged.pairs.items() if keys.issuperset(pair[:2])}
    return replace(judged, answers=kept, pairs=pairs)


def _by_task(records: Iterable[Record], judging: JudgingRun) -> dict[str, list[Record]]:
    """Group the records of this judging run by task. Records of unknown tasks are left out."""
    known, found = cache(known_task), dict[str, list[Record]]()
    for record in records:
        with naming_errors(f"the judgement {record.label!r}"):
            task = known(record.key_fields["task"])
            if task is not None and task.belongs(record.key_fields, judging):
                found.setdefault(task.name, []).append(record)
    return found


def _is_final(record: Record) -> bool:
    """Tell whether a judgement is final. A failure that is temporary, or for lack of budget, is not."""
    return record.done or not (record.transient or record.status == "over_budget")


_ABOUT = frozenset({"answer", "first", "second"})
"""Fields of a judgement's key that name answers."""


def _waiting(records: Sequence[Record], settled: Sequence[Record]) -> list[Record]:
    """List temporary failures of things that were not judged since under another key."""
    open_ = [record for record in records if record.transient and record.status == "failed"]
    if not open_:
        return []
    known = {judged_thing_key(record.key_fields) for record in settled}
    return [record for record in open_ if judged_thing_key(record.key_fields) not in known]


def judged_thing_key(fields: Mapping[str, Any]) -> str:
    """Return what identifies the judged thing, without how it was judged."""
    return canonical_json({name: v for name, v in fields.items() if name not in _HOW})


def citation_lines(judged: Judged) -> Iterator[dict[str, Any]]:
    """Yield the verdicts on citations as the exports have them, answer by answer and claim by claim."""
    return (one.line() for answer in judged.answers for one in judged.citations.get(answer.key) or ())
