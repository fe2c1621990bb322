"""What agents need of citations: which URLs a report cites, which numbers lead nowhere, and how to take some out.

The full parser of every citation form lives in `eval`; this one reads the form that our prompts ask for (`[n]` with a
numbered list at the end) plus links, because models write those too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from urllib.parse import urlsplit, urlunsplit

_HEADING = re.compile(
    r"^\s{0,3}(?:#{1,6}\s*|\*\*|__)?\s*(?:\d+[.)]\s*)?"
    r"(?:sources?|references?|citations?|works cited|bibliography)\s*:?\s*(?:\*\*|__)?\s*:?\s*#*\s*$",
    re.IGNORECASE | re.MULTILINE,
)
_ENTRY = re.compile(r"^\s{0,3}(?:[-*+]\s+)?(?:\[\^?(\d{1,3})\]:?|(\d{1,3})[.)])\s*(.*)$")
_URL = re.compile(r"(?:https?|user)://[^\s<>\"'`\]\[{}|\\^]+", re.IGNORECASE)
_MARKER = re.compile(
    r"(?<![\w\]])((?:\[\^?\d{1,3}(?:\s*[,;]\s*\^?\d{1,3})*\](?!\())+)|(?<=\w)((?:\[\d{1,3}(?:\s*[,;]\s*\d{1,3})*\](?!\())+)"
)
_GROUP = re.compile(r"\[([^\]]*)\]")
_LINK = re.compile(
    r"\[([^\]\[]*(?:\[[^\]\[]*\][^\]\[]*)*)\]\(\s*<?((?:https?|user)://[^\s<>)]+)>?[^)\n]*\)", re.IGNORECASE
)
_FENCE = re.compile(r"^(```|~~~).*?^\1\s*$", re.MULTILINE | re.DOTALL)


def canonical(url: str) -> str:
    """The form in which two spellings of one address are compared."""
    trimmed = _trim(url.strip())
    try:
        parts = urlsplit(trimmed)
    except ValueError:  # no address at all: it equals itself only
        return trimmed
    return urlunsplit((parts.scheme.lower(), parts.netloc.lower(), parts.path.rstrip("/"), parts.query, ""))


@dataclass(frozen=True)
class Citations:
    """`entries` are the numbered list, `numbers` the marks in the text above it, `urls` every address in order."""

    entries: dict[int, str | None]
    numbers: list[int]
    urls: list[str]

    @property
    def dangling(self) -> list[int]:
        """Numbers that lead to no address."""
        return [n for n in dict.fromkeys(self.numbers) if self.entries.get(n) is None]


def read(report: str) -> Citations:
    """Every citation of a report; total on any text."""
    text = _without_fences(report)
    body, listed = _split(text)
    entries: dict[int, str | None] = {}
    for line in listed.splitlines():
        if entry := _ENTRY.match(line):
            found = _URL.search(entry[3])
            entries.setdefault(int(entry[1] or entry[2]), _trim(found[0]) if found else None)
    numbers = [n for match in _MARKER.finditer(body) for n in _numbers(match[0])]
    urls = list(dict.fromkeys(_trim(match[0]) for match in _URL.finditer(text)))
    return Citations(entries, numbers, urls)


def unknown_urls(citations: Citations, known: Callable[[str], bool]) -> list[str]:
    """Cited addresses that no tool returned, one spelling each."""
    seen: dict[str, str] = {}
    for url in citations.urls:
        if not known(url):
            seen.setdefault(canonical(url), url)
    return list(seen.values())


def remove(report: str, urls: Collection[str]) -> str:
    """The report without the citations of these addresses and without numbers that lead nowhere.

    Only marks, links and list entries go: the sentences stay, now visibly uncited, because what a report claims is not
    this function's to change.
    """
    bad_urls = {canonical(url) for url in urls}
    found = read(report)
    bad = {n for n, url in found.entries.items() if url is not None and canonical(url) in bad_urls}
    bad.update(found.dangling)
    if not bad and not bad_urls:
        return report
    body, listed = _split(report)

    def marks(match: re.Match[str]) -> str:
        groups = []
        for group in _GROUP.findall(match[0]):
            kept = [
                part.strip() for part in re.split(r"[,;]", group) if int(part.strip().lstrip("^")) not in bad
            ]
            if kept:
                groups.append(f"[{', '.join(kept)}]")
        return "".join(groups)

    def link(match: re.Match[str]) -> str:
        if canonical(match[2]) not in bad_urls:
            return match[0]
        return "" if re.fullmatch(r"[\[(]?\d{1,3}[\])]?", match[1]) else match[1]

    def bare(match: re.Match[str]) -> str:
        url = _trim(match[0])
        return match[0][len(url) :] if canonical(url) in bad_urls else match[0]

    pieces = []
    last = 0
    for fence in _FENCE.finditer(body):
        pieces += [_cleaned(body[last : fence.start()], marks, link, bare), fence[0]]
        last = fence.end()
    pieces.append(_cleaned(body[last:], marks, link, bare))
    entries = [line for line in listed.splitlines(keepends=True) if not _names_bad(line, bad, bad_urls)]
    return "".join(pieces) + "".join(entries)


def _cleaned(
    text: str,
    marks: Callable[[re.Match[str]], str],
    link: Callable[[re.Match[str]], str],
    bare: Callable[[re.Match[str]], str],
) -> str:
    changed = _URL.sub(bare, _MARKER.sub(marks, _LINK.sub(link, text)))
    return (
        changed
        if changed == text
        else re.sub(r"(?<=\S)[ \t]+(?=[.,;:!?)](?:\s|$))|[ \t]+$", "", changed, flags=re.MULTILINE)
    )


def _names_bad(line: str, bad: set[int], bad_urls: set[str]) -> bool:
    entry = _ENTRY.match(line)
    if entry and int(entry[1] or entry[2]) in bad:
        return True
    found = _URL.search(line)
    return found is not None and canonical(found[0]) in bad_urls


def _split(report: str) -> tuple[str, str]:
    """The text and its closing list of sources: from the last heading of that kind, else from the first closing entry."""
    headings = list(_HEADING.finditer(report))
    if headings:
        return report[: headings[-1].start()], report[headings[-1].start() :]
    lines = report.splitlines(keepends=True)
    start = len(lines)
    while start and (
        not lines[start - 1].strip() or (_ENTRY.match(lines[start - 1]) and _URL.search(lines[start - 1]))
    ):
        start -= 1
    return "".join(lines[:start]), "".join(lines[start:])


def _without_fences(text: str) -> str:
    return _FENCE.sub(lambda match: "\n" * match[0].count("\n"), text)


def _numbers(markers: str) -> list[int]:
    return [
        int(part.strip().lstrip("^"))
        for group in _GROUP.findall(markers)
        for part in re.split(r"[,;]", group)
    ]


def _trim(url: str) -> str:
    """Without the punctuation of the sentence around it; a closing bracket stays where the address opened one."""
    while url and (url[-1] in ".,;:!?*_'\"" or (url[-1] == ")" and url.count("(") < url.count(")"))):
        url = url[:-1]
    return url
