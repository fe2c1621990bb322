"""Answers a command's requests to the model. Each request is a turn of the run, in any of the protocols."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from itertools import count
from typing import TYPE_CHECKING

from drr.agents.commands.model_protocols import PROTOCOLS, Protocol
from drr.agents.commands.model_protocols import messages as anthropic
from drr.agents.commands.model_requests import LEFT_OUT, Conversations, ModelRequest, NotOffered
from drr.agents.plugins import RunChatModel
from drr.agents.run_state import AgentRun
from drr.env.errors import ProgramFailure
from drr.env.json_object import JsonObject
from drr.llm.failures import ModelFailure
from drr.llm.text import wire_size
from langchain_core.messages import AIMessage

if TYPE_CHECKING:
    from drr.agents.commands.door import CommandServer
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

MOST_BYTES = 16_000_000
_NO_RETRY = {"x-should-retry": "false"}


class _Refused(Exception):
    def __init__(self, status: int, kind: str, message: str) -> None:
        super().__init__(message)
        self.status, self.kind = status, kind


class ModelService:
    """An HTTP app that offers the model of the run's agent during one unit."""

    def __init__(self, door: CommandServer) -> None:
        self._door = door
        self._run: AgentRun = door.run
        self._heard = Conversations(door.answer_of)
        self._model = RunChatModel.of(door.run)
        self._tools: dict[str, JsonObject] = {}
        self._number = count(1)

    def app(self) -> Starlette:
        from starlette.applications import Starlette
        from starlette.routing import Route

        routes = [Route(one.path, self._endpoint(one), methods=["POST"]) for one in PROTOCOLS]
        counting = self._endpoint(anthropic, count=True)
        routes.append(Route(f"{anthropic.path}/count_tokens", counting, methods=["POST"]))
        return Starlette(routes=[*routes, Route("/v1/models", self._models)])

    def note(self) -> None:
        """Note in the run which settings of the requests were ignored."""
        if self._heard.left_out:
            names = ", ".join(sorted(self._heard.left_out)[:20])
            self._run.notes.append(f"left out of the command's model requests, as the study decides: {names}")

    def _endpoint(
        self, protocol: Protocol, *, count: bool = False
    ) -> Callable[[Request], Awaitable[Response]]:
        async def answer(request: Request) -> Response:
            from starlette.responses import JSONResponse, Response

            try:
                body = await _body(request)
                if count:
                    return JSONResponse(await self._count(self._read(body, protocol)))
                reply = await self._reply(body, protocol)
                number = next(self._number)
                streamed = protocol.stream(reply, body, number) if body.get("stream") else None
                written = protocol.write(reply, body, number)
            except (AttributeError, KeyError, TypeError, ValueError) as error:
                self._door.count_refusal()
                document = protocol.failed(
                    "malformed", f"the request has not the form of its protocol ({error})"
                )
                return JSONResponse(document, 400, _NO_RETRY)
            except _Refused as refused:
                document = protocol.failed(refused.kind, str(refused))
                return JSONResponse(document, refused.status, _NO_RETRY)
            if streamed is not None:
                return Response(streamed, media_type="text/event-stream")
            return JSONResponse(written)

        return answer

    def _read(self, body: JsonObject, protocol: Protocol) -> ModelRequest:
        try:
            asked = protocol.read(body, self._heard)
        except NotOffered as error:
            self._door.count_refusal()
            raise _Refused(400, "not_offered", str(error)) from None
        if lost := self._tool_not_passed_on(body, asked):
            failure = ProgramFailure(
                "agent_tools",
                f"the command offers the shop's {lost} to the model in a way that is not passed on; offer it as a function",
            )
            self._door.break_off(failure)
            raise _Refused(403, failure.kind, str(failure))
        return asked

    def _tool_not_passed_on(self, body: JsonObject, asked: ModelRequest) -> str | None:
        """Return the name of a shop's tool that was offered but not passed on, or `None`. Without such a tool the model looks nothing up, unnoticed."""
        dropped = self._heard.dropped
        if self._door.address in json.dumps([dropped, body.get("mcp_servers")]):
            return "MCP server"
        names = {
            name.rpartition("__")[2]
            for form in dropped
            if isinstance(name := form.get("name"), str) and not str(form.get("type")).startswith(name)
        }
        passed = {tool["function"]["name"].rpartition("__")[2] for tool in asked.tools}
        return min((names & self._run.names) - passed, default=None)

    async def _count(self, asked: ModelRequest) -> JsonObject:
        """Count a request's tokens as the provider does, or estimate them at four bytes a token and mark the estimate."""
        counted = await self._model.count(asked.messages, tools=asked.tools)
        if counted is not None:
            return {"input_tokens": counted}
        size = sum(map(wire_size, asked.messages)) + len(json.dumps(asked.tools))
        return {"input_tokens": -(-size // 4), "estimated": True}

    async def _reply(self, body: JsonObject, protocol: Protocol) -> AIMessage:
        asked = self._read(body, protocol)
        self._check_limits()
        self._heard.left_out |= {name for name in LEFT_OUT & body.keys() if body[name] is not None}
        # The same tools are the same objects, so that a model binds them once.
        tools = [self._tools.setdefault(json.dumps(tool, sort_keys=True), tool) for tool in asked.tools]
        try:
            reply = await self._model.reply(asked.messages, tools=tools, demand=asked.demand)
        except ModelFailure as failure:
            if failure.transient or failure.fatal or failure.kind == "over_budget":
                self._door.break_off(failure)
                raise _Refused(403, failure.kind, "the unit cannot be gone on with") from None
            self._door.failure = None if failure.kind == "bad_request" else failure  # the command's own
            raise _Refused(400, failure.kind, str(failure)) from None
        except Exception as error:
            self._door.break_off(error)
            raise _Refused(403, "bug", "the unit cannot be gone on with") from error
        self._door.failure = None
        self._heard.keep(reply)
        return reply

    def _check_limits(self) -> None:
        reached = self._run.allowance.reached()
        if reached not in ("token_limit", "time_limit"):
            return
        self._door.limit = reached
        self._door.count_refusal()
        raise _Refused(403, reached, "this question's limit is reached: print the report from what is known")

    async def _models(self, request: Request) -> Response:
        from starlette.responses import JSONResponse

        name = self._run.agent.name
        return JSONResponse({"object": "list", "data": [{"id": name, "object": "model", "type": "model", "display_name": name, "created": 0, "owned_by": "drr"}], "has_more": False})  # fmt: skip


async def _body(request: Request) -> JsonObject:
    received = bytearray()
    async for part in request.stream():
        received += part
        if len(received) > MOST_BYTES:
            raise _Refused(413, "too_large", f"a request may have {MOST_BYTES:,} bytes")
    try:
        body = json.loads(bytes(received))
    except (ValueError, RecursionError):
        body = None
    if not isinstance(body, dict):
        raise _Refused(400, "not_json", "the body is no JSON object")
    return body
