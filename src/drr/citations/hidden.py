"""Finds the parts of a report that are not its text: code, remarks, formulas, images. They are replaced by spaces, so that offsets stay."""

from __future__ import annotations

import re

_FENCE = re.compile(r"^(?:[ \t]*>)*[ \t]*(?:[-*+][ \t]+)?(`{3,}|~{3,})([^\n`]*)$", re.M)
_PICTURE = re.compile(r"(?<!\\)!\[([^\[\]\n]{0,300})\](?:\[([^\[\]\n]{0,80})\])?(?![(:\[])")
_DEFINED = re.compile(r"^[ \t>]{0,9}\[([^\[\]\n^]{1,80})\]:[ \t]*\S[^\n]*", re.M)
_USED = re.compile(r"(?<!!)\[([^\[\]\n]{1,80})\](?![:\[])")
_LANGUAGE = re.compile(r"[\w+#-]*")
_BLANK_LINE = re.compile(r"\n[ \t]*\n")
_TICKS = re.compile(r"`+|\n[ \t\r]*\n")
_REMARK = re.compile(
    r"^[ \t>]{0,9}\[[^\[\]\n]{1,80}\]:[ \t]{0,9}(?:#|<#?>)(?:[ \t]{1,9}(?:\n[ \t]{0,9})?|\n[ \t]{0,9})"
    r"(?:\((?:[^()\n]|\n(?![ \t]*\n)){0,5000}\)|\"(?:[^\"\n]|\n(?![ \t]*\n)){0,5000}\"|'(?:[^'\n]|\n(?![ \t]*\n)){0,5000}')[ \t]*$",
    re.M,
)
_RULE = frozenset("|-: \t>")
_PIPE = re.compile(r"(?<!\\)\|")
_DOLLARS = re.compile(r"\$(?<![\\$\w]\$)(?=[^\s\d$])([^$\n]{1,300})(?<=\S)\$(?![\d$])")
_FORMULA = re.compile(r"\\begin|\\frac|\\text|\\[a-zA-Z]{2,}|[\^_={}]")


class PlaceFinder:
    """A finder of a character's next place, for positions that only grow; all calls together cost one pass."""

    def __init__(self, text: str, what: str) -> None:
        self._text, self._what, self._at = text, what, -1

    def at(self, position: int) -> int:
        """Return the next place at or after a position, `len(text)` if there is none."""
        if self._at < position:
            found = self._text.find(self._what, position)
            self._at = len(self._text) if found < 0 else found
        return self._at


def blank_spans(text: str, spans: list[tuple[int, int]]) -> str:
    """Replace spans (sorted or not, perhaps overlapping) by spaces; line ends stay."""
    if not spans:
        return text
    parts: list[str] = []
    position = 0
    for start, end in sorted(spans):
        if end <= position:
            continue
        start = max(start, position)
        parts.append(text[position:start])
        hidden = text[start:end]
        parts.append(
            " " * len(hidden)
            if "\n" not in hidden
            else "\n".join([" " * len(line) for line in hidden.split("\n")])
        )
        position = end
    parts.append(text[position:])
    return "".join(parts)


def hidden_code(text: str) -> list[tuple[int, int]]:
    """Return the spans of fenced code. A first block marked "markdown" is the report itself, so only its fences are hidden."""
    if "```" not in text and "~~~" not in text:
        return []
    spans: list[tuple[int, int]] = []
    opened: re.Match[str] | None = None
    seen_through = False
    for match in _FENCE.finditer(text):
        if opened is None:
            opened = match
            # Models fence whole reports as ```markdown; hidden as code, these would cite nothing.
            seen_through = match[2].strip().casefold() in ("markdown", "md")
        elif _closes(opened, match):
            if not seen_through:
                spans.append((opened.start(), match.end()))
            opened = None
        elif seen_through:
            opened, seen_through = match, False
    if opened is not None and not seen_through and _LANGUAGE.fullmatch(opened[2].strip()):
        stop = _BLANK_LINE.search(text, opened.end())
        spans.append((opened.start(), stop.start() if stop else len(text)))
    return spans


def _closes(opened: re.Match[str], match: re.Match[str]) -> bool:
    return match[1][0] == opened[1][0] and len(match[1]) >= len(opened[1]) and not match[2].strip()


def inline_code(text: str) -> list[tuple[int, int]]:
    if "`" not in text:
        return []
    spans: list[tuple[int, int]] = []
    paragraph: list[tuple[int, int]] = []

    def close() -> None:
        following: dict[int, int] = {}
        partner = [-1] * len(paragraph)
        for index in range(len(paragraph) - 1, -1, -1):
            length = paragraph[index][1] - paragraph[index][0]
            partner[index] = following.get(length, -1)
            following[length] = index
        index = 0
        while index < len(paragraph):
            if partner[index] >= 0:
                spans.append((paragraph[index][0], paragraph[partner[index]][1]))
                index = partner[index]
            index += 1
        paragraph.clear()

    for match in _TICKS.finditer(text):
        if match[0][0] == "`":
            if text[match.start() - 1 : match.start()] != "\\":
                paragraph.append(match.span())
        elif paragraph:
            close()
    close()
    return spans


def remarks(text: str) -> list[tuple[int, int]]:
    """Return the spans of remarks such as `[//]: # (text)`, which no page shows. Comments and tags of HTML are shown as text."""
    return [match.span() for match in _REMARK.finditer(text)] if "]:" in text else []


def surplus_cells(text: str) -> list[tuple[int, int]]:
    """Return the spans of table cells beyond the columns of the header, which no page shows."""
    if "|" not in text:
        return []
    spans: list[tuple[int, int]] = []
    columns, above, position = 0, "", 0
    for line in text.split("\n"):
        if "|" not in line:
            columns = 0
        elif "-" in line and _RULE.issuperset(line):
            width = len(_cell_starts(line))
            columns = width if width == len(_cell_starts(above)) else 0
        elif columns:
            starts = _cell_starts(line)
            if len(starts) > columns:
                spans.append((position + starts[columns], position + len(line)))
        above, position = line, position + len(line) + 1
    return spans


def _cell_starts(line: str) -> list[int]:
    """Return where the cells of a row begin; a bar before the first and one after the last are borders."""
    bars = [match.start() for match in _PIPE.finditer(line)]
    starts = [bar + 1 for bar in bars]
    if not bars or line[: bars[0]].strip(" \t>"):
        starts.insert(0, 0)
    return starts if line[starts[-1] :].strip() or len(starts) == 1 else starts[:-1]


def formulas(text: str) -> list[tuple[int, int]]:
    """Return the spans of LaTeX formulas in their brackets, if these contain LaTeX; `\\[7\\]` is an escaped citation and stays."""
    spans: list[tuple[int, int]] = []
    for opening, closing in (("\\[", "\\]"), ("\\(", "\\)"), ("$$", "$$")):
        closer = PlaceFinder(text, closing)
        start = text.find(opening)
        while start >= 0:
            end = closer.at(start + 2)
            if end >= len(text):
                break
            inner = text[start + 2 : min(end, start + 1500)]
            if (
                end - start < 1500
                and inner[:1] != "^"
                and _FORMULA.search(inner)
                and "://" not in inner
                and "\n\n" not in inner
            ):
                spans.append((start, end + 2))
                start = text.find(opening, end + 2)
            else:
                start = text.find(opening, start + 2)
    spans += [
        match.span()
        for match in _DOLLARS.finditer(text)
        if _FORMULA.search(match[1]) and "://" not in match[1]
    ]
    return spans


def pictures(text: str) -> list[tuple[int, int]]:
    """Return the spans of images with their address elsewhere, `![alt][id]` and `![id]`, and of addresses that only images use.

    `Great![1]` is a citation: a number alone is no image's text.
    """
    if "![" not in text:
        return []
    defined = {_label(match[1]): match.span() for match in _DEFINED.finditer(text)}
    spans: list[tuple[int, int]] = []
    shown: set[str] = set()
    for match in _PICTURE.finditer(text):
        label = _label(match[2] or match[1])
        if label in defined and not match[1].strip(" ^").isdecimal():
            spans.append(match.span())
            shown.add(label)
    if not spans:
        return []
    used = {_label(match[1]) for match in _USED.finditer(blank_spans(text, spans))}
    return spans + [defined[label] for label in sorted(shown - used)]


def _label(text: str) -> str:
    return " ".join(text.casefold().split())
