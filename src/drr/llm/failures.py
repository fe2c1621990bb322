"""The ways in which a model call can fail, each with its own name. A failure never becomes a report or a score."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Literal, get_args

from drr.llm.secrets import Redactor

if TYPE_CHECKING:
    from langchain_core.messages import AIMessage


FailureKind = Literal[
    "refusal",
    "context_overflow",
    "truncated",  # stopped by max_tokens
    "stream_cut",
    "malformed",  # a body or a structured answer that cannot be read, after the one re-ask
    "timeout",
    "rate_limited",
    "overloaded",
    "server",
    "connection",
    "bad_key",
    "unknown_model",
    "no_credit",
    "bad_request",
    "over_budget",
    "empty",
    "no_research",
    "malformed_call",
]
NoAnswer = Literal["empty", "no_research", "malformed_call"]
"""Reasons why a report is no answer on the second try: no content, no research, or a call's text."""
NO_ANSWER: frozenset[str] = frozenset(get_args(NoAnswer))

TRANSIENT: frozenset[str] = frozenset(
    {"stream_cut", "timeout", "rate_limited", "overloaded", "server", "connection"}
)
FATAL: frozenset[str] = frozenset({"bad_key", "unknown_model", "no_credit"})
"""Kinds that stop a study at the first unit, because every other unit would fail the same way."""


class ModelFailure(Exception):
    """A model call that gave no usable answer, after the retries that its kind allows."""

    def __init__(
        self, kind: FailureKind, message: str, *, retry_after: float | None = None, again: bool = True
    ) -> None:
        super().__init__(message)
        self.kind: FailureKind = kind
        self.retry_after = retry_after
        self.again = again
        """False where the same request would end the same way."""

    @property
    def transient(self) -> bool:
        return self.kind in TRANSIENT

    @property
    def fatal(self) -> bool:
        return self.kind in FATAL


class NoToken(TimeoutError):
    """A stream that sent no token for too long."""


class ModelSetupError(Exception):
    """A setting that cannot work, found before any call: an unknown provider, a missing package or key, a bad file."""


_BY_STATUS: dict[int, FailureKind] = {
    401: "bad_key",
    402: "no_credit",
    403: "bad_key",
    404: "unknown_model",
    408: "timeout",
    409: "server",
    413: "context_overflow",
    429: "rate_limited",
    503: "overloaded",
    504: "timeout",
    529: "overloaded",
}
_BY_TYPE: dict[str, FailureKind] = {
    "authentication_error": "bad_key",
    "permission_error": "bad_key",
    "billing_error": "no_credit",
    "not_found_error": "unknown_model",
    "request_too_large": "context_overflow",
    "rate_limit_error": "rate_limited",
    "timeout_error": "timeout",
    "api_error": "server",
    "overloaded_error": "overloaded",
    "conflict_error": "server",
}
_NO_CREDIT = (
    "credit balance",
    "insufficient_quota",
    "exceeded your current quota",
    "spend_limit_reached",
    "organization_on_hold",
    "billing_unavailable",
)
_TOO_LONG = (
    "prompt is too long",
    "context_length_exceeded",
    "maximum context length",
    "context window",
    "exceed context limit",
    "exceeds the available context size",
)
_NOT_STARTED_FOR = "--jinja"  # llama.cpp names this option, with status 500, where it takes no tools
_STOPPED: dict[str, FailureKind] = {
    "max_tokens": "truncated",
    "length": "truncated",
    "refusal": "refusal",
    "content_filter": "refusal",
    "model_context_window_exceeded": "context_overflow",
}
_SAY: dict[str, str] = {
    "refusal": "the model refused to answer",
    "truncated": "the answer was cut at the limit of output tokens",
    "context_overflow": "the request does not fit the model's context",
}


def failure_of(error: Exception, redact: Redactor) -> ModelFailure | None:
    """Return the failure behind an exception of a model's library; `None` for an exception that is a bug."""
    if isinstance(error, ModelFailure):
        return error
    kind = _kind_of(error)
    if kind is None:
        return None
    return ModelFailure(kind, redact(_error_text(error), 500), retry_after=_retry_after(error))


EMPTY_STREAM = "No generation chunks were returned"
"""LangChain's message for a stream without an answer."""
_UNSENT = frozenset({"ConnectError", "ConnectTimeout", "PoolTimeout", "UnsupportedProtocol"})


def may_be_billed(error: BaseException) -> bool:
    """Tell whether a failed request may have been answered and billed by the provider. One that ended in an HTTP error was not."""
    if isinstance(error, ModelFailure):
        return False
    status = getattr(error, "status_code", None)
    if isinstance(status, int) and status >= 400:
        return False
    names = {cls.__name__ for link in _chain(error) for cls in type(link).__mro__}
    if names & _UNSENT:
        return False
    return not isinstance(error, Exception) or _kind_of(error) not in (None, "bad_request", "bad_key")


def check(message: AIMessage, provider: str, *, may_be_empty: bool = False) -> None:
    """Raise `ModelFailure` for an unusable answer: refused, cut, empty, or without a stop reason.

    `may_be_empty` allows an answer without text, with which a turn may end a conversation.
    """
    facts = message.response_metadata
    reason = facts.get("stop_reason") or facts.get("finish_reason") or facts.get("done_reason")
    if reason is None:
        raise ModelFailure("stream_cut", "the answer ended without a stop reason")
    kind = _STOPPED.get(str(reason))
    if kind is None and message.additional_kwargs.get("refusal"):
        kind = "refusal"
    if kind is not None:
        raise ModelFailure(kind, f"{_SAY[kind]} (stop reason {reason})")
    if message.invalid_tool_calls:
        name = message.invalid_tool_calls[0].get("name") or "a tool"
        raise ModelFailure("malformed", f"the arguments of the call of {name} are no JSON object")
    if provider == "offline" or may_be_empty:
        return
    if not message.tool_calls and not message.text.strip():
        raise ModelFailure("malformed", "the answer holds neither text nor a tool call")


def _error_text(error: Exception) -> str:
    """Return the provider's own message where there is one, else the error's."""
    body = getattr(error, "body", None)
    inner = body.get("error", body) if isinstance(body, dict) else None
    if isinstance(inner, dict) and inner.get("message"):
        status = getattr(error, "status_code", None)
        about = ", ".join(
            str(part) for part in (f"HTTP {status}" if status else None, inner.get("type")) if part
        )
        return f"{inner['message']} ({about})"
    if isinstance(error, TimeoutError):
        return str(error) if isinstance(error, NoToken) else "no answer in time"
    if EMPTY_STREAM in str(error):
        return "the stream held no answer; --streaming off asks for answers in one piece"
    return f"{type(error).__name__}: {str(error).strip()}".rstrip(": ")


def _kind_of(error: Exception) -> FailureKind | None:
    from langchain_core.exceptions import ContextOverflowError  # slow to import, seldom needed

    if isinstance(error, ContextOverflowError):
        return "context_overflow"
    if type(error).__name__ == "ModelRefusalError" or "refusal" in type(error).__name__.lower():
        return "refusal"
    if isinstance(error, TimeoutError):
        return "timeout"
    status = getattr(error, "status_code", None)
    if isinstance(status, int):
        return _of_status(status, error)
    return _of_transport(error) or _of_body(error)


def _of_transport(error: Exception) -> FailureKind | None:
    """Classify an error by the class names of its causes, because every library has its own transport errors."""
    names = [cls.__name__ for link in _chain(error) for cls in type(link).__mro__]
    if any("Timeout" in name for name in names):
        return "timeout"
    if "RemoteProtocolError" in names or "ReadError" in names:
        return "stream_cut"
    if any(name in ("TransportError", "APIConnectionError", "ConnectionError") for name in names):
        return "connection"
    return None


def _of_status(status: int, error: Exception) -> FailureKind:
    """Classify an error by the type in its body, then by its status. Errors in the middle of a stream have status 200."""
    body = getattr(error, "body", None)
    body_text = json.dumps(body, default=str).lower() if body is not None else ""
    text = f"{body_text} {error}".lower()
    if status < 500 and any(mark in text for mark in _NO_CREDIT):
        return "no_credit"
    if status in (400, 413, 422) and any(mark in text for mark in _TOO_LONG):
        return "context_overflow"
    if _NOT_STARTED_FOR in text:
        return "bad_request"
    kind = _BY_TYPE.get(_type_text(body))
    if kind is not None:
        return kind
    if status < 400:
        return "malformed" if not body_text else "server"
    return _BY_STATUS.get(status) or ("server" if status >= 500 else "bad_request")


def _type_text(body: Any) -> str:
    if isinstance(body, dict):
        inner = body.get("error")
        if isinstance(inner, dict):
            return str(inner.get("type", ""))
        return str(body.get("type", ""))
    return ""


def _of_body(error: Exception) -> FailureKind | None:
    """Classify an error without status. Libraries raise all kinds of errors for a body that is no message."""
    if isinstance(error, TypeError) and "authentication" in str(error):
        return "bad_key"
    if isinstance(error, UnicodeEncodeError):
        return "bad_request"  # a lone surrogate in what was to be sent
    if type(error).__name__ == "APIResponseValidationError":
        return "malformed"
    if isinstance(error, ValueError | TypeError | AttributeError | LookupError) and _while_reading(error):
        return "malformed"
    return "server" if type(error).__module__.partition(".")[0] in ("anthropic", "openai", "ollama") else None


def _while_reading(error: Exception) -> bool:
    """Tell whether a library raised an error while reading an answer. Errors in writing the request or in this package's code do not count."""
    if EMPTY_STREAM in str(error):
        return True
    trace = error.__traceback__
    inside = False
    while trace is not None:
        frame = trace.tb_frame
        if frame.f_code.co_name in ("_get_request_payload", "_format_messages", "_chat_params"):
            return False
        module = frame.f_globals.get("__name__", "").partition(".")[0]
        inside = inside or module in ("langchain_anthropic", "langchain_openai", "langchain_ollama")
        trace = trace.tb_next
    return inside


def _chain(error: BaseException) -> Iterator[BaseException]:
    link: BaseException | None = error
    for _ in range(6):
        if link is None:
            return
        yield link
        link = link.__cause__ or link.__context__


def _retry_after(error: Exception) -> float | None:
    headers = getattr(getattr(error, "response", None), "headers", None)
    if headers is None:
        return None
    try:
        if millis := headers.get("retry-after-ms"):
            return max(0.0, float(millis) / 1000)
        value = headers.get("retry-after")
        if not value:
            return None
        if value.replace(".", "", 1).isdigit():
            return float(value)
        sent = headers.get("date")
        now = parsedate_to_datetime(sent) if sent else datetime.now(UTC)
        return max(0.0, (parsedate_to_datetime(value) - now).total_seconds())
    except (ValueError, TypeError):
        return None
