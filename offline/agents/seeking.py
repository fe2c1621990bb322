"""The rules' searches where no shop is behind the question. The things that it names, and each thing that it wants to know of them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from drr.offline.agents.question import asides_of, content_words, is_stop, read

MOST = 5
_NAMES_MOST, _THING, _WORDS = 2, 4, 6
_FILE = re.compile(r"\(?[\w-]{1,80}\.(?:pdf|xlsx|csv|eml|html?|md|txt|png|jpe?g)\b\)?", re.IGNORECASE)
_WORD = re.compile(r"[^\W_](?:[^\W_]|['’-](?=\w))*|[^\w\s]")
_BREAK = frozenset(".?!:;")


def searches(text: str) -> list[str]:
    """List short searches: each thing by its name, then the names with the words of each clause that asks.
    Where nothing has a name, the question's main word stands in."""
    text = _FILE.sub(" ", text)
    things = list(dict.fromkeys(_things(text)))
    names = " ".join(list(dict.fromkeys(name for name, _ in things))[:_NAMES_MOST])
    names = names or read(text).topic
    if not names:
        return []
    found = [f"{name} {thing}".strip() for name, thing in things[:_NAMES_MOST]]
    named = {word.lower() for one in (names, *found) for word in one.split()}
    for clause in asides_of(text):
        words = [word for word in _words(clause) if word.lower() not in named][:_WORDS]
        if len(words) >= 2:
            found.append(f"{names} {' '.join(words)}")
    return list(dict.fromkeys(found))[:MOST]


def names_in(text: str) -> set[str]:
    """The words by which things are named, as they are compared."""
    return {word for name, _ in _things(_FILE.sub(" ", text)) for word in content_words(name)}


def _things(text: str) -> Iterator[tuple[str, str]]:
    """Yield names in the middle of a sentence with the words of the thing beside them. Behind, or before a small word."""
    words = _WORD.findall(text)
    place = 0
    while place < len(words):
        if not _is_name(words, place):
            place += 1
            continue
        end = place
        while end < len(words) and words[end][0].isupper():
            end += 1
        name = " ".join(words[place:end])
        yield name, " ".join(_longer(_behind(words, end), _before(words, place)))
        place = end


def _is_name(words: list[str], place: int) -> bool:
    word = words[place]
    first = place == 0 or words[place - 1] in _BREAK
    return word[0].isupper() and len(word) > 1 and not first and not is_stop(word)


def _behind(words: list[str], start: int) -> list[str]:
    found: list[str] = []
    for word in words[start : start + _THING]:
        if not word[0].isalpha() or is_stop(word) or not content_words(word):
            break
        found.append(word)
    return found


def _before(words: list[str], end: int) -> list[str]:
    """`bypass pruning shears from Finchfield`."""
    found: list[str] = []
    for word in reversed(words[max(0, end - 1 - _THING) : max(0, end - 1)]):
        if not word[0].isalpha() or is_stop(word) or not content_words(word):
            break
        found.insert(0, word)
    return found


def _words(clause: str) -> list[str]:
    return [word for word in _WORD.findall(clause) if word[0].isalnum() and content_words(word)]


def _longer(a: list[str], b: list[str]) -> list[str]:
    return a if len(a) >= len(b) else b
