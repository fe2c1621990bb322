"""Shared parts of all commands: settings from options, JSON on standard output, progress on standard error."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any, TextIO, cast, get_args

import orjson
from drr.app.commands.parser import SETTINGS_TITLE
from drr.app.study.terms import given_settings
from drr.app.study.trust import trusted_addresses, vouched_settings
from drr.app.terminal import Screen, shown, unscreened_stream
from drr.env.errors import Misuse
from drr.env.files import owner_only_mode, write_file
from drr.env.progress import Progress, Quiet, Stage
from drr.env.settings import MODEL_ADDRESSES, Resolved, Settings
from drr.wording.excerpt import excerpt
from pydantic.fields import FieldInfo

if TYPE_CHECKING:
    from drr.app.study.terms import UnitTerms


def print_json(document: Any) -> None:
    """Print the one document of `--json`."""
    sys.stdout.write(orjson.dumps(document, option=orjson.OPT_INDENT_2).decode() + "\n")


def print_result(arguments: argparse.Namespace, document: Mapping[str, Any], *lines: str) -> None:
    """Print a command's result: with `--json` one document of schema 1, else lines."""
    print_document(arguments, {"schema": 1, **document}, *lines)


def print_document(arguments: argparse.Namespace, document: object, *lines: str) -> None:
    """Print a command's result: with `--json` the document as it is, else lines."""
    if getattr(arguments, "json", False):
        print_json(document)
    else:
        for line in lines:
            print(line)


def write_lines(path: Path, rows: Iterable[Mapping[str, Any]]) -> int:
    """Write rows as JSON lines into a file that the user named; return their number. Raise `Misuse` if the file cannot be written."""
    lines = [_line(row) for row in rows]
    write_text(path, "".join(f"{line}\n" for line in lines), owner_only_mode(0o666))
    return len(lines)


def write_text(path: Path, text: str, mode: int = 0o666) -> None:
    """Write a text into a file that the user named; raise `Misuse` if the file cannot be written."""
    try:
        write_file(path, text, mode)
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError, PermissionError) as error:
        raise Misuse(
            f"{path}: cannot be written ({error.strerror}); name a file in a folder that is there"
        ) from error


def _line(row: Mapping[str, Any]) -> str:
    """Return a row as JSON, escaped only where a stranger's text is no valid Unicode."""
    text = json.dumps(row, ensure_ascii=False, allow_nan=False)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return json.dumps(row, allow_nan=False)
    return text


def add_setting_options(parser: argparse.ArgumentParser, *names: str) -> None:
    """Add options for settings of the same names, and `--profile`. A setting not given keeps its value from environment, file or default."""
    for name in names:
        if name in _PLAIN:
            _add_setting(parser, name)
    few = parser.add_argument_group(SETTINGS_TITLE) if names else parser
    few.add_argument(
        "--profile",
        choices=choices_of("profile"),
        help="`paper` sets every choice as the paper made it (default: default)",
    )
    add_trust_option(few)
    addresses = (name.replace("model_", "base_url_", 1) for name in names)
    for name in dict.fromkeys((*names, *(name for name in addresses if name in MODEL_ADDRESSES))):
        if name not in _PLAIN:
            _add_setting(few, name)


_PLAIN = ("model", "models", "base_url")
"""Settings that most people give as options; `--help-all` shows the others."""
_WORDS = {
    "int": "N",
    "float": "SECONDS",
    "ServerAddress": "URL",
    "Path": "DIR",
    "dict": "ROLE=MODEL,...",
    "tuple": "LIST",
}
"""Placeholder of a setting's value in the help, by its type."""


def add_verify_options(parser: argparse.ArgumentParser) -> None:
    """Add the options for checking a bundle: shop, questions and keys."""
    add = parser.add_argument
    add("--shop", metavar="SHOP", help="call the tools again on this shop (default: not)")
    add(
        "--questions",
        metavar="FILE",
        type=Path,
        help="the set that must be answered whole (default: its own)",
    )
    add(
        "--key",
        metavar="PUB",
        type=Path,
        action="append",
        default=[],
        help="a public key; the maker must have signed with one of these (may be repeated)",
    )
    add("--json", action="store_true", help="one JSON document")
    add_setting_options(parser, "sandbox")


def _add_setting(parser: argparse._ActionsContainer, name: str, *others: str) -> None:
    """Add an option with the description and the default of its setting."""
    field = Settings.model_fields[name]
    text = (field.description or "").replace("%", "%%")
    if "(default:" not in text:
        text += f" (default: {'none' if field.default_factory else _shown_default(field.default)})"
    option = "--" + name.replace("_", "-")
    parser.add_argument(option, *others, dest=name, metavar=_metavar(name, field), help=text)


def choices_of(setting: str) -> tuple[str, ...]:
    """Return the words that a setting may be."""
    return get_args(Settings.model_fields[setting].annotation)


def _shown_default(value: object) -> str:
    return "none" if value is None else f"{value:,g}" if isinstance(value, float) else str(value)


def _metavar(name: str, field: FieldInfo) -> str:
    choices = get_args(field.annotation)
    if choices and all(isinstance(choice, str) for choice in choices):
        return "|".join(choices)
    if name == "price_file":
        return "FILE"
    if name.startswith("model") and field.annotation in (str, str | None):
        return "MODEL"
    plain = [one for one in choices if one is not type(None)] or [field.annotation]
    kind = getattr(plain[0], "__name__", "")
    return _WORDS.get(kind, name.rpartition("_")[2].upper())


def add_trust_option(parser: argparse._ActionsContainer) -> None:
    parser.add_argument(
        "--trust-address",
        action="append",
        default=[],
        metavar="URL",
        help="use an address that a study or drr.toml names and that you know; remembered for this study (default: none)",
    )


def add_search_options(parser: argparse.ArgumentParser) -> None:
    text = Settings.model_fields["search"].description
    parser.add_argument("--search", choices=choices_of("search"), help=f"{text} (default: fields)")
    _add_setting(parser, "model_embedder")
    _add_setting(parser, "base_url_embedder", "--base-url")


def settings_of(arguments: argparse.Namespace) -> Resolved:
    return vouched_settings(given_settings(arguments), trusted_addresses(arguments))


def shop_settings_of(arguments: argparse.Namespace) -> Settings:
    """Return the settings of a command on `--shop`, whose own web is the default."""
    from drr.env.web.made_web import with_own_web  # not every command opens a shop

    return with_own_web(settings_of(arguments).settings, arguments.shop)


def progress_of(arguments: argparse.Namespace | UnitTerms) -> Progress:
    """Return the progress display: a line written over on a terminal, lines when piped, nothing with `--quiet`."""
    return Quiet() if getattr(arguments, "quiet", False) else _Lines()


class _TerminalLine:
    """A line of a terminal that is written over, until other text takes its place."""

    def __init__(self, terminal: TextIO) -> None:
        self._terminal, self._stands = terminal, False

    def draw(self, text: str) -> None:
        line = excerpt(shown(text), get_terminal_size().columns - 2)
        self._terminal.write(f"\r{line}\x1b[K")
        self._terminal.flush()
        self._stands = True

    def erase(self) -> None:
        if self._stands:
            self._terminal.write("\r\x1b[K")
            self._terminal.flush()
            self._stands = False


class _Above(Screen):
    """A stream whose text takes the place of the line of progress."""

    def __init__(self, stream: TextIO, line: _TerminalLine) -> None:
        super().__init__(unscreened_stream(stream))
        self._line = line

    def write(self, text: str) -> int:
        self._line.erase()
        return super().write(text)


@contextmanager
def _line_of_progress() -> Iterator[_TerminalLine | None]:
    """Yield a line of the terminal, with all text printed meanwhile above it; `None` where nobody looks."""
    out, err = sys.stdout, sys.stderr
    if not err.isatty():
        yield None
        return
    line = _TerminalLine(unscreened_stream(err))
    sys.stdout, sys.stderr = cast(TextIO, _Above(out, line)), cast(TextIO, _Above(err, line))
    try:
        yield line
    finally:
        line.erase()
        sys.stdout, sys.stderr = out, err


class _Lines:
    """Progress in plain lines: one every ten seconds of a stage, and one at its end. A terminal shows the latest at once."""

    @contextmanager
    def stage(self, label: str, total: int | None = None, unit: str = "rows") -> Iterator[Stage]:
        with _line_of_progress() as line, self._stage(line, label, total, unit) as stage:
            yield stage

    @contextmanager
    def _stage(self, line: _TerminalLine | None, label: str, total: int | None, unit: str) -> Iterator[Stage]:
        start = last = time.monotonic()
        done, all_rows, remark = 0, 0, ""

        def say(end: str) -> None:
            of = f" of {total:,}" if total is not None else ""
            seconds = time.monotonic() - start
            number, kind = (all_rows, "rows") if all_rows else (done, unit)
            counted = f", {all_rows:,} rows" if all_rows else ""
            rate = f"{counted}, {number / seconds:,.0f} {kind}/s" if seconds > 0.05 and done else counted
            if not end and total is not None and done > 0:
                rate += f", {(total - done) * seconds / done:,.0f} s left"
            text = f"{label}: {done:,}{of} {unit}{rate}{' ' + remark if remark else ''}{end}"
            if line is None or end:
                print(text, file=sys.stderr, flush=True)
            else:
                line.draw(text)

        class ProgressLine:
            def advance(self, amount: int = 1, rows: int = 0) -> None:
                nonlocal done, all_rows
                done += amount
                all_rows += rows
                self.speak()

            def speak(self) -> None:
                nonlocal last
                if time.monotonic() - last > (10 if line is None else 0.2):
                    last = time.monotonic()
                    say("")

            def note(self, text: str) -> None:
                nonlocal remark
                remark = text
                self.speak()

        if line is not None:
            say("")
        yield ProgressLine()
        say(f" ({time.monotonic() - start:.1f} s)")
