"""Runs one variant on one question: a plain async function of plain data, and of the shop, web and models handed in."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from drr.agents.base import (
    AnswerRecord,
    CitationRepair,
    Ending,
    Gathered,
    Limits,
    Listener,
    ToolCall,
    Transcript,
    nobody,
)
from drr.agents.evidence import EvidenceLedger
from drr.agents.registry import Variant
from drr.agents.unit import MAIN, AgentRun, Allowance, CallTool, actor_rank
from drr.agents.websum import PageSummaries
from drr.citations import repair
from drr.citations.addresses import canonical_url
from drr.citations.parse import Citations, parse
from drr.env.profile import build_profile
from drr.env.session import Session
from drr.env.source import Source, text_hash
from drr.env.web.base import WebSearch
from drr.llm.failures import ModelFailure
from drr.llm.meter import Meter
from drr.llm.prompts import Prompts, fence
from drr.llm.role import RoleModel
from drr.llm.transcript import plain
from drr.tools import registry as tools
from drr.tools.base import ToolAnswer, ToolContext, context_for
from langchain_core.messages import HumanMessage

FOLDER = Path(__file__).parent / "prompts"


@dataclass(frozen=True, kw_only=True)
class AgentOptions:
    """Every choice that decides a result beside the variant; all of them enter the unit's key."""

    limits: Limits = field(default_factory=Limits)
    references: bool = True
    """Plan-to-Function may use an earlier call's result in a later one (`$1.items[0].product_id`)."""
    citation_repair: CitationRepair = "off"
    top_k: int = 5

    @classmethod
    def paper(cls, **changes: Any) -> AgentOptions:
        """As the paper ran its agents, where that is known."""
        return cls(**{"references": False, "citation_repair": "off", "top_k": 5, **changes})


def load_prompts(override: Path | None = None) -> Prompts:
    return Prompts(FOLDER, override)


@cache
def schemas() -> tuple[dict[str, Any], ...]:
    """The nine as they are bound to a model. The same objects every time, so that a model binds them once."""
    return tuple(
        {
            "type": "function",
            "function": {"name": tool.name, "description": tool.description, "parameters": tool.schema},
        }
        for tool in tools.TOOLS.values()
    )


def key_fields(variant: Variant, options: AgentOptions, prompts: Prompts) -> dict[str, Any]:
    """What of the agent decides its answer: beside query, user, trial, models, shop and web, this is the unit's key."""
    names = [*variant.prompts, *(("citation_fix",) if options.citation_repair == "ask" else ())]
    return {
        "variant": variant.name,
        "version": variant.version,
        "prompts": prompts.hashes(names),
        "limits": options.limits.key(),
        "references": options.references,
        "citation_repair": options.citation_repair,
        "top_k": options.top_k,
        "tools": text_hash(json.dumps(schemas(), sort_keys=True)),
    }


async def run_variant(
    variant: Variant,
    query: str,
    *,
    session: Session,
    web: WebSearch,
    agent: RoleModel,
    summariser: RoleModel,
    meter: Meter,
    prompts: Prompts,
    options: AgentOptions | None = None,
    listener: Listener = nobody,
    on_failure: Callable[[Gathered], None] = lambda gathered: None,
    now: Callable[[], float] = time.monotonic,
) -> AnswerRecord:
    """The answer of one unit. `ModelFailure` ends it without a report; so does any error that is a bug.

    Before such an end `on_failure` is handed what was gathered until then: it was paid for.
    `session` is the unit's own (its writes are recorded and seen by nobody else); `meter` is the one that the two role
    models report to.
    """
    options = options or AgentOptions()
    if session.user_id is None:
        raise ValueError("an agent answers for one user: give a session with a user_id")
    started = now()
    unit = _unit(variant, query, session, web, agent, summariser, meter, prompts, options, listener, now)
    run = variant.architecture.load()
    try:
        outcome = await run(unit)
        return await _finish(unit, variant, outcome, options, session, web, summariser, started)
    except Exception:
        on_failure(Gathered(**_gathered(unit, variant, session, summariser)))
        raise
    finally:
        await unit.aclose()


def _unit(
    variant: Variant,
    query: str,
    session: Session,
    web: WebSearch,
    agent: RoleModel,
    summariser: RoleModel,
    meter: Meter,
    prompts: Prompts,
    options: AgentOptions,
    listener: Listener,
    now: Callable[[], float],
) -> AgentRun:
    ledger = EvidenceLedger()
    user_id, manifest = session.user_id or "", session.shop.manifest
    unit = AgentRun(
        query=query,
        user_id=user_id,
        as_of=manifest.as_of,
        agent=agent,
        prompts=prompts,
        budget=Allowance(options.limits, meter, now, now()),
        tools=context_for(session, web, top_k=options.top_k),
        call_tool=tools.call,
        schemas=schemas(),
        names=frozenset(tools.TOOLS),
        references=options.references,
        listener=listener,
        ledger=ledger,
    )
    if variant.ws:
        summaries = PageSummaries(
            web=web,
            model=summariser,
            prompts=prompts,
            page_chars=options.limits.page_chars,
            at_once=options.limits.page_reads,
            told=lambda url: unit.tell("page", MAIN, url),
            on_page=ledger.add_page,
        )
        unit.call_tool, unit.aclose = _with_summaries(summaries), summaries.aclose
    if variant.profile:
        unit.profile = _profile_facts(unit, session)
    return unit


def _with_summaries(summaries: PageSummaries) -> CallTool:
    async def call(name: str, arguments: Mapping[str, Any], context: ToolContext) -> ToolAnswer:
        answer = await tools.call(name, arguments, context)
        if name != "web_search" or not answer.sources:
            return answer
        return await summaries.improve(answer, str(arguments["query"]), context)

    return call


def _profile_facts(unit: AgentRun, session: Session) -> str:
    """What `+profile` hands to researchers, with the address under which it can be cited."""
    summary = build_profile(session.shop.store, unit.user_id, unit.as_of).text()
    url = f"user://{unit.user_id}/profile"
    unit.ledger.add(MAIN, [Source(url=url, type="user", title="Profile summary", seen=summary)])
    return f"{summary}\nAddress to cite for this: {url}"


async def _finish(
    unit: AgentRun,
    variant: Variant,
    outcome: Ending,
    options: AgentOptions,
    session: Session,
    web: WebSearch,
    summariser: RoleModel,
    started: float,
) -> AnswerRecord:
    raw = outcome.report
    cited = parse(raw)
    made_up = repair.unknown_urls(cited, unit.ledger.knows)
    report, removed = await _repaired(unit, raw, cited, made_up, options.citation_repair)
    written = cited if report == raw else parse(report)
    made_up = list(dict.fromkeys([*made_up, *repair.unknown_urls(written, unit.ledger.knows)]))
    usage, seconds = unit.budget.meter.as_json(), unit.budget.now() - started
    await unit.ledger.freeze(
        [s.address for s in (*cited.sources, *written.sources)], web, session.shop.shop_url
    )
    return AnswerRecord(
        **_gathered(unit, variant, session, summariser),
        raw_report=raw,
        report=report,
        words=len(report.split()),
        citation_repair=options.citation_repair,
        removed_citations=removed,
        dangling=[int(name) for name in repair.lost(cited) if name.isdecimal()],
        fabricated=unit.ledger.fabricated(made_up),
        stop_reason=outcome.stop_reason,
        usage=usage,
        seconds=seconds,
    )


def _gathered(unit: AgentRun, variant: Variant, session: Session, summariser: RoleModel) -> dict[str, Any]:
    return {
        "variant": variant.name,
        "version": variant.version,
        "query": unit.query,
        "user_id": unit.user_id,
        "models": {"agent": unit.agent.name} | ({"summariser": summariser.name} if variant.ws else {}),
        "rule_written": unit.agent.rule_written or (variant.ws and summariser.rule_written),
        "sources": unit.ledger.sources(actor_rank),
        "tool_calls": _numbered(unit),
        "failures": sorted(unit.failures, key=lambda failure: actor_rank(failure.researcher)),
        "notes": sorted(unit.notes),
        "state_changes": [asdict(change) for change in session.changes()],
        "transcripts": [
            Transcript(name=name, messages=plain(messages))
            for name, messages in sorted(unit.transcripts.items())
        ],
    }


def _numbered(unit: AgentRun) -> list[ToolCall]:
    ordered = [call for actor in sorted(unit.calls, key=actor_rank) for call in unit.calls[actor]]
    return [call.model_copy(update={"number": number}) for number, call in enumerate(ordered, 1)]


async def _repaired(
    unit: AgentRun, raw: str, cited: Citations, made_up: list[str], setting: CitationRepair
) -> tuple[str, list[str]]:
    """The report as the setting wants it, and the citations that are no longer in it."""
    wrong = [*made_up, *(f"[{name}]" for name in repair.lost(cited))]
    if setting == "off" or not wrong:
        return raw, []
    if setting == "remove":
        return repair.remove(raw, made_up), wrong
    try:
        report = await _ask(unit, raw, wrong)
    except ModelFailure as failure:
        if failure.transient or failure.fatal or failure.kind == "over_budget":
            raise
        unit.notes.append(f"citations not repaired: {failure.kind}")
        return raw, []
    after = parse(report)
    left = {source.url for source in after.sources} | {f"[{name}]" for name in repair.lost(after)}
    return report, [one for one in wrong if canonical_url(one) not in left]


async def _ask(unit: AgentRun, raw: str, wrong: list[str]) -> str:
    known = "\n".join(
        f"{source.title or 'untitled'}: {source.url}" for source in unit.ledger.sources(actor_rank)
    )
    request = (
        f"# Report\n{fence(raw, 'report')}\n\n# Wrong\n"
        + "\n".join(wrong)
        + f"\n\n# Evidence\n{fence(known, 'list')}\n"
    )
    return await unit.write("citations", [unit.bare("citation_fix"), HumanMessage(request)])
