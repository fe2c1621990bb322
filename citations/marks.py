"""A marker in the body: its place, the id it names, its form."""

from __future__ import annotations

from typing import Literal

MarkForm = Literal["bracket", "range", "footnote", "label", "superscript", "glued"]
Mark = tuple[int, int, str, MarkForm, str]
"""Start, end, id, form, and `malformed` for an id that no list could have (`4-2`, `41-23`), `blanket` for a member of a range
of more than ten. A plain tuple, because there may be hundreds of thousands."""
