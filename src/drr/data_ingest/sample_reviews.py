"""Draws the shoppers of the sample shop and their purchases, as rows of the review files. It draws one group of shoppers at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import numpy as np
from drr.data_ingest.sample_products import (
    ALPHABET,
    BASE_SHARE,
    VARIANTS,
    Products,
    ReviewTotals,
    Vocabulary,
    type_demand,
)
from drr.data_ingest.sample_text import BODIES, MOODS, TAILS, TITLES, Drawn, TextPools, Voices
from numpy.typing import NDArray

DUPLICATES = 0.011
REORDER = 0.4
"""The chance that a consumable is the one bought the last time."""
_STRETCH = 150_000
_TAIL = 2.1
_SPREAD = np.array([0.6180339887498949, 0.7548776662466927, 0.5698402909980532])
"""Steps of sequences that fill the unit interval evenly."""
# Share of reviews by year, and of those the share with a verified purchase.
_YEARS = (
    (2000, 0.05, 4), (2003, 0.1, 10), (2005, 0.2, 25), (2007, 0.3, 45), (2009, 0.35, 62), (2010, 0.4, 75),
    (2011, 0.5, 85), (2012, 0.6, 90), (2013, 3.0, 93), (2014, 5.0, 94), (2015, 7.7, 94), (2016, 9.5, 95),
    (2017, 9.3, 96), (2018, 9.5, 96), (2019, 12.2, 96), (2020, 13.2, 95), (2021, 13.1, 94), (2022, 10.8, 90),
    (2023, 4.2, 85),
)  # fmt: skip
_LAST_MS = 1_694_670_041_162
# Upper bounds of a normal draw for 1 to 4 stars: 8.4, 4.5, 7.1, 14.7 and 65.3 of a hundred.
_STARS = np.array([-1.379, -1.131, -0.8416, -0.3934])


@dataclass
class PurchaseCounts:
    """The number of purchases of each shopper, in the order that all files share."""

    counts: NDArray[np.int64]
    seed: int


def make_shoppers(users: int, purchases: int, seed: int) -> PurchaseCounts:
    """Distribute `purchases` among `users`: at least one each, very many for a few, who mostly come first."""
    rng = np.random.default_rng([seed, 3])
    mean = purchases / users
    top = 500.0 if mean < 10 else max(500.0, 4 * mean)
    eager = rng.random(users) ** (-1 / _TAIL) - 1
    extra = purchases - users
    counts = np.ones(users, np.int64)
    if extra:
        eager = np.minimum(eager, top * eager.sum() / extra)
        exact = eager * (extra / eager.sum())
        counts += np.floor(exact).astype(np.int64)
        rest = purchases - int(counts.sum())
        luck = np.floor(exact) - exact + rng.random(users)
        counts[np.argsort(luck, kind="stable")[:rest]] += 1
    rank = 0.5 * np.log(counts) - np.log(-np.log(rng.random(users)))
    return PurchaseCounts(counts[np.argsort(-rank, kind="stable")], seed)


@dataclass
class SampleReviews:
    """A generator of the review rows; `heard` is complete once every group of shoppers was drawn."""

    vocabulary: Vocabulary
    products: Products
    shoppers: PurchaseCounts
    pools: TextPools
    duplicates: int
    heard: ReviewTotals = field(init=False)
    voices: Voices = field(init=False)

    def __post_init__(self) -> None:
        kinds = self.vocabulary.types
        self.voices = Voices(self.vocabulary, self.shoppers.seed)
        self.heard = ReviewTotals(np.zeros(len(self.products), np.int64), np.zeros(len(self.products)))
        interests = self.vocabulary.interests
        weights = np.array([interest.weight for interest in interests])
        self._interest_cumulative = np.cumsum(weights / weights.sum())
        stocked = self.products.first[1:] > self.products.first[:-1]
        members = [
            [at for at, kind in enumerate(kinds) if interest.name in kind.interests and stocked[at]]
            or np.flatnonzero(stocked).tolist()
            for interest in interests
        ]
        self._member_first = np.concatenate([[0], np.cumsum([len(part) for part in members])])
        self._members = np.array([at for part in members for at in part], np.int64)
        demand = type_demand(self.vocabulary) * stocked
        self._base_cumulative = np.cumsum(demand / demand.sum())
        self._consumable = np.array([kind.consumable for kind in kinds])
        self._other_asin = np.array([words.rates["other_asin"] for words in self.vocabulary.categories])
        self._asins = np.array(self.products.asins)

    def stretches(self) -> Iterator[list[tuple[int, int, bytes]]]:
        """Yield parts of (category, rows, lines), in the order of the files."""
        counts = self.shoppers.counts
        ends = np.cumsum(counts)
        start = number = 0
        rare = True
        owed = self.duplicates
        while start < len(counts):
            before = int(ends[start - 1]) if start else 0
            stop = max(start + 1, int(np.searchsorted(ends, before + _STRETCH, side="right")))
            rows = int(ends[stop - 1]) - before
            twice = owed if stop == len(counts) else min(owed, round(self.duplicates * rows / int(ends[-1])))
            owed -= twice
            yield self._stretch(number, counts[start:stop], twice, rare)
            rare = False
            start, number = stop, number + 1

    def _stretch(
        self, number: int, counts: NDArray[np.int64], twice: int, rare: bool
    ) -> list[tuple[int, int, bytes]]:
        rng = np.random.default_rng([self.shoppers.seed, 4, number])
        users = len(counts)
        user = np.repeat(np.arange(users), counts)
        rows = len(user)
        when, verified = self._times(rng, rows)
        kind, own, how_many = self._kinds(rng, user, users)
        # By shopper, then time: a reorder repeats what the same shopper bought before.
        order = np.lexsort((when, kind, user))
        user, when, verified, kind = user[order], when[order], verified[order], kind[order]
        product = self._products(rng, user, kind)
        stars = self._ratings(rng, product)
        category = self.products.category_of[product]
        order = np.lexsort((-when, user, category))
        if twice:
            copies = np.ones(rows, np.int64)
            copies[rng.choice(rows, size=min(twice, rows), replace=False)] = 2
            if twice > rows:
                copies[0] += twice - rows
            order = np.repeat(order, copies[order])
            np.add.at(self.heard.count, product, copies)
            np.add.at(self.heard.stars, product, copies * stars)
        else:
            np.add.at(self.heard.count, product, 1)
            np.add.at(self.heard.stars, product, stars)
        drawn = Drawn(number, own, how_many, user, kind)
        lines = self._lines(rng, users, user, when, verified, product, stars, category, rare, drawn)
        parts: list[tuple[int, int, bytes]] = []
        sorted_category = category[order]
        cuts = np.searchsorted(sorted_category, np.arange(len(self.vocabulary.categories) + 1))
        wanted = order.tolist()
        for place in range(len(self.vocabulary.categories)):
            part = wanted[cuts[place] : cuts[place + 1]]
            if part:
                parts.append((place, len(part), "".join([lines[row] for row in part]).encode("ascii")))
        return parts

    def _times(self, rng: np.random.Generator, rows: int) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        shares = np.array([share for _, share, _ in _YEARS])
        place = np.searchsorted(np.cumsum(shares / shares.sum()), rng.random(rows), side="right")
        place = np.minimum(place, len(_YEARS) - 1)
        starts = np.array([_epoch_ms(year) for year, _, _ in _YEARS])
        stops = np.array([min(_epoch_ms(year + 1), _LAST_MS) for year, _, _ in _YEARS])
        when = (starts[place] + rng.random(rows) * (stops - starts)[place]).astype(np.int64)
        whole = (when < _epoch_ms(2017)) | ((when < _epoch_ms(2018)) & (rng.random(rows) < 0.55))
        when = np.where(whole, when // 1000 * 1000, when)
        chance = np.array([share for _, _, share in _YEARS]) / 100
        return when, rng.random(rows) < chance[place]

    def _kinds(
        self, rng: np.random.Generator, user: NDArray[np.int64], users: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Draw the product type of each row, three interests of each user, and how many of these count."""
        rows = len(user)
        # Interests are dealt out along the shoppers by how much they buy, so that few shoppers do not leave a shelf unsold.
        rank = np.argsort(np.argsort(-np.bincount(user, minlength=users), kind="stable"), kind="stable")
        dealt = (rank[:, None] * _SPREAD + rng.random(3)) % 1.0
        own = np.searchsorted(self._interest_cumulative, dealt, side="right")
        own = np.minimum(own, len(self._interest_cumulative) - 1)
        how_many = rng.integers(1, 4, size=users)
        slot = np.searchsorted([0.58, 0.85], rng.random(rows), side="right")
        slot = np.minimum(slot, how_many[user] - 1)
        interest = own[user, slot]
        first = self._member_first[interest]
        size = self._member_first[interest + 1] - first
        chosen = self._members[first + (rng.random(rows) * size).astype(np.int64)]
        general = np.searchsorted(self._base_cumulative, rng.random(rows), side="right")
        general = np.minimum(general, len(self._base_cumulative) - 1)
        return np.where(rng.random(rows) < BASE_SHARE, general, chosen), own, how_many

    def _products(
        self, rng: np.random.Generator, user: NDArray[np.int64], kind: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        cumulative, first = self.products.cumulative, self.products.first
        floor = np.where(first > 0, cumulative[np.maximum(first - 1, 0)], 0.0)
        low, high = floor[kind], floor[kind + 1]
        product = np.searchsorted(cumulative, low + rng.random(len(kind)) * (high - low), side="right")
        product = np.clip(product, first[kind], first[kind + 1] - 1)
        again = np.zeros(len(kind), bool)
        again[1:] = (user[1:] == user[:-1]) & (kind[1:] == kind[:-1])
        again &= self._consumable[kind] & (rng.random(len(kind)) < REORDER)
        source = np.maximum.accumulate(np.where(again, 0, np.arange(len(kind))))
        return np.asarray(product[source], np.int64)

    def _ratings(self, rng: np.random.Generator, product: NDArray[np.int64]) -> NDArray[np.int64]:
        liking = (rng.standard_normal(len(product)) + self.products.appeal[product]) / np.sqrt(1.25)
        return np.asarray(1 + np.searchsorted(_STARS, liking), np.int64)

    def _lines(
        self,
        rng: np.random.Generator,
        users: int,
        user: NDArray[np.int64],
        when: NDArray[np.int64],
        verified: NDArray[np.bool_],
        product: NDArray[np.int64],
        stars: NDArray[np.int64],
        category: NDArray[np.int32],
        rare: bool,
        drawn: Drawn,
    ) -> list[str]:
        rows = len(user)
        pools = self.pools
        mood = np.searchsorted([3, 4], stars, side="right")
        body = (self.products.type_of[product] * MOODS + mood) * BODIES + rng.integers(0, BODIES, rows)
        tail = rng.integers(0, TAILS, rows) + np.where(mood == MOODS - 1, TAILS, 0)
        common = np.where(rng.random(rows) < 0.3, 0, rng.integers(0, TITLES, rows))
        title = stars * TITLES + common
        variant = np.where(rng.random(rows) < self._other_asin[category], rng.integers(1, VARIANTS, rows), 0)
        parents = self._asins[product * VARIANTS].tolist()
        asins = self._asins[product * VARIANTS + variant].tolist()
        votes = _votes(rng, rows)
        names = _user_ids(rng, users)
        orphan = np.flatnonzero(rng.random(rows) < 0.0002)
        if rare and rows > 50 and not len(orphan):
            orphan = np.array([rows // 3])
        for row in orphan.tolist():
            asins[row] = parents[row] = "B0" + "".join(ALPHABET[i] for i in rng.integers(0, 36, 8))
        texts = [""] * rows
        if not self.voices.vocabulary.mute:
            body = self.voices.fitting(pools.bodies, body, drawn)
            texts = [
                a + b
                for a, b in zip(_items_at(pools.bodies, body), _items_at(pools.tails, tail), strict=True)
            ]
            self.voices.speak(names, drawn, texts)
        for row in np.flatnonzero(rng.random(rows) < 0.00095).tolist():
            texts[row] = ""
        pictures = {row: _pictures(rng) for row in np.flatnonzero(rng.random(rows) < 0.055).tolist()}
        rating = stars.astype(np.float64)
        rating[rng.random(rows) < 7e-8] = 0.0
        if rare and rows > 50:
            # Rarer than one in a million in the real files, so that only the largest sample would show them.
            rating[rows // 5], votes[rows // 7] = 0.0, -1
            texts[rows // 11], texts[rows // 13] = pools.longest, ""
        columns = (
            rating,
            _items_at(pools.titles, title),
            texts,
            asins,
            parents,
            names[user],
            when,
            votes,
            verified,
        )
        return _json_lines([c if isinstance(c, list) else c.tolist() for c in columns], pictures)


def _json_lines(columns: list[list[Any]], pictures: dict[int, str]) -> list[str]:
    """Return the JSON line of each row: rating, title, text, both product ids, user, time, votes and verified."""
    none = "[]"
    return [
        f'{{"rating": {score}, "title": "{head}", "text": "{text}", "images": {pictures.get(row, none)}, '
        f'"asin": "{asin}", "parent_asin": "{parent}", "user_id": "{name}", "timestamp": {at}, '
        f'"helpful_vote": {vote}, "verified_purchase": {"true" if sure else "false"}}}\n'
        for row, (score, head, text, asin, parent, name, at, vote, sure) in enumerate(
            zip(*columns, strict=True)
        )
    ]


def _votes(rng: np.random.Generator, rows: int) -> NDArray[np.int64]:
    """Draw helpful votes: none for most, thousands for a few."""
    votes = np.where(
        rng.random(rows) < 0.74, 0, np.minimum(rng.random(rows) ** (-1 / 1.2), 20_000).astype(np.int64)
    )
    votes[rng.random(rows) < 2e-7] = -1
    return votes


def _user_ids(rng: np.random.Generator, users: int) -> NDArray[np.str_]:
    letters = np.frombuffer(ALPHABET.encode(), np.uint8)
    spelled = letters[rng.integers(0, 36, size=(users, 28))]
    spelled[:, 0] = ord("A")
    spelled[:, 1] = np.frombuffer(b"EFGH", np.uint8)[rng.integers(0, 4, users)]
    return spelled.view("S28").ravel().astype("U28")


def _items_at(pool: list[str], places: NDArray[np.int64]) -> list[str]:
    return [pool[place] for place in places.tolist()]


def _pictures(rng: np.random.Generator) -> str:
    shown = []
    for _ in range(1 + int(rng.integers(0, 4))):
        name = "".join(ALPHABET[i] for i in rng.integers(0, 36, 9))
        host = ("m.media.example", "images-na.ssl-images.example")[int(rng.integers(0, 2))]
        base = f"https://{host}/images/I/{name}"
        shown.append(
            f'{{"small_image_url": "{base}._SL256_.jpg", "medium_image_url": "{base}._SL800_.jpg", '
            f'"large_image_url": "{base}._SL1600_.jpg", "attachment_type": "IMAGE"}}'
        )
    return f"[{', '.join(shown)}]"


def _epoch_ms(year: int) -> int:
    return int(datetime(year, 1, 1, tzinfo=UTC).timestamp() * 1000)
