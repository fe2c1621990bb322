"""Records of an agent's run: its calls, steps, failures and answer, with its limits, events and options."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypedDict

from drr.env.json_object import JsonObject
from drr.env.session import Change
from drr.env.source import Source
from drr.llm.meter import ToldMessage, UsageRow
from pydantic import BaseModel, ConfigDict, Field, SkipValidation

SCHEMA = 1
MOST_REPORT = 1_000_000
"""Maximum number of bytes of a report."""
CitationRepair = Literal["off", "remove", "ask"]
CallKind = Literal["api", "control", "unknown", "refused"]
StopReason = Literal[
    "finalized",  # the agent said that it is done
    "answered",  # a turn without a tool call, which ends the loop as a call of `finalize` does
    "planned",  # every planned call was run
    "step_limit",
    "round_limit",
    "tool_call_limit",
    "token_limit",
    "time_limit",
    "context_limit",  # the conversation no longer fits the model; the report is written from rendered findings
    "refused",  # this and the following: the model failed, and the report is written from the findings so far
    "truncated",
    "malformed",
    "rejected",
    "outage",
]
BROKEN_OFF: frozenset[str] = frozenset({"refused", "truncated", "malformed", "rejected", "outage"})
"""Stop reasons of research that a failure of the model ended, rather than the agent or a limit."""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Limits of one unit, which is one run of an agent on one question. Reaching one ends the research; the report is written from the findings so far."""

    steps: int = 25
    """Maximum number of turns of one loop of reasoning and acting: all of ReAct, or one researcher."""
    rounds: int = 4
    """Maximum number of turns in which the supervisor launches researchers."""
    supervisor_steps: int = 10
    """Maximum number of turns of the supervisor or of the main agent."""
    researchers: int = 4
    """Maximum number of researchers launched by one turn of the supervisor. A further launch is refused with a tool message."""
    planned_calls: int = 12
    """Maximum number of calls in one plan."""
    tool_calls: int = 80
    """Maximum number of calls of the nine tools in a unit. A further call is refused with a tool message."""
    tokens: int | None = 3_000_000
    """Maximum number of tokens of input and output in the unit, checked before each turn."""
    seconds: float | None = 1_800
    """Maximum number of seconds for the unit, checked before each turn; a call in progress has its own deadline."""
    evidence_chars: int = 200_000
    """Maximum number of characters of findings in one fresh conversation; the longest findings are shortened first."""
    page_chars: int = 40_000
    """Maximum number of characters of a web page that are summarised."""
    page_reads: int = 5
    """Maximum number of pages of one search that are read and summarised at the same time."""
    search_turns: int = 5
    """Maximum number of turns of one search agent, in architectures that have search agents."""
    reader_turns: int = 3
    """Maximum number of turns of one file reader, in architectures that have file readers."""
    context_chars: int = 16_000
    """Maximum number of characters in one answer of `get_context`: 4,000 tokens of four characters."""
    checks: int = 3
    """Maximum number of rounds of the option `+validate`."""
    announced: int = 0
    """1 where the agent is told how many calls of tools it may make."""

    def key(self) -> dict[str, int | float | None]:
        """Return the limits as part of the unit's key. Limits added later enter only where they differ from the default, so that older keys stay the same."""
        later = {name for name in _LATER if getattr(self, name) == getattr(Limits, name)}
        return {name: value for name, value in dataclasses.asdict(self).items() if name not in later}


_LATER = ("search_turns", "reader_turns", "context_chars", "checks", "announced")
TIMES_LEAST = "times_least"
"""The limit of tool calls as a multiple of the calls of the shortest plan that proves a question's answer."""
_ROOMY = {
    "steps": 150,
    "rounds": 50,
    "supervisor_steps": 50,
    "tokens": 20_000_000,
    "seconds": 7_200.0,
    "announced": 1,
}
LimitName = Literal["wide", "tight"]
NAMED_LIMITS: Mapping[str, Mapping[str, int | float]] = {
    "wide": {**_ROOMY, "tool_calls": 150},
    "tight": {**_ROOMY, TIMES_LEAST: 1.2},
}
"""Limits that go by one name. Under both, the agent is told how many calls of tools it may make."""


def tight_calls(least: int, times: float = NAMED_LIMITS["tight"][TIMES_LEAST]) -> int:
    """Return the calls allowed for a question whose shortest plan has so many: two more at least."""
    return max(math.ceil(times * least), least + 2)


class CallError(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: str
    message: str


class ToolCall(BaseModel):
    """A tool call of an agent, with its arguments and its result.

    `api` calls ran one of the nine tools and are counted in Figure 4 of the paper; `refused` calls name one of the nine and never ran (a
    limit was reached, a plan could not be followed); `control` calls steer the agent (reason, finalize, launch);
    `unknown` calls name a tool that the agent does not have.
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
    """Seconds since the start of the answer; `None` where the time was not recorded."""

    @property
    def ok(self) -> bool:
        return self.error is None


StepKind = Literal["model", "page", "summary"]


class TimedStep(BaseModel):
    """A timed step of a run outside the tools: a model's turn, the reading of a page, or its summary."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: StepKind
    of: str
    """The name of the conversation, or the address of the page."""
    number: int
    """The step's number, in the order of ending, among steps of the same kind and conversation or page."""
    role: str | None = None
    """The role of the model that took the step."""
    seconds: float
    started_at: float
    """Seconds since the start of the answer."""


class Fabricated(BaseModel):
    """A cited URL that no tool returned. The address is never requested, so its page and status are mostly unknown."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    url: str
    page: str | None = None
    page_status: Literal["ok", "unreachable", "blocked", "empty"] | None = None


class ResearcherFailure(BaseModel):
    """The failure of a researcher that ended without findings, while the other researchers went on."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    researcher: str
    problem: str
    kind: str
    message: str


class Transcript(BaseModel):
    """A conversation as the model saw it, kept for readers and for the hashes of its messages."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    messages: SkipValidation[list[ToldMessage]]


class FunctionSchema(TypedDict):
    name: str
    description: str
    parameters: JsonObject
    """The parameters as a JSON Schema."""


class ToolSchema(TypedDict):
    """A tool's description as it is sent to a model, in the format of OpenAI."""

    type: Literal["function"]
    function: FunctionSchema


class ResearchRecord(BaseModel):
    """The record of a unit so far: its findings, calls, failures and conversations, with or without a report."""

    model_config = ConfigDict(extra="forbid")

    schema_version: int = SCHEMA
    variant: str
    version: str
    query: str
    user_id: str | None
    """The user whose records the agent could look up; `None` where the setting withheld them."""
    models: dict[str, str]
    """Names of the models by role."""
    rule_written: bool
    sources: list[Source] = Field(default_factory=list)
    """The texts that the tools returned, each (URL, text) once, in the order in which they were first seen."""
    tool_calls: list[ToolCall] = Field(default_factory=list)
    failures: list[ResearcherFailure] = Field(default_factory=list)
    notes: list[str] = Field(default_factory=list)
    """Remarks for a reader, for example "evidence shortened" or "a page not summarised"."""
    stderr: str | None = None
    """The end of the standard error of an agent that is a command."""
    steps: list[TimedStep] = Field(default_factory=list)
    """The timed steps that succeeded, by kind and by conversation or page; empty where steps were not recorded."""
    state_changes: list[Change] = Field(default_factory=list)
    transcripts: list[Transcript] = Field(default_factory=list)


class AnswerRecord(ResearchRecord):
    """The record of a finished unit, as plain data that survives a round trip through JSON unchanged."""

    raw_report: str
    """The report as the model wrote it."""
    report: str
    """The report after citation repair; this text is judged and shown."""
    form: str | None = None
    """The block named `form` from the report: JSON that code checks."""
    words: int
    citation_repair: CitationRepair
    removed_citations: list[str] = Field(default_factory=list)
    dangling: list[int] = Field(default_factory=list)
    """Numbers cited in the raw report that are missing from its list of sources."""
    fabricated: list[Fabricated] = Field(default_factory=list)
    stop_reason: str
    usage: dict[str, UsageRow] = Field(default_factory=dict)
    """The usage of each role's model."""
    seconds: float


class Ending(NamedTuple):
    """The report and stop reason that a variant's run returns; everything else was recorded in the `AgentRun`."""

    report: str
    stop_reason: str


@dataclass(frozen=True)
class Event:
    """A message to the listener of a run about its progress."""

    kind: Literal["turn", "call", "result", "launch", "page", "report", "ended"]
    actor: str
    text: str
    call: ToolCall | None = None
    """The finished call, where the event's kind is `ended`."""


Listener = Callable[[Event], None]


def ignore_event(event: Event) -> None:
    """Ignore an event, as the listener of a run that is not watched."""


AGENT, SUMMARISER, PERCEPTION = "agent", "summariser", "perception"


@dataclass(frozen=True)
class Option:
    """A choice that is added to an architecture's name as `+NAME`, with the roles and prompts that it needs."""

    name: str
    summary: str
    """Words for the summary of a variant that has the option."""
    summary_without: str = ""
    """Words for the summary of a variant without the option."""
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
