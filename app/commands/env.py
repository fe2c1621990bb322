"""`drr env`: what is installed here, each setting and where it came from, and completion for a shell."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from shutil import which
from typing import TypedDict
from urllib.parse import urlsplit

from drr.app.command_table import CommandForm
from drr.app.completion import SHELLS, spots
from drr.app.console import add_setting_options, print_json, settings_of
from drr.app.terminal import flowing, verdict
from drr.env.errors import DrrError
from drr.env.plugins import load, merged
from drr.env.settings import Settings
from drr.env.trust import ServerAddress
from drr.env.variables import VARIABLES
from pydantic import SecretStr

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
    "trafilatura",
)
EXTRAS = {
    "openai": "langchain-openai",
    "ollama": "langchain-ollama",
    "ray": "ray",
    "otel": "opentelemetry-exporter-otlp-proto-http",
}
KEYS = ("anthropic_api_key", "openai_api_key", "serper_api_key")


def _build_doctor(parser: argparse.ArgumentParser) -> None:
    parser.epilog = "examples:\n  drr env doctor\n  drr env doctor --json"
    parser.add_argument("--json", action="store_true", help="one JSON document")
    add_setting_options(parser)


class Surroundings(TypedDict):
    """The software and hardware found on this machine. Versions and paths are `None` where it is missing."""

    python: str
    packages: dict[str, str | None]
    extras: dict[str, str | None]
    sqlite: str
    servers: dict[str, bool]
    java: str | None
    chromium: str | None
    cluster: str | None
    """The Ray cluster that this machine belongs to."""
    keys: dict[str, bool]
    """Wherever they come from: the environment, `.env`, a file of settings."""
    variables: dict[str, bool]
    """Environment variables, and whether each is set."""


def _run_doctor(arguments: argparse.Namespace) -> int:
    settings = settings_of(arguments).settings
    packages = {name: _version(name) for name in PACKAGES}
    found: Surroundings = {
        "python": _python(),
        "packages": packages,
        "extras": {name: _version(package) for name, package in EXTRAS.items()},
        "sqlite": _sqlite(),
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
    broken = None in packages.values()
    if arguments.json:
        print_json({"ok": not broken, **found})
    else:
        _print(found)
    return 1 if broken else 0


def _version(package: str) -> str | None:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _cluster() -> str | None:
    try:
        return next((found for place in merged("clusters").values() if (found := load(place)())), None)
    except DrrError as error:
        return str(error)


def _python() -> str:
    import platform

    return platform.python_version()


def _sqlite() -> str:
    import sqlite3

    return sqlite3.sqlite_version


def _program(*names: str) -> str | None:
    return next((found for name in names if (found := which(name))), None)


def _java() -> str | None:
    home = os.environ.get("JAVA_HOME")
    if home and (Path(home) / "bin" / "java").is_file():
        return str(Path(home) / "bin" / "java")
    return _program("java")


def _reachable(url: str, default_port: int) -> bool:
    """Something listens there; who it is, a `servers:` shop finds out when it is opened."""
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


def _print(found: Surroundings) -> None:
    print(f"Python {found['python']}, SQLite {found['sqlite']}")
    for name, version in found["packages"].items():
        print(f"  {name:<14} {version or 'MISSING: run `make setup`'}")
    for name, version in found["extras"].items():
        print(f"extra {name}: {version or f'not installed (pip install deepresearch-retail[{name}])'}")
    for name, up in found["servers"].items():
        print(
            f"{name}: {'something answers there' if up else 'not reachable (needed only for servers: shops)'}"
        )
    print(f"java: {found['java'] or 'none (needed only for the test servers)'}")
    print(f"chromium: {found['chromium'] or 'none (needed only for browser tests)'}")
    print(f"ray: {found['cluster'] or 'this machine belongs to no cluster (for --pool ray://)'}")
    for name, there in found["keys"].items():
        print(f"{name}: {verdict(there, 'set', 'not set')}")
    print("environment:")
    for name, meaning in VARIABLES.items():
        print(f"  {name:<27}{'set' if found['variables'][name] else '-':<5}{meaning}")


def _build_settings(parser: argparse.ArgumentParser) -> None:
    parser.epilog = "examples:\n  drr env settings\n  DRR_MODEL=offline drr env settings --json"
    parser.add_argument("--json", action="store_true", help="one JSON document")
    add_setting_options(parser)


def _run_settings(arguments: argparse.Namespace) -> int:
    resolved = settings_of(arguments)
    values = {name: _shown(getattr(resolved.settings, name)) for name in Settings.model_fields}
    if arguments.json:
        print_json(
            {name: {"value": value, "origin": resolved.origin[name]} for name, value in values.items()}
        )
        return 0
    width = max(map(len, values))
    for name, value in values.items():
        print(f"{name:<{width}}  {'-' if value is None else value}  ({resolved.origin[name]})")
        print(flowing(f"{'':<{width}}    {Settings.model_fields[name].description}", width + 4))
    return 0


def _shown(value: object) -> object:
    if isinstance(value, SecretStr) and not isinstance(value, ServerAddress):
        return "********"
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
    print(SHELLS[arguments.shell](spots()), end="")
    return 0


DOCTOR = CommandForm(_build_doctor, _run_doctor)
SETTINGS = CommandForm(_build_settings, _run_settings)
COMPLETION = CommandForm(_build_completion, _run_completion)
