"""A claim laid beside its evidence, with all that reads the two: figures, names, denials, each read once."""

from __future__ import annotations

from functools import cached_property

from drr.eval.evidence.aligned import Alignment
from drr.eval.evidence.amounting import Amounting
from drr.eval.evidence.contesting import Contesting, OtherValue
from drr.eval.evidence.doubting import parts_missing
from drr.eval.evidence.exchanging import exchanged
from drr.eval.evidence.naming import Naming
from drr.eval.evidence.opposing import Opposing
from drr.eval.evidence.reckoning import Reckoning


class LaidPair:
    def __init__(self, beside: Alignment) -> None:
        self.beside = beside
        self.amounts = Amounting(beside)
        self.reckoning = Reckoning(self.amounts)
        self._naming = Naming(beside)

    @cached_property
    def other_value(self) -> OtherValue | None:
        return Contesting(self.amounts, self.reckoning).other_value()

    @cached_property
    def exchanged(self) -> str | None:
        """Why the claim is a copy with a figure or a word exchanged."""
        return exchanged(self.amounts)

    @cached_property
    def foreign(self) -> str | None:
        """Why what the evidence tells is told of another."""
        return self._naming.other()

    @cached_property
    def unnamed(self) -> list[str]:
        return self._naming.unnamed()

    @cached_property
    def opposite(self) -> tuple[str, str] | None:
        """Why the evidence says the opposite, and in which word; a rest is said by what it is not."""
        return None if self.reckoning.is_rest() else Opposing(self.beside).reason()

    @cached_property
    def missing(self) -> list[str]:
        """Parts of the claim of which the evidence says hardly anything."""
        return parts_missing(self.beside)
