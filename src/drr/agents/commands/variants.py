"""Builds variants from commands and the terms on which they run."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache

from drr.agents.architecture import Architecture, Run, Variant
from drr.agents.commands.command import Command, CommandTerms


@dataclass(frozen=True, kw_only=True)
class CommandArchitecture(Architecture):
    command: Command
    terms: CommandTerms = field(default_factory=CommandTerms)


def command_variant(word: str) -> Variant:
    return Variant(_architecture(Command.of(word), CommandTerms()))


def under_terms(variant: Variant, terms: CommandTerms) -> Variant:
    """Return a variant with these terms for its command, or for the process of its function; another one stays unchanged."""
    architecture = variant.architecture
    if isinstance(architecture, CommandArchitecture):
        return replace(variant, architecture=_architecture(architecture.command, terms))
    code = architecture.code
    if code is None or terms.in_process:
        return variant

    def load() -> Run:
        from drr.agents.commands.children import child_agent

        return child_agent(code, architecture.name, terms)

    return replace(variant, architecture=replace(architecture, load=load))


def _architecture(command: Command, terms: CommandTerms) -> CommandArchitecture:
    """Build the architecture of a command. A trusted command has another version, because other files may decide its answer."""
    digest = command.identity()

    @cache
    def load() -> Run:
        from drr.agents.commands.dialogue import command_agent

        return command_agent(command, terms, digest)

    return CommandArchitecture(
        name=command.name,
        version=f"1+{digest[:16]}" + ("+trusted" if terms.trusted else ""),
        summary="a command of yours" + (", trusted" if terms.trusted else ""),
        load=load,
        options=(),
        sees=True,
        once=True,
        origin="command",
        word=command.word,
        command=command,
        terms=terms,
    )
