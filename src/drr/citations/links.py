"""Finds the links of a report with their offsets: markdown, HTML, autolinks, bare URLs; never inside code or images.

The search is one pass over the text. Where a hostile text could make a step look far ahead again and again, the
look-ahead is remembered (`_Next`) or limited (`_RATION`).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from drr.citations.addresses import BARE, DOI, LONGEST, SCHEME, bare_end, run_start, without_escapes
from drr.citations.hidden import (
    PlaceFinder,
    blank_spans,
    formulas,
    hidden_code,
    inline_code,
    pictures,
    remarks,
    surplus_cells,
)

LinkKind = Literal["link", "bare", "html"]


@dataclass(frozen=True, slots=True)
class Link:
    start: int
    end: int
    url: str
    """The URL as written."""
    text: str
    """The text of the link; the URL itself for a bare one."""
    kind: LinkKind


@dataclass(slots=True)
class Scan:
    links: list[Link]
    """Links in the order of the text; they never overlap."""
    plain: str
    """The report with code, remarks, images, tags and formulas replaced by spaces: same length, same line ends."""
    unterminated: list[int]
    """Starts of links that never end."""
    raised: list[tuple[int, int, str]]
    """Numbers in superscript tags."""
    closed: list[int]
    """Ends of inline code, formulas and images, which are now spaces."""


_TAG = re.compile(r"</?[A-Za-z][A-Za-z0-9-]*(?:\s[^<>]*)?/?>")
# `cm<sup>2</sup>` is a unit and `10<sup>6</sup>` a power: neither cites.
_SUPERSCRIPT = re.compile(
    r"<sup\b(?<![kc]m<sup)(?<!\bm<sup)(?<!ft<sup)(?<!in<sup)(?<!\d<sup)[^<>]{0,60}>\s{0,3}(\d{1,3}(?:\s?[,;]\s?\d{1,3}){0,9})\s{0,3}</sup>",
    re.I,
)
_HREF = re.compile(r"\bhref\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))", re.I)
_TOKEN = re.compile(
    r"\\[\\\[\]()!<>*_]|\[\^?[\d, –-]{1,20}\](?![(（]| \([hH])|[\[\]【】]"
)  # a plain marker is passed over as one
_SIMPLE = re.compile(r"[^\s()\\<]*")
_STEP = re.compile(r"\\.|[()]|[ \t]+|\n")
_TITLE = re.compile(r"[ \t]*+\n?[ \t]*+(?:\"[^\"\n]*\"|'[^'\n]*'|\([^()\n]*\))?[ \t]*+\)")
# Without these two bounds, a text full of links that never end would take quadratic time.
_RATION = 200_000
_LONGEST_TEXT = 3_000


def scan(report: str) -> Scan:
    """Find all links of the report."""
    # Each kind is blanked before the next is sought: within code nothing is a formula, an image or a link.
    text = blank_spans(report, hidden_code(report))
    code = inline_code(text)
    text = blank_spans(text, code + remarks(text) + surplus_cells(text))
    figures = formulas(text)
    text = blank_spans(text, figures)
    shown = pictures(text)
    text = blank_spans(text, shown)
    # Read before the tags are blanked, which leaves only a bare number.
    raised = [(match.start(), match.end(), match[1]) for match in _SUPERSCRIPT.finditer(text)]
    anchors, tags = _html(text)
    text = blank_spans(text, tags)
    markdown = _Markdown(text)
    text = blank_spans(text, markdown.images)
    links = _with_bare(text, _without_overlap([*markdown.links, *anchors]))
    closed = sorted([end for spans in (code, figures, shown, markdown.images) for _, end in spans])
    return Scan(links, text, markdown.unterminated, raised, closed)


def _html(text: str) -> tuple[list[Link], list[tuple[int, int]]]:
    """Return the HTML links, and the spans of all tags."""
    anchors: list[Link] = []
    tags: list[tuple[int, int]] = []
    opened: tuple[int, int, str] | None = None
    for match in _TAG.finditer(text):
        tags.append(match.span())
        name = match[0][1:3].casefold()
        opens = name[0] == "a" and not name[1:].isalnum()
        if opened and (opens or name == "/a"):
            anchors.append(_anchor(text, opened, None if opens else match))
            opened = None
        if opens:
            url = _href(match[0])
            opened = (match.start(), match.end(), url) if SCHEME.match(url) else None
    if opened:
        anchors.append(_anchor(text, opened, None))
    return anchors, tags


def _href(tag: str) -> str:
    href = _HREF.search(tag)
    return (href[1] or href[2] or href[3] or "").strip() if href else ""


def _anchor(text: str, opened: tuple[int, int, str], closing: re.Match[str] | None) -> Link:
    """Return the link of an anchor. If the anchor is not closed nearby, the link is the tag alone."""
    start, end, url = opened
    if closing is None or closing.start() - end >= _LONGEST_TEXT:
        return Link(start, end, url, "", "html")
    return Link(start, closing.end(), url, text[end : closing.start()].strip(), "html")


class _Markdown:
    """A parser of `[text](address)` and images, which matches brackets with a stack."""

    def __init__(self, text: str) -> None:
        self.links: list[Link] = []
        self.images: list[tuple[int, int]] = []
        self.unterminated: list[int] = []
        self._text = text
        self._destinations = _Destinations(text)
        stack: list[int] = []
        position = 0
        for match in _TOKEN.finditer(text):
            if match.start() < position:
                continue
            if match[0] in "[【":
                stack.append(match.start())
            elif match[0] in "]】":
                position = self._read_after_bracket(stack.pop() if stack else None, match.start()) or position

    def _read_after_bracket(self, opened: int | None, start: int) -> int | None:
        """Read on after a closing bracket. Return the end of the link or image, or `None` if it is none."""
        text = self._text
        bracket = _parenthesis(text, start + 1)
        if bracket is None:
            return None
        found = self._destinations.read(bracket + 1, text[bracket])
        if found is None:
            if SCHEME.match(text, bracket + 1):
                self.unterminated.append(start if opened is None else opened)
            return None
        url, end = found
        if opened is not None and _is_image(text, opened):
            self.images.append((opened - 1, end))
            return end
        if not (SCHEME.match(url) or url[:4].casefold() == "www." or DOI.match(url)):
            return None
        begin = self._begin(opened, start)
        self.links.append(Link(begin, end, url, text[begin + 1 : start], "link"))
        return end

    def _begin(self, opened: int | None, start: int) -> int:
        """Return where a link begins: at its own opening bracket, if known, else at its closing bracket."""
        if opened is None or not _is_text(self._text, opened, start):
            return start
        # Another link stands within this one's text, and links never overlap.
        return start if self.links and self.links[-1].end > opened else opened


def _parenthesis(text: str, close: int) -> int | None:
    """Return where the parenthesis with the address opens. A space before it is accepted if an address follows."""
    following = text[close : close + 6]
    if following[:1] in ("(", "（"):
        return close
    return close + 1 if following[:2] == " (" and following[2:6].casefold() == "http" else None


def _is_image(text: str, opened: int) -> bool:
    return opened > 0 and text[opened - 1] == "!" and text[opened - 2 : opened - 1] != "\\"


def _is_text(text: str, opened: int, closed: int) -> bool:
    return closed - opened < _LONGEST_TEXT and "\n\n" not in text[opened:closed]


class _Destinations:
    """A reader of the contents of a link's parentheses: balanced parentheses, escapes, titles, and spaces in a text fragment."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._ration = _RATION + len(text) // 4
        self._close = PlaceFinder(text, ")")

    def read(self, start: int, bracket: str) -> tuple[str, int] | None:
        """Return the URL and the end of the link, or `None`."""
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
        return self._read_step_by_step(start, end)

    def _read_step_by_step(self, start: int, position: int) -> tuple[str, int] | None:
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
                return self._cut_at_space(start, step.start(), depth, fragment)
        return self._cut_at_space(start, min(len(text), start + _LONGEST_TEXT), depth, fragment)

    def _cut_at_space(self, start: int, end: int, depth: int, fragment: bool) -> tuple[str, int] | None:
        """Return the URL of a link with white space before its closing parenthesis. A title, a remark, or a parenthesis too many may follow the URL."""
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
    """Return the links together with the bare addresses in the text between them."""
    found: list[Link] = []
    ends = [link.end for link in links]
    position = 0
    starts = [match.span() for match in BARE.finditer(text)]
    for (start, scheme_end), (following, _) in pairwise([*starts, (len(text), 0)]):
        index = bisect_right(ends, start) if links else 0
        if start < position or (index < len(links) and links[index].start <= start):
            continue
        limit = min(start + LONGEST, links[index].start if index < len(links) else len(text))
        # An address that is no part of the one before it, as in an archive's, ends that.
        if following < limit and text[following - 1] not in "/=:%":
            limit = following
        position = bare_end(text, run_start(text, start, scheme_end), limit)
        if position > scheme_end:
            found.append(_bare(text, start, position))
    return sorted([*links, *found], key=lambda one: one.start) if found else links


def _bare(text: str, start: int, end: int) -> Link:
    pointed = text[start - 1 : start] == "<" and text[end : end + 1] == ">"
    return Link(start - pointed, end + pointed, text[start:end], text[start:end], "bare")


def number_in(text: str) -> str | None:
    """Return the number if a link's text is only a citation number: `2`, `[2]`, `(2)`, `^2`; otherwise `None`."""
    bare = without_escapes(text).strip(" []()【】（）^*_\t\n")
    return bare if bare.isascii() and bare.isdecimal() and len(bare) <= 4 else None
