"""The script that plays an agent under the `offline` model: searches for the question's words and lists the results.

The brief of the run says which part is played; the results are the records behind the tools' answers. The script does not understand the
question or a prompt, so `--prompts` may replace any file.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from drr.agents import brief as briefs
from drr.agents.brief import FINALIZE, LAUNCH, REASON
from drr.env.constraints import parse_constraints
from drr.env.json_object import JsonObject
from drr.env.text import tokens
from drr.offline.agents.found import Found, parts_of, words_of
from drr.offline.agents.source_list import BANNER, report
from drr.wording.currency import DOLLARS, Currency
from langchain_core.messages import AIMessage, BaseMessage

Calls = list[tuple[str, JsonObject]]
_AT_ONCE, _FILES, _OPENED, _PLANNED = 4, 6, 3, 12


def agent_policy(messages: Sequence[BaseMessage], arguments: Mapping[str, Any]) -> AIMessage:
    """Return the next message of the part that the run's brief names."""
    brief, bound = arguments.get("brief"), _bound(arguments)
    match brief:
        case briefs.PlanRequest():
            return _plan(brief)
        case briefs.SupervisorRequest():
            problems = [brief.question] if brief.files else parts_of(brief.question) or [brief.question]
            return _next(messages, [(LAUNCH, {"sub_problem": one}) for one in problems], bound)
        case briefs.LeaderRequest():
            names = ("read_files", "search_pages", "search_shop")
            wanted: Calls = [(name, {"task": brief.question}) for name in names if name in bound]
            return _next(messages, wanted, bound)
        case briefs.ResearchRequest():
            return _research(messages, brief.problem, bound, brief.currency)
        case briefs.HelperRequest():
            found = Found.of_conversation(messages)
            calls = _missing(brief.problem, found, bound)
            return _turn(messages, "", calls) if calls else AIMessage(report(brief.problem, found))
        case briefs.RequirementsRequest():  # a script knows no requirement to check against
            return AIMessage(json.dumps({"unmet": []}))
        case briefs.SynthesisRequest():
            return AIMessage(report(brief.problem, Found.of(brief.evidence)))
        case briefs.ReportRequest():
            evidence = [*brief.evidence, *(call for one in brief.researched for call in one.evidence)]
            return AIMessage(
                report(
                    brief.question, Found.of(evidence, brief.pages), form=brief.form, language=brief.language
                )
            )
        case briefs.CitationRepairRequest():
            return AIMessage(brief.report)
    return AIMessage(f"{BANNER}\n\nThe script was told of no part to play here.")


def summariser_policy(messages: Sequence[BaseMessage], arguments: Mapping[str, Any]) -> AIMessage:
    """Return the first lines of prose of a page that share a word with the search."""
    brief = arguments.get("brief")
    if not isinstance(brief, briefs.PageSummaryRequest):
        return AIMessage("The script was given no page to summarise.")
    wanted = {*words_of(brief.search), *words_of(brief.problem)}
    prose = (line.strip() for line in brief.page.splitlines() if line[:1].isalnum())
    lines = [line[:400] for line in prose if wanted.intersection(tokens(line))]
    return AIMessage("\n".join(lines[:5]) or "The page holds nothing on this search.")


def _bound(arguments: Mapping[str, Any]) -> set[str]:
    """Return the names of the tools that were offered."""
    return {tool["function"]["name"] for tool in arguments.get("tools") or () if "function" in tool}


def _searches(question: str, currency: Currency) -> Calls:
    """Return a search of the shop for each sentence, within the price limits of the sentence."""
    calls: Calls = []
    for part in parts_of(question):
        limits = parse_constraints(part, currency)
        highest = limits.total_max if limits.item_max is None else limits.item_max
        prices = {"max_price": highest, "min_price": limits.item_min}
        given = {name: price for name, price in prices.items() if price is not None}
        calls.append(("product_catalog_search", {"query": " ".join(words_of(part)), "limit": 10, **given}))
    return calls


def _looks(question: str, currency: Currency) -> Calls:
    """Return the look-ups for a question, which are the same whatever it asks."""
    web: Calls = [("web_search", {"query": " ".join(words_of(question))})] if words_of(question) else []
    return [("get_user_orders", {"limit": 100}), *_searches(question, currency), *web]


def _plan(brief: briefs.PlanRequest) -> AIMessage:
    """Return a plan with all calls at once. A later call can refer to the result of an earlier one."""
    calls: Calls = [("list_files", {})] if brief.files else []
    named = [name for name in brief.files if name.casefold() in brief.question.casefold()]
    calls += [("read_file", {"name": name}) for name in named[:_FILES]]
    if brief.references and brief.files and not named:
        calls += [("read_file", {"name": f"$1.items[{number}].name"}) for number in range(_AT_ONCE)]
    for name, arguments in _looks(brief.question, brief.currency):
        if (name == "get_user_orders" and not brief.records) or (
            name.startswith("product_") and not brief.shop
        ):
            continue
        calls.append((name, arguments))
        if name.startswith("product_") and brief.references:
            calls.append(("get_product_details", {"product_id": f"${len(calls)}.items[0].product_id"}))
    rows = [{"tool": name, "arguments": json.dumps(arguments)} for name, arguments in calls[:_PLANNED]]
    return AIMessage(json.dumps({"plan": "Search for the words of the question.", "calls": rows}))


def _missing(question: str, found: Found, bound: set[str], currency: Currency = DOLLARS) -> Calls:
    """Return the next calls of the script; empty where all were made."""
    calls: Calls = [("list_files", {}), *(("read_file", {"name": name}) for name in found.files[:_FILES])]
    calls += _looks(question, currency)
    firsts = [one.product_id for one in found.products.values()][:_OPENED]
    calls += [("get_product_details", {"product_id": product_id}) for product_id in firsts]
    calls.append(("get_context", {"query": " ".join(words_of(question))}))
    return [call for call in calls if call[0] in bound and call not in found.calls]


def _research(
    messages: Sequence[BaseMessage], problem: str, bound: set[str], currency: Currency
) -> AIMessage:
    found = Found.of_conversation(messages)
    if calls := _missing(problem, found, bound, currency):
        thought = (
            "The words of the question are looked up." if not found.calls else "What was found is opened."
        )
        return _turn(messages, thought, calls, bound)
    if FINALIZE not in bound:  # the loop of another agent, which ends with a turn without a call
        return AIMessage(report(problem, found))
    return _turn(messages, "", [(FINALIZE, {"reason": "The script has made all of its calls."})])


def _next(messages: Sequence[BaseMessage], wanted: Calls, bound: set[str]) -> AIMessage:
    """Return a turn with the next few launches, or the final call where all were made."""
    given = [(c["name"], c["args"]) for m in messages if isinstance(m, AIMessage) for c in m.tool_calls]
    if left := [call for call in wanted if call not in given][:_AT_ONCE]:
        thought = "Each sentence of the question is looked up apart from the others."
        return _turn(messages, thought, left, bound)
    return _turn(messages, "", [(FINALIZE, {"reason": "Every sentence of the question was looked up."})])


def _turn(messages: Sequence[BaseMessage], text: str, calls: Calls, bound: Collection[str] = ()) -> AIMessage:
    """Return a message with calls. The call ids continue those of the transcript, so that the same conversation gives the same message."""
    calls = [(REASON, {"thought": text}), *calls] if REASON in bound else calls
    made = sum(len(message.tool_calls) for message in messages if isinstance(message, AIMessage))
    return AIMessage(
        content=text,
        tool_calls=[
            {"name": name, "args": arguments, "id": f"call_{number}", "type": "tool_call"}
            for number, (name, arguments) in enumerate(calls, made + 1)
        ],
    )
