"""The reading of a category filter. A file's name, a step of a path or its end, several steps with `>` between them."""

from __future__ import annotations

import re

from drr.env.search.fields import raw_key

_STEP = re.compile(r"\s{0,20}(?:>|\u203a|\u00bb|\|)\s*")


def shelf_parts(category: str | None) -> list[str]:
    """List the keys that a product's path must all have. A name without a word in it is a key that none has."""
    return [] if category is None else [raw_key(step) for step in _STEP.split(category)]
