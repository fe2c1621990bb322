"""Calls models with retries, in the only layer that retries, and limits the concurrent calls to a provider."""

from __future__ import annotations

import asyncio
import os
import random
import sys
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Protocol, TypeVar
from urllib.parse import urlsplit
from urllib.request import getproxies

from drr.llm.failures import ModelFailure, ModelSetupError, NoToken
from drr.llm.names import OFFLINE, is_loopback


@dataclass(frozen=True)
class Clock:
    """The time and randomness of calls. `now` is monotonic; `chance` spreads retries and never affects a request or an answer."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    chance: Callable[[], float] = field(default_factory=lambda: random.Random().random)


_TRACING = ("LANGSMITH_TRACING", "LANGSMITH_TRACING_V2", "LANGCHAIN_TRACING", "LANGCHAIN_TRACING_V2")
_PROXIES = ("http", "https", "socks5", "socks5h")
_OWN = ("127.0.0.1", "localhost", "::1")


def tracing_off() -> None:
    """Turn off LangSmith tracing, which LangChain would start for environment variables of another project."""
    for name in _TRACING:
        if name in os.environ:
            os.environ[name] = "false"
    langsmith = sys.modules.get("langsmith.utils")
    if langsmith is not None:  # it caches what it read
        langsmith.get_env_var.cache_clear()


def env_proxies() -> dict[str, str]:
    """Return the proxies by scheme that clients find in the environment."""
    return {name: address for name, address in getproxies().items() if name in ("http", "https", "all")}


def check_proxies() -> None:
    """Raise `ModelSetupError` for an unreadable proxy address, for which a client would crash or call another host. The message hides the address."""
    for name, address in env_proxies().items():
        text = address if "://" in address else f"http://{address}"
        try:
            parts = urlsplit(text)
            wrong = parts.scheme not in _PROXIES or not parts.hostname or parts.port == 0 or "@" in parts.path
        except ValueError:
            wrong = True
        if wrong:
            raise ModelSetupError(
                f"{name.upper()}_PROXY: not the address of a proxy (it is not shown, as it may hold a password);"
                " e.g. http://proxy.example:3128, in a password write @ as %40, / as %2F, : as %3A"
            )


def no_proxy_for_this_machine(address: str | None) -> None:
    """Exempt servers on this machine from proxies. `HTTP_PROXY` would otherwise send requests to the proxy's owner."""
    hosts = [*_OWN]
    if is_loopback(address):
        hosts.append(urlsplit(address or "").hostname or "")
    for name in ("NO_PROXY", "no_proxy"):
        known = [host for host in os.environ.get(name, "").split(",") if host]
        # The lower-case variable takes precedence, even if it is empty.
        if name == "NO_PROXY" or name in os.environ:
            os.environ[name] = ",".join(dict.fromkeys([*known, *hosts]))


T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True)
class Retries:
    """Rules for retries: transient failures are retried, and a malformed body once. `attempts` counts the first try."""

    attempts: int = 6
    malformed_attempts: int = 2
    deadline_s: float = 600.0
    """Seconds from the first try to the last, including the waits."""
    base_s: float = 1.0
    longest_s: float = 30.0
    longest_retry_after_s: float = 90.0
    """The longest wait for a provider's retry-after; a provider that asks for more is called again after this time."""

    def allows(self, failure: ModelFailure, tried: int, malformed: int) -> bool:
        if tried >= self.attempts or not failure.again:
            return False
        return failure.transient or (failure.kind == "malformed" and malformed < self.malformed_attempts)

    def wait(self, failure: ModelFailure, tried: int, chance: float) -> float:
        backoff = min(self.longest_s, self.base_s * 2.0 ** (tried - 1)) * (0.5 + chance / 2)
        if failure.retry_after is None:
            return backoff
        asked = min(failure.retry_after, self.longest_retry_after_s)
        # Spread later and never earlier, so that the calls do not all return at once.
        return max(asked, asked + chance * min(1.0, asked / 10))


class CallLimit(Protocol):
    """A limit on the concurrent calls to one provider."""

    def slot(self) -> AbstractAsyncContextManager[None]:
        """Return a context for one call, entered when the limit allows the call."""

    def answered(self) -> None: ...

    def pushed_back(self, started: float, wait: float) -> None:
        """Lower the limit after the provider refused a call as one too many. `started` is the call's start by the monotonic clock."""


class CallPace:
    """The number of concurrent calls to a provider. It falls when the provider refuses one as too many, and rises with answers.

    A 429 or 529 halves the number, once for all calls that were running when it came, and holds new calls
    back until the provider's retry-after has passed.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.allowed = float(most)
        self.closed_until = 0.0
        self._lowered_at = float("-inf")

    def hold_to(self, most: int) -> None:
        """Set another maximum. If no call was refused, all of it is allowed at once."""
        if self.allowed == self.most or self.allowed > most:
            self.allowed = float(most)
        self.most = most

    def answered(self) -> None:
        self.allowed = min(float(self.most), self.allowed + 1 / max(1.0, self.allowed))

    def pushed_back(self, started: float, now: float, wait: float) -> None:
        if started > self._lowered_at:
            # One call stays allowed, because only answers raise the number again.
            self.allowed = max(1.0, self.allowed / 2)
            self._lowered_at = now
        self.closed_until = max(self.closed_until, now + wait)


class Limiter:
    """A limiter of concurrent calls to a provider in this process, at most `most` and fewer after a refusal."""

    def __init__(self, most: int, clock: Clock | None = None) -> None:
        self.pace = CallPace(most)
        self.running = 0
        self._clock = clock or Clock()
        self._waiting: deque[asyncio.Future[None]] = deque()

    @property
    def allowed(self) -> float:
        return self.pace.allowed

    @property
    def wanted(self) -> int:
        """Return the number of calls that are running or waiting."""
        return self.running + sum(not turn.done() for turn in self._waiting)

    def hold_to(self, most: int) -> None:
        """Set another maximum from now on; running calls go on."""
        self.pace.hold_to(most)
        self._wake()

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """Return a context for one call, entered when the limit allows the call."""
        await self._enter()
        try:
            while (wait := self.pace.closed_until - self._clock.now()) > 0:
                await self._clock.sleep(wait)
            yield
        finally:
            self.running -= 1
            self._wake()

    def answered(self) -> None:
        self.pace.answered()
        self._wake()

    def pushed_back(self, started: float, wait: float) -> None:
        self.pace.pushed_back(started, self._clock.now(), wait)

    async def _enter(self) -> None:
        if self.running < int(self.allowed) and not self._waiting:
            self.running += 1
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            # The turn came just before the cancellation: its place is passed on, or it would be lost.
            if turn.done() and not turn.cancelled():
                self.running -= 1
                self._wake()
            elif turn in self._waiting:  # else it was already skipped
                self._waiting.remove(turn)
            raise

    def _wake(self) -> None:
        while self._waiting and self.running < int(self.allowed):
            turn = self._waiting.popleft()
            if not turn.done():
                self.running += 1
                turn.set_result(None)


class ProviderLimits:
    """A limit of calls for each provider, owned by this process or shared with other processes."""

    def __init__(self, most: int, clock: Clock) -> None:
        self.shared: Callable[[str], CallLimit] | None = None
        self._most = most
        self._clock = clock
        self._own: dict[str, CallLimit] = {}

    def of(self, provider: str, most: int | None = None) -> CallLimit:
        if self.shared is not None and provider != OFFLINE:  # rules have no provider to share
            return self.shared(provider)
        if provider not in self._own:
            self._own[provider] = Limiter(most or self._most, self._clock)
        return self._own[provider]


async def with_retries(
    attempt: Callable[[R], Awaitable[T]],
    *,
    reserve: Callable[[], AbstractAsyncContextManager[R]],
    limiter: CallLimit,
    retries: Retries,
    timeout_s: float,
    clock: Clock,
    name: Callable[[Exception], ModelFailure | None],
    on_retry: Callable[[ModelFailure, float], None] = lambda failure, seconds: None,
) -> T:
    """Call until there is an answer, a failure that no retry mends, or the deadline. No other layer retries.

    `reserve` reserves the possible cost of one try. Waiting for the limit or the budget does not count towards the deadline.
    """
    tried = malformed = 0
    begun: float | None = None
    before: ModelFailure | None = None
    while True:
        started = clock.now()
        try:
            async with limiter.slot(), reserve() as reserved:
                # The clock starts after the wait for a place, which is not the provider's fault.
                started = clock.now()
                begun = started if begun is None else begun
                left = max(0.001, retries.deadline_s - (started - begun))
                async with asyncio.timeout(min(timeout_s, left)):
                    answer = await attempt(reserved)
            limiter.answered()
        except Exception as error:
            failure = name(error)
            if failure is None or failure.kind == "over_budget":
                raise
            cut_short = isinstance(error, TimeoutError) and not isinstance(error, NoToken)
            if cut_short and before is not None and clock.now() - started < timeout_s:
                failure = before  # the deadline cut this try short: the earlier failure is the cause
        else:
            return answer
        tried += 1
        malformed += failure.kind == "malformed"
        now = clock.now()
        wait = retries.wait(failure, tried, clock.chance())
        if failure.kind in ("rate_limited", "overloaded"):
            limiter.pushed_back(started, wait)
        in_time = begun is None or now + wait - begun < retries.deadline_s
        if not (retries.allows(failure, tried, malformed) and in_time):
            raise _last(failure, tried) from None
        before = failure
        on_retry(failure, now - started)
        await clock.sleep(wait)


def _last(failure: ModelFailure, tried: int) -> ModelFailure:
    tries_note = f" (after {tried} tries)" if tried > 1 else ""
    return ModelFailure(failure.kind, f"{failure}{tries_note}", retry_after=failure.retry_after)
