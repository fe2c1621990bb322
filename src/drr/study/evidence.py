"""Stores the evidence of answers as blobs: each text and record is kept once in a study, whoever returned it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING

from drr.env.source import Source, text_hash
from drr.env.web.base import PageStatus
from drr.study.form import naming_errors
from drr.study.unit import canonical_json
from typing_extensions import TypedDict  # extended by the rows of the export

if TYPE_CHECKING:
    from drr.study.study import Study
    from drr.study.unit import Record


class PackedSource(TypedDict):
    """A source in a stored result, with hashes in place of its texts."""

    url: str
    type: str
    title: str | None
    sha256: str
    page_sha256: str | None
    page_status: PageStatus | None
    record_sha256: str | None


def pack_sources(sources: Iterable[Source]) -> tuple[list[PackedSource], dict[str, str]]:
    """Return the sources as rows for a result, and their texts for `Outcome.blobs`."""
    rows: list[PackedSource] = []
    blobs: dict[str, str] = {}
    for source in sources:
        record = None if source.record is None else canonical_json(source.record)
        rows.append(
            {
                "url": source.url,
                "type": source.type,
                "title": source.title,
                "sha256": source.sha256,
                "page_sha256": source.page_sha256,
                "page_status": source.page_status,
                "record_sha256": None if record is None else text_hash(record),
            }
        )
        for text in (source.seen, source.page, record):
            if text is not None:
                blobs[f"text:{text_hash(text)}"] = text
    return rows, blobs


def unpack_sources(study: Study, record: Record) -> list[Source]:
    """Return the sources of a record with their texts, in the same order."""
    with naming_errors(f"the sources of {record.label!r}"):
        return [_source(study, record, row) for row in record.result.get("sources", [])]


def _source(study: Study, record: Record, row: PackedSource) -> Source:
    def text(digest: str | None) -> str | None:
        return None if digest is None else study.text(record, f"text:{digest}")

    kept = text(row["record_sha256"])
    return Source(
        url=row["url"],
        type=row["type"],
        title=row["title"],
        seen=text(row["sha256"]) or "",
        page=text(row["page_sha256"]),
        page_status=row["page_status"],
        record=None if kept is None else json.loads(kept),
    )
