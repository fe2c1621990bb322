"""Presents the training environment as tools only, for protocols such as MCP; one tool hands in the report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from drr.agents.runner import schemas
from drr.app.training.episode import TASKS, EpisodeTask, Observation
from drr.env.json_object import JsonObject

SUBMIT = "submit_report"
_ACTING = f"Call tools to learn what you need to know. {SUBMIT} hands in your answer, and ends the work."


class GivenTool(NamedTuple):
    """A tool that an agent is given: its name, description and JSON Schema."""

    name: str
    description: str
    schema: JsonObject


def instructions_of(task: EpisodeTask) -> str:
    """Return the instructions for an agent that acts by tools alone."""
    return task.instructions(_ACTING)


def given_tools(task: EpisodeTask = TASKS["retail"]) -> list[GivenTool]:
    """Return the tools of every episode of a task and the tool that hands in the report."""
    form = {key: value for key, value in task.form.items() if key != "$defs"}
    schema: JsonObject = {
        "type": "object",
        "properties": {"report": {"type": "string", "description": "The report in Markdown."}, "form": form},
        "required": ["report"],
        "additionalProperties": False,
        "$defs": task.form["$defs"],
    }
    shown = [tool["function"] for tool in schemas(task.tools)]
    submit = GivenTool(SUBMIT, "Hand in the report and its form. This ends the work.", schema)
    return [*(GivenTool(one["name"], one["description"], one["parameters"]) for one in shown), submit]


def action_of(name: str, arguments: Mapping[str, object]) -> JsonObject:
    """Return the action for `Environment.step` that a tool call means."""
    return {"report": None, **arguments} if name == SUBMIT else {"tool": name, "arguments": dict(arguments)}


def briefing(first: Observation) -> str:
    """Return the first message to an agent: the day, the shopper's id and the question."""
    return f"Today is {first.today}. The shopper is the user {first.user_id}, who asks:\n\n{first.question}"
