"""The formats of other benchmarks by name alone, for help that loads none of them."""

from __future__ import annotations

from drr.env.plugins import merged

OURS = ("drb",)


def format_names() -> tuple[str, ...]:
    """Ours, then those of the papers."""
    return (*OURS, *merged("formats"))
