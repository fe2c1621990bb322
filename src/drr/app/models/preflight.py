"""The preflight of a model: server facts and a few short test calls, before a study depends on the model."""

from __future__ import annotations

import asyncio
import math
import time
from base64 import b64decode
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypedDict

from drr.app.models.servers import ServerFacts
from drr.env.json_object import JsonObject
from drr.env.settings import Settings
from drr.llm.names import host_of, is_providers_own, parse_name, profile_of
from drr.llm.thinking import Style
from pydantic import BaseModel

if TYPE_CHECKING:
    from drr.llm.failures import ModelFailure
    from drr.llm.meter import SeenCall
    from drr.llm.models import ModelSettings
    from drr.llm.role import MeteredModel
    from langchain_core.messages import AIMessage

SECONDS = 65.0
"""Longest time of all calls together, in seconds."""
_PATIENCE_S = 20.0
_SMALL_WINDOW = 8_192


_NO = ("bad_request", "malformed", "refusal", "context_overflow")
"""Kinds of failure by which a model says no; any other kind leaves the answer unknown."""


class ProbeRow(TypedDict):
    """The result of one probe of a model."""

    works: bool | None
    """`None` if there was no time, or the result is unknown."""
    detail: str
    seconds: float | None


class Speed(TypedDict):
    """Measured speeds of a model; `None` where they could not be measured."""

    writes_per_s: float | None
    reads_per_s: float | None
    first_token_s: float | None
    in_parallel: int | None
    """Number of answers at once that take no longer than one."""


class Preflight(TypedDict):
    """The document of `drr env doctor --model M --json`."""

    model: str
    address: str
    server: JsonObject
    speed: Speed
    probes: dict[str, ProbeRow]
    can_run: dict[str, ProbeRow]
    suggested: dict[str, float | int | str]
    seconds: float


@dataclass
class _Tried:
    """A test call: the call as it was observed, and the failure that ended it."""

    call: SeenCall | None = None
    failure: ModelFailure | None = None

    def called(self, call: SeenCall) -> None:
        self.call = call

    @property
    def text(self) -> str:
        return "" if self.call is None or self.call.answer is None else self.call.answer.text

    @property
    def written(self) -> int:
        return 0 if self.call is None else self.call.tokens.output if self.call.tokens else self.call.pieces

    @property
    def read(self) -> int:
        return self.call.tokens.input if self.call is not None and self.call.tokens is not None else 0

    @property
    def first_s(self) -> float | None:
        return None if self.call is None else self.call.first_s

    def probe(self, works: bool | None, detail: str = "") -> ProbeRow:
        """Return the result of this call as a row; where no answer came, the row says why."""
        seconds = None if self.call is None else round(self.call.seconds, 2)
        if self.call is None:
            return ProbeRow(works=None, detail="no time was left", seconds=None)
        if self.failure is not None and not works:
            works = False if self.failure.kind in _NO else None
            detail = f"{self.failure.kind}: {self.failure}"
        return ProbeRow(works=works, detail=detail[:300], seconds=seconds)


class _Offer(BaseModel):
    """A product on offer."""

    name: str
    price: float
    in_stock: bool


def price_of(product: str) -> str:
    """Look up the price of a product."""
    return product


_COUNT = "Write the numbers from one to sixty as words, with spaces between them and nothing else."
_WORD = "MAPLE"


class _Doctor:
    """The test calls of one preflight, within its time limit."""

    def __init__(self, settings: ModelSettings, facts: Callable[[], ServerFacts], seconds: float) -> None:
        self._settings, self._ask_facts, self.facts = settings, facts, ServerFacts()
        self._name = settings.model_of("agent")
        self._own = is_providers_own(parse_name(self._name).provider, _text(settings.base_url))
        self._end = time.monotonic() + seconds
        self.probes: dict[str, ProbeRow] = {}
        self.writes: float | None = None
        self.reads: float | None = None
        self.first_s: float | None = None
        self.parallel: int | None = None
        self.text_calls = False
        self._thought, self._most_read = False, 0

    @property
    def window(self) -> int | None:
        return self.facts.window or profile_of(self._name).get("max_input_tokens") or None

    async def ask(
        self,
        most: int,
        how: Callable[[MeteredModel], Awaitable[AIMessage]],
        *,
        seconds: float = _PATIENCE_S,
        style: Style = Style(),  # noqa: B008
    ) -> _Tried:
        from drr.llm.calls import Retries
        from drr.llm.factory import Models
        from drr.llm.failures import ModelFailure

        tried, left = _Tried(), min(seconds, self._end - time.monotonic())
        if left < 1:
            return tried
        limited = replace(
            self._settings, timeout_s=left, idle_s=left, deadline_s=left, max_tokens=most, retry_max_tokens=1,
            style=style,
        )  # fmt: skip
        models = Models(limited, retries=Retries(attempts=1))
        models.watched_by(tried)
        try:
            await how(models.role("agent"))
        except ModelFailure as failure:
            tried.failure = failure
        finally:
            await models.aclose()
        self._learn(tried)
        return tried

    def _learn(self, tried: _Tried) -> None:
        """Update the reading speed and the signs of thinking from a call; every call shows both."""
        from drr.llm.thinking import has_thought

        call = tried.call
        if call is None:
            return
        self._thought = (
            self._thought or call.silent >= _SILENT or (call.answer is not None and has_thought(call.answer))
        )
        if tried.first_s and tried.read > self._most_read:  # the longest prompt measures best
            reading = tried.first_s - 1 / self.writes if self.writes else tried.first_s
            self._most_read, self.reads = tried.read, tried.read / max(reading, tried.first_s / 4)

    async def run(self) -> None:
        await self._speed()
        self.facts = self._ask_facts()  # asked only now: a server that loads its model reports no facts yet
        self.parallel = self.facts.slots
        await self._tool()
        await self._form()
        await self._thinking()
        await self._images()
        await self._at_once()
        await self._send_long_prompt()

    async def _speed(self) -> None:
        """Measure the speed of the first call. Without an answer its failure is raised: there is nothing to examine."""
        tried = await self.ask(64, _say(_COUNT), seconds=40)
        while _is_loading(tried.failure) and time.monotonic() < self._end - 40:
            await asyncio.sleep(1)
            tried = await self.ask(64, _say(_COUNT), seconds=40)
        if tried.failure is not None and tried.failure.kind != "truncated" and not tried.written:
            raise tried.failure
        self.first_s = tried.first_s
        if tried.call is not None and tried.first_s is not None and tried.call.seconds > tried.first_s:
            self.writes = (tried.written - 1) / (tried.call.seconds - tried.first_s) or None
        self.probes["text"] = tried.probe(True)

    async def _tool(self) -> None:
        from drr.agents.text_calls import is_call

        asked = _say("What does the kettle K2 cost? Use the tool; do not guess.", tools=[price_of])
        tried = await self.ask(96, asked)
        answer = tried.call.answer if tried.call is not None else None
        called = answer is not None and any(call["name"] == "price_of" for call in answer.tool_calls)
        self.text_calls = not called and is_call(tried.text, {"price_of"})
        detail = "" if called else "no call came"
        if self.text_calls:
            detail = "the call came as text: see the server's parser of tool calls, or --text-calls parse"
        self.probes["tool_call"] = tried.probe(called, detail)

    async def _form(self) -> None:
        from drr.llm.role import is_readable

        tried = await self.ask(
            96, _form("An oak table costs 120.50 dollars and can be had at once. Describe the offer.")
        )
        works = is_readable(tried.text, _Offer)
        self.probes["form"] = tried.probe(works, "" if works else "the answer had another form")

    async def _thinking(self) -> None:
        from drr.llm.thinking import accepted_style

        provider, model = parse_name(self._name)
        style = Style(effort="low")
        if self._thought or not accepted_style(provider, model, style).is_set:
            detail = "by itself" if self._thought else "cannot be asked for here"
            self.probes["thinking"] = ProbeRow(works=self._thought, detail=detail, seconds=None)
            return
        tried = await self.ask(32, _say("Say yes."), style=style)
        detail = "when asked for" if self._thought else "no sign of it, even when asked for"
        self.probes["thinking"] = tried.probe(self._thought, detail)

    async def _images(self) -> None:
        from drr.llm.text import picture_blocks, with_pictures

        if self.facts.images is False:
            self.probes["images"] = ProbeRow(works=False, detail="the server says so", seconds=None)
            return
        picture = with_pictures("Which colour is it? One word.", picture_blocks("square", _RED, "image/png"))
        tried = await self.ask(16, lambda model: model.reply([picture]))
        works = "red" in tried.text.lower()
        self.probes["images"] = tried.probe(works, "" if works else "a red square was not seen as red")

    async def _at_once(self) -> None:
        """Measure how many answers the server gives at once, unless it says so: four may take as long as one."""
        if self.parallel is not None or self._own or self.writes is None:
            return
        tried = await asyncio.gather(*(self.ask(16, _say(_COUNT)) for _ in range(_MANY)))
        if calls := [one.call for one in tried if one.call is not None and one.call.first_s is not None]:
            took = max(call.seconds for call in calls) - min(call.first_s or 0 for call in calls)
            together = sum(one.written for one in tried) / max(took, 0.001)
            self.parallel = max(1, min(_MANY, round(together / self.writes)))

    async def _send_long_prompt(self) -> None:
        """Send a prompt as long as window and time allow, then send it again. A cache answers the second one sooner."""
        left = self._end - time.monotonic()
        most = min(0.85 * (self.window or _SMALL_WINDOW), _SMALL_WINDOW if self._own else 32_000)
        tokens = int(min(most, 0.6 * left * (self.reads or most)))
        tools = [price_of] if parse_name(self._name).provider == "anthropic" else []
        tried = await self.ask(16, _say(_long_text(tokens), tools=tools), seconds=0.85 * left)
        if tried.failure is not None and tried.failure.kind == "context_overflow":
            tokens //= 2
            tried = await self.ask(16, _say(_long_text(tokens), tools=tools), seconds=0.3 * left)
        works = _WORD in tried.text.upper()
        line = "found" if works else "not found: it may be cut, or too long for this model"
        self.probes["long_prompt"] = tried.probe(works, f"{tried.read or tokens:,} tokens; first line {line}")
        again = await self.ask(16, _say(_long_text(tokens), tools=tools)) if tried.text else _Tried()
        kept = again.call is not None and again.call.tokens is not None and again.call.tokens.cache_read > 0
        quick = bool(again.first_s and tried.first_s and again.first_s < tried.first_s / 2)
        detail = f"first token after {again.first_s or 0:.1f} s, before {tried.first_s or 0:.1f} s"
        self.probes["cache"] = again.probe(kept or quick, detail)


def _is_loading(failure: ModelFailure | None) -> bool:
    return failure is not None and failure.kind in ("server", "overloaded")


_SILENT = 5
"""Minimum number of chunks without text at the start of an answer that count as thinking; fewer may be mere markers."""
_MANY = 4
_RED = b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAEAAAABAAQMAAACQp+OdAAAAA1BMVEX/AAAZ4gk3AAAAD0lEQVR42mNgGAWjgHwAAAJAAAHg"
    "TR1EAAAAAElFTkSuQmCC"
)
"""A red square, as a PNG."""


def _say(text: str, tools: Any = ()) -> Callable[[MeteredModel], Awaitable[AIMessage]]:
    from langchain_core.messages import HumanMessage

    return lambda model: model.reply([HumanMessage(text)], tools=tools)


def _form(text: str) -> Callable[[MeteredModel], Awaitable[AIMessage]]:
    from langchain_core.messages import HumanMessage

    return lambda model: model.answer([HumanMessage(text)], _Offer)


def _text(address: Any) -> str | None:
    return address if address is None or isinstance(address, str) else address.get_secret_value()


def _long_text(tokens: int) -> str:
    rows = "\n".join(f"Shelf {n}: kettles, lamps and garden chairs." for n in range(max(1, tokens // 13)))
    return f"The code word is {_WORD}.\n{rows}\nWhat is the code word? Answer with that word alone."


def _can_run(doctor: _Doctor) -> dict[str, ProbeRow]:
    """Return a row for each architecture and the judge: whether the model can run it, by the probe that decides."""
    from drr.agents.registry import BUILT_IN

    needs = {one.name: "tool_call" if "text_calls" in one.settings else "form" for one in BUILT_IN}
    found = {}
    for name, need in {**needs, "judge": "form"}.items():
        probe = doctor.probes[need]
        works, why = probe["works"], "" if probe["works"] else f"{need}: {probe['detail']}"
        if need == "tool_call" and doctor.text_calls:
            works, why = True, "with --text-calls parse"
        elif works and doctor.window is not None and doctor.window < _SMALL_WINDOW:
            works, why = None, f"a window of {doctor.window:,} tokens may be too small"
        found[name] = ProbeRow(works=works, detail=why, seconds=None)
    return found


def _suggested_settings(doctor: _Doctor) -> dict[str, float | int | str]:
    """Return the settings that this model needs at its speed; none is tighter than the default."""
    default = Settings()
    writes, reads, window = doctor.writes or math.inf, doctor.reads or math.inf, doctor.window or 32_768
    tokens = min(default.model_max_tokens, window // 4, max(1_024, int(min(600 * writes, 1e9))))
    tokens -= tokens % 256
    reading = 1.5 * min(window, 24_000) / reads
    timeout = _up_to_half_minutes(max(default.model_timeout, reading + 1.5 * tokens / writes))
    found: dict[str, float | int | str] = {
        "model_timeout": timeout,
        "model_idle_timeout": _up_to_half_minutes(max(default.model_idle_timeout, reading)),
        "model_deadline": max(int(default.model_deadline), 2 * timeout),
        "model_max_tokens": tokens,
        "concurrency": doctor.parallel or default.concurrency,
    }
    return {**found, "text_calls": "parse"} if doctor.text_calls else found


def _up_to_half_minutes(seconds: float) -> int:
    return 30 * math.ceil(seconds / 30)


async def run_preflight(
    settings: ModelSettings, facts: Callable[[], ServerFacts], seconds: float = SECONDS
) -> Preflight:
    """Make the calls of a preflight and return its document; raise `ModelFailure` if the first call gets no answer."""
    begun = time.monotonic()
    doctor = _Doctor(settings, facts, seconds)
    await doctor.run()
    own = host_of(_text(settings.base_url)) or "the provider's own address"
    return Preflight(
        model=settings.model_of("agent"),
        address=own,
        server={**doctor.facts._asdict(), "window": doctor.window},
        speed=Speed(
            writes_per_s=_to_two_digits(doctor.writes),
            reads_per_s=_to_two_digits(doctor.reads),
            first_token_s=_to_two_digits(doctor.first_s),
            in_parallel=doctor.parallel,
        ),
        probes=doctor.probes,
        can_run=_can_run(doctor),
        suggested=_suggested_settings(doctor),
        seconds=round(time.monotonic() - begun, 1),
    )


def _to_two_digits(value: float | None) -> float | None:
    return None if value is None else round(value, 2)
