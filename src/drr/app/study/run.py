"""Creates or continues a study of answers: joins a call's request with the stored one, and computes missing units."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from drr.agents.commands.command import is_command
from drr.app.models.setup import check_named
from drr.app.notices import notice
from drr.app.study.additions import (
    Selection,
    add_choices,
    combine_models,
    counted_under_only,
    joined_queries,
    joined_variants,
    keep_queries,
    others_left,
)
from drr.app.study.config_file import save_config
from drr.app.study.outcome import budget_of, check_cast, config_of, run_units, say_paper, unit_cap_of
from drr.app.study.specs import agent_in
from drr.app.study.study_plan import KEPT, StudyPlan
from drr.app.study.trust import check_agents, check_shop, found_shop, remember_study, settle_settings
from drr.app.study.workers import pool_of
from drr.app.study.worlds import asked_now, can_have_reach, containment_sentences, settle_tasks
from drr.app.users import by_ids
from drr.env.errors import Misuse
from drr.env.json_object import JsonObject
from drr.env.person_setting import RECORDS, settings_of, words_of
from drr.env.query import Query, read_queries
from drr.env.reach import WHOLE, reaches_of
from drr.env.reach import words_of as reach_words
from drr.env.settings import Settings, StudyChoices
from drr.env.shop import open_shop
from drr.env.shop_world import ShopRealm
from drr.env.user_code import is_in_file
from drr.env.web.made_web import question_outside, with_own_web
from drr.env.world import SHOP
from drr.study.config import QUERIES, StudyConfig
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


class _Joined(NamedTuple):
    """A call's plan joined with the study's own, and what follows from both."""

    plan: StudyPlan
    saved: StudyConfig
    """Configuration of the study; empty if it is new."""
    settings: Settings
    queries: list[Query]
    named: Selection
    """The part of the study that this call names."""


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
    joined = _joined(call)
    save_config(joined.plan, joined.settings, joined.queries, file)


@contextmanager
def open_run(call: StudyPlan, *, calls: bool = True) -> Iterator[RunAsked]:
    """Open the agents of a study; yield its units, those that this call computes, and its configuration."""
    from drr.app.study.answers import open_answering

    folder = call.folder
    plan, saved, settings, queries, named = _joined(call)
    keyed = _token_limit_in_keys(plan, saved, settings)
    if line := _renewal_warning(plan, saved, settings):
        notice(f"{folder}: {line}")
    placed = plan.model_copy(update={"shop": found_shop(folder, plan.shop)})
    with open_answering(placed, settings, keyed_max_tokens=keyed, calls=calls) as answering:
        check_named([*answering.roles, *answering.person_facts.roles], plan.named_roles)
        answering.check_queries(queries, str(plan.queries or folder))
        _check_web(answering, queries, is_new=not saved)
        units = answering.units(queries, plan.trials or 1)
        for line in [
            *_left_out(answering),
            *_ceilings(answering),
            *_formless(answering, units, folder if saved else None),
        ]:
            notice(line)
        chosen, others = named.split(units)
        if others and not plan.only:
            notice(f"{folder}: {others_left(others)}")
            chosen = units
        if keyed is not None:
            chosen = _failed(folder, chosen)
            settings = settings.model_copy(update={"model_max_tokens": keyed})
        yield RunAsked(answering, units, chosen, queries, config_of(plan.kept(), settings), not saved)


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


def _formless(answering: AnswerWork, units: Sequence[Unit], folder: Path | None) -> list[str]:
    """Return a notice about variants not known to hand in the form that code checks, else an empty list."""
    from drr.study.study import Study

    checked = [unit for unit in units if "form" in unit.spec]
    with nullcontext() if folder is None else Study.read(folder) as study:
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


def _formless_answers(study: Study, asked: RunAsked) -> list[str]:
    """Return sentences on the answers of this call that can solve nothing, for want of a readable form."""
    checked = [unit for unit in asked.chosen if "form" in unit.spec]
    if not checked:
        return []
    from drr.app.study.handed_forms import forms_of, lacking_forms

    return lacking_forms(forms_of(study, checked, {query.id: query for query in asked.queries}))


def _check_web(answering: AnswerWork, queries: Sequence[Query], *, is_new: bool) -> None:
    """Raise `Misuse` if the web of a new study lacks a page of a question's truth. An older study keeps its web, and it is said."""
    realm = answering.realm
    outside = question_outside(queries, realm.shop, realm.web) if isinstance(realm, ShopRealm) else None
    if outside and is_new:
        raise Misuse(outside)
    if outside:
        notice(f"{answering.plan.study}: {outside}")


_BEFORE = {"reason": "on", "models": None}
"""Settings assumed for a study whose configuration is older than the settings, so that its finished units stay finished."""


def _token_limit_in_keys(plan: StudyPlan, saved: StudyConfig, settings: Settings) -> int | None:
    """Return the study's own token limit of an answer if failed units get another limit now, else `None`. Only those units are then computed, under their old keys."""
    own = saved.get("settings", {}).get("model_max_tokens")
    raised = plan.retry_failed and own is not None and settings.model_max_tokens != own
    return int(own) if raised and own is not None else None


def _renewal_warning(plan: StudyPlan, saved: StudyConfig, settings: Settings) -> str:
    """Return a warning if a changed token limit renews every answer, which is seldom wanted; else an empty text."""
    own = saved.get("settings", {}).get("model_max_tokens")
    if own is None or settings.model_max_tokens == own or plan.retry_failed:
        return ""
    return (
        f"its answers were given under model_max_tokens = {own}; under {settings.model_max_tokens} all are computed anew"
        " (--retry-failed gives more room to what failed, and to that only)"
    )


def _failed(folder: Path, units: list[Unit]) -> list[Unit]:
    """Return the units that failed, and those whose answer lost a text."""
    from drr.study.study import Study

    with Study.read(folder) as study:
        failed = study.ledger.units.failed_among([unit.key for unit in units])
        records = ((unit, study.record(unit.key)) for unit in units)
        return [unit for unit, one in records if unit.key in failed or (one is not None and study.lost(one))]


def _joined(call: StudyPlan) -> _Joined:
    """Join the study's choices with those of this call, else the defaults; find its questions and what the call names."""
    from drr.app.study.worlds import reaches_given
    from drr.study.study import Study

    saved: StudyConfig = {}
    if Study.exists(call.folder):
        with Study.read(call.folder) as kept_study:
            saved = kept_study.config
    own = StudyPlan.of_study(call.folder, saved)
    call = settle_tasks(call, own)
    if call.frozen is not None or own.set is not None:
        from drr.app.study.frozen_sets import plan_of_set

        call = plan_of_set(call, own, is_new=not saved)
    file, given = call.folder / QUERIES, _words(call.variants)
    chosen = None if call.settings is None else settings_of(call.settings)
    reaches = reaches_given(call)
    if saved:
        _check_strangers(call, own, given)
    study = StudyChoices(call.folder, {**_BEFORE, **saved.get("settings", {})}) if saved else None
    found = settle_settings(call.given, call.trust_address, study)
    settings, had_variants, given = combine_models(call, found, saved, given)
    named = {name: value for name in KEPT if (value := getattr(call, name)) not in (None, {})}
    kept = {name: getattr(own, name) for name in KEPT} | named
    plan = call.model_copy(
        update={
            **kept,
            "shop": _shop(call, kept),
            "variants": (had_variants or "all") if given is None else joined_variants(had_variants, given),
            "trials": max(call.trials or 1, own.trials or 1),
            "contexts": own.contexts if call.contexts is None else call.contexts.resolve(),
            "settings": words_of(
                add_choices(settings_of(own.settings or RECORDS.name) if saved else (), chosen, RECORDS)
            ),
            "reach": reach_words(
                add_choices(reaches_of(own.reach or WHOLE.name) if saved else (), reaches, WHOLE)
            ),
            "persons": call.persons_file,
        }
    )
    new = asked_now(call, has_own=bool(saved) and file.is_file())
    if new and plan.shop is not None:
        with open_shop(plan.shop, settings) as shop:
            new = by_ids(shop, new)
    if not saved:
        settings = with_own_web(settings, plan.shop)
    elif settings.sandbox is not None and not settings.sandbox.is_dir():
        settings = _with_moved_web(settings, found_shop(call.folder, plan.shop))
    before = read_queries(file) if file.is_file() else []
    queries = joined_queries(before, new or [], call.queries or call.tasks or file, call.folder)
    selection = Selection.of(given, new, call.trials, chosen, reaches)
    if call.only and selection.is_all:
        raise Misuse("--only needs what to compute: --variants, --settings, --reach, --queries or --trials")
    return _Joined(plan, saved, settings, queries, selection)


def _with_moved_web(settings: Settings, shop: str | None) -> Settings:
    """Return the settings with the web beside a shop that was moved together with its study, where there is one."""
    found = with_own_web(settings.model_copy(update={"sandbox": None}), shop)
    return settings if found.sandbox is None else found


def _check_strangers(call: StudyPlan, own: StudyPlan, given: str | None) -> None:
    """Ask this user to approve the programs and places that the study names and this call does not."""
    from drr.agents.registry import parts_of

    named = [] if given is None else [parts_of(word)[0] for word in given.split(",")]
    words = [word for word in (own.variants or "all").split(",") if parts_of(word)[0] not in named]
    chosen = () if call.settings is None else settings_of(call.settings)
    had = settings_of(own.settings or RECORDS.name)
    words += [one.memory_word for one in had if one.place and one not in chosen]
    check_agents(call.folder, ",".join(words))
    for name in ("shop", "place", "contexts"):
        before, now = (None if (one := getattr(plan, name)) is None else str(one) for plan in (own, call))
        check_shop(call.folder, before, now, f"--{name}")


def _shop(call: StudyPlan, kept: JsonObject) -> str | None:
    """Return the shop; raise `Misuse` for the world of a shop without one."""
    from drr.app.study.person import shop_of_persons

    shop: str | None = kept["shop"]
    if shop is None and kept["world"] in (None, SHOP):
        if call.persons is None:
            raise Misuse(f"{call.study}: a new study needs --shop; e.g. --shop demo/shop")
        return shop_of_persons(call.persons)
    return shop


def _words(given: str | None) -> str | None:
    """Return the variants' words, with files as absolute paths, so that the study continues from any folder."""
    from drr.agents.registry import parts_of, variant

    if given is None:
        return None
    parts = [part.strip() for part in given.split(",")]
    bare = [parts_of(part)[0] for part in parts]
    whole = (is_command(word) or is_in_file(word) for word in bare)
    return ",".join(
        variant(part).word if of_file else part for part, of_file in zip(parts, whole, strict=True)
    )


def _run(asked: RunAsked) -> StudyRan:
    from drr.app.study.answers import workplace
    from drr.eval.evidence.imported import imported_units
    from drr.study.status import status
    from drr.study.study import Study

    answering = asked.answering
    plan, settings, folder = answering.plan, answering.settings, answering.plan.folder
    check_cast(answering, budget_of(plan), unit_cap_of(plan))
    sent = workplace(answering, asked.chosen)
    pool = pool_of(plan, settings, "drr.app.study.answers:open_workplace", sent)
    say_paper(settings)
    with Study.create(folder, asked.config) as study:
        contexts = None if plan.contexts is None else str(plan.contexts)
        words = ",".join([plan.variants or "all", *answering.person_facts.programs])
        remember_study(folder, settings, words, [plan.shop, plan.place, contexts])
        keep_queries(study, asked.queries)
        answering.person_facts.keep(folder)
        check_cast(answering, budget_of(plan, study), unit_cap_of(plan))
        counted = counted_under_only(study, asked.units, asked.chosen) if plan.only else asked.units
        study.ledger.units.register(counted)
        aside = study.retire("answer", [*counted, *imported_units(study)])
        if aside:
            notice(f"{aside:,} units of an earlier configuration are kept aside and not counted")
        if plan.retry_failed:
            study.look_for_losses()
            study.reopen_lost(unit.key for unit in asked.chosen)
        answering.person_facts.prepare(plan, settings, study, asked.queries)
        summary = run_units(plan, study, asked.chosen, pool or answering, answering.models, "answers")
        for line in _formless_answers(study, asked):
            notice(line)
        if any("form" in unit.spec for unit in asked.chosen):
            for line in containment_sentences(answering.variants, trusted=plan.trust_agent):
                notice(line, news=False)
        return StudyRan(summary, status(study))
