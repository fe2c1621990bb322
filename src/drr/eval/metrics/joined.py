"""Joins two studies of one shop by question and user, as one table of values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from drr.env.query import query_id
from drr.eval.evidence.answers import Answer, asked_of, drawn_with, questions
from drr.eval.judging.read import read_judged, repetitions
from drr.eval.metrics.base import Family
from drr.eval.metrics.compare import Again, ByQuery, ValueTable
from drr.eval.metrics.rows import JoinedRow
from drr.eval.stats.question import AskedQuestion, grouped
from drr.eval.tasks.judgements import Judged, JudgingRun
from drr.study.study import Study


class StudySide(NamedTuple):
    """A study that is joined to another: its values, and the joint names of the questions put to each variant."""

    name: str
    table: ValueTable
    asked: Mapping[str, Mapping[AskedQuestion, AskedQuestion]]

    @classmethod
    def read(cls, study: Study, judging: JudgingRun | None) -> StudySide:
        judged, known = read_judged(study, judging), questions(study)
        asked: dict[str, dict[AskedQuestion, AskedQuestion]] = {}
        for record in study.records("answer", None):
            spec, question = record.spec, known.get(record.spec["query_id"])
            task, size = drawn_with(spec, question)
            words = query_id(spec["query"], spec.get("user_id") or "")
            joint = AskedQuestion(f"{words}@{size}" if size else words, task or words)
            asked.setdefault(spec["variant"], {})[asked_of(spec, question)] = joint
        return cls(str(study.folder), ValueTable(judged, again=repetitions(study, judged)), asked)


@dataclass(frozen=True)
class JoinedTable(ValueTable):
    """Values of two variants, each of a study of its own, on the questions that both were asked."""

    variants: Mapping[str, tuple[StudySide, str]] | None = None
    """Study and variant behind each of the two names."""

    @cached_property
    def row(self) -> JoinedRow:
        """Return the number of joined questions, and each study's other questions by their own names."""
        alone = [
            sorted(own.query for own, joint in side.asked[variant].items() if joint.query not in self._joint)
            for side, variant in self._sides.values()
        ]
        other = [side.name for side, _ in self._sides.values()][1]
        return {"other": other, "questions": len(self._joint), "only_a": alone[0], "only_b": alone[1]}

    @cached_property
    def among(self) -> Sequence[Family]:
        here, there = (side.table.among for side, _ in self._sides.values())
        return [family for family in here if family in there]

    @cached_property
    def systems(self) -> dict[str, list[Answer]]:
        # Under joint names, because the two studies may name one question differently.
        return {
            name: [
                replace(one, variant=name, query_id=joint.query, task_id=joint.task, size=None)
                for one in side.table.systems.get(variant, ())
                if (joint := self._named(side, variant, one.asked)) is not None
            ]
            for name, (side, variant) in self._sides.items()
        }

    def behind(self, system: str) -> Judged:
        return self._sides[system][0].table.judged

    @cached_property
    def _sides(self) -> Mapping[str, tuple[StudySide, str]]:
        return self.variants or {}

    @cached_property
    def _joint(self) -> dict[str, AskedQuestion]:
        """Map the names of the joined questions to question and task, which the first study tells."""
        here, there = ({j.query: j for j in side.asked[of].values()} for side, of in self._sides.values())
        return {name: joint for name, joint in here.items() if name in there}

    def _named(self, side: StudySide, variant: str, own: AskedQuestion) -> AskedQuestion | None:
        joint = side.asked[variant].get(own)
        return None if joint is None else self._joint.get(joint.query)

    @cached_property
    def _again(self) -> Again:
        sides = [(name, side.table._again, variant) for name, (side, variant) in self._sides.items()]
        metrics = {metric for _, again, _ in sides for metric in again}
        return {
            metric: {name: again.get(metric, {}).get(variant, {}) for name, again, variant in sides}
            for metric in metrics
        }

    def _of(self, family: Family, system: str) -> dict[str, ByQuery]:
        side, variant = self._sides[system]
        return {
            metric: {
                joint: [value for trials in own for value in trials]
                for joint, own in grouped(
                    (self._named(side, variant, asked), trials) for asked, trials in values.items()
                ).items()
                if joint is not None
            }
            for metric, values in side.table._of(family, variant).items()
        }


def joined(here: StudySide, a: str, there: StudySide, b: str) -> JoinedTable:
    """Join a variant of one study with a variant of another, which is named with its study."""
    return JoinedTable(here.table.judged, variants={a: (here, a), f"{b} ({there.name})": (there, b)})
