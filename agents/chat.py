"""A role's model of a run as LangChain has chat models, for agents that are built with a library of theirs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from drr.llm.role import Schema
from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool

if TYPE_CHECKING:
    from drr.agents.plugins import Watched


class RunChatModel(BaseChatModel):
    """Its calls are the run's: counted, paid from its budget, kept in its transcript. It answers `ainvoke` only.

    It is a `RoleModel` of the project as well, so that what a plug-in is given is both.
    """

    watched: Any
    """The `Watched` that answers."""

    @property
    def role(self) -> str:
        return str(self.watched.role)

    @property
    def rule_written(self) -> bool:
        return bool(self.watched.rule_written)

    def of_role(self, role: str) -> RunChatModel:
        """The model of another role that the plug-in declares."""
        return chat_model_of(self.watched.of_role(role))

    def chat_model(self) -> RunChatModel:
        """Itself: what a plug-in is given was once no chat model."""
        return self

    async def reply(
        self, messages: Sequence[BaseMessage], *, tools: Sequence[Any] = (), brief: Any = None
    ) -> AIMessage:
        answer: AIMessage = await self.watched.reply(messages, tools=tools, brief=brief)
        return answer

    async def structured(
        self, messages: Sequence[BaseMessage], schema: type[Schema], *, brief: Any = None
    ) -> Schema:
        answer: Schema = await self.watched.structured(messages, schema, brief=brief)
        return answer

    @property
    def _llm_type(self) -> str:
        return "drr"

    def bind_tools(
        self, tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool], **given: Any
    ) -> Runnable[Any, AIMessage]:
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools])

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **given: Any,
    ) -> ChatResult:
        answer = await self.watched.reply(messages, tools=given.get("tools", ()))
        return ChatResult(generations=[ChatGeneration(message=answer)])

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **given: Any,
    ) -> ChatResult:
        raise NotImplementedError("a run is asynchronous; use `await agent.ainvoke(...)`")


def chat_model_of(watched: Watched) -> RunChatModel:
    return RunChatModel(watched=watched, name=watched.name)
