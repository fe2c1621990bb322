"""Says what stands over figures of the judge without a model, whichever of its names judged them."""

from __future__ import annotations

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
