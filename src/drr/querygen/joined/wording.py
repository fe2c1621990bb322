"""Has a language model word joined questions, and others prove the words.

Two readers turn the words back into specifications, and a third looks for missing rules.
A text is kept if both readings give the same answer as its own specification, and nothing is left open.
"""

from __future__ import annotations

import asyncio
import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from random import Random
from typing import Any, NamedTuple, Self, TypeVar

from drr.env.checkable import Checkable, Wording
from drr.env.json_object import JsonObject
from drr.env.points import JointRule
from drr.env.profile import build_profile
from drr.env.query import Query
from drr.env.records.shopper import shopper_summary
from drr.llm.factory import Models
from drr.llm.failures import ModelFailure
from drr.llm.prompts import Prompts, fence
from drr.llm.thinking import shared_system_message
from drr.querygen.checks import Checker
from drr.querygen.joined.describing import FRAME, asked, framed
from drr.querygen.joined.making import JoinedMaker
from drr.querygen.joined.needs import WORDS
from drr.querygen.joined.solving import Undecided
from drr.querygen.joined.specification import Specification
from drr.querygen.joined.words import detail_names, folded, kinds_of, texts_of, word_use
from drr.study.unit import Outcome, Unit
from drr.study.worker import Context
from langchain_core.messages import HumanMessage
from pydantic import BaseModel, ConfigDict, Field, model_validator

WRITER, READERS, SEEKER = "query_writer", ("query_reader", "second_reader"), "gap_reader"
ROLES = (WRITER, *READERS, SEEKER)
_PROMPTS = {WRITER: "joined_writer", **dict.fromkeys(READERS, "joined_reader"), SEEKER: "joined_gaps"}
WRITINGS = 3
"""The number of texts after which a question is dropped."""
_WORDS, _WORDS_OF_POINT = 80, 30
_VALUES = 16
"""The most values that lists spell out of a detail by which needs are not drawn."""
_Form = TypeVar("_Form", bound=BaseModel)


class QuestionWords(BaseModel):
    model_config = ConfigDict(extra="forbid")

    text: str = Field(min_length=1, max_length=6000)


class OpenRules(BaseModel):
    model_config = ConfigDict(extra="forbid")

    open: list[str] = Field(max_length=12)


class TextFault(NamedTuple):
    """The reason why a text is not kept, for counts, and remarks for the writer."""

    why: str
    remarks: Sequence[str]


def reading_form(shown: str) -> type[Specification]:
    """Return the form of a reading. Texts that the reader was not shown are misspelt, and told as an error."""
    known = folded(shown)

    class Reading(Specification):
        @model_validator(mode="after")
        def _check_texts(self) -> Self:
            strange = {one for one in texts_of(self.model_dump()) if folded(one) not in known}
            if strange:
                raise ValueError(f"stand neither in the text nor on the lists: {sorted(strange)}")
            return self

    return Reading


@dataclass(frozen=True)
class JoinedWriter:
    """A writer and readers of the joined questions of one shop, one in each unit."""

    maker: JoinedMaker
    models: Models
    prompts: Prompts
    max_tokens: int
    asked: Sequence[Query]
    """All questions of the file. The lists have what any of them asks for, so that they tell of no single one."""

    def strange(self) -> list[str]:
        """Return the ids of questions whose own specifications have another answer in this shop and web."""
        tasks = [_WordTask(self, one, self.models) for one in self.asked]
        return [one.query.id for one in tasks if one.missed(one.specification)]

    def unit(self, query: Query) -> Unit:
        row = query.model_dump(mode="json", exclude_none=True)
        fields = {
            "what": "joined words",
            "question": row,
            "shop": self.maker.shop.manifest.content_hash,
            "models": [self.models.name_of(role) for role in ROLES],
            "prompts": self.hashes,
            "max_tokens": self.max_tokens,
        }
        return Unit("generation", fields, {"query": row}, query.id)

    async def work(self, spec: Mapping[str, Any], context: Context) -> Outcome:
        """Word a question until its words are proved or were refused too often. All texts and readings are kept."""
        context.replaying()
        task = _WordTask(self, Query.model_validate(spec["query"]), context.models)
        kept, fault = list[Query](), TextFault("", ())
        while not kept and task.writings < WRITINGS:
            query = await task.worded(fault)
            remarks = task.remarks(query)
            fault = TextFault("unfit words", remarks) if remarks else await task.misread()
            kept = [] if fault.why else [query]
        rows = [query.model_dump(mode="json") for query in kept]
        words = json.dumps(task.transcript, ensure_ascii=False, indent=1)
        return Outcome({"queries": rows, "dropped": fault.why, "remarks": fault.remarks}, {"words": words})

    @cached_property
    def hashes(self) -> dict[str, str]:
        """Return the hashes of all prompts, and of the rules of the house."""
        house = {"house_rules": sha256(FRAME.encode()).hexdigest()}
        return {**self.prompts.hashes(_PROMPTS.values()), **house}

    @cached_property
    def systems(self) -> Mapping[str, str]:
        """Return the system message of each role. It is the same for all questions of a shop."""
        lists, schema = "\n".join(self.lists.values()), json.dumps(Specification.model_json_schema())
        given = {"frame": FRAME, "lists": fence(lists, "lists"), "schema": schema}
        return {
            role: self.prompts.fill(name, **{one: given[one] for one in self.prompts[name].slots})
            for role, name in _PROMPTS.items()
        }

    @cached_property
    def lists(self) -> Mapping[tuple[str, ...], str]:
        """Return a line for each kind that can be asked for, sold or not: its details with all their values."""
        drawer = self.maker.bundles
        whole = [one.checkable.specification for one in self.asked if one.checkable]
        lenders = {kind: kind for kind in (*drawer.kinds, *kinds_of(whole))}
        lenders |= {one.category: one.lender for one in drawer.absent}
        found, named = dict[tuple[str, ...], str](), detail_names(whole)
        for kind, lender in sorted(lenders.items()):
            values = {str(one.demand.name): set[str]() for one in drawer.attributes(lender)}
            drawn = {*values}
            for product in drawer.shelves.of(lender):
                for name, value in drawer.shelves.stated(product):
                    if name in drawn or name in named:
                        values.setdefault(name, set()).add(value)
            stated = (
                f"{name}: {' | '.join(sorted(one)) if name in drawn or len(one) <= _VALUES else 'many'}"
                for name, one in sorted(values.items())
            )
            found[kind] = f"- {json.dumps(kind, ensure_ascii=False)} {'; '.join(stated)}"
        return found


@dataclass
class _WordTask:
    """The wording of one question."""

    of: JoinedWriter
    query: Query
    models: Models
    transcript: list[JsonObject] = field(default_factory=list)
    """All requests and answers so far."""
    writings: int = 0
    text: str = ""

    @cached_property
    def truth(self) -> Checkable:
        return self.query.checkable or Checkable()

    @cached_property
    def specification(self) -> Specification:
        return Specification.model_validate(self.truth.specification)

    async def ask(self, role: str, form: type[_Form], parts: Mapping[str, str]) -> _Form:
        system = self.of.systems[role]
        asked_for = "\n\n".join(fence(text, label) for label, text in parts.items() if text)
        messages = [shared_system_message(system, len(system)), HumanMessage(asked_for)]
        answer = await self.models.role(role).structured(messages, form)
        found = answer.model_dump(mode="json", exclude_defaults=True)
        self.transcript.append({"role": role, "request": asked_for, "answer": found})
        return answer

    async def worded(self, fault: TextFault) -> Query:
        """Return the question in the writer's next words, with their origin."""
        of, shop = self.specification, self.of.maker.shop
        manifest = shop.manifest
        profile = build_profile(shop.store, self.query.user_id, manifest.as_of, manifest.money)
        wanted = "\n".join(asked(of, manifest.money))
        manners = tomllib.loads(WORDS.read_text(encoding="utf-8"))["manners"]
        given = {
            "today": manifest.as_of,
            "person": shopper_summary(profile, manifest.money),
            "manner": Random(self.query.id).choice(manners),
            "wanted": wanted,
            "names": "\n".join(sorted(detail_names(of.model_dump()))),
            "values": "\n".join(line for kind, line in self.of.lists.items() if kind[-1] in wanted),
            "words": str(_WORDS + _WORDS_OF_POINT * len(self.truth.points)),
            "earlier": self.text,
            "remarks": "\n".join(fault.remarks),
        }
        self.writings += 1
        answer = await self.ask(WRITER, QuestionWords, given)
        self.text = "\n".join(" ".join(line.split()) for line in answer.text.strip().splitlines())
        use, writer = word_use(self.text, of), self.models.name_of(WRITER)
        worded = Wording(
            writer=writer,
            readers=[self.models.name_of(role) for role in (*READERS, SEEKER)],
            prompts=self.of.hashes,
            writings=self.writings,
            values=use.values,
            literal=len(use.literal),
        )
        own = {"id": "", "query": framed(self.text), "model": writer, "rule_written": None}
        own |= {"prompt_hash": self.of.hashes[_PROMPTS[WRITER]], "profile_hash": profile.sha256}
        query = Query.model_validate({**self.query.model_dump(), **own})
        return query.model_copy(update={"checkable": self.truth.model_copy(update={"worded": worded})})

    def remarks(self, query: Query) -> list[str]:
        """Return what code finds wrong with the words."""
        use, failed = word_use(self.text, self.specification), Checker(self.of.maker.shop).check(query).failed
        remarks = [f"{name}: {why}" for name, why in failed.items()]
        remarks += [f"it holds what it must not: {', '.join(use.banned)}"] if use.banned else []
        if use.too_literal and self.writings < WRITINGS:  # the last text may bear them
            remarks.append(f"more than half of the values stand letter by letter: {', '.join(use.literal)}")
        return remarks

    def missed(self, read: Specification) -> str:
        """Return what a reader understood; empty where it gives the right answer."""
        shop = self.of.maker.shop
        try:
            found = self.of.maker.solution(read, self.query.user_id)
            if (found.points, _bound(found.rules)) == (self.truth.points, _bound(self.truth.rules)):
                return ""
            own, theirs = (asked(one, shop.manifest.money) for one in (self.specification, read))
        except (Undecided, LookupError, TypeError, ValueError) as error:
            return f"a reader understood what has no one answer ({error}): {read.model_dump_json(exclude_defaults=True)}"
        missed = " ".join(one for one in own if one not in theirs) or "what you were given"
        return f"instead of: {missed} a reader understood: {' '.join(x for x in theirs if x not in own)}"

    async def misread(self) -> TextFault:
        """Have the words read three times; return how they are misunderstood, or what they leave open."""
        words = {"text": self.text}
        found = await asyncio.gather(
            *map(self._misreading, READERS), self.ask(SEEKER, OpenRules, words), return_exceptions=True
        )
        for one in found:
            if isinstance(one, BaseException):
                raise one
        *readings, gaps = found
        wrong = [one for one in readings if isinstance(one, str) and one]
        left = [f"it leaves open: {one}" for one in gaps.open] if isinstance(gaps, OpenRules) else []
        why = "understood otherwise" if wrong else "left open" if left else ""
        return TextFault(why, [*wrong, *left])

    async def _misreading(self, role: str) -> str:
        parts = {**self._shown(), "text": self.text}
        try:
            form = reading_form("\n".join([self.of.systems[role], *parts.values()]))
            return self.missed(await self.ask(role, form, parts))
        except ModelFailure as failure:
            if failure.kind != "malformed":
                raise
            return f"a reader could not note it in the form: {failure}"

    def _shown(self) -> dict[str, str]:
        """Return what a reader is shown beside the lists and the text."""
        facts = dict[str, set[str]]()
        for order in self.of.maker.references.history(self.query.user_id).orders:
            for one in self.of.maker.references.facts(order):
                facts.setdefault(one.what, set()).add(one.value)
        lines = [f"- {what}: {' | '.join(sorted(values))}" for what, values in facts.items()]
        return {"today": self.of.maker.shop.manifest.as_of, "orders": "\n".join(lines)}


def _bound(rules: Sequence[JointRule]) -> set[object]:
    """Return rules in a form that is equal for equal rules."""
    return {
        (frozenset(one.points), one.total_max, folded(one.same or ""))
        for one in rules
        if one.total_max is not None or len(one.points) > 1
    }
