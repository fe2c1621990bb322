"""Links of a report with their offsets: markdown, HTML, autolinks, bare URLs; never inside code or images.

Everything here is one pass over the text. Where a hostile text could make a step look far ahead again and again, the
look-ahead is remembered (`_Next`) or rationed (`_RATION`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from drr.citations.addresses import BARE, LONGEST, SCHEME, bare_end, unescape

LinkKind = Literal["link", "bare", "html"]


@dataclass(frozen=True, slots=True)
class Link:
    start: int
    end: int
    url: str
    """As written."""
    text: str
    """Of the link; the URL itself for a bare one."""
    kind: LinkKind


@dataclass(slots=True)
class Scan:
    links: list[Link]
    """By position, never overlapping."""
    plain: str
    """The report with code, comments, images, tags and formulas blanked: same length, same line ends."""
    unterminated: list[int]
    """Where a link begins that never ends."""
    raised: list[tuple[int, int, str]]
    """Numbers in superscript tags."""
    closed: list[int]
    """Where inline code, formulas and images end, blank now."""


_FENCE = re.compile(r"^(?:[ \t]*>)*[ \t]*(?:[-*+][ \t]+)?(`{3,}|~{3,})([^\n`]*)$", re.M)
_PICTURE = re.compile(r"(?<!\\)!\[([^\[\]\n]{0,300})\](?:\[([^\[\]\n]{0,80})\])?(?![(:\[])")
_DEFINED = re.compile(r"^[ \t>]{0,9}\[([^\[\]\n^]{1,80})\]:[ \t]*\S[^\n]*", re.M)
_USED = re.compile(r"(?<!!)\[([^\[\]\n]{1,80})\](?![:\[])")
_TICKS = re.compile(r"`+|\n[ \t\r]*\n")
_TAG = re.compile(r"</?[A-Za-z][A-Za-z0-9-]*(?:\s[^<>]*)?/?>")
_SUPERSCRIPT = re.compile(
    r"<sup\b(?<![kc]m<sup)(?<!\bm<sup)(?<!ft<sup)(?<!in<sup)(?<!\d<sup)[^<>]{0,60}>\s{0,3}(\d{1,3}(?:\s?[,;]\s?\d{1,3}){0,9})\s{0,3}</sup>",
    re.I,
)
_HIDDEN = re.compile(r"<span\b[^<>]{0,80}\bdisplay:\s?none\b[^<>]{0,80}>([^<]*)</span>")
_HREF = re.compile(r"\bhref\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))", re.I)
_DOLLARS = re.compile(r"\$(?<![\\$\w]\$)(?=[^\s\d$])([^$\n]{1,300})(?<=\S)\$(?![\d$])")
_FORMULA = re.compile(r"\\begin|\\frac|\\text|\\[a-zA-Z]{2,}|[\^_={}]")
_TOKEN = re.compile(
    r"\\[\\\[\]()!<>*_]|\[\^?[\d, –-]{1,20}\](?![(（]| \([hH])|[\[\]【】]"
)  # a plain marker is passed over as one
_SIMPLE = re.compile(r"[^\s()\\<]*")
_STEP = re.compile(r"\\.|[()]|[ \t]+|\n")
_TITLE = re.compile(r"[ \t]*\n?[ \t]*(?:\"[^\"\n]*\"|'[^'\n]*'|\([^()\n]*\))?[ \t]*\)")
_RATION = 200_000
_LONGEST_TEXT = 3_000


class _Next:
    """The next place of a character at or after a position that only grows: amortised one pass."""

    def __init__(self, text: str, what: str) -> None:
        self._text, self._what, self._at = text, what, -1

    def at(self, position: int) -> int:
        """`len(text)` where there is none."""
        if self._at < position:
            found = self._text.find(self._what, position)
            self._at = len(self._text) if found < 0 else found
        return self._at


def blank(text: str, spans: list[tuple[int, int]]) -> str:
    """Spaces over the spans (sorted or not, may overlap), line ends kept."""
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


def scan(report: str) -> Scan:
    """All links of the report."""
    text = blank(report, _fences(report))
    code = _inline_code(text)
    text = blank(text, code + _comments(text) + [match.span(1) for match in _HIDDEN.finditer(text)])
    formulas = _formulas(text)
    text = blank(text, formulas)
    pictures = _pictures(text)
    text = blank(text, pictures)
    raised = [(match.start(), match.end(), match[1]) for match in _SUPERSCRIPT.finditer(text)]
    anchors, tags = _html(text)
    text = blank(text, tags)
    links, images, unterminated = _markdown(text)
    text = blank(text, images)
    links = _without_overlap([*links, *anchors])
    links = _with_bare(text, links)
    closed = sorted([end for spans in (code, formulas, pictures, images) for _, end in spans])
    return Scan(links, text, unterminated, raised, closed)


def _fences(text: str) -> list[tuple[int, int]]:
    if "```" not in text and "~~~" not in text:
        return []
    spans: list[tuple[int, int]] = []
    opened: re.Match[str] | None = None
    transparent = False
    for match in _FENCE.finditer(text):
        if opened is None:
            opened = match
            # A whole report is often handed over inside a fence that says "markdown".
            transparent = match[2].strip().casefold() in ("markdown", "md")
        elif match[1][0] == opened[1][0] and len(match[1]) >= len(opened[1]) and not match[2].strip():
            if not transparent:
                spans.append((opened.start(), match.end()))
            opened = None
        elif transparent:
            opened, transparent = match, False
    if opened is not None and not transparent and re.fullmatch(r"[\w+#-]*", opened[2].strip()):
        stop = re.compile(r"\n[ \t]*\n").search(text, opened.end())
        spans.append((opened.start(), stop.start() if stop else len(text)))
    return spans


def _inline_code(text: str) -> list[tuple[int, int]]:
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


def _comments(text: str) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    start = text.find("<!--")
    while start >= 0:
        end = text.find("-->", start)
        if end < 0:
            break
        spans.append((start, end + 3))
        start = text.find("<!--", end)
    return spans


def _formulas(text: str) -> list[tuple[int, int]]:
    """LaTeX between its own brackets, on sight of LaTeX inside; `\\[7\\]` is an escaped citation and stays."""
    spans: list[tuple[int, int]] = []
    for opening, closing in (("\\[", "\\]"), ("\\(", "\\)"), ("$$", "$$")):
        closer = _Next(text, closing)
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


def _pictures(text: str) -> list[tuple[int, int]]:
    """Images whose address stands elsewhere, `![alt][id]` and `![id]`, and the addresses that nothing but images uses.

    `Great![1]` is a citation: a number alone is no picture's text.
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
    used = {_label(match[1]) for match in _USED.finditer(blank(text, spans))}
    return spans + [defined[label] for label in sorted(shown - used)]


def _label(text: str) -> str:
    return " ".join(text.casefold().split())


def _html(text: str) -> tuple[list[Link], list[tuple[int, int]]]:
    anchors: list[Link] = []
    tags: list[tuple[int, int]] = []
    opened: tuple[int, int, str] | None = None
    for match in _TAG.finditer(text):
        tags.append(match.span())
        name = match[0][1:3].casefold()
        if name[0] == "a" and not name[1:].isalnum():
            href = _HREF.search(match[0])
            url = (href[1] or href[2] or href[3] or "").strip() if href else ""
            if opened:
                anchors.append(Link(opened[0], opened[1], opened[2], "", "html"))
            opened = (match.start(), match.end(), url) if SCHEME.match(url) else None
        elif name == "/a" and opened:
            if match.start() - opened[1] < _LONGEST_TEXT:
                anchors.append(
                    Link(opened[0], match.end(), opened[2], text[opened[1] : match.start()].strip(), "html")
                )
            else:
                anchors.append(Link(opened[0], opened[1], opened[2], "", "html"))
            opened = None
    if opened:
        anchors.append(Link(opened[0], opened[1], opened[2], "", "html"))
    return anchors, tags


def _markdown(text: str) -> tuple[list[Link], list[tuple[int, int]], list[int]]:
    links: list[Link] = []
    images: list[tuple[int, int]] = []
    unterminated: list[int] = []
    stack: list[int] = []
    destinations = _Destinations(text)
    position = 0
    for match in _TOKEN.finditer(text):
        start = match.start()
        if start < position:
            continue
        mark = match[0]
        if mark in "[【":
            stack.append(start)
            continue
        if mark not in "]】":
            continue
        opened = stack.pop() if stack else None
        close = start + 1
        following = text[close : close + 6]
        if following[:1] not in ("(", "（"):
            if following[:2] != " (" or following[2:6].casefold() != "http":
                continue
            close += 1
        found = destinations.read(close + 1, text[close])
        if found is None:
            if SCHEME.match(text, close + 1):
                unterminated.append(opened if opened is not None else start)
            continue
        url, end = found
        begin = opened if opened is not None and _is_text(text, opened, start) else start
        if (
            opened is not None
            and text[opened - 1 : opened] == "!"
            and opened > 0
            and text[opened - 2 : opened - 1] != "\\"
        ):
            images.append((opened - 1, end))
            position = end
            continue
        if not (SCHEME.match(url) or url[:4].casefold() == "www."):
            continue
        if links and links[-1].end > begin:
            begin = start
        links.append(Link(begin, end, url, text[begin + 1 : start], "link"))
        position = end
    return links, images, unterminated


def _is_text(text: str, opened: int, closed: int) -> bool:
    return closed - opened < _LONGEST_TEXT and "\n\n" not in text[opened:closed]


class _Destinations:
    """Reads what stands in a link's parentheses: balanced ones, escapes, titles, and spaces in a text fragment."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._ration = _RATION + len(text) // 4
        self._close = _Next(text, ")")

    def read(self, start: int, bracket: str) -> tuple[str, int] | None:
        """The URL and where the link ends."""
        text = self._text
        if bracket == "（":
            end = bare_end(text, start, min(len(text), start + _LONGEST_TEXT))
            return (text[start:end], end + 1) if end > start and text[end : end + 1] == "）" else None
        while text[start : start + 1] in (" ", "\t"):
            start += 1
        if text[start : start + 1] == "<":
            close = text.find(">", start, start + _LONGEST_TEXT)
            tail = _TITLE.match(text, close + 1) if close > 0 else None
            return (text[start + 1 : close].strip(), tail.end()) if tail else None
        simple = _SIMPLE.match(text, start)
        end = simple.end() if simple else start
        if text[end : end + 1] == ")":
            return text[start:end], end + 1
        if not SCHEME.match(text, start) and text[start : start + 4].casefold() != "www.":
            return None
        return self._slowly(start, end)

    def _slowly(self, start: int, position: int) -> tuple[str, int] | None:
        text = self._text
        depth = 0
        fragment = False
        for step in _STEP.finditer(text, position, min(len(text), start + _LONGEST_TEXT)):
            self._ration -= 1
            if self._ration < 0:
                return None
            sign = step[0]
            if sign == "(":
                depth += 1
            elif sign == ")":
                depth -= 1
                if depth < 0:
                    return text[start : step.start()], step.end()
            elif sign[0] in " \t\n":
                fragment = fragment or ":~:text=" in text[start : step.start()]
                if fragment and sign != "\n":
                    continue
                return self._cut(start, step.start(), depth, fragment)
        return self._cut(start, min(len(text), start + _LONGEST_TEXT), depth, fragment)

    def _cut(self, start: int, end: int, depth: int, fragment: bool) -> tuple[str, int] | None:
        """The link did not close before white space: a title, a remark, or a parenthesis too many."""
        text = self._text
        if fragment:
            mark = text.find(":~:text=", start, end)
            close = text.find(")", mark, end)
            return (text[start:close], close + 1) if close > 0 else None
        if depth > 0:
            url = text[start:end]
            last = url.rfind(")")
            if last < 0:
                return None
            balanced = url[: last + 1].count("(") == url[: last + 1].count(")")
            return (url[: last + 1], start + last + 1) if balanced else (url[:last], start + last + 1)
        title = _TITLE.match(text, end)
        if title:
            return text[start:end], title.end()
        line = text.find("\n", end)
        line = len(text) if line < 0 else line
        close = self._close.at(end)
        if close < min(line, end + 300) and "://" not in text[end:close] and "[" not in text[end:close]:
            return text[start:end], close + 1
        return None


def _without_overlap(links: list[Link]) -> list[Link]:
    kept: list[Link] = []
    for link in sorted(links, key=lambda one: (one.start, -one.end)):
        if not kept or link.start >= kept[-1].end:
            kept.append(link)
    return kept


def _with_bare(text: str, links: list[Link]) -> list[Link]:
    found: list[Link] = []
    index = 0
    position = 0
    starts = [match.span() for match in BARE.finditer(text)]
    for which, (start, scheme_end) in enumerate(starts):
        if start < position:
            continue
        while index < len(links) and links[index].end <= start:
            index += 1
        if index < len(links) and links[index].start <= start:
            continue
        limit = min(links[index].start if index < len(links) else len(text), start + LONGEST)
        if which + 1 < len(starts) and text[starts[which + 1][0] - 1] not in "/=:%":
            limit = min(limit, starts[which + 1][0])  # one that is not part of this one, as in an archive's
        end = bare_end(text, start, limit)
        position = end
        if end > scheme_end:
            left, right = start, end
            if text[start - 1 : start] == "<" and text[end : end + 1] == ">":
                left, right = start - 1, end + 1
            found.append(Link(left, right, text[start:end], text[start:end], "bare"))
    return sorted([*links, *found], key=lambda one: one.start) if found else links


def number_in(text: str) -> str | None:
    """The number, where a link's text is a citation number and nothing else: `2`, `[2]`, `(2)`, `^2`."""
    bare = unescape(text).strip(" []()【】（）^*_\t\n")
    return bare if bare.isascii() and bare.isdecimal() and len(bare) <= 4 else None
