"""Reads small files of strangers up to a limit; a larger file raises `ValueError`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from errno import EINVAL
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from drr.env.errors import DrrError

if TYPE_CHECKING:
    from yaml import Event, Node

SETTINGS = 256 * 1024
"""Most bytes of a settings file."""
DOCUMENT = 64 << 20
"""Most bytes of a file that holds one object: a plan, a manifest, a sheet."""
LINE, LINES, MOST_LINES = 16 << 20, 1 << 30, 5_000_000
"""Most bytes of a line, most bytes of a file of lines, and most lines."""
MOST_PARTS = 500_000
"""Most lists and objects in a line of JSON: each takes a hundred times its two bytes in memory."""
MOST_UNPACKED, RATIO, FLOOR = 16 << 30, 200, 16 << 20
"""Most bytes that a packed file unpacks to, and how many times its size; below the floor any ratio will do."""
DEEPEST = 32
_QUOTED = r"""(?<!\\)"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+'"""
_DEEP = re.compile(rf"(?:(?:(?<![\w-])[\w-]++|{_QUOTED})\s*+\.\s*+){{{DEEPEST}}}")
"""A TOML key with too many parts: the memory for one grows with the square of their number."""


def open_given(path: Path) -> BinaryIO:
    """Open a file that somebody named. A pipe in a folder may never be written to; one of the shell's, `<(command)`, lies in none."""
    if path.is_fifo() and path.resolve().is_fifo():
        raise OSError(EINVAL, "it is a pipe; give a file")
    return path.open("rb")


def check_unpacked(path: Path, unpacked: int, packed: int) -> None:
    """Raise `DrrError` for a file that unpacks to too much."""
    if unpacked > MOST_UNPACKED:
        raise DrrError(f"{path}: unpacks to over {MOST_UNPACKED:,} bytes; give it in parts")
    if unpacked > max(FLOOR, RATIO * packed):
        raise DrrError(f"{path}: unpacks to over {RATIO} times its size; give it unpacked")


def read_within(path: Path, most: int) -> bytes:
    with open_given(path) as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise ValueError(f"holds more than {most:,} bytes")
    return content


def read_toml(path: Path) -> dict[str, Any]:
    text = read_within(path, SETTINGS).decode("utf-8")
    if (found := _DEEP.search(text)) is not None:
        raise ValueError(
            f"line {text.count(chr(10), 0, found.start()) + 1}: a key of more than {DEEPEST} parts"
        )
    try:
        return tomllib.loads(text)
    except RecursionError as error:
        raise ValueError("tables within tables without end") from error


class YamlDocument(NamedTuple):
    """A YAML file whose values are texts, lists and mappings; a number or `no` stays the text as written."""

    values: dict[str, Any]
    lines: dict[str, int]
    """The line number of each key; a nested key is `outer.inner`."""


def read_yaml(path: Path) -> YamlDocument:
    return yaml_of(read_within(path, SETTINGS).decode("utf-8"))


def yaml_of(text: str) -> YamlDocument:
    """Read YAML as plain texts: no tag creates an object, and no alias multiplies its target."""
    import yaml

    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    try:
        _check_depth(yaml.parse(text, Loader=loader))
        top = yaml.compose(text, Loader=loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        raise ValueError(
            f"{f'line {mark.line + 1}: ' if mark else ''}{error.problem or 'no YAML'}"
        ) from error
    except yaml.YAMLError as error:
        raise ValueError("holds a character that YAML has not") from error
    if top is None:
        return YamlDocument({}, {})
    if not isinstance(top, yaml.MappingNode):
        raise ValueError(f"line {top.start_mark.line + 1}: no mapping of keys to values")  # noqa: TRY004
    lines: dict[str, int] = {}
    return YamlDocument(_plain_node(top, "", lines), lines)


def _check_depth(events: Iterator[Event]) -> None:
    import yaml

    depth = 0
    for event in events:
        line = f"line {event.start_mark.line + 1 if event.start_mark else 1}"
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > DEEPEST:
            raise ValueError(f"{line}: more than {DEEPEST} lists and mappings within each other")
        if getattr(event, "anchor", None) is not None:
            raise ValueError(f"{line}: anchors and aliases (& and *) are not read; write the value out")


def _plain_node(node: Node, at: str, lines: dict[str, int]) -> Any:
    """Return a node as texts, lists and mappings; its depth was checked before."""
    import yaml

    if isinstance(node, yaml.SequenceNode):
        return [_plain_node(one, at, {}) for one in node.value]
    if not isinstance(node, yaml.MappingNode):
        return str(node.value)
    found: dict[str, Any] = {}
    for key, value in node.value:
        line = key.start_mark.line + 1
        if not isinstance(key, yaml.ScalarNode):
            raise ValueError(f"line {line}: a key that is no word")  # noqa: TRY004
        if key.value in found:
            raise ValueError(f"line {line}: {key.value} stands there twice")
        lines[f"{at}{key.value}"] = line
        found[key.value] = _plain_node(value, f"{at}{key.value}.", lines)
    return found


def read_lines(path: Path) -> bytes:
    """Read a file of lines whole, within the limits."""
    return b"".join(_lines(path))


def _lines(path: Path) -> Iterator[bytes]:
    left = LINES
    with open_given(path) as file:
        for number, line in enumerate(iter(lambda: file.readline(LINE + 1), b""), 1):
            left -= len(line)
            if len(line) > LINE:
                raise ValueError(f"line {number}: longer than {LINE:,} bytes")
            if line.count(b"[") + line.count(b"{") > MOST_PARTS:
                raise ValueError(f"line {number}: more than {MOST_PARTS:,} lists and objects")
            if left < 0 or number > MOST_LINES:
                raise ValueError(f"holds more than {LINES:,} bytes or {MOST_LINES:,} lines")
            yield line
