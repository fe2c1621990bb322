"""The gain from knowing the person: settings compared, and memories at one budget (PDR-Bench's Tables 2, 3, 8 and 9)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from drr.env.given import parts_of, size_name
from drr.eval.evidence.answers import Answer
from drr.eval.metrics import documented
from drr.eval.metrics.costs import cost_document, ended_answers
from drr.eval.metrics.coverage import by_agent, same_reports, same_reports_text, variants_of
from drr.eval.metrics.document import JudgedStudy
from drr.eval.stats.intervals import VRow
from drr.eval.tasks.judged import Judged
from drr.papers.pdr.metrics.settings import (
    FURTHER,
    GRADES,
    REMEMBERED,
    AgentSettings,
    ComparedMemory,
    Known,
    MemoryTable,
    SettingDifference,
    SettingsDocument,
    difference_rows,
    owners_of,
    pairs_of,
    tokens_given,
)
from drr.study.study import Study
from drr.study.unit import Record

Ran = Mapping[str, Sequence[Record]]
"""Every answer that ended, in whatever way, by system."""
SHOWN = (*GRADES, *REMEMBERED)
BESIDE = ("task", "persona")
"""Settings without a memory that every memory is held against: told nothing, and told everything."""


Figures = Mapping[str, Mapping[str, VRow]]
"""Keyed by system and metric."""


@dataclass(frozen=True)
class MemoryTables:
    judged: Judged
    ran: Ran
    figures: Figures
    """Figures of each system over all its answers."""
    known: Known

    def of_agent(self, systems: Sequence[str]) -> list[MemoryTable]:
        """Table the systems of one agent, one table for each budget at which it has memories."""
        by_budget: dict[int, list[str]] = {}
        for system in systems:
            setting = parts_of(system).setting
            if setting.kind == "memory":
                by_budget.setdefault(setting.tokens or 0, []).append(system)
        memories = [system for own in by_budget.values() for system in own]
        several = len({parts_of(system).setting.memory for system in memories}) > 1
        if several and all(len(own) == 1 for own in by_budget.values()):
            return [_Group(self, memories, (), None).refused(_unequal(memories))]
        found = []
        for budget, own in sorted(by_budget.items()):
            beside = [system for system in systems if parts_of(system).setting.kind in BESIDE]
            group = _Group(self, own, beside, budget)
            alone = len(own) == 1 and len(memories) > 1
            why = _alone(own[0], memories) if alone else group.problem()
            found.append(group.table() if why is None else group.refused(why))
        return found


def _unequal(memories: Sequence[str]) -> str:
    sizes = ", ".join(f"{_memory(system)} at most {_size(system)} tokens" for system in memories)
    return f"the memories have no budget in common ({sizes}); run them at one"


def _alone(system: str, memories: Sequence[str]) -> str:
    others = ", ".join(sorted({_size(one) for one in memories if one != system}))
    return f"{_memory(system)} alone was run with {_size(system)} tokens, the other rows with {others}; run them at one budget"


def _memory(system: str) -> str:
    return parts_of(system).setting.memory or ""


def _size(system: str) -> str:
    return size_name(parts_of(system).setting.tokens or 0)


@dataclass(frozen=True)
class _Group:
    """Memories of an agent that are to stand in one table, and the settings they are held against."""

    tables: MemoryTables
    memories: Sequence[str]
    others: Sequence[str]
    budget: int | None

    def problem(self) -> str | None:
        """Say why these memories cannot be compared."""
        asked = {system: self._asked(system) for system in self.memories}
        every = set[str]().union(*asked.values())
        if any(queries != every for queries in asked.values()):
            counts = ", ".join(f"{_memory(system)} {len(queries)}" for system, queries in asked.items())
            return f"the rows were not asked the same questions (of {len(every)}: {counts}); ask each all of them"
        contexts = {system: self._contexts(system) for system in self.memories}
        first = contexts[self.memories[0]]
        if unknown := [system for system in self.memories if None in contexts[system].values()]:
            return f"it is not known which contexts {', '.join(map(_memory, unknown))} had, nor how much of them: imported reports do not say"
        other = next((system for system in self.memories if contexts[system] != first), None)
        if other is not None:
            return f"{_memory(self.memories[0])} and {_memory(other)} were shown different contexts of the same persons"
        if not self._shared(self.memories):
            return "there is no question that every row answered"
        return None

    def refused(self, why: str) -> MemoryTable:
        return {
            "agent": parts_of(self.memories[0]).agent,
            "budget": self.budget,
            "rows": [self._row(system, {}, ()) for system in self.memories],
            "questions": 0,
            "differences": [],
            "refused": why,
            "left_out": [],
        }

    def table(self) -> MemoryTable:
        asked = self._asked(self.memories[0])
        beside = [system for system in self.others if self._asked(system) == asked]
        rows = [*self.memories, *beside]
        shared = self._shared(rows)
        if not shared:
            rows, beside, shared = list(self.memories), [], self._shared(self.memories)
        kept = [a for a in self.tables.judged.answers if a.variant in rows and a.query_id in shared]
        part = replace(self.tables.judged, answers=kept)
        return {
            "agent": parts_of(self.memories[0]).agent,
            "budget": self.budget,
            "rows": [self._scored(part, system) for system in _placed(rows)],
            "questions": len(shared),
            "differences": self._differences(part, beside),
            "refused": None,
            "left_out": [
                f"{system} is no row here: it was not asked the same questions, or answered none that the others did"
                for system in self.others
                if system not in beside
            ],
        }

    def _differences(self, part: Judged, beside: Sequence[str]) -> list[SettingDifference]:
        """Each memory minus what keeps everything (else minus no memory at all), and the persona minus each."""
        everything = next((system for system in self.memories if _memory(system) == "none"), None)
        nothing = next((system for system in beside if parts_of(system).setting.kind == "task"), None)
        base = everything or nothing or self.memories[0]
        persona = [system for system in beside if parts_of(system).setting.kind == "persona"]
        pairs = [(system, base) for system in self.memories if system != base]
        pairs += [(one, memory) for one in persona for memory in self.memories]
        return difference_rows(part, pairs, SHOWN, self.tables.known)

    def _scored(self, part: Judged, system: str) -> ComparedMemory:
        answers = [answer for answer in part.answers if answer.variant == system]
        figures = self.tables.figures.get(system, {})
        if len(answers) < sum(answer.variant == system for answer in self.tables.judged.answers):
            owners = owners_of(SHOWN)
            figures = documented({n: v for one in owners for n, v in one.corpus(part, answers).items()})
        return self._row(system, {name: figures[name] for name in SHOWN if name in figures}, answers)

    def _row(self, system: str, figures: Mapping[str, VRow], answers: Sequence[Answer]) -> ComparedMemory:
        setting, tokens = parts_of(system).setting, tokens_given(answers)
        return {
            "system": system,
            "memory": setting.memory,
            "budget": setting.tokens,
            "metrics": dict(figures),
            "tokens_given": None if tokens is None else tokens.document(),
            "asked": len(self._asked(system)),
            "failures": dict(sorted(Counter(self._failures(system)).items())),
        }

    def _asked(self, system: str) -> set[str]:
        return {str(record.spec["query_id"]) for record in self.tables.ran.get(system, ())}

    def _failures(self, system: str) -> list[str]:
        """Also what ended and is left out: research that was broken off, texts that were lost."""
        ended = [
            record
            for record in self.tables.ran.get(system, ())
            if record.key not in self.tables.judged.by_key
        ]
        return [
            record.reason or record.status
            if not record.done
            else ("broken_off" if record.result.get("broken_off") else "lost")
            for record in ended
        ]

    def _contexts(self, system: str) -> dict[str, object]:
        """Map each question to what the memory was shown."""
        return {
            str(record.spec["query_id"]): record.key_fields.get("memory", {}).get("context")
            for record in self.tables.ran[system]
        }

    def _shared(self, systems: Sequence[str]) -> set[str]:
        answered = [
            {answer.query_id for answer in self.tables.judged.answers if answer.variant == system}
            for system in systems
        ]
        return set.intersection(*answered)


def _placed(systems: Sequence[str]) -> list[str]:
    """Order the systems as the paper has them: given nothing first, given everything last."""
    place = {"task": 0, "memory": 1, "persona": 2}
    return sorted(systems, key=lambda system: place[parts_of(system).setting.kind])


def document_part(about: JudgedStudy) -> SettingsDocument | None:
    """Return the part of a study's document under `settings`."""
    return settings_document(about.study, about.judged, about.figures)


def settings_document(study: Study, judged: Judged, figures: Figures) -> SettingsDocument | None:
    """`None` where no system's name says a setting. `figures` are those of the systems, each over all it answered."""
    by_system = variants_of(judged)
    agents = by_agent(by_system)
    if not agents:
        return None
    ran = ended_answers(study)
    everyone = by_agent(ran)
    pairs = [pair for systems in agents.values() for pair in pairs_of(systems)]
    known: Known = {}
    rows = difference_rows(judged, pairs, (*GRADES, *FURTHER), known)
    memories = MemoryTables(judged, ran, figures, known)
    return {
        "agents": {agent: _of_agent(systems, by_system, rows) for agent, systems in agents.items()},
        "memories": [table for systems in everyone.values() for table in memories.of_agent(systems)],
        "cost": cost_document(study, judged, ran),
        "told": same_reports_text(one for one in same_reports(judged.answers) if not one.rule_written),
    }


def _of_agent(
    systems: Sequence[str], answers: Mapping[str, Sequence[Answer]], rows: Sequence[SettingDifference]
) -> AgentSettings:
    asked = {system: {answer.query_id for answer in answers[system]} for system in systems}
    tokens = {system: tokens_given(answers[system]) for system in systems}
    return {
        "systems": list(systems),
        "tokens_given": {system: v.document() for system, v in tokens.items() if v is not None},
        "questions": {system: len(queries) for system, queries in asked.items()},
        "same_questions": len({frozenset(queries) for queries in asked.values()}) == 1,
        "differences": [row for row in rows if row["a"] in systems],
    }
