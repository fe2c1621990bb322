"""The tables of facts that pages are written from, as `facts/*.toml` holds them."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import NotRequired, TypedDict, cast

_FOLDER = Path(__file__).parent / "facts"


class StateBirds(TypedDict):
    """What is told of one state."""

    region: str
    bird: str
    zones: str
    last_frost: str
    first_frost: str
    hummingbird: str
    arrives: str
    leaves: str
    specials: list[str]


class RegionBirds(TypedDict):
    species: list[str]
    plants: list[str]
    water: str


class BirdFacts(TypedDict):
    species: dict[str, str]
    """What each of them eats."""
    regions: dict[str, RegionBirds]
    states: dict[str, StateBirds]


class Region(TypedDict):
    """Its pollen and its garden calendar."""

    name: str
    slug: str
    states: str
    tree: str
    grass: str
    weed: str
    winter_humidity: str
    seed_tomato: str
    plant_peas: str
    plant_tomato: str
    garlic: str


class RegionFacts(TypedDict):
    region: list[Region]


class Guide(TypedDict):
    host: str
    slug: str
    title: str
    date: str
    topics: list[str]
    lead: str
    rule: str
    sections: list[tuple[str, str]]
    computed: NotRequired[str]
    """The table, by its name in `tables.py`; else it is written out:"""
    columns: NotRequired[list[str]]
    rows: NotRequired[list[list[str]]]


class GuideFacts(TypedDict):
    guide: list[Guide]


class Ranking(TypedDict):
    thing: str
    topics: list[str]
    claim: str


class Outdated(TypedDict):
    title: str
    year: int
    host: str
    topics: list[str]
    body: str


class Thread(TypedDict):
    title: str
    topics: list[str]
    posts: list[str]


class Near(TypedDict):
    title: str
    host: str
    topics: list[str]
    body: str


class DistractorFacts(TypedDict):
    ranking: list[Ranking]
    outdated: list[Outdated]
    thread: list[Thread]
    near: list[Near]


class NoisePage(TypedDict):
    host: str
    slug: str
    title: str
    date: str
    text: str


class NoiseFacts(TypedDict):
    page: list[NoisePage]


def _read(name: str) -> object:
    return tomllib.loads((_FOLDER / f"{name}.toml").read_text(encoding="utf-8"))


def birds() -> BirdFacts:
    return cast(BirdFacts, _read("birds"))


def regions() -> list[Region]:
    return cast(RegionFacts, _read("regions"))["region"]


def guides() -> list[Guide]:
    return cast(GuideFacts, _read("guides"))["guide"]


def distractors() -> DistractorFacts:
    return cast(DistractorFacts, _read("distractors"))


def noise() -> list[NoisePage]:
    return cast(NoiseFacts, _read("noise"))["page"]
