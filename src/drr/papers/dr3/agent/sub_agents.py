"""The sub-agents of DR3: how each is called, its tools, and its loop of turns, which ends with a summary.

The main agent reads the summary and nothing else of a sub-agent's work.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Literal

from drr.agents import turns
from drr.agents.base import PERCEPTION, CallError, ToolSchema
from drr.agents.brief import HelperRequest, PictureRequest, argument_error, tool_schema
from drr.agents.findings import Synthesis, ask_for_synthesis, synthesis_without_tools
from drr.agents.run_state import AgentRun, CallTool, tool_message
from drr.agents.turns import ask_again_once, is_broken_off
from drr.citations.files import file_place, piece_address
from drr.env.json_object import JsonObject
from drr.env.source import Source
from drr.env.text import tokens
from drr.env.web.base import InPieces
from drr.llm.failures import ModelFailure
from drr.llm.text import Block, with_pictures
from drr.tools.base import ToolAnswer, ToolContext
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.messages.tool import ToolCall
from langchain_core.runnables import RunnableConfig
from langgraph.graph import START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.types import Command

SEARCH, CONTEXT = "web_search", "get_context"
EQUAL = 3
"""Number of the search for the same words that is refused: the third one."""
_SNIPPET, _MOST_HITS = 320, 20
FILES = ("list_files", "read_file", "search_file")
VIEW, CALCULATOR = "view_image", "calculator"


CONTEXT_TOOL = tool_schema(
    CONTEXT,
    "Get the best passages of many pages for a query at once, with title and address each: wider than a search, for when you know"
    " which words lead there.",
    query="What the passages should speak of.",
)


@dataclass(frozen=True)
class SubAgent:
    """A kind of sub-agent. `node` is its place in the graph, `launch` the tool that calls it, `letter` begins the names of its runs."""

    node: str
    letter: str
    launch: ToolSchema
    prompt: str
    turns: str = ""
    """Name of the limit on the turns of the loop; empty for a sub-agent that makes a single request."""
    has: tuple[str, ...] = ()
    """Names of the sub-agent's tools; empty: all tools that no other sub-agent has."""
    further: tuple[ToolSchema, ...] = ()
    """Tools added to those of the environment, if the environment offers the sub-agent at least one tool."""

    @property
    def name(self) -> str:
        return self.launch["function"]["name"]

    def wrong(self, arguments: JsonObject) -> str | None:
        """Name the fault in the arguments of a call; `None` if they are right."""
        return argument_error(self.name, arguments, list(self.launch["function"]["parameters"]["properties"]))

    def tools(self, run: AgentRun) -> list[ToolSchema]:
        """List the tools that the run offers to the sub-agent, and further tools; empty if the run offers none."""
        own = [one for one in run.schemas if self._takes(one["function"]["name"])]
        return [*own, *self.further] if own else []

    def _takes(self, name: str) -> bool:
        return name in self.has if self.has else name not in (SEARCH, *FILES, VIEW, CALCULATOR)


_TASK = "What is to be found out, with all that must be known for it: the sub-agent sees this text only."
SEARCHER = SubAgent(
    "rag_search",
    "s",
    tool_schema(
        "search_pages",
        "Have one thing found out in the pages of the web. Several calls in one turn run side by side; each answers with a short cited"
        " summary.",
        task=_TASK,
    ),
    "dr3_search",
    "search_turns",
    (SEARCH,),
    (CONTEXT_TOOL,),
)
READER = SubAgent(
    "file_reader",
    "f",
    tool_schema(
        "read_files",
        "Have one thing found out in the shopper's files, pictures aside. Answers with a short summary that names page, row or cell.",
        task=_TASK,
    ),
    "dr3_reader",
    "reader_turns",
    FILES,
)
SHOPPER = SubAgent(
    "shop_search",
    "c",
    tool_schema(
        "search_shop",
        "Have one thing found out in this shop: its catalogue and, where there are any, the shopper's records. Answers with a short cited"
        " summary.",
        task=_TASK,
    ),
    "dr3_shop",
    "search_turns",
)
LOOKER = SubAgent(
    "perception",
    "p",
    tool_schema(
        "look_at_picture",
        "Have a picture among the shopper's files looked at: what is written and shown in it is read out, and the question answered. Each"
        " picture is looked at once.",
        name="The picture's file name.",
        question="All that you want to know of it.",
    ),
    "dr3_look",
    has=(VIEW,),
)
SUB_AGENTS = (SEARCHER, READER, SHOPPER, LOOKER)
BY_NODE = {one.node: one for one in SUB_AGENTS}


class SubAgentState(turns.LoopState):
    node: str
    who: str
    problem: str
    summary: str


def _conversation(state: SubAgentState) -> str:
    return f"{state['node'].replace('_', ' ')} {state['who']}"


async def reason(state: SubAgentState, runtime: Runtime[AgentRun]) -> Command[Literal["act", "summarise"]]:
    run, tools = runtime.context, BY_NODE[state["node"]].tools(runtime.context)
    brief = HelperRequest(state["problem"])
    return await turns.next_turn(run, state["who"], _conversation(state), state, brief, "summarise", tools)


async def act(state: SubAgentState, runtime: Runtime[AgentRun]) -> Command[Literal["reason", "summarise"]]:
    """Answer the calls of the last turn. A search repeated too often is refused without being run."""
    run, who, turn = runtime.context, state["who"], state["messages"][-1]
    assert isinstance(turn, AIMessage)
    kind, repeated = BY_NODE[state["node"]], _repeated_searches(state["messages"])
    made = [call for place, call in enumerate(turn.tool_calls) if place not in repeated]
    allowed = {tool["function"]["name"] for tool in kind.tools(run)}
    part = turn.model_copy(update={"tool_calls": made})
    given = iter(await run.act(who, part, run.tools_on(state["problem"]), allowed))
    answers = [
        _refuse_search(run, who, call) if place in repeated else next(given)
        for place, call in enumerate(turn.tool_calls)
    ]
    run.keep(_conversation(state), [*state["messages"], *answers])
    if state["steps"] >= getattr(run.limits, kind.turns):
        return Command(update={"messages": answers, "stop": "step_limit"}, goto="summarise")
    return Command(update={"messages": answers}, goto="reason")


async def summarise(state: SubAgentState, runtime: Runtime[AgentRun]) -> dict[str, str]:
    """Return the sub-agent's summary. A last turn without a call is the summary; after a limit or a failure the model is asked for one."""
    run, who, problem, messages = runtime.context, state["who"], state["problem"], state["messages"]
    last, stop = messages[-1], state["stop"]
    if stop == "answered" and isinstance(last, AIMessage):
        return {"summary": last.text.strip()}
    text = None
    if not is_broken_off(stop):
        tools = BY_NODE[state["node"]].tools(run)
        text = await ask_for_synthesis(run, who, _conversation(state), problem, messages, stop, tools)
    return {"summary": text or await synthesis_without_tools(run, who, problem, messages)}


@cache
def graph() -> CompiledStateGraph[SubAgentState, AgentRun, SubAgentState, SubAgentState]:
    return (
        StateGraph(SubAgentState, context_schema=AgentRun)
        .add_node("reason", reason)
        .add_node("act", act)
        .add_node("summarise", summarise)
        .add_edge(START, "reason")
        .compile(name="sub-agent")
    )


async def run_sub_agent(run: AgentRun, kind: SubAgent, who: str, problem: str) -> Synthesis:
    """Run one sub-agent on a problem; return the summary and the reason why the sub-agent stopped."""
    most = getattr(run.limits, kind.turns)
    start: SubAgentState = {
        "node": kind.node,
        "who": who,
        "problem": problem,
        "messages": [run.system(kind.prompt, steps=str(most)), HumanMessage(problem)],
        "steps": 0,
        "stop": "answered",
        "summary": "",
    }
    config: RunnableConfig = {"recursion_limit": turns.recursion_limit(most)}
    end = await graph().ainvoke(start, config, context=run)
    return Synthesis(end["summary"], end["stop"])


# Searching -----------------------------------------------------------------------------------------------------------


def with_context(call: CallTool, chars: int) -> CallTool:
    """Add `get_context` to the tools of the environment: a search that returns more hits, up to `chars` characters in all."""

    async def called(name: str, arguments: Mapping[str, Any], context: ToolContext) -> ToolAnswer:
        if name != CONTEXT:
            return await call(name, arguments, context)
        web = context.web if isinstance(context.web, InPieces) else None
        hits = min(_MOST_HITS, max(1, -(-chars // (web.piece_chars if web else _SNIPPET))))
        return _cut_passages(await call(SEARCH, arguments, replace(context, top_k=hits)), chars, web)

    return called


def _cut_passages(answer: ToolAnswer, chars: int, web: InPieces | None) -> ToolAnswer:
    """Cut the passages of an answer to `chars` characters in all. Each passage is given the address of its piece."""
    sources: list[Source] = []
    items: list[JsonObject] = []
    left = chars
    for one in answer.sources:
        if left <= 0:
            break
        number = None if web is None else web.piece_of(one.url, one.seen)
        url = one.url if number is None else piece_address(one.url, number)
        sources.append(one.model_copy(update={"seen": one.seen[:left]}))
        items.append({"title": one.title, "url": url, "snippet": one.seen[:left]})
        left -= len(one.seen)
    if not sources:
        return answer
    rows = [f"{k}. {one['title']}\n   {one['url']}\n   {one['snippet']}" for k, one in enumerate(items, 1)]
    text = "\n".join([f"{len(rows)} passages", *rows])
    return ToolAnswer(text, sources, {"items": items, "total": len(items)})


def _repeated_searches(messages: Sequence[BaseMessage]) -> set[int]:
    """Return the positions of those calls of the last turn that search for the same words for the third time."""
    made: Counter[tuple[str, ...]] = Counter()
    found: set[int] = set()
    for message in messages:
        found = set()
        for place, call in enumerate(message.tool_calls if isinstance(message, AIMessage) else ()):
            if words := _search_words(call):
                made[words] += 1
                found |= {place} if made[words] >= EQUAL else set()
    return found


def _search_words(call: ToolCall) -> tuple[str, ...]:
    """Return the tool and the words of a search, without regard to order and endings; empty for other calls."""
    if call["name"] not in (SEARCH, CONTEXT):
        return ()
    return (call["name"], *sorted(set(tokens(str(call["args"].get("query", ""))))))


def _refuse_search(run: AgentRun, who: str, call: ToolCall) -> BaseMessage:
    text = "Not run: these words were searched for twice already, and would find the same. Use other words, or write the summary."
    error = CallError(kind="not_allowed", message=text)
    run.record(who, call["name"], dict(call["args"]), text, "refused", error)
    return tool_message(call["id"], call["name"], text, ok=False)


def picture_named(name: str) -> str:
    """Return a picture's file name, whether the picture was named by its name or its address."""
    place = file_place(name)
    return name.strip() if place is None else place.name


async def open_picture(run: AgentRun, who: str, name: str) -> Sequence[Block] | CallError:
    """Return the picture's blocks; a `CallError` if there is no such picture or the perception model takes no pictures."""
    call = {"name": VIEW, "args": {"name": name}, "id": "view", "type": "tool_call"}
    await run.act(who, AIMessage("", tool_calls=[call]), run.tools, {VIEW})
    error = run.calls[who][-1].error
    return run.pictures(who) if error is None else error


async def look_at_picture(run: AgentRun, who: str, question: str, shown: Sequence[Block]) -> Synthesis:
    asked = [run.system("dr3_look"), with_pictures(question, shown)]

    async def look() -> str:
        reply = await run.speak(f"perception {who}", asked, brief=PictureRequest(question), role=PERCEPTION)
        if not reply.text.strip():
            raise ModelFailure("malformed", f"{run.models[PERCEPTION].name} said nothing of a picture")
        return reply.text.strip()

    return Synthesis(await ask_again_once(run, f"perception {who}", look), "answered")
