"""A check whether a person can be recognised from a context. One fresh call names attributes, a second says
which of the person's own they are.

The first sees the context and nothing else. The second sees the two lists and no context, as words differ ("has a puppy", "shares the
household with a dog") and code would find only those that happen to agree; numbers that are in no list count for nothing.
"""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypedDict

from drr.llm.prompts import Prompts, fence
from drr.papers.pdr.person import Attribute
from langchain_core.messages import BaseMessage, HumanMessage
from pydantic import BaseModel, ConfigDict, Field

if TYPE_CHECKING:
    from drr.env.settings import Settings
    from drr.eval.stats.intervals import VRow
    from drr.llm.prompts import Prompts
    from drr.papers.pdr.context import Contexts
    from drr.papers.pdr.person import Person
    from drr.study.study import Study
    from drr.study.unit import Outcome, Unit
    from drr.study.worker import Context


ROLE = "reversal"
NAMING, MATCHING = "context_reversal", "context_match"
PROMPTS = (NAMING, MATCHING)
ReversalBlock = Literal[
    "place",
    "pets",
    "children",
    "care",
    "needs",
    "themes",
    "rhythm",
    "replenishment",
    "price_level",
    "price_spread",
    "brands",
    "returns",
    "seasons",
    "goods",
    "home",
    "decision",
    "delivery",
    "reading",
    "colors",
    "waste",
    "other",
]


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


class ReversedPerson(NamedTuple):
    found: frozenset[str]
    """Ids of attributes that were named."""
    named: int
    right: int
    """Number of them that are an attribute of the person."""


def naming(prompts: Prompts, text: str) -> list[BaseMessage]:
    return [HumanMessage(prompts.fill(NAMING, items=fence(text, "items")))]


def matching(
    prompts: Prompts, named: Sequence[NamedAttribute], known: Sequence[Attribute]
) -> list[BaseMessage]:
    first = [f"{at}. {one.block}: {_line(one.statement)}" for at, one in enumerate(named, 1)]
    second = [f"{at}. {one.block}: {_line(one.statement)}" for at, one in enumerate(known, 1)]
    text = prompts.fill(
        MATCHING, named=fence("\n".join(first), "named"), known=fence("\n".join(second), "known")
    )
    return [HumanMessage(text)]


def reversed_person(
    named: Sequence[NamedAttribute], matches: Sequence[MeantAttribute], known: Sequence[Attribute]
) -> ReversedPerson:
    pairs = [one for one in matches if 0 < one.named <= len(named) and 0 < one.known <= len(known)]
    return ReversedPerson(
        frozenset(known[one.known - 1].id for one in pairs), len(named), len({one.named for one in pairs})
    )


def _line(text: str) -> str:
    return " ".join(text.split())


class BlockCount(TypedDict):
    found: int
    of: int


class ReversalDocument(TypedDict):
    model: str
    size: str
    recall: VRow
    """Over persons; one whom no answer came of is unscored."""
    precision: VRow
    blocks: dict[str, BlockCount]
    """Counts by block, of the persons who were answered for."""
    failures: dict[str, int]


class ReversalEnd(NamedTuple):
    document: ReversalDocument
    code: int


def is_asked(arguments: argparse.Namespace, settings: Settings, contexts: Contexts) -> bool:
    """Only where this command names a model: a check that costs money is never a surprise of the settings."""
    from drr.app.models import models_of
    from drr.app.studies import check_models
    from drr.env.errors import Misuse
    from drr.llm.names import OFFLINE

    if arguments.model is None and f"{ROLE}=" not in (arguments.role_models or ""):
        if arguments.size or arguments.how_many:
            raise Misuse("--size and --persons-limit are of what a model tells back; name it with --model")
        return False
    if settings.model_for(ROLE) == OFFLINE:
        raise Misuse("--model offline: no rules tell a person back from a context; name a model, or none")
    if arguments.size not in (None, *contexts.sizes):
        raise Misuse(
            f"--size {arguments.size}: {contexts.folder} has contexts of {', '.join(contexts.sizes)}"
        )
    check_models(models_of(settings), (ROLE,))
    return True


def reverse(
    arguments: argparse.Namespace, settings: Settings, contexts: Contexts, persons: Mapping[str, Person]
) -> ReversalEnd:
    from drr.app.models import models_of, prompts_of
    from drr.app.studies import budget_of, check_models, conclude, run_units, unit_cap_of
    from drr.study.study import Study

    models, size = models_of(settings), arguments.size or contexts.sizes[0]
    folder = contexts.folder.with_name(contexts.folder.name + ".reversal")
    prompts = prompts_of(settings, "papers/pdr")
    telling = _Telling(contexts, persons, prompts, size)
    asked = [key for key in contexts.persons if persons[key].attributes][: arguments.how_many]
    with Study.create(folder, {"run": {"what": "context check"}, "settings": {}}) as study:
        check_models(models, (ROLE,), budget_of(arguments, study), unit_cap_of(arguments))
        units = {key: telling.unit(key, models.name_of(ROLE), settings.model_max_tokens) for key in asked}
        summary = run_units(arguments, study, list(units.values()), telling.work, models, "telling back")
        document = _reversal_document(study, units, persons, models.name_of(ROLE), size)
    words = ["papers", "context", "check", str(arguments.folder), "--size", size]
    words += [f"--model={arguments.model}"] if arguments.model else []
    return ReversalEnd(document, conclude(summary, folder, command=shlex.join(words)))


@dataclass(frozen=True)
class _Telling:
    contexts: Contexts
    persons: Mapping[str, Person]
    prompts: Prompts
    size: str

    def unit(self, person_id: str, model: str, max_tokens: int) -> Unit:
        from drr.study.unit import Unit

        known = [[one.id, one.statement] for one in self.persons[person_id].attributes]
        fields = {
            "what": "reversal",
            "context": self.contexts.hash(person_id, self.size),
            "known": known,
            "model": model,
            "max_tokens": max_tokens,
            "prompts": self.prompts.hashes(PROMPTS),
        }
        return Unit("generation", fields, {"person": person_id}, f"{person_id}/reversal:{self.size}")

    async def work(self, spec: Mapping[str, Any], context: Context) -> Outcome:
        """Work on a unit. Where nothing was named nobody need be asked about it."""
        from drr.study.unit import Outcome

        context.replaying()
        model, person = context.models.role(ROLE), self.persons[spec["person"]]
        text = self.contexts.text(person.person_id, self.size)
        named = (await model.structured(naming(self.prompts, text), NamedAttributes)).attributes
        meanings = MeantAttributes(pairs=[])
        if named:
            asked = matching(self.prompts, named, person.attributes)
            meanings = await model.structured(asked, MeantAttributes)
        found = reversed_person(named, meanings.pairs, person.attributes)
        return Outcome(
            {
                "named": [one.model_dump() for one in named],
                "pairs": [one.model_dump() for one in meanings.pairs],
                "found": sorted(found.found),
                "right": found.right,
            },
            {},
        )


def _reversal_document(
    study: Study, units: Mapping[str, Unit], persons: Mapping[str, Person], model: str, size: str
) -> ReversalDocument:
    from drr.eval.stats.intervals import SHARE, mean

    recall: dict[str, list[float | None]] = {}
    precision: dict[str, list[float | None]] = {}
    blocks: dict[str, BlockCount] = {}
    failures: dict[str, int] = {}
    for key, unit in units.items():
        record, attributes = study.record(unit.key), persons[key].attributes
        if record is None or not record.done:
            why = "pending" if record is None else record.reason or record.status
            failures[why] = failures.get(why, 0) + 1
            recall[key] = precision[key] = [None]
            continue
        found, named = set(record.result["found"]), len(record.result["named"])
        recall[key] = [len(found) / len(attributes)]
        precision[key] = [record.result["right"] / named if named else None]
        for one in attributes:
            row = blocks.setdefault(one.block, {"found": 0, "of": 0})
            row["of"] += 1
            row["found"] += one.id in found
    return ReversalDocument(
        model=model,
        size=size,
        recall=mean(recall, "attributes told back, mean over persons", SHARE).document(),
        precision=mean(
            precision, "named attributes that are the person's, mean over persons", SHARE
        ).document(),
        blocks=dict(sorted(blocks.items())),
        failures=failures,
    )


def tell_reversal(document: ReversalDocument) -> None:
    from drr.app.terminal import with_interval

    print(
        f"reversal by {document['model']} from {document['size']}: recall {with_interval(document['recall'], 2)}, "
        f"precision {with_interval(document['precision'], 2)} over {document['recall']['n']} persons"
    )
    print(
        "  "
        + ", ".join(f"{block} {row['found']} of {row['of']}" for block, row in document["blocks"].items())
    )
    if document["failures"]:
        failures = ", ".join(f"{kind} {n}" for kind, n in sorted(document["failures"].items()))
        print(f"  not told back: {failures}")
