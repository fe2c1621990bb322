"""The viewer as a folder of files that opens from disk and can be mailed."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from drr.app.pages.serve import SORTING, STATIC, STYLES
from drr.app.viewer.reader import AroundAnswers, Reader
from drr.app.viewer.render import FILE, Pages, words_script
from drr.app.written import VIEWER_MARK
from drr.env.files import check_ours
from drr.env.progress import Progress


def write_static(
    reader: Reader,
    folder: Path,
    progress: Progress,
    report_page: str | None = None,
) -> int:
    """All pages; how many. `report_page` is where the study's report lies, seen from the folder."""
    with fresh_folder(folder) as draft:
        return _write_pages(reader, draft, progress, report_page)


SCRIPTS = (SORTING, "reach.js", "review.js", "viewer.js")


@contextmanager
def fresh_folder(
    folder: Path, mark: str = VIEWER_MARK, command: str = "drr view", scripts: Sequence[str] = SCRIPTS
) -> Iterator[Path]:
    """Made aside and swapped in, so that a folder is never half new; only our own is replaced."""
    check_ours(folder, mark, command)
    draft = folder.with_name(f".{folder.name}.new")
    check_ours(draft, mark, command)
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir(parents=True)
    (draft / mark).touch()
    yield draft
    (draft / "static").mkdir()
    for name in (*STYLES, *scripts):
        shutil.copyfile(STATIC / name, draft / "static" / name)
    if folder.exists():
        shutil.rmtree(folder)
    draft.replace(folder)


def _write_pages(reader: Reader, draft: Path, progress: Progress, report_page: str | None) -> int:
    around = AroundAnswers(reader)
    papers = reader.papers.values()
    pages = Pages(reader.name, served=False, papers=papers, about=around.about, report=report_page)
    reader.measure()
    entries = reader.entries()
    (draft / "index.html").write_text(
        pages.index(
            entries, reader.judging(), reader.to_come, reader.marked(), len(reader.judges()), reader.unjudged
        ),
        encoding="utf-8",
    )
    (draft / FILE).write_text(words_script(reader), encoding="utf-8")
    count = 1
    if len(reader.judges()) > 1 and (found := reader.judges_agreement()) is not None:
        (draft / "judges.html").write_text(pages.judges(*found), encoding="utf-8")
        count += 1
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
            # Without sources a marker leads nowhere: their places are on each answer's own page.
            compared = [replace(report, sources=()) for report in reports if report.entry.status == "done"]
            if compared:
                put("q", query, pages.query(compared, reader.outcomes(query)))
            for report in reports:
                put("r", report.entry.key, pages.report(report, around.of(report.entry.key)))
                put("x", report.entry.key, pages.transcript(report))
                frozen |= {source.page for source in report.sources if source.page}
            stage.advance()
    for sha in sorted(frozen):
        text = reader.page(sha)
        if text is not None:
            put("p", sha, pages.page(sha, text))
    return count + sum(paper.write(pages, draft, progress) for paper in papers)
