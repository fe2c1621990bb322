"""Serves one unit to its agent's process. Calls of tools and models are recorded like those within the run."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, ClassVar, cast

from drr.agents.base import MOST_REPORT, Ending, ToolCall
from drr.agents.commands.dialogue import MOST_REQUESTS
from drr.agents.commands.door import MOST_REFUSED
from drr.agents.plugins import Question, RunChatModel
from drr.agents.run_state import AgentRun
from drr.env.errors import DrrError, ForeignBug, ProgramFailure
from drr.env.json_object import JsonObject
from drr.llm.role import Demand, MeteredModel
from drr.tools.base import ToolAnswer
from langchain_core.messages import BaseMessage, ToolMessage, messages_from_dict
from pydantic import BaseModel

_OUTPUT = "agent_output"


class _Form(BaseModel, extra="allow"):
    """A form whose class only the agent's process has. The answer is read there."""

    document: ClassVar[JsonObject]

    @classmethod
    def model_json_schema(cls, *_: Any, **__: Any) -> JsonObject:
        return cls.document


class UnitService:
    """The requests of one unit. A message that was sent once stays one object, by which its conversation is known."""

    def __init__(self, run: AgentRun, unit: int, send: Callable[[Mapping[str, Any]], None]) -> None:
        self.run, self.unit, self._send = run, unit, send
        self._model = RunChatModel.of(run)
        self._messages: dict[int, BaseMessage] = {}
        self._answers: list[ToolAnswer | None] = []
        self._errors: list[Exception] = []
        self._documents: dict[str, Any] = {}
        self._steps: dict[str, AbstractContextManager[None]] = {}
        self._refused = 0
        self._left = iter(range(MOST_REQUESTS))
        self._under_way: set[asyncio.Task[None]] = set()
        self._last = asyncio.get_running_loop().time()

    def given(self) -> JsonObject:
        """Return the unit's facts for the agent's process."""
        run, allowance = self.run, self.run.allowance
        return {
            "unit": self.unit,
            "question": Question.of(run),
            **{
                name: getattr(run, name)
                for name in ("query", "user_id", "as_of", "person", "schemas", "names")
            },
            "models": {role: (model.name, model.rule_written) for role, model in run.models.items()},
            "limits": allowance.limits,
            "elapsed": allowance.elapsed(),
            **self._state(),
        }

    def _state(self) -> JsonObject:
        return {"calls": self.run.allowance.calls, "meter": self.run.allowance.meter}

    def quiet_s(self) -> float:
        """Return for how many seconds the agent has waited for nothing here."""
        return 0.0 if self._under_way else asyncio.get_running_loop().time() - self._last

    def begin(self, request: JsonObject) -> None:
        """Begin to serve a request. Every request costs this process time, so there is a limit."""
        if next(self._left, None) is None:
            raise ProgramFailure("agent_flood", f"the agent sent more than {MOST_REQUESTS:,} requests")
        if self._refused > MOST_REFUSED:
            raise ProgramFailure(
                "agent_flood", f"the agent asked {MOST_REFUSED} times for what its limits had refused"
            )
        task = asyncio.create_task(self._serve(request))
        self._under_way.add(task)
        task.add_done_callback(self._served)

    def _served(self, task: asyncio.Task[None]) -> None:
        self._under_way.discard(task)
        self._last = task.get_loop().time()

    async def close(self) -> None:
        """Cancel what the agent did not wait for, so that no paid call goes on."""
        left = list(self._under_way)
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)

    async def _serve(self, request: JsonObject) -> None:
        number, what = request.pop("id", None), request.pop("what")
        request.pop("unit")
        handlers = {"call": self._call, "reply": self._reply, "count": self._count, "converse": self._converse, "keep": self._keep}  # fmt: skip
        try:
            value = await handlers[what](**request)  # type: ignore[operator]
        except Exception as error:  # noqa: BLE001 - raised in the agent, and again here where it lets it pass
            self._errors.append(error)
            self._send({"id": number, "error": error, "number": len(self._errors) - 1})
        else:
            self._send({"id": number, "value": value, **self._state()})

    async def _call(self, name: str, arguments: JsonObject) -> tuple[ToolCall, ToolAnswer | None, int]:
        run = self.run
        call, answer = await run.run_call(name, arguments, run.tools_on(run.query), run.names)
        self._refused += call.kind == "refused"
        self._answers.append(answer)
        return call, answer, len(self._answers) - 1

    async def _reply(
        self,
        role: str,
        messages: Sequence[Sequence[Any]],
        number: int,
        tools: str,
        demand: Sequence[Any],
        schema: str = "",
    ) -> BaseMessage:
        asked = self._unpacked(messages)
        if schema:
            document = self._document(schema)
            form = type(document["title"], (_Form,), {"document": document, "__module__": __name__})
            reply = await cast("MeteredModel", self.run.models[role]).answer(asked, form)
        else:
            tool, stop, answer_form = demand
            demanded = Demand(tool, tuple(stop), answer_form)
            model = self._model.of_role(role)
            reply = await model.reply(asked, tools=self._document(tools), demand=demanded)
        self._messages[number] = reply
        return reply

    async def _count(self, role: str, messages: Sequence[Sequence[Any]], tools: str) -> int | None:
        return await self.run.models[role].count(self._unpacked(messages), tools=self._document(tools))

    async def _converse(self, role: str, messages: Sequence[Sequence[Any]]) -> str:
        """Begin the step of a structured answer, which may take two tries."""
        asked = self._unpacked(messages)
        conversation = self._model._conversation(asked)
        self.run.keep(conversation, asked)
        self._steps[conversation] = self.run.steps.timing("model", conversation, role)
        self._steps[conversation].__enter__()
        return conversation

    async def _keep(self, conversation: str, messages: Sequence[Sequence[Any]]) -> None:
        self._steps.pop(conversation).__exit__(None, None, None)
        self.run.keep(conversation, self._unpacked(messages))

    def _document(self, text: str) -> Any:
        """Return the same object for the same text, because models know bound tools by their identity."""
        if text not in self._documents:
            self._documents[text] = json.loads(text)
        return self._documents[text]

    def _unpacked(self, messages: Sequence[Sequence[Any]]) -> list[BaseMessage]:
        """Return the messages by their numbers. One that comes again was changed by the agent."""
        for number, *change in messages:
            if change:
                text, answer = change
                (message,) = messages_from_dict([json.loads(text)])
                if isinstance(message, ToolMessage) and answer is not None:
                    message.artifact = self._answers[answer]
                self._messages.setdefault(number, message).__dict__.update(message.__dict__)
        return [self._messages[number] for number, *_ in messages]

    def ending(self, parcel: JsonObject) -> Ending:
        """Return the agent's report, or raise what ended it."""
        match parcel:
            case {"report": str(report), "stop": str(stop)}:
                if len(report.encode(errors="replace")) > MOST_REPORT:
                    raise ProgramFailure(
                        _OUTPUT, f"the agent returned a report of more than {MOST_REPORT:,} bytes"
                    )
                return Ending(report, stop)
            case {"raised": int(number)} if 0 <= number < len(self._errors):
                raise self._errors[number]
            case {"failure": str(why), "kind": str(kind)}:
                raise ProgramFailure(kind, why) if kind == _OUTPUT else DrrError(why)
            case {"bug": str(why), "trace": str(trace)}:
                error = ForeignBug(why)
                error.add_note(trace)
                raise error
        raise ProgramFailure("agent_lost", "the agent's process sent what nobody can read")
