"""Reads and checks the form of `study.toml`, so that commands find values of the expected types whoever wrote the file."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from drr.env.errors import DrrError
from drr.env.files import shop_address
from drr.env.json_object import JsonObject
from typing_extensions import TypedDict  # pydantic reads it

QUERIES = "queries.jsonl"
GIVEN_UP = ("retail-v1", "retail-v2", "service-v1")
"""Sets that came with the program before 0.4."""
_BARE = re.compile(r"[A-Za-z0-9_-]+")


def config_text(document: Mapping[str, Any]) -> str:
    return "\n".join(_table(document, ())) + "\n"


def _table(table: Mapping[str, Any], path: tuple[str, ...]) -> list[str]:
    plain = {k: v for k, v in table.items() if v is not None and not isinstance(v, Mapping)}
    lines = [f"{_key(k)} = {_value(v)}" for k, v in plain.items()]
    if path and (lines or not table):
        lines.insert(0, f"[{'.'.join(map(_key, path))}]")
    for name, inner in table.items():
        if isinstance(inner, Mapping):
            lines += [*([""] if lines else []), *_table(inner, (*path, name))]
    return lines


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _string(name)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(_value(item) for item in value)}]"
    raise TypeError(f"{type(value).__name__} has no place in a configuration")


def _string(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


MOST_TRIALS = 10_000


class StudyConfig(TypedDict, total=False):
    """The content of `study.toml`. Older studies may lack any field."""

    schema: int
    made_by: str
    run: JsonObject
    """The request of the command that made the study; `shop` is the shop, in studies that have one."""
    settings: JsonObject
    """All resolved settings except secrets."""


_TEXTS = ("shop", "place", "world", "variants", "citation_repair", "settings", "contexts", "reach", "set")
_RUN: dict[str, type] = {
    **dict.fromkeys((*_TEXTS, "what", "mode", "model"), str),
    "trials": int,
    "limits": dict,
    "references": bool,
}


def check_config(config: Any, path: Path) -> None:
    """Raise `DrrError` for a configuration that no command can have written."""
    for table in ("run", "settings"):
        if not isinstance(config.get(table, {}), dict):
            raise DrrError(f"{path}: {table}: not a table; restore it or start a new study")
    try:
        if address := config.get("settings", {}).get("shop_url"):
            shop_address(address)
    except ValueError as error:
        raise DrrError(f"{path}: settings.shop_url: {error}; restore it or start a new study") from None
    run = config.get("run", {})
    # By exact type, because to Python true is a whole number.
    for name, wanted in _RUN.items():
        value = run.get(name)
        if value is not None and (type(value) is not wanted or (isinstance(value, str) and "\0" in value)):
            raise DrrError(f"{path}: run.{name}: not {_CALLED[wanted]}; restore it or start a new study")
    if not 1 <= run.get("trials", 1) <= MOST_TRIALS:
        raise DrrError(
            f"{path}: run.trials: not between 1 and {MOST_TRIALS:,}; restore it or start a new study"
        )
    for name, value in run.get("limits", {}).items():
        if type(value) not in (int, float) or not 0 < value < float("inf"):
            raise DrrError(
                f"{path}: run.limits.{name}: not a number above 0; restore it or start a new study"
            )


def set_given_up(label: str) -> str:
    """Return a sentence for the label of a set that no longer comes with the program, else nothing."""
    name = label.partition("/")[0]
    if name not in GIVEN_UP:
        return ""
    return f"{name} is a set of before 0.4: its figures are kept as they were, and compare with those of no other set."


def what_was_given_up(config: StudyConfig) -> str:
    """Return a sentence for a study of talks, or of a set, that this program no longer has; else nothing."""
    run = config.get("run", {})
    if run.get("world") == "service":
        return "Its questions are talks with a shopper, given up, last at v0.3.0: it can be read, and nothing is paid again."
    return set_given_up(str(run.get("set") or ""))


_CALLED = {str: "a text", int: "a whole number", dict: "a table", bool: "true or false"}
