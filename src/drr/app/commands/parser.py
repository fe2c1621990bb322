"""Parsers of all commands: a short help for everyday use, a full help, and one-line messages for typing errors."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any, NoReturn, cast

from drr.app.commands.table import CommandModule, CommandRow, subcommand_rows

SETTINGS_TITLE = (
    "settings, also as DRR_NAME in the environment or in drr.toml (`drr env settings` shows them)"
)
"""Title over the options that `--help` leaves to `--help-all`."""
_LONG_USAGE = 6
"""Most options that the usage line spells out."""


class _HelpAll(argparse.Action):
    """The action of `--help-all`, which prints the whole help."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        print(parser.format_help_all() if isinstance(parser, Parser) else parser.format_help(), end="")
        parser.exit()


class _Formatter(argparse.HelpFormatter):
    """A help formatter that adds the default of each option whose help does not state it."""

    def _get_help_string(self, action: argparse.Action) -> str:
        text, default = action.help or "", action.default
        if not action.option_strings or action.nargs == 0 or "default" in text:
            return text
        if default in (None, argparse.SUPPRESS) or default in ("", [], ()):
            return text
        return f"{text} (default: {str(default).replace('%', '%%')})"


class _RawFormatter(_Formatter, argparse.RawDescriptionHelpFormatter):
    """A help formatter that keeps description and examples as they are written."""


class Parser(argparse.ArgumentParser):
    """A parser that reports an error in one line and suggests the word that was probably meant."""

    usual: frozenset[str] = frozenset()
    """Options of the short help; empty if the command names none."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._whole = self.add_argument(
            "--help-all", action=_HelpAll, nargs=0, default=argparse.SUPPRESS, help=argparse.SUPPRESS
        )

    def _get_formatter(self) -> argparse.HelpFormatter:
        given = self.formatter_class
        self.formatter_class = _RawFormatter if given is argparse.RawDescriptionHelpFormatter else _Formatter
        try:
            return super()._get_formatter()
        finally:
            self.formatter_class = given

    def error(self, message: str) -> NoReturn:
        from drr.env.errors import Misuse

        joint = " Try" if message.endswith("?") else "; try"
        raise Misuse(f"{message}{joint} `{self.prog} --help`")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse the words; raise `Misuse` for unknown ones. The parser that read them refuses them itself, as it knows its options best."""
        found, unknown = super().parse_known_args(args, namespace)
        if unknown:
            options = [one for one in self._option_string_actions if one.startswith("--")]
            slip = next((word.partition("=")[0] for word in unknown if word.startswith("--")), "")
            self.error(f"unrecognized arguments: {' '.join(unknown)}{did_you_mean(slip, options)}")
        return found, unknown

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        choices = [] if action.choices is None else list(action.choices)
        hint = did_you_mean(str(value), [str(choice) for choice in choices])
        if choices and value not in choices and hint:
            raise argparse.ArgumentError(action, f"invalid choice: {value!r}{hint}")
        super()._check_value(action, value)

    def format_help(self) -> str:
        """Return the short help."""
        rare = self.rare()
        more = f"also the {len(rare)} options that few people need" if rare else argparse.SUPPRESS
        with (
            _help_texts(dict.fromkeys(rare, argparse.SUPPRESS) | {self._whole: more}),
            self._short_usage(),
        ):
            return super().format_help()

    def format_help_all(self) -> str:
        with self._short_usage():
            return super().format_help()

    def rare(self) -> list[argparse.Action]:
        """Return the options that only `--help-all` shows."""
        if self.usual:
            return [
                one
                for one in _options(self)
                if self.usual.isdisjoint(one.option_strings) and not one.required
            ]
        return [
            one
            for group in self._action_groups
            if group.title == SETTINGS_TITLE
            for one in group._group_actions
        ]

    @contextmanager
    def _short_usage(self) -> Iterator[None]:
        """Shorten the usage line to positionals and required options for a while; the list of options follows anyway."""
        given = self.usage
        if given is None and len(_options(self)) > _LONG_USAGE:
            formatter = self._get_formatter()
            words = [self.prog]
            for action in self._actions:
                if not action.option_strings:
                    default = formatter._get_default_metavar_for_positional(action)
                    words.append(formatter._format_args(action, default))
                elif action.required:
                    default = formatter._get_default_metavar_for_optional(action)
                    words.append(f"{action.option_strings[0]} {formatter._format_args(action, default)}")
            self.usage = " ".join([*words, "[options]"]).replace("%", "%%")
        try:
            yield
        finally:
            self.usage = given


def name_usual(parser: argparse.ArgumentParser, *options: str) -> None:
    """Set the options that the short help shows; `--help-all` shows all."""
    if isinstance(parser, Parser):
        parser.usual = frozenset((*options, "--help", "--help-all"))


def did_you_mean(slip: str, names: Iterable[str] | Mapping[str, str]) -> str:
    """Return a question that suggests the nearest names; empty where none is near. A mapping gives the text to show for each name."""
    from difflib import get_close_matches

    shown = names if isinstance(names, Mapping) else {name: name for name in names}
    bare = {name.lstrip("-"): line for name, line in shown.items()}
    bald = slip.lstrip("-")
    found = get_close_matches(bald, bare, 3, 0.7) or get_close_matches(bald, bare, 1, 0.66)
    near = [bare[name] for name in found]
    return f"; did you mean {' or '.join(near)}?" if near else ""


def parser_of(command: CommandRow) -> Parser:
    """Return a command's parser with the common options. The parser of a head (`study`) also lists its parts (`study status`)."""
    from drr.app.options import add_common_options

    parser = Parser(
        prog=f"drr {command.name}",
        description=command.line,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    if command.module:
        module_of(command).build(parser)
    parts = subcommand_rows(command.name)
    if parts:
        _add_parts(parser, command, parts)
    add_common_options(parser, command)
    return parser


def module_of(command: CommandRow) -> CommandModule:
    """Return the module or form that builds a command's parser and runs the command."""
    if callable(command.module):
        return command.module()
    place, _, form = command.module.partition(":")
    module = import_module(place, __package__)
    return cast("CommandModule", getattr(module, form) if form else module)


def _add_parts(parser: Parser, command: CommandRow, parts: Sequence[CommandRow]) -> None:
    """Add parts with modules of their own by name and summary line only: their own parsers read their options."""
    own = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    places = own[0] if own else parser.add_subparsers(dest="part", required=True)
    for part in parts:
        word = part.name.removeprefix(f"{command.name} ")
        made = places.add_parser(word, help=part.line, description=part.line)
        made.set_defaults(misplaced=part.name)
    places.metavar = "|".join(places.choices)
    if not parser.epilog:
        parser.epilog = "\n".join(["examples:", *(f"  drr {part.name} --help" for part in parts[:3])])


def _options(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    return [
        action for action in parser._actions if action.option_strings and action.help != argparse.SUPPRESS
    ]


@contextmanager
def _help_texts(helps: Mapping[argparse.Action, str]) -> Iterator[None]:
    """Replace the help texts of these actions inside the `with` block."""
    before = {action: action.help for action in helps}
    for action, text in helps.items():
        action.help = text
    try:
        yield
    finally:
        for action, text_before in before.items():
            action.help = text_before
