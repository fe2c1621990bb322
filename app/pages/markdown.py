"""Hostile markdown to safe HTML: no raw HTML, no image, no script, no link that leaves without being asked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from drr.eval.asking.safety import parser

if TYPE_CHECKING:
    from markdown_it.token import Token

TAGS = {
    *(
        "p",
        "br",
        "hr",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "ul",
        "ol",
        "li",
        "blockquote",
        "pre",
        "code",
        "em",
        "strong",
    ),
    *("s", "table", "thead", "tbody", "tr", "th", "td", "a", "mark", "span"),
}
_SIGN = re.compile("[\U000f0000-\U0010fffd]")
"""Placeholder for something else while a page is made (`app/viewer/highlight.py`); no part of any word."""
_NUMBERED = re.compile(rf"(?:\s|{_SIGN.pattern})*\[\^?[\w.-]{{1,8}}\]")
_BARE = re.compile(rf"https?://[^\s<>()\[\]\"'{_SIGN.pattern[1:-1]}]+")
SCHEMES = {"http", "https", "user"}


def safe_html(markdown: str) -> str:
    """Rendered and sanitised twice over: the parser makes no HTML of HTML, the cleaner lets only `TAGS` through."""
    made = parser()
    tokens = made.parse(markdown)
    for token in tokens:
        if token.type == "inline" and _is_list_of_sources(token.content):
            token.children = list(_line_by_line(token.children or []))
    return clean(made.renderer.render(tokens, made.options, {}))


def _is_list_of_sources(text: str) -> bool:
    lines = text.split("\n")
    return len(lines) > 1 and all(_NUMBERED.match(line) for line in lines)


def _line_by_line(children: Sequence[Token]) -> Iterator[Token]:
    """Lines that Markdown would run together stay lines, and a bare address leads where a link to it would."""
    inside = False
    for place, child in enumerate(children):
        inside = child.type == "link_open" or (inside and child.type != "link_close")
        if child.type == "softbreak":
            child.type = "hardbreak"
        if child.type != "text" or inside:
            yield child
            continue
        following = children[place + 1].type if place + 1 < len(children) else "softbreak"
        yield from _linked(child, ends=following in ("softbreak", "hardbreak"))


def _linked(text: Token, *, ends: bool) -> Iterator[Token]:
    """`ends`: nothing of the same line follows. An address that goes on beyond what is seen of it here is left as it is."""
    made, at, whole = parser(), 0, text.content
    for found in _BARE.finditer(whole):
        address = found[0].rstrip(".,;:!?*_")
        rest = _SIGN.sub("", whole[found.end() :])
        goes_on = (
            rest[:1].strip() != "" if found.end() < len(whole) and rest != whole[found.end() :] else False
        )
        if goes_on or (not rest and not ends) or not made.validateLink(address):
            continue
        yield text.copy(content=whole[at : found.start()])
        yield text.copy(
            type="link_open", tag="a", nesting=1, attrs={"href": made.normalizeLink(address)}, content=""
        )
        yield text.copy(content=address)
        yield text.copy(type="link_close", tag="a", nesting=-1, content="")
        at = found.start() + len(address)
    yield text.copy(content=whole[at:])


def clean(html: str, tags: set[str] = TAGS) -> str:
    """Only these tags, only harmless attributes; links open apart, without telling where from."""
    import nh3

    return nh3.clean(
        html,
        tags=tags,
        attributes={
            "a": {"href", "title"},
            "mark": {"class", "id", "data-claim", "tabindex"},
            "span": {"class", "id"},
            "ol": {"start"},
        },
        url_schemes=SCHEMES,
        link_rel="noopener noreferrer nofollow",
        set_tag_attribute_values={"a": {"target": "_blank"}},
    )
