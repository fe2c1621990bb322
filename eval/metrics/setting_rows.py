"""What a study under several settings tells of them, as types: a part of what `drr report --json` prints."""

from __future__ import annotations

from typing import TypedDict

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
    tokens_told: dict[str, VRow]
    """By system: tokens of the text that stood with the question; left out where none stood there."""
    questions: dict[str, int]
    """By system: how many it answered."""
    same_questions: bool
    """Whether the systems answered the same ones; where they did not, only differences compare."""
    differences: list[SettingDifference]


class SettingsDocument(TypedDict):
    agents: dict[str, AgentSettings]
    told: list[str]
    """Sentences that must stand where these figures do, beside the banner."""
