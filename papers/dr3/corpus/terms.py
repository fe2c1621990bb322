"""Search terms of three to five words. Signal terms lead to a supportive page of the largest corpus, noise terms lead astray.

A term counts only if the search says so: it is tried on the pages themselves.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import combinations, islice
from random import Random

from drr.env.text import tokens
from drr.papers.dr3.case import TaskCase
from drr.papers.dr3.corpus.known import CasePage
from drr.papers.dr3.corpus.pool import PageRanking
from drr.papers.dr3.corpus.scene import theme_key
from drr.papers.dr3.corpus.stock import stock
from drr.papers.dr3.truth import SearchTerm, TaskFact

TOP = 5
"""Hits in which a signal term must show a supportive page, and a noise term none."""
_LEAST, _MOST = 3, 5
_NOISE = 5
_WORD = re.compile(r"[a-z]{4,}")
_EMPTY = frozenset([
    "about", "after", "again", "also", "another", "back", "been", "before", "being", "below", "between", "both", "came", "come", "comes",
    "does", "each", "else", "every", "from", "gave", "give", "goes", "have", "here", "into", "just", "keep", "leave", "less", "like", "made",
    "make", "more", "most", "need", "needs", "once", "only", "other", "over", "said", "says", "should", "some", "such", "take", "takes", "than",
    "that", "their", "them", "then", "there", "these", "they", "this", "those", "through", "until", "upon", "wants", "were", "what", "when",
    "where", "which", "while", "whoever", "will", "with", "within", "would", "your", "since", "long", "later", "ones",
])  # fmt: skip
_SMALL = frozenset(
    ["a", "and", "at", "by", "for", "from", "in", "of", "on", "or", "the", "to", "until", "when", "with"]
)
_CANDIDATES = 60
_APART = 2
"""Words that may stand between those of a term and it is still said."""
_ENDINGS = re.compile(r"(?:ments?|ings?|ed|ers?|ly|ions?|ance|es|e|y)$")
_ROOT = 4


def search_terms(
    case: TaskCase,
    supportive: Sequence[tuple[CasePage, int]],
    pages: PageRanking,
    seed: int,
    question: str = "",
) -> tuple[SearchTerm, ...]:
    """Find one signal term for each supportive page (given with its place among `pages`), and noise terms. A
    page has a signal term only where one is found that the question does not say."""
    rng = Random(f"{seed}/{case.task_id}/terms")
    facts = {fact.id: fact for fact in case.of("page")}
    places = {place for _, place in supportive}
    found: dict[str, SearchTerm] = {}
    for one, place in supportive:
        fact = facts[one.known.facts[0]]
        for term in _signals(case, fact, one, rng):
            if term not in found and not exposes(question, term) and place in pages.best(term, TOP):
                found[term] = SearchTerm(term=term, role="signal", facts=(fact.id,))
                break
    for term in _strays(case, rng):
        if sum(one.role == "noise" for one in found.values()) == _NOISE:
            break
        hits = pages.best(term, TOP)
        if term not in found and hits and not places & set(hits):
            found[term] = SearchTerm(term=term, role="noise")
    return tuple(found.values())


def exposes(question: str, term: str) -> bool:
    """Tell whether a question says a term: all its words close together, in any order and with any ending."""
    roots, wanted = ([_root(word) for word in tokens(text)] for text in (question, term))
    width = len(wanted) + _APART
    windows = range(max(1, len(roots) - width + 1))
    return any(set(wanted) <= set(roots[at : at + width]) for at in windows)


def _root(word: str) -> str:
    """Return what `measured`, `measuring` and `measurement` share; short words stay."""
    cut = _ENDINGS.sub("", word)
    return cut if len(cut) >= _ROOT else word


def _signals(case: TaskCase, fact: TaskFact, page: CasePage, rng: Random) -> Iterator[str]:
    """Yield what one would type, then the same with words of the page."""
    form, groups = stock().statement(fact.attribute)
    asked = [one.words(rng, lambda slot: groups.get(slot, "")).casefold().split() for one in form.terms]
    rng.shuffle(asked)
    noun = case.thing_of(fact).noun.casefold().split()
    names = dict.fromkeys((noun[-1], " ".join(noun[-2:]), fact.subject.casefold().split()[0]))
    own, title = _content(page.quote or "", fact), _content(page.page.title, fact)
    ends = [
        *asked,
        *([word, *roots] for roots in asked for word in own if word not in roots),
        *(words for count in (2, 3) for words in islice(combinations(own, count), _CANDIDATES)),
        *((word, *words) for word in own for words in islice(combinations(title, 2), _CANDIDATES)),
    ]
    for end in ends:
        for name in names:
            if term := _term([name, *end]):
                yield term


def _strays(case: TaskCase, rng: Random) -> Iterator[str]:
    words = stock().themes[theme_key(case.theme)]

    def fill(slot: str) -> str:
        name = slot.removesuffix("_word")
        if name == "noun":
            return case.thing.noun.split()[-1]
        if name == "season":
            return rng.choice(stock().names["seasons"])
        word = rng.choice(words[name])
        return word.split()[-1] if slot.endswith("_word") else word

    for _ in range(4):
        for one in rng.sample(stock().noise_terms, len(stock().noise_terms)):
            term = one.words(rng, fill).casefold()
            if _LEAST <= len(term.split()) <= _MOST:
                yield term


def _term(words: list[str]) -> str | None:
    """Make a term of at most five words, none twice, no small word at the end. `None` where fewer than three are left."""
    kept = list(dict.fromkeys(word for part in words for word in part.split()))[:_MOST]
    while kept and kept[-1] in _SMALL:
        kept.pop()
    return " ".join(kept) if len(kept) >= _LEAST else None


def _content(text: str, fact: TaskFact) -> list[str]:
    """Words that carry something; neither the subject nor the value is one of them."""
    known = set(f"{fact.subject} {fact.value}".casefold().split())
    found = dict.fromkeys(_WORD.findall(text.casefold()))
    return [word for word in found if word not in known and word not in _EMPTY]
