"""Every word of every answer, of its claims and of what was read for it. A script that the index loads when somebody searches.

The same file serves the server and a folder that opens from disk, where a page may load scripts of its own and fetch nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from drr.app.viewer.reader import Reader

FILE = "words.js"
_WORD = re.compile(r"[^\W_]+(?:[.,][0-9]+)*")
_LONGEST = 40
"""Letters from which on nobody types a word."""
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def words_script(reader: Reader) -> str:
    """Write answers by their keys; every word. For each word the answers that have it, as steps from one to the next."""
    entries = [entry for entry in reader.entries() if entry.status == "done"]
    texts = {entry.key: [entry.query, *entry.said, *reader.texts(entry.key)] for entry in entries}
    return script(texts)


def script(texts: Mapping[str, Iterable[str]]) -> str:
    places: dict[str, list[int]] = {}
    vocabulary = _Vocabulary()
    for place, own in enumerate(texts.values()):
        for word in set[str]().union(*map(vocabulary.words, own)):
            places.setdefault(word, []).append(place)
    known = sorted(places)
    document = {
        "keys": list(texts),
        "words": " ".join(known),
        "steps": " ".join(".".join(_steps(places[word])) for word in known),
    }
    text = json.dumps(document, separators=(",", ":")).replace("<", "\\u003c")
    return f"window.drrWords = {text};\n"


class _Vocabulary:
    """A page is read for many answers; its words are found once."""

    def __init__(self) -> None:
        self._known: dict[bytes, frozenset[str]] = {}

    def words(self, text: str) -> frozenset[str]:
        name = sha256(text.encode("utf-8", "surrogatepass")).digest()
        if name not in self._known:
            found = _WORD.findall(text.lower())
            self._known[name] = frozenset(word for word in found if len(word) <= _LONGEST)
        return self._known[name]


def _steps(places: Sequence[int]) -> Iterator[str]:
    last = 0
    for place in places:
        yield _short(place - last)
        last = place


def _short(number: int) -> str:
    """Write in base 36, as `parseInt` reads it."""
    shown = ""
    while True:
        number, digit = divmod(number, 36)
        shown = _DIGITS[digit] + shown
        if not number:
            return shown
