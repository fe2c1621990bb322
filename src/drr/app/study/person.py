"""Facts about the asking person that agents get, and what memories will cost.

Alone, a study gives records or nothing. Contexts, personas and memories come from a paper's plug-in.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypedDict

from drr.app.study.study_plan import StudyPlan
from drr.env.errors import Misuse
from drr.env.json_object import JsonObject
from drr.env.person_setting import RECORDS, Given, Setting
from drr.env.plugins import papers
from drr.env.query import Query
from drr.env.settings import Settings
from drr.env.world import WithoutRecords, WorldResources
from drr.llm.factory import Models

if TYPE_CHECKING:
    from drr.agents.architecture import Variant
    from drr.study.study import Study


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
