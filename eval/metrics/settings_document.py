"""What knowing the person gains an agent: its settings side by side, and the paired differences between them (PDR-Bench's Tables 2 and 8)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any

from drr.eval.evidence.answers import Answer
from drr.eval.metrics.base import Family
from drr.eval.metrics.coverage import variants_of
from drr.eval.metrics.pairing import PairedMetrics
from drr.eval.metrics.same_reports import by_agent, equal_reports, same_reports, texts_of, told_of
from drr.eval.metrics.setting_rows import AgentSettings, SettingDifference, SettingsDocument
from drr.eval.stats.intervals import PairedDifference, V, mean, with_holm
from drr.eval.tasks.judged import Judged
from drr.persons.setting import parts_of

GRADES = ("pqr_p", "pqr_goal", "pqr_cont", "pqr_pres", "pqr_acti", "pqr_q", "pqr_r", "pqr_overall")
"""P with its dimensions, as the paper prints them, beside the other two and the mean of the three."""
FURTHER = ("pqr_dein", "pqr_logc", "pqr_clar", "pqr_fa", "pqr_cc", "pqr_violations")
"""The dimensions of Q, the parts of R, and what records forbid."""
_OWNERS = ("pqr", "papers")
"""Families that have these metrics."""
Differences = Mapping[tuple[str, str], Mapping[str, PairedDifference]]


def settings_document(judged: Judged) -> SettingsDocument | None:
    """`None` where no system's name says a setting."""
    by_system = variants_of(judged)
    agents = by_agent(by_system)
    if not agents:
        return None
    pairs = [pair for systems in agents.values() for pair in pairs_of(systems)]
    differences = differences_of(judged, pairs)
    texts = texts_of(judged.answers)

    def row(a: str, b: str) -> SettingDifference:
        same, shared = equal_reports(texts[a], texts[b])
        tested = {name: one.document() for name, one in differences[a, b].items()}
        return {"a": a, "b": b, "same_reports": same, "reports": shared, "metrics": tested}

    return {
        "agents": {
            agent: _of_agent({system: by_system[system] for system in systems}, row)
            for agent, systems in agents.items()
        },
        "told": told_of(one for one in same_reports(judged.answers) if not one.rule_written),
    }


def pairs_of(systems: Sequence[str]) -> list[tuple[str, str]]:
    """Each against the one that was told least, and, memories apart, against the one before it: of three settings every pair."""
    found, before = [], systems[0]
    for system in systems[1:]:
        chained = parts_of(system).setting.kind != "memory"
        found += [(system, other) for other in dict.fromkeys((systems[0], *([before] if chained else ())))]
        before = system if chained else before
    return found


def differences_of(judged: Judged, pairs: Sequence[tuple[str, str]]) -> Differences:
    """First minus second, of the metrics that these tables show; p-values corrected over all of them together."""
    owners: list[Any] = [import_module(f"drr.eval.metrics.{name}") for name in _OWNERS]
    among: list[Family] = owners
    paired, shown = PairedMetrics(judged, among), (*GRADES, *FURTHER)
    found: dict[str, PairedDifference] = {}
    for number, (a, b) in enumerate(pairs):
        merged = {name: one for own in paired.by_family(a, b) for name, one in own.items()}
        found |= {f"{number} {name}": merged[name] for name in shown if name in merged}
    rows: dict[tuple[str, str], dict[str, PairedDifference]] = {pair: {} for pair in pairs}
    for place, one in with_holm(found).items():
        number_told, _, name = place.partition(" ")
        rows[pairs[int(number_told)]][name] = one
    return rows


def _of_agent(
    systems: Mapping[str, Sequence[Answer]], row: Callable[[str, str], SettingDifference]
) -> AgentSettings:
    asked = {system: {answer.query_id for answer in answers} for system, answers in systems.items()}
    told = {system: tokens_told(answers) for system, answers in systems.items()}
    return {
        "systems": list(systems),
        "tokens_told": {system: v.document() for system, v in told.items() if v is not None},
        "questions": {system: len(queries) for system, queries in asked.items()},
        "same_questions": len({frozenset(queries) for queries in asked.values()}) == 1,
        "differences": [row(a, b) for a, b in pairs_of(list(systems))],
    }


def tokens_told(answers: Sequence[Answer]) -> V | None:
    """Of what stood of the person with the question; `None` where nothing did, or nobody said."""
    found: dict[str, list[float | None]] = {}
    for answer in answers:
        tokens = answer.record.result.get("person_tokens")
        found.setdefault(answer.query_id, []).append(None if tokens is None else float(tokens))
    known = mean(found, "tokens told of the person, mean over queries")
    return known if known.n else None
