"""The choices of the rules: kinds of things, what fits a need, the best basket."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

from drr.env.text import stem, tokens
from drr.offline.agents import question as offline_question
from drr.offline.agents.facts import for_machines
from drr.offline.agents.memory import Memory, SeenProduct
from drr.offline.agents.question import Asked, content_words, head_of, is_fixed, is_quality

CANDIDATES = 5
_ENDINGS = frozenset(("", "e", "ed", "en", "er", "ing", "ion", "or", "ation", "ic", "ist", "y"))
"""Endings that tell forms of one word apart."""


@dataclass(frozen=True)
class Pick:
    need: str
    product: SeenProduct
    others: tuple[SeenProduct, ...]
    """The other candidates, best first."""


@dataclass(frozen=True)
class Choice:
    picks: tuple[Pick, ...]
    unmet: tuple[str, ...]
    """Needs for which nothing fitting was found."""
    dropped: tuple[str, ...]
    """Needs that the limit leaves no room for."""
    limit: float | None

    @property
    def total(self) -> Decimal:
        return sum((cents(pick.product.price) for pick in self.picks), Decimal(0))

    @property
    def priced(self) -> bool:
        return all(pick.product.price is not None for pick in self.picks)


def cents(price: float | None) -> Decimal:
    return Decimal(0) if price is None else Decimal(str(price)).quantize(Decimal("0.01"))


def relevance(need: str, product: SeenProduct) -> float:
    """0 where the product is something else: what is looked for is named last ("gooseneck kettle") and must be there.

    A maker's name says nothing of the product, and qualities ("quiet") are wishes, rated apart.
    """
    share, named = _overlap(need, product)
    return share if named and share >= 0.6 else 0.0


def _overlap(need: str, product: SeenProduct) -> tuple[float, bool]:
    """Measure how much of a need the listing speaks of, and whether it names the thing itself."""
    words = [word for word in content_words(need) if not is_quality(word)] or tokens(need)
    if not words:
        return 0.0, False
    title, path = _words(product.title.removeprefix(product.store or "")), _words(product.path)
    inside = _words(" ".join((*product.features, product.description)))
    hits = sum(1.0 if _in(w, title) else 0.7 if w in path else 0.4 if w in inside else 0.0 for w in words)
    return hits / len(words), _in(words[-1], _words(name_of(product)) | path)


def name_of(product: SeenProduct) -> str:
    """The title's name of the thing, without its maker."""
    return head_of(product.title.removeprefix(product.store or ""))


@lru_cache(maxsize=4096)
def _words(text: str) -> frozenset[str]:
    """The same listings are weighed in every turn."""
    return frozenset(tokens(text))


def _in(word: str, words: frozenset[str]) -> bool:
    """Itself, or another form of it: a gardener wants something for the garden; a pillow is no pillowcase."""
    return word in words or any(same_word(word, other) for other in words)


def same_word(word: str, other: str) -> bool:
    """Itself, or another form of it."""
    return word == other or (len(word) > 5 and _same_stem(word, other))


def _same_stem(word: str, other: str) -> bool:
    pairs = enumerate(zip(word, other, strict=False))
    common = next((place for place, (a, b) in pairs if a != b), min(len(word), len(other)))
    return common > 5 and {word[common:], other[common:]} <= _ENDINGS


def nearest(task: Asked, need: str, memory: Memory, taken: set[str]) -> SeenProduct | None:
    """Find what comes closest to a need that nothing meets."""
    near = [
        (-share, product.url, product)
        for product in memory.products.values()
        if (share := _overlap(need, product)[0]) >= 0.5
        and product.url not in taken
        and _allowed(task, product)
    ]
    return min(near, key=lambda entry: entry[:2])[2] if near else None


def score(task: Asked, need: str, product: SeenProduct) -> float:
    """Relevance first, then a rating that few votes cannot carry, then the qualities asked for."""
    votes = product.ratings or 0
    rating = ((product.rating or 3.8) * votes + 3.8 * 25) / (votes + 25)
    text = " ".join((product.title, *product.features, product.description)).lower()
    wishes = sum(1 for wish in task.wishes if all(part in text for part in wish.split("-")))
    unknown = 0.6 if product.price is None else 0.0
    return (
        2.0 * relevance(need, product)
        + 0.8 * rating
        + 0.25 * wishes
        - unknown
        + (0.1 if product.opened else 0)
    )


def excluded(task: Asked, product: SeenProduct) -> bool:
    """Tell whether it is not wanted, or named in words for machines and not for shoppers."""
    if for_machines(product.title) or (task.spares_walls and is_fixed(product.title)):
        return True
    words = _words(product.title)
    return any(set(tokens(phrase)) <= words for phrase in task.constraints.exclusions if tokens(phrase))


def _allowed(task: Asked, product: SeenProduct) -> bool:
    least, most = task.constraints.item_min, task.item_limit
    price = product.price
    return not excluded(task, product) and (
        price is None or ((most is None or price <= most) and (least is None or price >= least))
    )


def candidates(task: Asked, need: str, memory: Memory) -> list[SeenProduct]:
    """List what was found for a need and is allowed, best first. What was bought before comes first to be
    bought again, else last, and not at all where nobody wants more of it."""
    bought = {order.product_id for order in memory.orders.values() if order.kept}
    owned = bought if task.no_more and not task.again else ()
    fitting = [
        p
        for p in memory.products.values()
        if p.product_id not in owned and relevance(need, p) > 0 and _allowed(task, p)
    ]
    return sorted(
        fitting, key=lambda p: ((p.product_id in bought) != task.again, -score(task, need, p), p.url)
    )[:CANDIDATES]


def choose(task: Asked, memory: Memory) -> Choice:
    """One product for each need, the best that the limit allows: dear picks give way where that costs least."""
    choices = _choices(task, memory)
    picked, dropped = _within_limit(task, choices)
    taken = {product.url for product in picked.values()}
    picks = (
        Pick(
            re.sub(r" \(\d+\)$", "", need),
            product,
            tuple(other for other in choices[need] if other.url not in taken),
        )
        for need, product in picked.items()
    )
    unmet = tuple(
        need for need in task.needs if need not in choices and len(choices) != (task.constraints.count or 0)
    )
    return Choice(tuple(picks), unmet, tuple(dropped), task.limit)


def _choices(task: Asked, memory: Memory) -> dict[str, list[SeenProduct]]:
    """List what may be picked for each need, best first; no two needs begin with the same product."""
    choices: dict[str, list[SeenProduct]] = {}
    taken: set[str] = set()
    bought = {order.product_id for order in memory.orders.values() if order.kept}
    for need in task.needs:
        options = [product for product in candidates(task, need, memory) if product.url not in taken]
        if not task.again:
            options.sort(key=lambda product: (product.product_id in bought, product.price is None))
        if options:
            choices[need] = options
            taken.add(options[0].url)
    return _several(_dear_enough(task, choices), task.constraints.count)


def _dear_enough(task: Asked, choices: dict[str, list[SeenProduct]]) -> dict[str, list[SeenProduct]]:
    """Keep what is dear enough. Where one thing is all that is bought, the least cost of the whole is its own."""
    least = task.constraints.total_min
    if least is None or len(choices) != 1 or (task.constraints.count or 1) > 1:
        return choices
    ((need, options),) = choices.items()
    enough = [product for product in options if product.price is None or product.price >= least]
    return {need: enough} if enough else {}


def _several(choices: dict[str, list[SeenProduct]], wanted: int | None) -> dict[str, list[SeenProduct]]:
    """Make each a need of its own where several of one thing are asked for."""
    if len(choices) != 1 or wanted is None or not 2 <= wanted <= CANDIDATES:
        return choices
    ((need, options),) = choices.items()
    spare = options[wanted:]
    return {f"{need} ({place})": [product, *spare] for place, product in enumerate(options[:wanted], 1)}


def _within_limit(
    task: Asked, choices: dict[str, list[SeenProduct]]
) -> tuple[dict[str, SeenProduct], list[str]]:
    """The picks, and the needs that there is no room for."""
    picked = {need: options[0] for need, options in choices.items()}
    dropped: list[str] = []
    while task.limit is not None and _cost(picked) > cents(task.limit):
        if (swap := _cheaper(task, picked, choices)) is not None:
            picked[swap[0]] = swap[1]
            continue
        dearest = max(picked, key=lambda need: cents(picked[need].price))
        del picked[dearest]
        dropped.append(dearest)
    return picked, dropped


def _cost(picked: dict[str, SeenProduct]) -> Decimal:
    return sum((cents(product.price) for product in picked.values()), Decimal(0))


def _cheaper(
    task: Asked, picked: dict[str, SeenProduct], choices: dict[str, list[SeenProduct]]
) -> tuple[str, SeenProduct] | None:
    """Find the swap that is enough at the least loss of quality. Where none is enough, the one that loses least per dollar."""
    used = {product.url for product in picked.values()}
    over = _cost(picked) - cents(task.limit)
    swaps = []
    for need, product in picked.items():
        for other in choices[need]:
            saved = cents(product.price) - cents(other.price)
            if other.url in used or other.price is None or product.price is None or saved <= 0:
                continue
            lost = score(task, need, product) - score(task, need, other)
            enough = saved >= over
            swaps.append((not enough, lost if enough else lost / float(saved), other.url, need, other))
    if not swaps:
        return None
    *_, need, other = min(swaps, key=lambda swap: swap[:3])
    return need, other


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
    """The kinds among listings and other `bought` things, with the words that name and distinguish them."""

    def __init__(self, products: Iterable[SeenProduct], bought: Iterable[Kind] = ()) -> None:
        self.counts: Counter[Kind] = Counter()
        self.of: dict[str, Kind] = {}
        """Kinds by the listing's address."""
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
        """The number of kinds that a word names."""
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
