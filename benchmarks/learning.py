"""Whether a policy learns in the environment what holds for questions it has never seen.

`python -m benchmarks.learning SHOP [UPDATES]`. The agent is a script that reads tools' texts. What it does not know it chooses: per
numbered point where to look, which products of those found to name, and what to state. Each choice is a linear softmax over words of
the point and what was found; REINFORCE moves it by the reward alone, which is paid with the report. Truth is never looked at.
"""

from __future__ import annotations

import math
import re
import sys
import time
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from drr.app.training.environment import Environment
from numpy.typing import NDArray

from benchmarks.results import record, table

WORDS = 256
LOOKS = ("nowhere", "shelf", "title", "orders", "statistics")
SAYS = (
    "nothing",
    "products",
    "nothing_fits",
    "not_sold",
    "price",
    "rating",
    "ratings",
    "day",
    "total",
    "spend",
)
CROSSED = 64
SIDES = 9
TRAINING, UNSEEN = range(400), range(1_000_000, 1_000_200)
BATCH = 32
Vector = NDArray[np.float64]

_FOUND = re.compile(
    r"^\d+\. (.+?) \| (?:\$([\d,.]+)|price unknown) \| (?:([\d.]+)/5 \((\d[\d,]*) ratings?\)|[^|]*) \| by (.+?) \| .*\n"
    r" +(http\S+)", re.M,
)  # fmt: skip
_ORDER = re.compile(
    r"^(\d{4}-\d\d-\d\d) \w+: (\d+) x (.+?) \| (?:\$([\d,.]+)|price unknown) \| order (\d+), product (\w+)",
    re.M,
)
_DETAILS = re.compile(r"(http\S+) \| .*?(?:([\d.]+)/5 \((\d[\d,]*) ratings?\))?[^|]*\| by (.+?) \| (.+)")
_DAY = re.compile(
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December) \d+, \d{4}"
)
_COUNTS = {"one": 1, "two": 2, "three": 3}


@dataclass
class Choice:
    """A choice that was made: its head, the features of all options, and which it was."""

    head: str
    features: Vector
    taken: int
    chances: Vector


class Episode(NamedTuple):
    choices: list[Choice]
    reward: float
    components: dict[str, float | None]
    shown: str


@dataclass
class Policy:
    """Weights of three choices: where to look, what to say, which product."""

    weights: dict[str, Vector] = field(
        default_factory=lambda: {
            "look": np.zeros((len(LOOKS), WORDS)),
            "say": np.zeros((len(SAYS), WORDS + 4 * len(LOOKS))),
            "which": np.zeros(SIDES + 4 * CROSSED),
        }
    )
    moments: dict[str, tuple[Vector, Vector]] = field(default_factory=dict)
    steps: int = 0

    def choose(self, head: str, features: Vector, rng: np.random.Generator) -> Choice:
        """Choose among rows of weights by one vector, or among rows of features by one vector of weights."""
        scores = self.weights[head] @ features if head != "which" else features @ self.weights[head]
        chances = np.exp(scores - scores.max())
        chances /= chances.sum()
        return Choice(head, features, int(rng.choice(len(chances), p=chances)), chances)

    def learn(self, played: Sequence[tuple[list[Choice], float]], rate: float = 0.06) -> None:
        """One update of REINFORCE by Adam; the baseline is the batch's mean."""
        rewards = np.array([reward for _, reward in played])
        better = (rewards - rewards.mean()) / (rewards.std() + 1e-6)
        slopes = {head: np.zeros_like(one) for head, one in self.weights.items()}
        for (choices, _), weight in zip(played, better, strict=True):
            for one in choices:
                missed = -one.chances
                missed[one.taken] += 1
                slope = np.outer(missed, one.features) if one.head != "which" else missed @ one.features
                slopes[one.head] += weight * slope / len(played)
        self.steps += 1
        for head, slope in slopes.items():
            first, second = self.moments.get(head, (np.zeros_like(slope), np.zeros_like(slope)))
            first, second = 0.9 * first + 0.1 * slope, 0.99 * second + 0.01 * slope**2
            self.moments[head] = first, second
            scale = math.sqrt(1 - 0.99**self.steps) / (1 - 0.9**self.steps)
            self.weights[head] += rate * scale * first / (np.sqrt(second) + 1e-8)


@lru_cache(10_000)
def hashed(text: str, size: int) -> Vector:
    """Words of a point outside quotes, digits left out, and pairs of them."""
    words = re.findall(r"[a-z]+", re.sub(r'"[^"]*"', " quoted ", text.lower()))
    found = np.zeros(size)
    for word in {*words, *(f"{a} {b}" for a, b in pairwise(words))}:
        found[zlib.crc32(word.encode()) % size] = 1.0
    found[0] = 1.0
    return found / math.sqrt(max(1.0, found.sum()))


@dataclass
class Product:
    name: str
    url: str
    price: float | None
    rating: float | None
    ratings: int
    brand: str


def number(text: str | None) -> float | None:
    return None if text is None else float(text.replace(",", "").rstrip("."))


@dataclass
class Play:
    """One episode of the scripted agent."""

    env: Environment
    policy: Policy
    rng: np.random.Generator
    choices: list[Choice] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)

    def call(self, tool: str, **arguments: Any) -> str:
        key = f"{tool} {arguments}"
        if key not in self.texts:
            self.texts[key] = self.env.step({"tool": tool, "arguments": arguments})[0].text
        return self.texts[key]

    @cached_property
    def orders(self) -> list[tuple[str, ...]]:
        return _ORDER.findall(self.call("get_user_orders", limit=100))

    def choose(self, head: str, features: Vector) -> int:
        self.choices.append(self.policy.choose(head, features, self.rng))
        return self.choices[-1].taken

    def shelf(self, path: str) -> list[Product]:
        return self._products(query=path.split(" > ")[-1], category=path, match="any", limit=50)

    def _products(self, **asked: Any) -> list[Product]:
        rows = _FOUND.findall(self.call("product_catalog_search", **asked))
        return [
            Product(
                name,
                url,
                number(price or None),
                number(rating or None),
                int(number(times or "0") or 0),
                brand,
            )
            for name, price, rating, times, brand, url in rows
        ]

    def point(self, number_: int, text: str) -> tuple[str, dict[str, Any]]:
        """Work at one point; return what is said of it, and its part of the form."""
        quoted, day = re.findall(r'"([^"]*)"', text), _DAY.search(text)
        bought = self._bought(day[0]) if day else None
        look = LOOKS[self.choose("look", hashed(text, WORDS))]
        found: list[Product] = []
        if look == "shelf":
            path = next((one for one in quoted if " > " in one), None) or self._path(bought)
            found = self.shelf(path) if path else []
        elif look == "title" and quoted:
            found = self._products(query=max(quoted, key=len)[:300], limit=5)
        elif look == "orders":
            _ = self.orders
        elif look == "statistics":
            self.call("get_user_statistics")
        fitting = [one for one in found if all(side >= 0 for side in self._limits(one, text))]
        status = 0 if not found else 1 if not fitting else 2 if len(fitting) < 4 else 3
        seen = np.zeros(4 * len(LOOKS))
        seen[4 * LOOKS.index(look) + status] = 1.0
        say = SAYS[self.choose("say", np.concatenate([hashed(text, WORDS), seen]))]
        return self._said(number_, say, text, found, bought, quoted)

    def _bought(self, day: str) -> tuple[str, ...] | None:
        wanted = datetime.strptime(day, "%B %d, %Y").strftime("%Y-%m-%d")  # noqa: DTZ007 - a day alone
        return next((one for one in self.orders if one[0] == wanted), None)

    def _details(self, product_id: str) -> re.Match[str] | None:
        return _DETAILS.search(self.call("get_product_details", product_id=product_id))

    def _path(self, bought: tuple[str, ...] | None) -> str | None:
        found = self._details(bought[5]) if bought else None
        return " > ".join(found[5].split(" > ")[-2:]) if found else None

    @staticmethod
    def _limits(one: Product, text: str) -> tuple[int, int, int]:
        """How a product stands to each limit in the point: 1 within, 0 none, -1 beyond or unknown."""
        dollars = re.search(r"\$([\d,.]*\d)", text)
        stars = re.search(r"\b([1-5]\.\d)\b", re.sub(r"\$[\d,.]+", "", text))
        times = re.search(r"\b(\d+) (?:ratings|people)", text)
        return (
            0
            if not dollars
            else 1
            if one.price is not None and one.price <= (number(dollars[1]) or 0)
            else -1,
            0 if not stars else 1 if one.rating is not None and one.rating >= float(stars[1]) else -1,
            0 if not times else 1 if one.ratings >= int(times[1]) else -1,
        )

    def _which(self, text: str, found: list[Product]) -> list[Product]:
        """Choose as many as the point asks for, one after the other."""
        wanted = next((count for word, count in _COUNTS.items() if re.search(rf"\b{word}\b", text)), 1)
        owned = {order[5] for order in self.orders} if "order" in text else set()
        prices = [one.price if one.price is not None else math.inf for one in found]
        rated = [one.rating or 0.0 for one in found]
        rows = []
        for place, one in enumerate(found):
            sides = [
                float(prices[place] == min(prices)), float(rated[place] == max(rated)),
                float(one.brand in text), float(one.url.rsplit("/", 1)[-1] in owned),
            ]  # fmt: skip
            plain = [*self._limits(one, text), place / len(found), float(one.price is not None), *sides]
            crossed = np.outer(sides, hashed(text, CROSSED)).ravel()
            rows.append(np.concatenate([plain, 3 * crossed]))
        chosen: list[Product] = []
        left = list(range(len(found)))
        while left and len(chosen) < wanted:
            at = self.choose("which", np.array([rows[k] for k in left]))
            chosen.append(found[left.pop(at)])
        return chosen

    def _said(
        self,
        point: int,
        say: str,
        text: str,
        found: list[Product],
        bought: tuple[str, ...] | None,
        quoted: list[str],
    ) -> tuple[str, dict[str, Any]]:
        if say == "products" and found:
            chosen = self._which(text, found)
            named = "; ".join(f"[{one.name}]({one.url})" for one in chosen)
            return f"{point}. I name {named}.", {"picks": [one.url for one in chosen]}
        if say in ("nothing_fits", "not_sold"):
            return f"{point}. {say.replace('_', ' ').capitalize()}.", {
                "refusals": [{"point": point, "reason": say}]
            }
        value, url = self._figure(say, text, found, bought, quoted)
        if value is None:
            return f"{point}. I do not know.", {}
        return f"{point}. The {say} is [{value}]({url}).", {"figures": [{"point": point, "value": value}]}

    def _figure(
        self, say: str, text: str, found: list[Product], bought: tuple[str, ...] | None, quoted: list[str]
    ) -> tuple[float | str | None, str]:
        """The figure of this kind that was found, and its address."""
        user = f"user://{self.env.episode.start.user_id}"
        if say == "spend":
            year = re.search(r"\b(20\d\d)\b", text)
            told = re.search(
                rf"{year[1] if year else '0'} \d+ \(\$([\d,.]+)\)",
                self.texts.get("get_user_statistics {}", ""),
            )
            return (number(told[1]) if told else None), f"{user}/statistics"
        if say == "day":
            known = [
                one for one in self.orders if quoted and max(quoted, key=len).startswith(one[2].rstrip("…"))
            ]
            return (known[0][0], f"{user}/orders/{known[0][4]}") if known else (None, "")
        if bought is not None and say in ("price", "total"):
            price = number(bought[3] or None)
            if say == "price" or price is None:
                return price, f"http://ecommerce.example/{bought[5]}"
            return round(price * int(bought[1]), 2), f"{user}/orders/{bought[4]}"
        if bought is not None and say == "rating":
            details = self._details(bought[5])
            return (number(details[2]) if details else None), f"http://ecommerce.example/{bought[5]}"
        first = found[0] if found else None
        values = {"price": first.price, "rating": first.rating, "ratings": first.ratings} if first else {}
        return values.get(say), first.url if first else ""

    def run(self, seed: int) -> Episode:
        first = self.env.reset(seed=seed)
        points = re.findall(r"^(\d)\. (.*)", first.question, re.M)
        lines: list[str] = []
        form: dict[str, list[Any]] = {"picks": [], "figures": [], "refusals": []}
        for place, text in points:
            line, part = self.point(int(place), text)
            lines.append(line)
            for name, values in part.items():
                form[name] += values
        report = "\n".join(lines)
        _, reward, _, info = self.env.step({"report": report, "form": form})
        shown = f"{first.question}\n---\n{report}\n---\n{form}\nreward {reward:.3f}"
        return Episode(self.choices, reward, info["components"], shown)


def tried(env: Environment, policy: Policy, seeds: range) -> list[Episode]:
    """Play each seed once, by one draw of the policy's choices."""
    return [Play(env, policy, np.random.default_rng(seed)).run(seed) for seed in seeds]


def row(name: str, played: Sequence[Episode]) -> list[str]:
    """Mean reward and components."""
    parts = ("points", "cited", "truthful")
    means = [[one.components[part] for one in played if one.components[part] is not None] for part in parts]
    return [name, f"{np.mean([one.reward for one in played]):.3f}", *(f"{np.mean(one):.2f}" for one in means)]


def main(shop: str, updates: int = 300) -> None:
    began = time.perf_counter()
    policy, rng = Policy(), np.random.default_rng(54)
    with Environment(shop) as env:
        before, curve = tried(env, policy, UNSEEN), []
        for update in range(updates):
            batch = rng.choice(len(TRAINING), BATCH, replace=False)
            played = [Play(env, policy, rng).run(TRAINING[int(one)]) for one in batch]
            policy.learn([(one.choices, one.reward) for one in played])
            curve += [one.reward for one in played]
            if update % 25 == 24:
                mean, spent = np.mean(curve[-25 * BATCH :]), time.perf_counter() - began
                print(f"{update + 1:4} updates: mean reward {mean:.3f}, {spent:.0f} s", flush=True)
        after = tried(env, policy, UNSEEN)
    gain = np.array([b.reward - a.reward for a, b in zip(before, after, strict=True)])
    half = 1.96 * float(gain.std(ddof=1)) / math.sqrt(len(gain))
    longest = max(range(len(UNSEEN)), key=lambda k: len(after[k].choices))
    for place in (longest, 1):
        print(f"\nBEFORE\n{before[place].shown}\n\nAFTER\n{after[place].shown}")
    rows = [row("before", before), row(f"after {updates} updates", after)]
    told = f"Gain {gain.mean():.3f} [{gain.mean() - half:.3f}, {gain.mean() + half:.3f}] on {len(UNSEEN)} unseen seeds."
    head = ["policy", "reward", "points", "cited", "truthful"]
    record("Learning: a small policy in the environment", f"{told}\n\n{table(head, rows)}")
    if gain.mean() <= half:
        raise SystemExit("no gain that its interval tells from none")


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:3]))
