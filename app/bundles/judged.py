"""Judgements made again: each verdict from the raw answer behind it, each rule by its code. Nothing is asked of anybody."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from drr.app.bundles.verified import Verified
from drr.app.judging_choices import paper_choices, paper_options
from drr.env.errors import DrrError
from drr.env.shop import Shop
from drr.eval.asking.conversation import Asking, Form, box_prompts
from drr.eval.asking.judge import JudgeName, request_id
from drr.eval.evidence.answers import questions, read_answers
from drr.eval.judging.difference import earlier_prompts
from drr.eval.judging.read import judgings
from drr.eval.tasks.checked import rules_version
from drr.eval.tasks.desk import Desk, Task, text_id
from drr.eval.tasks.judged import Judging
from drr.eval.tasks.key_points import kept_points
from drr.eval.tasks.registry import tasks
from drr.eval.tasks.relative import kept_reference
from drr.llm.failures import ModelFailure
from drr.llm.names import OFFLINE
from drr.llm.role import read, structured
from drr.offline.judge import RulesJudge
from drr.study.blobs import LostText
from drr.study.export import without_clock
from drr.study.study import Study
from drr.study.unit import Record, UnitFailure, canonical_json
from langchain_core.messages import AIMessage, BaseMessage

_RAW = "raw:"


class Unkept(Exception):
    """A question to which the bundle keeps no answer."""


@dataclass
class KeptExaminer:
    """A judge that says again what it once said, to the very same questions."""

    judge: JudgeName
    raw: Mapping[str, str]
    repeat: int
    stand_in: RulesJudge = field(default_factory=RulesJudge)
    used: set[str] = field(default_factory=set)

    @property
    def rule_written(self) -> bool:
        return self.judge.rule_written

    async def answer(self, asking: Asking[Form]) -> Form:
        if self.rule_written:
            return read(json.dumps(self.stand_in.answer(asking)), asking.form)

        async def ask(transcript: Sequence[BaseMessage]) -> AIMessage:
            request = request_id(transcript, self.judge.model, asking.form, asking.about, self.repeat)
            return AIMessage(self._next(request))

        return await structured(ask, asking.messages, asking.form)

    def _next(self, request: str) -> str:
        names = [f"{_RAW}{request}:{number}" for number in range(len(self.raw))]
        for name in names:
            if name in self.raw and name not in self.used:
                self.used.add(name)
                return self.raw[name]
        raise Unkept


class Again(NamedTuple):
    """A judgement that was made again."""

    how: Literal["same", "other", "lacking"]
    why: str = ""


class RebuiltDesks:
    """The desks of a bundle's judgings: who judged, by which prompts, with what is known of shop and shoppers."""

    def __init__(
        self,
        study: Study,
        profiles: Mapping[str, str],
        shown: Mapping[str, str],
        shop: Shop | None,
    ) -> None:
        self._study, self._shop, self._profiles = study, shop, profiles
        self._prompts = [box_prompts(), earlier_prompts()]
        if shown:
            self._prompts.insert(0, box_prompts().reworded(shown))
        self.judgings = judgings(study)
        self._answers = read_answers(study)
        self.answers = {answer.key for answer in self._answers}
        self._questions = questions(study)
        self._desks: dict[tuple[str, int], Desk] = {}
        runs_in = study.config.get("run", {}).get("shop")
        self.whole = shop is not None or runs_in is None
        """True where the shop that judges had is not lacking. Code of an equal version decides alike."""
        self.unknown_version = "was judged by prompts or code of another version"
        if not self.whole:
            self.unknown_version += ", or by a shop that is not here"
        self._shop_url = str(study.config.get("settings", {}).get("shop_url") or "")

    def judging_of(self, record: Record, task: Task[Any]) -> Judging | None:
        """Find the judging that it belongs to. A repetition that plans claims of its own counts those of the first."""
        fields = record.key_fields
        first = {**fields, "repeat": 0}
        return next((one for one in self.judgings if task.belongs(fields, one)), None) or next(
            (one for one in self.judgings if one.repeat == fields.get("repeat") and task.belongs(first, one)),
            None,
        )

    def desk_of(self, judging: Judging, record: Record, task: Task[Any]) -> Desk | None:
        """The desk at which such a judgement is made; `None` where its version is known to nobody here."""
        wanted = record.key_fields.get("version")
        if not task.asks and task.name == "rules":
            return self._desk(judging, 0) if wanted == rules_version(task.version) else None
        for place in range(len(self._prompts)):
            desk = self._desk(judging, place)
            if task.name not in desk.versions:
                desk.versions[task.name] = task.versions(desk)
            if desk.versions[task.name].get(task.part(record.key_fields)) == wanted:
                return desk
        return None

    def _desk(self, judging: Judging, place: int) -> Desk:
        known = self._desks.get((judging.id, place))
        if known is not None:
            return known
        rules = RulesJudge()
        judge, extractor = (
            JudgeName(OFFLINE if name == rules.name else name, name, name == rules.name)
            for name in (judging.judge, judging.extractor)
        )
        desk = Desk(judge, extractor, self._shop, self._shop_url, self._prompts[place], judging.way, rules)
        desk.repeat, desk.questions = judging.repeat, self._questions
        if self._shop is None:
            desk.profiles.update(self._profiles)
        desk.own_points, desk.reference = kept_points(self._study), kept_reference(self._study)
        desk.add(self._answers)
        for module in paper_choices():
            with suppress(DrrError):  # its tasks are then made again by its defaults
                desk.choices |= module.chosen(self._study, desk, paper_options({}), ())
        self._desks[judging.id, place] = desk
        return desk


async def check_judgements(
    desks: RebuiltDesks, study: Study, records: Iterable[Record], found: Verified
) -> None:
    """Make judgements again that count, and name the answers that one of them lacks."""
    known = tasks()
    judged: dict[tuple[str, str], set[str]] = {}
    for record in records:
        task = known.get(str(record.key_fields.get("task")))
        if task is None:
            found.skip("judgements", record.label, "no task of this name is known here")
            continue
        check = "judgements" if task.asks else task.name
        judging = desks.judging_of(record, task)
        if judging is not None and judging.is_first and task.subject == "answer":
            part = f"{judging.judge}, {task.part(record.key_fields)}"
            judged.setdefault((check, part), set()).add(str(record.key_fields["answer"]))
        if judging is None:
            found.fail(check, record.label, "belongs to no judging of the bundle")
        elif judging.refetch:
            found.skip(check, record.label, "rests on pages that were read anew")
        elif (desk := desks.desk_of(judging, record, task)) is None:
            found.skip(check, record.label, desks.unknown_version)
        elif record.done or (record.reason == "malformed" and _raw_of(study, record)):
            found.checked[check] += 1
            with found.unless_broken(check, record.label):
                _note(await _again(desks, desk, task, record, study), check, record, found)
    for (check, part), answers in sorted(judged.items()):
        if left := desks.answers - answers:
            found.lack(check, part, f"{len(left):,} of {len(desks.answers):,} answers are not judged")


def _raw_of(study: Study, record: Record) -> dict[str, str]:
    return {name: study.text(record, name) or "" for name in record.blobs if name.startswith(_RAW)}


async def _again(desks: RebuiltDesks, desk: Desk, task: Task[Any], record: Record, study: Study) -> Again:
    """Make one again. Where the shop is not here, it may be that which is lacking."""
    strange: Literal["other", "lacking"] = "other" if desks.whole else "lacking"
    examiner = KeptExaminer(desk.judge_of(task.role), _raw_of(study, record), desk.repeat)
    fields = record.key_fields
    try:
        if (
            "report" in fields
            and "answer" in fields
            and fields["report"] != text_id(desk.answer(fields["answer"]).report)
        ):
            return Again("other", "is of another report")
        outcome = await task.work(desk, record.spec, examiner)
    except Unkept:
        return Again(strange, "no raw answer is to what it asks")
    except LostText as lost:
        return Again("lacking", str(lost))
    except (ModelFailure, UnitFailure) as failure:
        return Again("other" if record.done else "same", f"its raw answers give no verdict ({failure})")
    if not record.done:
        return Again("other", "failed, and its raw answers give a verdict")
    if len(examiner.raw) > len(examiner.used):
        return Again(strange, "has raw answers to nothing that it asks")
    before = {name: value for name, value in record.result.items() if name != "reread"}
    again = {
        name: value for name, value in outcome.result.items() if name in before
    }  # later builds may add fields
    if canonical_json(without_clock(again)) == canonical_json(without_clock(before)):
        return Again("same")
    return Again("other" if examiner.used else strange, "says otherwise than its raw answers, or its code")


def _note(again: Again, check: str, record: Record, found: Verified) -> None:
    if again.how == "other":
        found.fail(check, record.label, again.why)
    elif again.how == "lacking":
        found.skip(
            check,
            record.label,
            "cannot be made again without the shop, or what is withheld",
        )
