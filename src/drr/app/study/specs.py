"""Maps answer records to the study's units: specification, facts and texts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NotRequired, TypedDict

from drr.agents.base import BROKEN_OFF, AnswerRecord, ResearchRecord
from drr.agents.brief import AskedForm
from drr.env.checkable import asks_for_findable
from drr.env.json_object import JsonObject
from drr.env.person_setting import RECORDS, Given, Setting, setting_of, system_of
from drr.env.query import Query
from drr.env.reach import WHOLE, Reach, reach_of, system_with_reach
from drr.env.source import text_hash
from drr.study.evidence import pack_sources
from drr.study.unit import Outcome

if TYPE_CHECKING:
    from drr.agents.architecture import Variant
    from drr.env.overlay import Stress


class AnswerSpec(TypedDict):
    """The part of an answer unit's specification that is not shared with other units."""

    query_id: str
    query: str
    user_id: str
    variant: str
    """Name of the answering system: the variant, joined with the setting and the reach where these are not the defaults."""
    trial: int
    agent: NotRequired[str]
    """Name of the variant alone; present only together with `setting` or `reach`."""
    setting: NotRequired[str]
    person_id: NotRequired[str]
    task_id: NotRequired[str]
    """Id of the task with files; present together with `size`, the label of the frozen pages that the question is asked over."""
    size: NotRequired[str]
    reach: NotRequired[str]
    """Name of the way in which the agent reaches the frozen pages; present together with `agent`. Absent: all pages, by search."""
    form: NotRequired[AskedForm]
    """The form by which code checks the answer. Unit keys hold the prompts that ask for the form instead of this field."""
    least: NotRequired[int]
    """Calls of the shortest plan that proves the answer. Unit keys hold the limit that follows from it."""
    stress: NotRequired[Stress]
    """Change under which the question is asked (`drr study stress`)."""


def spec_of(query: Query, agent: str, trial: int, setting: Setting, reach: Reach = WHOLE) -> AnswerSpec:
    """Return the specification of one answer. Under the setting `records` it has the fields of earlier versions, so that finished units stay finished."""
    spec = AnswerSpec(
        query_id=query.id,
        query=query.query,
        user_id=query.user_id,
        variant=system_with_reach(system_of(agent, setting), reach),
        trial=trial,
    )
    if setting != RECORDS:
        spec |= {"agent": agent, "setting": setting.name}
        if query.person_id is not None:
            spec["person_id"] = query.person_id
    if reach != WHOLE:
        spec |= {"agent": agent, "reach": reach.name}
    if query.size is not None:
        spec |= {"task_id": query.task_id or query.id, "size": query.size}
    if asks_for_findable(query.checkable):
        spec["form"] = "points" if query.checkable.points else True
        if query.checkable.least is not None:
            spec["least"] = query.checkable.least
    return spec


def spec_in_key(spec: AnswerSpec, variant: Variant) -> JsonObject:
    """Return the specification as the unit's key holds it: without what other key fields name or follow from them."""
    fields = {name: value for name, value in spec.items() if name not in ("form", "least")}
    if variant.model is None:
        return fields
    # The model is a field of its own in the key: a unit is the same among several models as alone.
    named = {"variant": variant.bare_name + spec["variant"].removeprefix(variant.name)}
    return {**fields, **named, **({"agent": variant.bare_name} if "agent" in spec else {})}


def agent_in(spec: Mapping[str, Any]) -> str:
    """Return the name of the variant that answers."""
    return str(spec.get("agent") or spec["variant"])


def reach_in(spec: Mapping[str, Any]) -> Reach:
    return reach_of(spec.get("reach") or WHOLE.name)


def setting_in(spec: Mapping[str, Any]) -> Setting:
    return setting_of(spec.get("setting") or RECORDS.name)


def split_record(record: ResearchRecord, spec: AnswerSpec, given: Given | None = None) -> Outcome:
    """Split a record into facts for the ledger and texts for blobs. Reports, conversations and evidence are blobs, each text stored once per study.

    Usage is in neither: the ledger has it in a column of its own, from the meter.
    """
    facts = record.model_dump(
        mode="json",
        exclude={
            "report",
            "raw_report",
            "form",
            "transcripts",
            "sources",
            "usage",
            "tool_calls",
            "fabricated",
            "stderr",
        },
    )
    rows, blobs = pack_sources(record.sources)
    calls = []
    for call in record.tool_calls:
        calls.append(call.model_dump(mode="json", exclude={"result"}))
        blobs[f"text:{call.result_sha256}"] = call.result
    conversations = [transcript.model_dump(mode="json") for transcript in record.transcripts]
    blobs["transcript"] = json.dumps(conversations, ensure_ascii=False, indent=1)
    facts |= {"query_id": spec["query_id"], "trial": spec["trial"], "tool_calls": calls, "sources": rows}
    if record.stderr:
        blobs["stderr"] = record.stderr
    if given is not None and given.setting != RECORDS:
        facts |= {**given.facts, "variant": spec["variant"]}
    if isinstance(record, AnswerRecord):
        # Kept as decided now, so that readers need no list of reasons and another list changes no old answer.
        if record.stop_reason in BROKEN_OFF:
            facts["broken_off"] = record.stop_reason
        facts["fabricated"] = []
        for one in record.fabricated:
            digest = None if one.page is None else text_hash(one.page)
            facts["fabricated"].append(
                {"url": one.url, "page_status": one.page_status, "page_sha256": digest}
            )
            if one.page is not None:
                blobs[f"text:{digest}"] = one.page
        blobs |= {"report": record.report, "raw_report": record.raw_report}
        if record.form is not None:
            blobs["form"] = record.form
    return Outcome(facts, blobs)
