"""Records of an agent's run, and the declaration of an architecture."""

from __future__ import annotations

import dataclasses
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple, TypedDict

from drr.env.json_object import JsonObject
from drr.env.session import Change
from drr.env.source import Source
from drr.llm.meter import ToldMessage, UsageRow
from pydantic import BaseModel, ConfigDict, Field, SkipValidation

if TYPE_CHECKING:
    from drr.agents.run_state import AgentRun
    from drr.llm.role import Policy


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


Run = Callable[["AgentRun"], Awaitable[Ending]]
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
BUILT_IN = "built in"
PROFILE = Option("profile", "researchers get the shopper's profile facts")
OWN = Option(
    "own",
    "researchers write their synthesis in their own conversation, which is in the provider's cache",
    prompts=("synthesis_own",),
)


@dataclass(frozen=True, kw_only=True)
class Architecture:
    """`version` is raised with every change that may change a result; `prompts` enter the key by their hashes."""

    name: str
    version: str
    summary: str
    load: Callable[[], Run]
    roles: tuple[str, ...] = (AGENT,)
    """The model roles that it calls; any name will do."""
    tools: tuple[str, ...] | None = None
    """Names of the world's tools that it binds; `None` is all of them."""
    limits: Limits = field(default_factory=Limits)
    """Bounds of a run where the study names none."""
    policy: Mapping[str, str | Policy] = field(default_factory=dict)
    """Players of its roles under the `offline` model: a stand-in's name, or rules of its own; a role that is not named here
    is played by the stand-in of the role's own name."""
    options: tuple[Option, ...] = (WS,)
    settings: tuple[str, ...] = ()
    """Choices of a study, beside the limits, that it understands: fields of `AgentOptions`."""
    prompts: tuple[str, ...] = ()
    looks: str = AGENT
    """The role whose model is shown pictures."""
    sees: bool = False
    """True where pictures go to a program of its own and not to a model of ours."""
    once: bool = False
    """True where an answer cannot be asked for a second time."""
    profile: bool = False
    """True where every variant is given the shopper's profile facts."""
    origin: str = BUILT_IN
    word: str = ""
    """Words that find it again where its name does not: a file's whole path and function."""


@dataclass(frozen=True)
class Variant:
    """An architecture with some of its options, in the order in which it declares them."""

    architecture: Architecture
    options: tuple[Option, ...] = ()
    model: str | None = None
    """The model that it runs with in a study of several, in place of the study's."""

    @property
    def name(self) -> str:
        return self.bare_name + self._at

    @property
    def bare_name(self) -> str:
        """The variant's name without its model."""
        return self.architecture.name + self._suffix

    @property
    def word(self) -> str:
        """The word by which `drr.agents.registry.variant` finds this variant, wherever it is asked."""
        return (self.architecture.word or self.architecture.name) + self._suffix + self._at

    @property
    def _suffix(self) -> str:
        return "".join(f"+{option.name}" for option in self.options)

    @property
    def _at(self) -> str:
        return "" if self.model is None else f"@{self.model}"

    @property
    def version(self) -> str:
        return self.architecture.version

    @property
    def roles(self) -> tuple[str, ...]:
        """The model roles that it calls, each once."""
        added = (role for option in self.options for role in option.roles)
        return tuple(dict.fromkeys((*self.architecture.roles, *added)))

    @property
    def prompts(self) -> tuple[str, ...]:
        """The files in `agents/prompts` that decide what this variant does."""
        return (*self.architecture.prompts, *(prompt for option in self.options for prompt in option.prompts))

    @property
    def summary(self) -> str:
        summary_line = (
            option.summary if option in self.options else option.summary_without
            for option in self.architecture.options
        )
        return "; ".join([self.architecture.summary, *filter(None, summary_line)])

    def has(self, option: Option) -> bool:
        return option in self.options

    def played_by(self, role: str) -> str | Policy:
        """The stand-in of a role: its name, or the rules themselves."""
        return self.architecture.policy.get(role, role)
