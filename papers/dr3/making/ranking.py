"""Words in pages: the ranking that a task's terms are tried on, tokens counted, values looked up."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from drr.env.text import Bm25, fold, tokens
from drr.papers.dr3.corpus_web import CHARS_PER_TOKEN, cut
from drr.papers.dr3.form import CorpusPage

COUNTER = "characters/4"
TOP = 5
"""Hits in which a signal term must show a supportive page, and a noise term none."""
GUIDANCE_TOP = 20
"""Hits of the question's own words among which a supportive page must be: two pages of results."""
_TITLE = 2
"""Weight of a title in each piece, as in the search of agents."""
_APART, _ROOT = 2, 4
"""Words that may stand between those of a term and it is still said; letters that a root keeps."""
_ENDINGS = re.compile(r"(?:ments?|ings?|ed|ers?|ly|ions?|ance|es|e|y)$")


def token_count(title: str, text: str) -> int:
    return -(-(len(title) + len(text)) // CHARS_PER_TOKEN)


@lru_cache(maxsize=6_000)
def _bags(title: str, text: str) -> tuple[Counter[str], ...]:
    """Count the words of a page piece by piece, its title in each. The tasks of a set share most of their pages."""
    head = tokens(title) * _TITLE
    return tuple(Counter([*head, *tokens(piece)]) for piece in cut(text))


class PageRanking:
    """The ranking of the pages of one corpus."""

    def __init__(self, pages: Sequence[CorpusPage]) -> None:
        bags = [_bags(page.title, page.text) for page in pages]
        self._page_of = [number for number, own in enumerate(bags) for _ in own]
        self._index = Bm25(bags=[bag for own in bags for bag in own])
        self._urls = [page.url for page in pages]

    def best(self, query: str, top: int) -> list[str]:
        """List the addresses of the best pages, ties by place; pages that share no word are never among them."""
        scores = self._index.scores(query)
        hits = [place for place, score in enumerate(scores) if score > 0]
        hits.sort(key=lambda place: (-scores[place], place))
        return list(dict.fromkeys(self._urls[self._page_of[place]] for place in hits))[:top]


def stands_in(value: str, folded: str) -> bool:
    """Tell whether a value stands in a folded text as itself, not as part of a longer figure or word."""
    plain = fold(value)
    at = folded.find(plain)
    while at >= 0:
        end = at + len(plain)
        before, after = folded[at - 1 : at], folded[end : end + 2]
        longer = before.isalnum() or (
            before in (".", ",") and folded[at - 2 : at - 1].isdigit() and plain[0].isdigit()
        )
        if not longer and not after[:1].isalnum() and not (after[:1] in (".", ",") and after[1:].isdigit()):
            return True
        at = folded.find(plain, at + 1)
    return False


def exposes(question: str, term: str) -> bool:
    """Tell whether a question says a term: all its words close together, in any order and with any ending."""
    roots, wanted = ([_root(word) for word in tokens(text)] for text in (question, term))
    width = len(wanted) + _APART
    windows = range(max(1, len(roots) - width + 1))
    return any(set(wanted) <= set(roots[at : at + width]) for at in windows)


def _root(word: str) -> str:
    """Return what `measured`, `measuring` and `measurement` share; short words stay."""
    cut_off = _ENDINGS.sub("", word)
    return cut_off if len(cut_off) >= _ROOT else word
