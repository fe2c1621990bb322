"""Review files as large as the real ones and as hard to decompress, made quickly.

The sample shop's reviews are sentences from a small stock and shrink to a fifth. Real files shrink to 1/3.5 to 1/3.8
(published sizes), so decompressing them takes longer per row and is the fairer limit.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from isal import igzip

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
_SYLLABLES = [
    "ba",
    "be",
    "co",
    "da",
    "de",
    "el",
    "fi",
    "ga",
    "ha",
    "in",
    "ka",
    "la",
    "le",
    "li",
    "lo",
    "ma",
    "me",
    "mi",
    "no",
    "or",
    "pa",
    "pe",
    "qui",
    "ra",
    "re",
    "ri",
    "sa",
    "se",
    "ta",
    "te",
    "ti",
    "to",
    "un",
    "va",
    "wa",
]
_POOL = 60_000
_STRETCH = 100_000
_FIRST, _LAST = 1_262_304_000_000, 1_694_670_000_000
_SPECIAL = ("\\u2019", "\\u2014", '\\"', "\\ud83d\\ude00", "\\u00e9")


def _sentences(rng: np.random.Generator) -> list[str]:
    """Make sentences about as varied as review prose: words by Zipf's law."""
    words = ["".join(rng.choice(_SYLLABLES, rng.integers(1, 4))) for _ in range(12_000)]
    weights = 1 / np.arange(3, len(words) + 3) ** 1.05
    drawn = rng.choice(len(words), (_POOL, 16), p=weights / weights.sum())
    lengths = rng.integers(6, 17, _POOL)
    return [
        " ".join([words[at] for at in row[:length]]).capitalize() + "."
        for row, length in zip(drawn.tolist(), lengths.tolist(), strict=True)
    ]


def write_reviews(path: Path, rows: int, seed: int = 7) -> None:
    """Users in runs, 1.1% exact duplicates, one row in nine with escapes, one in twenty with a picture."""
    rng = np.random.default_rng(seed)
    sentences = _sentences(rng)
    products = _ids(rng, max(1, rows // 40), 8)
    with igzip.open(path, "wb", compresslevel=3) as stream:
        for first in range(0, rows, _STRETCH):
            count = min(_STRETCH, rows - first)
            runs = np.repeat(np.arange(count), rng.geometric(0.48, count))[:count]
            user = _ids(rng, count, 27)
            item = (rng.random(count) ** 2 * len(products)).astype(np.int64)
            time = np.sort(rng.integers(_FIRST, _LAST, count))[::-1]
            stars = rng.choice([5, 4, 3, 2, 1], count, p=[0.65, 0.15, 0.07, 0.05, 0.08])
            parts = rng.geometric(0.31, count).clip(1, 12)
            text = rng.integers(0, _POOL, (count, 13))
            votes = np.where(rng.random(count) < 0.75, 0, rng.geometric(0.2, count))
            luck = rng.random((count, 4))
            lines: list[str] = []
            for at, (run, one, when, star, many, words, vote, (a, b, c, d)) in enumerate(
                zip(
                    runs.tolist(), item.tolist(), time.tolist(), stars.tolist(), parts.tolist(), text.tolist(),
                    votes.tolist(), luck.tolist(), strict=True,
                )
            ):  # fmt: skip
                if a < 0.011 and lines:
                    lines.append(lines[-1])
                    continue
                body = " ".join([sentences[word] for word in words[:many]])
                if b < 0.11:
                    body = body.replace(" ", f" {_SPECIAL[at % 5]}", 1)
                picture = ""
                if c < 0.05:
                    url = f"https://m.media-amazon.com/images/I/{one:x}{when:x}._SL"
                    picture = (
                        f'{{"small_image_url": "{url}256_.jpg", "medium_image_url": "{url}800_.jpg", '
                        f'"large_image_url": "{url}1600_.jpg", "attachment_type": "IMAGE"}}'
                    )
                product = products[one]
                other = product if d < 0.5 else products[one - 1]
                lines.append(
                    f'{{"rating": {star}.0, "title": "{sentences[words[12]][:24]}", "text": "{body}", "images": [{picture}], '
                    f'"asin": "B0{other}", "parent_asin": "B0{product}", "user_id": "A{user[run]}", "timestamp": {when}, '
                    f'"helpful_vote": {vote}, "verified_purchase": {"true" if a < 0.92 else "false"}}}\n'
                )
            stream.write("".join(lines).encode("ascii"))


def _ids(rng: np.random.Generator, count: int, length: int) -> list[str]:
    codes = np.frombuffer(_LETTERS.encode("utf-32-le"), np.uint32)[rng.integers(0, 32, (count, length))]
    ids: list[str] = np.ascontiguousarray(codes).view(f"U{length}").ravel().tolist()
    return ids


if __name__ == "__main__":
    write_reviews(Path(sys.argv[1]), int(sys.argv[2]))
