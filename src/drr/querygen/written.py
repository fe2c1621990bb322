"""Has a writer word checkable questions, and a second reader prove the words.

The writer turns records into texts. The reader sees the texts and the shop's lists, never a record, and notes what each text asks for.
A text whose reading differs from its record is refused and written again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Annotated, Any, NamedTuple

from drr.env.checkable import Checkable
from drr.env.query import Query
from drr.llm.factory import Models
from drr.llm.prompts import Prompts, fence
from drr.querygen.asking import prompts_of_shop
from drr.querygen.checkable import play
from drr.querygen.checks import Checker
from drr.querygen.composing import QuestionMaker
from drr.querygen.slots import ShopLists, SlotRecord
from drr.study.unit import Outcome, Unit
from drr.study.worker import Context
from langchain_core.messages import HumanMessage
from pydantic import BaseModel, ConfigDict, Field, create_model

WRITER, READER = "query_writer", "query_reader"
BATCH, AGAIN = 5, 2
"""The number of questions in a request, and how often a refused text is written again."""
FEW = 8
"""The most lines of a record that two short sentences hold."""
_PROMPTS = ("words_slots", "words_writer", "words_reader")


class QuestionText(BaseModel):
    model_config = ConfigDict(extra="forbid")

    text: str = Field(min_length=1, max_length=4000)
    spans: list[str]


class TextDraft(NamedTuple):
    """A record with its latest text, and why that was refused."""

    query: Query
    refused: Sequence[str] = ()


@dataclass(frozen=True)
class QuestionWriter:
    """A writer of the questions that a maker draws, a few in each unit."""

    maker: QuestionMaker
    models: Models
    prompts: Prompts
    max_tokens: int

    @cached_property
    def shop(self) -> ShopLists:
        return ShopLists(self.maker)

    @cached_property
    def own_prompts(self) -> Prompts:
        return prompts_of_shop(self.prompts, self.maker.shop.manifest)

    def unit(self, drawn: Sequence[Query]) -> Unit:
        rows = [query.model_dump(mode="json", exclude_none=True) for query in drawn]
        fields = {
            "what": "words",
            "questions": rows,
            "models": [self.models.name_of(role) for role in (WRITER, READER)],
            "prompts": self.own_prompts.hashes(_PROMPTS),
            "max_tokens": self.max_tokens,
        }
        return Unit("generation", fields, {"queries": rows}, f"{drawn[0].id} and {len(drawn) - 1} more")

    async def work(self, spec: Mapping[str, Any], context: Context) -> Outcome:
        """Write, read and compare until each text is equal to its record or was refused too often. Every answer is kept."""
        context.replaying()
        left = {row["id"]: TextDraft(Query.model_validate(row)) for row in spec["queries"]}
        done, asked = dict[str, Query](), list[str]()
        for _ in range(1 + AGAIN):
            tried = await self._tried(list(left.values()), context.models, asked)
            for own, draft in zip(list(left), tried, strict=True):
                left[own] = draft
                if not draft.refused:
                    done[own] = left.pop(own).query
            if not left:
                break
        kept = [done[row["id"]].model_dump(mode="json") for row in spec["queries"] if row["id"] in done]
        refused = [[draft.query.query, *draft.refused] for draft in left.values()]
        return Outcome({"queries": kept, "refused": refused}, {"prompt": "\n\n".join(asked)})

    async def _tried(self, drafts: Sequence[TextDraft], models: Models, asked: list[str]) -> list[TextDraft]:
        """Return the drafts with new texts, each refused or proved. The requests are added to `asked`."""

        async def answers(role: str, task: str, row: type[BaseModel], number: int) -> Any:
            asked.append(task)
            rows = Annotated[list[row], Field(min_length=number, max_length=number)]  # type: ignore[valid-type]
            form = create_model("Answers", __config__=ConfigDict(extra="forbid"), answers=(rows, ...))
            return (await models.role(role).structured([HumanMessage(task)], form)).answers  # type: ignore[attr-defined]

        texts = await answers(WRITER, self._writing(drafts), QuestionText, len(drafts))
        tried = [self._worded(*one) for one in zip(drafts, texts, strict=True)]
        sound = [one.query for one in tried if not one.refused]
        task = self._reading(sound) if sound else ""
        readings = iter(await answers(READER, task, SlotRecord, len(sound)) if sound else ())
        return [one if one.refused else self._compared(one, next(readings)) for one in tried]

    def _writing(self, drafts: Sequence[TextDraft]) -> str:
        lines = list[str]()
        for number, (query, refused) in enumerate(drafts, 1):
            record = [*self.shop.record(query).numbered()]
            few = self.maker.words["manners_of_few"] if len(record) <= FEW else []
            manner = Random(query.id).choice([*self.maker.words["manners"], *few])
            lines += ["", f"## Record {number}", f"Manner: {manner}", *record]
            lines += self.shop.orders(query.user_id)
            if refused:
                lines += ["Your refused text:", query.query, "Refused, because:", *refused]
        return self._filled("words_writer", [one.query for one in drafts], records=lines)

    def _reading(self, queries: Sequence[Query]) -> str:
        lines = list[str]()
        for number, query in enumerate(queries, 1):
            lines += ["", f"## Text {number}", query.query, *self.shop.orders(query.user_id)]
        return self._filled("words_reader", queries, texts=lines)

    def _filled(self, name: str, queries: Sequence[Query], **data: Sequence[str]) -> str:
        today = f"Today: {self.maker.shop.manifest.as_of}"
        fenced = {label: fence("\n".join([today, *lines]), label) for label, lines in data.items()}
        lists = fence("\n".join(self.shop.lists(queries)), "lists")
        return self.own_prompts.fill(name, slots=self.own_prompts["words_slots"].text, lists=lists, **fenced)

    def _worded(self, draft: TextDraft, written: QuestionText) -> TextDraft:
        """Return the draft with this text, and with what code finds wrong with it."""
        truth, spans = draft.query.checkable or Checkable(), written.spans
        text = "\n".join(" ".join(line.split()) for line in written.text.strip().splitlines())
        slots = sum(line.startswith("  ") for line in self.shop.record(draft.query).numbered())
        refused = [f"{len(spans)} spans for {slots} slots"] if len(spans) != slots else []
        refused += [f"the span {one!r} does not stand in the text" for one in spans if one not in text]
        if refused:
            return TextDraft(draft.query.model_copy(update={"query": text}), refused)
        checker = self.maker.checker
        own = {"id": "", "query": text, "model": self.models.name_of(WRITER), "rule_written": None}
        own["prompt_hash"] = self.own_prompts["words_writer"].sha256
        own["language"] = self.maker.shop.manifest.foreign_language
        query = Query.model_validate({**draft.query.model_dump(), **own})
        axes = checker.axes(query, truth, play(truth.plan, checker.context(query.user_id)))
        query.checkable = truth.model_copy(update={"stated": spans, "axes": axes})
        failed = Checker(self.maker.shop, truth=checker).check(query).failed
        return TextDraft(query, [f"{name}: {why}" for name, why in failed.items()])

    def _compared(self, draft: TextDraft, reading: SlotRecord) -> TextDraft:
        """Return the draft, refused where the reader understood something else."""
        kinds = self.shop.kinds_of_orders(draft.query.user_id)
        own, read = (one.points(kinds) for one in (self.shop.record(draft.query), reading))
        wrong = [
            f"in place of {'; '.join(mine)} a reader understood {'; '.join(theirs)}"
            for mine, theirs in zip(own, read, strict=False)
            if mine != theirs
        ]
        return TextDraft(
            draft.query, wrong or (["a reader found more or fewer points"] if len(own) != len(read) else ())
        )
