"""Files in the forms of other benchmarks, which lie in `tests/data/foreign`: their fields, none of their texts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.cases import FOLDER

FOREIGN = FOLDER / "foreign"
WISHES = {
    1: "Which feeder suits a balcony?",
    2: "阳台上适合用哪种喂鸟器？",
    3: "Wie reinige ich ein Futterhaus?",
}


def lines(path: Path, *rows: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path
