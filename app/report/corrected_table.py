"""The figures that people labelled in part, as judged and as the labels correct them."""

from __future__ import annotations

from drr.app.report.material import Material
from drr.app.report.tables import Cell, Table, headings

NOTE = (
    "Corrected: the judge's mean plus the mean of (person - judge) over the labelled; its interval holds the judge's error."
    " Labels alone: what the labelled say without the judge."
)


def corrected_table(material: Material) -> Table | None:
    """Where `drr report --labels` was given labels of what was judged."""
    document = material.document.get("corrected")
    if document is None or not document["figures"]:
        return None
    rows = [
        (
            f"{row['metric'].replace('_', ' ')}: {row['variant']}",
            [Cell.of(row["judge"]), Cell.of(row), Cell.of(row["people"]), Cell(row["n_labelled"], digits=0)],
        )
        for row in document["figures"]
    ]
    notes = dict.fromkeys(
        f"{row['metric'].replace('_', ' ')}, {row['variant']}: {told}."
        for row in document["figures"]
        for told in (row["reason"], row["biased"])
        if told
    )
    columns = headings("as judged", "corrected", "labels alone", "labelled")
    title = "Figures corrected by labels of people"
    behind = {name: (row["variant"],) for (name, _), row in zip(rows, document["figures"], strict=True)}
    return Table("corrected", title, columns, rows, [NOTE, *notes], material.banner, behind=behind)
