"""The sentences of a page or a text of others."""

from __future__ import annotations

import re
from collections.abc import Iterable


def sentences(text: str) -> Iterable[str]:
    """The sentences of a plain or Markdown text, without markup; tables, headings and code are left out."""
    prose = re.sub(r"```.*?```|^[ \t]*[#|>][^\n]*$", " ", text, flags=re.DOTALL | re.MULTILINE)
    prose = re.sub(r"!?\[([^\]]{0,500})\]\([^)]{0,2000}\)", r"\1", prose)
    prose = re.sub(r"^[^\S\n]*+(?:[-*+]|\d++[.)])\s+", "", prose, flags=re.MULTILINE)
    prose = re.sub(r"[*_`]{1,3}", "", prose)
    for paragraph in re.split(r"\n\s*\n|\n(?=\S)", prose):
        for sentence in re.split(r"(?<=[.!?])\s+(?=[A-Z0-9\"“(])", " ".join(paragraph.split())):
            if sentence:
                yield sentence
