"""Commands among the variants: the terms on which they run, and whether this system can contain them."""

from __future__ import annotations

import contextlib
import resource
from collections.abc import Mapping
from typing import TYPE_CHECKING

from drr.agents.commands.command import CommandTerms
from drr.agents.commands.sight import NOT_CONTAINED, why_not_contained
from drr.env.errors import Misuse
from drr.env.files import at_home
from drr.env.settings import FILE
from drr.env.shop import SERVERS
from drr.env.trust import config_folder

if TYPE_CHECKING:
    from drr.agents.architecture import Variant
    from drr.app.study.answers import AnswerConfig


MOST_FILES = 65_536


def terms_of(config: AnswerConfig) -> CommandTerms:
    """Return the terms on which commands run. Commands may not see the files of the study, the shop and the web, nor this
    user's keys, however they are started."""
    settings = config.settings
    named = [config.place, settings.sandbox, settings.web_record, settings.price_file, config_folder(), FILE]
    if config.shop is not None and not config.shop.startswith(SERVERS):
        named.append(config.shop)
    if config.pages is not None:
        named.append(config.pages.parent)
    hidden = tuple(at_home(path).resolve() for path in named if path is not None)
    shown = tuple(at_home(path).absolute() for path in config.agent_sees)
    return CommandTerms(config.trust_agent, shown, hidden)


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


def _allow_open_files() -> None:
    """Raise the limit of open files. A running command takes about eight of them, and many systems begin with 1,024."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        most = MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, MOST_FILES)
        if soft != resource.RLIM_INFINITY and soft < most:
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
