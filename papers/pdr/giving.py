"""What the settings of a study give its agents of the persons: checked before anything is paid, in the key, and in the unit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from drr.env.errors import Misuse
from drr.env.given import RECORDS, Given, Setting
from drr.papers.pdr.recalled import RecalledRow, read_recalled, recall_id
from drr.papers.pdr.remembering import MemoryMaking
from drr.papers.pdr.showing import persona_text

if TYPE_CHECKING:
    from drr.agents.architecture import Variant
    from drr.app.running import RunConfig
    from drr.env.json_object import JsonObject
    from drr.env.query import Query
    from drr.env.settings import Settings
    from drr.env.world import Realm
    from drr.llm.factory import Models
    from drr.papers.pdr.context import Contexts
    from drr.papers.pdr.person import Person

PERSONS = "persons.jsonl"
"""In the study's folder: who its persons are, so that it continues without the file it was given."""


class PersonPlaces(NamedTuple):
    """Where what is known of persons lies; plain data for a worker."""

    persons: Path | None = None
    contexts: Path | None = None
    recalled: Path | None = None


NOWHERE = PersonPlaces()


def making_of(contexts: Contexts, settings: Settings, models: Models) -> MemoryMaking:
    from drr.app.prompts import prompts_of

    return MemoryMaking(settings, models, prompts_of(settings, "papers/pdr"), contexts)


@dataclass(frozen=True)
class Giving:
    """The settings of a study, with the persons they tell of."""

    settings: Sequence[Setting] = (RECORDS,)
    persons: Mapping[str, Person] = field(default_factory=dict)
    making: MemoryMaking | None = None
    """With the contexts, where a setting tells of them."""
    recalled: Path | None = None
    """What memories recalled, once they have."""

    @classmethod
    def opened(
        cls, settings: Sequence[Setting], places: PersonPlaces, own: Settings, models: Models
    ) -> Giving:
        """`Misuse` for a file that cannot be read, and for a setting that nothing here could fill."""
        from drr.papers.pdr.context import read_contexts
        from drr.papers.pdr.person import read_persons

        for setting in settings:
            if setting.has_context and places.contexts is None:
                raise Misuse(
                    f"the setting {setting.name} needs what was gathered of persons; give it with --contexts DIR"
                )
            if setting.has_persona and places.persons is None:
                raise Misuse(
                    f"the setting {setting.name} tells who asks; give the persons with --persons FILE"
                )
        persons = {} if places.persons is None else read_persons(places.persons)
        contexts = None if places.contexts is None else read_contexts(places.contexts)
        making = None if contexts is None else making_of(contexts, own, models)
        giving = cls(tuple(settings), persons, making, places.recalled)
        giving._check_contexts()
        return giving

    @property
    def contexts(self) -> Contexts:
        assert self.making is not None  # `opened`
        return self.making.contexts

    def _check_contexts(self) -> None:
        """`Misuse` for a size that these contexts have not, and for a memory that there is not."""
        from drr.papers.pdr.memory.base import ROLE
        from drr.papers.pdr.memory.registry import check_playable, memory_kind

        for setting in self.settings:
            if setting.kind == "context" and self._size(setting) is None:
                raise Misuse(
                    f"the setting {setting.name}: {self.contexts.folder} has contexts of {', '.join(self.contexts.sizes)}"
                )
            if setting.kind == "memory" and self.making is not None:
                check_playable([memory_kind(setting.memory_word)], self.making.models.name_of(ROLE))

    def _size(self, setting: Setting) -> str | None:
        sizes = self.contexts.manifest.sizes.items()
        return next((name for name, tokens in sizes if tokens == setting.tokens), None)

    @property
    def programs(self) -> list[str]:
        """Memories in files, which run with this user's rights."""
        return [setting.memory_word for setting in self.settings if setting.place is not None]

    @property
    def asks_memory(self) -> bool:
        """Whether some memory asks its model."""
        from drr.papers.pdr.memory.registry import memory_kind

        return any(
            setting.kind == "memory" and memory_kind(setting.memory_word).asks_model
            for setting in self.settings
        )

    def check(self, queries: Iterable[Query], file: str) -> None:
        """`Misuse` for a question whose person is in none of the files that a setting needs."""
        telling = next((one for one in self.settings if one.has_context), None) or next(
            (one for one in self.settings if one.has_persona), None
        )
        for number, query in enumerate(queries if telling or self.persons else (), 1):
            where = f"{file}, query {number} ({query.id})"
            if telling is not None and query.person_id is None:
                raise Misuse(
                    f"{where}: names no person_id, which the setting {telling.name} needs; `drr papers pairs` writes such queries"
                )
            gathers = self.making is not None and telling is not None and telling.has_context
            if gathers and query.person_id not in self.contexts.persons:
                raise Misuse(
                    f"{where}: {self.contexts.folder} has no context of the person {query.person_id}"
                )
            person = self.persons.get(query.person_id or "")
            if self.persons and query.person_id is not None and person is None:
                raise Misuse(f"{where}: the person {query.person_id} is not in the file of --persons")
            if person is not None and person.user_id not in (None, query.user_id):
                raise Misuse(
                    f"{where}: the person {query.person_id} is the user {person.user_id}, and {query.user_id} asks"
                )

    def check_place(self, realm: Realm, variants: Iterable[Variant]) -> None:
        """`Misuse` for a world, or an agent, that hands on what a setting withholds."""
        from drr.agents.architecture import PROFILE
        from drr.env.world import WithoutRecords

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
        """What decides an answer beside the setting's name: the content of what the agent was given."""
        if setting.has_persona:
            return {"person": self._person(person_id).content_hash}
        if setting.kind == "context":
            return {"context": self.contexts.hash(person_id or "", self._size(setting) or "")}
        if setting.kind == "memory" and self.making is not None:
            word = self._named(setting).memory_word
            return {"memory": self.making.key_fields(word, person_id or "")}
        return {}

    def given(self, setting: Setting, person_id: str | None, query: str) -> Given:
        """`UnitFailure` where the memory failed: that is this system's failure, and is counted."""
        from drr.papers.pdr.context import tokens_of

        if setting.kind == "memory":
            return self._recalled(setting, person_id or "", query)
        text = ""
        if setting.has_persona:
            text = persona_text(self._person(person_id))
        elif setting.kind == "context":
            text = self.contexts.text(person_id or "", self._size(setting) or "")
        return Given(setting, text, tokens_of(text) if text else None)

    def tokens_told(self, setting: Setting, person_id: str | None) -> int:
        """Of what is told with a question; of a memory the most that it may recall of what there is."""
        from drr.papers.pdr.context import tokens_of

        if setting.has_persona:
            return tokens_of(persona_text(self._person(person_id)))
        if not setting.has_context:
            return 0
        own = self.contexts.manifest.persons[person_id or ""].tokens
        if setting.kind == "context":
            return own[self._size(setting) or ""]
        return min(setting.tokens or 0, max(own.values()))

    def _recalled(self, setting: Setting, person_id: str, query: str) -> Given:
        from drr.study.unit import UnitFailure

        row = self._kept.get(recall_id(setting.name, person_id, query))
        if row is None:
            raise UnitFailure(
                "memory_failed", f"nothing was recalled of {person_id} by {setting.name}", transient=True
            )
        if row["failure"] is not None:
            raise UnitFailure(row["failure"], row["message"] or setting.name)
        cost: JsonObject = {"recall": row["cost"], "build": row["build"], "rule_written": row["rule_written"]}
        return Given(setting, row["text"], row["fed"], cost)

    @cached_property
    def _kept(self) -> Mapping[str, RecalledRow]:
        return {} if self.recalled is None else read_recalled(self.recalled)

    def _named(self, setting: Setting) -> Setting:
        """As it was named, with the file of a memory that nobody installed."""
        return next((one for one in self.settings if one == setting), setting)

    def _person(self, person_id: str | None) -> Person:
        person = self.persons.get(person_id or "")
        if person is None:
            raise Misuse(f"the person {person_id} is not in the file of --persons")
        return person


def keep_persons(folder: Path, persons: Mapping[str, Person]) -> None:
    from drr.env.files import private, write_file

    if persons:
        lines = "".join(person.model_dump_json(exclude_none=True) + "\n" for person in persons.values())
        write_file(folder / PERSONS, lines, private(0o666))


def persons_file(config: RunConfig) -> Path | None:
    """The file that is given now, else the study's own copy of what it was given before."""
    own = config.study / PERSONS
    given = config.persons
    return given if given is not None else own if own.is_file() else None
