"""A question's shape, filled with phrases of the thing asked about, of the shopper's records and of limits."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from string import Formatter
from typing import Any, NamedTuple, NotRequired, TypedDict

from drr.offline.agents.memory import join
from drr.querygen.asking import Intent

_HERE = Path(__file__).parent
FILES = (_HERE / "things.toml", _HERE / "phrases.toml")


class ThingWords(TypedDict):
    """One thing that people buy, with what they say about it."""

    need: str
    """Search words."""
    price: float
    """The usual cost of one."""
    say: str
    why: list[str]
    first: NotRequired[list[str]]
    """Reasons of somebody who has none yet."""
    want: list[str]
    ask: list[str]


class ThemeWords(TypedDict):
    gift: str
    """The person who gets such things, with a reason."""
    season: str
    things: list[ThingWords]


class IntentShapes(TypedDict):
    rationale: str
    shapes: list[str]
    short: list[str]


class PurchaseRecord(NamedTuple):
    order: str
    product: str
    year: str
    times: int
    thing: str
    """The head of the title: brand and kind, without the search words that sellers add."""
    brand: str
    """The store's name, where the title begins with it."""
    kind: str
    """The last two words of `thing`: what to search for."""
    themes: list[str]
    """Themes of `thing`: the words that a seller adds ("for dog walks") do not say what a thing is."""
    price: float | None
    used_up: bool
    """Bought again because it is used up."""
    perishes: bool

    def called(self, thing: ThingWords) -> str:
        """Name it as its owner does."""
        return f"{self.brand} {thing['need'] if self.is_a(thing) else self.kind}".strip()

    def is_a(self, thing: ThingWords) -> bool:
        return _stems(thing["need"].split()[-2:]) <= _stems(self.thing.split())


class Shopper(NamedTuple):
    state: str | None
    dear: float
    """The shopper's usual prices beside other people's: 0.8, 1 or 1.3."""
    records: list[PurchaseRecord]
    themes: list[str]


class Filled(NamedTuple):
    """A question, and which slots are in it."""

    text: str
    slots: frozenset[str]


@cache
def theme_words() -> Mapping[str, ThemeWords]:
    found: dict[str, ThemeWords] = tomllib.loads(FILES[0].read_text(encoding="utf-8"))
    return found


@cache
def phrases() -> Mapping[str, Any]:
    return tomllib.loads(FILES[1].read_text(encoding="utf-8"))


def shapes_of(intent: Intent) -> IntentShapes:
    found: IntentShapes = phrases()[intent]
    return found


def draw(*parts: object) -> int:
    return int(sha256("|".join(map(str, parts)).encode()).hexdigest()[:12], 16)


def pick(seed: int, slot: str, among: Sequence[str]) -> str:
    return among[draw(seed, slot) % len(among)] if among else ""


class Slots:
    """The slots of one question; a phrase is drawn when its slot is in the shape."""

    def __init__(
        self,
        theme: ThemeWords,
        things: Sequence[ThingWords],
        record: PurchaseRecord | None,
        shopper: Shopper,
        seed: int,
    ) -> None:
        self.thing = things[0]
        self.record = record
        self.shopper = shopper
        self.seed = seed
        names = [thing["say"] for thing in things]
        cap = record.price if record is not None and record.price else self.thing["price"] * shopper.dear
        whole = sum(one["price"] for one in things) * shopper.dear * 1.25
        self.words: dict[str, str] = {
            "say": names[0],
            "need": self.thing["need"],
            "things": join(names),
            "rest": join(names[1:]) or names[0],
            "gift": theme["gift"],
            "season": theme["season"],
            **{name: self._limit(name, cap * 1.4) for name in ("limit", "Limit")},
            **{name: self._limit(name, whole) for name in ("limit_all", "Limit_all")},
            "want": pick(seed, "want", self.thing["want"]),
            "ask": pick(seed, "ask", self.thing["ask"]),
            "Why": self._why(),
            **self._of_record(),
        }

    def _limit(self, name: str, most: float) -> str:
        return pick(self.seed, name, phrases()[name]).format(n=round_up(most))

    def _why(self) -> str:
        """Nobody who has one says what only somebody says who has none."""
        owned = self.record is not None and self.record.is_a(self.thing)
        return pick(self.seed, "why", [*self.thing["why"], *([] if owned else self.thing.get("first", []))])

    def _of_record(self) -> dict[str, str]:
        state = self.shopper.state
        found = {"Place": "", "Own": "", "Like": ""}
        if state is not None:
            found["Place"] = pick(self.seed, "place", phrases()["Place"]).format(state=state)
        if self.record is None:
            return found
        keeps = "how long does it keep once opened" if self.record.perishes else "is there a bigger pack"
        own = {"thing": self.record.called(self.thing), "year": self.record.year}
        for name in ("Own", "Like"):
            found[name] = pick(self.seed, name, phrases()[name]).format(**own)
        return {**found, **own, "kind": self.record.kind, "often": _times(self.record.times), "keeps": keeps}

    def fill(self, intent: Intent) -> Filled:
        """Fill a shape; one in eight is short and typed in a hurry."""
        shapes, hurried = shapes_of(intent), self.seed % 8 == 0
        shape = pick(self.seed, "shape", shapes["short" if hurried else "shapes"])
        words = {**self.words, **{name.capitalize(): first_up(text) for name, text in self.words.items()}}
        words |= {name: self.words[name] for name in ("Limit", "Limit_all") if name in self.words}
        slots = frozenset(name for _, name, _, _ in Formatter().parse(shape) if name)
        text = " ".join(shape.format(**words).replace(" ?", "").split())
        own = frozenset({"thing", "year"} if slots & {"Own", "Like"} and self.record is not None else ())
        place = frozenset({"state"} if "Place" in slots and self.shopper.state else ())
        return Filled(text.lower() if hurried else text, slots | own | place)


def first_up(text: str) -> str:
    return text[:1].upper() + text[1:]


def round_up(value: float) -> int:
    step = 5 if value < 60 else 10 if value < 150 else 25
    return int(-(-value // step) * step)


def _times(count: int) -> str:
    return {1: "once", 2: "twice", 3: "three times", 4: "four times"}.get(count, f"{count} times")


def _stems(words: Sequence[str]) -> set[str]:
    return {word.casefold().rstrip("s") for word in words}
