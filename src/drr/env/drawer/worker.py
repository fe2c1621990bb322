"""The process in which files are read, limited in memory and time, without network or other programs.

Its input is one line (`{"media": ..., "size": ...}`, to draw a page also `"page"` and `"words"`) and that many bytes on standard
input; its output is one line of JSON.
"""

from __future__ import annotations

import contextlib
import json
import resource
import sys
from collections.abc import Mapping
from typing import Any

from drr.env.drawer import readers
from drr.env.drawer.form import ReadDrawing, UnreadableFile, check_content_size

MEMORY = 1 << 30
CPU_SECONDS = 10
_REFUSED = ("socket.", "subprocess.", "os.exec", "os.posix_spawn", "os.fork", "os.system", "urllib.")

READERS = {
    "pdf": readers.read_pdf,
    "xlsx": readers.read_xlsx,
    "csv": readers.read_csv,
    "eml": readers.read_mail,
    "html": readers.read_html,
    "page": readers.read_page,
    "text": readers.read_text,
    "picture": readers.read_picture,
}
"""The reader of each kind; a reader imports its libraries when it is called."""


def draw_page(asked: Mapping[str, Any], data: bytes) -> ReadDrawing:
    from drr.env.drawer.drawn import draw_pdf, draw_picture

    if asked["media"] == "picture":
        return draw_picture(data)
    return draw_pdf(data, asked["page"], asked["words"])


def main() -> None:
    _confine()
    source, sink = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr  # what a library prints is no answer
    while line := source.readline():
        asked = json.loads(line)
        data = source.read(asked["size"])
        used = resource.getrusage(resource.RUSAGE_SELF)
        soft = int(used.ru_utime + used.ru_stime) + CPU_SECONDS
        resource.setrlimit(resource.RLIMIT_CPU, (soft, resource.RLIM_INFINITY))
        sink.write(json.dumps(_answer(asked, data)).encode() + b"\n")
        sink.flush()


def _confine() -> None:
    for what, most in (
        (resource.RLIMIT_AS, MEMORY),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_NOFILE, 64),
    ):
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(what, (most, most))
    sys.addaudithook(_forbid_event)


def _forbid_event(event: str, arguments: tuple[object, ...]) -> None:
    if event.startswith(_REFUSED):
        raise PermissionError(f"{event} is not for readers of files")


def _answer(asked: Mapping[str, Any], data: bytes) -> dict[str, object]:
    """Return a file's content, or its problem. An unexpected error of a reader means that the file cannot be read."""
    try:
        if "page" in asked:
            return {"drawing": draw_page(asked, data)}
        return {"content": check_content_size(READERS[asked["media"]](data))}
    except UnreadableFile as problem:
        return {"kind": problem.kind, "problem": str(problem)}
    except MemoryError:
        return {"kind": "invalid", "problem": "takes more memory to read than there is for it", "spent": True}
    except RecursionError:
        return {"kind": "invalid", "problem": "is nested too deep to be read"}
    except ModuleNotFoundError as error:
        return {"kind": "unavailable", "problem": f"is not read without the package {error.name}"}
    except Exception as error:  # noqa: BLE001
        return {"kind": "invalid", "problem": f"cannot be read ({type(error).__name__})"}


if __name__ == "__main__":
    main()
