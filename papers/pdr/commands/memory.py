"""`drr papers memory`: which memories there are, and how well each remembers what a context shows of a person."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from drr.env.settings import Settings
    from drr.eval.stats.intervals import VRow
    from drr.papers.pdr.memory.truth import Remembered, Statements
    from drr.papers.pdr.person import Person
    from drr.papers.pdr.remembering import Memories, MemoryCost, Remembrance, Wanted
    from drr.study.study import Study
    from drr.study.unit import Unit


_EXAMPLES = """\
A memory is shown a person's whole context and recalls, for a task, at most so many tokens of it. `drr run --settings
memory:NAME:32k` gives agents what it recalls; docs/persons.md says how to add one.

examples:
  drr papers memory list
  drr papers memory test bm25 contexts
  drr papers memory test none,recent,bm25,facts contexts --tokens 2k
  drr papers memory test my_memory.py:Diary contexts
"""


def build(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EXAMPLES
    actions = parser.add_subparsers(dest="action", required=True, metavar="list|test")
    summary = "List the memories: ours, and those of plug-ins."
    listing = actions.add_parser("list", help=summary, description=summary)
    listing.add_argument("--json", action="store_true", help="one JSON document")
    summary = "Recall and precision of attributes in what a memory recalls, without a judge; what it took."
    _build_test(
        actions.add_parser(
            "test",
            help=summary,
            description=summary,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            epilog=_EXAMPLES.split("\n\n")[1],
        )
    )


def _build_test(parser: argparse.ArgumentParser) -> None:
    from drr.app.console import add_setting_options
    from drr.app.models import SETTINGS
    from drr.app.options import positive_int
    from drr.app.studies import add_run_options

    parser.add_argument("memory", metavar="NAME[,NAME]", help="of `drr papers memory list`, or file.py:Class")
    parser.add_argument(
        "contexts", metavar="CONTEXTS", type=Path, help="a folder of `drr papers context build`"
    )
    parser.add_argument(
        "--persons",
        metavar="FILE.jsonl",
        type=Path,
        help="the persons of these contexts (default: those that lie with them)",
    )
    parser.add_argument(
        "--tokens", type=_budget, default=32_000, metavar="N", help="most that is recalled (default 32k)"
    )
    parser.add_argument("--task", action="append", metavar="TEXT", help="what it is asked for; repeatable")
    parser.add_argument(
        "--persons-limit", dest="how_many", type=positive_int, metavar="N", help="the first N persons alone"
    )
    parser.add_argument("--json", action="store_true", help="one JSON document")
    add_run_options(parser)
    add_setting_options(parser, *SETTINGS, "role_models", "prompts", "model_embedder")


def _budget(text: str) -> int:
    from drr.env.errors import Misuse
    from drr.papers.pdr.context import parse_sizes

    try:
        sizes = list(parse_sizes(text).values())
    except Misuse as error:
        raise argparse.ArgumentTypeError(str(error)) from error
    if len(sizes) != 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not one number of tokens, e.g. 32k")
    return sizes[0]


def run(arguments: argparse.Namespace) -> int:
    if arguments.action == "list":
        return _list(arguments)
    from drr.app.console import settings_of

    return try_memories(arguments, settings_of(arguments).settings)


def _list(arguments: argparse.Namespace) -> int:
    from drr.app.console import tell
    from drr.app.terminal import Column, table
    from drr.papers.pdr.memory.registry import memory_kinds

    kinds = memory_kinds()
    names = ("name", "version", "summary", "asks_model", "embeds", "origin")
    uses = {
        (False, False): "-",
        (True, False): "model",
        (False, True): "embedder",
        (True, True): "model, embedder",
    }
    lines = [(k.name, k.version, uses[k.asks_model, k.embeds], k.summary) for k in kinds]
    tell(
        arguments,
        {"memories": [{name: getattr(kind, name) for name in names} for kind in kinds]},
        table(["memory", "version", "uses", Column("how", flows=True)], lines),
    )
    return 0


TASK = "Advise me on what to buy next for my household. What do you know of me that matters for it?"
"""Asked where no task is given."""


class MemoryRow(TypedDict):
    """One memory in the document of `drr papers memory test`."""

    version: str
    recall: VRow
    precision: VRow
    contradictions: int
    fed: VRow
    build: MemoryCost
    build_seconds: float
    recalls: MemoryCost
    failures: dict[str, int]
    rule_written: bool


@dataclass
class _Tally:
    """The tally of one memory, by person."""

    recall: dict[str, list[float | None]] = field(default_factory=dict)
    precision: dict[str, list[float | None]] = field(default_factory=dict)
    fed: dict[str, list[float | None]] = field(default_factory=dict)
    contradictions: int = 0
    failures: Counter[str] = field(default_factory=Counter)
    build: list[MemoryCost] = field(default_factory=list)
    build_seconds: float = 0.0
    recalls: list[MemoryCost] = field(default_factory=list)

    def add(self, person_id: str, found: Mapping[Wanted, tuple[Remembrance, Remembered | None]]) -> None:
        for known in (self.recall, self.precision, self.fed):
            known.setdefault(person_id, [])
        for number, (remembrance, remembered) in enumerate(found.values()):
            if number == 0:
                self.build.append(remembrance.build)
                self.build_seconds += remembrance.build_seconds
            self.recalls.append(remembrance.row["cost"])
            self.recall[person_id].append(None if remembered is None else remembered.recall)
            self.precision[person_id].append(None if remembered is None else remembered.precision)
            self.fed[person_id].append(remembrance.row["fed"])
            self.contradictions += 0 if remembered is None else len(remembered.contradictions)
            if remembrance.row["failure"] is not None:
                self.failures[remembrance.row["failure"]] += 1

    def failed(self, person_id: str, reason: str) -> None:
        for known in (self.recall, self.precision, self.fed):
            known[person_id] = [None]
        self.failures[reason] += 1


def try_memories(arguments: argparse.Namespace, settings: Settings) -> int:
    """The work lies in FOLDER.memory: it goes on where it stopped, and nothing is asked twice."""
    from drr.app.models import models_of, prompts_of
    from drr.app.studies import budget_of, check_models, conclude, run_units, unit_cap_of
    from drr.papers.pdr.context import read_contexts
    from drr.papers.pdr.memory.base import ROLE
    from drr.papers.pdr.memory.registry import check_playable, memory_kind
    from drr.papers.pdr.remembering import Memories, MemoryMaking, Wanted
    from drr.study.study import Study

    contexts, persons = read_contexts(arguments.contexts), _persons(arguments)
    words = [word for word in arguments.memory.split(",") if word]
    kinds = {word: memory_kind(word) for word in words}
    models = models_of(settings)
    check_playable(kinds.values(), models.name_of(ROLE))
    folder = arguments.contexts.with_name(arguments.contexts.name + ".memory")
    wanted = [Wanted(task, arguments.tokens) for task in arguments.task or [TASK]]
    with Study.create(folder, {"run": {"what": "memory test"}, "settings": {}}) as study:
        if any(kind.asks_model for kind in kinds.values()):
            check_models(models, (ROLE,), budget_of(arguments, study), unit_cap_of(arguments))
        making = MemoryMaking(settings, models, prompts_of(settings, "papers/pdr"), contexts)
        memories = Memories(making, study)
        units = {
            (w, p): making.unit(w, p, wanted) for p in _tested(arguments, memories, persons) for w in words
        }
        summary = run_units(arguments, study, list(units.values()), memories.work, models, "remembering")
        rows = {word: _row(study, memories, persons, word, units) for word in words}
    _tell(arguments, memories, rows)
    again = f"papers memory test {arguments.memory} {arguments.contexts}"
    return conclude(summary, folder, command=again)


def _persons(arguments: argparse.Namespace) -> Mapping[str, Person]:
    from drr.papers.pdr.context import PERSONS
    from drr.papers.pdr.person import read_persons

    return read_persons(arguments.persons or arguments.contexts / PERSONS)


def _tested(
    arguments: argparse.Namespace, memories: Memories, persons: Mapping[str, Person]
) -> Sequence[str]:
    """List those of whom there is a context, in the order of the contexts."""
    from drr.env.errors import Misuse

    known = [person_id for person_id in memories.making.contexts.persons if person_id in persons]
    if not known:
        raise Misuse(
            f"{arguments.contexts}: the persons given are none of these contexts; give the file that they were built from"
        )
    return known if arguments.how_many is None else known[: arguments.how_many]


def _row(
    study: Study,
    memories: Memories,
    persons: Mapping[str, Person],
    word: str,
    units: Mapping[tuple[str, str], Unit],
) -> MemoryRow:
    from drr.eval.stats.intervals import SHARE, mean
    from drr.papers.pdr.memory.registry import memory_kind
    from drr.papers.pdr.memory.truth import Statements
    from drr.papers.pdr.remembering import remembrances

    tally, statements = _Tally(), Statements(persons.values())
    written = False
    for (own, person_id), unit in units.items():
        if own != word:
            continue
        record = study.record(unit.key)
        if record is None or not record.done:
            tally.failed(person_id, "pending" if record is None else record.reason or record.status)
            continue
        written = written or bool(record.result["rule_written"])
        found = remembrances(study, unit)
        tally.add(
            person_id,
            {w: (r, _remembered(memories, statements, persons[person_id], r)) for w, r in found.items()},
        )
    return MemoryRow(
        version=memory_kind(word).version,
        recall=mean(tally.recall, "mean over persons", SHARE).document(),
        precision=mean(tally.precision, "mean over persons who were said anything of", SHARE).document(),
        contradictions=tally.contradictions,
        fed=mean(tally.fed, "mean over persons").document(),
        build=_sum(tally.build),
        build_seconds=round(tally.build_seconds, 3),
        recalls=_sum(tally.recalls),
        failures=dict(tally.failures),
        rule_written=written,
    )


def _remembered(
    memories: Memories, statements: Statements, person: Person, remembrance: Remembrance
) -> Remembered | None:
    """Compare with the attributes that the context shows: nobody can remember what was never to be seen."""
    from drr.papers.pdr.context import read_truth

    if remembrance.text is None:
        return None
    truth = read_truth(memories.making.contexts, person.person_id)
    items = memories.making.contexts.items(person.person_id, memories.making.size)
    shown = {attribute for item in items if item.id in truth for attribute in truth[item.id].expresses}
    attributes = [attribute for attribute in person.attributes if attribute.id in shown]
    return statements.remembered(remembrance.text, attributes, items, truth)


def _sum(rows: Sequence[MemoryCost]) -> MemoryCost:
    from drr.papers.pdr.remembering import MemoryCost

    costs = [row["cost_usd"] for row in rows]
    known = [cost for cost in costs if cost is not None]
    return MemoryCost(
        calls=sum(row["calls"] for row in rows),
        tokens=sum(row["tokens"] for row in rows),
        cost_usd=sum(known) if len(known) == len(costs) else None,
        embedded=sum(row["embedded"] for row in rows),
    )


def _tell(arguments: argparse.Namespace, memories: Memories, rows: Mapping[str, MemoryRow]) -> None:
    from drr.app.console import print_json
    from drr.app.terminal import Column, number, table, with_interval

    if arguments.json:
        print_json(
            {
                "schema": 1,
                "contexts": memories.making.contexts.manifest.content_hash,
                "observed": memories.making.size,
                "budget": arguments.tokens,
                "memories": rows,
            }
        )
        return
    head: list[str | Column] = [
        "memory", "recall", "precision", "contradictions", "tokens fed",
        Column("build calls", 1), Column("build tokens", 1), Column("build $", 2), Column("build s", 3), "failed",
    ]  # fmt: skip
    lines = [
        (
            name,
            with_interval(row["recall"], 2),
            with_interval(row["precision"], 2),
            str(row["contradictions"]),
            number(row["fed"]["value"], 0),
            str(row["build"]["calls"]),
            str(row["build"]["tokens"]),
            number(row["build"]["cost_usd"], 4),
            number(row["build_seconds"], 1),
            ", ".join(f"{kind} {n}" for kind, n in sorted(row["failures"].items())) or "-",
        )
        for name, row in rows.items()
    ]
    print(table(head, lines))
    print(
        "recall, precision: of the attributes that the context shows, by words and by what its items express;"
        " what is said in other words is not understood"
    )
    if any(row["rule_written"] for row in rows.values()):
        print("written by rules, not by a language model: for trying out, not a measurement")
