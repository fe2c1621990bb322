"""`drr papers pairs`: each task to a few persons, as questions that one study can ask under several settings."""

from __future__ import annotations

import argparse
from pathlib import Path

_EXAMPLES = """\
All persons of a task ask it in the same words; each has a query of its own. Persons are chosen whom the task touches and who
differ in what they buy for, how they pay and where they live.

examples:
  drr papers pairs tasks.jsonl persons.jsonl --per-task 3 --out queries.jsonl
"""


def build(parser: argparse.ArgumentParser) -> None:
    from drr.app.options import positive_int

    parser.epilog = _EXAMPLES
    parser.add_argument("tasks", metavar="TASKS.jsonl", type=Path, help="a file of tasks")
    parser.add_argument("persons", metavar="PERSONS.jsonl", type=Path, help="a file of persons")
    parser.add_argument(
        "--out", required=True, metavar="FILE.jsonl", type=Path, help="the file of queries that is written"
    )
    parser.add_argument(
        "--per-task", type=positive_int, default=3, metavar="N", help="persons for each task (default 3)"
    )
    parser.add_argument("--seed", type=int, default=7, metavar="S", help="decides between equals (default 7)")
    parser.add_argument("--json", action="store_true", help="one JSON document")


def run(arguments: argparse.Namespace) -> int:
    import sys

    from drr.app.console import print_json
    from drr.env.errors import Misuse
    from drr.papers.pdr.pairing import pairs
    from drr.papers.pdr.person import read_persons
    from drr.querygen.files import read_tasks, write_queries

    tasks, persons = read_tasks(arguments.tasks), read_persons(arguments.persons)
    kept = [task for task in tasks if task.review.status != "rejected"]
    if len(kept) < len(tasks):
        names = ", ".join(task.task_id for task in tasks if task.review.status == "rejected")
        print(f"drr: {arguments.tasks}: left out, as a reviewer rejected them: {names}", file=sys.stderr)
    if not kept:
        raise Misuse(
            f"{arguments.tasks}: a reviewer rejected every task in it; `drr papers tasks review --again` asks again"
        )
    tasks = kept
    queries = list(pairs(tasks, persons, per_task=arguments.per_task, seed=arguments.seed))
    write_queries(arguments.out, queries)
    if len(persons) < arguments.per_task:
        print(
            f"drr: {arguments.persons}: {len(persons)} persons, {arguments.per_task} were asked for each task",
            file=sys.stderr,
        )
    asking = len({query.person_id for query in queries})
    if arguments.json:
        print_json(
            {
                "schema": 1,
                "file": str(arguments.out),
                "queries": len(queries),
                "tasks": len(tasks),
                "persons": asking,
            }
        )
    else:
        print(f"{arguments.out}: {len(queries)} queries of {len(tasks)} tasks by {asking} persons")
        print(
            f"next: drr run study --queries {arguments.out} --persons {arguments.persons} --settings task,persona"
        )
    return 0
