"""The reach of a study's agents into the frozen pages of tasks. As it was asked for, for whom it is, and what opening it needs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from drr.env.errors import Misuse
from drr.env.given import RECORDS, Setting
from drr.env.reach import WHOLE, KnownKinds, Reach, reaches_of

if TYPE_CHECKING:
    from drr.agents.base import Variant
    from drr.app.answers import Answering
    from drr.app.running import RunConfig


def reaches_given(config: RunConfig) -> tuple[Reach, ...] | None:
    """`--long-context` is one more of `--reach`."""
    words = [config.reach] if config.reach is not None else []
    words += ["long-context"] if config.long_context else []
    return reaches_of(",".join(words)) if words else None


def is_for(reach: Reach, variant: Variant) -> bool:
    """Only who has an agent that searches can have turns of it, or the pages in its place."""
    return not reach.needs_search_agent or "long_context" in variant.architecture.settings


def kinds_for(world: str, place: str | None, reaches: Sequence[Reach]) -> Mapping[str, KnownKinds]:
    """Map which pages are which, where some of them are withheld. Read here, so that the agents' world never opens it."""
    from drr.env.world import FILES

    asked = {reach.pages for reach in reaches} - {"whole", "none"}
    if world != FILES or place is None or not asked:
        return {}
    from drr.app.task_worlds import task_folders

    return task_folders().known_kinds(Path(place), distractors="no-distractors" in asked)


def check_reaches(reaches: Sequence[Reach], variants: Iterable[Variant], settings: Sequence[Setting]) -> None:
    """`Misuse` for what nobody here can be given."""
    everybody = list(variants)
    if any(reach != WHOLE for reach in reaches) and any(setting != RECORDS for setting in settings):
        raise Misuse("--reach and --settings are not asked together; take a study of their own")
    for reach in reaches:
        if not any(is_for(reach, variant) for variant in everybody):
            names = ", ".join(variant.name for variant in everybody)
            raise Misuse(f"--reach {reach.name}: is for an agent that has others search; not for {names}")


def left_out(answering: Answering) -> list[str]:
    """Say of which reaches who is not asked: sentences for whoever runs it."""
    notices = []
    for reach in answering.reaches:
        others = [name for name, variant in answering.variants.items() if not is_for(reach, variant)]
        if others:
            notices.append(
                f"--reach {reach.name} is for agents that have others search; not asked of {', '.join(others)}"
            )
    return notices
