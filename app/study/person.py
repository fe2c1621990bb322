"""The part of a setting that concerns the asking person: records or nothing. Contexts, personas and memories come from a paper's plug-in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypedDict

from drr.app.study.specs import RunConfig
from drr.env.errors import Misuse
from drr.env.json_object import JsonObject
from drr.env.person_setting import RECORDS, Given, Setting
from drr.env.plugins import papers
from drr.env.query import Query
from drr.env.settings import Settings
from drr.env.world import Realm, WithoutRecords

if TYPE_CHECKING:
    from drr.agents.architecture import Variant
    from drr.app.study.answers import Answering
    from drr.llm.factory import Models
    from drr.study.study import Study

PERSONS = "persons.jsonl"
"""Name of the file in the study's folder that keeps its persons, so that it continues without the original."""
RECALLED = "recalled.json"
"""Name of the file in the study's folder with what memories recalled."""


class PersonPlaces(NamedTuple):
    """The places of what is known of persons; plain data for a worker."""

    persons: Path | None = None
    contexts: Path | None = None
    recalled: Path | None = None


NOWHERE = PersonPlaces()
MemoryForecastRow = TypedDict(
    "MemoryForecastRow",
    {
        "memory": str,
        "persons": int,
        "left": int,
        "recalls": int,
        "from": str | None,
        "calls": int | None,
        "input_tokens": int | None,
        "output_tokens": int | None,
        "cost_usd": float | None,
    },
)
"""Persons of one memory, those left, recalls left, and what these will take; `None` where nothing tells."""
NOBODY = "asks nobody"


class PerUnit(NamedTuple):
    """The average cost of one unit, of answers or of memories."""

    calls: float
    input_tokens: float
    output_tokens: float


@dataclass(frozen=True)
class Giving:
    """The settings of a study, where none tells of a person."""

    settings: Sequence[Setting] = (RECORDS,)

    @property
    def programs(self) -> list[str]:
        """Files of others that run with this user's rights."""
        return []

    @property
    def roles(self) -> list[str]:
        """The model roles that are asked before agents answer."""
        return []

    def check(self, queries: Iterable[Query], file: str) -> None:
        """`Misuse` for a question whose person is not known here."""

    def check_place(self, realm: Realm, variants: Iterable[Variant]) -> None:
        """`Misuse` for a world, or an agent, that hands on what a setting withholds."""
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
        """List what decides an answer beside the setting's name: the content of what the agent was given."""
        return {}

    def given(self, setting: Setting, person_id: str | None, query: str) -> Given:
        """Return the texts that go with one question."""
        return Given(setting)

    def given_tokens(self, setting: Setting, person_id: str | None) -> int:
        """Tokens of what is told with a question, at most."""
        return 0

    def keep(self, folder: Path) -> None:
        """Lay into the study's folder what it needs to go on."""

    def kept_in(self, folder: Path) -> Path | None:
        """The file of persons that a worker reads."""
        return None

    def prepare(self, config: RunConfig, settings: Settings, study: Study, queries: Iterable[Query]) -> None:
        """Do what must be done before agents answer, in units of its own."""

    def forecast(
        self, answering: Answering, queries: Iterable[Query], folder: Path | None
    ) -> list[MemoryForecastRow]:
        """Forecast the requests of `prepare`."""
        return []


class GivingModule(Protocol):
    """The interface that a paper's plug-in names for giving."""

    def opened(
        self, settings: Sequence[Setting], places: PersonPlaces, own: Settings, models: Models
    ) -> Giving: ...

    def shop_of(self, persons: Path) -> str:
        """The shop that a file of persons was made of; `Misuse` where it is not found."""


def open_giving(settings: Sequence[Setting], places: PersonPlaces, own: Settings, models: Models) -> Giving:
    """`Misuse` for a file that cannot be read, and for a setting that nothing here could fill."""
    telling = [setting for setting in settings if setting.has_persona or setting.has_context]
    if not telling and places.persons is None and places.contexts is None:
        return Giving(tuple(settings))
    return _module(telling[0].name if telling else "records").opened(settings, places, own, models)


def shop_of_persons(persons: Path) -> str:
    return _module("persona").shop_of(persons)


def _module(setting: str) -> GivingModule:
    place = next((paper.giving for paper in papers() if paper.giving), None)
    if place is None:
        raise Misuse(f"the setting {setting}: tells of persons, and no paper is here that knows any")
    module: GivingModule = import_module(place)
    return module


def persons_file(config: RunConfig) -> Path | None:
    """The file that is given now, else the study's own copy of what it was given before."""
    own = config.study / PERSONS
    return config.persons if config.persons is not None else own if own.is_file() else None
