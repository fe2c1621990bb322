"""Ranks a corpus by words to try a task's search terms, counts tokens, and looks values up in texts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from typing import get_args

from drr.env.text import Bm25, folded_text, tokens
from drr.papers.dr3.corpus_web import CHARS_PER_TOKEN, cut
from drr.papers.dr3.form import CorpusPage, CorpusSize, CorpusSizes, json_line
from drr.papers.dr3.truth import KnownPage, PageKind, SizeTruth

COUNTER = "characters/4"
TOP = 5
"""Number of hits among which a signal term must show a supportive page, and a noise term none."""
GUIDANCE_TOP = 20
"""Number of hits of the question's own words among which a supportive page must be: two pages of results."""
_TITLE = 2
"""Weight of a title in each piece, as in the agents' search."""
_APART, _ROOT = 2, 4
"""Limits: extra words within a term that still counts as stated, and least letters of a root."""
_ENDINGS = re.compile(r"(?:ments?|ings?|ed|ers?|ly|ions?|ance|es|e|y)$")


def token_count(title: str, text: str) -> int:
    return -(-(len(title) + len(text)) // CHARS_PER_TOKEN)


def counted_sizes(
    targets: Mapping[str, int],
    ends: Mapping[str, int],
    pages: Sequence[CorpusPage],
    known: Iterable[KnownPage],
) -> tuple[dict[str, SizeTruth], CorpusSizes]:
    """Count the pages of each size by tokens and kinds. Return the counts, and the part that agents may know: pages and tokens."""
    kinds = {page.url: page.kind for page in known}
    token_counts = [token_count(page.title, page.text) for page in pages]
    lines = list(map(json_line, pages))
    truths: dict[str, SizeTruth] = {}
    for name, end in ends.items():
        counts = Counter(kinds.get(page.url, "noise") for page in pages[:end])
        truths[name] = SizeTruth(
            target=targets[name],
            tokens=sum(token_counts[:end]),
            counts={kind: counts[kind] for kind in get_args(PageKind)},
            sha256=sha256(b"".join(lines[:end])).hexdigest(),
        )
    sizes = {name: CorpusSize(pages=ends[name], tokens=one.tokens) for name, one in truths.items()}
    return truths, CorpusSizes(counter=COUNTER, sizes=sizes)


@lru_cache(maxsize=6_000)
def _bags(title: str, text: str) -> tuple[Counter[str], ...]:
    """Count the words of a page for each piece, with the title in each. Cached, as the tasks of a set share most pages."""
    head = tokens(title) * _TITLE
    return tuple(Counter([*head, *tokens(piece)]) for piece in cut(text))


class PageRanking:
    """The ranking of the pages of one corpus by BM25."""

    def __init__(self, pages: Sequence[CorpusPage]) -> None:
        bags = [_bags(page.title, page.text) for page in pages]
        self._page_of = [number for number, own in enumerate(bags) for _ in own]
        self._index = Bm25(bags=[bag for own in bags for bag in own])
        self._urls = [page.url for page in pages]

    def best(self, query: str, top: int) -> list[str]:
        """Return the addresses of the best pages, ties by position. Pages that share no word with the query are left out."""
        scores = self._index.scores(query)
        hits = [place for place, score in enumerate(scores) if score > 0]
        hits.sort(key=lambda place: (-scores[place], place))
        return list(dict.fromkeys(self._urls[self._page_of[place]] for place in hits))[:top]


def contains_value(value: str, folded: str) -> bool:
    """Tell whether a folded text contains a value by itself, not as part of a longer figure or word."""
    plain = folded_text(value)
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


def states_term(question: str, term: str) -> bool:
    """Tell whether a question states a term: all the term's words close together, in any order and with any ending."""
    roots, wanted = ([_root(word) for word in tokens(text)] for text in (question, term))
    width = len(wanted) + _APART
    windows = range(max(1, len(roots) - width + 1))
    return any(set(wanted) <= set(roots[at : at + width]) for at in windows)


def _root(word: str) -> str:
    """Return the common root of words such as `measured`, `measuring` and `measurement`; short words stay as they are."""
    cut_off = _ENDINGS.sub("", word)
    return cut_off if len(cut_off) >= _ROOT else word
