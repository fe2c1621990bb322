"""What one unit's agent is given of the person: the text that stands with the question, and what it took to make it."""

from __future__ import annotations

from dataclasses import dataclass

from drr.env.json_object import JsonObject
from drr.papers.pdr.person import Person
from drr.papers.pdr.setting import RECORDS, Setting


@dataclass(frozen=True)
class Given:
    setting: Setting = RECORDS
    text: str = ""
    """Everything that the agent is told of the person beside the question; a setting without such a text has none."""
    tokens: int | None = None
    """Of the text, as its maker counts; `None` where there is none."""
    cost: JsonObject | None = None
    """What making it took for this unit, where it was not merely read: calls, tokens, seconds, dollars."""

    @property
    def facts(self) -> JsonObject:
        """For the unit's record; nothing of the person is in it."""
        facts: JsonObject = {"setting": self.setting.name, "person_tokens": self.tokens}
        return facts if self.cost is None else {**facts, "person_cost": self.cost}


def persona_text(person: Person) -> str:
    """What the `persona` settings tell: the statements by block, and neither who it is nor what they rest on."""
    blocks: dict[str, list[str]] = {}
    for attribute in person.attributes:
        blocks.setdefault(attribute.block, []).append(attribute.statement)
    return "\n\n".join(
        "\n".join([f"{block.replace('_', ' ').capitalize()}:", *(f"- {one}" for one in statements)])
        for block, statements in blocks.items()
    )
