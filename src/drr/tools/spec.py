"""Makes a tool of a function: name, description and JSON Schema come from its signature and docstring.

Models, forms and other languages write a number as text, a whole number with a decimal point, a word of a list in another case, an
id as a number, and `null` for omitted arguments. Each is accepted if it has one meaning; nothing is guessed.
"""

from __future__ import annotations

import inspect
import re
import reprlib
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import lru_cache
from typing import Annotated, Any, cast, get_type_hints

from drr.env.json_object import JsonObject
from drr.env.records.lines import one_line
from drr.tools.base import ToolAnswer, ToolError
from drr.wording.currency import DOLLARS, Currency
from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from typing_extensions import TypedDict

_NUMBER = re.compile(r"[+-]?[0-9]{1,30}(?:\.[0-9]{1,30})?")
_EXACT = 2**53
"""The limit beyond which a number with a decimal point no longer identifies one whole number."""
_NO = object()


def convert_arguments(given: Mapping[Any, Any], schema: JsonObject) -> dict[Any, Any]:
    """Convert arguments to the types of the schema where only one meaning is possible; all others stay as given."""
    required, parts = schema["required"], schema["properties"]
    meanings = {}
    for name, value in given.items():
        part = parts.get(name) if isinstance(name, str) else None
        if part is None:
            meanings[name] = value
        elif value is not None or name in required:
            read = (_choice if "enum" in part else _READERS[part["type"]])(value, part)
            meanings[name] = value if read is _NO else read
    return meanings


def _choice(value: Any, part: JsonObject) -> Any:
    if not isinstance(value, str) or len(value) > 100:
        return _NO
    found = [word for word in part["enum"] if _plain_word(word) == _plain_word(value)]
    return found[0] if len(found) == 1 else _NO


def _plain_word(word: str) -> str:
    return re.sub(r"[\s_-]+", "_", word.strip().casefold())


def _number(value: Any, part: JsonObject) -> Any:
    if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        return float(value)
    return _NO


def _whole_number(value: Any, part: JsonObject) -> Any:
    number = _number(value, part) if isinstance(value, str) else value
    if isinstance(number, float) and number.is_integer() and abs(number) < _EXACT:
        return int(number)
    return _NO


def _text(value: Any, part: JsonObject) -> Any:
    """Convert a number to the text of its digits: an order's id, a house number."""
    if isinstance(value, bool):
        return _NO
    whole = (
        value if isinstance(value, int) else _whole_number(value, part) if isinstance(value, float) else _NO
    )
    return str(whole) if isinstance(whole, int) and whole.bit_length() < 200 else _NO


def _boolean(value: Any, part: JsonObject) -> Any:
    return (
        {"true": True, "false": False}.get(value.strip().casefold(), _NO) if isinstance(value, str) else _NO
    )


def _list(value: Any, part: JsonObject) -> Any:
    """Read words of a list in another case; a single word stands for a list of one."""
    given = value if isinstance(value, list) else [value]
    if "enum" not in part["items"] or len(given) > 100:
        return _NO
    found = [_choice(one, part["items"]) for one in given]
    return _NO if _NO in found else found


_READERS: dict[str, Callable[[Any, JsonObject], Any]] = {
    "array": _list,
    "number": _number,
    "integer": _whole_number,
    "string": _text,
    "boolean": _boolean,
}


READABLE = frozenset(_READERS) - {"array"}
"""The types that a parameter of the user's own tools may have."""


def allowed_values(part: JsonObject) -> str:
    """Describe the values that a parameter accepts."""
    if "enum" in part:
        return "one of " + ", ".join(map(str, part["enum"]))
    if part.get("type") == "string":
        return f"text of {_span(part.get('minLength', 0), part.get('maxLength'))} characters"
    if part.get("type") == "array":
        return f"a list, each {allowed_values(part['items'])}"
    words = {"integer": "a whole number", "number": "a number", "boolean": "true or false"}
    word = words.get(str(part.get("type")), "a value")
    bounded = "minimum" in part or "maximum" in part
    return f"{word} {_between(part.get('minimum'), part.get('maximum'))}" if bounded else word


def _span(least: int, most: int | None) -> str:
    return f"at least {least}" if most is None else f"{least} to {most}"


def _between(least: float | None, most: float | None) -> str:
    if least is None or most is None:
        return f"of at least {least:g}" if least is not None else f"of at most {most:,g}"
    return f"from {least:g} to {most:.0f}"


def argument_errors(
    tool: str, given: Any, schema: JsonObject, problems: Iterable[tuple[str, tuple[Any, ...]]]
) -> str:
    """Return one clause for each wrong argument, three at most: its name, the given value, the allowed values."""
    if not isinstance(given, Mapping):
        return f"The arguments of {tool} are {_short_value(given)}; they must be one object, a value for each name."
    clauses = list(dict.fromkeys(_clause(tool, given, schema, kind, place) for kind, place in problems))
    more = f" (and {len(clauses) - 3} more)" if len(clauses) > 3 else ""
    message = "; ".join(clauses[:3]) + more
    return message if message.endswith("?") else f"{message}."


def _clause(
    tool: str, given: Mapping[Any, Any], schema: JsonObject, kind: str, place: tuple[Any, ...]
) -> str:
    name = place[0] if place else None
    part = schema["properties"].get(name) if isinstance(name, str) else None
    if part is None:
        shown = one_line(name if isinstance(name, str) else _shown(name), 60) or "''"
        return f"{shown} is not an argument of {tool}; {_names(name, list(schema['properties']))}"
    if kind == "missing" or given.get(name) is None:
        return f"{name} is missing: it must be {allowed_values(part)}"
    unicode = " of valid Unicode" if kind == "string_unicode" else ""
    return f"{name} is {_short_value(given[name])}: it must be {allowed_values(part)}{unicode}"


def _names(name: Any, known: list[str]) -> str:
    near = get_close_matches(str(name)[:60].casefold(), known, 1, 0.7) if isinstance(name, str) else []
    return f"did you mean {near[0]}?" if near else f"it takes {', '.join(known) or 'none'}"


class _Shown(reprlib.Repr):
    """A value as sent, shortened for display. Its whole `repr` may be endless, or refused by Python."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlevel, self.maxstring, self.maxother = 2, 60, 60
        self.maxdict = self.maxlist = self.maxtuple = 3

    def repr_int(self, x: int, level: int) -> str:
        return repr(x) if x.bit_length() < 200 else "a number of very many digits"


_shown = _Shown().repr


def _short_value(value: Any) -> str:
    return one_line(_shown(value), 70)


ToolFunction = Callable[..., ToolAnswer] | Callable[..., Awaitable[ToolAnswer]]


# Strict, and what does not pass is looked at once more: `drr.tools.spec` says what else has one meaning.
_CONFIG = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


@dataclass(frozen=True, eq=False)
class Tool:
    name: str
    description: str
    writes: bool
    function: ToolFunction
    is_async: bool
    schema: JsonObject
    """The JSON Schema for the model, closed (`additionalProperties: false`) and with limits. An optional parameter has
    a plain type too, because clients convert a form's values to the types that they read."""
    looks_up: bool
    """True if an answered call counts as research, even if nothing is found."""
    _validate: Callable[[Any], JsonObject] = field(repr=False)

    def parse(self, arguments: Mapping[str, Any]) -> JsonObject:
        """Return the arguments as the function takes them. Raises `ToolError` with the wrong argument and its allowed values."""
        try:
            return self._validate(arguments)
        except ValidationError as error:
            problems = error
        if isinstance(arguments, Mapping):
            try:
                return self._validate(convert_arguments(arguments, self.schema))
            except ValidationError as error:
                problems = error
        found = problems.errors(include_url=False, include_context=False, include_input=False)
        wrong = [(problem["type"], problem["loc"]) for problem in found]
        raise ToolError("invalid", argument_errors(self.name, arguments, self.schema, wrong))

    def kind_of(self, parameter: str) -> str:
        """Return a parameter's type and limits in words."""
        return allowed_values(self.schema["properties"][parameter])

    def in_currency(self, currency: Currency) -> Tool:
        """Return the tool as a shop of this currency offers it: its texts name the currency instead of dollars."""
        return self if currency == DOLLARS else _in_currency(self, currency)

    def summary(self) -> str:
        return self.description.split("\n", 1)[0]


@lru_cache
def _in_currency(tool: Tool, currency: Currency) -> Tool:
    def in_code(text: str) -> str:
        return text.replace("in dollars", f"in {currency.code}").replace("$50", currency.text(50))

    parts = {
        name: {**part, "description": in_code(part["description"])}
        for name, part in tool.schema["properties"].items()
    }
    return replace(tool, description=in_code(tool.description), schema={**tool.schema, "properties": parts})


def make_tool(function: ToolFunction, *, writes: bool = False, looks_up: bool = True) -> Tool:
    """Make a tool from a function. Its first parameter is the context; every other one needs a type and a description."""
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
    schema = _without_titles(adapter.json_schema())
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
        looks_up=looks_up,
        _validate=adapter.validator.validate_python,
    )


def _without_titles(schema: JsonObject) -> JsonObject:
    """Remove the titles, which repeat the names."""
    properties = {name: _part(part) for name, part in schema.get("properties", {}).items()}
    return {
        "type": "object",
        "properties": properties,
        "required": schema.get("required", []),
        "additionalProperties": False,
    }


def _part(part: JsonObject) -> JsonObject:
    """Give a parameter its one plain type. A type that allows null says only that the parameter may be left out."""
    plain: JsonObject = next(
        (variant for variant in part.get("anyOf", ()) if variant.get("type") != "null"), {}
    )
    kept = {key: value for key, value in part.items() if key not in ("title", "anyOf")}
    if "anyOf" in part and kept.get("default", ...) is None:
        del kept["default"]
    return {**plain, **kept}
