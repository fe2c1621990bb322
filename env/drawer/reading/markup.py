"""A saved page as its words, line by line; cells of a table apart. Scripts, styles and addresses are left out, nothing is loaded."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from drr.env.drawer.reading.form import ReadContent, UnreadableFile
from drr.env.drawer.reading.plain import decoded

_UNSEEN = frozenset({"script", "style", "template", "noscript", "svg", "math", "iframe", "object"})
_LINES = frozenset(
    {"address", "article", "aside", "blockquote", "br", "caption", "dd", "div", "dl", "dt", "figcaption", "figure", "footer", "form",
     "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li", "main", "nav", "ol", "p", "pre", "section", "table", "title", "tr", "ul"}
)  # fmt: skip
_CHARSET = re.compile(
    rb"""<meta[^>]{0,200}charset\s{0,9}=\s{0,9}["']?\s{0,9}([\w.:-]{1,40})""", re.IGNORECASE
)


class _Words(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self._unseen = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._unseen += tag in _UNSEEN
        self._part(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._part(tag)

    def handle_endtag(self, tag: str) -> None:
        self._unseen = max(0, self._unseen - (tag in _UNSEEN))
        self._part(tag)

    def handle_data(self, data: str) -> None:
        if not self._unseen:
            self.pieces.append(" ".join(data.split()) if data.strip() else " ")
            if data[-1:].isspace():
                self.pieces.append(" ")

    def _part(self, tag: str) -> None:
        if tag in _LINES:
            self.pieces.append("\n")
        elif tag in ("td", "th"):
            self.pieces.append(" | ")


def words_of(html: str) -> str:
    parser = _Words()
    parser.feed(html)
    parser.close()
    lines = (
        re.sub(r"(?: ?\| ){2,}", " | ", " ".join(line.split())).strip(" |")
        for line in "".join(parser.pieces).split("\n")
    )
    return "\n".join(line for line in lines if line)


def read_html(data: bytes) -> ReadContent:
    text = _html(data)
    if "<" not in text:
        raise UnreadableFile("invalid", "is named as a web page and has no markup")
    return {"text": words_of(text)}


def _html(data: bytes) -> str:
    """Decode by the charset that the page states, where it is not the one that everybody uses."""
    named = _CHARSET.search(data[:4096])
    if named is not None and not data.startswith(b"\xef\xbb\xbf"):
        try:
            return data.decode(named[1].decode("ascii"))
        except (LookupError, UnicodeDecodeError):
            pass
    return decoded(data)
