"""Facts about the asking person that agents get, the shopper of talks, and what memories will cost.

Alone, a study gives records or nothing. Contexts, personas and memories come from a paper's plug-in.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypedDict

from drr.app.models.setup import prompts_of, under_model
from drr.app.study.study_plan import StudyPlan
from drr.env.errors import Misuse
from drr.env.json_object import JsonObject
from drr.env.person_setting import RECORDS, Given, Setting
from drr.env.plugins import papers
from drr.env.query import Query
from drr.env.settings import Settings
from drr.env.world import SERVICE, WithoutRecords, World, WorldResources
from drr.llm.factory import Models
from drr.llm.names import OFFLINE, parse_name
from drr.llm.prompts import Prompts

if TYPE_CHECKING:
    from drr.agents.architecture import Variant
    from drr.study.study import Study


@dataclass(frozen=True)
class PlayedShopper:
    """The shopper of a study's talks. Without a model his sentences are plain."""

    model: str | None = None
    settings: Settings = field(default_factory=Settings)

    @cached_property
    def _prompts(self) -> Prompts:
        return prompts_of(self.settings, "querygen")

    def key(self) -> JsonObject:
        """Return the part of a unit's key that names the model; empty without one."""
        if self.model is None:
            return {}
        from drr.querygen.shopper_voice import PROMPTS

        return {"shopper": self.model, "shopper_prompts": self._prompts.hashes(PROMPTS)}

    def check(self, models: Models) -> None:
        """Raise `ModelSetupError` for a model that cannot be called."""
        if self.model is not None:
            from drr.querygen.shopper_voice import ROLE

            under_model(models, self.settings, self.model).check([ROLE])

    def voiced(self, world: World, models: Models) -> World:
        """Return the world of a unit, with the model as the voice of its shopper."""
        service = world.session.service if world.session else None
        if self.model is not None and service is not None:
            from drr.querygen.shopper_voice import ROLE, ShopperVoice

            model = under_model(models, self.settings, self.model).role(ROLE)
            service.voice = ShopperVoice(model, self._prompts, service.case, asyncio.get_running_loop())
        return world


PLAIN_SHOPPER = PlayedShopper()


def shopper_of(plan: StudyPlan, settings: Settings) -> PlayedShopper:
    """Return the shopper that a plan asks for; raise `Misuse` for a model that has no shopper to play."""
    if plan.shopper is None:
        return PLAIN_SHOPPER
    if plan.world != SERVICE or parse_name(plan.shopper).provider == OFFLINE:
        raise Misuse(
            "--shopper MODEL: is a model for the shoppers of --world service; leave it out for plain sentences"
        )
    return PlayedShopper(plan.shopper, settings)


ForecastOrigin = TypedDict("ForecastOrigin", {"from": str | None})


class ForecastTotal(TypedDict):
    calls: int | None
    input_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None


class MemoryForecastRow(ForecastOrigin, ForecastTotal):
    """Forecast for one memory: all persons, persons left, recalls left, and the use of these; `None` where unknown."""

    memory: str
    persons: int
    left: int
    recalls: int


NOBODY = "asks nobody"


class PerUnit(NamedTuple):
    """The average use of one unit of answers or of memories: calls and tokens."""

    calls: float
    input_tokens: float
    output_tokens: float


@dataclass(frozen=True)
class PersonFacts:
    """The settings of a study and the facts about persons that they give agents; this base class gives none."""

    settings: Sequence[Setting] = (RECORDS,)

    @property
    def programs(self) -> list[str]:
        """Program files by others that run with this user's rights."""
        return []

    @property
    def roles(self) -> list[str]:
        """Model roles that are called before agents answer."""
        return []

    def check(self, queries: Iterable[Query], file: str) -> None:
        """Raise `Misuse` for a question whose person is unknown; this base class accepts all questions."""

    def check_place(self, realm: WorldResources, variants: Iterable[Variant]) -> None:
        """Raise `Misuse` for a world or an agent that passes on records that a setting withholds."""
        from drr.agents.base import PROFILE

        withholding = next((one for one in self.settings if not one.has_records), None)
        if withholding is None:
            return
        if not isinstance(realm, WithoutRecords):
            raise Misuse(
                f"the setting {withholding.name} withholds records, which this world cannot; leave it out"
            )
        profiled = [variant.name for variant in variants if variant.has(PROFILE)]
        if profiled:
            raise Misuse(
                f"{', '.join(profiled)} hands on the shopper's records, which the setting {withholding.name} withholds;"
                " leave one of the two out"
            )

    def key_fields(self, setting: Setting, person_id: str | None) -> JsonObject:
        """Return the fields that decide an answer besides the setting's name: the content that the agent is given."""
        return {}

    def given(self, setting: Setting, person_id: str | None, query: str) -> Given:
        """Return the texts about the person that go with one question."""
        return Given(setting)

    def given_tokens(self, setting: Setting, person_id: str | None) -> int:
        """Return the largest number of tokens about the person that go with a question."""
        return 0

    def keep(self, folder: Path) -> None:
        """Write the files that the study needs to continue into its folder."""

    def kept_in(self, folder: Path) -> Path | None:
        """Return the study's file of persons that a worker reads; `None` if there is none."""
        return None

    def prepare(self, plan: StudyPlan, settings: Settings, study: Study, queries: Iterable[Query]) -> None:
        """Do the work that must precede the answers, in units of its own."""

    def forecast(self, queries: Iterable[Query], folder: Path | None) -> list[MemoryForecastRow]:
        """Return the forecast of the calls that `prepare` makes."""
        return []


class PersonFactsModule(Protocol):
    """The interface of the module that a paper's `Agents.persons` returns."""

    def opened(
        self, settings: Sequence[Setting], plan: StudyPlan, own: Settings, models: Models
    ) -> PersonFacts: ...

    def shop_of(self, persons: Path) -> str:
        """Return the shop that a file of persons was made from; raise `Misuse` if it is not found."""


def open_person_facts(
    settings: Sequence[Setting], plan: StudyPlan, own: Settings, models: Models
) -> PersonFacts:
    """Return the `PersonFacts` for these settings. Raise `Misuse` for a file that cannot be read, and for a setting that no plug-in here fills."""
    telling = [setting for setting in settings if setting.has_persona or setting.has_context]
    if not telling and plan.persons_file is None and plan.contexts is None:
        return PersonFacts(tuple(settings))
    return _module(telling[0].name if telling else "records").opened(settings, plan, own, models)


def shop_of_persons(persons: Path) -> str:
    return _module("persona").shop_of(persons)


def _module(setting: str) -> PersonFactsModule:
    for paper in papers():
        module: PersonFactsModule | None = paper.agents.persons()
        if module is not None:
            return module
    raise Misuse(f"the setting {setting}: tells of persons, and no paper is here that knows any")
