"""Lets a model play the shopper of a talk: it reads free questions, and words answers that code checks."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, get_args

from drr.env.service.case import ServiceCase, SlotKind
from drr.env.service.state import SpokenAnswer
from drr.llm.prompts import Prompts, fence
from drr.llm.role import RoleModel
from langchain_core.messages import HumanMessage
from pydantic import BaseModel, ConfigDict, Field

ROLE = "shopper"
PROMPTS = ("shopper", "shopper_reading")
_TRIES = 3
_Result = TypeVar("_Result")


class ShopperWords(BaseModel):
    """The answer of a shopper."""

    model_config = ConfigDict(extra="forbid")

    answer: str = Field(min_length=1, max_length=2_000)


class AskedKinds(BaseModel):
    """The kinds of things that a question asks about."""

    model_config = ConfigDict(extra="forbid")

    about: list[SlotKind] = Field(min_length=1)


@dataclass(frozen=True)
class ShopperVoice:
    """A model that plays one shopper. Its calls run in the event loop of the unit, while a tool waits for them in a thread."""

    model: RoleModel
    prompts: Prompts
    case: ServiceCase
    loop: asyncio.AbstractEventLoop

    def kinds(self, question: str) -> list[SlotKind]:
        kinds = ", ".join(f"`{kind}`" for kind in get_args(SlotKind))
        text = self.prompts.fill("shopper_reading", question=fence(question, "question"), kinds=kinds)
        asked = self._run(self.model.structured([HumanMessage(text)], AskedKinds))
        return list(dict.fromkeys(asked.about))

    def words(
        self, question: str, sentences: Sequence[str], wrong: Callable[[str], str | None]
    ) -> SpokenAnswer:
        """Return the sentences in the model's words, or as they are where three attempts told something else."""
        values = [value for one in sentences for value in self.case.values.get(one, ())]
        before = ""
        for faults in range(_TRIES):
            text = self.prompts.fill(
                "shopper",
                question=fence(question, "question"),
                statements=fence("\n".join(f"- {one}" for one in sentences), "statements"),
                kept=fence(", ".join(values), "words") if values else "none",
                before=before,
            )
            spoken = self._run(self.model.structured([HumanMessage(text)], ShopperWords)).answer
            fault = wrong(spoken)
            if fault is None:
                return SpokenAnswer(" ".join(spoken.split()), faults)
            before = f"\n\nAn attempt of before was wrong:\n{fence(fault, 'fault')}"
        return SpokenAnswer(" ".join(sentences), _TRIES)

    def _run(self, work: Coroutine[Any, Any, _Result]) -> _Result:
        return asyncio.run_coroutine_threadsafe(work, self.loop).result()
