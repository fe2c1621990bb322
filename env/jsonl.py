"""Files of JSON lines as people hand them in: what cannot be read is told in one line that says what to do."""

from __future__ import annotations

from pathlib import Path

from drr.env.errors import Misuse


def lines_of(path: Path, holds: str) -> list[str]:
    """By line feeds alone, as U+2028 may stand inside a JSON text; `holds` names what a line is, for the error."""
    try:
        return path.read_text(encoding="utf-8-sig").split("\n")
    except OSError as error:
        raise Misuse(f"{path}: cannot be read ({error.strerror}); give a JSONL file of {holds}") from error
    except UnicodeDecodeError as error:
        raise Misuse(f"{path}: not UTF-8 at byte {error.start}; save the file as UTF-8") from error
