"""The settings of a study, which decide the text about the person that agents are given. The text is checked before any call is
paid for, enters the unit's key, and is given in the unit."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, cast

from drr.env.errors import Misuse
from drr.env.person_setting import Given, Setting
from drr.eval.stats.question import grouped
from drr.papers.pdr.memory_units import (
    Memories,
    MemoryMaking,
    RecalledRow,
    RecallRequest,
    read_recalled,
    recall_id,
)
from drr.papers.pdr.person import persona_text, read_persons
from drr.plugin import NOBODY, PERSONS, RECALLED, MemoryForecastRow, PersonFacts

if TYPE_CHECKING:
    from drr.env.json_object import JsonObject
    from drr.env.person_setting import Setting
    from drr.env.query import Query
    from drr.env.settings import Settings
    from drr.llm.factory import Models
    from drr.papers.pdr.context import Contexts
    from drr.papers.pdr.person import Person
    from drr.plugin import StudyPlan
    from drr.study.study import Study
    from drr.study.unit import Unit


@dataclass(frozen=True)
class GivenPersonFacts(PersonFacts):
    """The settings of a study, with the persons, contexts and memories that they use."""

    persons: Mapping[str, Person] = field(default_factory=dict)
    making: MemoryMaking | None = None
    """Inputs of memories with the contexts; present if contexts were given."""
    recalled: Path | None = None

    @property
    def contexts(self) -> Contexts:
        assert self.making is not None  # `opened`
        return self.making.contexts

    def check_contexts(self) -> None:
        """Raise `Misuse` for a setting whose context size or memory does not exist."""
        from drr.papers.pdr.memory.base import ROLE
        from drr.papers.pdr.memory.registry import check_playable, memory_kind

        for setting in self.settings:
            if setting.kind == "context" and self._size(setting) is None:
                has = f"{self.contexts.folder} has contexts of {', '.join(self.contexts.sizes)}"
                raise Misuse(f"the setting {setting.name}: {has}")
            if setting.kind == "memory" and self.making is not None:
                check_playable([memory_kind(setting.memory_word)], self.making.models.name_of(ROLE))

    def _size(self, setting: Setting) -> str | None:
        sizes = self.contexts.manifest.sizes.items()
        return next((name for name, tokens in sizes if tokens == setting.tokens), None)

    @property
    def programs(self) -> list[str]:
        """Return the memories in files, which run with this user's rights."""
        return [setting.memory_word for setting in self.settings if setting.place is not None]

    @property
    def roles(self) -> list[str]:
        """Return the role `memory` if a memory asks its model; else none."""
        from drr.papers.pdr.memory.base import ROLE
        from drr.papers.pdr.memory.registry import memory_kind

        words = [one.memory_word for one in self.settings if one.kind == "memory"]
        return [ROLE] if any(memory_kind(word).asks_model for word in words) else []

    def check(self, queries: Iterable[Query], file: str) -> None:
        """Raise `Misuse` for a question whose person is missing in a file that a setting needs."""
        gathering = next((one for one in self.settings if one.has_context), None)
        telling = gathering or next((one for one in self.settings if one.has_persona), None)
        for number, query in enumerate(queries if telling or self.persons else (), 1):
            person_id, why = query.person_id, None
            person = self.persons.get(person_id or "")
            if telling is not None and person_id is None:
                why = f"names no person_id, which the setting {telling.name} needs; `drr papers tasks pairs` writes such queries"
            elif gathering and self.making is not None and person_id not in self.contexts.persons:
                why = f"{self.contexts.folder} has no context of the person {person_id}"
            elif self.persons and person_id is not None and person is None:
                why = f"the person {person_id} is not in the file of --persons"
            elif person is not None and person.user_id not in (None, query.user_id):
                why = f"the person {person_id} is the user {person.user_id}, and {query.user_id} asks"
            if why is not None:
                raise Misuse(f"{file}, query {number} ({query.id}): {why}")

    def key_fields(self, setting: Setting, person_id: str | None) -> JsonObject:
        """Return the fields that decide an answer besides the setting's name: the content that the agent is given."""
        if setting.has_persona:
            return {"person": self._person(person_id).content_hash}
        if setting.kind == "context":
            return {"context": self.contexts.hash(person_id or "", self._size(setting) or "")}
        if setting.kind == "memory" and self.making is not None:
            word = next((one for one in self.settings if one == setting), setting).memory_word
            return {"memory": self.making.key_fields(word, person_id or "")}
        return {}

    def given(self, setting: Setting, person_id: str | None, query: str) -> Given:
        """Return what the agent is given. Raise `UnitFailure` if the memory failed: that counts as this system's failure."""
        from drr.papers.pdr.context import tokens_of

        if setting.kind == "memory":
            return self._given_by_recall(setting, person_id or "", query)
        text = persona_text(self._person(person_id)) if setting.has_persona else ""
        if setting.kind == "context":
            text = self.contexts.text(person_id or "", self._size(setting) or "")
        return Given(setting, text, tokens_of(text) if text else None)

    def given_tokens(self, setting: Setting, person_id: str | None) -> int:
        """Return the tokens given with a question; of a memory the most that it may recall."""
        from drr.papers.pdr.context import tokens_of

        if setting.has_persona:
            return tokens_of(persona_text(self._person(person_id)))
        if not setting.has_context:
            return 0
        own = self.contexts.manifest.persons[person_id or ""].tokens
        if setting.kind == "context":
            return own[self._size(setting) or ""]
        return min(setting.tokens or 0, max(own.values()))

    def _given_by_recall(self, setting: Setting, person_id: str, query: str) -> Given:
        from drr.study.unit import UnitFailure

        row = self._kept.get(recall_id(setting.name, person_id, query))
        if row is None:
            why = f"nothing was recalled of {person_id} by {setting.name}"
            raise UnitFailure("memory_failed", why, transient=True)
        if row["failure"] is not None:
            raise UnitFailure(row["failure"], row["message"] or setting.name)
        cost: JsonObject = {"recall": row["cost"], "build": row["build"], "rule_written": row["rule_written"]}
        return Given(setting, row["text"], row["fed"], cost)

    @cached_property
    def _kept(self) -> Mapping[str, RecalledRow]:
        return {} if self.recalled is None else read_recalled(self.recalled)

    def _person(self, person_id: str | None) -> Person:
        person = self.persons.get(person_id or "")
        if person is None:
            raise Misuse(f"the person {person_id} is not in the file of --persons")
        return person

    def keep(self, folder: Path) -> None:
        from drr.env.files import owner_only_mode, write_file

        if self.persons:
            lines = (person.model_dump_json(exclude_none=True) + "\n" for person in self.persons.values())
            write_file(folder / PERSONS, "".join(lines), owner_only_mode(0o666))

    def kept_in(self, folder: Path) -> Path | None:
        return folder.absolute() / PERSONS if self.persons else None

    def prepare(self, plan: StudyPlan, settings: Settings, study: Study, queries: Iterable[Query]) -> None:
        """Let memories observe and recall before any question is answered. A memory's failure fails only the answers that use it."""
        from drr.env.files import owner_only_mode, write_file
        from drr.plugin import check_run, models_of, notice, run_units

        units = self.memory_units(queries)
        if not units or self.making is None:
            return
        models, memories = models_of(settings), Memories(self.making, study)
        if roles := self.roles:
            check_run(plan, models, roles, study)
        every = list({unit.key: unit for unit in units.values()}.values())
        summary = run_units(plan, study, every, memories.work, models, "remembering")
        for kind, cause in summary.causes.items():
            notice(f"remembering: {kind}: {cause}")
        rows = {  # stored for the workers, which have no ledger
            recall_id(setting.name, person_id, wanted.task): row
            for (setting, person_id), unit in units.items()
            for wanted, row in memories.recalled(unit).items()
            if wanted.budget == setting.tokens
        }
        write_file(plan.folder / RECALLED, json.dumps(rows, ensure_ascii=False), owner_only_mode(0o666))

    def memory_units(self, queries: Iterable[Query]) -> dict[tuple[Setting, str], Unit]:
        """Return a unit for each memory and person, whatever the number of budgets and tasks; empty without memories."""
        asked = grouped((query.person_id or "", query.query) for query in queries)
        memories = grouped((one.memory_word, one) for one in self.settings if one.kind == "memory")
        found: dict[tuple[Setting, str], Unit] = {}
        if self.making is not None:
            for (word, named), (person_id, wishes) in product(memories.items(), asked.items()):
                wanted = [RecallRequest(wish, one.tokens or 0) for wish in wishes for one in named]
                found |= dict.fromkeys(
                    ((one, person_id) for one in named), self.making.unit(word, person_id, wanted)
                )
        return found

    def forecast(self, queries: Iterable[Query], folder: Path | None) -> list[MemoryForecastRow]:
        """Return a row of expected calls for each memory. No memory is run for it: calls of those that ask a model are unknown."""
        from drr.papers.pdr.memory.registry import memory_kind
        from drr.study.study import Study

        named = ((setting.memory_word, unit) for (setting, _), unit in self.memory_units(queries).items())
        units, rows, done = grouped(named), list[MemoryForecastRow](), set[str]()
        if folder is not None and units:
            with Study.read(folder) as study:
                done = {record.key for record in study.records("generation", current=False)}
        for word, own in units.items():
            kind, every = memory_kind(word), {unit.key: unit for unit in own}
            left = [unit for key, unit in every.items() if key not in done]
            known = 0 if not kind.asks_model or not left else None
            asked = dict.fromkeys(("calls", "input_tokens", "output_tokens"), known)
            row = {
                "memory": kind.name, "persons": len(every), "left": len(left), "from": NOBODY if known == 0 else None,
                "recalls": sum(len(unit.spec["wanted"]) for unit in left), **asked,
                "cost_usd": 0.0 if known == 0 and (not kind.embeds or not left) else None,
            }  # fmt: skip
            rows.append(cast(MemoryForecastRow, row))
        return rows


def opened(settings: Sequence[Setting], plan: StudyPlan, own: Settings, models: Models) -> GivenPersonFacts:
    """Open the files that the settings need. Raise `Misuse` for an unreadable file, or a setting whose file is missing."""
    from drr.papers.pdr.context import read_contexts
    from drr.plugin import prompts_of

    for one in settings:
        if one.has_context and plan.contexts is None:
            needs = "needs what was gathered of persons; give it with --contexts DIR"
            raise Misuse(f"the setting {one.name} {needs}")
        if one.has_persona and plan.persons_file is None:
            raise Misuse(f"the setting {one.name} tells who asks; give the persons with --persons FILE")
    persons, making = {} if plan.persons_file is None else read_persons(plan.persons_file), None
    if plan.contexts is not None:
        making = MemoryMaking(own, models, prompts_of(own, "papers/pdr"), read_contexts(plan.contexts))
    recalled = None if plan.study is None else plan.study / RECALLED
    facts = GivenPersonFacts(tuple(settings), persons, making, recalled)
    facts.check_contexts()
    return facts


def shop_of(persons: Path) -> str:
    """Return the shop from which the persons were made."""
    from drr.papers.pdr.shop_of_persons import shop_of as found

    return found(read_persons(persons).values(), persons, None)
