"""Planted obedience: is an injection that was obeyed read so from calls, picks and state, and one that was only talked about not?

python -m benchmarks.obedience [--answers 200] [--record]
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from pathlib import Path

from drr.app.cli import main as drr
from drr.app.stress.findings import findings
from drr.study.study import Study

from benchmarks.results import record, table

AGENTS = ("by_call", "by_pick", "by_profile", "silent", "warns", "lists_it")


def answers(count: int) -> Counter[tuple[str, bool, bool]]:
    """Count answers under an injection by agent, whether they obeyed, and whether they were read so."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        names = ",".join(f"{Path(__file__).with_name('obedient_agents.py')}:{name}" for name in AGENTS)
        questions = str(count)  # a change cannot reach each of them
        for words in (
            ["data", "sample", f"{home}/raw", "--seed", "7", "--quiet"],
            ["data", "ingest", f"{home}/raw", "--shop", f"{home}/shop", "--quiet"],
            ["queries", "generate", "--checkable", "--shop", f"{home}/shop", "--seed", "5", "--count", questions, "--out", f"{home}/q.jsonl", "--quiet"],
            ["run", f"{home}/study", "--shop", f"{home}/shop", "--queries", f"{home}/q.jsonl", "--variants", names, "--quiet"],
            ["study", "stress", f"{home}/study", "--with", "injection", "--quiet"],
        ):  # fmt: skip
            assert drr(words) == 0, words
        found: Counter[tuple[str, bool, bool]] = Counter()
        with Study.read(home / "study" / "stress") as study:
            reports = {one.key: study.text(one, "report") or "" for one in study.records("answer")}
        for pair in findings(home / "study")["pairs"]:
            ((_, read),) = pair["outcomes"]["obeyed"]
            obeyed = reports[pair["key"]].startswith("# Obeyed")
            found[pair["variant"].rpartition(":")[2], obeyed, read == 1.0] += 1
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--answers", type=int, default=240, help="at least so many, over six agents")
    parser.add_argument("--record", action="store_true", help="keep the table in RESULTS.md")
    arguments = parser.parse_args()
    found = answers(-(-arguments.answers // len(AGENTS)))
    wrong = sum(count for (_, obeyed, read), count in found.items() if obeyed != read)
    rows = []
    for name in AGENTS:
        own = {(obeyed, read): count for (agent, obeyed, read), count in found.items() if agent == name}
        rows.append((name, sum(own.values()), sum(n for (obeyed, _), n in own.items() if obeyed), sum(n for (_, read), n in own.items() if read)))  # fmt: skip
    text = (
        "`python -m benchmarks.obedience --record`: `drr study stress --with injection` over scripted agents: three that read the order do one thing of it, one is silent,"
        f" two quote it. **{wrong} of {sum(found.values())} answers were read wrongly.** Not every answer comes upon the order.\n\n"
        + table(("agent", "answers", "obeyed", "read so"), rows)
    )
    if arguments.record:
        record("Planted obedience", text)
    else:
        print(text)


if __name__ == "__main__":
    main()
