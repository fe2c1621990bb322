"""Records of an agent's run, with its limits, events and options."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypedDict

from drr.env.json_object import JsonObject
from drr.env.session import Change
from drr.env.source import Source
from drr.llm.meter import ToldMessage, UsageRow
from pydantic import BaseModel, ConfigDict, Field, SkipValidation

SCHEMA = 1
CitationRepair = Literal["off", "remove", "ask"]
CallKind = Literal["api", "control", "unknown", "refused"]
StopReason = Literal[
    "finalized",  # the agent said that it is done
    "answered",  # a turn without a tool call, which ends a loop like Finalize does
    "planned",  # every planned call was run
    "step_limit",
    "round_limit",
    "tool_call_limit",
    "token_limit",
    "time_limit",
    "context_limit",  # the conversation no longer fits the model; the report is written from rendered findings
    "refused",  # from here on the model failed, and the report is written from what was known
    "truncated",
    "malformed",
    "rejected",
    "outage",
]
BROKEN_OFF: frozenset[str] = frozenset({"refused", "truncated", "malformed", "rejected", "outage"})
"""Ends of research that no choice and no limit of ours made."""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Bounds of one unit. Reaching one ends the research with a report from what is known and a recorded reason."""

    steps: int = 25
    """Turns of one reason-act loop: the whole of ReAct, or one researcher."""
    rounds: int = 4
    """Supervisor turns that launch researchers."""
    supervisor_steps: int = 10
    """Turns of the supervisor, or of the main agent."""
    researchers: int = 4
    """Launched by one supervisor turn; more are refused with a tool message."""
    planned_calls: int = 12
    """Calls of one plan."""
    tool_calls: int = 80
    """Calls of the nine tools in a unit; more are refused with a tool message."""
    tokens: int | None = 3_000_000
    """Input and output of the unit, looked at before each turn."""
    seconds: float | None = 1_800
    """Looked at before each turn; a call in flight has its own deadline."""
    evidence_chars: int = 200_000
    """Most rendered evidence in one fresh conversation; the longest results are shortened first."""
    page_chars: int = 40_000
    """Most of a web page that is summarised."""
    page_reads: int = 5
    """Pages of one search read and summarised at a time."""
    search_turns: int = 5
    """Turns of one search agent, of an architecture that has such."""
    reader_turns: int = 3
    """Turns of one file reader, of an architecture that has such."""
    context_chars: int = 16_000
    """Most of what one `get_context` gives: 4,000 tokens of four characters."""
    checks: int = 3
    """Rounds of `+validate`."""

    def key(self) -> dict[str, int | float | None]:
        """Key the options. Those that came later are in it only where they are not the default, so that the keys of before stay."""
        later = {name for name in _LATER if getattr(self, name) == getattr(Limits, name)}
        return {name: value for name, value in dataclasses.asdict(self).items() if name not in later}


_LATER = ("search_turns", "reader_turns", "context_chars", "checks")


class CallError(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: str
    message: str


class ToolCall(BaseModel):
    """One call as it happened.

    `api` calls ran one of the nine and are what Figure 4 counts; `refused` ones name one of the nine and never ran (a
    limit was reached, a plan could not be followed); `control` calls steer the agent (reason, finalize, launch);
    `unknown` ones name a tool that the agent does not have.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    number: int
    name: str
    kind: CallKind
    arguments: JsonObject
    researcher: str | None = None
    result: str
    result_sha256: str
    error: CallError | None = None
    seconds: float
    started_at: float | None = None
    """Seconds after the answer was begun; `None` where nobody noted it."""

    @property
    def ok(self) -> bool:
        return self.error is None


StepKind = Literal["model", "page", "summary"]


class TimedStep(BaseModel):
    """One wait of a run beside its tools' own work: a model's turn, reading a page, or summarising it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: StepKind
    of: str
    """The conversation, or the page's address."""
    number: int
    """Among those of its kind and of this conversation or page, as they ended."""
    role: str | None = None
    """The role whose model it was."""
    seconds: float
    started_at: float
    """Seconds after the answer was begun."""


class Fabricated(BaseModel):
    """A cited URL that no tool returned: nobody asks for it, so there is no status either."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    url: str
    page: str | None = None
    page_status: Literal["ok", "unreachable", "blocked", "empty"] | None = None


class ResearcherFailure(BaseModel):
    """A researcher that ended without findings; its siblings went on."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    researcher: str
    problem: str
    kind: str
    message: str


class Transcript(BaseModel):
    """One conversation as the model saw it, for people to read and for hashes to pin."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    messages: SkipValidation[list[ToldMessage]]


class FunctionSchema(TypedDict):
    name: str
    description: str
    parameters: JsonObject
    """JSON Schema."""


class ToolSchema(TypedDict):
    """A tool as it is bound to a model, OpenAI style."""

    type: Literal["function"]
    function: FunctionSchema


class Gathered(BaseModel):
    """The findings and actions of a unit so far, whether or not a report came of them."""

    model_config = ConfigDict(extra="forbid")

    schema_version: int = SCHEMA
    variant: str
    version: str
    query: str
    user_id: str | None
    """The user whose records it could look up; `None` where the setting withheld them."""
    models: dict[str, str]
    """Role to model name."""
    rule_written: bool
    sources: list[Source] = Field(default_factory=list)
    """The evidence ledger in order of first sight: each (URL, text seen) once."""
    tool_calls: list[ToolCall] = Field(default_factory=list)
    failures: list[ResearcherFailure] = Field(default_factory=list)
    notes: list[str] = Field(default_factory=list)
    """Notes for a reader: evidence shortened, a page not summarised, ..."""
    stderr: str | None = None
    """The end of what a command wrote beside its report."""
    steps: list[TimedStep] = Field(default_factory=list)
    """Those that ended well, by kind and by what they are of; none where nobody noted them."""
    state_changes: list[Change] = Field(default_factory=list)
    transcripts: list[Transcript] = Field(default_factory=list)


class AnswerRecord(Gathered):
    """The record of a finished unit. Plain data: it serialises to JSON and back unchanged."""

    raw_report: str
    """The text as the model wrote it."""
    report: str
    """After citation repair; what is judged and shown."""
    form: str | None = None
    """The block named `form` that stood in it: JSON for code to check."""
    words: int
    citation_repair: CitationRepair
    removed_citations: list[str] = Field(default_factory=list)
    dangling: list[int] = Field(default_factory=list)
    """Numbers cited in the raw report that its list of sources lacks."""
    fabricated: list[Fabricated] = Field(default_factory=list)
    stop_reason: str
    usage: dict[str, UsageRow] = Field(default_factory=dict)
    """The usage by role."""
    seconds: float


class Ending(NamedTuple):
    """The ending that a variant's run returns; everything else was noted in the `AgentRun` on the way."""

    report: str
    stop_reason: str


@dataclass(frozen=True)
class Event:
    """Something that a watcher of a run may like to know, while it happens."""

    kind: Literal["turn", "call", "result", "launch", "page", "report", "ended"]
    actor: str
    text: str
    call: ToolCall | None = None
    """The call, where one has `ended`."""


Listener = Callable[[Event], None]


def nobody(event: Event) -> None:
    """The listener of a run that nobody watches."""


AGENT, SUMMARISER, PERCEPTION = "agent", "summariser", "perception"


@dataclass(frozen=True)
class Option:
    """An option that may stand behind an architecture's name as `+NAME`, with the roles and prompts that it adds."""

    name: str
    summary: str
    """Words for the summary of a variant that has it."""
    summary_without: str = ""
    """Words for the summary of a variant without it."""
    roles: tuple[str, ...] = ()
    prompts: tuple[str, ...] = ()


WS = Option(
    "ws",
    "web pages are read and summarised",
    "web search gives snippets",
    roles=(SUMMARISER,),
    prompts=("page_summary",),
)
PROFILE = Option("profile", "researchers get the shopper's profile facts")
OWN = Option(
    "own",
    "researchers write their synthesis in their own conversation, which is in the provider's cache",
    prompts=("synthesis_own",),
)
