"""Lists the environment variables that users may set; `drr env doctor` and docs/settings.md name no others."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from drr.env.errors import Misuse
from drr.env.small_files import read_within

NAME = ".env"
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
