"""What a question is after, told by what the shop has: where hardly any of the things that were read in it is sold, the listings that answer
its words say what kinds of things it speaks of."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from drr.env.text import stem
from drr.offline.agents import question as offline_question
from drr.offline.agents.choice import candidates, name_of
from drr.offline.agents.memory import Memory, SeenProduct
from drr.offline.agents.question import Asked, content_words

_OPENING, _MOST_WORDS = 6, 24
_MOST_KINDS = 3
_WORD = re.compile(r"[^\W\d_][\w'’-]*")


class Kind(NamedTuple):
    """What a listing is, by the end of its name: "pruning shears", "bird feeder"."""

    words: tuple[str, ...]

    @property
    def stems(self) -> tuple[str, ...]:
        return tuple(map(stem, self.words))

    @property
    def head(self) -> str:
        return stem(self.words[-1])


def weak(task: Asked, memory: Memory) -> bool:
    """Whether the shop has fewer than half of what the rules read in a question of the shopper's own words."""
    if not offline_question.in_own_words(task.text):
        return False
    return 2 * len(_met(task, memory)) < len(task.needs) or not task.needs


def wide_searches(task: Asked) -> tuple[str, ...]:
    """The question's own words, those that it opens with and all, for a look at what they name."""
    words = list(dict.fromkeys(content_words(task.text)))
    found = dict.fromkeys((" ".join(words[:_OPENING]), " ".join(words[:_MOST_WORDS])))
    return tuple(query for query in found if query)


def grounded(task: Asked, memory: Memory) -> Asked:
    """The needs in the shop's words: those that it has, each kind once; with few of them, what its listings add."""
    if not memory.products or not offline_question.in_own_words(task.text):
        return task
    named: dict[str, str] = {}
    unclear = weak(task, memory)
    for need, product in _met(task, memory).items():
        kind = _kind(product)
        if kind is not None and stem(need.split()[-1]) != kind.head:
            if unclear and " " not in need:
                continue
            need = " ".join(kind.words)
        named.setdefault(stem(need.split()[-1]), need)
    if unclear:
        for kind in _spoken_of(task, memory):
            named.setdefault(kind.head, " ".join(kind.words))
        needs = tuple(named.values()) or task.needs
        return replace(
            task, needs=needs, topic=needs[0].split()[-1] if named and not task.topic else task.topic
        )
    unmet = [need for need in task.needs if need not in _met(task, memory) and " " in need]
    return replace(task, needs=(*named.values(), *unmet))


def _met(task: Asked, memory: Memory) -> dict[str, SeenProduct]:
    """Each need that something fits, with what fits best."""
    found = {need: candidates(task, need, memory) for need in task.needs}
    return {need: fitting[0] for need, fitting in found.items() if fitting}


def _kind(product: SeenProduct) -> Kind | None:
    return _kind_of_name(name_of(product))


def _kind_of_name(name: str) -> Kind | None:
    words = [w for w in _WORD.findall(name.lower()) if not offline_question.is_quality(w)]
    return Kind(tuple(words[-2:])) if words else None


def _spoken_of(task: Asked, memory: Memory) -> list[Kind]:
    """Kinds whose name the question says; where a short one says none, those that share a word with it."""
    counts = Counter(kind for product in _looked_at(task, memory) if (kind := _kind(product)) is not None)
    kinds = [kind for kind in _one_of_each(counts) if not _has_already(task, memory, kind)]
    places = {kind: place for kind in kinds if (place := _said_at(task, kind)) is not None}
    if places:
        return sorted(places, key=lambda kind: places[kind])[:_MOST_KINDS]
    asked = set(content_words(task.text))
    if len(asked) > _OPENING:
        return []
    return [kind for kind in kinds if asked.intersection(kind.stems)][:_MOST_KINDS]


def _one_of_each(counts: Counter[Kind]) -> Iterable[Kind]:
    """The most frequent first; of "satin pillowcase" and "silk pillowcase" the one that more listings are."""
    return {kind.head: kind for kind, _ in reversed(counts.most_common())}.values().__reversed__()


def _looked_at(task: Asked, memory: Memory) -> Sequence[SeenProduct]:
    """What the wide search found; where a researcher handed on only what is best, that."""
    wide = set(wide_searches(task))
    found = [product for product in memory.products.values() if wide.intersection(product.searches)]
    return found or [product for product in memory.products.values() if not product.searches]


def _said_at(task: Asked, kind: Kind) -> int | None:
    """Where the question first says the kind's last word as something to find, and not as owned or unwanted."""
    unwanted = {word for phrase in task.constraints.exclusions for word in content_words(phrase)}
    for word in _WORD.finditer(task.text):
        said = stem(word[0].lower()) == kind.head and kind.head not in unwanted
        if said and not offline_question.owned_at(task.text, word.start()):
            return word.start()
    return None


def _has_already(task: Asked, memory: Memory, kind: Kind) -> bool:
    """What was bought is not added by guess, unless the question is about its end."""
    if task.again or task.outgrown:
        return False
    bought = (_kind_of_name(offline_question.head_of(title)) for title in memory.bought)
    return any(one is not None and one.stems == kind.stems for one in bought)
