"""Writes the viewer as a folder of files that opens from disk and can be mailed."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path

from drr.app.pages.folders import VIEWER_MARK, fresh_folder
from drr.app.pages.serve import SORTING
from drr.app.viewer.reader import AroundAnswers, Reader
from drr.app.viewer.render import FILE, StudyPages, texts_script, words_script
from drr.env.progress import Progress


def write_static(
    reader: Reader,
    folder: Path,
    progress: Progress,
    report_page: str | None = None,
    *,
    public: bool = False,
) -> int:
    """Write all pages into the folder and return their number. `report_page` is the path of the study's report from the folder."""
    with viewer_folder(folder, public=public) as draft:
        return _write_pages(reader, draft, progress, report_page)


def viewer_folder(folder: Path, *, public: bool = False) -> AbstractContextManager[Path]:
    """Return a context that yields a draft folder with scripts and styles, which replaces the folder at the end."""
    scripts = (SORTING, "reach.js", "review.js", "viewer.js")
    return fresh_folder(folder, VIEWER_MARK, "drr view", scripts, public=public)


def _write_pages(reader: Reader, draft: Path, progress: Progress, report_page: str | None) -> int:
    around = AroundAnswers(reader)
    papers = reader.papers.values()
    pages = StudyPages(reader.name, served=False, papers=papers, about=around.about, report=report_page)
    reader.measure()
    entries = reader.entries()
    own = reader.to_come, reader.marked(), reader.measured_study
    index = pages.index(entries, reader.judging(), *own)
    (draft / "index.html").write_text(index, encoding="utf-8")
    (draft / "errors.html").write_text(pages.errors(entries, reader.judging()), encoding="utf-8")
    (draft / FILE).write_text(words_script(reader), encoding="utf-8")
    count = 2
    for kind in ("q", "r", "x", "p"):
        (draft / kind).mkdir()
    frozen: set[str] = set()
    units: dict[str, list[str]] = {}
    for entry in entries:
        units.setdefault(entry.question_page, []).append(entry.key)

    def put(kind: str, name: str, page: str) -> None:
        nonlocal count
        (draft / kind / f"{name}.html").write_text(page, encoding="utf-8")
        count += 1

    with progress.stage("pages", total=len(units), unit="questions") as stage:
        for query in units:
            reports = [report for key in units[query] if (report := reader.report(key)) is not None]
            compared = [report for report in reports if report.entry.status == "done"]
            if compared:
                put("q", query, pages.query(compared, reader.outcomes(query)))
            for report in reports:
                put("r", report.entry.key, pages.report(report, around.of(report.entry.key)))
                put("x", report.entry.key, pages.transcript(report))
                (draft / "x" / f"{report.entry.key}.js").write_text(texts_script(report), encoding="utf-8")
                frozen |= {source.page for source in report.sources if source.page}
            stage.advance()
    for sha in sorted(frozen):
        text = reader.page(sha)
        if text is not None:
            put("p", sha, pages.page(sha, text))
    return count + sum(paper.write(pages.frame, reader.view, draft, progress) for paper in papers)
