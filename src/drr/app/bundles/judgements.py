"""Repeats the judgements of a bundle without calling a model: verdicts from kept raw answers, rules by their code."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import groupby
from operator import itemgetter
from typing import Any

from drr.app.bundles.answers import shown
from drr.app.bundles.findings import BundleFindings, differing_values
from drr.app.judge.judge_plan import paper_choices
from drr.env.errors import DrrError
from drr.env.shop import Shop
from drr.env.world import is_paged
from drr.eval.asking.conversation import Asking, Form, box_prompts
from drr.eval.asking.judge import JudgeName, request_id
from drr.eval.asking.rules import CODE, CODE_BANNER, is_rules
from drr.eval.evidence.answers import questions, read_answers
from drr.eval.judging.read import judged_thing_key, judgings, read_judged
from drr.eval.judging.run import JudgeOptions, planned_units, sample_units
from drr.eval.tasks.desk import JudgingContext, Task, kept_window, text_id
from drr.eval.tasks.judgements import JudgingRun
from drr.eval.tasks.key_points import kept_points
from drr.eval.tasks.registry import known_task, tasks
from drr.eval.tasks.relative import kept_reference
from drr.eval.tasks.rules import rules_version
from drr.llm.failures import ModelFailure
from drr.llm.names import OFFLINE
from drr.llm.role import parse_json_answer, structured
from drr.offline.judge import RulesJudge
from drr.study.export import without_clock
from drr.study.study import Study
from drr.study.unit import Record, UnitFailure, canonical_json
from langchain_core.messages import AIMessage, BaseMessage

WITHOUT_SHOP = "cannot be made again without the shop, which --shop names"
_UNKNOWN = "was judged by prompts or code of a version that is not known here, or for other persons"
_RAW = "raw:"


def _shop_of(record: Record) -> object:
    return record.key_fields.get("shop")


def judged_answer_keys(record: Record) -> list[str]:
    """Return the keys of the judged answers; a judgement of a question has none."""
    fields = record.key_fields
    return [str(fields[name]) for name in ("answer", "first", "second") if name in fields]


class MissingJudgeAnswer(Exception):
    """A request to a judge for which the bundle keeps no raw answer."""


class KeptExaminer:
    """A judge that gives its stored raw answers again, to the very same requests only."""

    def __init__(self, judge: JudgeName, raw: Mapping[str, str], repeat: int) -> None:
        self.rule_written, self.left = judge.rule_written, dict(raw)
        self._model, self._repeat, self._rules = judge.model, repeat, RulesJudge()

    async def answer(self, asking: Asking[Form]) -> Form:
        if self.rule_written:
            return parse_json_answer(json.dumps(self._rules.answer(asking)), asking.form)

        async def ask(transcript: Sequence[BaseMessage]) -> AIMessage:
            request = request_id(transcript, self._model, asking.form, asking.about, self._repeat)
            kept = [name for name in self.left if name.startswith(f"{_RAW}{request}:")]
            if not kept:
                raise MissingJudgeAnswer
            return AIMessage(self.left.pop(min(kept, key=lambda name: int(name.rpartition(":")[2]))))

        return await structured(ask, asking.messages, asking.form)


class RebuiltDesks:
    """The contexts (`JudgingContext`) of a bundle's judging runs: judge, prompts, shop and shoppers."""

    def __init__(
        self, study: Study, profiles: Mapping[str, str], reworded: Mapping[str, str], shop: Shop | None
    ) -> None:
        self.study, self._shop, self._profiles = study, shop, profiles
        own = [box_prompts().reworded(reworded)] if reworded else []
        self._prompts = [*own, box_prompts()]
        self.judgings, self.answers = judgings(study), read_answers(study)
        self._desks: dict[tuple[str, int], JudgingContext] = {}
        given = [study.config.get("run", {}).get("shop"), *map(_shop_of, study.records("judgement", None))]
        self.whole = shop is not None or not any(given)
        """True where the judges' shop is here or none was used, so that code of the same version must decide alike."""

    def valid_judgements(self) -> Iterator[Record]:
        """Yield the judgements that count, answer by answer, and free each answer's texts afterwards. Judgements of answers that no longer count are skipped."""
        gone = {record.key for record in self.study.records("answer", None, current=False)}
        gone -= {record.key for record in self.study.records("answer", None)}
        found = ((judged_answer_keys(record), record.key) for record in self.study.records("judgement", None))
        own = {answer.key: answer for answer in self.answers}
        for about, group in groupby(sorted(found), itemgetter(0)):
            if gone.isdisjoint(about):
                yield from filter(None, (self.study.record(key) for _, key in group))
            for key in own.keys() & set(about):
                own[key].let_go()

    def judging_of(self, record: Record, task: Task[Any]) -> JudgingRun | None:
        """Return the judging run to which a judgement belongs, or `None`. A repeated run may use the first run's claims, so the first run's keys also match."""
        fields = record.key_fields
        first = {**fields, "repeat": 0}
        own = [one for one in self.judgings if task.belongs(fields, one)]
        own += [
            one for one in self.judgings if one.repeat == fields.get("repeat") and task.belongs(first, one)
        ]
        return own[0] if own else None

    def desk_of(
        self, judging: JudgingRun, fields: Mapping[str, Any], task: Task[Any]
    ) -> JudgingContext | None:
        """Return the context to repeat a judgement of its version, or `None` where this program does not know the version."""
        wanted = fields.get("version")
        if not task.asks and task.part(fields) not in judging.versions:
            own = rules_version(task.version) if task.name == "rules" else str(task.version)
            needs_shop = task.name != "rules" and self._shop is None
            return self._desk(judging, 0) if wanted == own and not needs_shop else None
        for place in range(len(self._prompts)):
            desk = self._desk(judging, place)
            if task.name not in desk.versions:
                desk.versions[task.name] = task.versions(desk)
            if desk.versions[task.name].get(task.part(fields)) == wanted:
                return desk
        return None

    def _desk(self, judging: JudgingRun, place: int) -> JudgingContext:
        if (judging.id, place) in self._desks:
            return self._desks[judging.id, place]
        rules = RulesJudge()
        judge, extractor = (
            JudgeName(name, name, False) if name not in (rules.name, CODE) else JudgeName(OFFLINE, name, True)
            for name in (judging.judge, judging.extractor)
        )
        address = str(self.study.config.get("settings", {}).get("shop_url") or "")
        desk = JudgingContext(judge, extractor, self._shop, address, self._prompts[place], judging.way, rules)
        desk.repeat, desk.questions = judging.repeat, questions(self.study)
        desk.refetched = {} if judging.refetch else None
        if self._shop is None:
            desk.profiles.update(self._profiles)
        desk.own_points, desk.reference = kept_points(self.study), kept_reference(self.study)
        desk.window = kept_window(self.study)
        desk.add(self.answers)
        for module in paper_choices():
            with suppress(DrrError):  # the paper's tasks are then repeated with default choices
                desk.choices |= module.chosen(self.study, desk, module.OPTIONS(), ())
        self._desks[judging.id, place] = desk
        return desk


async def check_judgements(desks: RebuiltDesks, found: BundleFindings) -> None:
    """Repeat the judgements that count, and add differences and missing judgements to `found`."""
    failed = Counter[tuple[str, str, str]]()
    ended = {record.key for record in desks.study.records("answer", None, current=False) if record.done}
    for record in desks.valid_judgements():
        task = known_task(str(record.key_fields.get("task")))
        if task is None:
            found.skip("judgements", record.label, "no task of this name is known here")
            continue
        check, judging = task.name if not task.asks else "judgements", desks.judging_of(record, task)
        if why := _subject_mismatch(record, ended):
            found.fail(check, record.label, why)
        elif judging is None:
            found.fail(check, record.label, "belongs to no judging of the bundle")
        elif judging.refetch and any(is_paged(one.split("-")[1]) for one in record.spec.get("items", ())):
            found.skip(check, record.label, "rests on pages that were read anew")
        elif (desk := desks.desk_of(judging, record.key_fields, task)) is None:
            found.skip(check, record.label, _UNKNOWN if desks.whole else WITHOUT_SHOP)
        else:
            found.checked[check] += 1
            if not record.done:
                failed[check, f"{judging.judge}, {task.name}", str(record.reason)] += 1
            with found.unless_broken(check, record.label):
                await _check_again(desks, desk, task, record, check, found)
    for (check, where, reason), count in failed.items():
        found.lack(check, where, f"{count:,} judgements failed ({reason})")
    _check_judgings(desks, found)


def _subject_mismatch(record: Record, ended: Collection[str]) -> str:
    """Return the reason why a judgement cannot be of its stated subject; empty where it can."""
    keyed, own, about = record.key_fields, record.spec, judged_answer_keys(record)
    if any(answer not in ended for answer in about):
        return "judges an answer that failed, or has not ended, or is not there"
    names = (name for name in keyed.keys() & own.keys() if about and isinstance(own[name], str | int))
    other = next((name for name in names if own[name] != keyed[name]), None)
    return f"its key and its unit name another {other}" if other else ""


def _check_judgings(desks: RebuiltDesks, found: BundleFindings) -> None:
    """Check the judge's description in each judging run, and find missing judgements."""
    same = {(one.judge, one.protocol, one.repeat, one.refetch): one for one in desks.judgings}
    for one in same.values():
        by_rules = is_rules(one.judge)
        notice = CODE_BANNER if one.judge == CODE else one.called_weak
        is_named = bool(one.banner) if by_rules else (one.banner or notice).startswith(notice)
        if one.rule_written != by_rules or not is_named:
            found.fail("judgements", one.judge, "is a model, or is none, and its judging says otherwise")
        try:
            if not one.refetch:
                _check_planned(desks, one, found)
        except DrrError as error:
            found.skip("judgements", one.judge, f"what it was to judge is not known ({error})")


async def _check_again(
    desks: RebuiltDesks,
    desk: JudgingContext,
    task: Task[Any],
    record: Record,
    check: str,
    found: BundleFindings,
) -> None:
    """Repeat one judgement and compare the results. A difference is only a gap where the shop is missing."""
    raw = {name: desks.study.text(record, name) or "" for name in record.blobs if name.startswith(_RAW)}
    asked = record.done and any(row["calls"] and row["model"] != OFFLINE for row in record.usage.values())
    if not raw and (record.reason == "malformed" or asked):
        found.fail(check, record.label, "a judge answered, and its raw answer is left out")
    if not (record.done or (record.reason == "malformed" and raw)):
        return
    examiner = KeptExaminer(desk.judge_of(task.role), raw, desk.repeat)
    fields, why, sure = record.key_fields, "", desks.whole
    named = fields.get("report", "") if "answer" in fields else ""
    if named and named != text_id(desk.answer(fields["answer"]).report):
        found.fail(check, record.label, "is of another report")
    try:
        outcome = await task.work(desk, record.spec, examiner)
    except MissingJudgeAnswer:
        why = "no raw answer is to what it asks"
    except (ModelFailure, UnitFailure) as failure:
        sure, why = True, f"its raw answers give no verdict ({failure})" if record.done else ""
    else:
        before = without_clock({name: one for name, one in record.result.items() if name != "reread"})
        again = without_clock({name: one for name, one in outcome.result.items() if name in before})
        read_any = len(examiner.left) < len(raw)
        if not record.done:
            sure, why = True, "failed, and its raw answers give a verdict"
        elif examiner.left:
            why = "has raw answers to nothing that it asks"
        elif other := next(differing_values(before, again), ""):
            behind = "raw answers" if read_any else "rules, applied again,"
            sure = sure or read_any
            why = f"is not what its {behind} say; {other}"
    if why:
        (found.fail if sure else found.skip)(check, record.label, why if sure else WITHOUT_SHOP)


def _check_planned(desks: RebuiltDesks, judging: JudgingRun, found: BundleFindings) -> None:
    """Add the missing judgements of a judging run to `found`, and units that do not fit their keys."""
    there: dict[str, dict[str, tuple[str, str, frozenset[str]]]] = {}
    fields_of: dict[str, Mapping[str, Any]] = {}
    for record in desks.valid_judgements():
        fields, task = record.key_fields, known_task(str(record.key_fields["task"]))
        if task is not None and task.belongs(fields, judging):
            fields_of.setdefault(task.name, fields)
            own = record.label, canonical_json(record.spec), frozenset(fields)
            there.setdefault(task.name, {})[judged_thing_key({**fields, "shop": None})] = own
    judged = read_judged(desks.study, judging, answers=desks.answers)
    known = tasks((), there)
    for name, here in there.items():
        if (desk := desks.desk_of(judging, fields_of[name], known[name])) is None:
            continue
        units = sample_units(desk, list(planned_units(desk, JudgeOptions([]), [known[name]], judged)))
        wanted = {judged_thing_key({**unit.key_fields, "shop": None}): unit for unit in units}
        if units and {own[2] for own in here.values()} - {frozenset(unit.key_fields) for unit in units}:
            found.fail("units", f"{judging.judge}, {name}", "its keys have other fields than these have")
        for place in (wanted.keys() & here.keys()) if desks.whole else ():
            if here[place][:2] != (shown(wanted[place].label), canonical_json(wanted[place].spec)):
                found.fail("units", here[place][0], "is not the unit that its key names")
        # without the shop the judged units cannot be told apart, only counted
        left = len(wanted.keys() - here.keys()) if desks.whole else len(wanted) - len(here)
        if left > 0:
            check = "judgements" if known[name].asks else name
            found.lack(check, f"{judging.judge}, {name}", f"{left:,} of {len(wanted):,} are not judged")
