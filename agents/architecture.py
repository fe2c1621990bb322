"""An architecture's declaration of itself, and a variant: an architecture with some of its options.

Nothing else in the project knows which model roles an architecture calls, which tools it binds, or who plays it without a
model: all of it is read from here, so a new role or option needs a change in one file.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from drr.agents.base import Ending, Limits
from drr.llm.role import Policy

if TYPE_CHECKING:
    from drr.agents.running import AgentRun

Run = Callable[["AgentRun"], Awaitable[Ending]]
AGENT, SUMMARISER, PERCEPTION = "agent", "summariser", "perception"


@dataclass(frozen=True)
class Option:
    """An option that may stand behind an architecture's name as `+NAME`, with the roles and prompts that it adds."""

    name: str
    said: str
    """In the summary of a variant that has it."""
    unsaid: str = ""
    """In the summary of one that has it not."""
    roles: tuple[str, ...] = ()
    prompts: tuple[str, ...] = ()


WS = Option(
    "ws",
    "web pages are read and summarised",
    "web search gives snippets",
    roles=(SUMMARISER,),
    prompts=("page_summary",),
)
BUILT_IN = "built in"
PROFILE = Option("profile", "researchers get the shopper's profile facts")
OWN = Option(
    "own",
    "researchers write their synthesis in their own conversation, which is in the provider's cache",
    prompts=("synthesis_own",),
)


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
    """Of the world's tools those that it binds, by name; `None` is all of them."""
    limits: Limits = field(default_factory=Limits)
    """What bounds a run of it where the study says nothing else."""
    policy: Mapping[str, str | Policy] = field(default_factory=dict)
    """Who plays a role under the `offline` model: a stand-in's name, or rules of its own; a role that is not named here
    is played by the stand-in of the role's own name."""
    options: tuple[Option, ...] = (WS,)
    settings: tuple[str, ...] = ()
    """Choices of a study, beside the limits, that it understands: fields of `AgentOptions`."""
    prompts: tuple[str, ...] = ()
    looks: str = AGENT
    """The role whose model is shown pictures."""
    sees: bool = False
    """Whether pictures are handed to a program of its own, whatever that does with them, and not to a model of ours."""
    once: bool = False
    """True where an answer cannot be asked for a second time."""
    profile: bool = False
    """Whether the shopper's profile facts are handed to it in every variant, where there is a shopper."""
    origin: str = BUILT_IN
    word: str = ""
    """What finds it again where that is not its name: a file's whole path and function."""


@dataclass(frozen=True)
class Variant:
    """An architecture with some of its options, in the order in which it declares them."""

    architecture: Architecture
    options: tuple[Option, ...] = ()
    model: str | None = None
    """In place of the study's, in a study of several."""

    @property
    def name(self) -> str:
        return self.bare_name + self._at

    @property
    def bare_name(self) -> str:
        """Without its model."""
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
            option.said if option in self.options else option.unsaid for option in self.architecture.options
        )
        return "; ".join([self.architecture.summary, *filter(None, summary_line)])

    def has(self, option: Option) -> bool:
        return option in self.options

    def played_by(self, role: str) -> str | Policy:
        """The stand-in of a role: its name, or the rules themselves."""
        return self.architecture.policy.get(role, role)
