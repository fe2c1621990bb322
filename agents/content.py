"""Whether what an agent left is an answer at all: decided by its form, never by its words."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from typing import Any

from drr.agents.control import CONTROL
from drr.agents.running import AgentRun
from drr.citations.parse import parse
from drr.llm.failures import NoAnswer

_SHORT = 80
"""Characters of one line: less than this, without a source or a figure, holds no finding."""
_BETWEEN = re.compile(r"\s+|[,;]|```\w{0,20}|<[^<>]{0,200}>|\[/?[A-Z_]{2,40}\]")
"""What models put around their calls."""
_BEGIN = re.compile(r"^(?:```|<|[\[{])", re.MULTILINE)


def no_answer(run: AgentRun, report: str) -> NoAnswer | None:
    """Why this is none; `None` for an answer. What a command looked up by itself nobody sees."""
    if is_call(report, {*run.names, *CONTROL}):
        return "malformed_call"
    if is_empty(report):
        return "empty"
    if run.names and run.outside.own is None and not (has_researched(run) or run.in_window):
        return "no_research"
    return None


def has_researched(run: AgentRun) -> bool:
    """Whether a tool ran for anybody in the run."""
    return any(call.kind == "api" for calls in run.calls.values() for call in calls)


def is_empty(report: str) -> bool:
    """Nothing below its headings but one short line without a source or a figure."""
    lines = [line.strip() for line in report.splitlines()]
    told = [line for line in lines if line.strip("#*-_=`") and not line.startswith("#")]
    if len(told) > 1 or len("".join(told)) > _SHORT:
        return False
    return not any(any(map(str.isdigit, line)) or parse(line).sources for line in told)


def is_call(report: str, tools: Collection[str]) -> bool:
    """The text of a call, in JSON or markup: all of the report, or all behind words that cite nothing."""
    text = report.strip()
    begin = _BEGIN.search(text)
    return begin is not None and "://" not in text[: begin.start()] and _is_call(text[begin.start() :], tools)


def _is_call(text: str, tools: Collection[str]) -> bool:
    if text.startswith("<") and text.endswith(">"):
        tags = re.findall(r"<([^<>]{1,200})>", text)
        if any(word in tools for tag in tags for word in re.findall(r"\w+", tag)):
            return True
    place, calls = 0, 0
    while True:
        while between := _BETWEEN.match(text, place):
            place = between.end()
        if place == len(text):
            return calls > 0
        try:
            value, place = json.JSONDecoder().raw_decode(text, place)
            calls += 1
            if not _names_call(value, tools):
                return False
        except (ValueError, RecursionError):
            return False


def _names_call(value: Any, tools: Collection[str]) -> bool:
    """An object that names a tool, or something like one beside its arguments; or nothing but such objects."""
    if isinstance(value, list):
        return bool(value) and all(_names_call(one, tools) for one in value)
    if not isinstance(value, dict):
        return False
    words = [one for one in value.values() if isinstance(one, str)]
    inner = [one for one in value.values() if isinstance(one, dict | list)]
    if any(word in tools for word in words):
        return True
    has_arguments = any(isinstance(one, dict) for one in inner) or any(word.startswith("{") for word in words)
    if has_arguments and any(word.isidentifier() for word in words):
        return True
    return bool(inner) and all(_names_call(one, tools) for one in inner)
