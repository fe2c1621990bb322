"""The tools that steer an agent instead of touching the shop: Reason, Finalize, LaunchResearcher (the paper's section 4)."""

from __future__ import annotations

from drr.agents.base import ToolSchema
from drr.env.json_object import JsonObject

REASON = "reason"
FINALIZE = "finalize"
LAUNCH = "launch_researcher"
CONTROL = frozenset({REASON, FINALIZE, LAUNCH})


def _schema(name: str, description: str, parameter: str, meaning: str, *, required: bool) -> ToolSchema:
    return {
        "type": "function",
        "function": {
            "name": name,
            "description": description,
            "parameters": {
                "type": "object",
                "properties": {parameter: {"type": "string", "description": meaning}},
                "required": [parameter] if required else [],
                "additionalProperties": False,
            },
        },
    }


REASON_TOOL = _schema(
    REASON,
    "Hold a thought: what is known, what is missing, what to do next. Has no other effect.",
    "thought",
    "The thought, in a few sentences.",
    required=True,
)
FINALIZE_TOOL = _schema(
    FINALIZE,
    "End the research. The report is written afterwards from what was found.",
    "reason",
    "Why the research is complete, in one sentence.",
    required=False,
)
LAUNCH_TOOL = _schema(
    LAUNCH,
    "Start one researcher on one sub-problem. Several calls in one turn run side by side; each answers with a short cited"
    " report. The researcher sees this text only.",
    "sub_problem",
    "What to find out, with every limit that applies and what the answer should contain.",
    required=True,
)
WITHOUT_REASON = {"reason_turns": "", "first_turn": "think"}
"""What the prompts say where the agent has no `reason`: its model thinks by itself."""
WITHOUT_PAGE_WARNING = {"page_warning": "", "pages_warning": ""}
"""What they say where nobody is warned of bad pages: no other agent is."""
WITHOUT_RECORDS = {
    "profile_writes": "",
    "records_tools": "",
    "records": "Nothing is known of the shopper but what stands with the question; there are no records to look up.",
    "of_the_shopper": "Use what is known of the shopper where it changes the advice.",
    "cited_alike": "Product pages and web pages are cited alike.",
}
"""What they say where nobody's records may be looked up."""
WITHOUT_SHOP = {
    "catalogue": "",
    "shop_tools": "",
    "of_this_shop": "",
    "web": "Search the web for what must be known from outside",
}
"""What they say where there is no shop."""
WITH_FILES = {
    "files": "- Files of the shopper belong to the question. List them first, read what bears on it, search the long ones, and look at the"
    " pictures where you can.\n",
    "files_at_once": "- Files of the shopper belong to the question, which names them: read what bears on it, search the long ones, and look"
    " at the pictures where you can.\n",
    "own_files": "- Files of the shopper belong to the question. Have read what bears on it with `read_files`; a picture is looked at with"
    " `look_at_picture`, once: ask for all that you need of it.\n",
    "file_tools": "the files that belong to the question, ",
    "of_files": "- What a file says is cited by the address under which it was read: the page, the row, the cell, or the picture.\n",
}
"""What they say where files belong to the question."""
OF_FILES = {
    "cited_alike": "Web pages and `file://` addresses are cited alike.",
    "of_the_shopper": "Use what the files say of the shopper where it changes the advice.",
}
PARAMETER = {REASON: "thought", FINALIZE: "reason", LAUNCH: "sub_problem"}


def complaint(name: str, arguments: JsonObject) -> str | None:
    """Say what is wrong with the arguments of a control call, in a sentence that the model can act on."""
    parameter = PARAMETER[name]
    value = arguments.get(parameter)
    if name != FINALIZE and (not isinstance(value, str) or not value.strip()):
        return f"{name} needs `{parameter}`: a text that is not empty"
    extra = sorted(set(arguments) - {parameter})
    return f"{name} takes only `{parameter}`, not {', '.join(extra)}" if extra else None
