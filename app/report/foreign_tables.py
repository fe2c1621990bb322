"""What others said of the same reports, a table for each of their judges, with its name and its scale: never beside a figure of ours."""

from __future__ import annotations

from collections import Counter

from drr.app.report.material import Material
from drr.app.report.tables import Cell, Heading, Table
from drr.eval.foreign.summary import ForeignTableRow
from drr.wording.excerpt import excerpt


def foreign_table_list(material: Material) -> list[Table]:
    """Where scores were imported (`drr study import --format`)."""
    counts: Counter[str] = Counter()
    found = []
    for one in material.document.get("foreign", ()):
        name = f"foreign-{one['format']}-{one['part']}"
        counts[name] += 1
        found.append(_table(one, name if counts[name] == 1 else f"{name}-{counts[name]}"))
    return found


def _table(one: ForeignTableRow, name: str) -> Table:
    columns = [
        Heading(
            f"{column['label']} ({column['scale']})" if column["scale"] else column["label"],
            column["name"],
            column["told"],
        )
        for column in one["figures"]
    ]
    rows = [
        (system, [Cell.of(values[column["name"]]) for column in one["figures"]])
        for system, values in one["systems"].items()
    ]
    judge = "judge not told" if one["judge"] is None else f"judge {one['judge']}"
    sources = excerpt(", ".join(one["sources"]), 300)
    notes = [
        f"As imported from {sources}; {judge}. Scores of others on their own scale: no figure of this study is made of them,"
        " and none is to be compared with them."
    ]
    if alone := one.get("without_report"):
        notes.append(f"No report of these is in the study: {', '.join(alone)}.")
    return Table(name, f"As imported: {one['title']}, {judge}", columns, rows, notes, foreign=True)
