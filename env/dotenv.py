"""A file `.env` as other tools read it: `NAME=value` lines, comments, quotes, `export`. Nothing in it is expanded or run."""

from __future__ import annotations

import re
from pathlib import Path

from drr.env.errors import Misuse

NAME = ".env"
LARGEST = 1 << 20
_LINE = re.compile(r"(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*)")


def read_dotenv(path: Path) -> dict[str, str]:
    """Read what the file sets; nothing where there is no such file. `Misuse` names a line that says nothing, and never shows it."""
    try:
        if not path.is_file() or path.stat().st_size > LARGEST:
            return {}
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
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
