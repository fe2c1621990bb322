"""An agent's own process: it loads the function and calls it for one unit after another.

The function gets the objects that it would get within the run. Their calls go to the run over standard input and
output; what the agent prints goes to standard error.
"""

from __future__ import annotations

import asyncio
import json
import os
import pickle
import sys
import threading
import time
import traceback
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib.metadata import EntryPoint
from itertools import count
from types import SimpleNamespace
from typing import Any, NoReturn

from drr.agents.architecture import AgentCode
from drr.agents.base import Ending, ToolCall
from drr.agents.commands.parcels import LENGTH, size_in, to_run
from drr.agents.plugins import RunChatModel, check_messages, ending_of, tools_of
from drr.agents.run_state import Allowance
from drr.env.errors import DrrError, ProgramFailure, bug_of
from drr.env.user_code import from_file, outliving
from drr.llm.role import NO_DEMAND, Demand, Schema, structured
from drr.tools.base import ToolAnswer
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.utils.function_calling import convert_to_openai_tool

_MOST_WORDS, _MOST_TRACE = 2_000, 100_000


class Wire:
    """The two pipes to the run. Requests may come from any thread and any event loop of the agent."""

    def __init__(self, reading: int, writing: int) -> None:
        self._reading, self._writing = os.fdopen(reading, "rb"), writing
        self._numbers, self._lock = count(1), threading.Lock()
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        # A fork of the agent must not speak in its place.
        os.register_at_fork(after_in_child=lambda: os.close(writing))

    def receive(self) -> dict[str, Any]:
        head = self._reading.read(LENGTH)
        if len(head) < LENGTH:
            os._exit(0)  # the run is over
        parcel: dict[str, Any] = pickle.loads(self._reading.read(size_in(head)))  # noqa: S301 - from the run
        return parcel

    def send(self, document: Mapping[str, Any]) -> None:
        body = memoryview(to_run(document))
        with self._lock:
            while body:
                try:
                    body = body[os.write(self._writing, body) :]
                except OSError:
                    os._exit(1)  # a fork, or the pipe is closed: nobody hears this process

    async def ask(self, what: str, **given: Any) -> dict[str, Any]:
        """Send a request to the run and return its answer, or raise its error."""
        number, answered = next(self._numbers), asyncio.get_running_loop().create_future()
        self._waiting[number] = answered
        try:
            self.send({"id": number, "what": what, **given})
            parcel: dict[str, Any] = await answered
        finally:
            self._waiting.pop(number, None)
        if "error" in parcel:
            parcel["error"].drr_number = parcel["number"]
            raise parcel["error"]
        return parcel

    def answer(self, parcel: dict[str, Any]) -> None:
        """Pass an answer on to the event loop that waits for it."""
        if (waiting := self._waiting.get(parcel["id"])) is not None:
            waiting.get_loop().call_soon_threadsafe(_settle, waiting, parcel)


def _settle(waiting: asyncio.Future[dict[str, Any]], parcel: dict[str, Any]) -> None:
    if not waiting.done():
        waiting.set_result(parcel)


class ChildRun:
    """The run as its agent's process knows it."""

    def __init__(self, wire: Wire, given: Mapping[str, Any]) -> None:
        self._wire, self._unit = wire, given["unit"]
        self.question = given["question"]
        self.query, self.user_id, self.as_of = given["query"], given["user_id"], given["as_of"]
        self.person, self.schemas, self.names = given["person"], given["schemas"], given["names"]
        self.models = {
            role: SimpleNamespace(name=name, role=role, rule_written=rules)
            for role, (name, rules) in given["models"].items()
        }
        started = time.monotonic() - given["elapsed"]
        self.allowance = Allowance(given["limits"], given["meter"], time.monotonic, started, given["calls"])
        self._messages: dict[int, tuple[int, BaseMessage, str]] = {}
        self._answers: dict[int, tuple[int, ToolAnswer]] = {}
        self._numbers = count(1)

    async def ask(self, what: str, **given: Any) -> Any:
        parcel = await self._wire.ask(what, unit=self._unit, **given)
        self.allowance.calls, self.allowance.meter.by_role = parcel["calls"], parcel["meter"].by_role
        return parcel["value"]

    def tools_on(self, problem: str) -> None:
        """Return nothing: the run has the tools' context."""

    async def run_call(
        self, name: str, arguments: Mapping[str, Any], context: None, allowed: object
    ) -> tuple[ToolCall, ToolAnswer | None]:
        call, answer, number = await self.ask("call", name=name, arguments=arguments)
        if answer is not None:
            self._answers[id(answer)] = (number, answer)
        return call, answer

    def packed(self, messages: Sequence[BaseMessage]) -> list[list[Any]]:
        """Return messages for the wire. One that the run has is its number alone, and stays the same object there."""
        return [self._packed(message) for message in messages]

    def _packed(self, message: BaseMessage) -> list[Any]:
        text = _text_of(message)
        number, _, known = self._messages.get(id(message)) or (next(self._numbers), message, "")
        if text == known:
            return [number]
        self._messages[id(message)] = (number, message, text)
        answer = self._answers.get(id(getattr(message, "artifact", None)))
        return [number, text, answer and answer[0]]

    async def reply(self, role: str, messages: Sequence[BaseMessage], **demanded: Any) -> AIMessage:
        number = next(self._numbers)
        message: AIMessage = await self.ask(
            "reply", role=role, messages=self.packed(messages), number=number, **demanded
        )
        self._messages[id(message)] = (number, message, _text_of(message))
        return message


def _text_of(message: BaseMessage) -> str:
    data = message.model_dump(exclude={"artifact"} if isinstance(message, ToolMessage) else None)
    return json.dumps({"type": message.type, "data": data}, default=str)


class ChildChatModel(RunChatModel):
    """A model of the run, asked from the agent's own process."""

    async def reply(
        self,
        messages: Sequence[BaseMessage],
        *,
        tools: Sequence[Any] = (),
        brief: object = None,
        demand: Demand = NO_DEMAND,
    ) -> AIMessage:
        check_messages(messages)
        _no_brief(brief)
        schemas = [convert_to_openai_tool(tool) for tool in tools]
        run: ChildRun = self.run
        return await run.reply(self.role, messages, tools=json.dumps(schemas), demand=demand)

    async def count(self, messages: Sequence[BaseMessage], *, tools: Sequence[Any] = ()) -> int | None:
        run: ChildRun = self.run
        schemas = json.dumps([convert_to_openai_tool(tool) for tool in tools])
        counted: int | None = await run.ask(
            "count", role=self.role, messages=run.packed(messages), tools=schemas
        )
        return counted

    async def structured(
        self, messages: Sequence[BaseMessage], schema: type[Schema], *, brief: object = None
    ) -> Schema:
        """Return an answer of this form. It is read here, where its class is."""
        _no_brief(brief)
        run: ChildRun = self.run
        form = json.dumps(schema.model_json_schema())
        name = await run.ask("converse", role=self.role, messages=run.packed(messages))
        asked = {"schema": form, "tools": "[]", "demand": NO_DEMAND}
        answer = await structured(
            lambda transcript: run.reply(self.role, transcript, **asked), messages, schema
        )
        text = answer.model_dump_json(indent=1)
        await run.ask("keep", conversation=name, messages=run.packed([*messages, AIMessage(text)]))
        return answer


def _no_brief(brief: object) -> None:
    if brief is not None:
        raise DrrError(
            "a brief reaches stand-ins from within the run's process alone; leave it out, or run with --in-process"
        )


def _function_at(code: AgentCode) -> Any:
    if not code.function:
        return EntryPoint("agent", code.place, "drr.variants").load()
    found = from_file("variant", code.place, code.function)
    if found.digest != code.digest:
        raise DrrError(f"{code.place} was edited while the study ran: run the study again")
    return found.found


async def _ending(name: str, function: Any, run: ChildRun) -> dict[str, Any]:
    """Call the function for a unit and return how it ended, whatever it raised."""

    async def answer(run: Any) -> Ending:
        model = ChildChatModel.of(run)
        return await ending_of(name, function, run.question, tools_of(run), model, run.allowance)

    try:
        ending = await outliving(answer)(run)
    except BaseException as error:  # noqa: BLE001 - an agent's end is told, whatever it is
        return _failure(error)
    return {"report": ending.report, "stop": ending.stop_reason}


def _failure(error: BaseException) -> dict[str, Any]:
    if (number := getattr(error, "drr_number", None)) is not None:
        return {"raised": number}
    if isinstance(error, DrrError):
        kind = error.kind if isinstance(error, ProgramFailure) else ""
        return {"failure": str(error)[:_MOST_WORDS], "kind": kind}
    try:
        trace = "".join(traceback.format_exception(error))
    except BaseException:  # noqa: BLE001 - somebody's exception, which may fail where it should speak
        trace = ""
    return {"bug": bug_of(error)[:_MOST_WORDS], "trace": trace[-_MOST_TRACE:]}


async def _serve(wire: Wire, name: str, function: Any) -> None:
    """Answer units until the run is over. Parcels are read in a thread, so that they arrive while the agent blocks its loop."""
    loop, units = asyncio.get_running_loop(), asyncio.Queue[dict[str, Any]]()

    def read() -> None:
        while True:
            parcel = wire.receive()
            if "question" in parcel:
                loop.call_soon_threadsafe(units.put_nowait, parcel)
            elif "ping" in parcel:
                loop.call_soon_threadsafe(wire.send, parcel)
            else:
                wire.answer(parcel)

    threading.Thread(target=read, daemon=True).start()
    wire.send({"ready": True})
    while True:
        given = await units.get()
        ended = await _ending(name, function, ChildRun(wire, given))
        with suppress(Exception):  # the agent may have closed it
            sys.stderr.flush()
        wire.send({**ended, "unit": given["unit"]})


def main() -> NoReturn:
    wire = Wire(os.dup(0), os.dup(1))
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    sys.stdout = sys.stderr  # in one order, and with nothing left in a buffer when the process is killed
    given = wire.receive()
    try:
        function = _function_at(given["code"])
    except BaseException as error:  # noqa: BLE001 - somebody's module, whose failure is told
        wire.send({"failure": str(error) if isinstance(error, DrrError) else bug_of(error)})
        os._exit(1)
    asyncio.run(_serve(wire, given["name"], function))
    os._exit(0)


if __name__ == "__main__":
    main()
