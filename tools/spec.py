"""One function is one tool: name, description and JSON Schema come from its signature and docstring."""

from __future__ import annotations

import inspect
import reprlib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, cast, get_type_hints

from drr.env.json_object import JsonObject
from drr.env.records.lines import one_line
from drr.tools.base import ToolAnswer, ToolError
from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from typing_extensions import TypedDict

ToolFunction = Callable[..., ToolAnswer] | Callable[..., Awaitable[ToolAnswer]]


# Strict, because a tool that quietly turns "5" into 5 hides the caller's mistake from him.
_CONFIG = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


@dataclass(frozen=True)
class Tool:
    name: str
    description: str
    writes: bool
    function: ToolFunction
    is_async: bool
    schema: JsonObject
    """What the model sees: JSON Schema, closed (`additionalProperties: false`) and bounded."""
    expected: str
    """The arguments in one sentence, for errors."""
    _validate: Callable[[Any], JsonObject] = field(repr=False)

    def parse(self, arguments: Mapping[str, Any]) -> JsonObject:
        """The arguments as the function takes them, or a `ToolError` that says what was expected."""
        try:
            return self._validate(arguments)
        except ValidationError as error:
            raise ToolError("invalid", f"{_complaint(error)}. {self.expected}") from None

    def kind_of(self, parameter: str) -> str:
        """A parameter's type and bounds in words."""
        return _kind(self.schema["properties"][parameter])

    def summary(self) -> str:
        return self.description.split("\n", 1)[0]


def make_tool(function: ToolFunction, *, writes: bool = False) -> Tool:
    """Read the tool off the function. Its first parameter is the context; every other one needs type and description."""
    name = cast(Any, function).__name__
    description = inspect.cleandoc(function.__doc__ or "")
    if not description:
        raise TypeError(f"tool {name} has no docstring")
    hints = get_type_hints(function, include_extras=True)
    parameters = list(inspect.signature(function).parameters.values())[1:]
    fields: JsonObject = {
        p.name: hints[p.name]
        if p.default is inspect.Parameter.empty
        else Annotated[hints[p.name], Field(default=p.default)]
        for p in parameters
    }
    # A dictionary and not a model: the arguments become keywords, and an instance costs more than their check.
    arguments = cast(Any, TypedDict)(name, fields)
    arguments.__pydantic_config__ = _CONFIG
    adapter: TypeAdapter[JsonObject] = TypeAdapter(arguments)
    schema = _tidy(adapter.json_schema())
    for parameter, part in schema["properties"].items():
        if "description" not in part:
            raise TypeError(f"tool {name}: parameter {parameter} has no description")
    return Tool(
        name=name,
        description=description,
        writes=writes,
        function=function,
        is_async=inspect.iscoroutinefunction(function),
        schema=schema,
        expected=f"{name} takes {_sentence(schema)}.",
        _validate=adapter.validator.validate_python,
    )


def _tidy(schema: JsonObject) -> JsonObject:
    """Without the titles, which repeat the names."""
    properties = {name: _part(part) for name, part in schema.get("properties", {}).items()}
    return {
        "type": "object",
        "properties": properties,
        "required": schema.get("required", []),
        "additionalProperties": False,
    }


def _part(part: JsonObject) -> JsonObject:
    return {key: value for key, value in part.items() if key != "title"}


def _sentence(schema: JsonObject) -> str:
    required = set(schema["required"])
    words = [
        f"{name} ({_kind(part)}{'' if name in required else ', optional'})"
        for name, part in schema["properties"].items()
    ]
    return ", ".join(words) or "no arguments"


def _kind(part: JsonObject) -> str:
    variants = [v for v in part.get("anyOf", [part]) if v.get("type") != "null"]
    return " or ".join(_one_kind(v) for v in variants)


def _one_kind(part: JsonObject) -> str:
    if "enum" in part:
        return "one of " + ", ".join(map(str, part["enum"]))
    bounds = [
        f"{word} {part[key]}"
        for key, word in (
            ("minimum", "at least"),
            ("maximum", "at most"),
            ("minLength", "at least"),
            ("maxLength", "at most"),
        )
        if key in part
    ]
    unit = " characters" if "maxLength" in part or "minLength" in part else ""
    return f"{part.get('type', 'value')} {' and '.join(bounds)}{unit}".strip()


class _Shown(reprlib.Repr):
    """A value as it was sent, cut short on the way: its whole `repr` may be endless, or refused by Python."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlevel, self.maxstring, self.maxother = 2, 60, 60
        self.maxdict = self.maxlist = self.maxtuple = 3

    def repr_int(self, x: int, level: int) -> str:
        return repr(x) if x.bit_length() < 200 else "a number of very many digits"


_shown = _Shown().repr
_WORDS = {
    "missing": "is missing",
    "extra_forbidden": "is not an argument of this tool",
}


def _complaint(error: ValidationError) -> str:
    """At most three of the problems, each with the offending value cut short: the caller may have sent anything."""
    problems = error.errors(include_url=False, include_context=False)
    parts = []
    for problem in problems[:3]:
        where = ".".join(p if isinstance(p, str) else _shown(p) for p in problem["loc"])
        where = (one_line(where, 60) or "''") if problem["loc"] else "the arguments"
        said = _WORDS.get(problem["type"])
        if said is None:
            got = one_line(_shown(problem["input"]), 70)
            said = f"{problem['msg'][0].lower()}{problem['msg'][1:]}, got {got}"
        parts.append(f"{where} {said}" if problem["type"] in _WORDS else f"{where}: {said}")
    more = f" (and {len(problems) - 3} more)" if len(problems) > 3 else ""
    return "; ".join(parts) + more
