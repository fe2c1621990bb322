"""A package of somebody else: an agent built with OpenAI's `agents`, whose model is a script, so that no key is needed."""

from __future__ import annotations

import json
import re
from typing import Any

from agents import Agent, FunctionTool, Model, ModelResponse, RunConfig, Runner, Usage
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText


class Script(Model):
    """Searches the catalogue, then recommends what came first."""

    def __init__(self, question: str) -> None:
        self.question = question

    async def get_response(
        self, system_instructions: Any, input: Any, *more: Any, **settings: Any
    ) -> ModelResponse:
        results = [item["output"] for item in input if item.get("type") == "function_call_output"]
        return ModelResponse(
            output=[self._report(str(results[0])) if results else self._search()],
            usage=Usage(),
            response_id=None,
        )

    def stream_response(self, *arguments: Any, **settings: Any) -> Any:
        raise NotImplementedError("this script is not streamed")

    def _search(self) -> ResponseFunctionToolCall:
        return ResponseFunctionToolCall(
            type="function_call",
            call_id="call-1",
            name="product_catalog_search",
            arguments=json.dumps({"query": self.question[:80]}),
        )

    def _report(self, found: str) -> ResponseOutputMessage:
        address = re.search(r"https?://\S+", found)
        text = f"The product that the catalogue names first suits this question best [1].\n\n## Sources\n\n[1] {address[0] if address else ''}"
        part = ResponseOutputText(type="output_text", text=text, annotations=[])
        return ResponseOutputMessage(
            id="message-1", type="message", role="assistant", status="completed", content=[part]
        )


def _given(tool: Any) -> FunctionTool:
    async def invoke(context: Any, arguments: str) -> str:
        return str(await tool.ainvoke(json.loads(arguments)))

    return FunctionTool(tool.name, tool.description, tool.args_schema, invoke, strict_json_schema=False)


async def answer(query: str, tools: list[Any], model: Any, budget: Any) -> str:
    agent = Agent("shopper", tools=[_given(tool) for tool in tools], model=Script(str(query)))
    result = await Runner.run(agent, str(query), run_config=RunConfig(tracing_disabled=True))
    return str(result.final_output)


answer.version = "1"  # type: ignore[attr-defined]
