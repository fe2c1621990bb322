"""Reads settings from an environment, a `.env` file and a TOML file, and lists what an environment may say."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from drr.env.errors import Misuse
from drr.env.small_files import read_toml, read_within

DOTENV = ".env"
LARGEST = 1 << 20
_LINE = re.compile(r"(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*)")


def read_dotenv(path: Path) -> dict[str, str]:
    """Return the variables in a file; empty if it is missing. Raises `Misuse` that names the number of an invalid line and never shows the line."""
    try:
        if not path.is_file():
            return {}
        lines = read_within(path, LARGEST).decode("utf-8").splitlines()
    except (OSError, ValueError) as error:
        raise Misuse(f"{path}: cannot be read as text; mend or remove it") from error
    found = {}
    for number, line in enumerate(map(str.strip, lines), 1):
        if not line or line.startswith("#"):
            continue
        if (match := _LINE.fullmatch(line)) is None:
            raise Misuse(f"{path}: line {number} is not NAME=value (it is not shown, as it may hold a key)")
        found[match[1]] = _value(match[2])
    return found


def _value(text: str) -> str:
    quote = text[:1]
    if quote in ("'", '"') and len(text) > 1:
        inner, closed, rest = text[1:].partition(quote)
        if closed and rest.strip()[:1] in ("", "#"):
            return inner
        if text.endswith(quote):
            return text[1:-1]
    comment = re.search(r"\s#", text)
    return (text[: comment.start()] if comment else text).strip()


VARIABLES: Mapping[str, str] = {
    "ANTHROPIC_API_KEY": "key for models `anthropic:NAME`",
    "OPENAI_API_KEY": "key for models `openai:NAME`",
    "SERPER_API_KEY": "key for the live web, `--web serper`",
    "DRR_MODEL": "default model; each setting has a `DRR_NAME`",
    "DRR_OPENENV_TOKEN": "token of the server for OpenEnv",
    "OTEL_EXPORTER_OTLP_HEADERS": "token for the collector of `--otel`",
    "HTTPS_PROXY": "proxy for models",
    "XDG_CONFIG_HOME": "of your `drr/settings.toml`, else ~/.config",
    "XDG_CACHE_HOME": "of kept vectors and shops, else ~/.cache",
    "JAVA_HOME": "the JDK of the test servers",
    "NO_COLOR": "set: no colour on a terminal",
}
"""Each environment variable with one line of description."""


# Names that other tools already use for the same secrets.
_ALIASES = {
    "anthropic_api_key": "ANTHROPIC_API_KEY",
    "openai_api_key": "OPENAI_API_KEY",
    "serper_api_key": "SERPER_API_KEY",
}
_OF_A_ROLE = {"model": "role_models", "api_key": "role_keys"}
"""The setting that holds a key of a table `[roles.NAME]` for any role."""


def from_environment(environ: Mapping[str, str], known: Collection[str]) -> dict[str, object]:
    """Return the settings of an environment. Of a setting's names, the first that is set and not empty counts."""
    found: dict[str, object] = {}
    for name in known:
        given = (environ.get(variable) for variable in (f"DRR_{name.upper()}", _ALIASES.get(name, "")))
        if value := next(filter(None, given), None):
            found[name] = value
    return found


def read_settings_file(path: Path, known: Collection[str]) -> dict[str, object]:
    """Return the settings of a file; empty if the file is missing. Raises `Misuse` for an unknown setting."""
    try:
        if not path.is_file():
            return {}
        values = _without_tables(read_toml(path), path, known)
    except OSError as error:
        raise Misuse(f"{path}: cannot be read ({error.strerror}); mend or remove it") from error
    except ValueError as error:
        raise Misuse(f"{path}: not TOML ({error}); mend or remove it") from error
    if unknown := sorted(set(values) - set(known)):
        raise Misuse(f"{path}: unknown setting {', '.join(unknown)}; `drr env settings` lists them all")
    return values


def _without_tables(values: dict[str, Any], path: Path, known: Collection[str]) -> dict[str, Any]:
    """Replace the tables `[roles.NAME]` by the settings that they stand for."""
    tables = values.pop("roles", {})
    for role, table in tables.items() if isinstance(tables, dict) else [("", None)]:
        if not isinstance(table, dict):
            raise Misuse(f"{path}: roles: not tables such as [roles.judge] with model, base_url, api_key")
        for word, value in table.items():
            own = f"{word}_{role}"
            if word in ("model", "base_url") and own in known:
                values[own] = value
            elif word in _OF_A_ROLE and isinstance(others := values.setdefault(_OF_A_ROLE[word], {}), dict):
                others[role] = value
            else:
                raise Misuse(
                    f"{path}: [roles.{role}] {word}: no setting of this role; `drr env settings` lists them"
                )
    return values
