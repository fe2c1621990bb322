"""The ways in which a model call can fail, each by its own name. A failure is never a report and never a score."""

from __future__ import annotations

from typing import Literal, get_args

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
"""How an answer can be none: without content, without any research, or the text of a call. It was asked for twice."""
NO_ANSWER: frozenset[str] = frozenset(get_args(NoAnswer))

TRANSIENT: frozenset[str] = frozenset(
    {"stream_cut", "timeout", "rate_limited", "overloaded", "server", "connection"}
)
FATAL: frozenset[str] = frozenset({"bad_key", "unknown_model", "no_credit"})
"""These stop a study at the first unit: every other unit would fail the same way."""


class ModelFailure(Exception):
    """A model call that gave no usable answer, after whatever retries its kind allows."""

    def __init__(self, kind: FailureKind, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.kind: FailureKind = kind
        self.retry_after = retry_after

    @property
    def transient(self) -> bool:
        return self.kind in TRANSIENT

    @property
    def fatal(self) -> bool:
        return self.kind in FATAL


class ModelSetupError(Exception):
    """A choice that cannot work, found before any call. No such provider, a package or a key that is missing, a bad file."""
