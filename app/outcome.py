"""The ledger's form of an answer: facts in the result, texts as blobs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from drr.env.given import RECORDS

if TYPE_CHECKING:
    from drr.agents.base import Gathered
    from drr.app.specs import AnswerSpec
    from drr.env.given import Given
    from drr.study.unit import Outcome


def kept(record: Gathered, spec: AnswerSpec, given: Given | None = None) -> Outcome:
    """Facts into the result, texts into blobs: reports, conversations, and the evidence, each text once per study."""
    from drr.agents.base import BROKEN_OFF, AnswerRecord
    from drr.study.evidence import pack
    from drr.study.unit import Outcome

    facts = record.model_dump(
        mode="json",
        exclude={
            "report",
            "raw_report",
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
    return Outcome(facts, blobs)


def _hash(text: str | None) -> str | None:
    from drr.env.source import text_hash

    return None if text is None else text_hash(text)
