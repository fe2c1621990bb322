"""Studies of answers: from queries, variants and trials to units, and from an agent's record to what the ledger keeps."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from drr.agents.base import Gathered
    from drr.agents.registry import Variant
    from drr.agents.runner import AgentOptions
    from drr.env.query import Query
    from drr.env.settings import Settings
    from drr.env.shop import Shop
    from drr.env.web.base import WebSearch
    from drr.llm.factory import Models
    from drr.llm.prompts import Prompts
    from drr.study.run import Context
    from drr.study.unit import Outcome, Unit


@dataclass(frozen=True)
class AnswerBench:
    """What every unit of a study of answers shares."""

    shop: Shop
    web: WebSearch
    models: Models
    prompts: Prompts
    options: AgentOptions
    settings: Settings

    def units(self, queries: Iterable[Query], variants: Sequence[Variant], trials: int) -> list[Unit]:
        """Trial by trial and query by query, so that a study that stops early has compared like with like."""
        queries = list(queries)
        return [
            self._unit(query, variant, trial)
            for trial in range(trials)
            for query in queries
            for variant in variants
        ]

    def _unit(self, query: Query, variant: Variant, trial: int) -> Unit:
        from drr.agents.runner import key_fields
        from drr.study.unit import Unit

        fields = {
            **key_fields(variant, self.options, self.prompts),
            "query_id": query.id,
            "query": query.query,
            "user_id": query.user_id,
            "trial": trial,
            "models": {role: self.models.name_of(role) for role in roles_of([variant])},
            "max_tokens": self.settings.model_max_tokens,
            "shop": self.shop.manifest.content_hash,
            "shop_url": self.settings.shop_url,
            "web": {"name": self.web.name, "content_hash": self.web.content_hash},
            "page_reader": self.settings.page_reader,
        }
        spec = {
            "query_id": query.id,
            "query": query.query,
            "user_id": query.user_id,
            "variant": variant.name,
            "trial": trial,
        }
        return Unit("answer", fields, spec, f"{query.id}/{variant.name}/{trial}")

    async def answer(self, spec: Mapping[str, Any], context: Context) -> Outcome:
        """The work of one unit."""
        from drr.agents import registry, runner
        from drr.env.session import Session
        from drr.offline.agents import policies as offline

        record = await runner.run_variant(
            registry.variant(spec["variant"]),
            spec["query"],
            session=Session(self.shop, spec["user_id"]),
            web=self.web,
            agent=context.models.role("agent", offline.agent_policy),
            summariser=context.models.role("summariser", offline.summariser_policy),
            meter=context.meter,
            prompts=self.prompts,
            options=self.options,
            on_failure=lambda gathered: context.keep(kept(gathered, spec)),
        )
        return kept(record, spec)


def roles_of(variants: Iterable[Variant]) -> list[str]:
    """The roles whose models these variants call."""
    return ["agent", *(["summariser"] if any(variant.ws for variant in variants) else [])]


def kept(record: Gathered, spec: Mapping[str, Any]) -> Outcome:
    """Facts into the result, texts into blobs: reports, conversations, and the evidence, each text once per study."""
    from drr.agents.base import AnswerRecord
    from drr.study.evidence import pack
    from drr.study.unit import Outcome

    facts = record.model_dump(
        mode="json",
        exclude={"report", "raw_report", "transcripts", "sources", "usage", "tool_calls", "fabricated"},
    )
    rows, blobs = pack(record.sources)
    calls = []
    for call in record.tool_calls:
        calls.append(call.model_dump(mode="json", exclude={"result"}))
        blobs[f"text:{call.result_sha256}"] = call.result
    conversations = [transcript.model_dump(mode="json") for transcript in record.transcripts]
    blobs["transcript"] = json.dumps(conversations, ensure_ascii=False, indent=1)
    facts |= {"query_id": spec["query_id"], "trial": spec["trial"], "tool_calls": calls, "sources": rows}
    if isinstance(record, AnswerRecord):
        facts["fabricated"] = []
        for one in record.fabricated:
            digest = _hash(one.page)
            facts["fabricated"].append(
                {"url": one.url, "page_status": one.page_status, "page_sha256": digest}
            )
            if one.page is not None:
                blobs[f"text:{digest}"] = one.page
        blobs |= {"report": record.report, "raw_report": record.raw_report}
    return Outcome(facts, blobs)


def _hash(text: str | None) -> str | None:
    from drr.env.source import text_hash

    return None if text is None else text_hash(text)


def options_of(settings: Settings, changes: Mapping[str, Any]) -> AgentOptions:
    """The agents' options: `paper` or default, with what the user gave for this study in their place."""
    from drr.agents.base import Limits
    from drr.agents.runner import AgentOptions

    base = AgentOptions.paper() if settings.profile == "paper" else AgentOptions()
    limits = replace(base.limits, **changes.get("limits", {})) if changes.get("limits") else base.limits
    assert isinstance(limits, Limits)
    given = {
        name: changes[name] for name in ("references", "citation_repair") if changes.get(name) is not None
    }
    return replace(base, limits=limits, top_k=settings.web_top_k, **given)
