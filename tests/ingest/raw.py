"""Raw rows and files for the ingest's tests, with every oddity planted."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any

ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
SINCE = 1_546_300_800_000


def user_id(number: int) -> str:
    rng = random.Random(f"user {number}")
    return "A" + "".join(rng.choice(ALPHABET) for _ in range(27))


def product_id(number: int) -> str:
    rng = random.Random(f"product {number}")
    return "B0" + "".join(rng.choice("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ") for _ in range(8))


def review(**fields: Any) -> dict[str, Any]:
    row = {
        "rating": 5.0, "title": "Five Stars", "text": "Works as it should.", "images": [],
        "asin": "B000000001", "parent_asin": "B000000001", "user_id": user_id(0),
        "timestamp": 1_600_000_000_123, "helpful_vote": 0, "verified_purchase": True,
    }  # fmt: skip
    return {**row, **fields}


def meta(**fields: Any) -> dict[str, Any]:
    row = {
        "main_category": "Pet Supplies", "title": "Quiet Dog Nail Grinder", "average_rating": 4.5,
        "rating_number": 120, "features": ["Quiet", "Rechargeable"],
        "description": ["For dogs of every size."], "price": 24.95,
        "images": [{"thumb": "t", "large": "l", "variant": "MAIN", "hi_res": None}], "videos": [],
        "store": "Pawsome", "categories": ["Pet Supplies", "Dogs", "Grooming"],
        "details": {"Brand": "Pawsome"}, "parent_asin": "B000000001", "bought_together": None,
    }  # fmt: skip
    return {**row, **fields}


def line(row: Any) -> bytes:
    return row if isinstance(row, bytes) else json.dumps(row).encode()


def write(path: Path, rows: Iterable[Any]) -> Path:
    """Rows as dicts or as raw lines; compressed where the name says so."""
    path.parent.mkdir(parents=True, exist_ok=True)
    data = b"".join(line(row) + b"\n" for row in rows)
    path.write_bytes(gzip.compress(data, 1) if path.suffix == ".gz" else data)
    return path


def write_pair(folder: Path, category: str, reviews: Iterable[Any], metas: Iterable[Any]) -> None:
    write(folder / "raw" / "review_categories" / f"{category}.jsonl.gz", reviews)
    write(folder / "raw" / "meta_categories" / f"meta_{category}.jsonl.gz", metas)


def messy_reviews(seed: int, products: list[str], count: int) -> list[Any]:
    """Users in runs, newest first, as in the real files; then everything that may go wrong, spread among them."""
    rng = random.Random(f"reviews {seed}")
    rows: list[Any] = []
    user = 0
    while len(rows) < count:
        user += 1
        name = user_id(seed * 1000 + user) if rng.random() < 0.9 else odd_user(rng)
        times = sorted(
            (rng.randrange(1_300_000_000_000, 1_690_000_000_000) for _ in range(rng.randint(1, 12))),
            reverse=True,
        )
        for time in times:
            if rng.random() < 0.3:
                time = time // 1000 * 1000
            row = review(
                user_id=name,
                parent_asin=rng.choice(products[: 1 + rng.randrange(len(products))]),
                timestamp=time,
                rating=rng.choice([5.0, 5.0, 4.0, 3.0, 1.0]),
                text=rng.choice(TEXTS),
                helpful_vote=rng.choice([0, 0, 0, 1, 12, 345, 28781]),
                verified_purchase=rng.random() < 0.9,
            )
            rows.append(row)
            rows += [_quirk(rng, row)] if rng.random() < 0.25 else []
    spread = rng.sample(rows, len(rows) // 20)
    return rows + [row if isinstance(row, bytes) else dict(row) for row in spread]


def odd_user(rng: random.Random) -> str:
    return rng.choice(["u1", "Ä" * 28, "A" * 29, "x" * 300, "with space", "a" * 28, "0" + user_id(5), "用户"])


TEXTS = [
    "Works as it should.",
    "",
    'He said "user_id": "FAKE", "timestamp": 1 and left.',
    "Très bon — ❤️ 😀",
    "Good<br /><br />Again &#34;yes&#34;",
    "back\\slash \\u0041",
    "x" * 30_000,
    '", "images": [], "asin": "B000000009", "parent_asin": "B000000009", "user_id": "',
]


def _quirk(rng: random.Random, row: dict[str, Any]) -> Any:
    """A row beside this one: a duplicate in some spelling, almost a duplicate, another form, or a bad line."""
    other = {**row, "timestamp": row["timestamp"] + 1}
    plain = json.dumps(row)
    return rng.choice(
        [
            plain.encode(),
            json.dumps(row, separators=(",", ":")).encode(),
            json.dumps(dict(reversed(row.items())), ensure_ascii=False).encode(),
            plain.replace('"rating": 5.0', '"rating": 5').encode(),
            plain.replace("Works", "\\u0057orks").encode(),
            {**row, "text": row["text"] + " Really."},
            {**row, "rating": 2.0},
            {**row, "asin": "B0OTHERONE"},
            {**other, "images": [{"small_image_url": "s", "attachment_type": "IMAGE"}]},
            {**other, "rating": 0.0, "helpful_vote": -3},
            {**other, "helpful_vote": 1_234_567},
            {**other, "timestamp": 957_208_301_000},
            json.dumps(other)
            .replace("timestamp", "sortTimestamp")
            .replace("helpful_vote", "helpfulVotes")
            .encode(),
            json.dumps(other).replace("timestamp", "sort_timestamp").encode(),
            json.dumps(other).replace('"title": "', '"title": "\\ud83d').encode(),
            json.dumps(other).replace('"title": "', '"title": "\\u0000').encode(),
            json.dumps(other).encode() + b"\r",
            plain[: len(plain) // 2].encode(),
            plain[:60].encode() + plain.encode(),
            plain.replace("Five Stars", 'Five "Stars').encode(),
            plain.replace("Five Stars", "Five\tStars").encode(),
            plain.replace('"rating": 5.0', '"rating": "5.0"').encode(),
            {name: value for name, value in row.items() if name != "parent_asin"},
            {**row, "user_id": ""},
            {**row, "user_id": None},
            {**row, "timestamp": "yesterday"},
            {**row, "timestamp": -5},
            plain.encode().replace(b"Stars", b"St\xffars"),
            b"[1, 2]",
            b"null",
            b"",
        ]
    )


def messy_metas(seed: int, products: list[str]) -> list[Any]:
    rng = random.Random(f"metas {seed}")
    rows: list[Any] = []
    for number, name in enumerate(products):
        fields: dict[str, Any] = rng.choice(
            [
                {},
                {"price": None},
                {"price": "—"},
                {"price": "from 8.99"},
                {"price": 0},
                {"price": "$1,234.50"},
                {"price": "ask"},
                {"categories": []},
                {"title": "", "store": None, "main_category": None},
                {"average_rating": None, "rating_number": None},
                {
                    "details": {
                        "Number of USB 3.0 Ports": "2",
                        "Best Sellers Rank": {"Pet Supplies": 12, "Dogs": 3},
                    }
                },
                {"details": json.dumps({"Brand": "HF", "No. of wires": "3"})},
                {"details": {}, "features": [], "description": []},
                {"subtitle": "Hardcover", "author": {"name": "A. Writer"}},
                {"title": "Türkis 🐕 “leash”"},
            ]
        )
        rows.append(
            meta(parent_asin=name, title=f"Product {number}", **fields)
            if "title" not in fields
            else meta(parent_asin=name, **fields)
        )
    rows.insert(2, b'{"main_category": "Pet Supplies", "title": "cut sho')
    rows.insert(5, meta(parent_asin=""))
    rows.insert(7, meta(parent_asin=products[3], title="Again"))
    rows.insert(9, meta(parent_asin=product_id(seed * 77 + 900_000), title="Nobody reviewed it"))
    rows.append(meta(parent_asin=product_id(seed * 77 + 900_001), features="one text"))
    return rows
