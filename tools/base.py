"""The parts of a tool. A function of typed arguments and a context, an answer, an error the model can act on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal

from drr.env.drawer.drawer import Drawer, FilePicture, WithFiles
from drr.env.session import Session
from drr.env.shop import Shop
from drr.env.shop_world import ShopWorld
from drr.env.source import Source
from drr.env.web.base import WebSearch
from drr.env.world import World

ErrorKind = Literal["not_found", "invalid", "not_allowed", "timeout", "unavailable", "unsupported"]


class ToolError(Exception):
    """An expected failure: the model sees the sentence. Anything else that a tool raises is a bug and ends the unit."""

    def __init__(self, kind: ErrorKind, message: str) -> None:
        super().__init__(message)
        self.kind: ErrorKind = kind
        self.message = message

    @property
    def text(self) -> str:
        """The text that the model reads, the same through Python, LangChain and MCP."""
        return f"Error ({self.kind}): {self.message}"


@dataclass(frozen=True)
class ToolAnswer:
    """`text` goes to the model, the rest is the artifact: `sources` feed citations, `data` is for programs."""

    text: str
    sources: Sequence[Source] = ()
    data: Any = None
    pictures: Sequence[FilePicture] = ()
    """Shown to a model that sees, beside the text."""


@dataclass(frozen=True)
class ToolContext:
    """The context of a tool: all that it may touch. `question` is the problem in hand, for web searches that
    summarise pages; `sees` says whether whoever calls can be shown a picture."""

    world: World
    top_k: int = 5
    deadline_s: float = 30.0
    question: str | None = None
    sees: bool = False

    @property
    def shop(self) -> Shop | None:
        session = self.world.session
        return None if session is None else session.shop

    @property
    def session(self) -> Session:
        if self.world.session is None:  # a world names the tools that it offers
            raise ToolError("unavailable", "There is no shop here, so there are no records of one to read.")
        return self.world.session

    @property
    def web(self) -> WebSearch:
        return self.world.web

    @property
    def files(self) -> Drawer:
        if not isinstance(self.world, WithFiles):
            raise ToolError("unavailable", "There are no files here.")
        return self.world.files

    @property
    def today(self) -> date:
        return self.world.today


def context_for(
    session: Session,
    web: WebSearch,
    *,
    top_k: int = 5,
    deadline_s: float = 30.0,
    question: str | None = None,
) -> ToolContext:
    """Make a context in the world of the session's shop."""
    return ToolContext(ShopWorld(session, web), top_k, deadline_s, question)
