"""Two judges' labels crossed, as text: the confusion matrix, each class, and the view in two classes."""

from __future__ import annotations

from drr.app.terminal import table, with_interval
from drr.eval.agreement.rows import ClassesRow


def crossed(found: ClassesRow, first: str, second: str) -> list[str]:
    """The first judge's labels stand in rows; its precision and recall are of the second's."""
    names = list(found["confusion"])
    counts = [[label, *(f"{row[name]:,}" for name in names)] for label, row in found["confusion"].items()]
    binary = found["binary"]
    yes = " or ".join(binary["positive"])
    rows = [(one, found["classes"][one]) for one in names]
    classes = [
        [name, with_interval(row["precision"], 2), with_interval(row["recall"], 2)]
        for name, row in [*rows, (f"{yes}, in two classes", binary)]
    ]
    return [
        table([f"{first} says, {second} say", *names], counts),
        table(["class", "precision", "recall"], classes),
        f"In two classes ({yes}, or not): equal {with_interval(binary['exact'], 2)}, kappa {with_interval(binary['kappa'], 2)}",
    ]
