"""Policies of the `offline` model that play the agents and the summariser.

Which part is played says the brief that the run hands along; what was found are the records behind the tools' answers. No
prompt is read, so `--prompts` may replace any file.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from drr.agents import brief as briefs
from drr.agents.brief import FINALIZE, LAUNCH, REASON
from drr.offline.agents import pages, reading
from drr.offline.agents import report as offline_report
from drr.offline.agents.asks import read
from drr.offline.agents.forms import filled
from drr.offline.agents.memory import join
from drr.offline.agents.reading import as_text, condensed
from drr.offline.agents.steps import Calls, missing, planned
from langchain_core.messages import AIMessage, BaseMessage

_AT_ONCE = 4


def agent_policy(messages: Sequence[BaseMessage], arguments: Mapping[str, Any]) -> AIMessage:
    """The next message of whichever part the run says is played."""
    brief, bound = arguments.get("brief"), _bound(arguments)
    match brief:
        case briefs.Planning():
            return _plan(brief)
        case briefs.Supervising():
            problems = [brief.question] if brief.files else _problems(brief.question)
            return _next(messages, [(LAUNCH, {"sub_problem": one}) for one in problems], bound)
        case briefs.Leading():
            wanted: Calls = [
                ("read_files", {"task": brief.question}),
                ("search_pages", {"task": brief.question}),
            ]
            wanted += [("search_shop", {"task": one}) for one in _problems(brief.question)]
            return _next(messages, [call for call in wanted if call[0] in bound], bound)
        case briefs.Researching():
            return _research(messages, brief, bound)
        case briefs.Helping():
            return _help(messages, brief, bound)
        case briefs.Checking():  # the rules know no requirement that they could hold it against
            return AIMessage(json.dumps({"unmet": []}))
        case briefs.Condensing():
            memory = reading.of_evidence(brief.evidence)
            return AIMessage(as_text(condensed(brief.problem, memory)))
        case briefs.Reporting():
            return AIMessage(_report(brief))
        case briefs.Filling():
            return AIMessage(filled(brief))
        case briefs.Mending():
            return AIMessage(brief.report)
    return AIMessage(f"{offline_report.BANNER}\n\nThe rules were told of no part to play here.")


def summariser_policy(messages: Sequence[BaseMessage], arguments: Mapping[str, Any]) -> AIMessage:
    """An extract of the page for the search and the problem."""
    brief = arguments.get("brief")
    if not isinstance(brief, briefs.Summarising):
        return AIMessage("The rules were given no page to summarise.")
    return AIMessage(pages.summarise(brief.search, brief.problem, brief.page))


def _report(brief: briefs.Reporting) -> str:
    if brief.researched or brief.pages:
        return offline_report.report(
            read(brief.question), reading.of_researched(brief.researched, brief.pages)
        )
    return offline_report.report(read(brief.question), reading.of_evidence(brief.evidence))


def _plan(brief: briefs.Planning) -> AIMessage:
    asked = read(brief.question)
    rows = [{"tool": name, "arguments": json.dumps(arguments)} for name, arguments in planned(asked, brief)]
    aims = join([str(ask).rstrip(".?") for ask in asked.tasks]) or "look for what bears on the question"
    return AIMessage(json.dumps({"plan": f"{aims}.", "calls": rows}))


def _problems(question: str) -> list[str]:
    """The sub-problems of a question: each thing that it asks for, by itself. What goes back the records tell of the whole."""
    asked = read(question)
    tasks = [question if ask.kind == "return" and ask.things[1:] else str(ask) for ask in asked.tasks]
    return [*dict.fromkeys([*tasks, *asked.rest])] or [question]


def _next(messages: Sequence[BaseMessage], wanted: Calls, bound: set[str]) -> AIMessage:
    """Give away what was not yet given away, some at a time; then the end."""
    given = [(c["name"], c["args"]) for m in messages if isinstance(m, AIMessage) for c in m.tool_calls]
    left = [call for call in wanted if call not in given][:_AT_ONCE]
    if not left:
        return _turn(messages, "", [(FINALIZE, {"reason": "The reports answer the parts of the question."})])
    thought = "Each part of the question can be researched apart from the others."
    return _turn(messages, thought, [*_thought(thought, bound), *left])


def _bound(arguments: Mapping[str, Any]) -> set[str]:
    """The tools that it was given, by name."""
    return {tool["function"]["name"] for tool in arguments.get("tools") or () if "function" in tool}


def _thought(thought: str, bound: set[str]) -> Calls:
    return [(REASON, {"thought": thought})] if REASON in bound else []


def _research(messages: Sequence[BaseMessage], brief: briefs.Researching, bound: set[str]) -> AIMessage:
    """The next turn: what the transcript still lacks, most basic first; nothing more to do ends it."""
    memory, asked = reading.of_conversation(messages), read(brief.problem)
    thought, calls = missing(asked, memory, bound)
    if calls:
        return _turn(messages, thought, [*_thought(thought, bound), *calls])
    if FINALIZE not in bound:  # the loop of somebody else, which ends with a turn that calls nothing
        return AIMessage(offline_report.report(asked, memory))
    return _turn(messages, "", [(FINALIZE, {"reason": "Nothing more is missing."})])


def _help(messages: Sequence[BaseMessage], brief: briefs.Helping, bound: set[str]) -> AIMessage:
    """A sub-agent of few tools; its last turn is its summary."""
    memory = reading.of_conversation(messages)
    thought, calls = missing(read(brief.problem), memory, bound)
    asked = [call.arguments.get("query") for call in memory.calls if call.name == "web_search"]
    if not calls and "get_context" in bound and asked and not memory.called("get_context"):
        thought, calls = "More passages may say more.", [("get_context", {"query": str(asked[0])})]
    return _turn(messages, thought, calls) if calls else AIMessage(as_text(condensed(brief.problem, memory)))


def _turn(messages: Sequence[BaseMessage], text: str, calls: Calls) -> AIMessage:
    """Call ids count on from the transcript, so that the same conversation gives the same message."""
    made = sum(len(message.tool_calls) for message in messages if isinstance(message, AIMessage))
    return AIMessage(
        content=text,
        tool_calls=[
            {"name": name, "args": arguments, "id": f"call_{number}", "type": "tool_call"}
            for number, (name, arguments) in enumerate(calls, made + 1)
        ],
    )
