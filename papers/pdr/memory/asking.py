"""The requests that memories make of their model: one prompt and one form each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from drr.llm.prompts import fence
from drr.papers.pdr.context import ContextItem
from drr.papers.pdr.memory.base import MemoryDesk
from drr.papers.pdr.memory.forms import (
    Comparing,
    Describing,
    Distilling,
    Extracting,
    FactChanges,
    FactList,
    PersonSummary,
    Rewriting,
    Trait,
    Traits,
)
from drr.papers.pdr.memory.texts import lines_of
from langchain_core.messages import HumanMessage

BATCH = 3_000
"""Tokens of items that one request holds."""


async def summary(desk: MemoryDesk, held: str, items: Sequence[ContextItem], words: int) -> str:
    told = desk.prompts.fill(
        "memory_summary",
        words=str(words),
        held=fence(held or "(nothing yet)", "known"),
        items=fence(lines_of(items), "items"),
    )
    asked = Rewriting(held, tuple(items), words)
    return (await desk.model.structured([HumanMessage(told)], PersonSummary, brief=asked)).summary.strip()


async def facts(desk: MemoryDesk, items: Sequence[ContextItem]) -> list[str]:
    told = desk.prompts.fill("memory_facts", items=fence(lines_of(items), "items"))
    found = await desk.model.structured([HumanMessage(told)], FactList, brief=Extracting(tuple(items)))
    return [one for one in (" ".join(fact.split()) for fact in found.facts) if one]


async def changes(desk: MemoryDesk, held: Sequence[str], new: Sequence[str]) -> FactChanges:
    told = desk.prompts.fill(
        "memory_compare", held=fence(_numbered(held), "held"), facts=fence(_numbered(new), "new")
    )
    return await desk.model.structured(
        [HumanMessage(told)], FactChanges, brief=Comparing(tuple(held), tuple(new))
    )


async def distilled(desk: MemoryDesk, topic: str, lines: Sequence[str]) -> str:
    told = desk.prompts.fill("memory_distill", items=fence("\n".join(lines), "items"))
    asked = Distilling(topic, tuple(lines))
    return (await desk.model.structured([HumanMessage(told)], PersonSummary, brief=asked)).summary.strip()


async def traits(desk: MemoryDesk, held: Sequence[Trait], items: Sequence[ContextItem]) -> list[Trait]:
    known = "\n".join(f"- {trait.attribute}: {trait.value}" for trait in held)
    told = desk.prompts.fill(
        "memory_traits", held=fence(known or "(nothing yet)", "known"), items=fence(lines_of(items), "items")
    )
    asked = Describing(tuple(held), tuple(items))
    return (await desk.model.structured([HumanMessage(told)], Traits, brief=asked)).traits


def _numbered(texts: Iterable[str]) -> str:
    return "\n".join(f"{number}. {text}" for number, text in enumerate(texts, 1))
