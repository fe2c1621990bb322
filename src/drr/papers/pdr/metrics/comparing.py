"""Compares settings, and memories at one budget, to show the gain from knowing the person. See PDR-Bench's Tables 2, 3, 8 and 9."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any, TypedDict, cast

from drr.env.person_setting import parts_of, size_name
from drr.eval.evidence.answers import Answer
from drr.eval.metrics import document_rows
from drr.eval.metrics import figures as figures_of
from drr.eval.metrics.base import Family
from drr.eval.metrics.compare import ValueTable
from drr.eval.metrics.costs import cost_document, ended_answers
from drr.eval.metrics.coverage import (
    by_agent,
    count_equal_reports,
    same_reports,
    same_reports_text,
    texts_of,
    variants_of,
)
from drr.eval.metrics.document import JudgedStudy
from drr.eval.metrics.rows import CostDocument, StudyDocument
from drr.eval.stats.differences import DifferenceRow, with_holm
from drr.eval.stats.intervals import COUNTED, Statistic, VRow, mean
from drr.eval.stats.question import grouped
from drr.eval.tasks.judgements import Judged
from drr.study.unit import Record

GRADES = ("pqr_p", "pqr_goal", "pqr_cont", "pqr_pres", "pqr_acti", "pqr_q", "pqr_r", "pqr_overall")
"""Metrics of P with its dimensions, as the paper prints them, then Q, R and the mean of the three."""
FURTHER = ("pqr_dein", "pqr_logc", "pqr_clar", "pqr_fa", "pqr_cc", "pqr_violations")
"""Metrics of the dimensions of Q, of the parts of R, and of violations."""
SHOWN = (*GRADES, "att_given", "att_given_precision", "att_used")
"""Metrics of memories: the grades, and attributes in a memory's text and in the report."""
_OWNERS = ("pqr", "reliability", "attributes")
"""Modules that compute these metrics."""
Figures = Mapping[str, Mapping[str, VRow]]
"""Figures by system and metric."""


class SettingDifference(TypedDict):
    """The difference between two systems of one agent, on the questions that both answered: `a` minus `b`."""

    a: str
    b: str
    same_reports: int
    """Number of reports that are equal byte for byte."""
    reports: int
    """Number of reports that both systems have."""
    metrics: dict[str, DifferenceRow]
    """Differences by metric; `p_holm` is corrected over all differences between the study's settings."""


class AgentSettings(TypedDict):
    """An agent under each of its settings."""

    systems: list[str]
    """Systems, the one that is given least first."""
    tokens_given: dict[str, VRow]
    """Tokens of the text about the person, by system; missing if there was none."""
    questions: dict[str, int]
    same_questions: bool
    """False if the systems answered different questions: only differences are comparable then."""
    differences: list[SettingDifference]


class ComparedMemory(TypedDict):
    """A memory, or a setting without one for comparison, as a row of a table."""

    system: str
    memory: str | None
    budget: int | None
    """Limit on the tokens that the memory could recall."""
    metrics: dict[str, VRow]
    """Figures over the questions that all rows answered; empty if the table is refused."""
    tokens_given: VRow | None
    asked: int
    failures: dict[str, int]
    """Number of failed answers by kind. A failed recall fails its answer."""


class MemoryTable(TypedDict):
    """The memories of one agent at one budget (PDR-Bench's Table 3)."""

    agent: str
    budget: int | None
    """Budget in tokens; `None` if the table is refused because budgets differ."""
    rows: list[ComparedMemory]
    questions: int
    """Number of questions that all rows answered; all means are over these."""
    differences: list[SettingDifference]
    refused: str | None
    """Reason why the rows cannot be compared."""
    left_out: list[str]
    """Sentences that name settings left out of the table, and why."""


class SettingsDocument(TypedDict):
    agents: dict[str, AgentSettings]
    memories: list[MemoryTable]
    cost: CostDocument
    told: list[str]
    """Sentences that must be shown with these figures, besides the banner."""


def settings_part(document: StudyDocument) -> SettingsDocument | None:
    """Return the part `settings` of a study's document; `None` if there is none."""
    return cast(Mapping[str, SettingsDocument], document).get("settings")


def settings_document(about: JudgedStudy) -> SettingsDocument | None:
    """Build the part of the document; `None` if no system's name has a setting."""
    judged, by_system = about.judged, variants_of(about.judged)
    agents = by_agent(by_system)
    if not agents:
        return None
    ran = ended_answers(about.study)
    pairs = [pair for systems in agents.values() for pair in pairs_of(systems)]
    rows = difference_rows(judged, pairs, (*GRADES, *FURTHER))
    tables, equal = MemoryTables(judged, ran, about.figures), same_reports(judged.answers)
    return {
        "agents": {agent: _of_agent(systems, by_system, rows) for agent, systems in agents.items()},
        "memories": [table for systems in by_agent(ran).values() for table in tables.of_agent(systems)],
        "cost": cost_document(about.study, judged, ran),
        "told": same_reports_text(one for one in equal if not one.rule_written),
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


def pairs_of(systems: Sequence[str]) -> list[tuple[str, str]]:
    """Pair each system with the one given least, and, except memories, with the one before it. Three settings give all pairs."""
    found, before = [], systems[0]
    for system in systems[1:]:
        chained = parts_of(system).setting.kind != "memory"
        found += [(system, other) for other in dict.fromkeys((systems[0], *([before] if chained else ())))]
        before = system if chained else before
    return found


def difference_rows(
    judged: Judged, pairs: Sequence[tuple[str, str]], shown: Sequence[str]
) -> list[SettingDifference]:
    """Return the differences of the named metrics, first minus second. P-values are corrected over all of them together."""
    table, texts = ValueTable(judged, owners_of(shown)), texts_of(judged.answers)
    found = {(pair, name): one for pair in pairs for name, one in table.contrasts(*pair).items()}
    corrected = with_holm({where: one for where, one in found.items() if where[1] in shown})
    rows = list[SettingDifference]()
    for a, b in pairs:
        same, shared = count_equal_reports(texts[a], texts[b])
        own = [(name, corrected.get(((a, b), name))) for name in shown]
        metrics = {name: one.document() for name, one in own if one is not None}
        rows.append({"a": a, "b": b, "same_reports": same, "reports": shared, "metrics": metrics})
    return rows


def owners_of(shown: Sequence[str]) -> list[Family]:
    """Return the modules that compute the named metrics."""
    owners: list[Any] = [import_module(f"{__package__}.{name}") for name in _OWNERS]
    return [one for one in owners if any(metric.name in shown for metric in one.METRICS)]


def tokens_given(answers: Sequence[Answer]) -> Statistic | None:
    """Return the mean tokens given about the person; `None` if there were none, or the numbers are unknown."""
    given = ((answer.asked, answer.record.result.get("person_tokens")) for answer in answers)
    found = grouped((asked, None if tokens is None else float(tokens)) for asked, tokens in given)
    known = mean(found, "tokens given of the person, mean over queries", COUNTED)
    return known if known.n else None


def _memory(system: str) -> str:
    return parts_of(system).setting.memory or ""


def _size(system: str) -> str:
    return size_name(parts_of(system).setting.tokens or 0)


@dataclass(frozen=True)
class MemoryTables:
    judged: Judged
    ran: Mapping[str, Sequence[Record]]
    """Finished answers of each system, whether done or failed."""
    figures: Figures
    """Figures of each system over all its answers."""

    def of_agent(self, systems: Sequence[str]) -> list[MemoryTable]:
        """Return the tables of one agent, one for each budget of its memories."""
        kinds = {system: parts_of(system).setting for system in systems}
        memories = [system for system in systems if kinds[system].kind == "memory"]
        by_budget = grouped((kinds[system].tokens or 0, system) for system in memories)
        several = len({kinds[system].memory for system in memories}) > 1
        if several and all(len(own) == 1 for own in by_budget.values()):
            sizes = ", ".join(f"{_memory(one)} at most {_size(one)} tokens" for one in memories)
            why = f"the memories have no budget in common ({sizes}); run them at one"
            return [self._refused_table(memories, None, why)]
        beside, found = [one for one in systems if kinds[one].kind in ("task", "persona")], []
        for budget, own in sorted(by_budget.items()):
            why = self._problem(own) or ""
            if len(own) == 1 and len(memories) > 1:
                others = ", ".join(sorted({_size(one) for one in memories if one != own[0]}))
                why = f"{_memory(own[0])} alone was run with {_size(own[0])} tokens, the other rows with {others}; run them at one budget"
            found.append(self._refused_table(own, budget, why) if why else self._table(own, beside, budget))
        return found

    def _problem(self, memories: Sequence[str]) -> str | None:
        """Return the reason why these memories cannot be compared; `None` if they can."""
        asked = {system: self._asked_queries(system) for system in memories}
        every = set[str]().union(*asked.values())
        if any(queries != every for queries in asked.values()):
            counts = ", ".join(f"{_memory(system)} {len(queries)}" for system, queries in asked.items())
            return f"the rows were not asked the same questions (of {len(every)}: {counts}); ask each all of them"
        contexts = {system: self._contexts(system) for system in memories}
        if unknown := [system for system in memories if None in contexts[system].values()]:
            return f"it is not known which contexts {', '.join(map(_memory, unknown))} had, nor how much of them: imported reports do not say"
        first = memories[0]
        other = next((system for system in memories if contexts[system] != contexts[first]), None)
        if other is not None:
            return f"{_memory(first)} and {_memory(other)} were shown different contexts of the same persons"
        return None if self._shared_questions(memories) else "there is no question that every row answered"

    def _refused_table(self, memories: Sequence[str], budget: int | None, why: str) -> MemoryTable:
        rows = [self._row(system, {}, ()) for system in memories]
        agent, empty = parts_of(memories[0]).agent, list[SettingDifference]()
        return MemoryTable(
            agent=agent, budget=budget, rows=rows, questions=0, differences=empty, refused=why, left_out=[]
        )

    def _table(self, memories: Sequence[str], others: Sequence[str], budget: int) -> MemoryTable:
        asked = self._asked_queries(memories[0])
        beside = [system for system in others if self._asked_queries(system) == asked]
        shared = self._shared_questions([*memories, *beside])
        if not shared:
            beside, shared = [], self._shared_questions(memories)
        rows = [*memories, *beside]
        kept = [a for a in self.judged.answers if a.variant in rows and a.query_id in shared]
        part = replace(self.judged, answers=kept)
        place = {"task": 0, "memory": 1, "persona": 2}  # the order of the paper
        rows.sort(key=lambda system: place[parts_of(system).setting.kind])
        why = "it was not asked the same questions, or answered none that the others did"
        return {
            "agent": parts_of(memories[0]).agent,
            "budget": budget,
            "rows": [self._scored_memory(part, system) for system in rows],
            "questions": len(shared),
            "differences": self._differences(part, memories, beside),
            "refused": None,
            "left_out": [f"{system} is no row here: {why}" for system in others if system not in beside],
        }

    def _differences(
        self, part: Judged, memories: Sequence[str], beside: Sequence[str]
    ) -> list[SettingDifference]:
        """Return each memory minus the base, and the persona minus each. The base keeps all items, else it has no memory."""
        by_kind = {parts_of(system).setting.kind: system for system in reversed(beside)}
        everything = next((system for system in memories if _memory(system) == "none"), None)
        base = everything or by_kind.get("task") or memories[0]
        persona = [system for system in beside if parts_of(system).setting.kind == "persona"]
        pairs = [(system, base) for system in memories if system != base]
        pairs += [(one, memory) for one in persona for memory in memories]
        return difference_rows(part, pairs, SHOWN)

    def _scored_memory(self, part: Judged, system: str) -> ComparedMemory:
        answers = [answer for answer in part.answers if answer.variant == system]
        figures = self.figures.get(system, {})
        if len(answers) < sum(answer.variant == system for answer in self.judged.answers):
            figures = document_rows(figures_of(part, answers, owners_of(SHOWN)))
        return self._row(system, {name: figures[name] for name in SHOWN if name in figures}, answers)

    def _row(self, system: str, figures: Mapping[str, VRow], answers: Sequence[Answer]) -> ComparedMemory:
        setting, tokens = parts_of(system).setting, tokens_given(answers)
        return {
            "system": system, "memory": setting.memory, "budget": setting.tokens, "metrics": dict(figures),
            "tokens_given": None if tokens is None else tokens.document(), "asked": len(self._asked_queries(system)),
            "failures": self._failures(system),
        }  # fmt: skip

    def _asked_queries(self, system: str) -> set[str]:
        return {str(record.spec["query_id"]) for record in self.ran.get(system, ())}

    def _failures(self, system: str) -> dict[str, int]:
        """Count the failures by kind, with answers left out as lost or broken off."""
        counts, kept = Counter[str](), self.judged.by_key
        for one in (one for one in self.ran.get(system, ()) if one.key not in kept):
            lost = "broken_off" if one.result.get("broken_off") else "lost"
            counts[lost if one.done else one.reason or one.status] += 1
        return dict(sorted(counts.items()))

    def _contexts(self, system: str) -> dict[str, object]:
        """Map each question to the hash of the context that the memory observed."""
        ran = self.ran[system]
        return {str(one.spec["query_id"]): one.key_fields.get("memory", {}).get("context") for one in ran}

    def _shared_questions(self, systems: Sequence[str]) -> set[str]:
        answered = grouped((answer.variant, answer.query_id) for answer in self.judged.answers)
        return set.intersection(*(set(answered.get(system, ())) for system in systems))
