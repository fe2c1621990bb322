"""Runs `drr`: finds the command, imports only its module, and turns expected failures into one clear line."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from drr.app.commands.table import (
    GROUPS,
    CommandModule,
    CommandRow,
    command_of,
    find_command,
    first_words,
    top_level_words,
)

if TYPE_CHECKING:
    import argparse


_ALLOCATIONS = 50_000
"""Number of new objects between two garbage collections: imports make thousands of objects and no garbage."""


def _overview() -> str:
    rows = top_level_words()
    width = max(len(row.name) for row in rows) + 2
    groups = []
    for group in GROUPS:
        lines = [f"  {row.name:<{width}}{row.line}" for row in rows if row.group == group]
        groups.append("\n".join([f"{group}:", *lines]))
    return (
        "usage: drr COMMAND ...\n\nDeepResearch Retail: a shop, nine tools, research agents and their judges.\n\n"
        + "\n\n".join(groups)
        + "\n\nexamples:\n"
        "  drr data sample raw --seed 7 && drr data ingest raw --shop shop\n"
        '  drr shop search shop "quiet dog nail grinder" --max-price 40\n'
        "\n`drr COMMAND --help` and `drr help COMMAND` tell more.\n"
        "Exit codes: 0 done, 1 failed or a check did not hold, 2 misuse."
    )


def main(argv: Sequence[str] | None = None) -> int:
    from drr.app.terminal import screened

    gc.set_threshold(_ALLOCATIONS)
    with screened():
        try:
            code = _main(list(sys.argv[1:] if argv is None else argv))
            sys.stdout.flush()
        except BrokenPipeError:
            sys.stderr.close()
            return 1
        except Exception as error:
            from drr.env.errors import DrrError, no_room

            if isinstance(error, DrrError):  # a plug-in was refused while the command was looked for
                print(f"drr: {_clip(str(error))}", file=sys.stderr)
                return error.exit_code
            if (sentence := no_room(error)) is None:
                raise
            print(f"drr: {sentence}", file=sys.stderr)
            _forget_output()
            return 1
    return code


def _main(words: list[str]) -> int:
    if words and words[0] == "help":
        words = [*words[1:], "--help"]
    if not words or words[0] in ("-h", "--help"):
        print(_overview())
        return 0 if words else 2
    if words[0] == "--version":
        from importlib.metadata import version

        print("drr", version("deepresearch-retail"))
        return 0
    found = find_command(words)
    if found is None:
        from drr.app.commands.parser import did_you_mean

        hint = did_you_mean(words[0], first_words()) or "; `drr --help` lists the commands"
        print(f"drr: no command {words[0]!r}{hint}", file=sys.stderr)
        return 2
    return _run(found.command, found.rest)


def output_of(name: str, words: Sequence[str]) -> str:
    """Return the standard output of a command, for programs; raise `DrrError` for an expected failure."""
    from contextlib import redirect_stdout
    from io import StringIO

    from drr.app.commands.parser import module_of, parser_of
    from drr.app.notices import places_of
    from drr.env.errors import disk_of

    command = command_of(name)
    arguments = parser_of(command).parse_args(words)
    with redirect_stdout(StringIO()) as printed, disk_of(), places_of(arguments):
        module_of(command).run(arguments)
    return printed.getvalue()


def _calls(command: CommandRow, words: Sequence[str]) -> list[argparse.Namespace]:
    """Return the parsed calls of a command line: none where help was printed, several where a file names several judges."""
    from drr.app.commands.parser import parser_of
    from drr.env.errors import Misuse

    parser = parser_of(command)
    try:
        arguments = parser.parse_args(words)
    except SystemExit:
        return []
    if (part := getattr(arguments, "misplaced", None)) is not None:
        raise Misuse(f"options stand after the command: drr {part} ...")
    if getattr(getattr(arguments, "study", None), "suffix", ""):
        from drr.app.study.study_file import calls_of, is_study_file

        if is_study_file(arguments.study):
            return calls_of(command.name, parser, arguments, words)
    return [arguments]


def _run(command: CommandRow, words: Sequence[str]) -> int:
    """Run a command and return its exit code; an expected failure is one line on standard error."""
    from drr.app.commands.parser import module_of
    from drr.env.errors import DrrError, Terminated
    from drr.env.progress import collecting_less

    hook = sys.unraisablehook
    sys.unraisablehook = lambda lost: _interrupt_again(hook, lost)
    try:
        with collecting_less():
            codes = [_run_module(module_of(command), arguments) for arguments in _calls(command, words)]
    except DrrError as error:
        print(f"drr: {_clip(str(error))}", file=sys.stderr)
        return error.exit_code
    except ModuleNotFoundError as error:
        from drr.env.plugins import missing_package_hint

        if (sentence := missing_package_hint(error.name)) is None:
            raise
        print(f"drr: {sentence}", file=sys.stderr)
        return 2
    except RuntimeError as error:
        if not str(error).startswith("Symlink loop"):  # pathlib's word, on Python 3.11 and 3.12
            raise
        print(
            f"drr: {_clip(str(error))}: links lead in a circle; name the file itself",
            file=sys.stderr,
        )
        return 2
    except Terminated:
        print("drr: ended by SIGTERM", file=sys.stderr)
        return 143
    except KeyboardInterrupt:
        print("drr: interrupted", file=sys.stderr)
        return 130
    finally:
        sys.unraisablehook = hook
    return next(filter(None, codes), 0)


def _run_module(module: CommandModule, arguments: argparse.Namespace) -> int:
    from contextlib import nullcontext, redirect_stdout
    from io import StringIO

    from drr.app.notices import places_of, tidy_end
    from drr.app.options import is_silent
    from drr.app.terminal import wide
    from drr.env.errors import disk_of

    with (
        tidy_end(),
        disk_of(),
        places_of(arguments),
        wide(arguments.wide),
        redirect_stdout(StringIO()) if is_silent(arguments) else nullcontext(),
    ):
        return module.run(arguments)


def _forget_output() -> None:
    """Drop unwritten standard output, which would fail once more when Python ends, with a traceback."""
    import os
    from contextlib import suppress

    with suppress(OSError, ValueError):
        number = sys.stdout.fileno()
        with open(os.devnull, "wb") as nowhere:  # noqa: PTH123 - pathlib is not loaded here
            os.dup2(nowhere.fileno(), number)


_LONGEST = 2_000
"""Most characters of one sentence on standard error: a file may hold a megabyte where a name should stand."""


def _clip(sentence: str) -> str:
    return sentence if len(sentence) <= _LONGEST else f"{sentence[:_LONGEST]}… ({len(sentence):,} characters)"


def _interrupt_again(hook: Callable[[sys.UnraisableHookArgs], object], lost: sys.UnraisableHookArgs) -> None:
    """Send an interrupt again that Python dropped. Python drops one that arrives in a callback, such as a callback of its own during an import."""
    if not issubclass(lost.exc_type, KeyboardInterrupt):
        hook(lost)
        return
    from signal import SIGINT, SIGTERM, pthread_kill
    from threading import Timer, main_thread

    from drr.env.errors import Terminated

    which = SIGTERM if issubclass(lost.exc_type, Terminated) else SIGINT
    again = Timer(0.02, pthread_kill, (main_thread().ident, which))
    again.daemon = True
    again.start()


if __name__ == "__main__":
    raise SystemExit(main())
