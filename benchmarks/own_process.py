"""Time of a unit of an agent that answers at once: within the program, and in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

AGENT = """
async def instant(query, tools, model, budget):
    found = await tools[0].ainvoke({"query": "dog bed"})
    return f"# Answer\\n\\nThe shop says, for 5 dollars:\\n\\n{found[:200]}"


instant.version = "1"
instant.tools = ("product_catalog_search",)
"""
UNITS = 1_000


def main(shop: str, user: str, units: int = UNITS) -> None:
    """Print milliseconds a unit in both ways, with and without the start of the program."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "instant.py").write_text(AGENT, encoding="utf-8")
        questions = [
            {"id": f"q-{n}", "query": f"Which dog bed is number {n}?", "user_id": user} for n in range(units)
        ]
        for name, asked in (("one", questions[:1]), ("all", questions)):
            lines = "".join(json.dumps(one) + "\n" for one in asked)
            (folder / f"{name}.jsonl").write_text(lines, encoding="utf-8")
        for way in ([], ["--in-process"]):
            seconds = {}
            for name in ("one", "all"):
                words = [
                    "run",
                    folder / f"{name}{len(way)}",
                    "--shop",
                    shop,
                    "--queries",
                    folder / f"{name}.jsonl",
                ]
                more = ["--variants", folder / "instant.py:instant", "--model", "offline", "--quiet", *way]
                begun = time.perf_counter()
                subprocess.run([sys.executable, "-m", "drr", *map(str, [*words, *more])], check=True)
                seconds[name] = time.perf_counter() - begun
            whole, each = seconds["all"] / units, (seconds["all"] - seconds["one"]) / (units - 1)
            print(f"{way or 'own process'}: {whole * 1000:.1f} ms a unit, {each * 1000:.1f} beyond the first")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], *map(int, sys.argv[3:]))
