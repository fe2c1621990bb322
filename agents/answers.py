"""Checks of a finished answer: forms that count as none, and repair of its citations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from drr.agents.base import BUILT_IN, CitationRepair, Ending, Run, ToolCall, Variant
from drr.agents.brief import CONTROL, Mending
from drr.agents.evidence import actor_rank
from drr.agents.running import ONCE_MORE, AgentRun
from drr.agents.text_calls import is_call
from drr.agents.turns import is_broken_off, report_afresh, write
from drr.citations import repair
from drr.citations.addresses import canonical_url
from drr.citations.ids import IdLookup
from drr.citations.parse import Citations, parse
from drr.env.progress import read_in_time
from drr.llm.failures import ModelFailure, NoAnswer
from drr.llm.prompts import Prompts, fence
from drr.llm.text import is_json
from drr.wording.excerpt import excerpt
from langchain_core.messages import HumanMessage

_UNKEYED = "0c5fceea3e19cd48fd8e22551dea9ecdfa500da5accb7e24bfc470698ffa3d66"
"""Its first version, which enters no key, so that the keys of before stay; every other one does."""
_REASONS: Mapping[NoAnswer, str] = {
    "empty": "answered without content",
    "no_research": "answered without calling any tool",
    "malformed_call": "wrote JSON or the call of a tool out as its answer; where the model means to call, the server's parser of"
    " tool calls is off or another model's (vLLM: --tool-call-parser, llama.cpp: --jinja), or give --text-calls parse",
}
_SHORT = 80
"""Characters of one line: less than this, without a source or a figure, holds no finding, but where it is a sentence about results."""
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
        what = f"{what} that ran: {why}"
    if none == "empty":
        what = f"{what}: its report is {repr(excerpt(text, _SHORT)) if text else 'empty'}"
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
    """Say why this is no answer; `None` for an answer. What a command looked up by itself nobody sees, and
    rules research nothing anyway."""
    if is_call(report, {*run.names, *CONTROL}) or is_json(report):
        return "malformed_call"
    in_window = bool(run.settings.get("long_context"))  # all pages at once: nothing was left to look up
    researched = has_researched(run) or in_window
    if is_empty(report, researched=researched or run.outside.own is not None):
        return "empty"
    looks_up = bool(run.names) and run.outside.own is None and not run.agent.rule_written
    return "no_research" if looks_up and not researched else None


def has_researched(run: AgentRun) -> bool:
    """Tell whether a tool ran for anybody in the run."""
    return any(call.kind == "api" for calls in run.calls.values() for call in calls)


def is_empty(report: str, *, researched: bool) -> bool:
    """Tell whether nothing stands below the headings but one short line without a source or figure. A sentence after research is an answer:
    `Nothing fits.`"""
    lines = [line.strip() for line in report.splitlines()]
    prose = [line for line in lines if line.strip("#*-_=`") and not line.startswith("#")]
    if len(prose) > 1 or len("".join(prose)) > _SHORT:
        return False
    if researched and any(line.rstrip(_CLOSERS).endswith(_STOPS) for line in prose):
        return False
    return not any(any(map(str.isdigit, line)) or parse(line).sources for line in prose)


async def read_in_run(run: AgentRun, report: str) -> Citations:
    """Read a report as judges read it. Where an entry gives the id of a product alone, it leads to the shop's page."""
    return await read_in_time(report, lambda: parse(report, *_shop_pages(run)))


def _shop_pages(run: AgentRun) -> tuple[str, IdLookup | None]:
    """Below which address the pages of products live, and who says what is the id of one."""
    shop = run.tools.shop
    return ("", None) if shop is None else (shop.shop_url, shop.known_ids)


class Repaired(NamedTuple):
    report: str
    removed: list[str]
    """The citations that are no longer in it."""
    made_up: Sequence[str] = ()
    """Addresses that the model made up when it was asked to mend."""


async def repaired(
    run: AgentRun, raw: str, cited: Citations, made_up: list[str], setting: CitationRepair
) -> Repaired:
    """The report as the setting wants it; one that is mended stands for itself outside the shop too."""
    wrong = _wrong(cited, made_up)
    if setting == "off":
        return Repaired(raw, [])
    addressed = _addressed(run, raw)
    if addressed != raw:
        cited = await read_in_run(run, addressed)
        wrong = _wrong(cited, made_up)
    if not wrong:
        return Repaired(addressed, [])
    if setting == "remove":
        return Repaired(repair.remove(addressed, made_up, *_shop_pages(run)), wrong)
    mended = await _mended(run, addressed, wrong)
    if mended is None:
        return Repaired(addressed, [])
    report = _addressed(run, mended)
    after = await read_in_run(run, report)
    if still := repair.unknown_urls(after, run.ledger.knows):
        run.notes.append(
            f"citations: {len(still)} made-up addresses stood in the mended report too; taken out"
        )
        report = repair.remove(report, still, *_shop_pages(run))
        after = await read_in_run(run, report)
    left = {source.url for source in after.sources} | {f"[{name}]" for name in repair.lost(after)}
    return Repaired(report, [one for one in wrong if canonical_url(one) not in left], still)


def _wrong(cited: Citations, made_up: list[str]) -> list[str]:
    return [*made_up, *(f"[{name}]" for name in repair.lost(cited))]


def _addressed(run: AgentRun, report: str) -> str:
    return repair.with_addresses(report, run.ledger.knows, *_shop_pages(run))


async def _mended(run: AgentRun, raw: str, wrong: list[str]) -> str | None:
    """The model's own correction; `None` where it could not give one, which is noted."""
    try:
        return await _ask(run, raw, wrong)
    except ModelFailure as failure:
        if failure.transient or failure.fatal or failure.kind == "over_budget":
            raise
        run.notes.append(f"citations not repaired: {failure.kind}")
        return None


async def _ask(run: AgentRun, raw: str, wrong: list[str]) -> str:
    known = "\n".join(
        f"{source.title or 'untitled'}: {source.url}" for source in run.ledger.sources(actor_rank)
    )
    request = (
        f"# Report\n{fence(raw, 'report')}\n\n# Wrong\n"
        + "\n".join(wrong)
        + f"\n\n# Evidence\n{fence(known, 'list')}\n"
    )
    return await write(
        run, "citations", [run.bare("citation_fix"), HumanMessage(request)], brief=Mending(raw)
    )
