"""Builds variants from agents of Inspect: by name in its registry (`inspect:react`), or an `@agent` in a file or package."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from inspect import iscoroutinefunction, signature
from typing import TYPE_CHECKING, Any

from drr.agents.architecture import Architecture, Run
from drr.env.errors import Misuse
from drr.env.installation import install
from drr.extras.inspect import PROMPT

if TYPE_CHECKING:
    from inspect_ai.agent import Agent

PREFIX = "inspect:"
PROMPTS = (PROMPT, "report", "report_form")
_INFO = "__registry_info__"
"""The attribute in which Inspect's decorators describe the decorated object."""


def is_agent(found: object) -> bool:
    """Tell whether an object was made by Inspect's `@agent`, or is an agent returned by such a function."""
    return getattr(getattr(found, _INFO, None), "type", None) == "agent"


def architecture_parts(found: Any) -> tuple[Callable[[], Run], tuple[str, ...]] | None:
    """Return the way to load an agent of Inspect, and its prompts; `None` where it is no such agent."""
    return (run_of_agent(found), PROMPTS) if is_agent(found) else None


def run_of_agent(found: Any) -> Callable[[], Run]:
    """Return a function that loads an agent, or calls the function that makes it. Its parameter `tools` gets the shop's tools."""

    def made() -> Agent:
        from drr.extras.inspect.tools import shop_tools

        agent: Agent = found
        if not iscoroutinefunction(found):
            agent = found(tools=shop_tools()) if "tools" in signature(found).parameters else found()
        return agent

    def load() -> Run:
        from drr.extras.inspect.answering import inspect_agent

        return inspect_agent(made)

    return load


def inspect_architecture(word: str) -> Architecture:
    """Build the architecture for `inspect:NAME`, without options."""
    name = word.removeprefix(PREFIX)
    try:
        own = version("inspect-ai")
    except PackageNotFoundError:
        raise Misuse(f"{word}: needs the package inspect-ai; {install('inspect')}") from None
    if name == "react":
        return _architecture(word, own, "Inspect", run_of_agent(default_agent))
    from inspect_ai._util.registry import registry_lookup

    found: Any = registry_lookup("agent", name)
    if found is None:
        raise Misuse(
            f"no variant {word!r}: Inspect has no agent {name!r}; give react, PACKAGE/AGENT of an installed package, or path/file.py:function"
        )
    package = name.partition("/")[0]
    origin = next(iter(packages_distributions().get(package, ())), package)
    return _architecture(word, f"{own}+{origin}-{_version_of(origin)}", origin, run_of_agent(found))


def _architecture(word: str, version: str, origin: str, load: Callable[[], Run]) -> Architecture:
    return Architecture(
        name=word,
        version=f"1+inspect-{version}",
        summary="an agent of Inspect",
        load=load,
        prompts=PROMPTS,
        origin=origin,
    )


def default_agent(tools: Any) -> Agent:
    """Return Inspect's usual `react()`. Its answer is the report, and this project's prompt is its only instruction."""
    from inspect_ai.agent import react

    agent: Agent = react(prompt=None, tools=tools, submit=False)
    return agent


def _version_of(distribution: str) -> str:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return "unknown"
