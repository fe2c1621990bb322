"""Declarations of an agent architecture and of its variants, which are the architecture with chosen options."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from drr.agents.base import AGENT, WS, Ending, Limits, Option

if TYPE_CHECKING:
    from drr.agents.run_state import AgentRun
    from drr.llm.role import Policy


@dataclass(frozen=True)
class AgentCode:
    """The place of an agent's function, from which any process loads it."""

    place: str
    """The whole path of a file, or the value of an entry point."""
    function: str = ""
    """The function's name in the file; empty for an entry point."""
    digest: str = ""
    """The hash of the file."""


Run = Callable[["AgentRun"], Awaitable[Ending]]
BUILT_IN = "built in"


@dataclass(frozen=True, kw_only=True)
class Architecture:
    """The declaration of one agent architecture. `version` is raised with every change that may change a result; the hashes of `prompts` enter the key."""

    name: str
    version: str
    summary: str
    load: Callable[[], Run]
    roles: tuple[str, ...] = (AGENT,)
    """Roles of the models that the architecture calls; a role may have any name."""
    tools: tuple[str, ...] | None = None
    """Names of the world's tools that are offered to the model; `None` means all of them."""
    limits: Limits = field(default_factory=Limits)
    """Limits of a run where the study sets none."""
    policy: Mapping[str, str | Policy] = field(default_factory=dict)
    """Stand-ins for the roles under the model `offline`, as names or as rules. A role that is not named here
    is played by the stand-in of the role's own name."""
    options: tuple[Option, ...] = (WS,)
    settings: tuple[str, ...] = ()
    """Fields of `AgentOptions`, beside the limits, that the architecture understands."""
    prompts: tuple[str, ...] = ()
    looks: str = AGENT
    """The role whose model is shown pictures."""
    sees: bool = False
    """True where pictures go to an outside program instead of one of this package's models."""
    once: bool = False
    """True where the agent cannot be asked for an answer a second time."""
    origin: str = BUILT_IN
    code: AgentCode | None = None
    """The place of a function that can run in a process of its own; `None` for an agent that is no such function."""
    word: str = ""
    """Words that find the architecture again where its name does not: a file's whole path and a function."""


@dataclass(frozen=True)
class Variant:
    """An architecture with some of its options, in the order in which the architecture declares them."""

    architecture: Architecture
    options: tuple[Option, ...] = ()
    model: str | None = None
    """The model of this variant in a study of several models, in place of the study's model."""

    @property
    def name(self) -> str:
        return self.bare_name + self._at

    @property
    def bare_name(self) -> str:
        """Return the variant's name without the name of a model."""
        return self.architecture.name + self._suffix

    @property
    def word(self) -> str:
        """Return the word by which `drr.agents.registry.variant` finds this variant from any folder."""
        return (self.architecture.word or self.architecture.name) + self._suffix + self._at

    @property
    def _suffix(self) -> str:
        return "".join(f"+{option.name}" for option in self.options)

    @property
    def _at(self) -> str:
        return "" if self.model is None else f"@{self.model}"

    @property
    def version(self) -> str:
        return self.architecture.version

    @property
    def roles(self) -> tuple[str, ...]:
        """Return the roles of the models that the variant calls, each once."""
        added = (role for option in self.options for role in option.roles)
        return tuple(dict.fromkeys((*self.architecture.roles, *added)))

    @property
    def prompts(self) -> tuple[str, ...]:
        """Return the names of the files in `agents/prompts` that decide how this variant works."""
        return (*self.architecture.prompts, *(prompt for option in self.options for prompt in option.prompts))

    @property
    def summary(self) -> str:
        summary_line = (
            option.summary if option in self.options else option.summary_without
            for option in self.architecture.options
        )
        return "; ".join([self.architecture.summary, *filter(None, summary_line)])

    def has(self, option: Option) -> bool:
        return option in self.options

    def played_by(self, role: str) -> str | Policy:
        """Return the stand-in that plays a role under the model `offline`: its name, or its rules."""
        return self.architecture.policy.get(role, role)
