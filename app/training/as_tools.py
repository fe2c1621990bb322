"""An environment where everything is a tool, for protocols that know tools alone: one hands in the report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from drr.agents.runner import schemas
from drr.app.training.environment import FORM
from drr.app.training.episode import Observation, instructions
from drr.env.json_object import JsonObject

SUBMIT = "submit_report"
INSTRUCTIONS = instructions(
    f"Call tools to learn what you need to know. {SUBMIT} hands in your answer, and ends the work."
)


class GivenTool(NamedTuple):
    """Name, description and JSON Schema of a tool."""

    name: str
    description: str
    schema: JsonObject


def given_tools() -> list[GivenTool]:
    """The tools of every episode, and the one that hands in the report."""
    form = {key: value for key, value in FORM.items() if key != "$defs"}
    schema: JsonObject = {
        "type": "object",
        "properties": {"report": {"type": "string", "description": "The report in Markdown."}, "form": form},
        "required": ["report"],
        "additionalProperties": False,
        "$defs": FORM["$defs"],
    }
    shown = [tool["function"] for tool in schemas()]
    submit = GivenTool(SUBMIT, "Hand in the report and its form. This ends the work.", schema)
    return [*(GivenTool(one["name"], one["description"], one["parameters"]) for one in shown), submit]


def action_of(name: str, arguments: Mapping[str, object]) -> JsonObject:
    """Turn the call of a tool into the action that it stands for."""
    return {"report": None, **arguments} if name == SUBMIT else {"tool": name, "arguments": dict(arguments)}


def briefing(first: Observation) -> str:
    """The question, with what of the person is given."""
    return f"Today is {first.today}. The shopper is the user {first.user_id}, who asks:\n\n{first.question}"
