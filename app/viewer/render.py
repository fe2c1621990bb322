"""Draws the viewer's pages; the same for the server and for a folder of files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.viewer.highlight import Link, Span, marked_html, marked_text
from app.viewer.model import Entry, ReportView, SourceView, Verdict
from eval.citations import canonical_url, parse

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; base-uri 'none'; form-action 'none'"
SHOWN_PASSAGES = 3


@cache
def _templates() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    folder = Path(__file__).parent / "templates"
    return Environment(
        loader=FileSystemLoader(folder),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        auto_reload=False,
    )


class Pages:
    """One study's pages. `served` pages look for news; the others carry their policy themselves."""

    def __init__(self, study: str, *, served: bool) -> None:
        self._common: dict[str, Any] = {"study": study, "served": served, "policy": POLICY}

    def _draw(self, name: str, root: str, *, rule_written: bool, **values: Any) -> str:
        template = _templates().get_template(name)
        return template.render(root=root, rule_written=rule_written, **self._common, **values)

    def index(self, entries: Sequence[Entry]) -> str:
        columns = sorted({entry.variant for entry in entries})
        by_query: dict[str, dict[str, list[Entry]]] = {}
        questions: dict[str, str] = {}
        for entry in entries:
            by_query.setdefault(entry.query_id, {}).setdefault(entry.variant, []).append(entry)
            questions[entry.query_id] = entry.query
        rows = [
            {"id": query, "query": questions[query], "cells": [cells.get(name, []) for name in columns]}
            for query, cells in by_query.items()
        ]
        failures = Counter(entry.reason or entry.status for entry in entries if entry.status != "done")
        done = sum(entry.status == "done" for entry in entries)
        return self._draw(
            "index.html",
            "",
            rule_written=any(entry.rule_written for entry in entries),
            columns=columns,
            rows=rows,
            failures=dict(failures.most_common()),
            done=done,
            total=len(entries),
        )

    def query(self, reports: Sequence[ReportView]) -> str:
        first = reports[0]
        shown = [{"entry": report.entry, "html": _safe(report)} for report in reports]
        return self._draw(
            "query.html",
            "../",
            rule_written=any(report.entry.rule_written for report in reports),
            query=first.entry.query,
            profile=first.profile,
            reports=shown,
        )

    def report(self, report: ReportView) -> str:
        sources = {canonical_url(source.url): source for source in reversed(report.sources)}

        def source_of(url: str) -> SourceView | None:
            return sources.get(canonical_url(url))

        cited = {found.number for claim in report.claims for url in claim.urls if (found := source_of(url))}
        counts = Counter(claim.status for claim in report.claims)
        return self._draw(
            "report.html",
            "../",
            rule_written=report.entry.rule_written,
            r=report,
            html=_safe(report),
            source_of=source_of,
            cited=cited,
            passages=_passages,
            verdict_counts=counts.most_common(),
            types=sorted({verdict.source_type for claim in report.claims for verdict in claim.verdicts}),
            slowest=max((call.seconds for call in report.calls), default=1.0) or 1.0,
        )

    def page(self, sha: str, text: str) -> str:
        return self._draw("page.html", "../", rule_written=False, sha=sha, text=text)


def _safe(report: ReportView) -> Markup:
    from markupsafe import Markup

    spans = [Span(claim.start, claim.end, claim.id, claim.status) for claim in report.claims]
    return Markup(marked_html(report.report, spans, _links(report)))


def _links(report: ReportView) -> list[Link]:
    """Each marker that leads to a source of this run leads to where the source stands on the page."""
    places = {canonical_url(source.url): f"source-{source.number}" for source in reversed(report.sources)}
    return [
        Link(marker.start, marker.end, places[marker.url])
        for marker in (parse(report.report).markers if places else ())
        if marker.url in places
    ]


def _passages(verdict: Verdict) -> list[Markup]:
    from markupsafe import Markup

    return [Markup(marked_text(passage.text, passage.spans)) for passage in verdict.passages[:SHOWN_PASSAGES]]
