"""The labels of two judges on the same items, side by side."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Generic, NamedTuple, TypeVar

Label = str | float
LabelT = TypeVar("LabelT", bound=Label)


class Aligned(NamedTuple, Generic[LabelT]):
    """The items that both judged."""

    a: list[LabelT]
    b: list[LabelT]
    clusters: list[str]
    lost: int
    """Items that one of them did not judge, or judged with a label that is left out."""


def aligned(
    a: Sequence[LabelT | None],
    b: Sequence[LabelT | None],
    clusters: Sequence[str] | None,
    drop: Collection[Label] = (),
) -> Aligned[LabelT]:
    """Align the labels; without clusters every item is its own."""
    names = [str(i) for i in range(len(a))] if clusters is None else clusters
    kept = [
        (x, y, c)
        for x, y, c in zip(a, b, names, strict=True)
        if x is not None and y is not None and x not in drop and y not in drop
    ]
    return Aligned(
        [x for x, _, _ in kept], [y for _, y, _ in kept], [c for _, _, c in kept], len(a) - len(kept)
    )
