"""Pictures for models. Which models are known to take them, and the one form in which all of them get them."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from drr.llm.failures import ModelSetupError
from drr.llm.names import OFFLINE
from drr.llm.window import profile_of
from langchain_core.messages import HumanMessage

PICTURE_BYTES = 16_000
"""What a picture counts for in an estimate of what a request costs: providers charge by its pixels and not by its bytes."""
Block = dict[Any, Any]
Vision = Literal["auto", "yes", "no"]
"""Whether pictures are put to a model: as its maker's pages say, or as the user says."""


def sees(name: str) -> bool | None:
    """Tell whether `PROVIDER:MODEL` takes pictures, by the pages of its maker; `None` where they do not say. Rules see nothing."""
    if name == OFFLINE:
        return False
    try:
        takes_images = profile_of(name).get("image_inputs")
    except ModelSetupError:  # of somebody else, who is no provider of ours
        return None
    return None if takes_images is None else bool(takes_images)


def is_shown_pictures(name: str, vision: Vision) -> bool:
    """A model of which nobody says anything sees nothing by `auto`; rules never do."""
    if vision == "auto" or name == OFFLINE:
        return bool(sees(name))
    return vision == "yes"


def picture_blocks(label: str, data: bytes, mime_type: str) -> list[Block]:
    """A picture with its name before it, in LangChain's own form: each provider's client translates it."""
    return [
        {"type": "text", "text": f"The picture {label}:"},
        {"type": "image", "base64": b64encode(data).decode("ascii"), "mime_type": mime_type},
    ]


def with_pictures(text: str, blocks: Sequence[Block]) -> HumanMessage:
    return HumanMessage(content=[{"type": "text", "text": text}, *blocks] if blocks else text)


def is_picture(block: object) -> bool:
    return isinstance(block, Mapping) and block.get("type") == "image"
