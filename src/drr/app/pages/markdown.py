"""Renders hostile Markdown as safe HTML: no raw HTML, images or scripts, and links open only on a click."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from drr.eval.asking.safety import markdown_parser

if TYPE_CHECKING:
    from markdown_it.token import Token

TAGS = {
    *("p", "br", "hr", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "blockquote", "pre", "code"),
    *("em", "strong", "s", "table", "thead", "tbody", "tr", "th", "td", "a", "mark", "span"),
}
_SIGN = re.compile("[\U000f0000-\U0010fffd]")
"""Pattern of placeholders for marks and links while a page is made (`app/viewer/highlight.py`), which belong to no word."""
_NUMBERED = re.compile(rf"(?:\s|{_SIGN.pattern})*\[\^?[\w.-]{{1,8}}\]")
_BARE = re.compile(rf"https?://[^\s<>()\[\]\"'{_SIGN.pattern[1:-1]}]+")
SCHEMES = {"http", "https", "user"}


def safe_html(markdown: str) -> str:
    """Return the Markdown as HTML that is safe twice over: the parser ignores HTML, the cleaner lets only `TAGS` through."""
    made = markdown_parser()
    tokens = made.parse(markdown)
    for token in tokens:
        if token.type == "inline" and _is_list_of_sources(token.content):
            token.children = list(_line_by_line(token.children or []))
    return clean(made.renderer.render(tokens, made.options, {}))


def first_words(markdown: str) -> str:
    """Return the text of the first paragraph, a quoted one aside."""
    unquoted = "\n".join(line for line in markdown.splitlines() if not line.startswith(">"))
    tokens = iter(markdown_parser().parse(unquoted))
    found = next((next(tokens) for one in tokens if one.type == "paragraph_open"), None)
    parts = (one.content or " " * (one.type == "softbreak") for one in (found and found.children) or ())
    return "".join(parts)


def _is_list_of_sources(text: str) -> bool:
    lines = text.split("\n")
    return len(lines) > 1 and all(_NUMBERED.match(line) for line in lines)


def _line_by_line(children: Sequence[Token]) -> Iterator[Token]:
    """Yield the tokens of a list of sources with line breaks kept and bare addresses turned into links."""
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
    """Yield the text's tokens with bare addresses as links. `ends` is true where the line ends after the text; an address that may go on after the text stays plain."""
    made, at, whole = markdown_parser(), 0, text.content
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
    """Return the HTML with only these tags and harmless attributes; links open in a new tab without a referrer."""
    import nh3

    return nh3.clean(
        html,
        tags=tags,
        attributes={
            "a": {"href"},
            "mark": {"class", "id", "data-claim", "tabindex"},
            "span": {"class", "id"},
            "ol": {"start"},
        },
        url_schemes=SCHEMES,
        link_rel="noopener noreferrer nofollow",
        set_tag_attribute_values={"a": {"target": "_blank"}},
    )
