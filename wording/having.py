"""Whether a figure is said to be a thing's own (`is rated for up to 300 pounds`), or is a need, a difference or another thing's."""

from __future__ import annotations

import re

from drr.wording.comparisons import SIDES
from drr.wording.vocabulary import Wordbook, either, vocabulary

_UNIT = r"(?:ounces?|oz|feet|foot|ft|inch|inches|yards?)\s(?:(?:an?|per)\s[a-z]{3,7}\s)?"


class HavingReader:
    """Reads what stands before a figure, behind it, and around it."""

    def __init__(self, words: Wordbook) -> None:
        some = words.either
        compared = either([*words["compared"], *SIDES.measured])
        self._has = re.compile(
            rf"\b(?:{some('has')})(?:\s(?:rated|listed|stated|specified|given|sold))?(?:\s(?:for|at|with|as|of|in|by))?(?:\s(?:up\sto|at\smost))?(?:\s(?:an?|the))?[\s*_]{{1,3}}$",
            re.I,
        )
        self._led = re.compile(rf"\b(?:{some('led')})[\s*_]{{1,3}}(?:(?:an?|the|any)\s)?[*_]{{0,3}}$", re.I)
        self._compared = re.compile(
            rf"[\s*_]{{0,3}}(?:{_UNIT})?(?:{compared})\b|[\s*_]{{0,2}}[=×x+/–-]", re.I
        )
        self._otherwise = re.compile(rf"\b(?:{some('otherwise')})\b|n['’]t\b|[?×=+]", re.I)

    def is_had(self, before: str) -> bool:
        """Whether a verb leads to the figure that stands behind: the thing has it."""
        return self._has.search(before) is not None

    def is_else(self, before: str, text: str, end: int) -> bool:
        """Whether the words right before and behind a figure make it a difference, a bound or a rate."""
        return self._led.search(before) is not None or self._compared.match(text, end) is not None

    def is_otherwise(self, clause: str) -> bool:
        """Whether its clause may be of a need, a use or another thing."""
        return self._otherwise.search(clause) is not None


HAVING = HavingReader(vocabulary("having"))
