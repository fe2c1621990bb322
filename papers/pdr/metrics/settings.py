"""The figures of a study under several settings: their types, and which settings are subtracted from which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, TypedDict, cast

from drr.env.given import parts_of
from drr.eval.evidence.answers import Answer
from drr.eval.metrics.base import Family, Values
from drr.eval.metrics.compare import PairedMetrics
from drr.eval.metrics.coverage import equal_reports, texts_of
from drr.eval.metrics.rows import CostDocument, StudyDocument
from drr.eval.stats.asked import AskedQuestion
from drr.eval.stats.differences import DifferenceRow, PairedDifference, with_holm
from drr.eval.stats.intervals import COUNTED, V, VRow, mean
from drr.eval.tasks.judged import Judged


class SettingDifference(TypedDict):
    """One system minus another of the same agent, on the questions both answered."""

    a: str
    b: str
    same_reports: int
    """Reports that are equal byte for byte,"""
    reports: int
    """of so many that both have."""
    metrics: dict[str, DifferenceRow]
    """`p_holm` is corrected over every difference of the study's settings."""


class AgentSettings(TypedDict):
    """An agent under each of its settings."""

    systems: list[str]
    """Systems, the least informed first."""
    tokens_given: dict[str, VRow]
    """Tokens of the text beside the question, by system; absent where there was none."""
    questions: dict[str, int]
    """Number of answered questions, by system."""
    same_questions: bool
    """False where the systems answered different questions: then only differences compare."""
    differences: list[SettingDifference]


class ComparedMemory(TypedDict):
    """A memory, or a setting without one to hold it against."""

    system: str
    memory: str | None
    budget: int | None
    """Tokens that it could hand on at most."""
    metrics: dict[str, VRow]
    """Over the questions that every row answered; empty where the table is refused."""
    tokens_given: VRow | None
    asked: int
    failures: dict[str, int]
    """Answers that failed, by kind: a recall that fails fails the answer."""


class MemoryTable(TypedDict):
    """Memories of one agent at one budget (PDR-Bench's Table 3)."""

    agent: str
    budget: int | None
    """`None` where it is refused because budgets differ."""
    rows: list[ComparedMemory]
    questions: int
    """Number of questions that every row answered; all means are over these."""
    differences: list[SettingDifference]
    refused: str | None
    """Reason why these rows are no table."""
    left_out: list[str]
    """Settings that are no row for comparison, and why."""


class SettingsDocument(TypedDict):
    agents: dict[str, AgentSettings]
    memories: list[MemoryTable]
    cost: CostDocument
    told: list[str]
    """Sentences that must stand where these figures do, beside the banner."""


def settings_part(document: StudyDocument) -> SettingsDocument | None:
    """The part of a study's document."""
    return cast(Mapping[str, SettingsDocument], document).get("settings")


def settings_of(document: StudyDocument) -> SettingsDocument:
    """The part of a study's document that has one."""
    return cast(Mapping[str, SettingsDocument], document)["settings"]


GRADES = ("pqr_p", "pqr_goal", "pqr_cont", "pqr_pres", "pqr_acti", "pqr_q", "pqr_r", "pqr_overall")
"""P with its dimensions, as the paper prints them, beside the other two and the mean of the three."""
FURTHER = ("pqr_dein", "pqr_logc", "pqr_clar", "pqr_fa", "pqr_cc", "pqr_violations")
"""The dimensions of Q, the parts of R, and what records forbid."""
REMEMBERED = ("att_given", "att_given_precision", "att_used")
"""Figures of the person's attributes in a memory's text, and in the report."""
_OWNERS = ("pqr", "reliability", "attributes")
"""Families that have these metrics."""
Differences = Mapping[tuple[str, str], Mapping[str, PairedDifference]]


def pairs_of(systems: Sequence[str]) -> list[tuple[str, str]]:
    """Pair each with the one that was given least, and, memories apart, with the one before it. Of three settings every pair."""
    found, before = [], systems[0]
    for system in systems[1:]:
        chained = parts_of(system).setting.kind != "memory"
        found += [(system, other) for other in dict.fromkeys((systems[0], *([before] if chained else ())))]
        before = system if chained else before
    return found


Known = dict[tuple[Family, str], Values]
"""Values of reports that were worked out, by family and answer. None of these families looks at other reports."""


def difference_rows(
    judged: Judged,
    pairs: Sequence[tuple[str, str]],
    shown: Sequence[str],
    known: Known,
) -> list[SettingDifference]:
    """First minus second, of the metrics named; p-values corrected over all of them together."""
    texts = texts_of(judged.answers)
    rows: list[SettingDifference] = []
    for (a, b), tested in _differences(judged, pairs, shown, known).items():
        same, shared = equal_reports(texts[a], texts[b])
        documents = {name: one.document() for name, one in tested.items()}
        rows.append({"a": a, "b": b, "same_reports": same, "reports": shared, "metrics": documents})
    return rows


def owners_of(shown: Sequence[str]) -> list[Family]:
    """The families that have these metrics."""
    owners: list[Any] = [import_module(f"{__package__}.{name}") for name in _OWNERS]
    return [one for one in owners if any(metric.name in shown for metric in one.METRICS)]


def _differences(
    judged: Judged, pairs: Sequence[tuple[str, str]], shown: Sequence[str], known: Known
) -> Differences:
    paired = PairedMetrics(judged, owners_of(shown), known)
    found: dict[str, PairedDifference] = {}
    for number, (a, b) in enumerate(pairs):
        merged = {name: one for own in paired.by_family(a, b) for name, one in own.items()}
        found |= {f"{number} {name}": merged[name] for name in shown if name in merged}
    rows: dict[tuple[str, str], dict[str, PairedDifference]] = {pair: {} for pair in pairs}
    for place, one in with_holm(found).items():
        count, _, name = place.partition(" ")
        rows[pairs[int(count)]][name] = one
    return rows


def tokens_given(answers: Sequence[Answer]) -> V | None:
    """Count the tokens on the person beside the question; `None` where there were none, or nobody knows."""
    found: dict[AskedQuestion, list[float | None]] = {}
    for answer in answers:
        tokens = answer.record.result.get("person_tokens")
        found.setdefault(answer.asked, []).append(None if tokens is None else float(tokens))
    known = mean(found, "tokens given of the person, mean over queries", COUNTED)
    return known if known.n else None
