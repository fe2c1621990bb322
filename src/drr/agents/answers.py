"""Checks of a finished answer, which find answers without content or research, and ask the agent once more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from unicodedata import east_asian_width

from drr.agents.architecture import BUILT_IN, Run, Variant
from drr.agents.base import Ending, Limits, ToolCall
from drr.agents.brief import CONTROL
from drr.agents.run_state import ONCE_MORE, AgentRun, tool_message
from drr.agents.text_calls import is_call
from drr.agents.turns import is_broken_off, report_afresh
from drr.env.user_code import outliving
from drr.llm.failures import ModelFailure, NoAnswer
from drr.llm.prompts import Prompts
from drr.llm.text import is_cut_json, is_json
from drr.tools.registry import EVERY
from drr.wording.excerpt import excerpt
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

_UNKEYED = "0c5fceea3e19cd48fd8e22551dea9ecdfa500da5accb7e24bfc470698ffa3d66"
"""Hash of the first version of the prompt `once_more`. That version enters no key, so that older keys stay the same."""
_REASONS: Mapping[NoAnswer, str] = {
    "empty": "answered without content",
    "no_research": "answered without a call of a tool that looks up, or none was answered",
    "malformed_call": "wrote JSON or the call of a tool out as its answer; where the model means to call, the server's parser of"
    " tool calls is off or another model's (vLLM: --tool-call-parser, llama.cpp: --jinja), or give --text-calls parse",
}
CALL_LIMIT = "call_limit"
"""The prompt that tells an agent how many calls of tools it may make."""
_FEWEST = 8
"""Fewest words of an answer without a link, a figure and a form."""


def key_prompts(prompts: Prompts, limits: Limits) -> list[str]:
    """Return the names of the prompts of no architecture that enter a key: `once_more` if changed, `call_limit` if used."""
    changed = [] if prompts[ONCE_MORE].sha256 == _UNKEYED else [ONCE_MORE]
    return [*changed, CALL_LIMIT] if limits.announced else changed


def failure_of(none: NoAnswer, variant: Variant, ending: Ending, calls: Sequence[ToolCall]) -> ModelFailure:
    """Make the failure of a run without an answer. Its message names why the first call failed, or quotes the empty report."""
    why = next((call.error.message for call in calls if call.error is not None), None)
    what, text = _REASONS[none], " ".join(ending.report.split())
    if none == "no_research" and why:
        what = f"{what}: {why}"
    if none == "empty":
        shown = (
            f"{excerpt(text, 80)!r} is all of its report; under {_FEWEST} words only a link, a figure or a form is an answer"
            if text
            else "its report is empty"
        )
        what = f"{what}: {shown}"
    return ModelFailure(
        none, f"{variant.name} {what.rstrip('.')} (its research ended as {ending.stop_reason})"
    )


async def run_agent(run: AgentRun, variant: Variant, answer: Run) -> tuple[Ending, NoAnswer | None]:
    """Run the agent and return the ending and the reason why its report is no answer (`None`: it is one). The agent is asked a second time where a second try may help."""
    if run.limits.announced:
        run.call_limit = run.prompts.fill(CALL_LIMIT, calls=str(run.limits.tool_calls)).strip()
    # The agent may be a user's: its `sys.exit()` would else end the run with code 0 and no answer.
    answer = outliving(answer)
    ending = await answer(run)
    none = no_answer(run, ending.report)
    if none is None or variant.architecture.once or is_broken_off(ending.stop_reason):
        return ending, none
    if none == "no_research" and run.once_more:
        return ending, none  # the agent was already asked a second time for its plan
    ending = await _ask_again(run, variant, answer, none, ending)
    return ending, no_answer(run, ending.report)


async def _ask_again(run: AgentRun, variant: Variant, answer: Run, none: NoAnswer, ending: Ending) -> Ending:
    """Ask again with a line that says why the first answer did not count. A built-in agent that has researched only writes its report again."""
    run.ask_once_more(f"{none}, {ending.stop_reason}")
    for name in list(run.transcripts):
        # Under its old name the second conversation would replace it.
        run.transcripts[f"first {name}"] = run.transcripts.pop(name)
    ours = variant.architecture.origin == BUILT_IN and "report" in variant.prompts
    if not (ours and has_researched(run)):
        return await answer(run)
    return Ending(await report_afresh(run), ending.stop_reason)


def no_answer(run: AgentRun, report: str) -> NoAnswer | None:
    """Return why a report does not count as an answer; `None` if it does. Stand-ins that follow rules need no research."""
    if is_call(report, {*run.names, *CONTROL}) or is_json(report):
        return "malformed_call"
    if is_empty(report):
        return "empty"
    # No research is needed where the prompt holds all pages, or where no tool that looks up is offered.
    in_prompt = run.settings.get("long_context") or not any(EVERY[name].looks_up for name in run.names)
    if has_researched(run) or in_prompt or _is_by_rules(run):
        return None
    return "malformed_call" if is_cut_json(report) else "no_research"


def _is_by_rules(run: AgentRun) -> bool:
    """Tell whether any model called in this run was a stand-in that follows rules."""
    meter = run.allowance.meter
    played = (role for role in meter.by_role if role in run.models and not run.outside.plays(role, meter))
    return any(run.models[role].rule_written for role in played)


def has_researched(run: AgentRun) -> bool:
    """Tell whether a look-up tool gave any actor of the run an answer. An answer of "not found" counts too."""
    return any(
        call.kind == "api"
        and (call.name not in EVERY or EVERY[call.name].looks_up)  # an agent's own tools look things up
        and (call.error is None or call.error.kind == "not_found")
        for calls in run.calls.values()
        for call in calls
    )


def is_empty(report: str) -> bool:
    """Tell whether a report has few words and no link, figure or form. Headings and sources do not count."""
    from drr.citations.parse import parse, without_form

    report, form = without_form(report)
    heads = {line.strip("# ").casefold() for line in report.splitlines() if line.startswith("#")}
    if form is not None or "picks" in heads:  # where nothing fits, the form's list is empty
        return False
    # From the end, so that the places of the entries before stay right.
    for entry in reversed(parse(report).references):
        report = report[: entry.start] + report[entry.end :]
    lines = [line.strip() for line in report.splitlines()]
    prose = "\n".join(line for line in lines if line.strip("#*-_=`|: ") and not line.startswith("#"))
    if any(map(str.isdigit, prose)) or parse(prose).sources:
        return False
    # Chinese and Japanese put no spaces between words: two wide letters stand for a word.
    wide = sum(east_asian_width(letter) in "WF" for letter in prose)
    return len(prose.split()) + wide // 2 < _FEWEST


def conversations(run: AgentRun) -> Mapping[str, Sequence[BaseMessage]]:
    """Return the conversations of a run; where no model spoke, its calls as one."""
    calls = [call for actor in run.calls.values() for call in actor]
    if run.transcripts or not calls:
        return run.transcripts
    messages: list[BaseMessage] = [HumanMessage(run.asked)]
    for number, call in enumerate(calls):
        asked = {"id": str(number), "name": call.name, "args": call.arguments, "type": "tool_call"}
        messages += [
            AIMessage("", tool_calls=[asked]),
            tool_message(str(number), call.name, call.result, ok=call.ok),
        ]
    return {"conversation 1": messages}
