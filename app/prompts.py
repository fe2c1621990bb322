"""`--prompts DIR`, checked against the prompts of every room: a file that replaces nothing is a spelling mistake."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from env.errors import Misuse

if TYPE_CHECKING:
    from env.settings import Settings
    from llm.prompts import Prompts

ROOMS = ("agents", "querygen", "eval")


def prompts_of(settings: Settings, room: str) -> Prompts:
    """The prompts of one room with the user's in their place; `Misuse` for a folder that cannot mean what it says."""
    from llm.failures import ModelSetupError
    from llm.prompts import Prompts, check_override

    box = {name: Path(__file__).parent.parent / name / "prompts" for name in ROOMS}
    try:
        prompts = Prompts(box[room], settings.prompts)
        if settings.prompts is not None:
            check_override(
                settings.prompts, {path.stem for folder in box.values() for path in folder.glob("*.md")}
            )
    except ModelSetupError as error:
        raise Misuse(str(error)) from error
    return prompts
