"""How many functions and files of ours run from a question to its report, from a citation to its verdict, and for a report's page.

python -m benchmarks.journeys
"""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from types import CodeType, FrameType

from drr.app.cli import main as drr
from drr.querygen.builtin import builtin_queries

from benchmarks.results import machine, record, table

ROOT = Path(__file__).parent.parent
OURS = tuple(
    f"{ROOT / name}/"
    for name in (
        *("agents", "app", "citations", "data_ingest", "env", "eval", "extras", "llm", "offline", "papers"),
        *("querygen", "src", "study", "tools", "wording"),
    )
)


def walked(words: Sequence[str]) -> tuple[int, int]:
    """Count the functions of ours that one command runs, and their files; bodies of modules are left out."""
    seen = set[CodeType]()

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            seen.add(frame.f_code)

    sys.setprofile(note)
    threading.setprofile(note)
    try:
        code = drr([*words])
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    if code != 0:
        raise SystemExit(f"drr {' '.join(words)}: exit code {code}")
    own = [(str(Path(one.co_filename).resolve()), one) for one in seen]
    ours = [(name, one) for name, one in own if name.startswith(OURS) and one.co_name[0] != "<"]
    return len({one for _, one in ours}), len({name for name, _ in ours})


def apart(*words: str) -> list[str]:
    """Count in a process of its own, where nothing was asked before."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.journeys", *words], cwd=ROOT, capture_output=True, text=True
    )
    if done.returncode:
        raise SystemExit(done.stderr)
    return done.stdout.split()[-2:]


def main() -> None:
    with TemporaryDirectory() as place:
        folder = Path(place)
        raw, shop, queries, study = (str(folder / one) for one in ("raw", "shop", "queries.jsonl", "study"))
        query = builtin_queries()[0]
        Path(queries).write_text(query.model_dump_json(exclude_none=True) + "\n", encoding="utf-8")
        for words in (["data", "sample", raw], ["data", "ingest", raw, "--shop", shop]):
            drr([*words, "--quiet"])
        asked = ["ask", query.query, "--shop", shop, "--user", query.user_id]
        rows = [("question to report: drr ask", *apart(*asked))]
        drr(["run", study, "--shop", shop, "--queries", queries, "--variants", "react", "--quiet"])
        judged = ["judge", study, "--what", "faithfulness,citations", "--quiet"]
        rows.append(("citation to verdict: drr judge", *apart(*judged)))
        rows.append(
            (
                "pages of a report: drr report",
                *apart("report", study, "--out", str(folder / "report"), "--quiet"),
            )
        )
    head = ("journey", "functions", "files")
    record("Journeys", f"Of ours, one question, no model ({machine()}).\n\n{table(head, rows)}")


if __name__ == "__main__":
    if sys.argv[1:]:
        print(*walked(sys.argv[1:]))
    else:
        main()
