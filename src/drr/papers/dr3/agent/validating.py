"""One round of `+validate`: a model lists the requirements that the report misses, and rewrites the report to meet them.

Words are counted by code. The published DR3 agent validates silently; here validating is an option, and each round leaves a note. A
round that fails leaves the report as it is.
"""

from __future__ import annotations

from drr.agents.brief import RequirementsRequest
from drr.agents.citation_repair import read_in_run
from drr.agents.run_state import AgentRun
from drr.agents.turns import report_form, write
from drr.llm.failures import ModelFailure
from drr.llm.prompts import fence
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from pydantic import BaseModel, Field

_CONVERSATION = "validate"


class Requirements(BaseModel):
    """What the check of a report found."""

    unmet: list[str] = Field(
        description="Each requirement of the question or of the form that the report misses, in a sentence; empty where it meets all."
    )


async def rewrite_to_requirements(run: AgentRun, report: str, number: int) -> str | None:
    """Return the report rewritten to meet its missed requirements; `None` if none was missed or the rewriting failed."""
    where = f"{_CONVERSATION} {number}"
    words = count_words((await read_in_run(run, report)).body)
    asked: list[BaseMessage] = [
        run.system("dr3_validate", report_form=report_form(run)),
        HumanMessage(
            f"# Question\n{run.asked}\n\n# Report, {words:,} words without its list of sources\n{fence(report, 'report')}\n"
        ),
    ]
    try:
        found = await run.structured(where, asked, Requirements, brief=RequirementsRequest(run.query, report))
        unmet = [one.strip() for one in found.unmet if one.strip()]
        if not unmet:
            run.notes.append(f"{where}: nothing was missed")
            return None
        listed = run.prompts.fill("dr3_rewrite", unmet="\n".join(f"- {one}" for one in unmet))
        talk = [*asked, AIMessage(found.model_dump_json()), HumanMessage(listed)]
        text = await write(run, where, talk, brief=None)
    except ModelFailure as failure:
        if failure.fatal or failure.kind == "over_budget":
            raise
        run.notes.append(f"{where}: the report stayed as it was ({failure.kind})")
        return None
    run.notes.append(f"{where}: written anew, {len(unmet)} requirements were missed")
    return text


def count_words(text: str) -> int:
    """Count the words of a text, without citation marks and signs."""
    return sum(1 for word in text.split() if word[0] != "[" and any(map(str.isalnum, word)))
