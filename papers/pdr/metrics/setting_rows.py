"""The types of a study under several settings: a part of what `drr report --json` prints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypedDict, cast

from drr.eval.metrics.rows import CostDocument, StudyDocument
from drr.eval.stats.intervals import DifferenceRow, VRow


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
    """The least told first."""
    tokens_given: dict[str, VRow]
    """By system: tokens of the text that stood with the question; left out where none stood there."""
    questions: dict[str, int]
    """By system: how many it answered."""
    same_questions: bool
    """Whether the systems answered the same ones; where they did not, only differences compare."""
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
    """That every row answered: all means are over these."""
    differences: list[SettingDifference]
    refused: str | None
    """Why these rows are no table."""
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
