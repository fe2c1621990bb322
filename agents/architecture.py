"""The declaration of an architecture, and its variants."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from drr.agents.base import AGENT, WS, Ending, Limits, Option

if TYPE_CHECKING:
    from drr.agents.run_state import AgentRun
    from drr.llm.role import Policy

Run = Callable[["AgentRun"], Awaitable[Ending]]
BUILT_IN = "built in"


@dataclass(frozen=True, kw_only=True)
class Architecture:
    """`version` is raised with every change that may change a result; `prompts` enter the key by their hashes."""

    name: str
    version: str
    summary: str
    load: Callable[[], Run]
    roles: tuple[str, ...] = (AGENT,)
    """The model roles that it calls; any name will do."""
    tools: tuple[str, ...] | None = None
    """Names of the world's tools that it binds; `None` is all of them."""
    limits: Limits = field(default_factory=Limits)
    """Bounds of a run where the study names none."""
    policy: Mapping[str, str | Policy] = field(default_factory=dict)
    """Players of its roles under the `offline` model: a stand-in's name, or rules of its own; a role that is not named here
    is played by the stand-in of the role's own name."""
    options: tuple[Option, ...] = (WS,)
    settings: tuple[str, ...] = ()
    """Choices of a study, beside the limits, that it understands: fields of `AgentOptions`."""
    prompts: tuple[str, ...] = ()
    looks: str = AGENT
    """The role whose model is shown pictures."""
    sees: bool = False
    """True where pictures go to a program of its own and not to a model of ours."""
    once: bool = False
    """True where an answer cannot be asked for a second time."""
    profile: bool = False
    """True where every variant is given the shopper's profile facts."""
    origin: str = BUILT_IN
    word: str = ""
    """Words that find it again where its name does not: a file's whole path and function."""


@dataclass(frozen=True)
class Variant:
    """An architecture with some of its options, in the order in which it declares them."""

    architecture: Architecture
    options: tuple[Option, ...] = ()
    model: str | None = None
    """The model that it runs with in a study of several, in place of the study's."""

    @property
    def name(self) -> str:
        return self.bare_name + self._at

    @property
    def bare_name(self) -> str:
        """The variant's name without its model."""
        return self.architecture.name + self._suffix

    @property
    def word(self) -> str:
        """The word by which `drr.agents.registry.variant` finds this variant, wherever it is asked."""
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
        """The model roles that it calls, each once."""
        added = (role for option in self.options for role in option.roles)
        return tuple(dict.fromkeys((*self.architecture.roles, *added)))

    @property
    def prompts(self) -> tuple[str, ...]:
        """The files in `agents/prompts` that decide what this variant does."""
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
        """The stand-in of a role: its name, or the rules themselves."""
        return self.architecture.policy.get(role, role)
