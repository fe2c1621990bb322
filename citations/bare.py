"""Prose without addresses: links keep their words, and whatever else leads somewhere is taken out.

For texts in which code sets every address itself. What is left holds nothing that `parse` would read as a citation.
"""

from __future__ import annotations

import re

_LINK = re.compile(
    r"!?\[([^\[\]]{0,500})\](?:\([^()]{0,2000}(?:\([^()]{0,500}\)[^()]{0,500})?\)|\[[^\[\]]{0,200}\])"
)
_TAG = re.compile(r"</?[A-Za-z!?][^<>]{0,3000}>?")
_SCHEME = re.compile(
    r"\b[A-Za-z][A-Za-z0-9+.-]{1,15}:\s?/\s?/\S*|\b(?:mailto|javascript|data|tel|doi):\S+|\bwww\.\S+", re.I
)
_MAIL = re.compile(r"(?<!\S)[^\s@]*+@\S+")
_SITE = re.compile(
    r"(?<![\w@.])(?:[A-Za-z0-9-]{2,63}\.)+(?:[a-z]{2,24}|[A-Z]{2,24})(?![\w])(?:[/?#:]\S*)?|(?<![\w.])//[A-Za-z0-9-]+\.\S+"
)
_ROUNDS = 6
"""What is put together by taking something out is taken out too."""


def without_addresses(text: str) -> str:
    """The text on which no link, tag, address, e-mail or name of a site is left."""
    for _ in range(_ROUNDS):
        before = text
        text = _LINK.sub(r"\1", text)
        for pattern in (_TAG, _SCHEME, _MAIL, _SITE):
            text = pattern.sub(" ", text)
        if text == before:
            break
    return text
