"""BM25 in the form Lucene has, with exact document lengths: what every catalogue's ranking is compared with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
from drr.env.entities import Product
from drr.env.text import indexed_text, tokens

K1, B = 1.2, 0.75


class Reference:
    def __init__(self, products: Iterable[Product]) -> None:
        postings: dict[str, list[tuple[int, int]]] = {}
        lengths: list[int] = []
        self.ids: list[str] = []
        for number, product in enumerate(products):
            words = indexed_text(product.title, product.features, product.description).split(" ")
            lengths.append(len(words))
            self.ids.append(product.product_id)
            for word, count in Counter(words).items():
                postings.setdefault(word, []).append((number, count))
        self._postings = {word: np.array(entries) for word, entries in postings.items()}
        self._norm = K1 * (1 - B + B * np.array(lengths) / np.mean(lengths))

    def scores(self, query: str) -> np.ndarray:
        total = np.zeros(len(self.ids))
        for word in dict.fromkeys(tokens(query)):
            entries = self._postings.get(word)
            if entries is None:
                continue
            holders, tf = entries[:, 0], entries[:, 1]
            idf = np.log(1 + (len(self.ids) - len(holders) + 0.5) / (len(holders) + 0.5))
            total[holders] += idf * tf / (tf + self._norm[holders])
        return total

    def top(self, query: str, count: int = 10) -> list[str]:
        scores = self.scores(query)
        order = np.lexsort((np.arange(len(scores)), -scores))[:count]
        return [self.ids[k] for k in order if scores[k] > 0]


def overlap(found: Sequence[str], wanted: Sequence[str]) -> float:
    """Share of the wanted that was found; 1 where nothing is wanted."""
    return len(set(found) & set(wanted)) / len(wanted) if wanted else 1.0
