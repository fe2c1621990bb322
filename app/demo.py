"""`make demo`: from raw files to a judged report, by the commands a user would type, each shown before it runs."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

from app.cli import main

MARK = ".drr-demo"
ASKED = 4
"""Questions of the built-in set that the demo answers."""


def demo(folder: Path) -> int:
    """Goes on where an earlier call stopped; `folder` is made here or is our own."""
    if folder.exists() and any(folder.iterdir()) and not (folder / MARK).is_file():
        print(f"{folder} is not empty and not a demo of ours: move it away", file=sys.stderr)
        return 2
    folder.mkdir(parents=True, exist_ok=True)
    (folder / MARK).touch()
    raw, shop = folder / "raw", folder / "shop"
    steps: list[list[str]] = []
    if not (shop / "manifest.json").is_file():
        steps += [["sample", str(raw), "--quiet"], ["ingest", str(raw), "--shop", str(shop), "--quiet"]]
    for words in [
        *steps,
        ["shop", "search", str(shop), "squirrel-proof bird feeder", "--max-price", "60", "--limit", "3"],
    ]:
        if (code := _drr(words)) != 0:
            return code
    queries = _questions(folder)
    user = json.loads(queries.read_text(encoding="utf-8").splitlines()[0])["user_id"]
    look = ["tools", "call", "get_user_statistics", "--shop", str(shop), "--user", user, "--args", "{}"]
    rest = [
        "reproduce",
        "--shop",
        str(shop),
        "--queries",
        str(queries),
        "--out",
        str(folder / "study"),
        "--quiet",
    ]
    return _drr(look) or _drr(rest)


def _questions(folder: Path) -> Path:
    """The first of the built-in set, one of each shopper."""
    from querygen.builtin import builtin_queries

    path = folder / "queries.jsonl"
    chosen = {query.user_id: query for query in reversed(builtin_queries())}
    lines = [query.model_dump_json(exclude_none=True) for query in list(reversed(chosen.values()))[:ASKED]]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def _drr(words: list[str]) -> int:
    print(f"\n$ drr {shlex.join(words)}", flush=True)
    return main(words)


if __name__ == "__main__":
    raise SystemExit(demo(Path(sys.argv[1] if len(sys.argv) > 1 else "demo")))
