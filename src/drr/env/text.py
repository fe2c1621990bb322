"""The shop's one tokenizer, and the keys made of text. Every backend indexes and searches with these, so all give the same answers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from math import log
from unicodedata import combining, normalize

from drr.env.languages import LONGEST, WORD, snowball_stem, surfaces
from drr.env.languages import VERSION as LANGUAGES_VERSION

VERSION = "1"
"""The tokenizer's version, recorded in a shop's manifest: an index built by another tokenizer gives other answers."""

_FOREIGN = re.compile(r"[^\x00-\x7f]+")
_POSSESSIVE = re.compile(r"['\u2019]s\b")
MOST_WORDS = 512


def folded_text(text: str) -> str:
    """Return a text in lowercase without accents, full-width forms or ligatures, so that spellings of one word become equal."""
    if text.isascii():
        return text.lower()
    return _FOREIGN.sub(_fold_letters, text.casefold())


def _fold_letters(match: re.Match[str]) -> str:
    return "".join(c for c in normalize("NFKD", match[0]) if not combining(c)).casefold()


@lru_cache(maxsize=1 << 17)
def stem(word: str) -> str:
    """Return the singular of an English plural, by its ending alone. Words with a digit and short words stay as they are."""
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


def text_version(language: str | None) -> str:
    """Return the version of the tokenizer for a shop's language, as its manifest has it."""
    return VERSION if language is None else f"{VERSION}.{language}.{LANGUAGES_VERSION}"


def word_stem(word: str, language: str) -> str:
    """Return a written word of another language than English as it is indexed."""
    return folded_text(snowball_stem(word, language))


def tokens(text: str, language: str | None = None) -> list[str]:
    """Return the words of a text as they are indexed and searched; `3.5mm` is one word, `dog's` is `dog`."""
    if language is not None:
        return [word_stem(word, language) for word in surfaces(text)]
    folded = folded_text(text)
    if "'" in folded or "\u2019" in folded:
        folded = _POSSESSIVE.sub("", folded)
    return [stem(word[:LONGEST]) for word in WORD.findall(folded)]


def query_words(query: str, language: str | None = None) -> list[str]:
    """Return the words of a query, each once, at most `MOST_WORDS`. No index takes more, and nobody means more."""
    return list(dict.fromkeys(tokens(query, language)))[:MOST_WORDS]


def indexed_text(title: str, features: list[str], description: list[str], language: str | None = None) -> str:
    """Return the text of a product that a catalogue indexes, with single spaces between words. The title is repeated so that it counts twice."""
    head = tokens(title, language)
    rest = [*tokens("\n".join(features), language), *tokens("\n".join(description), language)]
    return " ".join([*head, *head, *rest])


@lru_cache(maxsize=1 << 14)
def category_key(name: str, language: str | None = None) -> str:
    """Return the key under which `Patio_Lawn_and_Garden` and `Patio, Lawn & Garden` are the same category."""
    return "_".join(word for word in tokens(name.replace("_", " "), language) if word != "and")


def is_text(key: str) -> bool:
    """Tell whether a text can be a key of a shop. Half a surrogate pair is a text for no database."""
    if key.isascii():
        return True
    try:
        key.encode()
    except UnicodeEncodeError:
        return False
    return True


def person_key(*parts: str) -> str:
    """Return a name or an e-mail address as `find_users` compares it: without case, and with one space between words."""
    return "\n".join([" ".join(part.split()) for part in parts]).casefold()


def sample_key(seed: int, user_id: str) -> bytes:
    """Return the sort key of a user in a seeded shuffle. Ties do not occur in practice; they would be ordered by user id."""
    return blake2b(f"{seed}\n{user_id}".encode(), digest_size=12).digest()


def nearest(key: str, candidates: list[str], limit: int) -> list[str]:
    """Return the candidates that share the longest beginning with the key."""

    def shared(candidate: str) -> int:
        return next((i for i, (a, b) in enumerate(zip(key, candidate, strict=False)) if a != b), len(key))

    return sorted((c for c in candidates if shared(c) > 0), key=lambda c: (-shared(c), c))[:limit]


_K1, _B = 1.2, 0.75


class Bm25:
    def __init__(self, texts: Sequence[str] = (), *, bags: Sequence[Counter[str]] | None = None) -> None:
        """Index texts, or `bags`, the words of the texts, if the caller has counted these."""
        self._words = [Counter(tokens(text)) for text in texts] if bags is None else list(bags)
        lengths = [sum(bag.values()) for bag in self._words]
        self._mean = sum(lengths) / max(1, len(lengths))
        self._norms = [self._norm(length) for length in lengths]
        self._holding: dict[str, list[tuple[int, int]]] = {}

    def scores(self, query: str) -> list[float]:
        """Return one score for each text, in their order; 0 if no word is shared."""
        found = [0.0] * len(self._words)
        for word in _query_words(query):
            weight = self._weight(word)
            for place, times in self._texts_with(word):
                found[place] += weight * times * (_K1 + 1) / (times + self._norms[place])
        return found

    def _texts_with(self, word: str) -> list[tuple[int, int]]:
        """Return the texts that have a word, with the number of occurrences. Each word is looked up once."""
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


def _query_words(query: str) -> list[str]:
    """Return the query's words in a fixed order, because sums of floats depend on the order."""
    return list(dict.fromkeys(tokens(query)))


WIDTH = 3
Run = tuple[str, ...]


def word_sequences(words: list[str], width: int) -> list[Run]:
    """Return every sequence of `width` consecutive words; none if there are fewer."""
    return list(zip(*(words[at:] for at in range(width)), strict=False)) if len(words) >= width else []


def text_shingles(text: str) -> frozenset[tuple[str, ...]]:
    words = tokens(text)
    if len(words) <= WIDTH:
        return frozenset({tuple(words)})
    return frozenset(tuple(words[at : at + WIDTH]) for at in range(len(words) - WIDTH + 1))


class SimilarTexts:
    """The texts so far, indexed by word sequences: a new text is compared only with texts that share a sequence."""

    def __init__(self) -> None:
        self._sizes: list[int] = []
        self._holders: dict[tuple[str, ...], list[int]] = {}

    def alike(self, own: frozenset[tuple[str, ...]]) -> list[tuple[int, float]]:
        """Return (position, similarity) of every earlier text that has a word sequence in common with this one, in order."""
        common = Counter(place for run in own for place in self._holders.get(run, ()))
        return [(place, n / (len(own) + self._sizes[place] - n)) for place, n in sorted(common.items())]

    def add(self, own: frozenset[tuple[str, ...]]) -> None:
        for run in own:
            self._holders.setdefault(run, []).append(len(self._sizes))
        self._sizes.append(len(own))

    def forget_last(self, own: frozenset[tuple[str, ...]]) -> None:
        """Remove the text added last; `own` is its set of word sequences."""
        for run in own:
            self._holders[run].pop()
        self._sizes.pop()
