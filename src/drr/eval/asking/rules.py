"""Names what stands where no model judges: code alone, or surface rules. Builds the notices above their figures."""

from __future__ import annotations

from collections.abc import Iterable

NAME = "rules-2"
VERSION = 8
"""Version of the rules, raised by hand when they judge otherwise."""
_FAMILY = "rules-"
CODE = "code"
"""The judge's name where nobody named one: code decides what it can, and nobody judges the rest."""
UNASKED = "no model judged; `drr judge STUDY --judge MODEL` makes it"
"""Reason why a figure that takes a judge is unknown."""
CODE_BANNER = (
    "No model judged: what code found stands here. Faithfulness, grades and pairs are unknown;"
    " `drr judge STUDY --judge MODEL` makes them."
)


def is_rules(judge: str) -> bool:
    """Tell whether a name is that of the judge without a model; until version 0.1 it was `rules-1`."""
    return judge.startswith(_FAMILY)


def rules_banner(judge: str) -> str:
    """Return one line that explains the figures of this judge."""
    return (
        f"Judged by surface rules ({judge}), not by a language model: for trying things out, not as a measurement"
        " (docs/judging.md)."
    )


def rules_version(judge: str, versions: Iterable[str]) -> int | None:
    """Return the version of this judge's rules, from the versions of a judging run."""
    found = (mark.rpartition(f"-{judge}.")[2] for mark in versions if f"-{judge}." in mark)
    return next((int(one) for one in found if one.isdecimal()), None)


def outdated_rules_notice(judge: str, versions: Iterable[str]) -> str | None:
    """Return a notice that figures by another version of the rules are not comparable. `None`: today's rules, or a model."""
    version = rules_version(judge, versions)
    if version is None or (judge, version) == (NAME, VERSION):
        return None
    return f"By version {version} of {judge}, today's rules are version {VERSION} of {NAME}: not comparable with their figures."
