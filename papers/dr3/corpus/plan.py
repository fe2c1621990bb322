"""The plan of a page. It has one main topic that its opening names and its end comes back to, and after it
only topics that follow from it."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cache

from drr.papers.dr3.corpus.scene import PageScene
from drr.papers.dr3.corpus.statement import PageStatement
from drr.papers.dr3.corpus.stock import MEMBER, PageForm, TalkMatter, stock

_FOLLOWS = {
    "choosing": ("daily", "fitting", "comparing", "money"),
    "delivery": ("fitting", "trouble", "money"),
    "fitting": ("choosing", "delivery", "daily"),
    "daily": ("care", "trouble", "lasting", "comparing"),
    "care": ("daily", "trouble", "lasting"),
    "trouble": ("care", "daily", "lasting", "money"),
    "lasting": ("care", "trouble", "money"),
    "money": ("choosing", "lasting", "comparing", "delivery"),
    "comparing": ("choosing", "daily", "lasting", "money"),
}
"""What one comes to speak of after a topic, in the order in which one does."""
_PLACED = frozenset(["placed", "floor", "built", "large", "sized", "waits", "stores"])
"""Things for which one looks for a place, or measures: a page may be about just that."""
_MAIN = 2
"""Passages that a main topic has at least."""
_SIGNED = 0.4
"""How often a page says who is behind it."""


@dataclass(frozen=True)
class PagePlan:
    main: str
    others: tuple[str, ...]


def topics_of(form: PageForm, fits: frozenset[str], *, compares: bool = True, least: int = 1) -> set[str]:
    """List the topics with so many things to say of a sort. Others of its sort are spoken of only where there are some."""
    can = _topics_of(form.voice, fits, least)
    return {*can} if compares else {*can} - {"comparing"}


@cache
def _topics_of(voice: str, fits: frozenset[str], least: int) -> frozenset[str]:
    if voice == MEMBER:
        return frozenset(one.topic for one in stock().matters if one.suits(fits))
    passages = stock().voices[voice]
    return frozenset(
        topic for topic, rows in passages.items() if sum(one.suits(fits) for one in rows) >= least
    )


def page_plan(form: PageForm, scene: PageScene, said: Iterable[PageStatement]) -> PagePlan:
    """Plan a page so that each statement stands beside a topic of the plan. The first statement decides what the page can be about."""
    fits, rng = scene.fits, scene.rng
    can = topics_of(form, fits, compares=scene.compares)
    main_ones = topics_of(form, fits, compares=scene.compares, least=_MAIN)
    known = [topic for topic in _FOLLOWS if topic in can and topic in stock().occasions[form.voice]]
    mains = [topic for topic in known if topic in main_ones] or known
    mains = [main for main in mains if main in form.mains] or mains
    mains = [main for main in mains if main != "fitting" or fits & _PLACED] or mains
    first = next(iter(said), None)
    near = [topic for topic in (first.form.near if first else ()) if topic in can]
    if near:
        mains = [main for main in mains if {main, *_FOLLOWS[main]} & set(near)] or mains
    main = rng.choice(mains)
    others = [topic for topic in _FOLLOWS[main] if topic in can]
    kept = set(
        rng.sample(others, min(len(others), rng.randint(1, 2) if form.voice == "desk" else rng.randint(2, 4)))
    )
    if near and not {main, *kept} & set(near):
        kept |= set([topic for topic in others if topic in near][:1])
    ordered = [topic for topic in others if topic in kept]
    if "people" in can and rng.random() < _SIGNED:
        ordered.append("people")
    return PagePlan(main, tuple(ordered))


def matters_of(topics: Collection[str], scene: PageScene) -> list[TalkMatter]:
    """One of each topic, in order."""
    found: list[TalkMatter] = []
    for topic in topics:
        apt = [
            one
            for one in stock().matters
            if one.topic == topic and one.suits(scene.fits) and one not in found
        ]
        found += scene.deck.some(apt, 1, scene.rng, scene.theme)
    return found
