"""A careless model behind the wire protocol of Anthropic. It plays every part of the six variants, and what
goes wrong is drawn from the request.

It looks at nothing but the request: which tools are bound, what was asked, which products and addresses stand in it. So the same request
gives the same answer in every run, and the next try of it another fault. Its count of tokens is a provider's: of each answer that it made,
whether or not it arrived.
"""

from __future__ import annotations

import json
import re
import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from random import Random
from typing import Any

from tests.wire import Cut, EndEarly, ErrorEvent, Fail, Garbage, Hang, Reply, Request, Say

INPUT, WRITTEN, READ, OUTPUT = 2_000_000, 2_500_000, 100_000, 10_000_000
"""What `anthropic:claude-sonnet-5-5` costs a token, in picodollars."""
HANGS_S = 8.0
Calls = list[tuple[str, dict[str, Any]]]
_PRODUCT = re.compile(r"\bB[A-Z0-9]{9}\b")
_ADDRESS = re.compile(r"(?:https?|user)://[^\s\"'\\<>()\[\]]{4,200}")
_WORD = re.compile(r"[a-z]{4,}")


@dataclass
class Count:
    """The counts that a provider would bill."""

    answers: int = 0
    tokens: int = 0
    cost: int = 0

    def add(self, usage: dict[str, int]) -> None:
        read, written = usage["cache_read_input_tokens"], usage["cache_creation_input_tokens"]
        self.answers += 1
        self.tokens += usage["input_tokens"] + read + written + usage["output_tokens"]
        self.cost += INPUT * usage["input_tokens"] + WRITTEN * written + READ * read
        self.cost += OUTPUT * usage["output_tokens"]


@dataclass
class CarelessModel:
    """A careless model. `faults` is the share of requests that the provider spoils, `slips` the share of
    turns in which the model does something foolish."""

    faults: float = 0.08
    slips: float = 0.12
    seed: int = 16
    latency_s: float = 0.0
    whole: Count = field(default_factory=Count)
    """Answers whose usage was told."""
    lost: Count = field(default_factory=Count)
    """Answers that were made and did not arrive whole: a provider bills them, and tells nobody."""
    requests: int = 0
    done: Counter[str] = field(default_factory=Counter)
    """Faults and slips, by name."""
    _seen: Counter[bytes] = field(default_factory=Counter)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _pause: threading.Event = field(default_factory=threading.Event)

    def __call__(self, request: Request) -> Reply:
        body = re.sub(r"toolu_\d+_", "toolu_", json.dumps(request.body, sort_keys=True))
        digest = sha256(f"{self.seed} {body}".encode()).digest()
        with self._lock:
            self.requests += 1
            self._seen[digest] += 1
            tried = self._seen[digest]
        chance = Random(digest + bytes([tried % 256]))
        if self.latency_s:
            self._pause.wait(self.latency_s * (0.5 + chance.random()))
        said = self._said(request, chance)
        said = Say(
            said.text, said.calls, said.stop_reason, self._usage(request, said), thinking=bool(said.calls)
        )
        reply = self._spoilt(said, chance) if chance.random() < self.faults else said
        self._bill(reply, said, request.streaming)
        return reply

    def _bill(self, reply: Reply, said: Say, streaming: bool) -> None:
        """A stream tells its usage at its end; a body without a stop reason has it all the same."""
        with self._lock:
            if isinstance(reply, Say) or (isinstance(reply, EndEarly) and not streaming):
                self.whole.add(dict(said.usage))
            elif isinstance(reply, Cut | Hang | EndEarly):
                self.lost.add(dict(said.usage))

    def _note(self, what: str) -> None:
        with self._lock:
            self.done[what] += 1

    def _usage(self, request: Request, said: Say) -> dict[str, int]:
        """A conversation that goes on is read from the cache but for its last quarter."""
        given = len(json.dumps(request.body)) // 4
        made = max(1, len(said.text) + len(json.dumps(said.calls))) // 4
        marked = "cache_control" in request.body
        read = given * 3 // 4 if marked and turns(request) else 0
        written = given - read if marked else 0
        return {
            "input_tokens": given - read - written,
            "cache_read_input_tokens": read,
            "cache_creation_input_tokens": written,
            "output_tokens": made,
        }

    def _spoilt(self, said: Say, chance: Random) -> Reply:
        faults: list[tuple[str, Reply]] = [
            ("overloaded", Fail(529, "overloaded_error", "Overloaded")),
            ("rate limit", Fail(429, "rate_limit_error", "slow down", {"retry-after": "1"})),
            ("server error", Fail(500, "api_error", "Internal server error")),
            ("bad gateway", Fail(502, "bad_gateway", "bad gateway")),
            ("connection cut", Cut(chance.choice((0, 150)), said)),
            ("no stop reason", EndEarly(said)),
            ("error event", ErrorEvent()),
            ("no message", Garbage()),
            ("silence", Hang(HANGS_S)),
        ]
        name, reply = faults[chance.randrange(len(faults))]
        self._note(f"fault: {name}")
        return reply

    # The parts ------------------------------------------------------------------------------------------------------

    def _said(self, request: Request, chance: Random) -> Say:
        text = json.dumps(request.body["messages"])
        if chance.random() < self.slips and (slip := self._slip(request, chance)) is not None:
            return slip
        if request.body.get("output_config"):
            return Say(json.dumps(_plan(question(request), chance)))
        bound = names(request)
        if "launch_researcher" in bound:
            return _supervisor(request, chance)
        if bound:
            return _researcher(request, text, chance)
        if "<page " in text:
            return Say(
                "The page says that sizes differ, that cheap ones break after a year, and which to take. " * 3
            )
        return Say(_report(text, chance))

    def _slip(self, request: Request, chance: Random) -> Say | None:
        bound, begun = names(request), turns(request) > 0
        slips: dict[str, Say] = {
            "cut at max_tokens": Say("I will now compare all of", stop_reason="max_tokens"),
            "refusal": Say("", stop_reason="refusal"),
            "nothing said": Say(""),
        }
        if request.body.get("output_config"):
            slips["broken plan"] = Say('{"plan": "look around", "calls": [{"tool":')
            slips["other plan"] = Say(json.dumps({"steps": ["search", "compare"]}))
        if bound:
            slips["unknown tool"] = Say("", [("search_reviews", {"q": "is it good?"})])
            slips["broken arguments"] = Say("", [("product_catalog_search", {"query": "", "limit": "many"})])
            slips["half a call"] = Say("", [("product_catalog_search", {"qu": ""})], "max_tokens")
        if bound and begun:
            slips["empty end of turn"] = Say("", stop_reason="end_turn")
            slips["answers at once"] = Say("I think the first one is fine.")
        name = chance.choice(sorted(slips))
        self._note(f"slip: {name}")
        return slips[name]


def names(request: Request) -> list[str]:
    return [tool["name"] for tool in request.body.get("tools", ())]


def turns(request: Request) -> int:
    return sum(message["role"] == "assistant" for message in request.body["messages"])


def question(request: Request) -> str:
    content = request.body["messages"][0]["content"]
    return content if isinstance(content, str) else " ".join(str(block.get("text", "")) for block in content)


def _words(text: str, chance: Random, most: int = 3) -> str:
    words = list(dict.fromkeys(_WORD.findall(text.lower()))) or ["feeder"]
    start = chance.randrange(len(words))
    return " ".join(words[start : start + most])


def _searches(text: str, chance: Random, count: int) -> Calls:
    return [("product_catalog_search", {"query": _words(text, chance), "limit": 5}) for _ in range(count)]


def _plan(asked: str, chance: Random) -> dict[str, Any]:
    calls: Calls = [("get_user_orders", {"limit": 10}), *_searches(asked, chance, 3)]
    calls += [("web_search", {"query": _words(asked, chance, 6)})]
    calls += [("get_product_details", {"product_id": "B000000000"})]
    if chance.random() < 0.2:
        calls *= 3
    rows = [{"tool": name, "arguments": json.dumps(arguments)} for name, arguments in calls]
    return {"plan": "Look at the orders, search, ask the web.", "calls": rows}


def _supervisor(request: Request, chance: Random) -> Say:
    asked, done = question(request), turns(request)
    if done == 0 or (done == 1 and chance.random() < 0.4):
        launches: Calls = [
            ("launch_researcher", {"sub_problem": f"Part {n}: find {_words(asked, chance, 5)} and compare."})
            for n in range(chance.randint(2, 5) if done == 0 else 1)
        ]
        return Say("Splitting the work.", [("reason", {"thought": "what is asked"}), *launches])
    return Say("", [("finalize", {})])


def _researcher(request: Request, text: str, chance: Random) -> Say:
    asked, done = question(request), turns(request)
    products = list(dict.fromkeys(_PRODUCT.findall(text)))
    if done == 0:
        return Say(
            "", [("reason", {"thought": "first look"}), *_searches(asked, chance, chance.randint(1, 3))]
        )
    if done == 1:
        opened: Calls = [("get_product_details", {"product_id": one}) for one in products[:3]]
        return Say(
            "Opening what looks right.", [*opened, ("web_search", {"query": _words(asked, chance, 6)})]
        )
    if done == 2:
        sums: Calls = [
            ("calculator", {"expression": "19.99 + 24.50 * 2"}),
            ("get_user_orders", {"limit": 20}),
        ]
        return Say("", sums)
    if done == 3 and chance.random() < 0.6:
        again: Calls = [("get_product_details", {"product_id": chance.choice(products or ["B000000000"])})]
        return Say("", [*again, *_searches(asked, chance, 1)])
    return Say("", [("finalize", {})])


def _report(text: str, chance: Random) -> str:
    """Some of its sources stand in what it was given, and now and then one is made up."""
    known = list(dict.fromkeys(_ADDRESS.findall(text)))[:40]
    chosen: Sequence[str] = chance.sample(known, min(len(known), 5))
    if chance.random() < 0.3:
        chosen = [*chosen, f"https://reviews.example/best-{chance.randrange(9_999)}"]
    lines = [
        f"It suits the need and costs what the listing says, as source {n} shows [{n}]."
        for n in range(1, len(chosen) + 1)
    ]
    sources = [f"[{n}] A source: {address}" for n, address in enumerate(chosen, 1)]
    return "\n\n".join(["# What to take", *lines, "## Sources", "\n".join(sources) or "None."])
