"""The perception of dr3. A picture goes to a model that sees, once, with one question; its words are all that anybody reads."""

from __future__ import annotations

from collections.abc import Sequence

from drr.agents.base import PERCEPTION, CallError
from drr.agents.brief import Looking
from drr.agents.findings import Condensed
from drr.agents.running import AgentRun
from drr.agents.turns import twice
from drr.citations.files import file_place
from drr.llm.failures import ModelFailure
from drr.llm.seeing import Block, with_pictures
from drr.papers.dr3.agent.sub_agents import VIEW, function
from langchain_core.messages import AIMessage

NAME, LETTER = "look_at_picture", "p"
LAUNCH = function(
    NAME,
    "Have a picture among the shopper's files looked at: what is written and shown in it is read out, and the question answered. Each"
    " picture is looked at once.",
    name="The picture's file name.",
    question="All that you want to know of it.",
)


def picture_named(name: str) -> str:
    """Find a picture by its file name, however it was called."""
    place = file_place(name)
    return name.strip() if place is None else place.name


async def opened(run: AgentRun, who: str, name: str) -> Sequence[Block] | CallError:
    """The picture, where there is one and the model of perception sees."""
    call = {"name": VIEW, "args": {"name": name}, "id": "view", "type": "tool_call"}
    await run.act(who, AIMessage("", tool_calls=[call]), run.tools, {VIEW})
    error = run.calls[who][-1].error
    return run.pictures(who) if error is None else error


async def looked(run: AgentRun, who: str, question: str, shown: Sequence[Block]) -> Condensed:
    asked = [run.system("dr3_look"), with_pictures(question, shown)]

    async def look() -> str:
        reply = await run.speak(f"perception {who}", asked, brief=Looking(question), role=PERCEPTION)
        if not reply.text.strip():
            raise ModelFailure("malformed", f"{run.models[PERCEPTION].name} said nothing of a picture")
        return reply.text.strip()

    return Condensed(await twice(run, f"perception {who}", look), "answered")
