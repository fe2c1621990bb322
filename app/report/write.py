"""One folder: index.html, tables in three forms, figures in two, the document behind them."""

from __future__ import annotations

import json
import shutil
from html import escape
from pathlib import Path

from drr.app.pages.icon import ICON
from drr.app.pages.serve import STATIC
from drr.app.report.build import all_tables
from drr.app.report.figures import draw_all
from drr.app.report.material import Material
from drr.app.report.tables import Table, as_csv, html, latex, markdown
from drr.env.files import check_ours

MARK = ".drr-report"
POLICY = "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'"


def write_report(material: Material, folder: Path) -> list[Table]:
    """Made aside and swapped in; only a folder of ours is replaced."""
    check_ours(folder, MARK, "drr report")
    draft = folder.with_name(f".{folder.name}.new")
    check_ours(draft, MARK, "drr report")
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir(parents=True)
    (draft / MARK).touch()
    for name in ("tables", "figures", "static"):
        (draft / name).mkdir()
    tables = all_tables(material)
    for table in tables:
        for form, draw in (("md", markdown), ("tex", latex), ("csv", as_csv)):
            (draft / "tables" / f"{table.name}.{form}").write_text(draw(table), encoding="utf-8")
    figures = draw_all(material, draft / "figures")
    shutil.copyfile(STATIC / "viewer.css", draft / "static" / "viewer.css")
    document = json.dumps(material.document, indent=1, sort_keys=True, allow_nan=False)
    (draft / "metrics.json").write_text(document + "\n", encoding="utf-8")
    (draft / "index.html").write_text(_index(material, tables, figures), encoding="utf-8")
    if folder.exists():
        shutil.rmtree(folder)
    draft.replace(folder)
    return tables


def _index(material: Material, tables: list[Table], figures: list[tuple[str, str]]) -> str:
    name = escape(material.study.folder.resolve().name)
    judge = material.document.get("judge")
    banner = f'<p class="banner" role="note">{escape(material.banner)}</p>' if material.banner else ""
    invalid = material.document["coverage"]["invalid_because"]
    spoiled = f'<p class="banner" role="alert">INVALID: {escape("; ".join(invalid))}</p>' if invalid else ""
    by = (
        f"<p>Judged by {escape(judge['name'])}, claims by {escape(judge['claims_by'])}.</p>"
        if judge
        else "<p>Not judged yet.</p>"
    )
    contents = " · ".join(f'<a href="#{table.name}">{escape(table.title)}</a>' for table in tables)
    drawn = dict(figures)
    sections = "".join(
        html(table) + (_picture(table.name, drawn.pop(table.name)) if table.name in drawn else "")
        for table in tables
    )
    pictures = "".join(_picture(file, title) for file, title in drawn.items())
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<title>{name}: report</title><link rel="stylesheet" href="static/viewer.css">{ICON}</head>
<body>{banner}{spoiled}<main><h1>{name}</h1>{by}<p>{contents} · <a href="metrics.json">metrics.json</a></p>
{sections}
{pictures}</main></body></html>
"""


def _picture(file: str, title: str) -> str:
    links = (
        f'<small>figure: <a href="figures/{file}.svg">svg</a> <a href="figures/{file}.png">png</a></small>'
    )
    return (
        f'<figure class="scroll" tabindex="0" role="region" aria-label="{escape(title)}, figure">'
        f'<img src="figures/{file}.svg" alt="{escape(title)}"><figcaption>{links}</figcaption></figure>'
    )
