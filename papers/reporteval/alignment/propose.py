"""The draft of the next version of a prompt by a model. From the version before and where it parts with the
experts on dev, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from drr.eval.asking.conversation import Asking, Section, conversation
from drr.eval.asking.judge import Judge, KeptAnswers
from drr.eval.tasks.desk import Desk
from drr.llm.prompts import Prompts
from drr.papers.reporteval.alignment.figures import Disagreement
from drr.study.unit import Outcome
from drr.study.worker import Context
from pydantic import BaseModel, ConfigDict, Field

TASK = "align-propose"
_SLOT = re.compile(r"\{\{([^{}]*)\}\}")
_LONGEST = 2000
"""Characters of a text that is shown."""


class ProposedPrompt(BaseModel):
    model_config = ConfigDict(extra="forbid")

    analysis: str
    prompt: str = Field(min_length=1, description="the whole new prompt")


def proposal_asking(
    prompts: Prompts, written: str, apart: Sequence[Disagreement], scale: tuple[float, float]
) -> Asking[ProposedPrompt]:
    sections = [
        Section("prompt", written, "The prompt as it stands:"),
        *(
            Section("disagreement", _disagreement_text(one), f"Disagreement {n}:")
            for n, one in enumerate(apart, 1)
        ),
    ]
    system = prompts.fill("align_propose", low=f"{scale[0]:g}", high=f"{scale[1]:g}")
    return Asking(TASK, ProposedPrompt, conversation(system, sections), tuple(sections))


def _disagreement_text(one: Disagreement) -> str:
    texts = [f"{name}: {_cut(text)}" for name, text in one["texts"].items()]
    remarks = [f"an expert said {word.partition(': ')[2]}" for word in one["people_say"]]
    judged = f"the judge gave {one['judge']:g} on {one['side']}, because: {_cut(one['judge_says'])}"
    return "\n".join([*texts, judged, f"the experts together gave {one['people']:g}", *remarks])


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} [...]"


@dataclass(frozen=True)
class Proposal:
    """The work of one draft."""

    desk: Desk
    written: str
    apart: Sequence[Disagreement]
    scale: tuple[float, float]
    kept: KeptAnswers

    @property
    def asking(self) -> Asking[ProposedPrompt]:
        return proposal_asking(self.desk.prompts, self.written, self.apart, self.scale)

    async def work(self, spec: Mapping[str, Any], context: Context) -> Outcome:
        """A draft that lost a slot, or made one, is none."""
        judge = Judge("judge", context, self.kept, self.desk.stand_in)
        answer = await judge.answer(self.asking)
        text = answer.prompt.strip() + "\n"
        ours, theirs = (set(_SLOT.findall(one)) for one in (self.written, text))
        if ours != theirs:
            slots_note = f"its slots are {sorted(theirs)}, those of the prompt {sorted(ours)}"
            return judge.sealed(Outcome({"reason": slots_note, "analysis": answer.analysis}))
        return judge.sealed(Outcome({"prompt": text, "analysis": answer.analysis}))
