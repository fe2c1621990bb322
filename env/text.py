"""The shop's one tokenizer, and the keys made of text. Every backend indexes and asks with these, so that they agree."""

from __future__ import annotations

import re
from functools import lru_cache
from hashlib import blake2b
from unicodedata import combining, normalize

VERSION = "1"
"""Recorded in a shop's manifest: an index built by another tokenizer gives other answers."""

_WORD = re.compile(r"[^\W_]+(?:(?<=\d)\.(?=\d)[^\W_]+)*")
_FOREIGN = re.compile(r"[^\x00-\x7f]+")
_POSSESSIVE = re.compile(r"['\u2019]s\b")
# Elasticsearch's whitespace tokenizer splits longer words, tantivy does not; nobody searches for one.
_LONGEST = 64
MOST_WORDS = 512


def fold(text: str) -> str:
    """Lowercase without accents, full-width forms or ligatures: what two spellings of one word have in common."""
    if text.isascii():
        return text.lower()
    return _FOREIGN.sub(_plain, text.casefold())


def _plain(match: re.Match[str]) -> str:
    return "".join(c for c in normalize("NFKD", match[0]) if not combining(c)).casefold()


@lru_cache(maxsize=1 << 17)
def stem(word: str) -> str:
    """Singular of an English plural, by its ending alone. Words with a digit and short words stay as they are."""
    if len(word) < 4 or word[-1] != "s" or not word.isascii() or not word.isalpha():
        return word
    if word.endswith("ies") and not word.endswith(("aies", "eies")) and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "sses", "xes", "zzes")) and len(word) > 4:
        return word[:-2]
    if word.endswith("toes") and len(word) > 5:
        return word[:-2]
    if word.endswith(("ss", "us", "is")):
        return word
    return word[:-1]


def tokens(text: str) -> list[str]:
    """The words of a text as they are indexed and asked for; `3.5mm` is one word, `dog's` is `dog`."""
    folded = fold(text)
    if "'" in folded or "\u2019" in folded:
        folded = _POSSESSIVE.sub("", folded)
    return [stem(word[:_LONGEST]) for word in _WORD.findall(folded)]


def query_words(query: str) -> list[str]:
    """The words of a query, each once. More than `MOST_WORDS` no index takes and nobody means."""
    return list(dict.fromkeys(tokens(query)))[:MOST_WORDS]


def indexed_text(title: str, features: list[str], description: list[str]) -> str:
    """Make the text that a catalogue indexes of a product: the title counts twice. Words are separated by single spaces."""
    head = tokens(title)
    return " ".join([*head, *head, *tokens("\n".join(features)), *tokens("\n".join(description))])


@lru_cache(maxsize=1 << 14)
def category_key(name: str) -> str:
    """`Patio_Lawn_and_Garden` and `Patio, Lawn & Garden` are the same category."""
    return "_".join(word for word in tokens(name.replace("_", " ")) if word != "and")


def is_text(key: str) -> bool:
    """Tell whether a key can be one of a shop at all. Half a surrogate pair is no text to any database."""
    if key.isascii():
        return True
    try:
        key.encode()
    except UnicodeEncodeError:
        return False
    return True


def person_key(*parts: str) -> str:
    """A name or an e-mail address as `find_users` compares it: without regard to case and to spaces around it."""
    return "\n".join([" ".join(part.split()) for part in parts]).casefold()


def sample_key(seed: int, user_id: str) -> bytes:
    """The place of a user in a seeded shuffle; ties cannot occur in practice and would go by user id."""
    return blake2b(f"{seed}\n{user_id}".encode(), digest_size=12).digest()


def nearest(key: str, candidates: list[str], limit: int) -> list[str]:
    """List those that share the longest beginning with the key."""

    def shared(candidate: str) -> int:
        return next((i for i, (a, b) in enumerate(zip(key, candidate, strict=False)) if a != b), len(key))

    return sorted((c for c in candidates if shared(c) > 0), key=lambda c: (-shared(c), c))[:limit]
