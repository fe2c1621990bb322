"""Has a language model word talks: the wishes in a scene, and what he says of his orders."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar, get_args

from drr.env.query import Query
from drr.env.service.case import Reason, ServiceCase
from drr.env.service.clauses import kind_of
from drr.env.service.shopper import states
from drr.llm.prompts import fence
from drr.querygen.joined.wording import READERS, SEEKER, WRITER, TextFault, WordTask, WordWriter
from drr.querygen.joined.words import folded
from drr.querygen.service_requests import SpokenWish, TalkWishes
from drr.querygen.service_shop import ShopTalks
from pydantic import BaseModel, ConfigDict, Field

_WORDS, _WORDS_OF_WISH = 60, 25


class TalkText(BaseModel):
    model_config = ConfigDict(extra="forbid")

    text: str = Field(min_length=1, max_length=4000)
    answers: list[str] = Field(max_length=40)
    """His words for each answer that he gives only when he is asked, in the order in which they were given."""


@dataclass
class _TalkTask(WordTask):
    of: TalkWriter
    form = TalkWishes
    opening: str = ""
    answers: dict[str, str] = field(default_factory=dict)
    """His new words for each sentence about an order."""

    @cached_property
    def case(self) -> ServiceCase:
        assert self.query.service is not None
        return self.query.service

    @cached_property
    def wishes(self) -> list[SpokenWish]:
        return TalkWishes.model_validate(self.truth.specification).wishes

    @cached_property
    def sentences(self) -> list[str]:
        """Return the sentences that are worded: those that tell of a wish besides the purchase."""
        kinds = ["order", "reason", *["voucher" for one in self.wishes if one.wish == "voucher"]]
        return [sentence for kind, own in self.case.slots.items() if kind in kinds for sentence in own]

    async def worded(self, fault: TextFault) -> Query:
        maker = self.of.maker
        listed = [f"{at}. {one.words(maker.own_words)}" for at, one in enumerate(self.wishes, 1)]
        written = await self.written(
            *(TalkText, fault),
            wishes="\n".join(listed),
            answers="\n".join(f"{at}. {one}" for at, one in enumerate(self.sentences, 1)),
            words=str(_WORDS + _WORDS_OF_WISH * len(self.wishes)),
        )
        self.opening = " ".join(written.text.split())
        self.answers = dict(
            zip(self.sentences, (" ".join(one.split()) for one in written.answers), strict=False)
        )
        self.text = "\n".join([self.opening, "", "When he is asked:", *written.answers])
        new = {one: self.answers.get(one, one) for one in self.case.values}
        slots = {kind: [new.get(one, one) for one in own] for kind, own in self.case.slots.items()}
        values = {
            new[old]: [one for one in own if states(new[old], one)] for old, own in self.case.values.items()
        }
        case = self.case.model_copy(update={"slots": slots, "values": values})
        facts = [one for wish in self.wishes for one in wish.facts]
        literal = sum(states(self.text, one) for one in facts)
        return self.rewritten(maker.opened(self.opening), len(facts), literal, service=case)

    def remarks(self, query: Query) -> list[str]:
        early = [fact for one in self.wishes[1:] for fact in one.facts if states(self.opening, fact)]
        remarks = [f"{name}: {why}" for name, why in self.of.maker.checked(query).failed.items()]
        if len({*self.answers.values()}) != len(self.sentences):
            remarks.append(f"there must be {len(self.sentences)} answers, no two of them alike")
        if early:
            remarks.append(f"the text tells what he tells only when he is asked: {', '.join(early)}")
        return remarks

    def missed(self, read: TalkWishes) -> str:
        own, theirs = (
            [f"{at}. {one.wish}: {', '.join(sorted(map(folded, one.facts)))}" for at, one in enumerate(wishes, 1)]
            for wishes in (self.wishes, read.wishes)
        )  # fmt: skip
        wrong = [one for one in theirs if one not in own]
        return "" if own == theirs else f"instead of: {' '.join(x for x in own if x not in theirs)} a reader understood: {' '.join(wrong)}"  # fmt: skip


@dataclass(frozen=True)
class TalkWriter(WordWriter):
    """A writer and readers of talks of version 2."""

    maker: ShopTalks
    what = "talk words"
    prompts_of: ClassVar = {
        WRITER: "talk_writer",
        **dict.fromkeys(READERS, "talk_reader"),
        SEEKER: "talk_gaps",
    }
    task = _TalkTask

    @cached_property
    def given(self) -> Mapping[str, str]:
        words = self.maker.own_words
        known = {
            "kinds": sorted({kind_of(one) for one in self.maker.priced} - {""}),
            "relatives": words["requests"]["relatives"],
            "pieces": [f"{one} piece{'s' * (one != 'one')}" for one in self.maker.words["numbers"][1:]],
            "reasons": get_args(Reason),
            "states": ["opened", "sealed", "withdrawn", "own account"],
        }
        lists = [f"- {name}: {' | '.join(values)}" for name, values in known.items()]
        wishes = [f"- {name}: {text}" for name, text in {"buy": words["buy"], **words["points"]}.items()]
        return {"lists": fence("\n".join(lists), "lists"), "wishes": "\n".join(wishes)}
