"""Renders a report as HTML with marked claims and findings, and with links to sources.

Claims are places in the Markdown, and marks belong into the HTML. Signs, here `{` and `}`, carry the places
through the renderer:

    {It is *steel*}.                                     signs are put into the Markdown,
    {It is <em>steel</em>}.                              rendered with it,
    <mark>It is </mark><em><mark>steel</mark></em>.      and become marks piece by piece, so that tags nest
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import escape
from typing import NamedTuple

from drr.app.pages.markdown import clean, safe_html
from drr.app.viewer.model import ReportView, SourceView
from drr.citations.files import KnownPlaces
from drr.citations.ids import is_id
from drr.citations.parse import canonical_url
from drr.env.progress import TooSlow, in_time

# Private-use characters stand for "claim n begins", "claim n ends" and the same of findings and links while the markdown is rendered.
_CLAIMS, _FINDINGS, _LINKS, _ROOM = 0xF0000, 0xF8000, 0x100000, 0x7FFD
_SENTINEL = re.compile("[\U000f0000-\U000ffffd\U00100000-\U0010fffd]")
_ENCODED = re.compile(r"%F[34]%[89AB][0-9A-F]%[89AB][0-9A-F]%[89AB][0-9A-F]")
_OWN_LINK = re.compile(r'(<a href="#[^"]*") target="_blank" rel="[^"]*"')
_PIECES = re.compile(r"(<[^<>]*>)")
_PREFIX = re.compile(r"[\s#>*+|_~-]*(?:\d{1,9}[.)]\s+|\[[ xX]\]\s+)?[\s*_~`]*")


class MarkedSpan(NamedTuple):
    """A stretch of the Markdown to mark, from offset `start` to `end`. `kind` becomes a CSS class, `name` a claim's `data-claim` or a finding's id."""

    start: int
    end: int
    name: str
    kind: str
    card: str = ""
    """HTML id of the finding's explanation on the page."""


class LinkTag(NamedTuple):
    """A citation marker, and the HTML id of its source on the page."""

    start: int
    end: int
    anchor: str


def marked_html(
    markdown: str,
    spans: Sequence[MarkedSpan],
    links: Sequence[LinkTag] = (),
    findings: Sequence[MarkedSpan] = (),
) -> str:
    """Return safe HTML of the report with each span in `<mark>`s. A span is cut where it overlaps an earlier span.

    `findings` may lie inside of claims and across them. A report that is too long or too slow to render is shown as plain text.
    """
    try:
        return in_time(markdown, lambda: _marked_html(markdown, spans, links, findings))
    except TooSlow:
        return f"<pre>{escape(markdown)}</pre>"


def _marked_html(
    markdown: str, spans: Sequence[MarkedSpan], links: Sequence[LinkTag], findings: Sequence[MarkedSpan]
) -> str:
    linked = [link for link in sorted(links) if _is_plain(markdown, link)]
    wrong = [kept for one in findings for kept in _disjoint(markdown, [one])]
    marker = _Marker(_disjoint(markdown, spans), wrong, linked)
    text, at = [], 0
    for place, _, sign in sorted(marker.cuts()):
        text += [_without_sentinels(markdown[at:place]), chr(sign)]
        at = max(at, place)
    text.append(_without_sentinels(markdown[at:]))
    # Links within the page open no new window. Marks hold texts of others too, so all is cleaned again.
    return _OWN_LINK.sub(r"\1", clean(marker.wrap(safe_html("".join(text)))))


def _is_plain(markdown: str, link: LinkTag) -> bool:
    """Return whether the marker is plain text; a marker in Markdown already has a link."""
    text = markdown[link.start : link.end + 1]
    return "](" not in text and "://" not in text


def _without_sentinels(text: str) -> str:
    """Remove signs that the report itself holds: it must not open or close a mark."""
    return _SENTINEL.sub("", text)


def _disjoint(markdown: str, spans: Sequence[MarkedSpan]) -> list[MarkedSpan]:
    """Return the spans in order and without overlaps. A span starts after the list, heading or table sign that opens its line."""
    kept: list[MarkedSpan] = []
    for span in sorted(spans):
        start = max(span.start, kept[-1].end if kept else 0)
        line_start = markdown.rfind("\n", 0, start) + 1
        prefix = _PREFIX.match(markdown, line_start)
        if prefix and start < prefix.end() <= span.end:
            start = prefix.end()
        end = start + len(markdown[start : span.end].rstrip(" \t\n|"))
        if 0 <= start < end <= len(markdown):
            kept.append(span._replace(start=start, end=end))
    return kept


class _Marker:
    """Wraps the pieces of a rendered page in marks, tracking the claim, finding and link that each piece lies in."""

    def __init__(
        self, claims: Sequence[MarkedSpan], findings: Sequence[MarkedSpan], links: Sequence[LinkTag]
    ) -> None:
        # A stretch takes two signs, for its beginning and its end.
        half = _ROOM // 2
        self._claims, self._findings, self._links = claims[:half], findings[:half], links[:half]
        self._claim: MarkedSpan | None = None
        self._wrong: dict[int, MarkedSpan] = {}
        """Findings that enclose the current place; several may, as a wrong fact may lie within a wrong paragraph."""
        self._link: LinkTag | None = None
        self._reached: set[str] = set()
        self._present: set[str] = set()
        self._inside_link = False

    def cuts(self) -> Iterator[tuple[int, int, int]]:
        """Yield offset, 1 for a beginning or 0 for an end, and the sign to insert at the offset."""
        layers: tuple[tuple[int, Sequence[MarkedSpan | LinkTag]], ...] = (
            (_CLAIMS, self._claims),
            (_FINDINGS, self._findings),
            (_LINKS, self._links),
        )
        for base, layer in layers:
            for number, one in enumerate(layer):
                yield one.start, 1, base + 2 * number
                yield one.end, 0, base + 2 * number + 1

    def wrap(self, html: str) -> str:
        """Return the HTML with every piece of text in a span in its own `<mark>`, so that tags stay nested."""
        pieces = _PIECES.split(html)
        # A sign inside a tag does not count; a stretch without an end is not begun.
        self._present = set(_SENTINEL.findall("".join(one for one in pieces if not one.startswith("<"))))
        return "".join(self._tag(one) if one.startswith("<") else self._text(one) for one in pieces)

    def _tag(self, piece: str) -> str:
        self._inside_link = piece.startswith("<a ") or (self._inside_link and piece != "</a>")
        # The renderer percent-encodes a sign that stands in a link's address.
        return _ENCODED.sub("", _SENTINEL.sub("", piece))

    def _text(self, piece: str) -> str:
        out = []
        for part in re.split(f"({_SENTINEL.pattern})", piece):
            if _SENTINEL.fullmatch(part):
                self._pass(ord(part))
            elif part:
                out.append(self._marked(part))
        return "".join(out)

    def _pass(self, sign: int) -> None:
        base = max(one for one in (_CLAIMS, _FINDINGS, _LINKS) if one <= sign)
        number, ends = divmod(sign - base, 2)
        begun = not ends and chr(sign + 1) in self._present
        if base == _LINKS:
            self._link = self._links[number] if begun else None
        elif base == _FINDINGS and begun:
            self._wrong[number] = self._findings[number]
        elif base == _FINDINGS:
            self._wrong.pop(number, None)
        else:
            self._claim = self._claims[number] if begun else None

    def _marked(self, text: str) -> str:
        shown = text
        findings = sorted(self._wrong.values(), key=lambda one: one.end - one.start)
        finding = next(iter(findings), None)
        anchor = self._link.anchor if self._link else finding.card if finding else ""
        if anchor and not self._inside_link:
            shown = f'<a href="#{escape(anchor)}">{text}</a>'
        if text.isspace():
            return shown
        for one in findings:
            name = escape(one.name, quote=True)
            place = f' id="{name}"' if name and self._is_first(name) else ""
            # Several findings may begin at the same word, and a link leads to each.
            if place or one is finding:
                shown = f'<mark class="{escape(one.kind, quote=True)}"{place}>{shown}</mark>'
        if self._claim is None:
            return shown
        name, kind = escape(self._claim.name, quote=True), escape(self._claim.kind, quote=True)
        stop = ' tabindex="0"' if self._is_first(name) else ""
        return f'<mark class="{kind}" data-claim="{name}"{stop}>{shown}</mark>'

    def _is_first(self, name: str) -> bool:
        """Return whether this is the first piece of the named stretch, to which links and the keyboard go."""
        known = name in self._reached
        self._reached.add(name)
        return not known


def marked_text(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """Return plain text, such as an evidence passage, as HTML with the given stretches in `<mark>`."""
    out, at = [], 0
    for start, end in sorted(spans):
        start = max(start, at)
        if start < end <= len(text):
            out += [escape(text[at:start]), "<mark>", escape(text[start:end]), "</mark>"]
            at = end
    out.append(escape(text[at:]))
    return "".join(out)


class SourceNames:
    """The names of a report's sources on the page, by the report's own numbers."""

    def __init__(self, report: ReportView) -> None:
        self._sources = {canonical_url(source.url): source for source in reversed(report.sources)}
        self._places = KnownPlaces(self._sources)
        self._numbers = _numbers(report)
        claimed = [self.source_of(url) for claim in report.verdicts.claims for url in claim.urls]
        self.cited = {source.number for source in claimed if source is not None}
        self.cited |= {s.number for s in report.sources if canonical_url(s.url) in self._numbers}

    def source_of(self, url: str) -> SourceView | None:
        """Return the source of the address, else a source that overlaps with the cited place, or `None`."""
        url = canonical_url(url)
        behind = (self._sources[known] for known in self._places.meeting(url))
        return self._sources.get(url) or next(behind, None)

    def named(self, source: SourceView) -> str:
        own = self._numbers.get(canonical_url(source.url))
        return f"[{own}]" if own else "cited" if source.number in self.cited else "not cited"


def _numbers(report: ReportView) -> dict[str, str]:
    """Return the report's number of each source, by canonical address; `link` for a link or bare address without a number."""
    found: dict[str, str] = {}
    for marker in report.citations.markers:
        if marker.url is not None:
            found.setdefault(
                marker.url, marker.id if len(marker.id) <= 8 and "://" not in marker.id else "link"
            )
    return found


def links_of(report: ReportView) -> list[LinkTag]:
    """Return links from citation markers, and from ids in the list of sources, to the sources' places on the page."""
    if not report.sources:
        return []
    names, cited = SourceNames(report), report.citations
    listed = [
        (one.start, one.end, one.url)
        for entry in cited.references
        for one in entry.links
        if is_id(report.report, one)
    ]
    return [
        LinkTag(start, end, f"source-{source.number}")
        for start, end, url in [*((one.start, one.end, one.url) for one in cited.markers), *listed]
        if url is not None and (source := names.source_of(url)) is not None
    ]
