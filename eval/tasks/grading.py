"""The instructions to judges of whole reports on a question, and the criteria they go by."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from drr.eval.asking.conversation import Asking, Section, conversation
from drr.eval.evidence.answers import Answer
from drr.eval.labels import DIMENSIONS, Dimension
from drr.eval.tasks.base import Planned, Task
from drr.eval.tasks.desk import Desk
from drr.eval.tasks.protocol import OURS, Ask, JudgingProtocol
from drr.llm.prompts import Prompts

TITLES: Mapping[Dimension, str] = {
    "clarity": "Clarity",
    "depth": "Depth",
    "breadth": "Breadth",
    "insightfulness": "Insightfulness",
    "constraint_following": "Constraint Following",
    "personalization": "Personalization",
    "overall": "Overall Quality",
}
_UNKNOWN = "Nothing is known of this shopper."


@dataclass(frozen=True)
class Graded:
    """The view of one question for a judge of quality."""

    query: str
    profile: str
    """The profile summary as text; empty where the shopper is unknown."""
    shop_url: str

    def sections(self) -> list[Section]:
        return [
            Section("profile", self.profile or _UNKNOWN, "The shopper's profile summary:"),
            Section("question", self.query, "The question:"),
        ]


def graded(desk: Desk, answer: Answer) -> Graded:
    return Graded(answer.query, desk.profile(answer.user_id), desk.shop_url)


def criterion_name(dimension: Dimension, protocol: JudgingProtocol = OURS) -> str:
    """The prompt file that says what the dimension is."""
    return f"paper_criterion_{dimension}" if dimension in protocol.own_criteria else f"criterion_{dimension}"


class DimensionTask(Task[Planned]):
    """A task that asks once for each dimension, each with prompts of its own."""

    @abstractmethod
    def ask(self, protocol: JudgingProtocol, dimension: Dimension) -> Ask: ...

    def prompts(self, protocol: JudgingProtocol, dimension: Dimension) -> tuple[str, str]:
        """The files that say how this dimension is judged."""
        return self.ask(protocol, dimension).prompt, criterion_name(dimension, protocol)

    def versions(self, desk: Desk) -> Mapping[str, str]:
        return {
            f"{self.name}/{dimension}": desk.version(
                self.version, self.role, *self.prompts(desk.protocol, dimension)
            )
            for dimension in DIMENSIONS
        }

    def part(self, fields: Mapping[str, Any]) -> str:
        return f"{self.name}/{fields['dimension']}"

    def asking(
        self,
        prompts: Prompts,
        protocol: JudgingProtocol,
        dimension: Dimension,
        graded: Graded,
        answers: tuple[Section, ...],
        about: tuple[str, ...],
    ) -> Asking[Any]:
        """One question to the judge, with the answers behind what it is told of the question."""
        ask = self.ask(protocol, dimension)
        prompt = prompts[ask.prompt]
        context = {
            "shop_url": graded.shop_url,
            "criterion_name": TITLES[dimension],
            "criterion": prompts[criterion_name(dimension, protocol)].text.strip(),
        }
        system = prompt.fill(**{slot: context[slot] for slot in prompt.slots})
        sections = (*graded.sections(), *answers)
        return Asking(
            self.name,
            ask.form,
            conversation(system, sections),
            sections,
            about,
            dimension,
            graded.shop_url,
            bool(graded.profile),
        )
