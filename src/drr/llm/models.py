"""Builds chat models by name, with one request per call. They have no retries of their own, no temperature, and no forced tool unless demanded."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

from drr.llm.activity import ACTIVITY
from drr.llm.failures import EMPTY_STREAM, ModelFailure, ModelSetupError, NoToken
from drr.llm.names import DEFAULT_ADDRESS, OFFLINE, host_of, is_loopback, parse_name
from drr.llm.role import ANY_TOOL, AskForm, Demand, Policy
from drr.llm.secrets import HIDDEN
from drr.llm.text import call_arguments
from drr.llm.thinking import Style, accepted_style, arguments
from langchain_core.messages import AIMessage
from langchain_core.messages.tool import invalid_tool_call, tool_call
from pydantic import BaseModel, SecretStr

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessageChunk, BaseMessage
    from langchain_core.runnables import Runnable

_NO_KEY = "not-needed"
_DEFAULT_STYLE = Style()


@dataclass(frozen=True)
class ModelServer:
    """A server of models; without an address, the provider's own server."""

    base_url: str | SecretStr | None = field(default=None, repr=False)
    """The address, which may hold a password. A `SecretStr` controls how it is shown."""
    keys: Mapping[str, SecretStr | None] = field(default_factory=dict, repr=False)
    """Keys by provider."""
    refused: str | None = None
    """The reason why no request may be sent to this server, or `None`."""
    concurrency: int | None = None
    """The number of concurrent calls to this server; `None` uses the general setting."""

    @property
    def address(self) -> str | None:
        return _plain_address(self.base_url)

    def host(self, provider: str) -> str:
        """Return the host and port of a provider's models on this server, without user name and password."""
        return host_of(self.address or DEFAULT_ADDRESS.get(provider)) or "the provider's own address"


@dataclass(frozen=True)
class ModelSettings:
    """The settings that decide how models are called. Its repr hides keys."""

    roles: Mapping[str, str] | Callable[[str], str] = field(repr=False)
    """Names of models by role; in a mapping `default` applies to every role without an entry."""
    base_url: str | SecretStr | None = field(default=None, repr=False)
    keys: Mapping[str, SecretStr | None] = field(default_factory=dict, repr=False)
    refused: str | None = None
    servers: Mapping[str, ModelServer] = field(default_factory=dict, repr=False)
    """Servers by role or provider, where they differ from `base_url` and `keys`."""
    timeout_s: float = 120.0
    idle_s: float = 120.0
    """Seconds without a token after which a stream is given up."""
    max_tokens: int = 8192
    retry_max_tokens: int | None = None
    """The token limit for the second try of a cut answer; `None` is twice `max_tokens`. There is no second try unless it exceeds `max_tokens`."""
    deadline_s: float = 600.0
    concurrency: int = 8
    streaming: bool = True
    """True where answers are streamed, which changes no answer and no request id."""
    context_window: int = 32_768
    style: Style = _DEFAULT_STYLE
    offline_latency_s: float = 0.0
    """The delay of the offline model's answers, for measurements of waiting code."""

    @property
    def raised_max_tokens(self) -> int:
        return self.retry_max_tokens or 2 * self.max_tokens

    def model_of(self, role: str) -> str:
        if callable(self.roles):
            return self.roles(role)
        return self.roles.get(role) or self.roles.get("default", OFFLINE)


def chat_model(
    name: str,
    *,
    policy: Policy | None = None,
    base_url: str | SecretStr | None = None,
    api_key: str | SecretStr | None = None,
    timeout: float = 120,
    max_tokens: int = 8192,
    streaming: bool = True,
    context_window: int = 32_768,
    latency_s: float = 0.0,
    style: Style | None = None,
) -> BaseChatModel:
    """Return the LangChain model of this name. Environment variables never redirect it; the address is given or the provider's.

    `policy` is the stand-in that `offline` runs, after `latency_s`. `context_window` is sent to Ollama only, which otherwise cuts
    prompts silently.
    """
    provider, model = parse_name(name)
    if provider == OFFLINE:
        from drr.llm.offline import OfflineChatModel

        given = {} if policy is None else {"policy": policy}
        return OfflineChatModel(latency_s=latency_s, **given)
    sent = accepted_style(provider, model, style or Style())
    key = api_key.get_secret_value() if isinstance(api_key, SecretStr) else api_key
    address = _address(provider, base_url)
    if provider == "ollama":
        return _ollama(model, address, timeout, max_tokens, context_window)
    if not key:
        if not is_loopback(address):
            raise ModelSetupError(
                f"model {name}: no key for {_shown_address(base_url) or address}; set {provider.upper()}_API_KEY, or --base-url to a local server"
            )
        # A server on this machine wants no key, but the client is not made without one.
        key = _NO_KEY
    if provider == "anthropic":
        from drr.llm.anthropic import Claude

        claude = Claude(
            model=model,
            base_url=address,
            api_key=SecretStr(key),
            timeout=timeout,
            max_tokens=max_tokens,
            max_retries=0,
            streaming=streaming,
            **arguments(provider, sent),
        )
        try:
            claude._assert_valid_model_configuration({})
        except ValueError as error:
            raise ModelSetupError(f"model {name}: {error}") from error
        return claude
    return _openai(model, address, key, timeout, max_tokens, streaming, arguments(provider, sent))


def _address(provider: str, base_url: str | SecretStr | None) -> str | None:
    if base_url is None:
        return DEFAULT_ADDRESS.get(provider)
    address = _plain_address(base_url) or ""
    try:
        parts = urlsplit(address)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # an invalid port
        usable = False
    if not usable:
        raise ModelSetupError(
            f"base address {_shown_address(base_url)}: not an http or https address; e.g. http://127.0.0.1:8000/v1"
        )
    return address


def _plain_address(address: str | SecretStr | None) -> str | None:
    return address.get_secret_value() if isinstance(address, SecretStr) else address


def _shown_address(address: str | SecretStr | None) -> str | None:
    """Return an address as it may be shown. A `SecretStr` shows itself; plain text may hold a password and is hidden."""
    return HIDDEN if isinstance(address, str) else None if address is None else str(address)


def _openai(
    model: str,
    address: str | None,
    key: str,
    timeout: float,
    max_tokens: int,
    streaming: bool,
    more: Mapping[str, Any],
) -> BaseChatModel:
    try:
        from drr.llm.openai import OpenAIChat
        from langchain_openai import ChatOpenAI
        from openai import DefaultAsyncHttpxClient
    except ImportError as error:
        raise _missing_package("openai", "langchain-openai") from error
    if (
        "http_socket_options" in ChatOpenAI.model_fields
    ):  # for a client that is never used and warns of proxies
        more = {**more, "http_socket_options": ()}
    return OpenAIChat(
        model=model,
        base_url=address,
        api_key=SecretStr(key),
        timeout=timeout,
        max_completion_tokens=max_tokens,
        max_retries=0,
        streaming=streaming,
        stream_usage=True,
        stream_chunk_timeout=None,  # `Writing` has its own, for every provider
        use_responses_api=False,
        # The library's own cache of connections is shared by the process and outlives event loops.
        http_async_client=DefaultAsyncHttpxClient(timeout=timeout),
        **more,
    )


def _ollama(
    model: str, address: str | None, timeout: float, max_tokens: int, context_window: int
) -> BaseChatModel:
    try:
        from langchain_ollama import ChatOllama
    except ImportError as error:
        raise _missing_package("ollama", "langchain-ollama") from error
    built: BaseChatModel = ChatOllama(
        model=model,
        base_url=address,
        num_ctx=context_window,
        num_predict=max_tokens,
        client_kwargs={"timeout": timeout},
    )
    return built


def _missing_package(provider: str, package: str) -> ModelSetupError:
    return ModelSetupError(
        f"{provider} models need the package {package}; install it with `pip install {package}`"
    )


@lru_cache(maxsize=128)
def answer_form(provider: str, schema: type[BaseModel]) -> Mapping[str, Any]:
    """Return the arguments with which a provider constrains a structured answer to a schema, never by a forced tool."""
    document = schema.model_json_schema()
    if provider == OFFLINE:
        return {"response_schema": document}
    return _form(provider, name=document["title"], strict=False, schema=document)


def ask_form(provider: str, tools: Sequence[Any], demand: Demand) -> AskForm:
    from langchain_core.utils.function_calling import convert_to_openai_tool

    schemas = [convert_to_openai_tool(tool) for tool in tools]
    more = _demanded_arguments(provider, demand)

    def bind(chat: BaseChatModel) -> Runnable[Any, AIMessage]:
        return chat.bind_tools(list(tools)).bind(**more) if tools else chat.bind(**more)

    return AskForm.of({"tools": schemas, **more} if more else schemas, bind, tools=bool(tools))


def _demanded_arguments(provider: str, demand: Demand) -> dict[str, Any]:
    """Return a client's demands as arguments for the provider; `bad_request` where the provider has no such feature."""
    found: dict[str, Any] = {"stop": list(demand.stop)} if demand.stop else {}
    if demand.tool:
        found["tool_choice"] = _forced_tool(provider, demand.tool)
    if demand.form:
        try:
            found |= _form(provider, **json.loads(demand.form))
        except (AssertionError, AttributeError, KeyError, TypeError, ValueError, RecursionError) as error:
            raise ModelFailure(
                "bad_request", f"the form of the answer is no JSON Schema ({error})"
            ) from error
    return found


def _forced_tool(provider: str, tool: str) -> dict[str, Any] | str:
    if provider == "openai":
        return "required" if tool == ANY_TOOL else {"type": "function", "function": {"name": tool}}
    if provider == "anthropic":
        return {"type": "any"} if tool == ANY_TOOL else {"type": "tool", "name": tool}
    raise ModelFailure("bad_request", f"{provider} models cannot be made to call a tool")


def _form(provider: str, *, name: str, strict: bool, schema: dict[str, Any] | None) -> dict[str, Any]:
    if provider == "openai":
        document = {"name": name, "schema": schema, "strict": strict}
        form = {"type": "json_object"} if schema is None else {"type": "json_schema", "json_schema": document}
        # Beside the body, where OpenAI's client does not see it: with a form it knows strict tools only,
        # and raises for an answer that was cut, without its usage.
        return {"extra_body": {"response_format": form}}
    if provider == "ollama":
        return {"format": schema or "json"}
    if provider == OFFLINE or schema is None:
        raise ModelFailure("bad_request", f"{provider} models answer in no such form; ask for it in words")
    from anthropic import transform_schema

    return {"output_config": {"format": {"type": "json_schema", "schema": transform_schema(schema)}}}


async def count_tokens(chat: Runnable[Any, AIMessage], messages: Sequence[BaseMessage]) -> int | None:
    """Return how many tokens a request has by the provider's count; `None` where there is no count."""
    counting = getattr(getattr(chat, "bound", chat), "count", None)
    return None if counting is None else await counting(messages, **getattr(chat, "kwargs", {}))


class Writing:
    """The state of one answer in progress: the pieces received and the time of the first. Without `idle_s` it is not streamed."""

    def __init__(self, idle_s: float | None) -> None:
        self.pieces = self.silent = 0
        self.first_s: float | None = None
        self._idle_s = idle_s

    async def read(
        self, chat: Runnable[Any, AIMessage], messages: Sequence[BaseMessage], **more: Any
    ) -> AIMessage:
        """Return the answer, which is the same with and without streaming. Raise `NoToken` where no piece arrives for too long."""
        with ACTIVITY.call():
            if self._idle_s is None:
                return await chat.ainvoke(messages, **more)
            return await self._read_stream(chat, messages, self._idle_s, **more)

    async def _read_stream(
        self, chat: Runnable[Any, AIMessage], messages: Sequence[BaseMessage], idle_s: float, **more: Any
    ) -> AIMessage:
        self.pieces, self.silent, self.first_s = 0, 0, None
        now, whole = asyncio.get_running_loop().time, None
        begun = now()
        try:
            async with (
                asyncio.timeout(idle_s) as patience,
                aclosing(cast("AsyncGenerator[AIMessageChunk]", chat.astream(messages, **more))) as pieces,
            ):
                async for piece in pieces:
                    patience.reschedule(now() + idle_s)
                    ACTIVITY.wrote()
                    self.first_s = now() - begun if self.first_s is None else self.first_s
                    mute = self.silent == self.pieces and not (piece.text or piece.tool_call_chunks)
                    self.silent, self.pieces = self.silent + mute, self.pieces + 1
                    whole = piece if whole is None else whole + piece
        except TimeoutError as error:
            if patience.expired():
                raise NoToken(f"no token for {idle_s:g} s; --model-idle-timeout allows more") from error
            raise
        if whole is None:
            raise ValueError(EMPTY_STREAM)
        return _at_once(whole)

    def still_going(self, error: Exception, seconds: float) -> ModelFailure | None:
        """Return the failure of an answer that ran out of time while being streamed. It is not retried, as a new try would take as long."""
        if not self.pieces or type(error) is not TimeoutError:
            return None
        what = f"the answer was still being written after {seconds:g} s ({self.pieces:,} pieces came)"
        return ModelFailure(
            "timeout", f"{what}; raise --model-timeout or lower --model-max-tokens", again=False
        )


def _at_once(streamed: AIMessageChunk) -> AIMessage:
    """Return the message that the same answer is without streaming. A call with incomplete arguments becomes an invalid call."""
    calls, broken = [], []
    for chunk in streamed.tool_call_chunks:
        name, args, one = chunk["name"] or "", chunk["args"], chunk["id"]
        try:
            calls.append(tool_call(name=name, args=call_arguments(args), id=one))
        except ValueError as error:
            broken.append(invalid_tool_call(name=name, args=args, id=one, error=str(error)))
    content: Any = streamed.content
    if isinstance(content, list):
        given = {call["id"]: call["args"] for call in calls}
        content = [_block(block, given) if isinstance(block, dict) else block for block in content]
        if len(content) == 1 and isinstance(content[0], dict) and content[0].keys() == {"type", "text"}:
            content = content[0]["text"]
    return AIMessage(
        content=content,
        additional_kwargs=streamed.additional_kwargs,
        response_metadata=streamed.response_metadata,
        id=streamed.id,
        tool_calls=calls,
        invalid_tool_calls=broken,
        usage_metadata=streamed.usage_metadata,
    )


def _block(block: Mapping[str, Any], calls: Mapping[str | None, Any]) -> dict[str, Any]:
    # Only streams have these two; left in, they would change the id of the next request.
    plain = {name: block[name] for name in sorted(block) if name not in ("index", "partial_json")}
    return plain | {"input": calls[block["id"]]} if block.get("id") in calls else plain


async def close_client(chat: BaseChatModel) -> None:
    """Close a client's connections in this event loop."""
    client = getattr(chat, "root_async_client", None)  # OpenAI's
    if client is not None:
        await client.close()
    elif hasattr(chat, "aclose"):
        await chat.aclose()
