"""Policies of the `offline` model that play the agents and the summariser.

Which part is played says the brief that the run hands along; what was found are the records behind the tools' answers. No
prompt is read, so `--prompts` may replace any file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from drr.agents import brief as briefs
from drr.agents.brief import FINALIZE, REASON
from drr.env.json_object import JsonObject
from drr.offline.agents import choice as offline_choice
from drr.offline.agents import facts, reading, supervising
from drr.offline.agents import question as offline_question
from drr.offline.agents import report as offline_report
from drr.offline.agents.facts import searches
from drr.offline.agents.grounding import grounded, wide_searches
from drr.offline.agents.memory import Memory, join
from drr.offline.agents.question import Asked
from drr.offline.agents.reading import condensed, condensed_of
from drr.offline.agents.report import filled
from drr.wording.money import money
from langchain_core.messages import AIMessage, BaseMessage

Calls = list[tuple[str, JsonObject]]


def agent_policy(messages: Sequence[BaseMessage], arguments: Mapping[str, Any]) -> AIMessage:
    """The next message of whichever part the run says is played."""
    brief = arguments.get("brief")
    match brief:
        case briefs.Planning():
            return _plan(brief)
        case briefs.Supervising():
            thought, calls = supervising.problems(messages, brief)
            bound = _bound(arguments)
            if calls:
                return _turn(messages, thought, [*_thought(thought, bound), *calls])
            return _turn(
                messages, "", [(FINALIZE, {"reason": "The reports answer the parts of the question."})]
            )
        case briefs.Researching():
            return _research(messages, brief, _bound(arguments))
        case briefs.Leading():
            thought, calls = supervising.lead(messages, brief, _bound(arguments))
            end: Calls = [(FINALIZE, {"reason": "The summaries answer the parts of the question."})]
            return _turn(messages, thought, calls or end)
        case briefs.Helping():
            return _help(messages, brief, _bound(arguments))
        case briefs.Checking():
            return AIMessage(
                json.dumps({"unmet": []})
            )  # the rules know no requirement that they could hold it against
        case briefs.Condensing():
            return AIMessage(condensed(brief).text())
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
    return AIMessage(facts.summarise(brief.search, brief.problem, brief.page))


def _report(brief: briefs.Reporting) -> str:
    task = offline_question.read(brief.question)
    if brief.researched or brief.pages:
        return offline_report.report(task, reading.of_researched(brief.researched, brief.pages))
    return offline_report.report(task, reading.of_evidence(brief.evidence))


# Plan-to-Function ----------------------------------------------------------------------------------------------------


def _plan(brief: briefs.Planning) -> AIMessage:
    """Plan everything at once and blindly. No second search, no sum, and the region is not known when the web is asked."""
    task = offline_question.read(brief.question)
    calls: Calls = facts.planned_looks(task, brief.files, references=brief.references) if brief.files else []
    if not brief.shop:
        task = replace(task, needs=())
    if task.personal and brief.records:
        calls.append(("get_user_orders", {"limit": 100 if task.about_history else 10}))
    if task.about_place and brief.records:
        calls.append(("get_user_profile", {}))
    finds = [(len(calls) + k, need) for k, need in enumerate(task.needs[:3], 1)]
    calls += [("product_catalog_search", _search(task, need)) for _, need in finds]
    calls += _looks(task) if brief.shop else []
    if brief.references:
        for number, _ in finds[:2]:
            calls.append(("get_product_details", {"product_id": f"${number}.items[0].product_id"}))
    asked = searches(task.text) if brief.files else []
    calls += [("web_search", {"query": words}) for words in asked or [_web_query(task, None)]]
    plan = f"Find {join(task.needs) or 'an answer'}" + (
        f" within {money(task.limit)}" if task.limit is not None else ""
    )
    document = {
        "plan": f"{plan}; look at the shopper's record where the question is personal; read up on the web.",
        "calls": [{"tool": name, "arguments": json.dumps(arguments)} for name, arguments in calls],
    }
    return AIMessage(json.dumps(document))


# ReAct and the researchers -------------------------------------------------------------------------------------------


def _bound(arguments: Mapping[str, Any]) -> set[str]:
    """The tools that it was given, by name."""
    return {tool["function"]["name"] for tool in arguments.get("tools") or () if "function" in tool}


def _thought(thought: str, bound: set[str]) -> Calls:
    return [(REASON, {"thought": thought})] if REASON in bound else []


def _research(messages: Sequence[BaseMessage], brief: briefs.Researching, bound: set[str]) -> AIMessage:
    """The next turn: what the transcript still lacks, most basic first; nothing more to do ends it."""
    memory = reading.of_conversation(messages, brief.profile)
    read = offline_question.with_history(offline_question.read(brief.problem), memory.bought)
    thought, calls = _missing(read, memory, bound)
    if calls:
        return _turn(messages, thought, [*_thought(thought, bound), *calls])
    if FINALIZE not in bound:  # the loop of somebody else, which ends with a turn that calls nothing
        return AIMessage(offline_report.report(read, memory))
    return _turn(messages, "", [(FINALIZE, {"reason": "Nothing more is missing."})])


def _help(messages: Sequence[BaseMessage], brief: briefs.Helping, bound: set[str]) -> AIMessage:
    """A sub-agent of few tools; its last turn is its summary."""
    memory = reading.of_conversation(messages)
    read = offline_question.with_history(offline_question.read(brief.problem), memory.bought)
    thought, calls = _missing(read, memory, bound)
    if not calls:
        thought, calls = supervising.more_passages(memory, bound)
    return _turn(messages, thought, calls) if calls else AIMessage(condensed_of(brief.problem, memory).text())


def _missing(read: Asked, memory: Memory, bound: set[str]) -> tuple[str, Calls]:
    """List what to find out next with these tools; no calls where nothing is missing."""
    task = grounded(read, memory)
    for step in (
        partial(_look_at_files, bound),
        _look_up_records,
        _look_further_back,
        partial(_look_around, read),
        _look_for_products,
        _look_again,
        _open_pages,
        _ask_the_pages,
        _ask_the_web,
        _add_up,
    ):
        thought, calls = step(task, memory)
        calls = [(name, arguments) for name, arguments in calls if name in bound]
        if calls:
            return thought, calls
    return "", []


def _look_at_files(bound: set[str], task: Asked, memory: Memory) -> tuple[str, Calls]:
    """Look at files, but not for a sub-problem about the catalogue, the records or the web."""
    if "list_files" not in bound or not offline_question.in_own_words(task.text):
        return "", []
    thought, calls = facts.look_at_files(memory)
    return (thought, calls) if calls else facts.search_files(task, memory)


def _ask_the_pages(task: Asked, memory: Memory) -> tuple[str, Calls]:
    """Ask the pages, but not for a sub-problem about the web: that one names its own aim."""
    return facts.ask_the_pages(task, memory) if offline_question.in_own_words(task.text) else ("", [])


def _look_up_records(task: Asked, memory: Memory) -> tuple[str, Calls]:
    calls: Calls = []
    records = offline_question.records_only(task.text)
    if (task.personal or records) and not memory.called("get_user_orders"):
        calls.append(("get_user_orders", {"limit": 20 if records else 10}))
    if (task.about_place or records) and memory.home is None and not memory.called("get_user_profile"):
        calls.append(("get_user_profile", {}))
    if (records or (task.about_history and task.personal)) and not memory.called("get_user_statistics"):
        calls.append(("get_user_statistics", {}))
    return "What the shopper bought and where he or she lives may change the advice.", calls


def _look_further_back(task: Asked, memory: Memory) -> tuple[str, Calls]:
    """The question names or speaks of a purchase that is not among the latest."""
    read = len(memory.orders)
    known = any(facts.is_named(task, order.title) for order in memory.orders.values())
    if (
        not (task.named or task.about_history)
        or known
        or not read
        or memory.called("get_user_orders") != 1
        or (memory.orders_total or 0) <= read
    ):
        return "", []
    return "A purchase that the question speaks of may be older.", [("get_user_orders", {"limit": 100})]


def _look_for_products(task: Asked, memory: Memory) -> tuple[str, Calls]:
    calls: Calls = [
        ("product_catalog_search", _search(task, need)) for need in task.needs if not memory.searched(need)
    ]
    return f"Each part needs a search of its own: {join(task.needs)}.", calls[:4]


def _look_around(read: Asked, task: Asked, memory: Memory) -> tuple[str, Calls]:
    """A question's own words are searched for, sentence by sentence: the listings say what it is after."""
    looks = [(name, look) for name, look in _looks(read) if not memory.searched(str(look["query"]))]
    return "The question is clearer beside what the shop has.", looks


def _looks(task: Asked) -> Calls:
    """The fewer the searches, the more each of them brings."""
    searches = wide_searches(task)
    hits = 20 if len(searches) == 1 else 6
    return [
        ("product_catalog_search", {**_search(task, words), "match": "any", "limit": hits})
        for words in searches
    ]


def _look_again(task: Asked, memory: Memory) -> tuple[str, Calls]:
    """A need without a fitting product is searched once more, for its last word alone and with nothing filtered."""
    calls: Calls = []
    for need in task.needs:
        word = re.sub(r"(?<=\w{4})(?:er|ing)s?$", "", need.split()[-1])
        if word != need and not memory.searched(word) and not offline_choice.candidates(task, need, memory):
            calls.append(("product_catalog_search", {"query": word, "limit": 10}))
    return "Some searches brought nothing that fits; wider words may.", calls


def _open_pages(task: Asked, memory: Memory) -> tuple[str, Calls]:
    """The pages of the best candidate of each need, and of the runner-up where there is only one need."""
    each = 2 if len(task.needs) == 1 else 1
    best = [p for need in task.needs for p in offline_choice.candidates(task, need, memory)[:each]]
    tried = {call.arguments.get("product_id") for call in memory.calls if call.name == "get_product_details"}
    wanted = dict.fromkeys(p.product_id for p in best if not p.opened and p.product_id not in tried)
    calls: Calls = [("get_product_details", {"product_id": product_id}) for product_id in wanted]
    if len(tried) >= 5:
        return "", []
    return "The candidates' own pages state features and prices exactly.", calls[:3]


def _ask_the_web(task: Asked, memory: Memory) -> tuple[str, Calls]:
    """Once; twice where the answers were mere snippets, because they say little."""
    if offline_question.records_only(task.text) or (not task.asks and not task.needs and not _given(task)):
        return "", []
    done = memory.called("web_search")
    first = _web_query(task, memory)
    if not done:
        return "What to look for in such a purchase is known outside the shop.", [
            ("web_search", {"query": first})
        ]
    read = any(page.read for page in memory.pages.values())
    second = _second_query(task, memory)
    if done == 1 and not read and second and second != first:
        return "Snippets say little; a second question may say more.", [("web_search", {"query": second})]
    return "", []


def _add_up(task: Asked, memory: Memory) -> tuple[str, Calls]:
    basket = offline_choice.choose(task, memory)
    prices = [
        f"{offline_choice.cents(pick.product.price)}"
        for pick in basket.picks
        if pick.product.price is not None
    ]
    if len(prices) < 2 or memory.called("calculator"):
        return "", []
    return "The sum decides whether the limit holds.", [("calculator", {"expression": " + ".join(prices)})]


def _search(task: Asked, need: str) -> JsonObject:
    arguments: JsonObject = {"query": need, "limit": 10}
    if task.item_limit is not None:
        arguments["max_price"] = task.item_limit
    if task.constraints.item_min is not None:
        arguments["min_price"] = task.constraints.item_min
    return arguments


def _given(task: Asked) -> str | None:
    return offline_question.web_only(task.text)


def _web_query(task: Asked, memory: Memory | None) -> str:
    """The question's own words; `my state` becomes the state, where it is known."""
    words = _given(task) or (task.asks[0] if task.asks else "")
    if not words:
        words = f"{join(task.needs[:2]) or task.topic} how to choose"
    state = memory.home.state if memory is not None and memory.home else None
    if state and task.about_place:
        name = offline_question.state_name(state)
        words = offline_question.PLACE_WORDS.sub("", words) + ("" if name in words else f" {name}")
    return " ".join(words.split())[:300]


def _second_query(task: Asked, memory: Memory) -> str:
    if len(task.asks) > 1:
        return task.asks[1]
    return f"{task.needs[-1]} guide advice" if task.needs else ""


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
