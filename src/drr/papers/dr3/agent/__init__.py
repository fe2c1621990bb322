"""The DR3 agent: a main agent that sees only summaries, and sub-agents that read pages, files and pictures."""

from __future__ import annotations

from drr.agents.architecture import Architecture
from drr.agents.base import AGENT, PERCEPTION, Option
from drr.agents.registry import built_in

VALIDATE = Option(
    "validate",
    "up to three rounds check words and requirements and write the report anew",
    prompts=("dr3_validate", "dr3_rewrite"),
)
_PROMPTS = (
    "dr3_main", "dr3_search", "dr3_reader", "dr3_shop", "dr3_look", "react_report", "synthesis", "synthesis_own",
    "report_generator", "report_form", "dr3_pages",
)  # fmt: skip
ARCHITECTURES = (
    Architecture(
        name="dr3",
        version="2",
        summary="a main agent sees summaries only; sub-agents search pages and read files, a model that sees looks at pictures",
        roles=(AGENT, PERCEPTION),
        looks=PERCEPTION,
        policy={PERCEPTION: AGENT},
        prompts=_PROMPTS,
        options=(VALIDATE,),
        settings=("reason", "long_context", "page_warning", "text_calls"),
        load=built_in("drr.papers.dr3.agent.graph"),
    ),
)
