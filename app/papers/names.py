"""What the papers are called on the command line."""

from __future__ import annotations

from typing import Literal

PaperName = Literal["retail", "pdr", "dr3", "reporteval"]
PAPERS: tuple[PaperName, ...] = ("retail", "pdr", "dr3", "reporteval")
