"""The rules as an agent that gives work away: its main agent, which knows only what came back, its sub-agents, and the check of its report."""

from __future__ import annotations

import json
from collections.abc import Sequence

from drr.agents.brief import Leading
from drr.env.json_object import JsonObject
from drr.offline.agents import question as offline_question
from drr.offline.agents.memory import Memory
from drr.offline.agents.seeking import searches
from langchain_core.messages import AIMessage, BaseMessage

Calls = list[tuple[str, JsonObject]]
FIGURES = "Give figures and conditions, and say whose advice it is."
AT_ONCE = 4


def on_the_web(words: str) -> str:
    """The sub-problem of finding something out on the web."""
    return f"Find out on the web {words}. {FIGURES}"


def lead(messages: Sequence[BaseMessage], brief: Leading, bound: set[str]) -> tuple[str, Calls]:
    """Lead: first the files, the shop and what the question names on the web, side by side. Then what else it asks; then the end."""
    given = {
        str(call["args"].get("task")) for m in messages if isinstance(m, AIMessage) for call in m.tool_calls
    }
    task = offline_question.read(brief.question)
    asked = searches(task.text) or [*task.asks] or [f"how to choose {task.topic}"]
    wanted = [
        ("read_files", offline_question.from_files(brief.question)),
        ("search_shop", offline_question.look_through(brief.question)),
        *(("search_pages", on_the_web(words)) for words in asked),
    ]
    left = [(name, words) for name, words in wanted if name in bound and words not in given]
    if not left or sum(isinstance(message, AIMessage) for message in messages) >= 2:
        return "", []
    return "What is open belongs to whoever can look for it.", [
        (name, {"task": words}) for name, words in left[:AT_ONCE]
    ]


def more_passages(memory: Memory, bound: set[str]) -> tuple[str, Calls]:
    """Find many passages for the same words after a search."""
    asked = [call.arguments.get("query") for call in memory.calls if call.name == "web_search"]
    if "get_context" not in bound or not asked or memory.called("get_context"):
        return "", []
    return "These words lead there; more passages may say more.", [("get_context", {"query": str(asked[0])})]


def checked() -> str:
    """The rules know no requirement that they could hold a report against."""
    return json.dumps({"unmet": []})
