"""One function is one tool: name, description and JSON Schema come from its signature and docstring."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, cast, get_type_hints

from drr.env.json_object import JsonObject
from drr.tools.arguments import allowed, refusal, understood
from drr.tools.base import ToolAnswer, ToolError
from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from typing_extensions import TypedDict

ToolFunction = Callable[..., ToolAnswer] | Callable[..., Awaitable[ToolAnswer]]


# Strict, and what does not pass is looked at once more: `drr.tools.arguments` says what else has one meaning.
_CONFIG = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


@dataclass(frozen=True)
class Tool:
    name: str
    description: str
    writes: bool
    function: ToolFunction
    is_async: bool
    schema: JsonObject
    """What the model sees: JSON Schema, closed (`additionalProperties: false`) and bounded. What may be left out has a plain
    type too and is not required, as clients read types and turn what a form holds into them."""
    data: Any
    """The type of its answers' `data`, for programs that ask beforehand (`drr.tools.outputs`)."""
    _validate: Callable[[Any], JsonObject] = field(repr=False)

    def parse(self, arguments: Mapping[str, Any]) -> JsonObject:
        """The arguments as the function takes them, or a `ToolError` that names the wrong one and what it may be."""
        try:
            return self._validate(arguments)
        except ValidationError as error:
            problems = error
        if isinstance(arguments, Mapping):
            try:
                return self._validate(understood(arguments, self.schema))
            except ValidationError as error:
                problems = error
        found = problems.errors(include_url=False, include_context=False, include_input=False)
        wrong = [(problem["type"], problem["loc"]) for problem in found]
        raise ToolError("invalid", refusal(self.name, arguments, self.schema, wrong))

    def kind_of(self, parameter: str) -> str:
        """A parameter's type and bounds in words."""
        return allowed(self.schema["properties"][parameter])

    def summary(self) -> str:
        return self.description.split("\n", 1)[0]


def make_tool(function: ToolFunction, *, writes: bool = False, data: Any = Any) -> Tool:
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
        data=data,
        _validate=adapter.validator.validate_python,
    )


def _tidy(schema: JsonObject) -> JsonObject:
    """Drop the titles, which repeat the names."""
    properties = {name: _part(part) for name, part in schema.get("properties", {}).items()}
    return {
        "type": "object",
        "properties": properties,
        "required": schema.get("required", []),
        "additionalProperties": False,
    }


def _part(part: JsonObject) -> JsonObject:
    """Give a parameter its one plain type. That it may be null says no more than that it may be left out."""
    plain: JsonObject = next(
        (variant for variant in part.get("anyOf", ()) if variant.get("type") != "null"), {}
    )
    kept = {key: value for key, value in part.items() if key not in ("title", "anyOf")}
    if "anyOf" in part and kept.get("default", ...) is None:
        del kept["default"]
    return {**plain, **kept}
