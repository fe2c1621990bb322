"""Creates or continues a study of answers: joins a call's request with the stored one, and computes missing units."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from drr.app.notices import notice
from drr.app.study.additions import (
    counted_under_only,
    others_left,
)
from drr.app.study.config_file import save_config
from drr.app.study.outcome import budget_of, check_cast, config_of, run_units, say_paper, unit_cap_of
from drr.app.study.questions import keep_queries
from drr.app.study.request import joined_request
from drr.app.study.specs import agent_in
from drr.app.study.study_plan import StudyPlan
from drr.app.study.trust import remember_study
from drr.app.study.workers import pool_of
from drr.app.study.worlds import can_have_reach, containment_sentences, note_in_process
from drr.env.errors import Misuse
from drr.env.query import Query
from drr.env.shop_world import ShopRealm
from drr.env.web.made_web import question_outside
from drr.study.config import StudyConfig
from drr.study.unit import Unit
from drr.wording.excerpt import many

if TYPE_CHECKING:
    from drr.app.study.answers import AnswerWork
    from drr.app.study.forecast import RunForecast
    from drr.study.run import Summary
    from drr.study.status import StudyStatus
    from drr.study.study import Study


class StudyRan(NamedTuple):
    summary: Summary
    status: StudyStatus


class RunAsked(NamedTuple):
    answering: AnswerWork
    units: list[Unit]
    """All units that the study could have."""
    chosen: list[Unit]
    """Units that this call computes."""
    queries: list[Query]
    config: StudyConfig
    is_new: bool


def run(call: StudyPlan) -> StudyRan:
    """Compute the missing units of the study, which is created if it does not exist; return summary and status."""
    with open_run(call) as asked:
        return _run(asked)


def forecast(call: StudyPlan) -> RunForecast:
    """Return the forecast of the units, calls, tokens and cost of `run`, without calling a model."""
    from drr.app.study.forecast import forecast as expected

    with open_run(call, calls=False) as asked:
        return expected(
            asked.answering,
            asked.chosen,
            None if asked.is_new else call.folder,
            asked.queries,
            retry_failed=call.retry_failed,
            limit=call.limit,
        )


def save_plan(call: StudyPlan, file: Path) -> None:
    """Write the request, joined with the study's own, as a file for `drr run FILE`; compute nothing."""
    request = joined_request(call)
    save_config(request.plan, request.settings, request.queries, file)


@contextmanager
def open_run(call: StudyPlan, *, calls: bool = True) -> Iterator[RunAsked]:
    """Open the agents of a study; yield its units, those that this call computes, and its configuration."""
    from drr.app.study.answers import open_answering
    from drr.study.study import Study

    request = joined_request(call)
    is_new, plan, settings, queries = request.study.is_new, request.plan, request.settings, request.queries
    limit = request.study.config.get("settings", {}).get("model_max_tokens", settings.model_max_tokens)
    # Under another limit each answer would be another unit; those that failed get it under their old keys.
    keyed = int(limit) if plan.retry_failed and limit != settings.model_max_tokens else None
    if keyed is None and limit != settings.model_max_tokens:
        notice(
            f"{call.folder}: its answers were given under model_max_tokens = {limit}; under {settings.model_max_tokens} all are computed"
            " anew (--retry-failed gives more room to what failed, and to that only)"
        )
    placed = plan.model_copy(update={"shop": request.shop})
    with open_answering(placed, settings, keyed_max_tokens=keyed, calls=calls) as answering:
        answering.check_queries(queries)
        _check_web(answering, queries, is_new=is_new)
        units = answering.units(queries, plan.trials or 1)
        chosen, others = request.named.split(units)
        with nullcontext() if is_new else Study.read(call.folder) as study:
            for line in [*_left_out(answering), *_ceilings(answering), *_formless(answering, units, study)]:
                notice(line)
            if others and not plan.only:
                notice(f"{call.folder}: {others_left(others)}")
                chosen = units
            if study is not None and keyed is not None:
                chosen = _failed(study, chosen)
                settings = settings.model_copy(update={"model_max_tokens": keyed})
        yield RunAsked(answering, units, chosen, queries, config_of(plan.kept(), settings), is_new)


def _left_out(answering: AnswerWork) -> Iterator[str]:
    """Yield sentences that say which variants are not asked under which reach."""
    for reach in answering.reaches:
        others = [name for name, variant in answering.variants.items() if not can_have_reach(reach, variant)]
        if others:
            yield f"--reach {reach.name} is for agents that have others search; not asked of {', '.join(others)}"


def _ceilings(answering: AnswerWork) -> Iterator[str]:
    """Yield sentences that say how many calls a plan may hold, where the limit of calls is announced."""
    for name, variant in answering.variants.items():
        planned = {**asdict(variant.architecture.limits), **answering.plan.limits}
        if planned["announced"] and "planner" in variant.prompts:
            yield f"{name} plans all of its calls at once, {planned['planned_calls']} at most (--limits planned_calls=N)"


def _formless(answering: AnswerWork, units: Sequence[Unit], study: Study | None) -> list[str]:
    """Return a notice about variants not known to hand in the form that code checks, else an empty list."""
    checked = [unit for unit in units if "form" in unit.spec]
    records = [study.record(unit.key) for unit in checked] if study else []
    ended = [one for one in records if one is not None and one.done]
    asked = {agent_in(one.spec) for one in ended}
    handed = {agent_in(one.spec) for one in ended if "form" in one.blobs}
    lacking = [
        name
        for name in dict.fromkeys(agent_in(unit.spec) for unit in checked)
        if name not in handed and (name in asked or not answering.asks_for_form(name))
    ]
    if not lacking:
        return []
    questions = many(len({unit.spec["query_id"] for unit in checked}), "question")
    handed_none = "never handed one in" if asked.issuperset(lacking) else "may hand none in"
    return [
        f"code checks the answers to {questions} by a form and the report's lists (docs/record.md), and {', '.join(lacking)} {handed_none}: without a form none is solved"
    ]


def _check_web(answering: AnswerWork, queries: Sequence[Query], *, is_new: bool) -> None:
    """Raise `Misuse` if the web of a new study lacks a page of a question's truth. An older study keeps its web, and it is said."""
    realm = answering.realm
    outside = question_outside(queries, realm.shop, realm.web) if isinstance(realm, ShopRealm) else None
    # Before anything is paid: such a question has a right answer that no tool can find here.
    if outside and is_new:
        raise Misuse(outside)
    if outside:
        notice(f"{answering.plan.study}: {outside}")


def _failed(study: Study, units: list[Unit]) -> list[Unit]:
    """Return the units that failed, and those whose answer lost a text."""
    failed = study.ledger.units.failed_among([unit.key for unit in units])
    records = ((unit, study.record(unit.key)) for unit in units)
    return [unit for unit, one in records if unit.key in failed or (one is not None and study.lost(one))]


def _run(asked: RunAsked) -> StudyRan:
    from drr.app.study.answers import workplace
    from drr.eval.evidence.imported import imported_units
    from drr.study.status import status
    from drr.study.study import Study

    answering = asked.answering
    plan, settings, folder = answering.plan, answering.settings, answering.plan.folder
    # Asked before the folder is made: a missing key leaves no study behind. Below it is asked again, with
    # the budget that a study keeps.
    check_cast(answering, budget_of(plan), unit_cap_of(plan))
    sent = workplace(answering, asked.chosen)
    pool = pool_of(plan, settings, "drr.app.study.answers:open_workplace", sent)
    say_paper(settings)
    with Study.create(folder, asked.config) as study:
        contexts = None if plan.contexts is None else str(plan.contexts)
        words = ",".join([plan.variants or "all", *answering.person_facts.programs])
        # Whoever ran a study named its programs and places, and is not asked about them again.
        remember_study(folder, settings, words, [plan.shop, plan.place, contexts])
        keep_queries(study, asked.queries)
        answering.person_facts.keep(folder)
        check_cast(answering, budget_of(plan, study), unit_cap_of(plan))
        counted = counted_under_only(study, asked.units, asked.chosen) if plan.only else asked.units
        study.ledger.units.register(counted)
        note_in_process(study, answering.variants, plan)
        # Set aside and not deleted: they were paid for, and another configuration may ask for them again.
        aside = study.retire("answer", [*counted, *imported_units(study)])
        if aside:
            notice(f"{aside:,} units of an earlier configuration are kept aside and not counted")
        if plan.retry_failed:
            # A unit whose text was lost counts as done until somebody looks.
            study.look_for_losses()
            study.reopen_lost(unit.key for unit in asked.chosen)
        answering.person_facts.prepare(plan, settings, study, asked.queries)
        summary = run_units(plan, study, asked.chosen, pool or answering, answering.models, "answers")
        if checked := [unit for unit in asked.chosen if "form" in unit.spec]:
            from drr.app.study.handed_forms import forms_of, lacking_forms

            questions = {query.id: query for query in asked.queries}
            for line in lacking_forms(forms_of(study, checked, questions)):
                notice(line)
            # Code checks these answers by a truth that an uncontained agent could have read.
            for line in containment_sentences(answering.variants, plan):
                notice(line, news=False)
        return StudyRan(summary, status(study))
