"""The shop's one tokenizer, and the keys made of text. Every backend indexes and asks with these, so that they agree."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from math import log
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


_K1, _B = 1.2, 0.75


class Bm25:
    def __init__(self, texts: Sequence[str] = (), *, bags: Sequence[Counter[str]] | None = None) -> None:
        """`bags`: the words of the texts, where the caller has them already."""
        self._words = [Counter(tokens(text)) for text in texts] if bags is None else list(bags)
        lengths = [sum(bag.values()) for bag in self._words]
        self._mean = sum(lengths) / max(1, len(lengths))
        self._norms = [self._norm(length) for length in lengths]
        self._holding: dict[str, list[tuple[int, int]]] = {}

    def scores(self, query: str) -> list[float]:
        """One for each text, in their order; 0 where no word is shared."""
        found = [0.0] * len(self._words)
        for word in _asked(query):
            weight = self._weight(word)
            for place, times in self._texts_with(word):
                found[place] += weight * times * (_K1 + 1) / (times + self._norms[place])
        return found

    def score_of(self, bag: Counter[str], query: str) -> float:
        """Score a text that is not among them, by how rare words are there."""
        norm, found = self._norm(sum(bag.values())), 0.0
        for word in _asked(query):
            if word in bag and self._texts_with(word):
                found += self._weight(word) * bag[word] * (_K1 + 1) / (bag[word] + norm)
        return found

    def _texts_with(self, word: str) -> list[tuple[int, int]]:
        """List the texts that have a word, and how often; looked up once for each word that is asked for."""
        found = self._holding.get(word)
        if found is None:
            found = self._holding[word] = [
                (place, bag[word]) for place, bag in enumerate(self._words) if word in bag
            ]
        return found

    def _weight(self, word: str) -> float:
        n, count = len(self._words), len(self._texts_with(word))
        return log(1 + (n - count + 0.5) / (count + 0.5))

    def _norm(self, length: int) -> float:
        return _K1 * (1 - _B + _B * length / self._mean) if self._mean else 1.0


def _asked(query: str) -> list[str]:
    """The query's words in their order: sums of floats depend on it."""
    return list(dict.fromkeys(tokens(query)))


WIDTH = 3
Run = tuple[str, ...]


def runs(words: list[str], width: int) -> list[Run]:
    """Every run of so many words; none where there are fewer."""
    return list(zip(*(words[at:] for at in range(width)), strict=False)) if len(words) >= width else []


def shingles(text: str) -> frozenset[tuple[str, ...]]:
    words = tokens(text)
    if len(words) <= WIDTH:
        return frozenset({tuple(words)})
    return frozenset(tuple(words[at : at + WIDTH]) for at in range(len(words) - WIDTH + 1))


def similarity(a: frozenset[tuple[str, ...]], b: frozenset[tuple[str, ...]]) -> float:
    """Jaccard: 1 for the same words in the same order, 0 for nothing in common."""
    union = len(a | b)
    return len(a & b) / union if union else 1.0


class Seen:
    """The texts so far, by their shingles: only those that share one with a new text are looked at."""

    def __init__(self) -> None:
        self._sizes: list[int] = []
        self._holders: dict[tuple[str, ...], list[int]] = {}

    def alike(self, own: frozenset[tuple[str, ...]]) -> list[tuple[int, float]]:
        """Place and similarity of every earlier text that has anything in common with this one, in order."""
        common = Counter(place for run in own for place in self._holders.get(run, ()))
        return [(place, n / (len(own) + self._sizes[place] - n)) for place, n in sorted(common.items())]

    def add(self, own: frozenset[tuple[str, ...]]) -> None:
        for run in own:
            self._holders.setdefault(run, []).append(len(self._sizes))
        self._sizes.append(len(own))

    def forget_last(self, own: frozenset[tuple[str, ...]]) -> None:
        """`own` is what was added last."""
        for run in own:
            self._holders[run].pop()
        self._sizes.pop()
