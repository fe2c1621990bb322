"""The possible cost of one request, reserved in every budget that applies from before it is sent until its cost is known."""

from __future__ import annotations

from collections.abc import Iterable
from types import TracebackType
from typing import Self

from drr.llm.budget import Budget, SpendAmount
from drr.llm.meter import Tokens


class Charge:
    """A context around one request. It is entered when the amount is reserved, and left when all of it is accounted for."""

    def __init__(self, budgets: Iterable[Budget], amount: SpendAmount) -> None:
        self._budgets = list(budgets)
        self._amount = amount
        self._held: list[tuple[Budget, SpendAmount]] = []
        self.sent = False
        """A request is under way or was lost: it may be billed, whatever comes of it."""

    async def __aenter__(self) -> Self:
        try:
            for budget in self._budgets:
                self._held.append((budget, await budget.reserve(self._amount)))
        except BaseException:
            self._give_back()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._give_back()

    def settle(self, tokens: Tokens | None, cost: int | None) -> None:
        """An answer came."""
        while self._held:
            budget, reserved = self._held.pop()
            budget.settle(reserved, tokens, cost)

    def _give_back(self) -> None:
        while self._held:
            budget, reserved = self._held.pop()
            budget.release(reserved, billed=self.sent)
