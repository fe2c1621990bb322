"""Runs one variant on one question and returns the record of its answer."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, NotRequired, TypedDict

from drr.agents import brief
from drr.agents.answers import conversations, failure_of, key_prompts, run_agent
from drr.agents.architecture import BUILT_IN, Variant
from drr.agents.base import (
    PROFILE,
    SUMMARISER,
    WS,
    AnswerRecord,
    CitationRepair,
    Ending,
    Limits,
    Listener,
    ResearchRecord,
    ToolCall,
    ToolSchema,
    Transcript,
    ignore_event,
)
from drr.agents.brief import AskedForm, ProfileFacts
from drr.agents.evidence import PageSummaries, StepLog, actor_rank
from drr.agents.run_state import MAIN, AgentRun, Allowance, CallTool
from drr.env.errors import DrrError, Misuse
from drr.env.person_setting import RECORDS, Given, Setting
from drr.env.plugins import prompt_folders
from drr.env.profile import build_profile
from drr.env.source import Source, text_hash
from drr.env.world import World
from drr.llm.meter import Meter
from drr.llm.prompts import Prompts
from drr.llm.role import RoleModel
from drr.llm.text import Vision, is_shown_pictures, plain_messages
from drr.tools import registry as tools
from drr.tools.base import ToolAnswer, ToolContext
from drr.tools.spec import Tool
from drr.tools.utility import is_address
from drr.wording.currency import DOLLARS, Currency

PERSON = "person"
"""The prompt that adds the facts given of the person to the question."""
FOLDER = Path(__file__).parent / "prompts"


@dataclass(frozen=True, kw_only=True)
class AgentOptions:
    """Settings of a study that decide an answer beside the variant; all of them enter the unit's key."""

    limits: Limits | None = None
    """Limits of the run; `None` means those that the architecture declares."""
    references: bool = True
    """True where Plan-to-Function may use an earlier call's result in a later call (`$1.items[0].product_id`)."""
    citation_repair: CitationRepair = "off"
    top_k: int = 5
    vision: Vision = "auto"
    """Control of pictures in `view_image`; `auto` shows them where the model's maker says that the model takes them."""
    long_context: bool = False
    """True where an agent with search sub-agents gets all frozen pages in its context instead of searching them."""
    page_warning: bool = True
    """True where sub-agents are warned of outdated, one-sided or wrong pages. The prompts carry this setting into the key."""
    text_calls: bool = False
    """True where calls that a model writes out as text, in the plain form, are read as calls."""
    reason: bool = True
    """True where ReAct and Hybrid-ReAct have the tool `reason`. Each call of that tool reads the whole context again."""
    form: AskedForm = False
    """The form in the answer by which code checks it. The prompts that ask for the form carry this setting into the key."""

    @classmethod
    def paper(cls, **changes: Any) -> AgentOptions:
        """Return the options with which the paper ran its agents, as far as they are known."""
        return cls(**{"references": False, "citation_repair": "off", "top_k": 5, **changes})

    def limits_of(self, variant: Variant) -> Limits:
        return self.limits or variant.architecture.limits


def load_prompts(override: Path | None = None) -> Prompts:
    return Prompts(FOLDER, override, beside=prompt_folders("agent"))


def schemas(names: tuple[str, ...] | None = None, money: Currency = DOLLARS) -> tuple[ToolSchema, ...]:
    """Return the descriptions of the named tools for a model (`None`: the nine). They are the same objects each time."""
    every = tools.TOOLS if names is None else names
    return _schemas(tuple(tool.in_currency(money) for tool in tools.EVERY.values() if tool.name in every))


@lru_cache(64)
def _schemas(chosen: tuple[Tool, ...]) -> tuple[ToolSchema, ...]:
    named = [(tool.name, tool.description, tool.schema) for tool in chosen]
    return tuple(
        {"type": "function", "function": {"name": n, "description": d, "parameters": s}} for n, d, s in named
    )


def tools_of(variant: Variant, offered: Sequence[str]) -> tuple[str, ...]:
    """Return the tools offered by a world that the architecture uses. A declared tool that exists nowhere is an error."""
    wanted = variant.architecture.tools
    if wanted is None:
        return tuple(offered)
    if strangers := sorted(set(wanted) - set(tools.EVERY)):
        raise Misuse(f"variant {variant.name!r} declares tools that do not exist: {', '.join(strangers)}")
    return tuple(name for name in offered if name in wanted or name in tools.OWN)


class AgentKey(TypedDict):
    """The part of a unit's key that identifies the agent and its settings."""

    variant: str
    version: str
    prompts: dict[str, str]
    """Hashes of the prompts by name."""
    limits: dict[str, int | float | None]
    references: bool
    citation_repair: CitationRepair
    top_k: int
    tools: str
    reason: NotRequired[Literal["off"]]
    """Present only where the tool `reason` is left out, so that older keys stay the same."""
    text_calls: NotRequired[Literal["parse"]]
    setting: NotRequired[str]
    """The setting's name where it is not `records`, which was the only setting once."""
    long_context: NotRequired[Literal["on"]]


def agent_prompts(
    variant: Variant,
    options: AgentOptions,
    prompts: Prompts,
    setting: Setting = RECORDS,
    offered: Collection[str] = tuple(tools.TOOLS),
    money: Currency = DOLLARS,
    language: str | None = None,
) -> Prompts:
    """Return the prompts with the wording that fits the agent's tools and settings, and its shop's currency and language."""
    with_files, with_shop = "list_files" in offered, "product_catalog_search" in offered
    if money != DOLLARS:
        prompts = prompts.reworded({name: money.in_prompt(prompts[name].written) for name in prompts.names})
    # A world with neither shop nor files describes itself through its own tools.
    without_shop = with_files and not with_shop
    choices = {
        **(brief.WITHOUT_REASON if _has_no_reason(variant, options) else {}),
        **({} if options.page_warning else brief.WITHOUT_PAGE_WARNING),
        **(brief.WITHOUT_RECORDS if without_shop or not setting.has_records else {}),
        **(brief.WITHOUT_SHOP if without_shop else {}),
        **(brief.WITH_FILES if with_files else {}),
        **(brief.WITH_PROFILE if variant.has(PROFILE) else {}),
        **(brief.OF_FILES if without_shop else {}),
        **(brief.asking_for_form(prompts, money, options.form) if options.form else {}),
        **(brief.asking_for_language(language) if language else {}),
    }
    return prompts.chosen(choices) if choices else prompts


def shows_pictures(variant: Variant, model: str | None, vision: Vision) -> bool:
    """Tell whether pictures are shown to a variant, where `model` plays the role that looks at them."""
    if variant.architecture.sees:
        return vision != "no"
    return model is not None and is_shown_pictures(model, vision)


def vision_key(variant: Variant, offered: Sequence[str], model: str, vision: Vision) -> dict[str, str]:
    """Return the key's field for pictures, only where the user's choice differs from the default of the model's maker."""
    who = model if variant.architecture.looks in variant.roles else None
    decides = shows_pictures(variant, who, vision) != shows_pictures(variant, who, "auto")
    return {"vision": vision} if decides and "view_image" in tools_of(variant, offered) else {}


def _has_no_reason(variant: Variant, options: AgentOptions) -> bool:
    return "reason" in variant.architecture.settings and not options.reason


def key_fields(
    variant: Variant,
    options: AgentOptions,
    prompts: Prompts,
    offered: Sequence[str] = tuple(tools.TOOLS),
    setting: Setting = RECORDS,
) -> AgentKey:
    """Return the fields of the agent in the unit's key. The question, user, trial, models and world are further fields."""
    names = [*variant.prompts, *key_prompts(prompts, options.limits_of(variant))]
    if options.citation_repair == "ask":
        names.append("citation_fix")
    if setting.has_persona or setting.has_context:
        names.append(PERSON)
    fields: AgentKey = {
        "variant": variant.name,
        "version": variant.version,
        "prompts": agent_prompts(variant, options, prompts, setting, offered).hashes(names),
        "limits": options.limits_of(variant).key(),
        "references": options.references,
        "citation_repair": options.citation_repair,
        "top_k": options.top_k,
        "tools": text_hash(json.dumps(schemas(tools_of(variant, offered)), sort_keys=True)),
    }
    if _has_no_reason(variant, options):
        fields["reason"] = "off"
    if options.text_calls and "text_calls" in variant.architecture.settings:
        fields["text_calls"] = "parse"
    if options.long_context and "long_context" in variant.architecture.settings:
        fields["long_context"] = "on"
    if setting != RECORDS:
        fields["setting"] = setting.name
    return fields


async def run_variant(
    variant: Variant,
    query: str,
    *,
    world: World,
    models: Mapping[str, RoleModel],
    meter: Meter,
    prompts: Prompts,
    options: AgentOptions | None = None,
    listener: Listener = ignore_event,
    on_failure: Callable[[ResearchRecord], None] = lambda gathered: None,
    query_id: str | None = None,
    now: Callable[[], float] = time.monotonic,
    given: Given | None = None,
) -> AnswerRecord:
    """Run one variant on one question and return its answer's record. `ModelFailure` and errors of this program end the unit without a report.

    Before such an end `on_failure` gets the record so far, because its calls were paid for.
    `world` belongs to this unit alone (writes to its session, if it has one, are recorded and seen by no other unit); `models` has one model for
    each of the variant's roles, and all of them report to `meter`. `given` is the data on the person that the agent gets: by default the records.
    """
    options, given = options or AgentOptions(), given or Given()
    withheld = world.user_id is None and world.session is not None
    if withheld if given.setting.has_records else world.user_id is not None:
        raise ValueError(f"the setting {given.setting.name} and the user {world.user_id!r} do not agree")
    allowance = Allowance(options.limits_of(variant), meter, now, now())
    run = _run_of(variant, query, world, models, prompts, options, allowance, listener, given)
    run.outside.query_id = query_id
    try:
        ending, none = await run_agent(run, variant, variant.architecture.load())
        record = await _finish(run, variant, ending, options, world)
    except Exception:
        on_failure(ResearchRecord(**_gathered(run, variant, world)))
        raise
    finally:
        await run.aclose()
    if none is None:
        return record
    on_failure(record.model_copy(update={"stop_reason": none}))
    raise failure_of(none, variant, ending, record.tool_calls)


def _run_of(
    variant: Variant,
    query: str,
    world: World,
    models: Mapping[str, RoleModel],
    prompts: Prompts,
    options: AgentOptions,
    allowance: Allowance,
    listener: Listener,
    given: Given,
) -> AgentRun:
    names, looks, shop = tools_of(variant, world.tools), variant.architecture.looks, ToolContext(world)
    money = shop.money
    seer = models[looks].name if looks in variant.roles else None
    sees = shows_pictures(variant, seer, options.vision)
    run = AgentRun(
        query=query,
        user_id=world.user_id,
        as_of=world.today.isoformat(),
        models={role: models[role] for role in variant.roles},
        prompts=agent_prompts(variant, options, prompts, given.setting, world.tools, money, shop.language),
        allowance=allowance,
        steps=StepLog(allowance.elapsed),
        tools=ToolContext(world, options.top_k, sees=sees, asked=query),
        call_tool=tools.call,
        schemas=schemas(names, money),
        names=frozenset(names),
        options=variant.options,
        settings={name: getattr(options, name) for name in {*variant.architecture.settings, "form"}},
        person=given.text,
        listener=listener,
    )
    if variant.has(WS):
        summaries = PageSummaries(
            web=world.web,
            model=models[SUMMARISER],
            prompts=prompts,
            page_chars=run.limits.page_chars,
            at_once=run.limits.page_reads,
            opening=lambda url: run.tell("page", MAIN, url),
            on_page=run.ledger.add_page,
            steps=run.steps,
        )
        run.call_tool, run.aclose = _with_summaries(summaries), summaries.aclose
    if variant.has(PROFILE):
        run.profile = _profile_facts(run, world)
    return run


def _with_summaries(summaries: PageSummaries) -> CallTool:
    async def call(name: str, arguments: Mapping[str, Any], context: ToolContext) -> ToolAnswer:
        answer = await tools.call(name, arguments, replace(context, whole=False))
        if name != "web_search" or not answer.sources or is_address(str(arguments["query"])):
            return answer
        return await summaries.improve(answer, str(arguments["query"]), context)

    return call


def _profile_facts(run: AgentRun, world: World) -> ProfileFacts:
    """Return the shopper's profile facts for researchers, and record them as a source that can be cited."""
    if world.session is None or run.user_id is None:
        raise DrrError(
            "no shopper's records may be read here, so there is no profile to hand on; leave +profile out"
        )
    summary = build_profile(world.session.shop.store, run.user_id, run.as_of, run.tools.money)
    facts = ProfileFacts(summary, f"user://{run.user_id}/profile", run.tools.money)
    run.ledger.add(MAIN, [Source(url=facts.url, type="user", title="Profile summary", seen=facts.seen)])
    return facts


async def _finish(
    run: AgentRun, variant: Variant, ending: Ending, options: AgentOptions, world: World
) -> AnswerRecord:
    from drr.agents.citation_repair import read_in_run, repair_citations
    from drr.citations.parse import without_form
    from drr.citations.repair import dangling_ids, unknown_urls

    raw, form = without_form(ending.report)
    cited = await read_in_run(run, raw)
    made_up = unknown_urls(cited, run.ledger.knows)
    mended = await repair_citations(run, raw, cited, made_up, options.citation_repair)
    report, removed = mended.report, mended.removed
    written = cited if report == raw else await read_in_run(run, report)
    left = unknown_urls(written, run.ledger.knows)
    made_up = list(dict.fromkeys([*made_up, *mended.made_up, *left]))
    usage, seconds = run.allowance.meter.as_json(), run.allowance.now() - run.allowance.started
    shop_url = None if world.session is None else world.session.shop.shop_url
    # Pages change; judges read what stood there when the report was written.
    await run.ledger.freeze([s.address for s in (*cited.sources, *written.sources)], world.web, shop_url)
    return AnswerRecord(
        **_gathered(run, variant, world),
        raw_report=raw,
        report=report,
        form=form,
        words=len(report.split()),
        citation_repair=options.citation_repair,
        removed_citations=removed,
        dangling=[int(name) for name in dangling_ids(cited) if name.isdecimal()],
        fabricated=run.ledger.fabricated_records(made_up),
        stop_reason=ending.stop_reason,
        usage=usage,
        seconds=seconds,
    )


def _gathered(run: AgentRun, variant: Variant, world: World) -> dict[str, Any]:
    """Return the fields of `ResearchRecord`, which checks their types."""
    own = run.outside.own or ""
    outside = {role for role in run.models if run.outside.plays(role, run.allowance.meter)}
    wrote = run.models if variant.architecture.origin == BUILT_IN else run.allowance.meter.by_role
    return {
        "variant": variant.name,
        "version": variant.version,
        "query": run.query,
        "user_id": run.user_id,
        "models": {role: own if role in outside else model.name for role, model in run.models.items()},
        "rule_written": any(run.models[role].rule_written for role in {*wrote} & run.models.keys() - outside),
        "sources": run.ledger.sources(actor_rank),
        "tool_calls": _numbered(run),
        "failures": sorted(run.failures, key=lambda failure: actor_rank(failure.researcher)),
        "notes": sorted([*run.notes, *_raised(run)]),
        "stderr": run.outside.stderr,
        "steps": run.steps.ordered_steps(),
        "state_changes": world.session.changes() if world.session else [],
        "transcripts": [
            Transcript(name=name, messages=plain_messages(messages))
            for name, messages in sorted(conversations(run).items())
        ],
    }


def _raised(run: AgentRun) -> list[str]:
    return [
        f"{role}: {usage.raised} answers were cut at the limit of output tokens, and asked for again with a higher one"
        for role, usage in run.allowance.meter.by_role.items()
        if usage.raised
    ]


def _numbered(run: AgentRun) -> list[ToolCall]:
    ordered = [call for actor in sorted(run.calls, key=actor_rank) for call in run.calls[actor]]
    return [call.model_copy(update={"number": number}) for number, call in enumerate(ordered, 1)]
