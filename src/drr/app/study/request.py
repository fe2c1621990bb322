"""Joins the request of a call with that of its study, step by step as a user would say it."""

from __future__ import annotations

from typing import NamedTuple

from drr.app.study.additions import Selection, joined_plan
from drr.app.study.questions import questions_of
from drr.app.study.study_plan import KeptStudy, StudyPlan, kept_study
from drr.app.study.trust import found_shop, trusted_settings
from drr.app.study.variants import variants_of
from drr.app.study.worlds import with_tasks
from drr.env.errors import Misuse
from drr.env.query import Query
from drr.env.settings import Settings
from drr.env.web.made_web import with_web_of_study


class Request(NamedTuple):
    """The request of a call, joined with that of its study."""

    study: KeptStudy
    plan: StudyPlan
    shop: str | None
    """The place of the shop, which the plan names as the study keeps it."""
    settings: Settings
    queries: list[Query]
    named: Selection
    """The part of the study that this call names."""


def joined_request(call: StudyPlan) -> Request:
    """Return the request: which study, who is trusted, which set, variants with their models, other choices, questions, web."""
    study = kept_study(call.folder)
    call = with_tasks(call, study.plan)
    # Before any place is opened: the study may be a stranger's, who chose its shop and its programs.
    found = trusted_settings(call, study)
    shop = found_shop(call.folder, call.shop or study.plan.shop)
    if call.frozen is not None or study.plan.set is not None:
        from drr.app.study.frozen_sets import plan_of_set

        call = plan_of_set(call, study.plan, shop, found.settings, is_new=study.is_new)
    if call.frozen is not None:
        # The settings were resolved before the set named its own web.
        web = {"sandbox": call.named_settings["sandbox"]}
        found = found._replace(settings=found.settings.model_copy(update=web))
    settings, variants, named = variants_of(call, study, found)
    plan = joined_plan(call, study.plan, variants)
    call, shop = call.model_copy(update={"variants": named}), shop or plan.shop
    brought, queries = questions_of(call, shop, settings, is_new=study.is_new)
    selection = Selection.of(call, brought)
    if call.only and selection.is_all:
        raise Misuse("--only needs what to compute: --variants, --settings, --reach, --queries or --trials")
    settings = with_web_of_study(settings, shop, is_new=study.is_new)
    return Request(study, plan, shop, settings, queries, selection)
