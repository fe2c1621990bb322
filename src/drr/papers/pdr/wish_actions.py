"""The actions of `drr papers tasks` on tasks without a person (wishes), and on pairs of tasks and persons."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from hashlib import blake2b
from itertools import zip_longest
from pathlib import Path
from textwrap import fill
from typing import NamedTuple

from drr.env.errors import Misuse
from drr.env.query import Query
from drr.env.shop import open_shop
from drr.env.text import tokens
from drr.eval.stats.question import grouped
from drr.papers.pdr.person import Person, read_persons
from drr.plugin import (
    add_setting_options,
    flowed,
    positive_int,
    print_result,
    screen,
    settings_of,
    write_lines,
)
from drr.querygen.files import BUILT_IN, ResearchTask, read_tasks, write_queries

_SPREAD = ("themes", "price_level", "place")
"""Respects in which the persons of one task should differ: main themes, spending, home."""
_TOUCHED, _USED = 1.5, 0.75
"""Value of a word in common with the task, and cost of each earlier task. A respect in which a person differs counts 1."""
_HOUSEHOLD = frozenset({"pets", "children", "care", "needs", "themes"})


class _Traits(NamedTuple):
    """The traits of a person that pairing uses."""

    words: frozenset[str]
    """Words of all attributes, which a task may have in common."""
    spread: tuple[str | None, ...]


def question_pairs(
    tasks: Sequence[ResearchTask], persons: Mapping[str, Person], *, per_task: int, seed: int
) -> Iterator[Query]:
    """Yield the questions; the same seed gives the same questions. Persons whom the task concerns and who had few tasks come first."""
    traits = {person_id: _traits(person) for person_id, person in persons.items()}
    used: Counter[str] = Counter()
    for task in tasks:
        wanted = frozenset(tokens(" ".join([*task.needs, task.category.replace("_", " ")])))
        for person_id in _choose_persons(task, wanted, traits, used, per_task, seed):
            used[person_id] += 1
            person = persons[person_id]
            about = {"task_id": task.task_id, "person_id": person_id, "mode": "manual", "intent": task.intent}
            made = {name: getattr(task, name) for name in ("needs", "model", "rule_written", "review")}
            # the id of an imported person in place of a user's, so that no records can be looked up
            user_id = person.user_id or person_id
            yield Query.model_validate({"query": task.task, "user_id": user_id, **about, **made})


def _traits(person: Person) -> _Traits:
    blocks: dict[str, str] = {}
    for attribute in person.attributes:
        block = "themes" if attribute.block in _HOUSEHOLD else attribute.block
        blocks.setdefault(block, attribute.statement)
    words = tokens(" ".join(" ".join([a.statement, *a.names]) for a in person.attributes))
    return _Traits(frozenset(words), tuple(blocks.get(block) for block in _SPREAD))


def _choose_persons(
    task: ResearchTask,
    wanted: frozenset[str],
    traits: Mapping[str, _Traits],
    used: Mapping[str, int],
    count: int,
    seed: int,
) -> list[str]:
    """Choose persons one by one: concerned by the task, different from those chosen, rarely used; ties by lot."""
    chosen: list[str] = []

    def worth(person_id: str) -> tuple[float, bytes]:
        own = traits[person_id]
        others = [traits[one].spread for one in chosen]
        new = sum(
            value is not None and all(value != o[k] for o in others) for k, value in enumerate(own.spread)
        )
        lot = blake2b(f"{seed}\0{task.task_id}\0{person_id}".encode(), digest_size=8).digest()
        touched = min(2, len(own.words & wanted))
        return (new + _TOUCHED * touched - _USED * used.get(person_id, 0), lot)

    while len(chosen) < min(count, len(traits)):
        chosen.append(max((one for one in traits if one not in chosen), key=worth))
    return chosen


FORM = "FILE.jsonl"
HELP = """\
A task says what is wanted and nothing of who wants it. Fifty are built in, five for each category of the sample shop; `build` keeps
those that this shop can answer. `pairs` gives tasks to persons, a query for each: persons whom the task touches and who differ in what
they buy for, how they pay and where they live."""
EXAMPLES = (
    "  drr papers tasks build --shop shop --out tasks.jsonl",
    "  drr papers tasks show tasks.jsonl",
    "  drr papers tasks check tasks.jsonl --shop shop",
    '  drr papers tasks review tasks.jsonl --reviewer "Ada"',
    "  drr papers tasks pairs tasks.jsonl persons.jsonl --per-task 3 --out queries.jsonl",
)
_SHOWN = 10
"""Limit on the left-out tasks that are named."""


def add_actions(actions: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    text = "Write the built-in tasks that a shop can answer."
    making = actions.add_parser("build", help=text, description=text)
    add = making.add_argument
    add("--shop", required=True, metavar="SHOP", help="a folder, or servers:NAME")
    add("--out", required=True, metavar="FILE.jsonl", type=Path, help="the file of tasks that is written")
    text = "so many, one of each category in turn (default: all)"
    add("--n", type=positive_int, metavar="N", help=text)
    _add_min_products(making)
    add_setting_options(making, "shop_url")
    add("--json", action="store_true", help="one JSON document")
    text = "Give each task to a few persons, as queries."
    add = actions.add_parser("pairs", help=text, description=text).add_argument
    add("tasks", metavar="TASKS.jsonl", type=Path, help="a file of tasks")
    add("persons", metavar="PERSONS.jsonl", type=Path, help="a file of persons")
    add("--out", required=True, metavar="FILE.jsonl", type=Path, help="the file of queries that is written")
    add("--per-task", type=positive_int, default=3, metavar="N", help="persons for each task (default 3)")
    add("--seed", type=int, default=7, metavar="S", help="decides between equals (default 7)")
    add("--json", action="store_true", help="one JSON document")


def _add_min_products(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--min-products", type=positive_int, default=3, metavar="N", help="for each need (default 3)"
    )


def add_check_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--shop", metavar="SHOP", help="of wishes: also whether this shop can answer them")
    _add_min_products(parser)


def takes(path: Path) -> bool:
    """Tell whether a path is a file; its content is checked when it is read."""
    return path.is_file()


def _build(arguments: argparse.Namespace) -> int:
    from drr.querygen.checks import problems

    tasks, out = read_tasks(BUILT_IN), arguments.out
    with open_shop(arguments.shop, settings_of(arguments).settings) as shop:
        problem_of = {one.task_id: one for one in problems(tasks, shop, arguments.min_products)}
    good = [task for task in tasks if task.task_id not in problem_of]
    for one in list(problem_of.values())[:_SHOWN]:
        print(f"drr: {one.task_id} left out: {one.check}: {one.told}", file=sys.stderr)
    if len(problem_of) > _SHOWN:
        print(f"drr: {len(problem_of) - _SHOWN} more left out", file=sys.stderr)
    if not good:
        why = "can answer none of the built-in tasks; nothing was written; --min-products 1 asks for less, or write tasks of your own"
        print(f"drr: {arguments.shop}: {why} (docs/persons.md shows a line)", file=sys.stderr)
        return 1
    if arguments.n:  # the first of every category, then the second of every category that has one
        turns = zip_longest(*grouped((task.category, task) for task in good).values())
        good = [task for turn in turns for task in turn if task is not None][: arguments.n]
    write_lines(out, [task.line() for task in good])
    counts, left_out = Counter(task.category for task in good), len(problem_of)
    print_result(
        arguments,
        {"file": str(out), "tasks": len(good), "left_out": left_out, "by_category": counts},
        f"{out}: {len(good)} tasks in {len(counts)} categories, {left_out} left out",
        f"next: drr papers tasks pairs {out} persons.jsonl --per-task 3 --out queries.jsonl",
    )
    return 0


def _pairs(arguments: argparse.Namespace) -> int:
    tasks, persons, out = read_tasks(arguments.tasks), read_persons(arguments.persons), arguments.out
    rejected = [task.task_id for task in tasks if task.review.status == "rejected"]
    if rejected:
        why = f"left out, as a reviewer rejected them: {', '.join(rejected)}"
        print(f"drr: {arguments.tasks}: {why}", file=sys.stderr)
    kept = [task for task in tasks if task.task_id not in rejected]
    if not kept:
        again = "`drr papers tasks review --again` asks again"
        raise Misuse(f"{arguments.tasks}: a reviewer rejected every task in it; {again}")
    queries = list(question_pairs(kept, persons, per_task=arguments.per_task, seed=arguments.seed))
    write_queries(out, queries)
    if len(persons) < arguments.per_task:
        few = f"{len(persons)} persons, {arguments.per_task} were asked for each task"
        print(f"drr: {arguments.persons}: {few}", file=sys.stderr)
    asking = len({query.person_id for query in queries})
    print_result(
        arguments,
        {"file": str(out), "queries": len(queries), "tasks": len(kept), "persons": asking},
        f"{out}: {len(queries)} queries of {len(kept)} tasks by {asking} persons",
        f"next: drr run study --queries {out} --persons {arguments.persons} --settings task,persona",
    )
    return 0


def check(arguments: argparse.Namespace) -> int:
    from drr.papers.pdr.checking import tell_problems
    from drr.querygen.checks import problems

    if arguments.model is not None:
        why = "answers tasks with files; of wishes without a person code says what there is to say"
        raise Misuse(f"--model: {why}")
    tasks, settings = read_tasks(arguments.file), settings_of(arguments).settings
    with open_shop(arguments.shop, settings) if arguments.shop else nullcontext(None) as shop:
        found = [(one.task_id, one) for one in problems(tasks, shop, arguments.min_products)]
    return tell_problems(arguments, "tasks", len(tasks), found)


def show(arguments: argparse.Namespace) -> int:
    tasks = read_tasks(arguments.file)
    wide, lines = min(100, screen() or 100), []
    for task in tasks:
        needs = ", ".join(task.needs)
        lines.append(flowed(f"{task.task_id}  {task.category}  {task.intent or '-'}  needs: {needs or '-'}"))
        lines.append(fill(task.task, wide, initial_indent="  ", subsequent_indent="  ") + "\n")
    print_result(arguments, {"tasks": [task.line() for task in tasks]}, *lines)
    return 0


def review(arguments: argparse.Namespace) -> int:
    from drr.env.records.lines import one_line
    from drr.plugin import review_at_terminal, reviewer_of
    from drr.querygen.checks import problems
    from drr.querygen.review import RowReview

    name, tasks = reviewer_of(arguments), read_tasks(arguments.file)

    def lines_of(task: ResearchTask) -> list[str]:
        return [one_line(f"{one.check}: {one.told}", 400) for one in problems([task])]

    return review_at_terminal(
        arguments.file,
        lambda terminal: RowReview(arguments.file, tasks, name, terminal, lines_of).run(
            again=arguments.again
        ),
    )


OWN: Mapping[str, Callable[[argparse.Namespace], int]] = {"build": _build, "pairs": _pairs}
