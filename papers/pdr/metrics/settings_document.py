"""The gain of an agent from knowing the person. Its settings side by side, its memories, and their cost (PDR-Bench's Tables 2, 3, 8, 9)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from drr.eval.evidence.answers import Answer
from drr.eval.metrics.costs import cost_document, ended_answers
from drr.eval.metrics.coverage import by_agent, same_reports, same_reports_text, variants_of
from drr.eval.metrics.document import JudgedStudy
from drr.eval.tasks.judged import Judged
from drr.papers.pdr.metrics.memory_tables import Figures, MemoryTables
from drr.papers.pdr.metrics.setting_pairs import (
    FURTHER,
    GRADES,
    Known,
    difference_rows,
    pairs_of,
    tokens_given,
)
from drr.papers.pdr.metrics.setting_rows import AgentSettings, SettingDifference, SettingsDocument
from drr.study.study import Study


def document_part(about: JudgedStudy) -> SettingsDocument | None:
    """What stands under `settings` in a study's document."""
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
