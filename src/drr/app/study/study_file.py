"""Reads a study file (YAML or TOML), whose keys are the options of `drr run`."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from drr.agents.commands.command import is_command
from drr.app.commands.parser import Parser, did_you_mean, parser_of
from drr.app.commands.table import command_of
from drr.app.study.study_plan import StudyPlan
from drr.app.study.terms import deciding
from drr.app.study.trust import check_choices, declared
from drr.env.errors import Misuse
from drr.env.settings import MODEL_ADDRESSES, Settings
from drr.env.shop import SERVERS
from drr.env.small_files import SETTINGS, read_toml, read_within, read_yaml
from drr.env.user_code import is_in_file

ENDINGS = (".yaml", ".yml", ".toml")
BUDGET = {"usd": "--budget", "tokens": "--budget-tokens", "per_unit": "--max-cost-per-unit"}
ROLES = {"default": "model", "agent": "model_agent", "summariser": "model_summariser", "judge": "model_judge"}
"""Setting for each word of the section `models`; any other word there is a role that a variant declares."""
_OWN = ("study", "models", "judges", "budget")
_OF_A_CALL = {"help", "help_all", "dry_run", "json", "wide", "save_config", *deciding(StudyPlan, "call")}
_OF_THE_USER = {*MODEL_ADDRESSES, "trust_address", *deciding(StudyPlan, "user")}
"""Options that a study file may not set, as a stranger may have written it: where keys and answers are sent, and what runs outside the sandbox."""


class StudyFile(NamedTuple):
    """The study folder, options and judges that a study file names."""

    folder: Path
    words: list[str]
    """Options of `drr run`, as words of a command line."""
    judges: list[str]


def is_study_file(study: object) -> bool:
    """Return True if the value is the path of a study file and not of a folder."""
    return isinstance(study, Path) and study.suffix in ENDINGS and not study.is_dir()


def calls_of(
    name: str, parser: Parser, given: argparse.Namespace, words: Sequence[str]
) -> list[argparse.Namespace]:
    """Return the parsed calls of a command for a study file. `run` gets the file's options, `judge` one call for each judge, any other command the study's folder."""
    run = parser if name == "run" else parser_of(command_of("run"))
    found = read_study_file(given.study, run)
    # A file of others may name a study of this user's, which every command would read or write.
    check_choices(given.study, StudyPlan, {"study": found.folder}, beside=given.study.absolute().parent)
    calls = [list(words)]
    if name == "run":
        calls = [[*found.words, *words]]
        _check_trust(given.study, found.folder, run.parse_args(calls[0]), given)
    elif name == "judge" and given.model_judge is None and found.judges:
        if given.json and len(found.judges) > 1:
            raise Misuse(f"{given.study}: --json is one document; name one of its judges with --judge")
        calls = [[f"--judge={judge}", *words] for judge in found.judges]
    parsed = [parser.parse_args(call) for call in calls]
    for one in parsed:
        one.study = found.folder
    return parsed


def read_study_file(path: Path, run: Parser) -> StudyFile:
    """Read a study file by the options of `drr run`. Raise `Misuse` with line and key for an invalid entry."""
    page = _Page.read(path)
    folder, words, judges = path.with_suffix(""), list[str](), list[str]()
    for key, value in page.values.items():
        if key == "study":
            folder = Path(_resolved_place(page.text(key, value), path.parent))
        elif key == "judges":
            judges = page.texts(key, value)
            words += [f"--model-judge={judge}" for judge in judges[:1]]
        else:
            words += page.checked(run, key, list(_words(page, run, key, value)))
    return StudyFile(folder, words, judges)


class _Page(NamedTuple):
    """The content of a study file: values by key, and line numbers by key."""

    path: Path
    values: Mapping[str, Any]
    lines: Mapping[str, int]

    @classmethod
    def read(cls, path: Path) -> _Page:
        try:
            if path.suffix == ".toml":
                return cls(path, read_toml(path), _toml_lines(path))
            return cls(path, *read_yaml(path))
        except OSError as error:
            raise Misuse(f"{path}: cannot be read ({error.strerror}); name a study or its file") from error
        except ValueError as error:
            kind = "TOML" if path.suffix == ".toml" else "YAML"
            raise Misuse(f"{path}: not {kind} that is read here ({error}); mend it") from error

    def wrong(self, key: str, what: str) -> Misuse:
        line = self.lines.get(key) or self.lines.get(key.rpartition(".")[2])
        return Misuse(f"{self.path}{f':{line}' if line else ''}: {key}: {what}")

    def text(self, key: str, value: object) -> str:
        """Return a value as the word that an option takes. Raise `Misuse` for a list, a mapping or any other value that is no word."""
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, list | Mapping) or (isinstance(value, int) and value.bit_length() > 64):
            raise self.wrong(key, "is no single word")
        if "\0" in (text := str(value)):
            raise self.wrong(key, "is no single word")
        return text

    def plain(self, key: str, place: str) -> str:
        """Return the path; raise `Misuse` for a pipe or device, on which a reader would wait."""
        path = Path(place)
        if path.exists() and not (path.is_file() or path.is_dir()):
            raise self.wrong(key, f"{place} is no plain file")
        return place

    def texts(self, key: str, value: object) -> list[str]:
        """Return a list of values as words; a single value gives a list of one word."""
        return [self.text(key, one) for one in (value if isinstance(value, list) else [value])]

    def checked(self, run: Parser, key: str, words: list[str]) -> list[str]:
        """Return the words; raise `Misuse` if `drr run` does not accept them."""
        try:
            run.parse_args([*words, "study"])
        except Misuse as error:
            message = re.split(r"(?:;| ) ?[Tt]ry `", str(error))[0]
            raise self.wrong(key, message.removeprefix(f"argument --{key.replace('_', '-')}: ")) from error
        return words


def _toml_lines(path: Path) -> dict[str, int]:
    """Return the line number of each key that begins a line; keys of different tables are not kept apart."""
    found: dict[str, int] = {}
    for number, line in enumerate(read_within(path, SETTINGS).decode("utf-8").splitlines(), 1):
        if key := re.match(r"[\"']?([\w-]+)", line.lstrip().removeprefix("[").lstrip()):
            found.setdefault(key[1], number)
    return found


def _words(page: _Page, run: Parser, key: str, value: object) -> Iterator[str]:
    if key == "models":
        yield from _models(page, run, value)
    elif key == "budget" and isinstance(value, Mapping):
        for name, amount in value.items():
            if name not in BUDGET:
                raise _unknown_key(page, f"budget.{name}", name, BUDGET)
            yield f"{BUDGET[name]}={page.text(f'budget.{name}', amount)}"
    else:
        yield from _option(page, run, key, value)


def _models(page: _Page, run: Parser, value: object) -> Iterator[str]:
    """Yield the model options: one model for all roles, one for each role, or several models to compare."""
    if isinstance(value, list):
        if "--models" not in run._option_string_actions:
            raise page.wrong("models", "is a list; name a model for each role, e.g. agent: MODEL")
        yield f"--models={','.join(page.texts('models', value))}"
    elif isinstance(value, Mapping):
        own = {role: page.text(f"models.{role}", model) for role, model in value.items()}
        yield from (f"--{ROLES[role].replace('_', '-')}={own[role]}" for role in own if role in ROLES)
        if others := [f"{role}={model}" for role, model in own.items() if role not in ROLES]:
            yield f"--role-models={','.join(others)}"
    else:
        yield f"--model={page.text('models', value)}"


def _option(page: _Page, run: Parser, key: str, value: object) -> Iterator[str]:
    name = key.replace("_", "-")
    action = run._option_string_actions.get(f"--{name}")
    if action is not None and action.dest in _OF_THE_USER:
        raise page.wrong(
            key, f"is for you to say: --{name}, or an environment variable; a file may be anybody's"
        )
    if action is None or action.dest in _OF_A_CALL:
        raise _unknown_key(page, key, name, [*_OWN, *_known_keys(run)])
    if value is None or value == "":
        return
    if action.nargs == 0:
        yield from _flag(page, action, key, page.text(key, value).lower())
    elif isinstance(value, Mapping):
        yield f"--{name}={','.join(f'{k}={page.text(key, v)}' for k, v in value.items())}"
    else:
        parts = page.texts(key, value)
        if key == "variants":
            words = [part.strip() for one in parts for part in one.split(",")]
            in_file = (is_in_file(word) and not is_command(word) for word in words)
            parts = [
                _resolved_place(word, page.path.parent) if of_file else word
                for word, of_file in zip(words, in_file, strict=True)
            ]
        elif _is_path(action):
            parts = [page.plain(key, _resolved_place(part, page.path.parent)) for part in parts]
        yield f"--{name}={','.join(parts)}"


def _flag(page: _Page, action: argparse.Action, key: str, text: str) -> Iterator[str]:
    if text not in ("true", "false", "yes", "no", "on", "off"):
        raise page.wrong(key, f"{text!r} is neither true nor false")
    is_on = text in ("true", "yes", "on")
    if is_on or isinstance(action, argparse.BooleanOptionalAction):
        yield action.option_strings[0 if is_on else 1]


def _known_keys(run: Parser) -> list[str]:
    """Return the options of `drr run` that a study file may hold, spelled as keys."""
    others = _OF_A_CALL | _OF_THE_USER
    options = run._option_string_actions.items()
    return sorted(
        name[2:].replace("-", "_") for name, one in options if name[:2] == "--" and one.dest not in others
    )


def _unknown_key(page: _Page, key: str, name: str, known: Sequence[str] | Mapping[str, str]) -> Misuse:
    few = (
        f"; there are {', '.join(known)}"
        if len(known) < 5
        else "; the options of `drr run --help-all` are keys"
    )
    hint = did_you_mean(name.replace("-", "_"), {one: one for one in known})
    return page.wrong(key, f"no such key{hint or few}")


def _is_path(action: argparse.Action) -> bool:
    field = Settings.model_fields.get(action.dest)
    return (
        action.type is Path
        or action.dest in ("shop", "place")
        or (field is not None and "Path" in str(field.annotation))
    )


def _resolved_place(given: str, base: Path) -> str:
    """Return the path resolved against the folder `base`; a shop on servers (`servers:NAME`) stays as it is."""
    return given if given.startswith(SERVERS) else str(base / Path(given).expanduser())


def _check_trust(file: Path, folder: Path, asked: argparse.Namespace, given: argparse.Namespace) -> None:
    """Ask this user about whatever only the file names: what would run or be read of it."""
    for options in (StudyPlan, Settings):
        named = {name: getattr(asked, name, None) for name in declared(options, "read", "run")}
        left = {name: value for name, value in named.items() if value and not getattr(given, name, None)}
        left.pop("study", None)
        check_choices(folder, options, left, beside=file.absolute().parent)
