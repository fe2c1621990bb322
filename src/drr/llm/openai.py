"""ChatOpenAI that reads the arguments of tool calls in the same way with and without streaming."""

from __future__ import annotations

import json
from typing import Any

from drr.llm.text import call_arguments
from langchain_core.outputs import ChatResult
from langchain_openai import ChatOpenAI


class OpenAIChat(ChatOpenAI):
    """A client of OpenAI's chat completions."""

    def _create_chat_result(self, response: Any, *given: Any, **more: Any) -> ChatResult:
        """Make arguments that are no object unreadable as JSON. The library would otherwise raise an error for them and lose the usage."""
        for choice in getattr(response, "choices", None) or ():
            for call in getattr(choice.message, "tool_calls", None) or ():
                try:
                    call.function.arguments = json.dumps(call_arguments(call.function.arguments))
                except ValueError:
                    call.function.arguments = f"({call.function.arguments})"
        return super()._create_chat_result(response, *given, **more)
