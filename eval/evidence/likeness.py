"""The likeness of texts by their words alone: runs of words, figures and names. It finds what is worth asking about."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations
from math import log

import numpy as np
from drr.env.text import tokens
from drr.eval.evidence.words import content_words, family, plain
from drr.wording.figures import numbers

_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f]")
"""Scripts that are written without spaces, or whose words change their ends."""


@lru_cache(maxsize=4096)
def words_in_order(text: str) -> tuple[str, ...]:
    """List the words as they are read; of scripts without spaces the signs, one by one."""
    found: list[str] = []
    for word in tokens(plain(text)):
        found += list(word) if _UNSPACED.search(word) else [word]
    return tuple(found)


@lru_cache(maxsize=4096)
def terms(text: str) -> frozenset[str]:
    """Collect a text's terms: its words without their endings, pairs of signs of scripts without spaces, and figures."""
    found: set[str] = set()
    for word in content_words(text):
        if _UNSPACED.search(word):
            found.update(word[at : at + 2] for at in range(max(1, len(word) - 1)))
        else:
            found.add(family(word))
    return frozenset(found | {f"#{one.value:g}" for one in numbers(plain(text))})


def most_alike(texts: Sequence[str]) -> list[tuple[int, int]]:
    """List all pairs, those first that share most of what few of these texts have. Of equals the nearest to each other first."""
    term_sets = [terms(text) for text in texts]
    pairs = list(combinations(range(len(texts)), 2))
    if not pairs:
        return []
    counts = Counter(term for own in term_sets for term in own)
    places = {term: place for place, term in enumerate(sorted(counts))}
    weights = np.array([log((len(texts) + 1) / (counts[term] + 0.5)) for term in sorted(counts)])
    shown = np.zeros((len(texts), max(1, len(places))))
    for row, own in enumerate(term_sets):
        shown[row, [places[term] for term in own]] = 1
    weighed = shown * np.clip(weights, 0, None) if places else shown
    common, whole = np.einsum("it,jt->ij", weighed, shown), weighed.sum(axis=1)
    alike = {(i, j): round(float(common[i, j] / (min(whole[i], whole[j]) or 1)), 6) for i, j in pairs}
    return sorted(pairs, key=lambda pair: (-alike[pair], pair[1] - pair[0], pair))
