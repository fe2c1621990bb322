"""The manners of small models behind OpenAI's chat protocol, as scripts of `tests.wire.Wire`."""

from __future__ import annotations

import json
from typing import Literal

from tests.wire import Fail, Pace, Reply, Request, Say, Wire, looked

Manner = Literal[
    "text_call", "tagged_call", "prose", "empty_plan", "prose_plan", "worded_plan", "json_report", "no_tools"
]
REPORT = (
    "Take the cedar house [1].\n\n## Sources\n\n[1] Cedar bird house: http://ecommerce.example/B0HOUSE001"
)
SEARCH = {"query": "cedar bird house"}
CALL = json.dumps({"name": "product_catalog_search", "arguments": SEARCH})
JSON_REPORT = json.dumps({"title": "Houses", "answer": ["The cedar one", "The pine one"]}, indent=1)
_ARGUMENTS = {"price_of": {"product": "K2"}, "launch_researcher": {"sub_problem": "What is one and one?"}}


class SmallModel:
    """A script that plays one manner to the end, however often it is asked."""

    def __init__(self, manner: Manner) -> None:
        self.manner = manner

    def __call__(self, request: Request) -> Reply:
        if self.manner == "no_tools" and "tools" in request.body:  # llama.cpp's words and status
            return Fail(500, "server_error", "tools param requires --jinja flag")
        if "response_format" in request.body:
            return Say("I would search for houses." if self.manner == "prose_plan" else self._plan())
        known = any(message["role"] == "assistant" for message in request.body["messages"])
        bound = [tool["function"]["name"] for tool in request.body.get("tools", ())]
        if self.manner in ("text_call", "tagged_call") and bound and not known:
            name = next((name for name in ("product_catalog_search", *_ARGUMENTS) if name in bound), bound[0])
            call = json.dumps({"name": name, "arguments": _ARGUMENTS[name]}) if name in _ARGUMENTS else CALL
            return Say(
                f"```json\n{call}\n```"
                if self.manner == "text_call"
                else f"<tool_call>\n{call}\n</tool_call>"
            )
        if self.manner == "json_report":
            return looked(request, JSON_REPORT)
        return Say(REPORT)

    def _plan(self) -> str:
        calls = (
            []
            if self.manner == "empty_plan"
            else [
                {
                    "tool": "product_catalog_search",
                    "arguments": "one plus one" if self.manner == "worded_plan" else json.dumps(SEARCH),
                }
            ]
        )
        return json.dumps({"plan": "look it up", "calls": calls})


def small_server(
    manner: Manner | None = None, *, writes: float = 3, window: int = 32_768, loading: int = 0
) -> Wire:
    """Such a model on a small machine: so many tokens a second, one slot, 502 to the first requests while it loads.

    Without a manner it has that of the model's name.
    """

    def script(request: Request) -> Reply:
        if request.number < loading:
            return Fail(502, "bad_gateway", "bad gateway")
        return SmallModel(manner or request.body["model"])(request)

    told = {"n_ctx": window}
    props = {"total_slots": 1, "default_generation_settings": told, "modalities": {"vision": False}}
    return Wire(script, pace=Pace(writes, reads=20 * writes), pages={"/props": props})
