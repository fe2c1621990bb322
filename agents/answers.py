"""Checks of a finished answer: forms that count as none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from drr.agents.architecture import BUILT_IN, Run, Variant
from drr.agents.base import Ending, ToolCall
from drr.agents.brief import CONTROL
from drr.agents.run_state import ONCE_MORE, AgentRun
from drr.agents.text_calls import is_call
from drr.agents.turns import is_broken_off, report_afresh
from drr.llm.failures import ModelFailure, NoAnswer
from drr.llm.prompts import Prompts
from drr.llm.text import is_json
from drr.tools.registry import EVERY
from drr.wording.excerpt import excerpt

_UNKEYED = "0c5fceea3e19cd48fd8e22551dea9ecdfa500da5accb7e24bfc470698ffa3d66"
"""Its first version, which enters no key, so that the keys of before stay; every other one does."""
_REASONS: Mapping[NoAnswer, str] = {
    "empty": "answered without content",
    "no_research": "answered without a call of a tool that looks up, or none was answered",
    "malformed_call": "wrote JSON or the call of a tool out as its answer; where the model means to call, the server's parser of"
    " tool calls is off or another model's (vLLM: --tool-call-parser, llama.cpp: --jinja), or give --text-calls parse",
}
_SHORT = 80
"""Characters of one line: less than this, without a source or a figure, holds no finding, but where it is a sentence about results."""
_NEEDED = "so short a line is an answer only with a figure or a source, or as a sentence (with its full stop) after a call of a tool"
_STOPS = tuple(".!?。！？…")
_CLOSERS = "*_\"'”’»)）」"


def keyed(prompts: Prompts) -> list[str]:
    """The prompt, where it enters a key."""
    return [] if prompts[ONCE_MORE].sha256 == _UNKEYED else [ONCE_MORE]


def failure_of(none: NoAnswer, variant: Variant, ending: Ending, calls: Sequence[ToolCall]) -> ModelFailure:
    """Name the failure, with why a first call did not run, or what an empty report holds."""
    why = next((call.error.message for call in calls if call.error is not None), None)
    what, text = _REASONS[none], " ".join(ending.report.split())
    if none == "no_research" and why:
        what = f"{what}: {why}"
    if none == "empty":
        shown = (
            f"{excerpt(text, _SHORT)!r} is all of its report; {_NEEDED}" if text else "its report is empty"
        )
        what = f"{what}: {shown}"
    return ModelFailure(
        none, f"{variant.name} {what.rstrip('.')} (its research ended as {ending.stop_reason})"
    )


async def answered(run: AgentRun, variant: Variant, answer: Run) -> tuple[Ending, NoAnswer | None]:
    """Return how the run ended, and why that is no answer. Then it was asked once more where that may help."""
    ending = await answer(run)
    none = no_answer(run, ending.report)
    if none is None or variant.architecture.once or is_broken_off(ending.stop_reason):
        return ending, none
    if none == "no_research" and run.once_more:
        return ending, none  # it was asked once more for its plan
    ending = await _again(run, variant, answer, none, ending)
    return ending, no_answer(run, ending.report)


async def _again(run: AgentRun, variant: Variant, answer: Run, none: NoAnswer, ending: Ending) -> Ending:
    """Ask again with a line that says what was missing. An agent of ours that only wrote badly looks up nothing again."""
    run.ask_once_more(f"{none}, {ending.stop_reason}")
    for name in list(run.transcripts):
        run.transcripts[f"first {name}"] = run.transcripts.pop(name)
    ours = variant.architecture.origin == BUILT_IN and "report" in variant.prompts
    if not (ours and has_researched(run)):
        return await answer(run)
    return Ending(await report_afresh(run), ending.stop_reason)


def no_answer(run: AgentRun, report: str) -> NoAnswer | None:
    """Say why this is no answer; `None` for an answer. Rules research nothing anyway."""
    if is_call(report, {*run.names, *CONTROL}) or is_json(report):
        return "malformed_call"
    researched = has_researched(run)
    if is_empty(report, researched=researched):
        return "empty"
    # Its material stands in the prompt where all pages do, or where a world or an agent has no tool that looks up.
    in_prompt = run.settings.get("long_context") or not any(EVERY[name].looks_up for name in run.names)
    return None if researched or in_prompt or _is_by_rules(run) else "no_research"


def _is_by_rules(run: AgentRun) -> bool:
    """Tell whether rules played in it."""
    meter = run.allowance.meter
    played = (role for role in meter.by_role if role in run.models and not run.outside.plays(role, meter))
    return any(run.models[role].rule_written for role in played)


def has_researched(run: AgentRun) -> bool:
    """Tell whether a tool that looks up answered anybody in the run. That there is no such thing is an answer, too."""
    return any(
        call.kind == "api"
        and (call.name not in EVERY or EVERY[call.name].looks_up)  # an agent's own tools look things up
        and (call.error is None or call.error.kind == "not_found")
        for calls in run.calls.values()
        for call in calls
    )


def is_empty(report: str, *, researched: bool) -> bool:
    """Tell whether nothing stands below the headings, outside the sources, but one short line without a source or figure.
    A sentence after research is an answer: `Nothing fits.`"""
    from drr.citations.parse import parse

    for entry in reversed(parse(report).references):
        heads = [line for line in report[: entry.start].splitlines() if line.startswith("#")]
        if not heads or heads[-1].strip("# ").casefold() != "picks":  # picks are an answer
            report = report[: entry.start] + report[entry.end :]
    lines = [line.strip() for line in report.splitlines()]
    prose = [line for line in lines if line.strip("#*-_=`|: ") and not line.startswith("#")]
    if len(prose) > 1 or len("".join(prose)) > _SHORT:
        return False
    if researched and any(line.rstrip(_CLOSERS).endswith(_STOPS) for line in prose):
        return False
    return not any(any(map(str.isdigit, line)) or parse(line).sources for line in prose)
