"""Says what stands over figures of the judge without a model, whichever of its names judged them."""

from __future__ import annotations

from collections.abc import Iterable

NAME = "rules-2"
VERSION = 7
"""Raised by hand when its rules say something else."""
_FAMILY = "rules-"


def is_rules(judge: str) -> bool:
    """Tell a judge without a model by its name; `rules-1` judged until version 0.1."""
    return judge.startswith(_FAMILY)


def rules_banner(judge: str) -> str:
    """Say in one line what its figures are."""
    return (
        f"Judged by surface rules ({judge}), not by a language model: for trying things out, not as a measurement"
        " (docs/judging.md)."
    )


def rules_version(judge: str, versions: Iterable[str]) -> int | None:
    """Read from the versions of a judging which version of this judge's rules it is by."""
    found = (mark.rpartition(f"-{judge}.")[2] for mark in versions if f"-{judge}." in mark)
    return next((int(one) for one in found if one.isdecimal()), None)


def outdated(judge: str, versions: Iterable[str]) -> str | None:
    """Say that figures by rules of before stand apart from today's; `None` for today's."""
    version = rules_version(judge, versions)
    if version is None or (judge, version) == (NAME, VERSION):
        return None
    return (
        f"By version {version} of {judge}, today's rules are version {VERSION} of {NAME}: not comparable with their figures;"
        " `drr judge STUDY --judge offline` judges anew, without a model."
    )
