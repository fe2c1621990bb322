"""Commands among the variants: the terms on which they run, and whether this system can contain them."""

from __future__ import annotations

import contextlib
import resource
from collections.abc import Mapping
from typing import TYPE_CHECKING

from drr.agents.architecture import BUILT_IN
from drr.agents.commands.sight import NOT_CONTAINED, why_not_contained
from drr.env.errors import Misuse

if TYPE_CHECKING:
    from drr.agents.architecture import Variant


MOST_FILES = 65_536


def check_contained(variants: Mapping[str, Variant], *, trusted: bool) -> None:
    """Raise `Misuse` for commands that this system cannot contain and this user did not say to trust."""
    from drr.agents.commands.variants import CommandArchitecture

    named = [name for name, one in variants.items() if isinstance(one.architecture, CommandArchitecture)]
    if named:
        _allow_open_files()
    if named and not trusted and (why := why_not_contained()) is not None:
        raise Misuse(
            f"{', '.join(named)}: cannot be contained here ({why}): {NOT_CONTAINED} would be yours;"
            " --trust-agent runs it as you"
        )


def placements(variants: Mapping[str, Variant], *, trusted: bool) -> list[str]:
    """Return a sentence on the agents that are contained, and one on those that ran beside the truth."""
    from drr.agents.commands.variants import CommandArchitecture

    contained, beside = list[str](), list[str]()
    for name, one in variants.items():
        if one.architecture.origin != BUILT_IN:
            is_contained = isinstance(one.architecture, CommandArchitecture) and not trusted
            (contained if is_contained else beside).append(name)
    lines = [f"{', '.join(contained)}: contained"] if contained else []
    if beside:
        lines.append(
            f"{', '.join(beside)}: ran beside the truth, as you; a contained command (cmd:...) cannot read it"
        )
    return lines


def _allow_open_files() -> None:
    """Raise the limit of open files. A running command takes about eight of them, and many systems begin with 1,024."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        most = MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, MOST_FILES)
        if soft != resource.RLIM_INFINITY and soft < most:
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
