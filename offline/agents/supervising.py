"""The rules as an agent that delegates: a supervisor, or one with sub-agents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from drr.agents.brief import LAUNCH, Leading, Supervising
from drr.env.json_object import JsonObject
from drr.offline.agents import choice as offline_choice
from drr.offline.agents import question as offline_question
from drr.offline.agents import reading
from drr.offline.agents.facts import searches
from drr.offline.agents.grounding import grounded
from drr.offline.agents.memory import Memory, join
from drr.offline.agents.question import Asked
from drr.wording.money import money
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

FIGURES = "Give figures and conditions, and say whose advice it is."
AT_ONCE = 4
Calls = list[tuple[str, JsonObject]]


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


PER_ROUND = 4
_ENOUGH = 2
"""Products to choose from; with fewer a need is looked for once more."""


def problems(messages: Sequence[BaseMessage], brief: Supervising) -> tuple[str, Calls]:
    """First round: the parts of the question side by side. Second: what the reports left open, or now make possible."""
    memory = reading.of_conversation(messages)
    question = brief.question
    task = offline_question.with_history(offline_question.read(question), memory.bought)
    if not brief.records:
        task = replace(task, personal=False)
    launched = [str(call.arguments.get("sub_problem", "")) for call in memory.calls if call.name == LAUNCH]
    if not any(isinstance(message, ToolMessage) for message in messages):
        return _strategy(task), _launches(_first_problems(brief, task))
    sought = grounded(task, memory)
    scarce = [need for need in sought.needs if len(offline_choice.candidates(sought, need, memory)) < _ENOUGH]
    whole = [offline_question.look_through(question)] if scarce or not sought.needs else []
    finds = [*whole, *_finds(replace(sought, needs=tuple(scarce)))] if brief.shop else []
    wanted = [*finds, *(_on_pages(task) if brief.files else _background(task))]
    left = [problem for problem in wanted if problem not in launched]
    left += _follow_ups(task, memory, launched)
    if left and len(launched) <= PER_ROUND + 1:
        return "Something is still missing, or can be asked better now.", _launches(left[:2])
    return "", []


def _first_problems(brief: Supervising, task: Asked) -> list[str]:
    files = [offline_question.from_files(brief.question)] if brief.files else []
    shop = _sub_problems(task, brief.question) if brief.shop else []
    pages = _on_pages(task) if brief.files else []
    return list(dict.fromkeys([*files, *shop[:2], *pages] if pages else [*files, *shop]))[:PER_ROUND]


def _on_pages(task: Asked) -> list[str]:
    """List what the pages may know of each thing that the question names."""
    return [on_the_web(words) for words in searches(task.text)] or _background(task)


def _launches(problems: Sequence[str]) -> Calls:
    return [(LAUNCH, {"sub_problem": problem}) for problem in problems]


def _strategy(task: Asked) -> str:
    parts = f"The question is about {join(task.needs) or task.topic or 'the shop'}"
    if task.limit is not None:
        parts += f", with a limit of {money(task.limit)}"
    return parts + ". Products, background and the shopper's record can be researched apart from each other."


def _sub_problems(task: Asked, question: str) -> list[str]:
    """List the named wishes need by need, the rest by a look through the shop. Then the web and the shopper's record."""
    finds = _finds(replace(task, needs=task.firm))
    if task.firm != task.needs or not finds:
        finds = [offline_question.look_through(question), *finds]
    return [*finds[:2], *_background(task), *finds[2:]]


def _finds(task: Asked) -> list[str]:
    """Each says all that its researcher may know."""
    cap = task.item_limit
    limits = f", each for at most {money(cap)}" if cap is not None else ""
    wishes = f" Wanted: {', '.join(task.wishes)}." if task.wishes else ""
    without = f" Not wanted: {', '.join(task.constraints.exclusions)}." if task.constraints.exclusions else ""
    return [
        f"Find {need} in this shop's catalogue{limits}. Compare the best two or three by price, rating and"
        f" features.{wishes}{without}"
        for need in task.needs
    ]


def _background(task: Asked) -> list[str]:
    """List what the web knows, and what the shopper bought before."""
    subject = task.asks[0] if task.asks else f"how to choose {join(task.needs) or task.topic}"
    web = [on_the_web(subject)]
    about = " ".join(dict.fromkeys([task.topic, *task.needs])).strip()
    records = [
        f"Find out from the shop's records where this shopper lives, what was bought before that bears on"
        f" {about or 'the question'}, when, and at what prices."
    ]
    if not task.personal:
        records = []
    return [*web, *records]


def _follow_ups(task: Asked, memory: Memory, launched: Sequence[str]) -> list[str]:
    """A place that came to light makes the web's answer more exact."""
    if not (task.about_place and memory.home):
        return []
    state = offline_question.state_name(memory.home.state)
    subject = offline_question.PLACE_WORDS.sub("", task.asks[0] if task.asks else task.topic)
    problem = f"Find out on the web {' '.join(subject.split())} {state}. Give figures and names."
    return [] if problem in launched else [problem]
