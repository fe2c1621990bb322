"""Reads the text of a report as a reader sees it, with the place of each character.

What has no shape for the page and the judges (`visible_text`) has none here. An entity, an escape, a letter in another style, emphasis or
code around a figure, and a link on it that leads where the link before led, are read as what they show. Targets and code stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from html import unescape
from unicodedata import category, normalize

from drr.citations.hidden import hidden_code, inline_code
from drr.eval.asking.safety import visible_text

Span = tuple[int, int]
_Edit = tuple[int, int, str]
_SPELLED = r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});|\\[$.,:;/%'\"+&-]"
_STRUCTURE = frozenset("\n\r\t\\`*_{}[]<>#|~!^")
"""Signs that make up a report's structure where they stand bare, so that none is made of another spelling."""
_TARGET = re.compile(r"\]\([^()\n]*|\w{2,8}://[^\s<>()|]+")
_SIGN = "[$\u00a2-\u00a5\u20a0-\u20c0]"
_FIGURE = rf"(?:{_SIGN}\s?)?\d(?:[\d.,]{{0,18}}\d)?(?:\s?{_SIGN})?"
_STYLED = re.compile(
    rf"(?<![\w*`])(?P<mark>\*{{1,3}}|_{{1,3}}|`){_FIGURE}(?P=mark)(?![\w*`])"
    rf"|(?:(?<=[\d$])|(?<=[\d*][.,]))(?P<inner>\*{{1,3}})[.,]?\d?[\d.,]{{0,18}}(?<=[\d.,])(?P=inner)(?!\*)"
    rf"|(?<![\w*])(?P<outer>\*{{1,3}})(?:{_SIGN}\s?)?[\d.,]{{0,18}}\d[.,]?(?P=outer)(?=\d|[.,]\d|[.,]?\*+\d)"
    rf"|(?<![\w*])(?P<sign>\*{{1,3}}){_SIGN}(?P=sign)(?=\s?\d)"
)
_LINK = re.compile(rf"\[({_FIGURE}|[^\[\]\n]{{1,200}})\]\(([^()\s]{{1,2000}})\)")
_TAG = re.compile(rf"<[A-Za-z][^<>:\n]{{0,60}}>(?={_SIGN}?[.,]?\d)|(?<=[\d.,$])</[A-Za-z]+>")
_GROUPS = re.compile(r"(?<=\d)[\u2009\u202f](?=\d{3}(?!\d))")
"""Tags around and within a figure, which other pages hide; and the narrow blanks that part thousands in any language."""
_ALONE = re.compile(rf"(?=.*[.,]\d|.*{_SIGN}){_FIGURE}")
_LEAD = re.compile(r"[\s>]*(?:(?:[-*+•]|\d{1,3}[.)])\s+)?\d{0,3}")
_BACK = 12  # most letters of a bullet


def seen_text(report: str) -> tuple[str, list[Span] | None]:
    """Return the text that a reader sees, and where each character stood; `None` if all stand as they are written."""
    text, stood = report, None
    for find in (_spelled, _grouped, _styled, _linked):
        if edits := list(find(text)):
            text, places = _edited(text, edits)
            stood = places if stood is None else [(stood[low][0], stood[high - 1][1]) for low, high in places]
    return text, stood


def _edited(text: str, edits: Sequence[_Edit]) -> tuple[str, list[Span]]:
    parts: list[str] = []
    stood: list[Span] = []
    last = 0
    for start, end, written in (*edits, (len(text), len(text), "")):
        parts += text[last:start], written
        stood += zip(range(last, start), range(last + 1, start + 1), strict=True)
        stood += [(start, end)] * len(written)
        last = end
    return "".join(parts), [*stood, (len(text), len(text) + 1)]


def _spelled(text: str) -> Iterator[_Edit]:
    """Yield the entities, escapes, invisible signs and letters in another style, outside code and targets."""
    odd = "".join(sorted(sign for sign in set(text) if sign not in _STRUCTURE and _plain(sign) != sign))
    found = list(re.finditer(rf"{_SPELLED}|[{re.escape(odd)}]" if odd else _SPELLED, text))
    if not found:
        return
    code = sorted([*hidden_code(text), *inline_code(text), *(one.span() for one in _TARGET.finditer(text))])
    behind = 0
    for one in found:
        while behind < len(code) and code[behind][1] <= one.start():
            behind += 1
        written = one[0] if len(one[0]) < 2 else unescape(one[0]) if one[0][0] == "&" else one[0][1:]
        hidden = behind < len(code) and code[behind][0] <= one.start()
        makes_item = (
            written in "+-." and text[one.end() : one.end() + 1].isspace() and _opens(text, one.start())
        )
        makes_link = written == "(" and text[one.start() - 1 : one.start()] == "]"
        if len(written) == 1 and written not in _STRUCTURE and not (hidden or makes_item or makes_link):
            yield *one.span(), _plain(written)


@cache
def _plain(sign: str) -> str:
    """Return a sign without style. One without a shape becomes nothing, a letter in bold or in full width ASCII's."""
    if sign <= "~" and sign >= " ":
        return sign
    if sign in "\u2010\u2011":
        return "-"
    plain = normalize("NFKC", sign)
    is_styled = category(sign)[0] in "LNPS" and category(sign) != "No" and len(plain) == 1 and plain <= "~"
    return plain if is_styled and plain not in _STRUCTURE and plain != " " else visible_text(sign)


def _grouped(text: str) -> Iterator[_Edit]:
    """Yield the tags within a figure and the blanks between its thousands."""
    found = [*_TAG.finditer(text), *_GROUPS.finditer(text)]
    yield from sorted((*one.span(), "") for one in found)


def _styled(text: str) -> Iterator[_Edit]:
    """Yield the marks of emphasis and code around a figure or a part of it."""
    for one in _STYLED.finditer(text):
        name = one.lastgroup or ""
        if name != "mark" or not one[0].strip("*_`").isdecimal() or not _opens(text, one.start()):
            low, high = one.end(name), one.end() - len(one[name])
            yield one.start(), low, ""
            yield high, one.end(), ""


def _linked(text: str) -> Iterator[_Edit]:
    """Yield the links on a figure that lead where the link before led."""
    before = ""
    for one in _LINK.finditer(text):
        if one[2] == before and _ALONE.fullmatch(one[1]):
            yield one.start(), one.start(1), ""
            yield one.end(1), one.end(), ""
        before = one[2]


def _opens(text: str, at: int) -> bool:
    """Tell whether only a bullet or a number stands before, in the same line."""
    line = text[max(0, at - _BACK) : at]
    low = line.rfind("\n") + 1
    return (low > 0 or at < _BACK) and _LEAD.fullmatch(line, low) is not None
