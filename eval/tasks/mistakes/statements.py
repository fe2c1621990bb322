"""The statements of a report to be read. Its sentences, items, rows and headings, and whatever line beside them states something too.

Entries of a list of sources that name what they lead to, heads of tables with figures or links, text that is set as code: no claim is cited by
them, and readers of the report see them all the same.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from drr.citations.addresses import canonical_url
from drr.citations.hidden import blank, comments
from drr.citations.parse import Citations
from drr.eval.checks.base import PRODUCT_ID
from drr.eval.evidence.claims import ReportSentence, sentences_of

_ADDRESS = re.compile(r"[a-z]{3,5}://[^\s<>()\[\]|]+", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]{2,}")
_TABLE = re.compile(r"[ \t]*+\|")
_LOOKED_UP = re.compile(r"\d|\]\(")


def statements_of(report: str, citations: Citations) -> list[ReportSentence]:
    """List the statements in the order of the report."""
    found = sentences_of(report, citations)
    return sorted([*found, *_beside(report, found)], key=lambda one: one.start)


def _beside(report: str, found: Sequence[ReportSentence]) -> Iterator[ReportSentence]:
    """Lines that no statement touches."""
    shown = blank(report, comments(report))
    ends = sorted(one.end for one in found)
    starts = sorted(one.start for one in found)
    start = 0
    for line in shown.splitlines(keepends=True):
        end = start + len(line.rstrip())
        untouched = bisect_left(starts, end) == bisect_left(ends, start + 1)
        if untouched and _says_something(line):
            urls = tuple(map(canonical_url, _ADDRESS.findall(line)))
            yield ReportSentence(line.strip(), start, end, "text", -1, urls)
        start += len(line)


def _says_something(line: str) -> bool:
    """Two words besides addresses and ids; of a head of a table only if there is something to look up."""
    bare = PRODUCT_ID.sub("", _ADDRESS.sub("", line))
    return len(_WORD.findall(bare)) > 1 and not (_TABLE.match(line) and not _LOOKED_UP.search(line))
