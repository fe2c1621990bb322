"""Plays one episode: a question, the shopper's session, an agent's observations, and the reward at the end."""

from __future__ import annotations

import json
import reprlib
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from dataclasses import fields as dataclass_fields
from typing import Literal, NamedTuple, TypedDict

from drr.agents.base import ToolSchema
from drr.agents.runner import schemas
from drr.app.session import ToolReply, ToolSession
from drr.app.training.episode_tasks import APART, EpisodeTask
from drr.env.errors import wrong_field
from drr.env.json_object import JsonObject
from drr.env.query import Query
from drr.env.records.lines import one_line
from drr.env.shop_world import TOOLS
from drr.eval.rewards.answer_forms import AnswerForm, Form, form_class
from drr.eval.rewards.components import RewardRow, reward
from drr.eval.rewards.rewarded import Rewarded
from drr.tools.base import ErrorKind
from pydantic import ValidationError

Ending = Literal["answered", "out_of_calls", "out_of_steps", "out_of_time", "invalid_action"]
MALFORMED = 5
"""Number of malformed actions in a row that ends an episode."""
MOST_CHARS = 200_000
"""Most characters of a report that is accepted."""
ACTING = (
    'An action is one JSON object. {"tool": NAME, "arguments": {...}} calls a tool and shows what it returns.\n'
    '{"report": MARKDOWN, "form": {...}} answers, and ends the work.'
)


class EpisodeLimits(NamedTuple):
    """Limits of one episode: number of actions and time."""

    max_steps: int
    """Most actions, including the report."""
    time_limit_s: float
    max_calls: int | None = None
    """Most calls of tools, after which only a report is taken; `None` where actions alone are counted."""


@dataclass(frozen=True, slots=True)
class Observation:
    """All data that an agent is shown after an action."""

    question: str
    user_id: str
    """Id of the shopper who asks; tools look up this user's records and nobody else's."""
    today: str
    instructions: str
    tools: tuple[ToolSchema, ...]
    """Name, description and JSON Schema of each tool, in the form of function calling."""
    form: JsonObject
    """JSON Schema of the form that accompanies a report."""
    limits: EpisodeLimits
    text: str
    """Result or error of the last action; empty before the first."""
    steps_left: int

    @property
    def prompt(self) -> str:
        """Return the text of a user's message in a conversation: question, day and shopper's id."""
        return f"{self.question}\n\nToday in this shop: {self.today}\nThe shopper's user id: {self.user_id}"

    def to_dict(self) -> JsonObject:
        """Return the observation as a JSON object."""
        fields = {one.name: getattr(self, one.name) for one in _FIELDS}
        limits = {name: one for name, one in self.limits._asdict().items() if one is not None}
        return {**fields, "tools": list(self.tools), "limits": limits}


_FIELDS = dataclass_fields(Observation)


class StepError(TypedDict):
    kind: ErrorKind | Literal["invalid_action"]
    message: str


class StepInfo(TypedDict):
    """Facts on a step for the trainer, hidden from the agent."""

    query_id: str
    step: int
    error: StepError | None
    ending: Ending | None
    """Reason for the end of the episode; `None` while it goes on."""
    components: dict[str, float | None]
    """Components of the reward by name; empty until the end, like `weights` and `versions`."""
    weights: dict[str, float]
    versions: dict[str, int]


Step = tuple[Observation, float, bool, StepInfo]


class ToolAction(NamedTuple):
    tool: str
    arguments: Mapping[str, object]


class ReportAction(NamedTuple):
    report: str
    form: Form | None


class ActionError(NamedTuple):
    message: str


class ModelOutput(NamedTuple):
    """The text that a model wrote for an action, for transcripts, and its tokens where the model's server gave them."""

    content: str = ""
    token_ids: Sequence[int] | None = None
    logprobs: Sequence[float] | None = None


class EpisodeTurn(NamedTuple):
    """An action with its result, error and time."""

    action: ToolAction | ReportAction | ActionError | None
    written: str
    """The action as JSON text; empty for a tool call."""
    text: str
    error: str | None
    seconds: float
    output: ModelOutput | None


@dataclass
class Episode:
    """Plays one question: every action gives an observation, and the report ends the episode."""

    query: Query
    session: ToolSession
    start: Observation
    turns: list[EpisodeTurn] = field(default_factory=list)
    ending: Ending | None = None
    reward: RewardRow | None = None
    calls: int = 0
    _malformed: int = 0
    _tools: Collection[str] = field(init=False)
    _began: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        self._tools = tuple(self.session.tools)

    @property
    def steps(self) -> int:
        return len(self.turns)

    @property
    def is_out_of_calls(self) -> bool:
        return self.calls == self.start.limits.max_calls

    def act(self, action: object, output: ModelOutput | None = None) -> Step:
        began, asked, reply = time.perf_counter(), self._asked(action), None
        if isinstance(asked, ToolAction) and not self.is_out_of_calls:
            reply = self.session.call(asked.tool, **asked.arguments)
        return self._done(asked, reply, action, output, began)

    async def aact(self, action: object, output: ModelOutput | None = None) -> Step:
        """Take an action like `act`, with the tool in a thread of its own."""
        began, asked, reply = time.perf_counter(), self._asked(action), None
        if isinstance(asked, ToolAction) and not self.is_out_of_calls:
            reply = await self.session.acall(asked.tool, **asked.arguments)
        return self._done(asked, reply, action, output, began)

    def _asked(self, action: object) -> ToolAction | ReportAction | ActionError | None:
        """Return the parsed action, or `None` where the time limit has passed."""
        if time.monotonic() - self._began > self.start.limits.time_limit_s:
            return None
        return read_action(action, self._tools, form_class(self.query))

    def _done(
        self,
        asked: ToolAction | ReportAction | ActionError | None,
        reply: ToolReply | None,
        action: object,
        output: ModelOutput | None,
        began: float,
    ) -> Step:
        error: StepError | None = None
        text = reply.text if reply is not None else ""
        self.calls += reply is not None
        if reply is not None and self.is_out_of_calls:
            text += f"\n\nThe limit of {self.calls} calls of tools is reached. Hand in your answer now."
        if isinstance(asked, ActionError):
            error = {"kind": "invalid_action", "message": asked.message}
            text = f"Error (invalid_action): {asked.message}"
        elif reply is not None and reply.error is not None:
            error = {"kind": reply.error.kind, "message": reply.error.message}
        written = "" if reply is not None else as_json(action)
        self._malformed = self._malformed + 1 if isinstance(asked, ActionError) else 0
        seconds = time.perf_counter() - began
        self.turns.append(
            EpisodeTurn(asked, written, text, error["kind"] if error else None, seconds, output)
        )
        self.ending = (
            "out_of_calls" if isinstance(asked, ToolAction) and reply is None else self._ending(asked)
        )
        if self.ending is not None:
            report, form = asked if isinstance(asked, ReportAction) else ("", None)
            self.reward = reward(Rewarded(self.query, report, form, self.session.sources))
        total = 0.0 if self.reward is None else self.reward["total"]
        left = self.start.limits.max_steps - self.steps
        seen = replace(self.start, text=text, steps_left=left)
        return seen, total, self.ending is not None, self._info(error)

    def _ending(self, asked: ToolAction | ReportAction | ActionError | None) -> Ending | None:
        if asked is None:
            return "out_of_time"
        if isinstance(asked, ReportAction):
            return "answered"
        if self._malformed == MALFORMED:
            return "invalid_action"
        return "out_of_steps" if self.steps == self.start.limits.max_steps else None

    def _info(self, error: StepError | None) -> StepInfo:
        paid = self.reward
        return {
            "query_id": self.query.id,
            "step": self.steps,
            "error": error,
            "ending": self.ending,
            "components": paid["components"] if paid else {},
            "weights": paid["weights"] if paid else {},
            "versions": paid["versions"] if paid else {},
        }


def as_json(value: object) -> str:
    """Return a value as JSON text, or a shortened Python text of a value that JSON cannot hold."""
    try:
        return writable_unicode(json.dumps(value, ensure_ascii=False)[: 2 * MOST_CHARS])
    except (TypeError, ValueError, RecursionError):
        return writable_unicode(reprlib.repr(value))


def writable_unicode(text: str) -> str:
    """Return a text that can be written as UTF-8; lone surrogates become backslash escapes."""
    return text.encode("utf-8", "backslashreplace").decode()


_FORMS = '{"tool": NAME, "arguments": {...}} or {"report": MARKDOWN, "form": {...}}'


def read_action(
    action: object, tools: Collection[str], form: type[Form] = AnswerForm
) -> ToolAction | ReportAction | ActionError:
    """Return an agent's action as a tool call or a report, or an error that names the fault."""
    if not isinstance(action, Mapping):
        return ActionError(f"An action is one object: {_FORMS}.")
    if "tool" in action and action.keys() <= {"tool", "arguments"}:
        name, given = action["tool"], action.get("arguments", {})
        if not isinstance(name, str) or name not in tools:
            shown = repr(one_line(name, 60)) if isinstance(name, str) else "of that kind"
            return ActionError(f"There is no tool {shown}; the tools are {', '.join(tools)}.")
        if not isinstance(given, Mapping) or not all(isinstance(key, str) for key in given):
            return ActionError(f"The arguments of {name} must be one object, a value for each name.")
        return ToolAction(name, given)
    if "report" in action and action.keys() <= {"report", "form"}:
        return _report(action["report"], action.get("form"), form)
    return ActionError(f"An action has one of two forms: {_FORMS}.")


def _report(report: object, form: object, model: type[Form]) -> ReportAction | ActionError:
    if not isinstance(report, str) or len(report) > MOST_CHARS or writable_unicode(report) != report:
        return ActionError(f"The report must be a Unicode text of at most {MOST_CHARS:,} characters.")
    if form is None:
        return ReportAction(report, None)
    try:
        return ReportAction(report, model.model_validate(form, strict=True))
    except ValidationError as error:
        return ActionError(f"The form is not as its schema asks: {wrong_field(error, 'form')}.")


SUBMIT = "submit_report"
_ACTING = f"Call tools to learn what you need to know. {SUBMIT} hands in your answer, and ends the work."


class GivenTool(NamedTuple):
    """A tool that an agent is given: its name, description and JSON Schema."""

    name: str
    description: str
    schema: JsonObject


def instructions_of(task: EpisodeTask) -> str:
    """Return the instructions for an agent that acts by tools alone."""
    return task.instructions(_ACTING)


def given_tools(task: EpisodeTask = APART) -> list[GivenTool]:
    """Return the tools of every episode of a task and the tool that hands in the report."""
    form = {key: value for key, value in task.form.items() if key != "$defs"}
    schema: JsonObject = {
        "type": "object",
        "properties": {"report": {"type": "string", "description": "The report in Markdown."}, "form": form},
        "required": ["report"],
        "additionalProperties": False,
        "$defs": task.form["$defs"],
    }
    shown = [tool["function"] for tool in schemas(TOOLS)]
    submit = GivenTool(SUBMIT, "Hand in the report and its form. This ends the work.", schema)
    return [*(GivenTool(one["name"], one["description"], one["parameters"]) for one in shown), submit]


def action_of(name: str, arguments: Mapping[str, object]) -> JsonObject:
    """Return the action for `Environment.step` that a tool call means."""
    return {"report": None, **arguments} if name == SUBMIT else {"tool": name, "arguments": dict(arguments)}


def briefing(first: Observation) -> str:
    """Return the first message to an agent: the day, the shopper's id and the question."""
    return f"Today is {first.today}. The shopper is the user {first.user_id}, who asks:\n\n{first.question}"
