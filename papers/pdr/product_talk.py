"""Dialogues and notes about products: asked about, compared, wished for, looked at for somebody else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from random import Random
from typing import NamedTuple

from drr.papers.pdr.context import ItemKind
from drr.papers.pdr.history import Purchased
from drr.papers.pdr.wares import Ware, ware_of
from drr.papers.pdr.words import talk

_WINDOW = 730
"""Days before `as_of` over which what has no date of its own is spread."""


class ItemDraft(NamedTuple):
    date: str
    kind: ItemKind
    text: str
    expresses: tuple[str, ...]
    quoted: tuple[Ware, ...] = ()
    """Products whose pages it quotes."""


class ProductTalk:
    """One person's, by a generator of its own."""

    def __init__(
        self, rng: Random, today: date, themes: Mapping[str, str], brands: Mapping[str, str]
    ) -> None:
        self._rng, self._today = rng, today
        self._themes, self._brands = themes, brands

    def _of_ware(self, *wares: Ware) -> tuple[str, ...]:
        found = {self._themes[key] for ware in wares for key in ware.themes if key in self._themes}
        found |= {self._brands[ware.store] for ware in wares if ware.store and ware.store in self._brands}
        return tuple(sorted(found))

    def asked(self, line: Purchased, shown: tuple[str, ...]) -> ItemDraft:
        """Some days after the purchase, and before today."""
        ware = ware_of(line.product)
        latest = (self._today - line.day).days - 1
        day = line.day + timedelta(days=self._rng.randint(0, max(0, min(latest, 120))))
        return ItemDraft(
            day.isoformat(),
            "dialogue",
            self._answered(self._rng.choice(talk().own).format(what=ware.name), ware.long),
            shown,
            (ware,),
        )

    def browsed(self, ware: Ware) -> ItemDraft:
        asked = self._rng.choice(talk().browse).format(what=ware.name)
        return ItemDraft(
            self.day(), "dialogue", self._answered(asked, ware.long), self._of_ware(ware), (ware,)
        )

    def given(self, ware: Ware) -> ItemDraft:
        """Make a dialogue on a gift for somebody else, which says nothing of the person."""
        asked = self._rng.choice(talk().gift).format(what=ware.name)
        return ItemDraft(self.day(), "dialogue", self._answered(asked, ware.long), (), (ware,))

    def compared(self, one: Ware, other: Ware, *, own: bool) -> ItemDraft:
        asked = self._rng.choice(talk().compare).format(what=one.name, other=other.name)
        facts = f"{one.name}: {one.long} {other.name}: {other.long}"
        shown = self._of_ware(one, other) if own else ()
        return ItemDraft(self.day(), "dialogue", self._answered(asked, facts), shown, (one, other))

    def wished(self, wares: Sequence[Ware], *, own: bool = True) -> ItemDraft:
        said = talk()
        what = "; ".join(f"{ware.name} ({ware.short})" if at else ware.name for at, ware in enumerate(wares))
        text = self._rng.choice(said.wish if own else said.for_others).format(what=what)
        return ItemDraft(self.day(), "note", text, self._of_ware(*wares) if own else (), tuple(wares))

    def _answered(self, asked: str, facts: str) -> str:
        said = talk()
        first = (asked, self._rng.choice(said.answer).format(facts=facts))
        return spoken(first, self._rng.choice(said.thanks)) if self._rng.random() < 0.5 else spoken(first)

    def day(self) -> str:
        return (self._today - timedelta(days=self._rng.randint(1, _WINDOW))).isoformat()


def spoken(*turns: tuple[str, str]) -> str:
    return "\n".join(f"Shopper: {shopper}\nAssistant: {assistant}" for shopper, assistant in turns)
