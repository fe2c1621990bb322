"""The budget: an amount is reserved before each call, so that a limit holds with calls in progress. Also the prices of models."""

from __future__ import annotations

import asyncio
import contextlib
import operator
import tomllib
from collections.abc import Iterable
from dataclasses import astuple, dataclass
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Annotated, Any, Literal, Protocol, Self

from drr.llm.failures import ModelFailure, ModelSetupError
from drr.llm.meter import PICO, Tokens, dollars
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer, ValidationError


@dataclass(frozen=True)
class SpendAmount:
    """An amount of spending: picodollars, tokens, and the number of calls without a known price."""

    cost: int = 0
    tokens: int = 0
    unpriced: int = 0
    """The number of calls without a known price, counted from their reservation."""

    def __add__(self, other: SpendAmount) -> SpendAmount:
        return SpendAmount(*map(operator.add, astuple(self), astuple(other)))

    def __sub__(self, other: SpendAmount) -> SpendAmount:
        return SpendAmount(*map(operator.sub, astuple(self), astuple(other)))

    def times(self, factor: int) -> SpendAmount:
        return SpendAmount(*(part * factor for part in astuple(self)))

    def at_most(self, other: SpendAmount) -> SpendAmount:
        """Return the smaller value of each field."""
        return SpendAmount(*map(min, astuple(self), astuple(other)))

    def covers(self, other: SpendAmount) -> bool:
        return all(map(operator.ge, astuple(self), astuple(other)))


NOTHING = SpendAmount()


@dataclass(frozen=True)
class Limit:
    """A limit of picodollars and tokens; `None` means no limit."""

    cost: int | None = None
    tokens: int | None = None

    @classmethod
    def of(cls, usd: float | None = None, tokens: int | None = None) -> Limit:
        return cls(None if usd is None else round(usd * PICO), tokens)

    @property
    def is_set(self) -> bool:
        return self.cost is not None or self.tokens is not None

    def holds(self, amount: SpendAmount) -> bool:
        return (self.cost is None or amount.cost <= self.cost) and (
            self.tokens is None or amount.tokens <= self.tokens
        )

    def __str__(self) -> str:
        return _amount_text(self.cost, self.tokens) or "no limit"


def _amount_text(cost: int | None, tokens: int | None) -> str:
    parts = []
    if cost is not None:
        parts.append(
            f"${dollars(cost):,.2f}" if cost >= PICO or cost % (PICO // 100) == 0 else f"${dollars(cost):.4g}"
        )
    if tokens is not None:
        parts.append(f"{tokens:,} tokens")
    return " and ".join(parts)


Verdict = Literal["granted", "wait", "refused"]


class Purse(Protocol):
    """A record of spending. The ledger of a study is a purse that several processes share."""

    def reserve(self, amount: SpendAmount, limit: Limit) -> Verdict:
        """Reserve an amount. `wait` means that it would fit if running calls cost less than they reserved;
        `refused` means that it does not fit beside the spending."""

    def record_spending(
        self,
        reserved: SpendAmount,
        spent: SpendAmount,
        doubted: SpendAmount = NOTHING,
    ) -> None:
        """Return a reservation and record the spent amount, and separately the amount that was possibly spent."""


class MemoryPurse:
    """A purse for one process without a study. Possible spending counts as spending."""

    def __init__(self, spent: SpendAmount | None = None) -> None:
        self.spent = spent or SpendAmount()
        self.reserved = SpendAmount()

    def reserve(self, amount: SpendAmount, limit: Limit) -> Verdict:
        verdict = budget_verdict(self.spent, self.reserved, amount, limit)
        if verdict == "granted":
            self.reserved += amount
        return verdict

    def record_spending(
        self,
        reserved: SpendAmount,
        spent: SpendAmount,
        doubted: SpendAmount = NOTHING,
    ) -> None:
        self.reserved -= reserved
        self.spent += spent + doubted


def budget_verdict(spent: SpendAmount, reserved: SpendAmount, amount: SpendAmount, limit: Limit) -> Verdict:
    if limit.holds(spent + reserved + amount):
        return "granted"
    return "wait" if limit.holds(spent + amount) else "refused"


class OverBudget(ModelFailure):
    """A failure for lack of budget. `scope` tells whether one unit reached its cap or all units the shared budget."""

    def __init__(self, message: str, scope: Literal["unit", "all"]) -> None:
        super().__init__("over_budget", message)
        self.scope = scope


class Budget:
    """A limit with a purse. Without a limit every call is granted, and reservations and spending are still recorded."""

    def __init__(
        self, limit: Limit | None = None, purse: Purse | None = None, *, scope: Literal["unit", "all"] = "all"
    ) -> None:
        self.limit = limit or Limit()
        self.purse = purse or MemoryPurse()
        self.scope = scope
        self._returned = asyncio.Event()

    def __repr__(self) -> str:
        return f"Budget({self.limit})"

    async def reserve(self, amount: SpendAmount) -> SpendAmount:
        """Reserve an amount and return it, after waiting for running calls that may leave room. Raise `OverBudget` where there is no room."""
        if amount == NOTHING and not self.limit.is_set:
            return NOTHING
        if await self._wait_for_grant(amount):
            return amount
        what = "the unit's cap" if self.scope == "unit" else "the budget"
        most = _amount_text(
            None if self.limit.cost is None else amount.cost,
            None if self.limit.tokens is None else amount.tokens,
        )
        raise OverBudget(
            f"{what} of {self.limit} leaves no room for the next call, which may take up to {most}",
            self.scope,
        )

    async def _wait_for_grant(self, amount: SpendAmount) -> bool:
        while True:
            # Cleared before the question: an amount that is returned meanwhile must still wake this call.
            self._returned.clear()
            verdict = self.purse.reserve(amount, self.limit)
            if verdict != "wait":
                return verdict == "granted"
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(1.0):  # amounts returned in other processes are not signalled here
                    await self._returned.wait()

    def record_spending(self, reserved: SpendAmount, tokens: Tokens | None, cost: int | None) -> None:
        """Record the spending of an answered call. For unknown usage or price, the reserved amount counts as possibly spent."""
        spent = SpendAmount(cost or 0, 0 if tokens is None else tokens.total)
        doubted = SpendAmount(
            reserved.cost if cost is None else 0, reserved.tokens if tokens is None else 0, reserved.unpriced
        )
        self._account(reserved, spent, doubted)

    def release(self, reserved: SpendAmount, *, billed: bool = False) -> None:
        """Return the reservation of an unanswered call. With `billed`, its amount counts as possibly spent."""
        self._account(reserved, NOTHING, reserved if billed else NOTHING)

    def _account(self, reserved: SpendAmount, spent: SpendAmount, doubted: SpendAmount) -> None:
        """Pass the amounts to the purse, and wake the calls that wait for room."""
        self.purse.record_spending(reserved, spent, doubted)
        self._returned.set()


class Charge:
    """A context around one request. On entry the amount is reserved, and on exit all of it is accounted for."""

    def __init__(self, budgets: Iterable[Budget], amount: SpendAmount) -> None:
        self._budgets = list(budgets)
        self._amount = amount
        self._held: list[tuple[Budget, SpendAmount]] = []
        self.sent = False
        """True once a request has been sent: it may be billed, whatever its outcome."""

    async def __aenter__(self) -> Self:
        try:
            for budget in self._budgets:
                self._held.append((budget, await budget.reserve(self._amount)))
        # One budget may grant and the next refuse: what was granted must not stay reserved.
        except BaseException:
            self._give_back()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._give_back()

    def record_spending(self, tokens: Tokens | None, cost: int | None) -> None:
        """Record the tokens and the cost of an answer with all budgets."""
        while self._held:
            budget, reserved = self._held.pop()
            budget.record_spending(reserved, tokens, cost)

    def _give_back(self) -> None:
        while self._held:
            budget, reserved = self._held.pop()
            budget.release(reserved, billed=self.sent)


_BOX = Path(__file__).with_name("prices.toml")
_LARGEST = 256 * 1024


def _micros(value: Any) -> int:
    """Convert dollars per million tokens to whole millionths of a dollar. Price times tokens is then a whole number of picodollars."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e6:
        raise ValueError("a price is a number of dollars per million tokens, 0 or more")
    return round(value * 1_000_000)


Micros = Annotated[int, BeforeValidator(_micros), PlainSerializer(lambda micros: micros / 1_000_000)]


class Rates(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    input: Micros
    output: Micros
    cache_read: Micros | None = None
    """The rate for input read from the cache; `None` charges the rate for input."""
    cache_write: Micros | None = None

    def cost(self, tokens: Tokens) -> int:
        read = self.input if self.cache_read is None else self.cache_read
        write = self.input if self.cache_write is None else self.cache_write
        fresh = max(0, tokens.input - tokens.cache_read - tokens.cache_write)
        return (
            fresh * self.input
            + tokens.cache_read * read
            + tokens.cache_write * write
            + tokens.output * self.output
        )


class TokenPrice(Rates):
    above: int | None = Field(None, gt=0)
    long: Rates | None = None
    date: str | None = None

    def cost(self, tokens: Tokens) -> int:
        """Return the cost of one call in picodollars."""
        if self.long is not None and self.above is not None and tokens.input > self.above:
            return self.long.cost(tokens)
        return super().cost(tokens)

    def at_most(self, input_tokens: int, output_tokens: int) -> int:
        """Return the highest cost of a call of this size. Nothing is read from the cache, and all input may be written to it."""
        # Writing to the cache may cost more or less than plain input, so neither alone is the upper bound.
        plain = self.cost(Tokens(input_tokens, output_tokens))
        written = self.cost(Tokens(input_tokens, output_tokens, cache_write=input_tokens))
        return max(plain, written)


_ADDED_TOKENS = 512
"""Tokens allowed for a provider's own instructions on tools and forms."""


def most_of_call(price: TokenPrice | None, size: int, written: int, rule_written: bool) -> SpendAmount:
    """Return an upper estimate of a call's amount. It counts a token for every two bytes sent, an allowance, and the longest answer."""
    read = -(-size // 2) + _ADDED_TOKENS * (not rule_written)
    return SpendAmount(price.at_most(read, written) if price else 0, read + written, int(price is None))


class Prices(BaseModel):
    """A file of prices."""

    model_config = ConfigDict(extra="forbid")

    date: str
    models: dict[str, TokenPrice] = Field(default_factory=dict)

    def of(self, model: str) -> TokenPrice | None:
        return self.models.get(model)

    def date_of(self, model: str) -> str | None:
        price = self.of(model)
        return None if price is None else price.date or self.date


def load_prices(override: Path | None = None) -> Prices:
    """Return the built-in prices, of which entries of the file `override` replace entries of the same name."""
    box = _box()
    if override is None:
        return box
    theirs = _read(override)
    dated = {
        name: price.model_copy(update={"date": price.date or theirs.date})
        for name, price in theirs.models.items()
    }
    return Prices(date=box.date, models={**box.models, **dated})


@cache
def _box() -> Prices:
    return _read(_BOX)


def _read(path: Path) -> Prices:
    try:
        with path.open("rb") as file:
            text = file.read(_LARGEST + 1)
        if len(text) > _LARGEST:
            raise ModelSetupError(f"price file {path}: holds more than {_LARGEST:,} bytes")
        return Prices.model_validate(tomllib.loads(text.decode("utf-8")))
    except OSError as error:
        raise ModelSetupError(
            f"price file {path}: cannot be read ({error.strerror}); see llm/prices.toml for the form"
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ModelSetupError(
            f"price file {path}: not TOML ({error}); see llm/prices.toml for the form"
        ) from error
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise ModelSetupError(
            f"price file {path}: {where}: {first['msg']}; see llm/prices.toml for the form"
        ) from error
