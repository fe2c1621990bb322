"""The thinking effort requested of a model, sent only where the model accepts it; also marks for the provider's cache."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from hashlib import sha256
from typing import Any, NamedTuple

from drr.llm.failures import ModelSetupError
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage

EFFORTS = ("low", "medium", "high", "xhigh", "max")
_LEAST_BUDGET = 1024
_ALWAYS_THINKS = ("claude-opus-5-5",)
"""Models whose thinking cannot be turned off (Anthropic's pages on Opus 5.5, November 2026); the client rejects other errors itself."""


class Style(NamedTuple):
    """The requested effort and thinking, or those sent to one model; `None` is the provider's default."""

    effort: str | None = None
    thinking: str | None = None
    """`off`, `adaptive`, or a number of tokens."""

    @property
    def is_set(self) -> bool:
        return self != Style()


def check(style: Style, max_tokens: int) -> None:
    """Raise `ModelSetupError` for an effort or thinking that no model accepts."""
    if style.effort is not None and style.effort not in EFFORTS:
        raise ModelSetupError(f"effort {style.effort!r}: not one of {', '.join(EFFORTS)}")
    if style.thinking in (None, "off", "adaptive"):
        return
    if not str(style.thinking).isascii() or not str(style.thinking).isdigit():
        raise ModelSetupError(f"thinking {style.thinking!r}: not off, adaptive, or a number of tokens")
    if not _LEAST_BUDGET <= int(str(style.thinking)) < max_tokens:
        raise ModelSetupError(
            f"thinking {style.thinking}: from {_LEAST_BUDGET:,} tokens to less than --model-max-tokens {max_tokens:,}"
        )


def accepted_style(provider: str, model: str, style: Style) -> Style:
    """Return the part of a style that a model is sent. An unknown effort is an error where the model accepts others."""
    if not style.is_set:
        return style
    if provider == "openai":
        return Style(style.effort, None)
    if provider != "anthropic":
        return Style()
    from langchain_anthropic.data._profiles import _PROFILES

    profile = _PROFILES.get(model)
    levels = None if profile is None else profile.get("reasoning_effort_levels", [])
    effort = style.effort
    if effort is not None and levels is not None and effort not in levels:
        if levels:
            raise ModelSetupError(f"model {model}: takes the efforts {', '.join(levels)}, not {effort}")
        effort = None
    if style.thinking == "off" and model.startswith(_ALWAYS_THINKS):
        raise ModelSetupError(f"model {model}: its thinking cannot be turned off; lower --effort")
    return Style(effort, style.thinking)


def always_thinks(provider: str, model: str, style: Style) -> bool:
    """Tell whether a model certainly thinks before each turn. Defaults of a provider are not guessed."""
    sent = accepted_style(provider, model, style)
    if provider == "openai":
        return sent.effort is not None
    if provider != "anthropic" or sent.thinking == "off":
        return False
    return sent.thinking is not None or model.startswith(_ALWAYS_THINKS)


def has_thought(answer: AIMessage) -> bool:
    """Tell whether an answer shows that the model has thought."""
    blocks = answer.content if isinstance(answer.content, list) else []
    if any(isinstance(block, dict) and "thinking" in str(block.get("type")) for block in blocks):
        return True
    usage = answer.usage_metadata
    details = usage.get("output_token_details") if usage is not None else None
    return bool(details and details.get("reasoning")) or answer.text.lstrip().startswith("<think>")


def arguments(provider: str, style: Style) -> dict[str, Any]:
    """Return a style as arguments of the client's constructor."""
    if provider == "openai":
        return {} if style.effort is None else {"reasoning_effort": style.effort}
    found: dict[str, Any] = {} if style.effort is None else {"output_config": {"effort": style.effort}}
    if style.thinking == "off":
        found["thinking"] = {"type": "disabled"}
    elif style.thinking == "adaptive":
        found["thinking"] = {"type": "adaptive"}
    elif style.thinking is not None:
        found["thinking"] = {"type": "enabled", "budget_tokens": int(style.thinking)}
    return found


MARK = {"type": "ephemeral"}
_SHARED, _AGAIN = "shared_chars", "sent_again"


def shared_system_message(text: str, shared: int) -> SystemMessage:
    """Return a system message whose first `shared` characters are the same in other conversations."""
    return SystemMessage(text, additional_kwargs={_SHARED: shared} if shared else {})


def shared_opening(shared: str, rest: str, *, again: bool) -> HumanMessage:
    """Return a user message whose beginning is the same in other conversations, the messages before included. It is marked if `again`: such a one follows soon."""
    known = {_SHARED: len(shared), _AGAIN: True} if again else {}
    return HumanMessage(shared + rest, additional_kwargs=known)


def shared_part(messages: Sequence[BaseMessage]) -> tuple[int, str]:
    """Return the index of the message that is shared in part, and the part, empty where none is known. The messages before it are shared whole."""
    for at, message in enumerate(messages[:2]):
        if isinstance(message.content, str) and (count := message.additional_kwargs.get(_SHARED)):
            return at, message.content[:count]
    return 0, ""


class Openings:
    """The shared openings that this process has sent. A single-turn request marks its opening for the cache where it is sent again."""

    def __init__(self) -> None:
        self._sent: set[bytes] = set()
        self._first: dict[bytes, asyncio.Event] = {}

    def marked(
        self, model: str, form: str, messages: Sequence[BaseMessage], *, goes_on: bool
    ) -> tuple[list[BaseMessage], dict[str, Any]]:
        """Return the messages with marks for the cache, and further arguments. A conversation that `goes_on` will be sent again with more messages."""
        digest = _digest(model, form, messages)
        again = digest in self._sent or _is_sent_again(messages)
        self._sent.add(digest)
        return (
            with_mark(messages) if again or goes_on else list(messages),
            {"cache_control": MARK} if goes_on else {},
        )

    @asynccontextmanager
    async def turn(self, model: str, form: str, messages: Sequence[BaseMessage]) -> AsyncIterator[None]:
        """Return a context for one request. Of those that begin alike, the first is answered before the others are sent: they read the cache that it wrote."""
        digest = _digest(model, form, messages)
        if not _is_sent_again(messages):
            yield
        elif (answered := self._first.get(digest)) is not None:
            await answered.wait()
            yield
        else:
            answered = self._first[digest] = asyncio.Event()
            try:
                yield
            finally:
                answered.set()


def _is_sent_again(messages: Sequence[BaseMessage]) -> bool:
    return any(message.additional_kwargs.get(_AGAIN) for message in messages[:2])


def _digest(model: str, form: str, messages: Sequence[BaseMessage]) -> bytes:
    at, shared = shared_part(messages)
    parts = (model, form, *(message.text for message in messages[:at]), shared)
    return sha256("\0".join(parts).encode("utf-8", "surrogatepass")).digest()


def with_mark(messages: Sequence[BaseMessage]) -> list[BaseMessage]:
    """Return the messages with the shared opening as a block of its own, marked for the cache."""
    at, shared = shared_part(messages)
    if not shared:
        return list(messages)
    rest = str(messages[at].content)[len(shared) :]
    blocks: list[str | dict[str, object]] = [{"type": "text", "text": shared, "cache_control": MARK}]
    if rest.strip():
        blocks.append({"type": "text", "text": rest})
    return [*messages[:at], type(messages[at])(content=blocks), *messages[at + 1 :]]
