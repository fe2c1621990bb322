"""`--prompts DIR`, checked against the prompts of every room: a file that replaces nothing is a spelling mistake."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from drr.env.errors import Misuse

if TYPE_CHECKING:
    from drr.env.settings import Settings
    from drr.llm.prompts import Prompts

ROOMS = ("agents", "querygen", "eval", "papers/pdr", "papers/dr3")


def prompt_names() -> set[str]:
    """Of every room: a file of the user's that replaces none of them is misspelt."""
    return {path.stem for room in ROOMS for path in _folder(room).glob("*.md")}


def prompts_of(settings: Settings, room: str) -> Prompts:
    """The prompts of one room with the user's in their place; `Misuse` for a folder that cannot mean what it says."""
    from drr.llm.failures import ModelSetupError
    from drr.llm.prompts import Prompts, check_override

    try:
        prompts = Prompts(_folder(room), settings.prompts)
        if settings.prompts is not None:
            check_override(settings.prompts, prompt_names())
    except ModelSetupError as error:
        raise Misuse(str(error)) from error
    return prompts


def _folder(room: str) -> Path:
    return Path(__file__).parent.parent / room / "prompts"
