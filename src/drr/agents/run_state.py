"""The state of one run: its models, tools, limits and everything that it records.

The run is the context of the graphs (`Runtime[AgentRun]`), so that a compiled graph holds no data of a run and is built
once in a process.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from drr.agents.base import (
    AGENT,
    CallError,
    CallKind,
    Event,
    Limits,
    Listener,
    Option,
    ResearcherFailure,
    StopReason,
    ToolCall,
    ToolSchema,
    ignore_event,
)
from drr.agents.brief import CONTROL, Brief, CallEvidence, Piece, ProfileFacts, argument_error, call_title
from drr.agents.evidence import EvidenceLedger, OutsideAgent, StepLog, side_by_side
from drr.agents.text_calls import read_text_calls
from drr.env.errors import ShopError
from drr.env.json_object import JsonObject
from drr.env.source import text_hash
from drr.llm.meter import Meter
from drr.llm.prompts import Prompts, fence
from drr.llm.role import NO_DEMAND, Demand, RoleModel, Schema
from drr.llm.text import Block, picture_blocks
from drr.llm.thinking import shared_system_message
from drr.tools.base import ToolAnswer, ToolContext, ToolError
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

CallTool = Callable[[str, Mapping[str, Any], ToolContext], Awaitable[ToolAnswer]]
_OWN = frozenset({"user_id", "profile"})
"""Slots of the agents' prompts whose values differ between shoppers."""
ONCE_MORE = "once_more"
"""The prompt that is added to the question after an answer that did not count."""
NOBODY = "not known"
"""The user's id in a prompt where no user is named."""
MAIN = ""
"""The actor's name for a single agent and for the supervisor; researchers are `r1`, `r2`, ..."""


@dataclass
class Allowance:
    """The limits of a run and how much of them is used up, checked before each turn."""

    limits: Limits
    meter: Meter
    now: Callable[[], float]
    started: float
    calls: int = 0

    def elapsed(self) -> float:
        """Return the seconds since the start of the answer."""
        return self.now() - self.started

    def reached(self) -> StopReason | None:
        """Return the limit that ends the research now, or `None`."""
        limits = self.limits
        if limits.seconds is not None and self.now() - self.started >= limits.seconds:
            return "time_limit"
        if limits.tokens is not None and self.meter.tokens >= limits.tokens:
            return "token_limit"
        return "tool_call_limit" if self.calls >= limits.tool_calls else None

    def take_call(self) -> bool:
        if self.calls >= self.limits.tool_calls:
            return False
        self.calls += 1
        return True


async def _nothing() -> None:
    pass


@dataclass(kw_only=True)
class AgentInstructions:
    """The question and the prompts of an agent, from which its first messages are made."""

    query: str
    user_id: str | None
    """The user whose records the agent may look up; `None` under a setting that withholds them."""
    as_of: str
    prompts: Prompts
    person: str = ""
    """The facts that the setting gives of the person, added wherever the whole question is asked."""
    call_limit: str = ""
    """The line that says how many calls of tools may be made; empty where the agent is not told."""
    once_more: str = ""
    """The line that is added to the question when it is asked a second time."""

    @property
    def asked(self) -> str:
        """Return the question with the facts given of the person. Briefs for rules and tools have `query` alone: the words looked for."""
        asked = self.query
        if self.person:
            asked = self.prompts.fill("person", query=self.query, person=fence(self.person, "person"))
        return "\n\n".join(one for one in (asked, self.call_limit, self.once_more) if one)

    @property
    def has_records(self) -> bool:
        return self.user_id is not None

    def system(self, prompt: str, **slots: str) -> SystemMessage:
        """Return the system message, which may hold the user's id and the shop's date but nothing else of the profile.

        The text before the first slot of the shopper is the same in every unit, so that the provider's cache can serve it.
        """
        values = {"user_id": self.user_id or NOBODY, "as_of": self.as_of, **slots}
        text = self.prompts.fill(prompt, **values)
        return shared_system_message(text, self.prompts[prompt].shared(_OWN, **values))

    def instruction(self, prompt: str) -> HumanMessage:
        """Return a prompt as a message in the middle of a conversation."""
        return HumanMessage(self.prompts.fill(prompt))

    def bare(self, prompt: str) -> SystemMessage:
        """Return a prompt as a system message without any data of the shopper."""
        return SystemMessage(self.prompts.fill(prompt))


@dataclass(kw_only=True)
class AgentRun(AgentInstructions):
    models: Mapping[str, RoleModel]
    """Models by the roles that the variant declares."""
    allowance: Allowance
    steps: StepLog
    tools: ToolContext
    call_tool: CallTool
    schemas: Sequence[ToolSchema]
    """Descriptions of the tools that the agent may call, in the format of OpenAI."""
    names: frozenset[str]
    options: Collection[Option] = ()
    """The options that this variant has."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """The study's values of the settings that the architecture declares."""
    profile: ProfileFacts | None = None
    """Facts from the shopper's profile, for variants with `+profile`."""
    aclose: Callable[[], Awaitable[None]] = _nothing
    """Cancels background work when the run is over."""
    listener: Listener = ignore_event
    ledger: EvidenceLedger = field(default_factory=EvidenceLedger)
    calls: dict[str, list[ToolCall]] = field(default_factory=dict)
    answers: dict[str, list[ToolAnswer | None]] = field(default_factory=dict)
    """Answers to the `calls` of each actor, in the same order; `None` where a call failed or ran no tool."""
    begun: int = 0
    ended: list[int] = field(default_factory=list)  # calls outside conversations, by number
    transcripts: dict[str, list[BaseMessage]] = field(default_factory=dict)
    failures: list[ResearcherFailure] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    outside: OutsideAgent = field(default_factory=OutsideAgent)

    def ask_once_more(self, why: str) -> None:
        """Add the prompt for a second try to the question, and note the reason in the run."""
        prompt = self.prompts[ONCE_MORE]
        self.once_more = prompt.text.strip()
        self.notes.append(f"asked once more ({why}; {ONCE_MORE} {prompt.sha256[:8]})")

    @property
    def agent(self) -> RoleModel:
        return self.models[AGENT]

    def has(self, option: Option) -> bool:
        return option in self.options

    @property
    def reasons(self) -> bool:
        """Tell whether the agent has the tool `reason`, which records a thought."""
        return bool(self.settings.get("reason", True))

    @property
    def limits(self) -> Limits:
        return self.allowance.limits

    def tools_on(self, problem: str) -> ToolContext:
        """Return the tools' context for one (sub-)problem, on which the page summaries depend."""
        return replace(self.tools, question=problem)

    def tell(self, kind: Any, actor: str, text: str) -> None:
        self.listener(Event(kind, actor or "agent", text))

    async def speak(
        self,
        conversation: str,
        messages: Sequence[BaseMessage],
        tools: Sequence[Any] = (),
        *,
        brief: Brief | None,
        role: str = AGENT,
        demand: Demand = NO_DEMAND,
    ) -> AIMessage:
        """Return the model's next message. The conversation is stored before and after it."""
        self.keep(conversation, messages)
        with self.steps.timing("model", conversation, role):
            reply = await self.models[role].reply(messages, tools=tools, brief=brief, demand=demand)
        if self.settings.get("text_calls"):
            reply = read_text_calls(reply, tools, len(messages))
        self.keep(conversation, [*messages, reply])
        return reply

    async def structured(
        self,
        conversation: str,
        messages: Sequence[BaseMessage],
        schema: type[Schema],
        *,
        brief: Brief | None,
        role: str = AGENT,
    ) -> Schema:
        self.keep(conversation, messages)
        with self.steps.timing("model", conversation, role):
            answer = await self.models[role].structured(messages, schema, brief=brief)
        self.keep(conversation, [*messages, AIMessage(answer.model_dump_json(indent=1))])
        return answer

    def keep(self, conversation: str, messages: Sequence[BaseMessage]) -> None:
        self.transcripts[conversation] = list(messages)

    async def act(
        self, actor: str, message: AIMessage, context: ToolContext, allowed: Collection[str]
    ) -> list[BaseMessage]:
        """Run the calls of one turn concurrently and return the answers in order. Pictures follow in a separate message, as some providers reject them in a tool's message."""
        ran = await side_by_side(
            self._run(actor, call["name"], dict(call["args"]), context, allowed)
            for call in message.tool_calls
        )
        replies: list[BaseMessage] = []
        shown: list[Block] = []
        for asked, (call, answer) in zip(message.tool_calls, ran, strict=True):
            self._log(actor, call, answer)
            replies.append(tool_message(asked["id"], call.name, call.result, ok=call.ok, artifact=answer))
            shown += blocks_of([answer])
        return [*replies, HumanMessage(content=[*shown])] if shown else replies

    def pictures(self, actor: str = MAIN) -> list[Block]:
        """Return the pictures that one actor was shown, each once, for a fresh conversation."""
        return blocks_of(self.answers.get(actor, ()))

    async def run_call(
        self, name: str, arguments: JsonObject, context: ToolContext, allowed: Collection[str]
    ) -> tuple[ToolCall, ToolAnswer | None]:
        """Run one call outside a conversation, of a plan or a plug-in. Concurrent calls are recorded in the order of their start."""
        number = self.begun = self.begun + 1
        call, answer = await self._run(MAIN, name, arguments, context, allowed)
        self._log(MAIN, call, answer, later=sum(one > number for one in self.ended))
        self.ended.append(number)
        return call, answer

    def record(
        self,
        actor: str,
        name: str,
        arguments: JsonObject,
        result: str,
        kind: CallKind,
        error: CallError | None = None,
        *,
        later: int = 0,
        lasted: tuple[float, float | None] | None = None,
    ) -> None:
        """Record a call that was answered without running a tool; `later` counts the recorded calls that began after this call."""
        noted = _record(actor, name, arguments, result, kind, error, *(lasted or (self.allowance.elapsed(),)))
        self._log(actor, noted, None, later=later)

    def pieces(self, actor: str = MAIN) -> list[Piece]:
        """Return the tools' answers to one actor as titled texts for a fresh conversation."""
        api = (call for call in self.calls.get(actor, ()) if call.kind != "control")
        return [
            Piece(
                call_title(number, call.name, call.arguments), call.result, "result" if call.ok else "error"
            )
            for number, call in enumerate(api, 1)
        ]

    def evidence(self, actor: str = MAIN) -> tuple[CallEvidence, ...]:
        """Return the tools' answers to one actor as records."""
        both = zip(self.calls.get(actor, ()), self.answers.get(actor, ()), strict=True)
        return tuple(
            CallEvidence(call.name, call.arguments, answer) for call, answer in both if call.kind != "control"
        )

    async def _run(
        self, actor: str, name: str, arguments: JsonObject, context: ToolContext, allowed: Collection[str]
    ) -> tuple[ToolCall, ToolAnswer | None]:
        began = self.allowance.elapsed()
        if name not in allowed:
            text = f"Error (not_found): there is no tool {name[:80]!r} here; there are {', '.join(sorted(allowed))}."
            error = CallError(kind="not_found", message=text)
            return _record(actor, name, arguments, text, "unknown", error, began), None
        if name in CONTROL:
            wrong = argument_error(name, arguments)
            refused = None if wrong is None else CallError(kind="invalid", message=wrong)
            return _record(actor, name, arguments, wrong or "Noted.", "control", refused, began), None
        if not self.allowance.take_call():
            text = "Not run: the limit of tool calls for this question is reached."
            error = CallError(kind="not_allowed", message=text)
            return _record(actor, name, arguments, text, "refused", error, began), None
        self.tell("call", actor, f"{name} {_short_arguments(arguments)}")
        answer: ToolAnswer | None = None
        refused = None
        try:
            answer = await self.call_tool(name, arguments, context)
            text = answer.text
        except ToolError as failed:
            if isinstance(failed.__cause__, ShopError):
                # A report must not be written without the shop: the unit fails, and is begun again when the shop is back.
                raise failed.__cause__ from None
            text, refused = failed.text, CallError(kind=failed.kind, message=failed.message)
        call = _record(actor, name, arguments, text, "api", refused, began, self.allowance.elapsed())
        self.listener(Event("ended", actor or "agent", name, call))
        return call, answer

    def _log(self, actor: str, call: ToolCall, answer: ToolAnswer | None, *, later: int = 0) -> None:
        """Store a call and its answer; `later` counts the recorded calls that began after this call."""
        calls, answers = self.calls.setdefault(actor, []), self.answers.setdefault(actor, [])
        place = len(calls) - later
        calls.insert(place, call)
        answers.insert(place, answer)
        if answer is not None:
            self.ledger.add(actor, answer.sources)
        if call.error is not None:
            self.tell("result", actor, f"{call.name}: {call.error.message}")


def has_files(run: AgentRun) -> bool:
    return "list_files" in run.names


def file_names(run: AgentRun) -> Sequence[str]:
    """Return the names of the files that belong to the question."""
    return run.tools.files.names if has_files(run) else ()


def has_shop(run: AgentRun) -> bool:
    """Tell whether there is a shop. A question with files may have none."""
    return not has_files(run) or "product_catalog_search" in run.names


def blocks_of(answers: Sequence[ToolAnswer | None]) -> list[Block]:
    pictures = {
        picture.name: picture for answer in answers if answer is not None for picture in answer.pictures
    }
    return [
        block
        for picture in pictures.values()
        for block in picture_blocks(picture.name, picture.data, picture.mime_type)
    ]


def _record(
    actor: str,
    name: str,
    arguments: JsonObject,
    result: str,
    kind: CallKind,
    error: CallError | None,
    began: float,
    ended: float | None = None,
) -> ToolCall:
    """Make the record of a call; `began` and `ended` are seconds since the start of the answer."""
    return ToolCall(
        number=0,  # set when the run ends, in an order that does not depend on which call finished first
        name=name,
        kind=kind,
        arguments=arguments,
        researcher=actor or None,
        result=result,
        result_sha256=text_hash(result),
        error=error,
        seconds=0.0 if ended is None else ended - began,
        started_at=began,
    )


def tool_message(
    call_id: str | None, name: str, text: str, *, ok: bool = True, artifact: object = None
) -> ToolMessage:
    """Make a tool's message: the text for the model, and the artifact for stand-ins, which is never sent."""
    return ToolMessage(
        content=text,
        tool_call_id=call_id or "",
        name=name,
        status="success" if ok else "error",
        artifact=artifact,
    )


def _short_arguments(arguments: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in arguments.items())[:160]
