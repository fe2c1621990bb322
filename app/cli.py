"""`drr`: finds the command, imports its module and nothing else, and turns expected failures into one clear line."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from importlib import import_module
from types import ModuleType
from typing import Any, NoReturn

# command: (module under drr.app.commands, one line of help). A module offers `build(parser)` and `run(arguments) -> int`.
COMMANDS: dict[str, tuple[str, str]] = {
    "sample": ("sample", "write raw files in the official Amazon-2023 form"),
    "data": ("data", "get the real raw files: sizes first, resumes what was cut"),
    "ingest": ("ingest", "load raw Amazon-2023 files into a shop"),
    "shop": ("shop", "look into a shop: info, users, search, show, check, copy"),
    "servers": ("servers", "start and stop the test servers (needs a JDK)"),
    "tools": ("tools", "the nine tools: list, schema, call, docs"),
    "mcp": ("mcp", "serve the tools to an MCP client"),
    "web": ("web", "the web as the tools see it: search, read, build, record, replay"),
    "profile": ("profile", "what query writers and judges are told of a user"),
    "memory": ("memory", "memories of persons: list, test"),
    "tasks": ("tasks", "wishes, and tasks with files: build, drawer, check, show, review"),
    "pairs": ("pairs", "tasks and persons as queries"),
    "persons": ("persons", "persons of a shop's shoppers: build, show, check, stats"),
    "context": ("context", "what an assistant could have gathered of persons: build, check"),
    "queries": ("queries", "generate, check, review and publish queries"),
    "variants": ("variants", "the agents that can be run"),
    "ask": ("ask", "one question, one cited report"),
    "run": ("run", "create or continue a study"),
    "study": ("study", "what a study holds: edit, check"),
    "status": ("status", "what of a study is done, failed, pending"),
    "trace": ("trace", "one unit of a study as a timeline"),
    "export": ("export", "a study as JSONL and Parquet"),
    "import": ("import_", "take in reports written by other systems"),
    "check": ("check", "citations and rule checks of one report; no model"),
    "judge": ("judge", "judge the reports of a study"),
    "aggregate": ("aggregate", "the sums of a protocol over raw scores of anybody"),
    "criteria": ("criteria", "what PQR scores by: list, show, edit, export, import"),
    "agreement": ("agreement", "people against judges, judge against judge"),
    "swap": ("swap", "reports under other persons' criteria: does P see the person?"),
    "canaries": ("canaries", "a judge against reports that cheat and planted errors"),
    "calibrate": ("calibrate", "a judge against labelled data"),
    "align": ("align", "brings a judge near to experts: new, run, show, status, compare, edit"),
    "gate": ("gate", "whether a study is good enough for a build to pass"),
    "compare": ("compare", "two variants of a study, paired"),
    "plan": ("plan", "how many labels, questions and trials an interval takes"),
    "report": ("report", "every table and figure of a study"),
    "view": ("view", "browse reports, claims and evidence"),
    "annotate": ("annotate", "blind A/B page for people"),
    "reproduce": ("reproduce", "queries, agents, judging, report in one go"),
    "completion": ("completion", "what a shell completes: bash, zsh, fish"),
    "settings": ("settings", "each setting and where it came from"),
    "doctor": ("doctor", "what is installed, which servers and keys are there"),
}


class _Parser(argparse.ArgumentParser):
    """Says in one line what is wrong, and what was probably meant."""

    def error(self, message: str) -> NoReturn:
        from drr.env.errors import Misuse

        joint = " Try" if message.endswith("?") else "; try"
        raise Misuse(f"{message}{joint} `{self.prog} --help`")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """The command that read the words knows its options best: it refuses what it does not know."""
        found, unknown = super().parse_known_args(args, namespace)
        if unknown:
            options = [one for one in self._option_string_actions if one.startswith("--")]
            slip = next((word.partition("=")[0] for word in unknown if word.startswith("--")), "")
            self.error(f"unrecognized arguments: {' '.join(unknown)}{_meant(slip, options)}")
        return found, unknown

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        choices = [] if action.choices is None else list(action.choices)
        hint = _meant(str(value), [str(choice) for choice in choices])
        if choices and value not in choices and hint:
            raise argparse.ArgumentError(action, f"invalid choice: {value!r}{hint}")
        super()._check_value(action, value)


def _meant(slip: str, names: Iterable[str]) -> str:
    from difflib import get_close_matches

    bare = {name.lstrip("-"): name for name in names}
    near = [bare[name] for name in get_close_matches(slip.lstrip("-"), bare, 3, 0.7)]
    return f"; did you mean {' or '.join(near)}?" if near else ""


def _overview() -> str:
    width = max(map(len, COMMANDS)) + 2
    rows = "\n".join(f"  {name:<{width}}{line}" for name, (_, line) in COMMANDS.items())
    return (
        "usage: drr COMMAND ...\n\nDeepResearch Retail: a shop, nine tools, research agents and their judges."
        f"\n\ncommands:\n{rows}\n\nexamples:\n"
        "  drr sample raw --seed 7 && drr ingest raw --shop shop\n"
        '  drr shop search shop "quiet dog nail grinder" --max-price 40\n'
        "\n`drr COMMAND --help` and `drr help COMMAND` tell more.\n"
        "Exit codes: 0 done, 1 failed or a check did not hold, 2 misuse."
    )


def main(argv: Sequence[str] | None = None) -> int:
    from drr.app.screen import screened

    with screened():
        try:
            code = _main(list(sys.argv[1:] if argv is None else argv))
            sys.stdout.flush()
        except BrokenPipeError:
            sys.stderr.close()
            return 1
        except Exception as error:
            from drr.env.disk import no_room

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
    name = words[0]
    if name not in COMMANDS:
        hint = _meant(name, COMMANDS) or "; `drr --help` lists the commands"
        print(f"drr: no command {name!r}{hint}", file=sys.stderr)
        return 2
    return _run(name, import_module(f"drr.app.commands.{COMMANDS[name][0]}"), words[1:])


def answered(name: str, words: Sequence[str]) -> str:
    """What a command prints on standard output, for programs; `DrrError` for what would end it otherwise."""
    from contextlib import redirect_stdout
    from io import StringIO

    from drr.app.places import places_of
    from drr.env.disk import disk_of

    module = import_module(f"drr.app.commands.{COMMANDS[name][0]}")
    arguments = parser_of(name, module).parse_args(words)
    with redirect_stdout(StringIO()) as printed, disk_of(), places_of(arguments):
        module.run(arguments)
    return printed.getvalue()


def parser_of(name: str, module: ModuleType) -> _Parser:
    parser = _Parser(
        prog=f"drr {name}",
        description=COMMANDS[name][1],
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    module.build(parser)
    from drr.app.common_options import add_common_options

    add_common_options(parser, name)
    return parser


def _arguments(name: str, module: ModuleType, words: Sequence[str]) -> argparse.Namespace | None:
    """`None` where help was asked for and printed."""
    try:
        return parser_of(name, module).parse_args(words)
    except SystemExit:
        return None


def _run(name: str, module: ModuleType, words: Sequence[str]) -> int:
    """The exit code; what went wrong as expected is one line on standard error."""
    from drr.env.errors import DrrError, Terminated

    hook, sys.unraisablehook = sys.unraisablehook, _interrupt_again
    try:
        arguments = _arguments(name, module, words)
        code = 0 if arguments is None else _ran(module, arguments)
    except DrrError as error:
        print(f"drr: {_clipped(str(error))}", file=sys.stderr)
        return error.exit_code
    except Terminated:
        print("drr: ended by SIGTERM", file=sys.stderr)
        return 143
    except KeyboardInterrupt:
        print("drr: interrupted", file=sys.stderr)
        return 130
    finally:
        sys.unraisablehook = hook
    return code


def _ran(module: ModuleType, arguments: argparse.Namespace) -> int:
    from contextlib import nullcontext, redirect_stdout
    from io import StringIO

    from drr.app.common_options import is_silent
    from drr.app.places import places_of
    from drr.app.terminal import wide
    from drr.env.disk import disk_of

    with (
        disk_of(),
        places_of(arguments),
        wide(arguments.wide),
        redirect_stdout(StringIO()) if is_silent(arguments) else nullcontext(),
    ):
        code: int = module.run(arguments)
        return code


def _forget_output() -> None:
    """What standard output still holds would fail once more when Python ends, with a traceback."""
    import os
    from contextlib import suppress

    with suppress(OSError, ValueError):
        number = sys.stdout.fileno()
        with open(os.devnull, "wb") as nowhere:  # noqa: PTH123 - pathlib is not loaded here
            os.dup2(nowhere.fileno(), number)


_LONGEST = 2_000
"""Characters of one sentence on standard error: a file may hold a megabyte where a name should stand."""


def _clipped(sentence: str) -> str:
    return sentence if len(sentence) <= _LONGEST else f"{sentence[:_LONGEST]}… ({len(sentence):,} characters)"


def _interrupt_again(lost: sys.UnraisableHookArgs) -> None:
    """Python drops an interrupt that falls into a callback, such as one of its own while it imports: send it again."""
    if not issubclass(lost.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(lost)
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
