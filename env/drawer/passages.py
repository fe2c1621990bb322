"""The places in a file where some words stand. The phrase itself first, then those that hold most of its words."""

from __future__ import annotations

import re

from drr.env.drawer.content import FileContent, FilePart
from drr.env.text import tokens

AROUND = 250
"""Characters on each side of a hit."""
_MOST = 50
_WORD = re.compile(r"[^\W_]+(?:[.'’-][^\W_]+)*")


def passages(content: FileContent, query: str) -> list[FilePart]:
    """Best first, then in the order of the file; one for each place where hits are near each other."""
    wanted = set(tokens(query))
    phrase = " ".join(query.lower().split())
    found: list[tuple[bool, int, int, FilePart]] = []
    for part in content.parts():
        for start, exact, shared in _hits(part.text, phrase, wanted):
            piece = part.text[max(0, start - AROUND) : start + AROUND]
            found.append((not exact, -shared, len(found), FilePart(part.place, piece)))
            if len(found) >= 10_000:
                break
    most = min((shared for _, shared, _, _ in found), default=0)
    # Places that hold half of what the best holds, or less, are chance.
    kept = [
        one
        for one in sorted(found, key=lambda one: one[:3])
        if not one[0] or 2 * one[1] < most or one[1] == most
    ]
    return [part for _, _, _, part in kept[:_MOST]]


def _hits(text: str, phrase: str, wanted: set[str]) -> list[tuple[int, bool, int]]:
    """Middle of each hit, whether it is the phrase, and how many of the words stand around it."""
    flat = re.sub(r"\s", " ", text.lower())
    found: list[tuple[int, bool, int]] = []
    after = -1
    for match in re.finditer(re.escape(phrase), flat) if phrase else ():
        if match.start() >= after:
            found.append(((match.start() + match.end()) // 2, True, len(wanted)))
            after = match.end() + AROUND
    if found:
        return found
    places = [
        (match.start(), word) for match in _WORD.finditer(text) for word in tokens(match[0]) if word in wanted
    ]
    while places:
        near = [
            (start, {word for at, word in places if start <= at < start + 2 * AROUND})
            for start, _ in places[:500]
        ]
        start, words = max(near, key=lambda one: (len(one[1]), -one[0]))
        found.append((start + AROUND // 2, False, len(words)))
        places = [one for one in places if not start - AROUND <= one[0] < start + 2 * AROUND]
        if len(found) >= 20:
            break
    return found
