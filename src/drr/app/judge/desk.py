"""Opens the parts that reading or judging a study takes: its settings, its shop, its judge."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NotRequired, TypedDict

from drr.agents.commands.command import is_command, recorded_name
from drr.app.models.setup import models_of, prompts_of
from drr.app.study.outcome import check_models, check_run
from drr.app.study.spans import judgement_span, spans_of
from drr.app.study.terms import given_settings
from drr.app.study.trust import (
    check_shop,
    found_shop,
    is_own_shop,
    trusted_addresses,
    vouched_settings,
)
from drr.app.study.workers import check_same, desk_facts, settings_from, whole_path
from drr.citations.parse import Citations, parse
from drr.env.errors import DrrError, Misuse
from drr.env.json_object import JsonObject
from drr.env.powers import Power
from drr.env.records.shopper import shopper_summary
from drr.env.settings import Settings, StudyChoices, resolve
from drr.env.shop import Shop, money_of, open_shop
from drr.env.web.base import Page
from drr.eval.tasks.protocol import OURS, PROTOCOLS, JudgingProtocol
from drr.llm.names import OFFLINE
from drr.wording.currency import Currency

if TYPE_CHECKING:
    from drr.app.judge.judge_plan import JudgePlan
    from drr.env.profile import ProfileSummary
    from drr.eval.tasks.desk import JudgingContext
    from drr.llm.factory import Models
    from drr.study.study import Study
    from drr.study.worker import Workplace


def study_settings(
    study: Study, given: Mapping[str, object], trusted: Sequence[str], *more: Power
) -> Settings:
    """Return the settings given now, else those that the study was made with. Nothing runs or is paid under them but by `more`."""
    saved = {
        k: v
        for k, v in study.config.get("settings", {}).items()
        if k in Settings.model_fields and k != "profile"
    }
    choices = StudyChoices(study.folder, saved, study.config.get("run", {}).get("shop"))
    return vouched_settings(given, trusted, choices, ("read", *more)).settings


def settings_beside(study: Study, arguments: argparse.Namespace) -> Settings:
    """Return the settings that the command line names, else those that the study was made with."""
    return study_settings(study, given_settings(arguments), trusted_addresses(arguments))


@contextmanager
def study_shop(study: Study, settings: Settings, given: str | None) -> Iterator[Shop | None]:
    """Yield the shop of the study, if this user approves it; `None` for imported reports that named no shop."""
    # The study may come from a stranger, who may have named any folder or server as its shop.
    check_shop(study.folder, study.config.get("run", {}).get("shop"), given)
    with _opened_shop(study, settings, given) as shop:
        yield shop


def named_shop(study: Study, given: str | None = None) -> str | None:
    """Return the place of the shop that is named now, or else by the study."""
    return given or found_shop(study.folder, study.config.get("run", {}).get("shop"))


@contextmanager
def _opened_shop(study: Study, settings: Settings, given: str | None) -> Iterator[Shop | None]:
    """Yield the opened shop, or `None`, without asking for approval. A worker uses this function too, as its driver has asked."""
    spec = named_shop(study, given)
    if spec is None:
        yield None
        return
    with open_shop(spec, settings) as shop:
        yield shop


def names_judge(settings: Settings) -> bool:
    """Tell whether a judge was named by its own setting or role; `offline` counts as a name."""
    return settings.model_judge is not None or "judge" in settings.role_models


def need_judge(settings: Settings) -> None:
    """Raise `Misuse` where a judge is to be examined and no setting names one."""
    if settings.model_for("judge") == OFFLINE and not names_judge(settings):
        raise Misuse("no judge is named; name a model with --judge")


def judge_models(arguments: argparse.Namespace, settings: Settings, *roles: str) -> Models:
    """Return the models that examine a judge. Raise `Misuse` for calls that would fail at once, and where no judge is named."""
    need_judge(settings)
    models = models_of(settings)
    check_run(arguments, models, ("judge", *roles))
    return models


def verdicts_on_labels(labels: Path) -> Study:
    """Open or create the study FILE.study, which keeps a judge's verdicts on a file of labels. None is paid for twice."""
    from drr.study.study import Study

    place = labels.resolve()
    folder = place.with_name(place.name + ".study")
    return Study.open(folder) if Study.exists(folder) else Study.create(folder, {"schema": 1, "run": {}})


def desk_of(
    settings: Settings, models: Models, shop: Shop | None, protocol: JudgingProtocol | None = None
) -> JudgingContext:
    """Return a desk, which holds all that judging takes. The protocol is ours unless another is named.

    Where no judge is named, code decides what it can, and no rules stand in for a model: their verdicts would
    pass for a judge's.
    """
    from drr.eval.asking.judge import JudgeName
    from drr.eval.tasks.desk import EXTRACTOR, JUDGE, JudgingContext
    from drr.offline.judge import RulesJudge

    stand_in = RulesJudge()
    judge = JudgeName.of(models, JUDGE, stand_in, unnamed=not names_judge(settings))
    extractor = JudgeName.of(models, EXTRACTOR, stand_in)
    prompts = prompts_of(settings, "eval")
    desk = JudgingContext(judge, extractor, shop, settings.shop_url, prompts, protocol or OURS, stand_in)
    desk.window, desk.language = settings.judge_window, settings.language
    return desk


class JudgeWorkplace(TypedDict):
    """The data that a worker in another process needs to judge."""

    plan: JsonObject
    protocol: str
    repeat: int
    """Number of the repetition that is judged."""
    refetched: dict[str, JsonObject] | None
    """Fields of each fetched `Page`, by address."""
    facts: JsonObject
    """Facts that must be the same in every process."""
    settings: NotRequired[JsonObject]


def workplace(study: Study, desk: JudgingContext, plan: JudgePlan) -> JudgeWorkplace:
    """Return the data that a worker in another process needs to judge at this desk, except the settings."""
    own = {"study": study.folder.absolute(), "shop": whole_path(named_shop(study, plan.shop))}
    pages = desk.refetched
    return {
        "plan": plan.model_copy(update=own).model_dump(mode="json"),
        "protocol": desk.protocol.name,
        "repeat": desk.repeat,
        "refetched": None if pages is None else {url: page._asdict() for url, page in pages.items()},
        "facts": desk_facts(desk),
    }


@contextmanager
def open_workplace(document: JudgeWorkplace) -> Iterator[Workplace]:
    """Open the workplace of a worker that judges, for `Opening("drr.app.judge.desk:open_workplace", document)`.

    The worker reads the answers and earlier judgements of the study; the ledger is the driver's alone to write.
    """
    from drr.app.judge.judge_plan import JudgePlan
    from drr.eval.asking.judge import KeptAnswers
    from drr.eval.evidence.answers import questions, read_answers
    from drr.eval.judging.run import Work
    from drr.eval.tasks.desk import EXTRACTOR, JUDGE, kept_window
    from drr.study.study import Study
    from drr.study.worker import Workplace

    settings, pages = settings_from(document["settings"]), document["refetched"]
    plan, models = JudgePlan(**document["plan"]), models_of(settings)
    with (
        spans_of(plan.spans(), models) as spans,
        Study.open(plan.study, read_only=True) as study,
        _opened_shop(study, settings, plan.shop) as shop,
    ):
        desk = replace(
            desk_of(settings, models, shop, PROTOCOLS[document["protocol"]]),
            batch=plan.batch,
            repeat=document["repeat"],
            window=settings.judge_window or kept_window(study),
            refetched=None if pages is None else {url: Page(**page) for url, page in pages.items()},
            questions=questions(study),
        )
        # Another prompt or shop here would put verdicts under keys that promise the driver's.
        check_same(desk_facts(desk), document["facts"])
        check_models(models, (JUDGE, EXTRACTOR))
        desk.add(read_answers(study))
        yield Workplace(Work(desk, KeptAnswers(study), partial(judgement_span, spans)), models)


def open_study(path: Path, *, to_look: bool = False) -> Study:
    from drr.study.study import Study

    return Study.read(path) if to_look else Study.open(path)


def known_variants(study: Study, typed: str | None) -> str | None:
    """Return the variants with commas between; a command is named as the study names it."""
    if typed is None or not any(map(is_command, typed.split(","))):
        return typed
    variants = {str(record.spec["variant"]) for record in study.records("answer", None)}
    return ",".join(recorded_name(name, variants) for name in typed.split(","))


class ShopperProfiles:
    """Profile summaries of shoppers for people to read; empty if the shop cannot be opened or lacks the user."""

    def __init__(self, study: Study, shop: str | None = None) -> None:
        self._known: dict[str, ProfileSummary | None] = {}
        self.shop = shop_of(study, shop)
        self._home = _settings_of(study).shop_url if self.shop is None else self.shop.shop_url
        """Address below which the shop's pages lie, whether the shop can be opened or not."""
        named = shop or study.config.get("run", {}).get("shop")
        self.missing = str(named) if named and self.shop is None else None
        """Place of a shop that cannot be opened, so that its profiles and records cannot be shown."""

    @property
    def currency(self) -> Currency:
        """Return the currency of the shop's prices."""
        return money_of(self.shop)

    def citations(self, report: str) -> Citations:
        """Parse the citations of a report about the shop."""
        return parse(report, self._home, None if self.shop is None else self.shop.known_ids)

    def text(self, user_id: str | None) -> str:
        return self.words(self.summary(user_id))

    def words(self, found: ProfileSummary | None) -> str:
        """Return a summary as text, with amounts in the shop's currency."""
        return "" if found is None else shopper_summary(found, self.currency)

    def summary(self, user_id: str | None) -> ProfileSummary | None:
        if user_id is None or self.shop is None:
            return None
        if user_id not in self._known:
            from drr.env.profile import build_profile

            store, manifest = self.shop.store, self.shop.manifest
            known = store.user(user_id) is not None
            self._known[user_id] = (
                build_profile(store, user_id, manifest.as_of, manifest.money) if known else None
            )
        return self._known[user_id]


def shop_of(study: Study, given: str | None = None) -> Shop | None:
    """Open the study's shop if this user approved it, else return `None`. A study can be read without its shop."""
    spec = named_shop(study, given)
    if not spec or (given is None and not is_own_shop(study.folder, spec)):
        return None
    try:
        return open_shop(spec, _settings_of(study))
    except DrrError:
        return None


def _settings_of(study: Study) -> Settings:
    given = (
        {"shop_url": study.config.get("settings", {}).get("shop_url")} if "settings" in study.config else {}
    )
    return resolve(given).settings
