"""The marks by which a provider's cache remembers a prompt: only where somebody is expected to read it again.

Writing to the cache costs a quarter more than reading anew, so a request that nothing follows carries no mark. A conversation with
tools goes on: its end is marked. What stands in front of it (tools, and the opening of the system prompt that is the same in
every unit) has a mark of its own, so that the next conversation reads it, whoever's it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import Any

from langchain_core.messages import BaseMessage, SystemMessage

MARK = {"type": "ephemeral"}
_SHARED = "shared_chars"


def opening(text: str, shared: int) -> SystemMessage:
    """A system prompt whose first `shared` characters are the same in other conversations."""
    return SystemMessage(text, additional_kwargs={_SHARED: shared} if shared else {})


def shared_part(messages: Sequence[BaseMessage]) -> str:
    """Return what the first message shares with those of other conversations; empty where nothing is known to be shared."""
    first = messages[0] if messages else None
    if not isinstance(first, SystemMessage) or not isinstance(first.content, str):
        return ""
    return first.content[: first.additional_kwargs.get(_SHARED, 0)]


class Openings:
    """The openings that this process has sent: the first one-shot request of a kind may be the only one."""

    def __init__(self) -> None:
        self._sent: set[bytes] = set()

    def marked(
        self, model: str, form: str, messages: Sequence[BaseMessage], *, goes_on: bool
    ) -> tuple[list[BaseMessage], dict[str, Any]]:
        """The messages as they are sent, and what goes along; a conversation that `goes_on` is sent again with more."""
        shared = shared_part(messages)
        digest = sha256("\0".join((model, form, shared)).encode("utf-8", "surrogatepass")).digest()
        again = digest in self._sent
        self._sent.add(digest)
        return (
            with_mark(messages) if again or goes_on else list(messages),
            {"cache_control": MARK} if goes_on else {},
        )


def with_mark(messages: Sequence[BaseMessage]) -> list[BaseMessage]:
    """The same messages, the shared opening as a block of its own with a mark behind it."""
    shared = shared_part(messages)
    if not shared:
        return list(messages)
    rest = str(messages[0].content)[len(shared) :]
    blocks: list[str | dict[str, object]] = [{"type": "text", "text": shared, "cache_control": MARK}]
    if rest.strip():
        blocks.append({"type": "text", "text": rest})
    return [SystemMessage(content=blocks), *messages[1:]]
