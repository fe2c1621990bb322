"""One worker beyond this process, as the driver sees it: told, heard, killed."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator

from drr.study.stock import UnitStock
from drr.study.unit import Assignment


class Hand(ABC):
    """One worker, as the driver sees it."""

    def __init__(self) -> None:
        self.name: str | None = None
        """In the ledger's accounts, once it told."""
        self.units: dict[str, Assignment] = {}
        """In the order in which it was handed them, in which it begins them."""
        self.stock = UnitStock()
        self.reading: asyncio.Task[None] | None = None
        self.unfit: str | None = None

    @property
    def is_ready(self) -> bool:
        """Tell whether it may be handed units. One that keeps its messages until it has begun may from the start."""
        return True

    @property
    def is_placed(self) -> bool:
        """Tell whether it is somewhere, be it still opening what it needs."""
        return True

    @abstractmethod
    def tell(self, message: object) -> None:
        """Send a message, in order; one to a hand that has ended is lost."""

    @abstractmethod
    def heard(self) -> AsyncIterator[object]:
        """Yield its messages until it is gone."""

    @property
    @abstractmethod
    def ending(self) -> str:
        """Say how it went, once it is gone."""

    @property
    @abstractmethod
    def died(self) -> bool:
        """Gone without having said all it had to say."""

    async def is_to_blame(self) -> bool:
        """False where it is known that its machine went, whatever it was working on."""
        return True

    @abstractmethod
    async def kill(self) -> None: ...
