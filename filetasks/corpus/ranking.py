"""Pages ranked for a query by BM25 over their words, as filters and search terms try them."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Sequence

from drr.env.bm25 import Bm25
from drr.env.text import tokens
from drr.filetasks.form import CorpusPage

_KEPT = 6_000
_bags: OrderedDict[str, Counter[str]] = OrderedDict()
"""Of the texts counted last: the tasks of a set share most of their pages."""


class PageRanking:
    """Of one corpus."""

    def __init__(self, bags: Sequence[Counter[str]]) -> None:
        """`bags`: the words of each page, its title among them."""
        self._index = Bm25(bags=bags)

    @classmethod
    def of(cls, pages: Sequence[CorpusPage]) -> PageRanking:
        return cls([_bag(f"{page.title}\n{page.text}") for page in pages])

    def best(self, query: str, top: int) -> list[int]:
        """Places of the best, ties by place; pages that share no word are never among them."""
        scores = self._index.scores(query)
        hits = [place for place, score in enumerate(scores) if score > 0]
        return sorted(hits, key=lambda place: (-scores[place], place))[:top]


def _bag(text: str) -> Counter[str]:
    found = _bags.get(text)
    if found is None:
        found = _bags[text] = Counter(tokens(text))
        if len(_bags) > _KEPT:
            _bags.popitem(last=False)
    else:
        _bags.move_to_end(text)
    return found
