"""What of a claim stands anywhere in its evidence, word by word, each as one: the plainest count, and on texts that people labelled the one that tells most.

Figures and names are words here. Further evidence never lowers what stands there.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from math import log, log1p

from drr.env.text import tokens
from drr.eval.evidence.aligned import GRAMMAR, Alignment, family

_GRAMMAR = frozenset(map(family, GRAMMAR))
_NEAR = 60
"""Words of the evidence among which what stands together is counted."""


def standing(beside: Alignment) -> dict[str, float]:
    claim, texts = _families(beside.claim), [_families(text) for text in beside.sentences]
    own = list(dict.fromkeys(word for word in claim if word not in _GRAMMAR))
    there = frozenset[str]().union(*texts)
    missing = [word for word in own if word not in there]
    pairs = set(pairwise(claim))
    found = pairs & {pair for text in texts for pair in pairwise(text)}
    names = beside.name_words
    return {
        "words_there": 1 - len(missing) / (len(own) or 1),
        "long_missing": _length(missing) / (_length(own) or 1),
        "near_together": _together(frozenset(own) & there, texts) / (len(own) or 1),
        "pairs_there": len(found) / (len(pairs) or 1),
        "names_missing": log1p(len(names - there)),
        "digits_missing": log1p(sum(word[0].isdigit() for word in missing)),
    }


@lru_cache(maxsize=65536)
def _families(text: str) -> tuple[str, ...]:
    return tuple(map(family, tokens(text)))


def _length(words: list[str]) -> float:
    """Longer words say more."""
    return sum(log(1 + len(word)) for word in words)


def _together(words: frozenset[str], texts: list[tuple[str, ...]]) -> int:
    """The most of these words that stand close by each other."""
    every = [word for text in texts for word in text]
    at = [place for place, word in enumerate(every) if word in words]
    counts, first, best = dict[str, int](), 0, 0
    for place in at:
        counts[every[place]] = counts.get(every[place], 0) + 1
        while place - at[first] > _NEAR:
            gone = every[at[first]]
            counts[gone] -= 1
            if not counts[gone]:
                del counts[gone]
            first += 1
        best = max(best, len(counts))
    return best
