"""The command line as tests walk it: every parser that reads options, and the command that a line begins with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from drr.app.commands.parser import Parser, parser_of
from drr.app.commands.table import commands, find_command
from drr.app.options import parsers_with_options


def every_leaf() -> Iterator[tuple[str, Parser]]:
    """Each command and part that reads options, by its words of today."""
    names = {row.name for row in commands()}
    for row in commands():
        for leaf, parser in parsers_with_options(parser_of(row), row.name):
            assert isinstance(parser, Parser)
            if leaf == row.name or leaf not in names:
                yield leaf, parser


def parsed(words: Sequence[str]) -> str:
    """The command that reads these words, which it must understand."""
    found = find_command(words)
    assert found is not None and not found.old, words
    if found.rest != ["--help"]:
        parser_of(found.command).parse_args(found.rest)
    return found.command.name
