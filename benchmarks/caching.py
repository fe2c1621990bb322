"""The cost of each variant's input with the provider's cache. It compares marks as they are with one at the end of every request.

Requests are recorded from runs in which rules play the agents, on the sample shop; then both ways of marking are accounted, at the
list price of a token read anew (1), written to the cache (1.25) and read from it (0.1).
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from drr.agents.base import Variant
from drr.agents.registry import choose
from drr.agents.runner import load_prompts, run_variant
from drr.env.session import Session
from drr.env.settings import Settings
from drr.env.shop import Shop
from drr.env.shop_world import ShopWorld
from drr.env.web.open import open_web
from drr.llm.factory import Models
from drr.llm.meter import Meter
from drr.llm.models import ModelSettings
from drr.llm.role import MeteredModel, Schema
from drr.llm.thinking import shared_part
from drr.offline.cast import stand_in
from langchain_core.messages import AIMessage, BaseMessage

from benchmarks.results import machine, record, table
from benchmarks.tools import pieces, sample_shop

WRITTEN, READ = 1.25, 0.1
WHY = """Where pages are summarised (+ws) the whole falls less: a page is read once, by a request of its own of which nothing is read again, so no
mark makes it cheaper than 1, and those of the sandbox are shorter than what a provider caches, so it was 1 before. What is left of the
cost falls as it does without summaries (the last column). Of pages longer than that the marks cost a quarter before, and are gone.

Hybrid falls by how much of it are turns of researchers (here about -45 %); syntheses and reports are sent once and fall by a fifth, and the
supervisor's turns, too short for an opening of their own, not at all. The same marks gave Hybrid -40 % on transcripts of stand-ins that
searched less before their first product page.

Where Hybrid's cost now is, in tokens read anew for one question: researchers' turns 13,015 (4,430 read from the cache, 8,590 written to it),
syntheses 6,184, supervisor 3,233, report 1,574. Better marks are not left to find: one more behind what the researchers of a unit share
and none on the supervisor's turns give -33.9 instead of -33.5 %. What is left is the synthesis, a fresh prompt that sends a researcher's
findings once more. Asked for in the researcher's own conversation, whose transcript is in the cache, the same requests would cost 20,226
(-44 %; Hybrid+ws 27,139, -37 %). That is another agent, one that sees the conversation and not its findings, and its answers are
other answers: it is an option, `hybrid-react+own`, off in the paper's profile. Its rows, beside what Hybrid cost before (not in its own
column): -43 % and, with summaries, -36 %."""
LEAST = 1024
"""Tokens of the shortest opening that a provider caches."""
QUESTIONS = (
    "Which quiet dog nail grinder under $40 suits a nervous puppy?",
    "I want to feed birds through winter on a budget of $80: what do I need, and what may I leave out?",
    "What of what I bought before needs replacing, and what would you take instead?",
    "Compare the three best rated bird feeders under $30 for a small balcony.",
)


class Sent(NamedTuple):
    """One request: its parts in the order in which a provider reads them, tools first."""

    parts: list[str]
    shared: str
    tools: bool
    role: str


class Recording:
    """A role's model that keeps every request."""

    def __init__(self, role: MeteredModel, requests: list[Sent]) -> None:
        self._role, self._requests = role, requests
        self.name, self.role, self.rule_written = role.name, role.role, role.rule_written

    def _keep(self, messages: Sequence[BaseMessage], tools: Sequence[Any]) -> None:
        told = [f"{m.content}{m.tool_calls if isinstance(m, AIMessage) else ''}" for m in messages]
        bound = json.dumps(tools, default=str) if tools else ""
        self._requests.append(Sent([bound, *told], shared_part(messages), bool(tools), self.role))

    async def reply(
        self, messages: Sequence[BaseMessage], *, tools: Sequence[Any] = (), **more: Any
    ) -> AIMessage:
        self._keep(messages, tools)
        return await self._role.reply(messages, tools=tools, **more)

    async def count(self, messages: Sequence[BaseMessage], *, tools: Sequence[Any] = ()) -> int | None:
        return await self._role.count(messages, tools=tools)

    async def structured(
        self, messages: Sequence[BaseMessage], schema: type[Schema], *, brief: object = None
    ) -> Schema:
        self._keep(messages, ())
        return await self._role.structured(messages, schema, brief=brief)


def cost(requests: Sequence[Sent], *, everywhere: bool) -> float:
    """Count the cost in tokens read anew. `everywhere`: a mark at the end of each request, and none behind what units share."""
    known: set[str] = set()
    sent: set[str] = set()
    total = 0.0
    for request in requests:
        whole, front = "\0".join(request.parts), f"{request.parts[0]}\0{request.shared}"
        marks = [whole] if everywhere or request.tools else []
        if request.shared and not everywhere and (request.tools or front in sent):
            marks.append(front)
        sent.add(front)
        marks = [mark for mark in marks if pieces(mark) >= LEAST]
        # What is in the cache is read by a request that opens with it and has a mark there or behind it.
        read = max((len(text) for text in known if marks and whole.startswith(text)), default=0)
        end = max([read, *map(len, marks)])
        total += READ * pieces(whole[:read]) + WRITTEN * pieces(whole[read:end]) + pieces(whole[end:])
        known.update(marks)
    return total


async def recorded(variant: Variant, shop: Shop, users: Sequence[str]) -> list[Sent]:
    requests: list[Sent] = []
    web = open_web(Settings(), shop=shop)
    for user, question in zip(users, QUESTIONS, strict=False):
        meter = Meter()
        models = Models(ModelSettings({})).unit(meter)
        roles = {
            role: Recording(models.role(role, stand_in(variant.played_by(role))), requests)
            for role in variant.roles
        }
        await run_variant(
            variant,
            question,
            world=ShopWorld(Session(shop, user), web),
            models=roles,
            meter=meter,
            prompts=load_prompts(),
        )
    return requests


def main() -> None:
    rows = []
    with sample_shop(Settings()) as shop:
        users = shop.store.sample_users(len(QUESTIONS), seed=1)
        for variant in choose("all,hybrid-react+own,hybrid-react+own+ws"):
            requests = asyncio.run(recorded(variant, shop, users))
            plain = sum(pieces("\0".join(request.parts)) for request in requests)
            before, after = cost(requests, everywhere=True), cost(requests, everywhere=False)
            n = len(QUESTIONS)
            rest = [request for request in requests if request.role != "summariser"]
            pages = sum(
                pieces("\0".join(request.parts)) for request in requests if request.role == "summariser"
            )
            change = f"{100 * (after / before - 1):+.0f} %"
            without = cost(rest, everywhere=False) / cost(rest, everywhere=True) - 1
            rows.append(
                (
                    variant.name,
                    len(requests) // n,
                    f"{plain / n:,.0f}",
                    f"{before / n:,.0f}",
                    f"{after / n:,.0f}",
                    change,
                    f"{pages / n:,.0f}",
                    f"{100 * without:+.0f} %",
                )
            )
    head = ("variant", "calls", "input pieces", "cost before", "cost now", "change")
    told = table((*head, "pages to summarise", "change of the rest"), rows)
    record("Caching", f"{__doc__}\n\n{machine()}\n\n{told}\n\n{WHY}")
    print(told)


if __name__ == "__main__":
    main()
