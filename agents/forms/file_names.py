"""Names of files in sentences of a form. Each stands in as one mark, so that nothing takes `2022.csv` for an address or a figure."""

from __future__ import annotations

import re
from collections.abc import Sequence

_FIRST, _MOST = 0xE000, 100
"""Characters that Unicode leaves to private use: no letter, no digit, and in no text of ours."""
_STRAY = re.compile("[\ue000-\uf8ff]")
_HARMLESS = re.compile(r"\w[\w .()+-]{0,120}\.(?:pdf|png|jpe?g|xlsx|csv|eml|html?|md|txt)", re.IGNORECASE)
"""Endings of what drawers hold; a file that is named like a site stays cut."""


class FileNames:
    """The names of files that belong to a question. A name counts where it stands by itself and in no address."""

    def __init__(self, names: Sequence[str] = ()) -> None:
        known = {name.casefold(): name for name in names if _HARMLESS.fullmatch(name)}
        self._marks = {name: chr(_FIRST + place) for place, name in enumerate(list(known)[:_MOST])}
        self._names = {mark: known[name] for name, mark in self._marks.items()}
        either = "|".join(map(re.escape, sorted(self._marks, key=len, reverse=True)))
        self._said = re.compile(rf"(?<![\w@./:-])(?:{either})(?![\w@/#-]|\.\w)", re.IGNORECASE)

    def marked(self, text: str) -> str:
        """`text` without marks of its own, and with one for each name."""
        text = _STRAY.sub("", text)
        return self._said.sub(lambda match: self._marks[match[0].casefold()], text) if self._marks else text

    def restored(self, text: str) -> str:
        return _STRAY.sub(lambda match: self._names.get(match[0], ""), text)


def is_mark(char: str) -> bool:
    return _STRAY.match(char) is not None


NO_FILES = FileNames()
