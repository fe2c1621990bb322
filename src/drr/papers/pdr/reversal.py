"""Checks whether a model recognises a person from a context. One call names attributes; a second call
matches them with the person's own.

The first call sees only the context. The second sees only the two lists: wordings differ ("has a puppy", "shares the
household with a dog"), and code would find only equal ones. Numbers that are in no list are ignored.
"""

from __future__ import annotations

import argparse
import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from drr.llm.prompts import Prompts, fence
from drr.papers.pdr.person import Attribute
from drr.plugin import check_run, conclude, models_of, prompts_of, run_units, with_interval
from langchain_core.messages import BaseMessage, HumanMessage
from pydantic import BaseModel, ConfigDict, Field

if TYPE_CHECKING:
    from drr.env.settings import Settings
    from drr.eval.stats.intervals import VRow
    from drr.papers.pdr.context import Contexts
    from drr.papers.pdr.person import Person
    from drr.study.unit import Record
    from drr.study.worker import Context


ROLE = "reversal"
NAMING, MATCHING = "context_reversal", "context_match"
ReversalBlock = Literal[
    "place", "pets", "children", "care", "needs", "themes", "rhythm", "replenishment", "price_level", "price_spread", "brands",
    "returns", "seasons", "goods", "home", "decision", "delivery", "reading", "colors", "waste", "other",
]  # fmt: skip


class NamedAttribute(BaseModel):
    model_config = ConfigDict(extra="forbid")

    block: ReversalBlock
    statement: str = Field(min_length=1, max_length=300)


class NamedAttributes(BaseModel):
    model_config = ConfigDict(extra="forbid")

    attributes: list[NamedAttribute] = Field(max_length=80)


class MeantAttribute(BaseModel):
    model_config = ConfigDict(extra="forbid")

    named: int = Field(description="the number in the first list")
    known: int = Field(description="the number in the second list")


class MeantAttributes(BaseModel):
    model_config = ConfigDict(extra="forbid")

    pairs: list[MeantAttribute]


def match_attributes(
    prompts: Prompts, named: Sequence[NamedAttribute], known: Sequence[Attribute]
) -> list[BaseMessage]:
    def listed(rows: Sequence[NamedAttribute | Attribute]) -> str:
        return "\n".join(
            f"{n}. {one.block}: {' '.join(one.statement.split())}" for n, one in enumerate(rows, 1)
        )

    lists = {"named": fence(listed(named), "named"), "known": fence(listed(known), "known")}
    return [HumanMessage(prompts.fill(MATCHING, **lists))]


class BlockCount(TypedDict):
    found: int
    of: int


class ReversalDocument(TypedDict):
    model: str
    size: str
    recall: VRow
    """Recall over persons; a person without an answer is unscored."""
    precision: VRow
    blocks: dict[str, BlockCount]
    """Counts by block, over the persons with an answer."""
    failures: dict[str, int]


def is_asked(arguments: argparse.Namespace, settings: Settings, contexts: Contexts) -> bool:
    """Tell whether this command names a model. The settings alone never start a check that costs money."""
    from drr.env.errors import Misuse
    from drr.llm.names import OFFLINE

    if arguments.model is None and f"{ROLE}=" not in (arguments.role_models or ""):
        if arguments.size or arguments.how_many:
            raise Misuse("--size and --persons-limit are of what a model tells back; name it with --model")
        return False
    if settings.model_for(ROLE) == OFFLINE:
        raise Misuse("--model offline: no rules tell a person back from a context; name a model, or none")
    if arguments.size not in (None, *contexts.sizes):
        sizes = ", ".join(contexts.sizes)
        raise Misuse(f"--size {arguments.size}: {contexts.folder} has contexts of {sizes}")
    check_run(arguments, models_of(settings), (ROLE,))
    return True


def name_attributes_by_model(
    arguments: argparse.Namespace, settings: Settings, contexts: Contexts, persons: Mapping[str, Person]
) -> tuple[ReversalDocument, int]:
    from drr.study.study import Study
    from drr.study.unit import Outcome, Unit

    models, prompts = models_of(settings), prompts_of(settings, "papers/pdr")
    model, size = models.name_of(ROLE), arguments.size or contexts.sizes[0]

    def unit(key: str) -> Unit:
        known = [[one.id, one.statement] for one in persons[key].attributes]
        fields = {
            "what": "reversal", "context": contexts.hash(key, size), "known": known, "model": model,
            "max_tokens": settings.model_max_tokens, "prompts": prompts.hashes((NAMING, MATCHING)),
        }  # fmt: skip
        return Unit("generation", fields, {"person": key}, f"{key}/reversal:{size}")

    async def work(spec: Mapping[str, Any], context: Context) -> Outcome:
        """Ask the first call, and the second only if the first named any attribute."""
        context.replaying()
        asked, known = context.models.role(ROLE), persons[spec["person"]].attributes
        items = fence(contexts.text(spec["person"], size), "items")
        asking = [HumanMessage(prompts.fill(NAMING, items=items))]
        named = (await asked.structured(asking, NamedAttributes)).attributes
        answered = list[MeantAttribute]()
        if named:
            matching = match_attributes(prompts, named, known)
            answered = (await asked.structured(matching, MeantAttributes)).pairs
        pairs = [one for one in answered if 0 < one.named <= len(named) and 0 < one.known <= len(known)]
        result = {
            "named": [one.model_dump() for one in named], "pairs": [one.model_dump() for one in answered],
            "found": sorted({known[one.known - 1].id for one in pairs}), "right": len({one.named for one in pairs}),
        }  # fmt: skip
        return Outcome(result, {})

    folder = contexts.folder.with_name(contexts.folder.name + ".reversal")
    keys = [key for key in contexts.persons if persons[key].attributes][: arguments.how_many]
    with Study.create(folder, {"run": {"what": "context check"}, "settings": {}}) as study:
        check_run(arguments, models, (ROLE,), study)
        units = {key: unit(key) for key in keys}
        summary = run_units(arguments, study, list(units.values()), work, models, "telling back")
        records = {key: study.record(one.key) for key, one in units.items()}
    words = ["papers", "context", "check", str(arguments.folder), "--size", size]
    again = shlex.join([*words, *([f"--model={arguments.model}"] if arguments.model else [])])
    return _document(records, persons, model, size), conclude(summary, folder, command=again)


def _document(
    records: Mapping[str, Record | None], persons: Mapping[str, Person], model: str, size: str
) -> ReversalDocument:
    from drr.eval.stats.intervals import SHARE, mean

    recall, precision = ({key: list[float | None]([None]) for key in records} for _ in range(2))
    blocks, failures = dict[str, BlockCount](), Counter[str]()
    for key, record in records.items():
        if record is None or not record.done:
            failures["pending" if record is None else record.reason or record.status] += 1
            continue
        attributes, named = persons[key].attributes, len(record.result["named"])
        found = set(record.result["found"])
        recall[key] = [len(found) / len(attributes)]
        precision[key] = [record.result["right"] / named if named else None]
        for one in attributes:
            row = blocks.setdefault(one.block, {"found": 0, "of": 0})
            row["of"] += 1
            row["found"] += one.id in found
    right = "named attributes that are the person's, mean over persons"
    return {
        "model": model, "size": size,
        "recall": mean(recall, "attributes told back, mean over persons", SHARE).document(),
        "precision": mean(precision, right, SHARE).document(),
        "blocks": dict(sorted(blocks.items())), "failures": dict(failures),
    }  # fmt: skip


def tell_reversal(document: ReversalDocument) -> None:
    recall, precision = (with_interval(one, 2) for one in (document["recall"], document["precision"]))
    by, persons = f"reversal by {document['model']} from {document['size']}", document["recall"]["n"]
    print(f"{by}: recall {recall}, precision {precision} over {persons} persons")
    blocks = (f"{block} {row['found']} of {row['of']}" for block, row in document["blocks"].items())
    print("  " + ", ".join(blocks))
    if document["failures"]:
        failures = ", ".join(f"{kind} {n}" for kind, n in sorted(document["failures"].items()))
        print(f"  not told back: {failures}")
