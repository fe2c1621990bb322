"""The judging of labelled things by one version of a prompt. Units of the study, keyed by what is sent, so that nothing is asked twice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from drr.eval.asking.forms import SCHEMA
from drr.eval.asking.judge import Judge, KeptAnswers
from drr.eval.tasks.desk import Desk
from drr.papers.reporteval.alignment.items import AlignItem
from drr.papers.reporteval.alignment.tasks import AlignedTask, JudgeWord
from drr.study.study import Study
from drr.study.unit import Outcome, Unit
from drr.study.worker import Context

Judgements = Mapping[tuple[str, str], JudgeWord]
"""By item and side; what nobody has judged yet is not there."""


@dataclass(frozen=True)
class AlignmentWork:
    task: AlignedTask
    desk: Desk
    items: Sequence[AlignItem]
    kept: KeptAnswers

    def units(self) -> list[Unit]:
        return [self._unit(item, part) for item in self.items for part in self.task.parts(item)]

    def unit_keys(self) -> dict[tuple[str, str], str]:
        """Find by item and side the unit that says what the judge found of it."""
        return {
            (item.id, side): self._unit(item, side if side in parts else parts[0]).key
            for item in self.items
            for parts in (self.task.parts(item),)
            for side in item.said
        }

    def _unit(self, item: AlignItem, part: str) -> Unit:
        own = self.desk.version(1, self.desk_role, *self.task.prompts)
        fields = {
            "task": f"align-{self.task.name}",
            "judge": self.desk.judge.shown,
            "schema": SCHEMA,
            "item": item.id,
            "part": part,
            "version": own,
            "prompt": self.task.asking(self.desk, item, part).fingerprint,
        }
        label = f"{self.task.name} {part}".strip()
        return Unit("judgement", fields, {"item": item.id, "part": part}, f"align {label} \u00b7 {item.name}")

    @property
    def desk_role(self) -> str:
        return "judge"

    async def work(self, spec: Mapping[str, Any], context: Context) -> Outcome:
        (item,) = (one for one in self.items if one.id == spec["item"])
        judge = Judge(self.desk_role, context, self.kept, self.desk.stand_in)
        answer = await self.task.ask(self.desk, item, spec["part"], judge)
        return judge.sealed(Outcome({"said": {side: word._asdict() for side, word in answer.items()}}))

    def judgements(self, study: Study) -> Judgements:
        """A judgement that failed for good has no value, with the reason."""
        sides = {unit.key: unit.key_fields for unit in self.units()}
        by_id = {item.id: item for item in self.items}
        found: dict[tuple[str, str], JudgeWord] = {}
        for record in study.records("judgement", None):
            if record.key not in sides or (record.transient and not record.done):
                continue
            item, part = record.key_fields["item"], record.key_fields["part"]
            if record.done:
                stored = record.result["said"]
                found |= {(item, side): JudgeWord(**word) for side, word in stored.items()}
            elif record.status != "over_budget":
                failed = JudgeWord(None, f"{record.reason}: {record.message}")
                found |= {(item, side): failed for side in ([part] if part else by_id[item].said)}
        return found
