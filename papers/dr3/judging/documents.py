"""The documents that a report cites by address and by name of file, never by title. Those that its task needs, and distractors.

A page or a place of a file counts for all of it, once. Only what is cited in the text counts: a list at the end cites nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from urllib.parse import urldefrag

from drr.citations.addresses import canonical_url
from drr.citations.files import SCHEME, file_address, file_place
from drr.citations.parse import parse
from drr.papers.dr3.judging.rows import DocumentRow
from drr.papers.dr3.truth import KnownPage, TaskFact


def document_rows(
    report: str, facts: Iterable[TaskFact], files: Iterable[str], pages: Iterable[KnownPage]
) -> list[DocumentRow]:
    """List the required documents, then the distractors that are cited."""
    cited = {document_id(marker.url) for marker in parse(report).markers if marker.url is not None}
    found = [
        DocumentRow(id=name, role="file", cited=name in cited)
        for name in dict.fromkeys(map(file_address, (*files, *_files_of(facts))))
    ]
    known = [(document_id(page.url), page.kind) for page in pages]
    found += [
        DocumentRow(id=name, role="page", cited=name in cited) for name, kind in known if kind == "supportive"
    ]
    found += [
        DocumentRow(id=name, role="distractor", cited=True)
        for name, kind in known
        if kind == "distractor" and name in cited
    ]
    return found


def document_id(address: str) -> str:
    """Identify the whole document that an address is in."""
    place = file_place(canonical_url(address))
    return file_address(place.name) if place is not None else urldefrag(canonical_url(address)).url


def _files_of(facts: Iterable[TaskFact]) -> Iterator[str]:
    """Yield the names of the files that facts stand in."""
    for fact in facts:
        for place in fact.places:
            if (
                place.address.startswith(SCHEME)
                and (named := file_place(canonical_url(place.address))) is not None
            ):
                yield named.name
