"""`--prompts DIR`, checked against the prompts of every room: a file that replaces nothing is a spelling mistake."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from drr.env.errors import Misuse

if TYPE_CHECKING:
    from drr.env.settings import Settings
    from drr.llm.prompts import Prompts

ROOMS = ("agents", "querygen", "eval")
OF_PAPERS = {"agents": "agent_prompts", "eval": "judging_prompts"}
"""By room, what papers call those of their prompts that belong beside it."""


def prompt_names() -> set[str]:
    """The names of all prompts, those of the papers with them."""
    from drr.env.plugins import prompt_folders

    fields = ("prompts", *OF_PAPERS.values())
    folders = [*map(_folder, ROOMS), *(place for field in fields for place in prompt_folders(field))]
    return {path.stem for folder in folders for path in folder.glob("*.md")}


def prompts_of(settings: Settings, room: str) -> Prompts:
    """Read the prompts of one room with the user's in their place. `Misuse` for a folder that cannot mean what it says."""
    from drr.env.plugins import prompt_folders
    from drr.llm.failures import ModelSetupError
    from drr.llm.prompts import Prompts, check_override

    try:
        beside = prompt_folders(OF_PAPERS[room]) if room in OF_PAPERS else ()
        prompts = Prompts(_folder(room), settings.prompts, beside=beside)
        if settings.prompts is not None:
            check_override(settings.prompts, prompt_names())
    except ModelSetupError as error:
        raise Misuse(str(error)) from error
    return prompts


def _folder(room: str) -> Path:
    return Path(__file__).parent.parent / room / "prompts"
