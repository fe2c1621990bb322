"""Plain data of studies and their answers: what was asked, and what the ledger keeps."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NotRequired, TypedDict

from drr.agents.base import BROKEN_OFF, AnswerRecord, CitationRepair, Gathered
from drr.app.options import PooledTerms, ProgramTerms
from drr.env.checkable import finds
from drr.env.json_object import JsonObject
from drr.env.person_setting import RECORDS, Given, Setting, setting_of, system_of
from drr.env.query import Query
from drr.env.reach import WHOLE, Reach, reach_of, under
from drr.env.source import text_hash
from drr.study.evidence import pack
from drr.study.unit import Outcome

if TYPE_CHECKING:
    from drr.agents.architecture import Variant
    from drr.env.overlay import Stress


@dataclass(frozen=True, kw_only=True)
class RunConfig(PooledTerms, ProgramTerms):
    """The request to a study now. `None` keeps the study's own choice, or else the default."""

    study: Path
    shop: str | None = None
    queries: Path | None = None
    """A JSONL file."""
    frozen: Path | None = None
    """The folder of a frozen set, which brings questions and web."""
    variants: str | None = None
    """Names, separated by commas."""
    trials: int | None = None
    only: bool = False
    """True where only the units named now are computed."""
    limits: Mapping[str, float] = field(default_factory=dict)
    citation_repair: CitationRepair | None = None
    references: bool | None = None
    world: str | None = None
    place: str | None = None
    tasks: Path | None = None
    """A folder of tasks with files, which bring world, place and questions."""
    sizes: str | None = None
    reach: str | None = None
    long_context: bool = False
    with_shop: bool = False
    settings: str | None = None
    """Settings of the persons that agents are given, separated by commas."""
    persons: Path | None = None
    contexts: Path | None = None
    given: Mapping[str, object] = field(default_factory=dict)
    """Settings, by name."""
    trusted: Sequence[str] = ()
    """Addresses that a study or a file names and this user knows."""
    named_roles: Sequence[str] = ()
    """Roles that were given a model now."""

    @property
    def model(self) -> object:
        """The model, as a setting that is given now."""
        return self.given.get("model")

    @property
    def models(self) -> object:
        return self.given.get("models")


class AnswerSpec(TypedDict):
    """The part of a unit's work that it does not share with other units."""

    query_id: str
    query: str
    user_id: str
    variant: str
    """The system: the variant, with the setting under which it answers where that is not `records`."""
    trial: int
    agent: NotRequired[str]
    """The variant alone; with `setting`, where that is not `records`."""
    setting: NotRequired[str]
    person_id: NotRequired[str]
    task_id: NotRequired[str]
    """Task with files; with `size`, the frozen pages that the question is asked over."""
    size: NotRequired[str]
    reach: NotRequired[str]
    """Part of those pages that is reached, as the settings say; with `agent`. Absent: all of them, searched."""
    form: NotRequired[bool]
    """Code checks it by a form; only where that is so, and in keys by the prompts that ask for one."""
    stress: NotRequired[Stress]
    """Change under which it is asked (`drr study stress`)."""


class RunPlan(TypedDict):
    """The request to a study of answers; kept in its configuration under `run`."""

    shop: str | None
    variants: str
    trials: int
    limits: dict[str, int | float]
    citation_repair: CitationRepair | None
    references: bool | None
    world: NotRequired[str]
    """World other than the shop."""
    place: NotRequired[str]
    contexts: NotRequired[str]
    """Folder with what was gathered of the persons."""
    settings: NotRequired[str]
    """Settings of the person that its agents are given; absent: `records` alone."""
    reach: NotRequired[str]
    """Reach of the frozen pages; absent: `whole` alone."""
    set: NotRequired[str]
    """Label of the frozen set that it answers."""


def spec_of(query: Query, agent: str, trial: int, setting: Setting, reach: Reach = WHOLE) -> AnswerSpec:
    """Make the spec; under `records` as it was before there were settings, so that what is finished stays finished."""
    spec = AnswerSpec(
        query_id=query.id,
        query=query.query,
        user_id=query.user_id,
        variant=under(system_of(agent, setting), reach),
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
    if finds(query.checkable):
        spec["form"] = True
    return spec


def keyed(spec: AnswerSpec, variant: Variant) -> JsonObject:
    """The spec as its key has it: without the form and the model, which other fields name."""
    fields = {name: value for name, value in spec.items() if name != "form"}
    if variant.model is None:
        return fields
    named = {"variant": variant.bare_name + spec["variant"].removeprefix(variant.name)}
    return {**fields, **named, **({"agent": variant.bare_name} if "agent" in spec else {})}


def agent_in(spec: Mapping[str, Any]) -> str:
    """The variant that answers."""
    return str(spec.get("agent") or spec["variant"])


def reach_in(spec: Mapping[str, Any]) -> Reach:
    return reach_of(spec.get("reach") or WHOLE.name)


def setting_in(spec: Mapping[str, Any]) -> Setting:
    return setting_of(spec.get("setting") or RECORDS.name)


def kept(record: Gathered, spec: AnswerSpec, given: Given | None = None) -> Outcome:
    """Facts into the result, texts into blobs: reports, conversations, and the evidence, each text once per study."""
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
    rows, blobs = pack(record.sources)
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
        if record.stop_reason in BROKEN_OFF:
            facts["broken_off"] = record.stop_reason
        facts["fabricated"] = []
        for one in record.fabricated:
            digest = _hash(one.page)
            facts["fabricated"].append(
                {"url": one.url, "page_status": one.page_status, "page_sha256": digest}
            )
            if one.page is not None:
                blobs[f"text:{digest}"] = one.page
        blobs |= {"report": record.report, "raw_report": record.raw_report}
        if record.form is not None:
            blobs["form"] = record.form
    return Outcome(facts, blobs)


def _hash(text: str | None) -> str | None:
    return None if text is None else text_hash(text)
