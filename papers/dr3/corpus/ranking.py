"""Pages ranked for a query as agents meet them: by the best of their pieces, by words (BM25)."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Sequence

from drr.env.bm25 import Bm25
from drr.env.text import tokens
from drr.papers.dr3.form import CorpusPage
from drr.papers.dr3.pieces import cut

PieceBags = tuple[Counter[str], ...]
"""The words of a page, piece by piece, its title in each."""
_KEPT = 6_000
_TITLE = 2
"""As often as the search of agents counts it in each piece; a test asks both."""
_bags: OrderedDict[tuple[str, str], PieceBags] = OrderedDict()
"""Of the pages taken apart last: the tasks of a set share most of theirs."""


def piece_bags(title: str, text: str) -> PieceBags:
    head = tokens(title) * _TITLE
    return tuple(Counter([*head, *tokens(piece)]) for piece in cut(text))


class PageRanking:
    """The ranking of the pages of one corpus."""

    def __init__(self, pages: Sequence[PieceBags]) -> None:
        self._page_of = [number for number, bags in enumerate(pages) for _ in bags]
        self._index = Bm25(bags=[bag for bags in pages for bag in bags])

    @classmethod
    def of(cls, pages: Sequence[CorpusPage]) -> PageRanking:
        return cls([_kept(page) for page in pages])

    def best(self, query: str, top: int) -> list[int]:
        """Places of the best pages, ties by place; pages that share no word are never among them."""
        return [place for place, _ in self.scored(query, top)]

    def scored(self, query: str, top: int) -> list[tuple[int, float]]:
        """The best pages, each with the score of its best piece."""
        scores = self._index.scores(query)
        hits = sorted(
            (place for place, score in enumerate(scores) if score > 0), key=lambda at: (-scores[at], at)
        )
        found: dict[int, float] = {}
        for place in hits:
            found.setdefault(self._page_of[place], scores[place])
            if len(found) == top:
                break
        return list(found.items())

    def score_of(self, page: PieceBags, query: str) -> float:
        """Return the score that a page of another text would have here."""
        return max((self._index.score_of(bag, query) for bag in page), default=0.0)


def _kept(page: CorpusPage) -> PieceBags:
    key = (page.title, page.text)
    found = _bags.get(key)
    if found is None:
        found = _bags[key] = piece_bags(*key)
        if len(_bags) > _KEPT:
            _bags.popitem(last=False)
    else:
        _bags.move_to_end(key)
    return found
