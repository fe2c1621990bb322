"""What is shown of a long text ends between words and says that something is left out."""

from __future__ import annotations

import pytest
from drr.wording.excerpt import excerpt, piece


@pytest.mark.parametrize(
    ("text", "most", "shown"),
    [
        ("quiet bird feeder", 17, "quiet bird feeder"),
        ("quiet bird feeder", 16, "quiet bird…"),
        ("quiet bird feeder", 11, "quiet bird…"),
        ("quiet bird feeder", 10, "quiet…"),
        ("quiet bird  feeder", 12, "quiet bird…"),
        ("x" * 100, 20, "x" * 19 + "…"),
        ("鳥" * 100, 20, "鳥" * 19 + "…"),
        ("", 5, ""),
    ],
)
def test_an_excerpt_ends_at_a_word(text: str, most: int, shown: str) -> None:
    assert excerpt(text, most) == shown
    assert len(excerpt(text, most)) <= most


TEXT = "Sunflower seed suits cardinals well."


@pytest.mark.parametrize(
    ("start", "end", "kept", "shown"),
    [
        (0, len(TEXT), None, TEXT),
        (3, 25, None, "seed suits"),
        (10, 20, None, "seed suits"),
        (9, 21, None, "seed suits"),
        (3, 25, (3, 25), "flower seed suits card"),
        (2, 27, (10, 14), "seed suits"),
    ],
)
def test_a_piece_is_drawn_in_to_whole_words_and_keeps_its_support(
    start: int, end: int, kept: tuple[int, int] | None, shown: str
) -> None:
    first, last = piece(TEXT, start, end, kept)
    assert TEXT[first:last].rstrip() == shown
    assert kept is None or (first <= kept[0] and last >= kept[1])
