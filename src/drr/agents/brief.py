"""Requests to a model that plays an agent: findings, steering tools, and plain fields for stand-ins."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from drr.agents.base import ToolSchema
from drr.env.json_object import JsonObject
from drr.env.profile import ProfileSummary
from drr.env.records.shopper import shopper_summary
from drr.env.source import Source
from drr.llm.prompts import Prompts, fence
from drr.tools.base import ToolAnswer
from drr.wording.currency import DOLLARS, Currency

AskedForm = bool | Literal["points"]
"""The form that is asked for: none, that of needs and facts, or that of points which bind one another."""


class CallEvidence(NamedTuple):
    """One call of a tool with its answer; `None` where it failed or was not run."""

    name: str
    arguments: Mapping[str, Any]
    answer: ToolAnswer | None


class ProfileFacts(NamedTuple):
    """The facts on the shopper for a `+profile` researcher, as a record and as text, with the address to cite."""

    summary: ProfileSummary
    url: str
    currency: Currency = DOLLARS

    @property
    def seen(self) -> str:
        return shopper_summary(self.summary, self.currency)

    @property
    def text(self) -> str:
        return f"{self.seen}\nAddress to cite for this: {self.url}"


@dataclass(frozen=True)
class PlanRequest:
    """The request for a plan that names every call at once."""

    question: str
    references: bool
    """True where an argument may name an earlier result."""
    records: bool = True
    """True where there are tools for the shopper's records."""
    files: tuple[str, ...] = ()
    """Names of those that belong to the question."""
    shop: bool = True
    currency: Currency = DOLLARS


@dataclass(frozen=True)
class ResearchRequest:
    """The request for the next turn of a reason-act loop. What was found until now stands in the tool messages' artifacts."""

    problem: str
    currency: Currency = DOLLARS


@dataclass(frozen=True)
class SupervisorRequest:
    """The request for a supervisor's next turn. Each launch was answered by a tool message whose artifact is a `SynthesisRequest`."""

    question: str
    records: bool = True
    """True where its researchers have tools for the shopper's records."""
    files: bool = False
    shop: bool = True


@dataclass(frozen=True)
class LeaderRequest:
    """The request for the next turn of an agent that gives work to sub-agents.

    What each of them condensed is the artifact of the tool message that answers.
    """

    question: str


@dataclass(frozen=True)
class HelperRequest:
    """The request for a sub-agent's next turn. It ends with a text, which is all that is read of it."""

    problem: str


@dataclass(frozen=True)
class PictureRequest:
    """The request for a look at a picture, for one question."""

    question: str


@dataclass(frozen=True)
class RequirementsRequest:
    """The request for the requirements that a report misses."""

    question: str
    report: str


@dataclass(frozen=True)
class SynthesisRequest:
    """The request for a synthesis of what one researcher found."""

    problem: str
    evidence: tuple[CallEvidence, ...]


@dataclass(frozen=True)
class ReportRequest:
    """The request for a report, from calls with their answers or from what researchers condensed."""

    question: str
    evidence: tuple[CallEvidence, ...] = ()
    researched: tuple[SynthesisRequest, ...] = ()
    pages: tuple[Source, ...] = ()
    """The pages that the writer also has in its window."""
    form: AskedForm = False
    """The form behind the report by which code checks the answer."""
    language: str | None = None
    """The language of the shop, in which the report is to be written."""


@dataclass(frozen=True)
class CitationRepairRequest:
    """The request to put right the citations of a report."""

    report: str


@dataclass(frozen=True)
class PageSummaryRequest:
    """The request for a summary of one page, for a search and a problem."""

    search: str
    problem: str
    page: str


Brief = (
    PlanRequest
    | ResearchRequest
    | SupervisorRequest
    | LeaderRequest
    | HelperRequest
    | PictureRequest
    | RequirementsRequest
    | SynthesisRequest
    | ReportRequest
    | CitationRepairRequest
    | PageSummaryRequest
)


QUESTION, PROBLEM, RESULTS, REPORTS = (
    "# Question",
    "# Sub-problem",
    "# Results",
    "# Reports of the researchers",
)
NOTHING = "Nothing was found."
SHORTENED = " [… shortened]"


class Piece(NamedTuple):
    """One titled block of evidence."""

    title: str
    text: str
    label: str


def call_title(number: int, name: str, arguments: JsonObject) -> str:
    given = json.dumps(arguments, ensure_ascii=False, sort_keys=True)
    return f"Call {number}: {name} {given}"


def findings_text(kind: str, task: str, heading: str, pieces: Sequence[Piece], limit: int) -> str:
    """Return the question (or sub-problem) with everything found on it, at most about `limit` characters of findings."""
    texts = shorten([piece.text for piece in pieces], limit)
    blocks = [
        f"## {piece.title}\n{fence(text, piece.label)}" for piece, text in zip(pieces, texts, strict=True)
    ]
    body = "\n\n".join(blocks) or NOTHING
    return f"{kind}\n{task}\n\n{heading}\n\n{body}\n"


def shorten(texts: Sequence[str], limit: int) -> list[str]:
    """Return the texts with the longest cut to one common length, so that together they keep within the limit."""
    if sum(map(len, texts)) <= limit:
        return list(texts)
    left, waiting = limit, sorted(map(len, texts))
    share = 0
    for done, length in enumerate(waiting):
        share = left // (len(waiting) - done)
        if length > share:
            break
        left -= length
    return [text if len(text) <= share else text[:share] + SHORTENED for text in texts]


REASON = "reason"
FINALIZE = "finalize"
LAUNCH = "launch_researcher"
CONTROL = frozenset({REASON, FINALIZE, LAUNCH})


def tool_schema(name: str, description: str, /, required: bool = True, **parameters: str) -> ToolSchema:
    """Describe a tool whose parameters are texts, each with its meaning."""
    return {
        "type": "function",
        "function": {
            "name": name,
            "description": description,
            "parameters": {
                "type": "object",
                "properties": {
                    one: {"type": "string", "description": meaning} for one, meaning in parameters.items()
                },
                "required": list(parameters) if required else [],
                "additionalProperties": False,
            },
        },
    }


REASON_TOOL = tool_schema(
    REASON,
    "Hold a thought: what is known, what is missing, what to do next. Has no other effect.",
    thought="The thought, in a few sentences.",
)
FINALIZE_TOOL = tool_schema(
    FINALIZE,
    "End the research, once the calls beside this one have run. The report is then written from what was found.",
    required=False,
    reason="Why the research is complete, in one sentence.",
)


def launch_tool(more: str = "") -> ToolSchema:
    """Describe a launch of a researcher; `more` is what that one sees beside the sub-problem."""
    return tool_schema(
        LAUNCH,
        "Start one researcher on one sub-problem. Several calls in one turn run side by side; each answers with a short cited"
        f" report. The researcher sees this text{more} only.",
        sub_problem="What to find out, with every limit that applies and what the answer should contain.",
    )


PROFILE_FACTS = " and the shopper's profile facts"
WITH_PROFILE = {"profile_facts": PROFILE_FACTS}
"""Wording for a supervisor whose researchers get the profile."""
WITHOUT_REASON = {"reason_turns": "", "first_turn": "think"}
"""Wording for an agent without `reason`: its model thinks by itself."""
WITHOUT_PAGE_WARNING = {"page_warning": "", "pages_warning": ""}
"""Wording without warnings of bad pages, which only one agent gets."""
WITHOUT_RECORDS = {
    "profile_writes": "",
    "records_tools": "",
    "records": "Nothing is known of the shopper but what stands with the question; there are no records to look up.",
    "of_the_shopper": "Use what is known of the shopper where it changes the advice.",
    "cited_alike": "Product pages and web pages are cited alike.",
}
"""Wording where nobody's records may be looked up."""
WITHOUT_SHOP = {
    "catalogue": "",
    "shop_tools": "",
    "of_this_shop": "",
    "web": "Search the web for what must be known from outside",
}
"""Wording where there is no shop."""
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
"""Wording where files belong to the question."""
OF_FILES = {
    "cited_alike": "Web pages and `file://` addresses are cited alike.",
    "of_the_shopper": "Use what the files say of the shopper where it changes the advice.",
}
PARAMETER = {REASON: "thought", FINALIZE: "reason", LAUNCH: "sub_problem"}


def asking_for_form(prompts: Prompts, money: Currency = DOLLARS, form: AskedForm = True) -> dict[str, str]:
    """Return the words that ask for a form, by the name of their slot in the prompts."""
    asking = prompts["points_form" if form == "points" else "answer_form"]
    return {"answer_form": f"\n\n{money.in_prompt(asking.text.rstrip())}"}


def asking_for_language(code: str) -> dict[str, str]:
    """Return the words that ask for a language, by the name of their slot in the prompts."""
    return {
        "language": f" Write in the language with the ISO code `{code}`; headings that are named here stay as they are."
    }


def argument_error(name: str, arguments: JsonObject, parameters: Sequence[str] = ()) -> str | None:
    """Say what is wrong with the arguments of a control call, in a sentence that the model can act on."""
    wanted = parameters or (PARAMETER[name],)
    for one in wanted if name != FINALIZE else ():
        value = arguments.get(one)
        if not isinstance(value, str) or not value.strip():
            return f"{name} needs `{one}`: a text that is not empty"
    extra = sorted(set(arguments) - set(wanted))
    named = " and ".join(f"`{one}`" for one in wanted)
    return f"{name} takes only {named}, not {', '.join(extra)}" if extra else None
