"""The output of `drr report --labels`: every figure that people labelled in part, as judged and as corrected."""

from __future__ import annotations

from drr.app.terminal import Column, flowing, table, with_interval
from drr.eval.metrics.rows import CorrectedDocument


def corrected_text(document: CorrectedDocument, banner: str | None) -> str:
    parts = [flowing(banner)] if banner else []
    rows = [
        [
            row["metric"].replace("_", " "),
            row["variant"],
            with_interval(row["judge"], usual=row["n"]),
            with_interval(row, usual=row["n"]),
            with_interval(row["people"]),
            f"{row['n_labelled']:,} of {row['n']:,}",
        ]
        for row in document["figures"]
    ]
    head: list[str | Column] = [
        "metric",
        "variant",
        "as judged",
        "corrected by labels",
        Column("labels alone", rank=1),
        "labelled",
    ]
    parts.append(table(head, rows) if rows else "No label is of anything that this judge judged.")
    parts += dict.fromkeys(
        f"{row['metric'].replace('_', ' ')} of {row['variant']}: {reason}."
        for row in document["figures"]
        for reason in (row["reason"] and f"unknown: {row['reason']}", row["biased"])
        if reason
    )
    if document["unmatched"]:
        parts.append(
            f"{document['unmatched']:,} of {document['labels']:,} labels are of nothing that this judge judged."
        )
    return "\n\n".join(parts)
