"""The kinds of things in a shop, by how its listings are named and where in the catalogue they stand."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from drr.env.text import stem
from drr.offline.agents import question as offline_question
from drr.offline.agents.choice import name_of
from drr.offline.agents.memory import SeenProduct

WORD = re.compile(r"[^\W\d_][\w'’-]*")


class Kind(NamedTuple):
    """A kind of listing, by the end of its name: "pruning shears", "bird feeder"."""

    words: tuple[str, ...]

    @property
    def stems(self) -> tuple[str, ...]:
        return tuple(map(stem, self.words))

    @property
    def head(self) -> str:
        return stem(self.words[-1])

    def __str__(self) -> str:
        return " ".join(self.words)


class Kinds:
    """The kinds among some listings and what else is `bought`, with the words that name them and those that part them."""

    def __init__(self, products: Iterable[SeenProduct], bought: Iterable[Kind] = ()) -> None:
        self.counts: Counter[Kind] = Counter()
        self.of: dict[str, Kind] = {}
        """By the listing's address."""
        names: dict[Kind, set[str]] = defaultdict(set)
        inside: dict[Kind, Counter[str]] = defaultdict(Counter)
        for product in products:
            kind = kind_of_name(name_of(product))
            if kind is not None:
                self.of[product.url] = kind
                self.counts[kind] += 1
                names[kind] |= {kind.head} | _other_names(product)
                inside[kind].update(set(_describing(name_of(product))))
        for kind in bought:
            names[kind].add(kind.head)
            inside[kind].update(kind.stems[:-1])
        self.names: Mapping[Kind, frozenset[str]] = {kind: frozenset(named) for kind, named in names.items()}
        self.modifiers: Mapping[Kind, frozenset[str]] = {
            kind: frozenset(w for w, n in inside[kind].items() if 2 * n > self.counts[kind]) - named
            for kind, named in self.names.items()
        }
        self.naming = Counter(word for words in self.names.values() for word in words)
        """How many kinds a word names."""
        self.describing = Counter(word for words in self.modifiers.values() for word in words)


def kind_of_name(name: str) -> Kind | None:
    words = WORD.findall(name.lower())
    while len(words) > 1 and offline_question.is_container(words[-1]):
        words.pop()
    last = len(words) - 1
    words = [w for place, w in enumerate(words) if place == last or not offline_question.is_quality(w)]
    return Kind(tuple(words[-2:])) if words else None


def _describing(name: str) -> Iterable[str]:
    """Yield the words of a name besides those on packing and quality."""
    words = WORD.findall(name.lower())
    return [
        stem(w) for w in words if not (offline_question.is_quality(w) or offline_question.is_container(w))
    ]


def _other_names(product: SeenProduct) -> set[str]:
    """List other names of such things by the last step of the catalogue's path, where it names one thing."""
    *above, last = product.path.split(" > ")
    words = WORD.findall(last.lower())
    one = above and words and not re.search(r"[&,]", last) and not offline_question.is_container(words[-1])
    return {stem(words[-1])} if one else set()
