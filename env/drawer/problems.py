"""The reasons why a file cannot be read, in a sentence for whoever asked."""

from __future__ import annotations

from typing import Literal

from drr.env.errors import DrrError

FileProblemKind = Literal["not_found", "invalid", "unsupported", "timeout", "unavailable"]


class FileProblem(DrrError):
    """`kind` is one of those that tools' errors have."""

    def __init__(self, kind: FileProblemKind, message: str) -> None:
        super().__init__(message)
        self.kind: FileProblemKind = kind
        self.message = message
