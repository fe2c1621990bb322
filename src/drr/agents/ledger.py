"""Ledger: research as in ReAct, then a report whose addresses, titles, figures and sums code fills in."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial

from drr.agents import react
from drr.agents.base import Ending
from drr.agents.brief import QUESTION, FormRequest, shorten
from drr.agents.evidence import actor_rank
from drr.agents.forms.form_report import FormRead
from drr.agents.forms.passages import Passages
from drr.agents.forms.placeholders import CheckableReport, ReportForm
from drr.agents.react import ReactState, ReportState
from drr.agents.run_state import MAIN, AgentRun, file_names
from drr.agents.turns import ROUNDS, ask_again_once
from drr.llm.failures import ModelFailure
from drr.llm.prompts import fence
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langgraph.runtime import Runtime

FAULTS = 40
"""Maximum number of errors of a form that are reported to the model at once."""
_REPORT = "report"
EMPTY = "the report is empty: answer the question"


async def report(state: ReactState, runtime: Runtime[AgentRun]) -> ReportState:
    run = runtime.context
    run.tell("report", MAIN, "writing the report")
    passages = Passages(run.ledger.sources(actor_rank), file_names(run), run.tools.money)
    text = await _text(run, passages)
    if not text:  # another conversation may fare better
        run.notes.append("report: asked for once more, nothing of the first could be printed")
        text = await _text(run, passages)
    if not text:
        raise ModelFailure(
            "malformed", f"{run.agent.name} gave a report that says nothing that could be printed"
        )
    return {"report": text}


async def _text(run: AgentRun, passages: Passages) -> str:
    """Return the report from the model's form. Where a part cannot be printed, the model mends the form once."""
    form, asked = await _form(run, passages)
    read = FormRead.of(form, passages, run.asked)
    if faults := form_errors(read):
        run.notes.append(f"report: sent back once, {len(faults)} things could not be printed")
        mended = await _mended_form(run, form, asked, faults)
        if mended is not None:
            form, read = mended, FormRead.of(mended, passages, run.asked)
    if read.faults:
        run.notes.append(f"report: {len(read.faults)} things were left out or marked as a judgement")
    report = read.report()
    if not (report and isinstance(form, CheckableReport)):
        return report
    return f"{report}\n```form\n{' '.join(form.form.split())}\n```\n"  # one line cannot end the block


def _schema(run: AgentRun) -> type[ReportForm]:
    return CheckableReport if run.settings["form"] else ReportForm


def form_errors(read: FormRead) -> list[str]:
    """Return the errors of a form that the model must mend."""
    return read.faults or ([] if read.report() else [EMPTY])


def error_list(faults: Sequence[str]) -> str:
    """Return the errors as a list in the model's request."""
    more = [f"and {len(faults) - FAULTS} more of these kinds"] if len(faults) > FAULTS else []
    return "\n".join(f"- {fault}" for fault in [*faults[:FAULTS], *more])


async def _form(run: AgentRun, passages: Passages) -> tuple[ReportForm, list[BaseMessage]]:
    """Return the model's form and the messages that asked for it. Where the passages exceed the context, the longest are shortened, which is noted."""
    system = run.system("ledger_report")
    texts = [passage.text for passage in passages.all]
    limit = run.limits.evidence_chars
    if sum(map(len, texts)) > limit:
        run.notes.append(f"{_REPORT}: passages shortened to {limit:,} characters")
    for last in (False,) * (ROUNDS - 1) + (True,):
        listing = passages.listing(shorten(texts, limit))
        asked: list[BaseMessage] = [
            system,
            HumanMessage(f"{QUESTION}\n{run.asked}\n\n# Passages\n\n{fence(listing, 'passages')}\n"),
        ]
        ask = partial(run.structured, _REPORT, asked, _schema(run), brief=_brief(run, passages))
        try:
            return await ask_again_once(run, _REPORT, ask), asked
        except ModelFailure as failure:
            if failure.kind != "context_overflow" or last:
                raise
        limit = min(limit, sum(map(len, texts))) // 2
        run.notes.append(
            f"{_REPORT}: passages shortened to {limit:,} characters, the model's context is smaller"
        )
    raise AssertionError("unreachable")


async def _mended_form(
    run: AgentRun, form: ReportForm, asked: Sequence[BaseMessage], faults: Sequence[str]
) -> ReportForm | None:
    """Ask for the mended form; `None` where it cannot be read, so that the first form is used."""
    mend = HumanMessage(run.prompts.fill("ledger_mend", faults=error_list(faults)))
    talk = [*asked, AIMessage(form.model_dump_json()), mend]
    try:
        return await run.structured(_REPORT, talk, _schema(run), brief=None)
    except ModelFailure as failure:
        if failure.fatal or failure.kind == "over_budget":
            raise
        run.notes.append(f"{_REPORT}: not mended ({failure.kind})")
        return None


def _brief(run: AgentRun, passages: Passages) -> FormRequest:
    numbers = {passage.url: passage.number for passage in reversed(passages.all)}
    return FormRequest(run.query, run.evidence(), numbers, run.settings["form"], run.tools.money.language)


@cache
def graph() -> react.ReactGraph:
    return react.graph_of("ledger", report)


async def answer(run: AgentRun) -> Ending:
    profile = run.profile
    facts = (
        ""
        if profile is None
        else run.prompts.fill("researcher_profile", facts=fence(profile.text, "profile"))
    )
    return await react.answer(run, graph, facts and f"\n\n{facts}")
