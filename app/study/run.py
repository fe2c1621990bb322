"""Creates or continues a study of answers: joins a call's request with the stored one, and computes missing units."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from drr.agents.base import Limits
from drr.agents.commands.command import is_command
from drr.app.models.setup import check_named
from drr.app.notices import notice
from drr.app.study.config_file import save_config
from drr.app.study.outcome import budget_of, check_cast, config_of, run_units, say_paper, unit_cap_of
from drr.app.study.plan import (
    Selection,
    counted_under_only,
    joined_queries,
    joined_reaches,
    joined_settings,
    joined_variants,
    keep_queries,
    others_left,
    spread,
)
from drr.app.study.specs import RunConfig, RunPlan, agent_in
from drr.app.study.trust import check_agents, check_shop, found_shop, remember_study, settled
from drr.app.study.workers import placed_plan, pool_of, probes_of
from drr.app.study.worlds import asked_now, is_for, settle_tasks
from drr.env.errors import DrrError, Misuse
from drr.env.json_object import JsonObject
from drr.env.person_setting import RECORDS, settings_of, words_of
from drr.env.query import Query, read_queries
from drr.env.reach import WHOLE
from drr.env.reach import words_of as reach_words
from drr.env.settings import Settings, StudyChoices
from drr.env.user_code import is_in_file
from drr.env.world import SHOP
from drr.study.config import MOST_TRIALS, QUERIES, StudyConfig
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


class _Resolved(NamedTuple):
    plan: RunPlan
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


def run(config: RunConfig) -> StudyRan:
    """Compute the missing units of the study, which is created if it does not exist; return summary and status."""
    with opened(config) as asked:
        return _run(config, asked)


def forecast(config: RunConfig) -> RunForecast:
    """Return the forecast of the units, calls, tokens and cost of `run`, without calling a model."""
    from drr.app.study.forecast import forecast as expected

    with opened(config, calls=False) as asked:
        return expected(
            asked.answering,
            asked.chosen,
            None if asked.is_new else config.study,
            asked.queries,
            retry_failed=config.retry_failed,
            limit=config.limit,
        )


def save(config: RunConfig, file: Path) -> None:
    """Write the request, joined with the study's own, as a file for `drr run FILE`; compute nothing."""
    config, _, (plan, settings, queries, _) = _settled(config)
    save_config(config, plan, settings, queries, file)


def _settled(config: RunConfig) -> tuple[RunConfig, StudyConfig, _Resolved]:
    """Return the request with its tasks and set resolved, the study's saved configuration, and both joined."""
    from drr.study.study import Study

    saved: StudyConfig = _saved(config.study) if Study.exists(config.study) else {}
    config = settle_tasks(config, saved.get("run", {}))
    if config.frozen is None and "set" not in saved.get("run", {}):
        return config, saved, _resolve(config, saved)
    from drr.app.study.frozen_sets import of_set

    config, label = of_set(config, saved)
    resolved = _resolve(config, saved)
    if label is not None:
        resolved.plan["set"] = label
    return config, saved, resolved


@contextmanager
def opened(asked: RunConfig, *, calls: bool = True) -> Iterator[RunAsked]:
    """Open the agents of a study; yield its units, those that this call computes, and its configuration."""
    from drr.app.study.answers import AnswerConfig, open_answering
    from drr.app.study.person import persons_file

    folder = asked.study
    config, saved, (plan, settings, queries, named) = _settled(asked)
    keyed = _keyed(config, saved, settings)
    if line := _anew(config, saved, settings):
        notice(f"{folder}: {line}")
    placed = RunPlan(**{**plan, "shop": found_shop(folder, plan["shop"])})
    answers = replace(
        AnswerConfig.of(placed, settings, folder / "pages", persons_file(config)),
        keyed_max_tokens=keyed,
        trust_agent=config.trust_agent,
        agent_sees=config.agent_sees,
        otel=config.otel,
    )
    with open_answering(answers, calls=calls) as answering:
        check_named([*answering.roles, *answering.giving.roles], config.named_roles)
        answering.check_queries(queries, str(config.queries or folder))
        units = answering.units(queries, plan["trials"])
        for line in [*_left_out(answering), *_formless(answering, units, folder if saved else None)]:
            notice(line)
        chosen, others = named.split(units)
        if others and not config.only:
            notice(f"{folder}: {others_left(others)}")
            chosen = units
        if keyed is not None:
            chosen = _failed(folder, chosen)
            settings = settings.model_copy(update={"model_max_tokens": keyed})
        yield RunAsked(answering, units, chosen, queries, config_of({**plan}, settings), not saved)


def _left_out(answering: AnswerWork) -> list[str]:
    """Return sentences that say which variants are not asked under which reach."""
    notices = []
    for reach in answering.reaches:
        others = [name for name, variant in answering.variants.items() if not is_for(reach, variant)]
        if others:
            notices.append(
                f"--reach {reach.name} is for agents that have others search; not asked of {', '.join(others)}"
            )
    return notices


def _formless(answering: AnswerWork, units: Sequence[Unit], folder: Path | None) -> list[str]:
    """Return a notice about variants not known to hand in the form that code checks, else an empty list."""
    from drr.study.study import Study

    checked = [unit for unit in units if "form" in unit.spec]
    with nullcontext() if folder is None else Study.read(folder) as study:
        records = [study.record(unit.key) for unit in checked] if study else []
    ended = [one for one in records if one is not None and one.done]
    asked, handed = (
        {agent_in(one.spec) for one in ended},
        {agent_in(one.spec) for one in ended if "form" in one.blobs},
    )
    lacking = [
        name
        for name in dict.fromkeys(agent_in(unit.spec) for unit in checked)
        if name not in handed and (name in asked or not answering.asks_for_form(name))
    ]
    if not lacking:
        return []
    questions = many(len({unit.spec["query_id"] for unit in checked}), "question")
    return [
        f"code checks the answers to {questions} by a form (docs/record.md), and {', '.join(lacking)} never handed one in: without it none is solved"
    ]


_BEFORE = {"reason": "on", "models": None}
"""Settings assumed for a study whose configuration is older than the settings, so that its finished units stay finished."""


def _keyed(config: RunConfig, saved: StudyConfig, settings: Settings) -> int | None:
    """Return the study's own token limit of an answer if failed units get another limit now, else `None`. Only those units are then computed, under their old keys."""
    own = saved.get("settings", {}).get("model_max_tokens")
    raised = config.retry_failed and own is not None and settings.model_max_tokens != own
    return int(own) if raised and own is not None else None


def _anew(config: RunConfig, saved: StudyConfig, settings: Settings) -> str:
    """Return a warning if a changed token limit renews every answer, which is seldom wanted; else an empty text."""
    own = saved.get("settings", {}).get("model_max_tokens")
    if own is None or settings.model_max_tokens == own or config.retry_failed:
        return ""
    return (
        f"its answers were given under model_max_tokens = {own}; under {settings.model_max_tokens} all are computed anew"
        " (--retry-failed gives more room to what failed, and to that only)"
    )


def _failed(folder: Path, units: list[Unit]) -> list[Unit]:
    from drr.study.study import Study

    with Study.read(folder) as study:
        failed = study.ledger.units.failed_among([unit.key for unit in units]).keys() | _lost(study, units)
    return [unit for unit in units if unit.key in failed]


def _lost(study: Study, units: list[Unit]) -> set[str]:
    records = (study.record(unit.key) for unit in units)
    return {record.key for record in records if record is not None and study.lost(record)}


def _saved(folder: Path) -> StudyConfig:
    from drr.study.study import Study

    with Study.read(folder) as study:
        return study.config


def _resolve(config: RunConfig, saved: StudyConfig) -> _Resolved:
    """Return the study's choices joined with this call's, else the defaults, and the selection that the call names."""
    from drr.agents.registry import parts_of
    from drr.app.study.worlds import reaches_given

    before, own = saved.get("run", {}), config.study / QUERIES
    given = _words(config.variants)
    chosen = None if config.settings is None else settings_of(config.settings)
    had = before.get("settings") or (RECORDS.name if saved else None)
    reaches = reaches_given(config)
    if saved:
        named = [] if given is None else [parts_of(word)[0] for word in given.split(",")]
        had_words = str(before.get("variants", "all")).split(",")
        words = [word for word in had_words if parts_of(word)[0] not in named]
        words += [one.memory_word for one in settings_of(str(had)) if one.place and one not in (chosen or ())]
        check_agents(config.study, ",".join(words))
        check_shop(config.study, before.get("shop"), config.shop)
        check_shop(config.study, before.get("place"), config.place, "--place")
        gathered = None if config.contexts is None else str(config.contexts)
        check_shop(config.study, before.get("contexts"), gathered, "--contexts")
    study = StudyChoices(config.study, {**_BEFORE, **saved.get("settings", {})}) if saved else None
    found = settled(config.given, config.trusted, study)
    settings, had_variants, given = spread(config, found, saved, given)
    plan = _plan(config, {**before, "variants": had_variants}, given)
    here = before.get("contexts") if config.contexts is None else str(config.contexts.resolve())
    if here is not None:
        plan["contexts"] = here
    joined = joined_settings(had, chosen)
    if joined != (RECORDS,):
        plan["settings"] = words_of(joined)
    reached = joined_reaches(before.get("reach") or (WHOLE.name if saved else None), reaches)
    if reached != (WHOLE,):
        plan["reach"] = reach_words(reached)
    new = asked_now(config, has_own=bool(saved) and own.is_file())
    kept = read_queries(own) if own.is_file() else []
    queries = joined_queries(kept, new or [], config.queries or config.tasks or own, config.study)
    selection = Selection.of(given, new, config.trials, chosen, reaches)
    if config.only and selection.is_all:
        raise Misuse("--only needs what to compute: --variants, --settings, --reach, --queries or --trials")
    return _Resolved(plan, settings, queries, selection)


def _plan(config: RunConfig, before: JsonObject, variants: str | None) -> RunPlan:
    from drr.app.study.person import shop_of_persons

    world, place = config.world or before.get("world", SHOP), config.place or before.get("place")
    shop = config.shop or before.get("shop")
    if shop is None and world == SHOP and config.persons is not None:
        shop = shop_of_persons(config.persons)
    if shop is None and world == SHOP:
        raise Misuse(f"{config.study}: a new study needs --shop; e.g. --shop demo/shop")
    had = before.get("variants")
    if (config.trials or 1) > MOST_TRIALS:
        raise Misuse(f"--trials {config.trials}: at most {MOST_TRIALS:,}")
    _check_limits(before.get("limits", {}), config.study)
    plan = RunPlan(
        shop=shop,
        variants=str(had or "all") if variants is None else joined_variants(had, variants),
        trials=max(config.trials or 1, before.get("trials") or 1),
        limits={**config.limits} if config.limits else before.get("limits", {}),
        citation_repair=config.citation_repair or before.get("citation_repair"),
        references=before.get("references") if config.references is None else config.references,
    )
    if world != SHOP:
        plan["world"] = world
    if place is not None:
        plan["place"] = place
    return plan


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


def _check_limits(saved: JsonObject, study: Path) -> None:
    if unknown := sorted(saved.keys() - {field.name for field in fields(Limits)}):
        raise DrrError(
            f"{study}: limits of its study.toml: no {', '.join(unknown)} is known; restore it, or update drr"
        )


def _run(config: RunConfig, asked: RunAsked) -> StudyRan:
    from drr.eval.evidence.imported import imported_units
    from drr.study.status import status
    from drr.study.study import Study

    folder, answering = config.study, asked.answering
    settings = answering.config.settings
    check_cast(answering, budget_of(config), unit_cap_of(config))
    kept = answering.giving.kept_in(folder)
    persons = None if kept is None else str(kept)
    pool = pool_of(
        config,
        settings,
        "drr.app.study.answers:open_workplace",
        workplace(config, asked.config, asked.chosen, persons),
    )
    say_paper(settings)
    with Study.create(folder, asked.config) as study:
        plan = asked.config["run"]
        shops = [found_shop(folder, plan.get("shop")), plan.get("place"), plan.get("contexts")]
        words = ",".join([plan["variants"], *answering.giving.programs])
        remember_study(folder, settings, words, shops)
        keep_queries(study, asked.queries)
        answering.giving.keep(folder)
        check_cast(answering, budget_of(config, study), unit_cap_of(config))
        counted = counted_under_only(study, asked.units, asked.chosen) if config.only else asked.units
        study.ledger.units.register(counted)
        aside = study.retire("answer", [*counted, *imported_units(study)])
        if aside:
            notice(f"{aside:,} units of an earlier configuration are kept aside and not counted")
        if config.retry_failed:
            study.look_for_losses()
            study.reopen_lost(unit.key for unit in asked.chosen)
        answering.giving.prepare(config, settings, study, asked.queries)
        summary = run_units(config, study, asked.chosen, pool or answering, answering.models, "answers")
        return StudyRan(summary, status(study))


def workplace(
    config: RunConfig, study: StudyConfig, units: Sequence[Unit], persons: str | None
) -> JsonObject:
    """Return the data that a worker in another process needs, except the settings."""
    return {
        "run": placed_plan({**study["run"], "shop": found_shop(config.study, study["run"].get("shop"))}),
        "pages": str(config.study.absolute() / "pages"),
        "persons": persons,
        "probes": probes_of(units),
        "trust_agent": config.trust_agent,
        "agent_sees": list(config.agent_sees),
        "otel": config.otel,
    }
