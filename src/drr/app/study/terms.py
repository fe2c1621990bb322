"""Terms on which units run. Each field is an option too, with its help, its bounds and what it decides."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal, Self, Union, cast, get_args, get_origin

from drr.app.options import positive_float, positive_int
from drr.app.study.spans import SpanTerms, span_terms
from drr.env.errors import Misuse
from drr.env.files import at_home
from drr.env.powers import Can
from drr.env.settings import Settings
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator
from pydantic.fields import FieldInfo

Decides = Literal["key", "units", "source", "pace", "call", "user"]
"""Names of what a field decides.

`key`: what an answer is; it enters the unit's key and stays with the study.
`units`: which units there are; more may be named later, and the study keeps them.
`source`: where the study is made from; it is read into the study's own files or into other fields.
`pace`: how units are run; it may change with each call.
`call`: the present call alone; no file holds it.
`user`: what only this user may allow; neither a study nor a file keeps it.
"""


def _comma_text(given: Any) -> Any:
    """Return names as one text with commas between, as a program may give a list or a path."""
    if isinstance(given, Path):
        return str(given)
    return ",".join(map(str, given)) if isinstance(given, list | tuple) else given


def _existing_paths(paths: Iterable[str | Path]) -> list[str]:
    """Return the absolute paths that contained commands may read; raise `Misuse` for a missing one."""
    found = {given: at_home(given) for given in paths}
    for given, path in found.items():
        if not path.exists():
            raise Misuse(f"--agent-sees {given}: is not there")
    return [str(path.absolute()) for path in found.values()]


Count = Annotated[int, Field(gt=0)]
Amount = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Words = Annotated[str, BeforeValidator(_comma_text)]
"""Names with commas between."""
_CALLED = {int: "a whole number above 0", float: "a number above 0", bool: "true or false", Path: "a path"}
_TYPES: Mapping[Any, Callable[[str], Any]] = {int: positive_int, float: positive_float, Path: Path}


def option(
    decides: Decides,
    text: str,
    metavar: str | None = None,
    default: Any = None,
    *,
    flag: str | None = None,
    choices: Callable[[], Iterable[str]] | None = None,
    type: Callable[[str], Any] | None = None,
    nargs: str | None = None,
) -> Any:
    """Return a field that is an option of the command line too, with what it decides and its help."""
    extra = {
        "metavar": metavar,
        "decides": decides,
        "flag": flag,
        "choices": choices,
        "type": type,
        "nargs": nargs,
    }
    return Field(default, description=text, json_schema_extra=cast("dict[str, Any]", extra))


def switch(decides: Decides, text: str) -> Any:
    return option(decides, text, default=False)


class Options(BaseModel):
    """A model whose fields are options of the command line. An error of a field is the one line that the command line prints."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    def __init__(self, **given: Any) -> None:
        try:
            super().__init__(**given)
        except ValidationError as error:
            first, fields = error.errors()[0], type(self).model_fields
            if (name := str(first["loc"][0])) not in fields:
                raise
            value, flag = first["input"], flag_of(type(self), name)
            if first["type"] == "less_than_equal":
                raise Misuse(f"{flag} {value}: at most {first['ctx']['le']:,}") from error
            raise Misuse(f"{flag}: {value!r} is not {_kind_in_words(kind_of(fields[name]))}") from error

    @classmethod
    def of(cls, arguments: argparse.Namespace, **more: Any) -> Self:
        """Return the options that a command line gives."""
        own = {name: value for name, value in vars(arguments).items() if name in cls.model_fields}
        return cls(**{**own, **more})


def given_settings(arguments: argparse.Namespace) -> dict[str, object]:
    """Return the settings that the command line names, by name."""
    return {k: v for k, v in vars(arguments).items() if k in Settings.model_fields and v is not None}


class CallTerms(Options):
    """Settings and addresses that a call names."""

    named_settings: Annotated[dict[str, Any], Can("name")] = Field({}, exclude=True)
    """Values of the settings that this call names, by setting."""
    trust_address: Annotated[tuple[str, ...], Can("send")] = ()
    """Addresses that a study or a file names and this user knows."""

    @classmethod
    def of(cls, arguments: argparse.Namespace, **more: Any) -> Self:
        return super().of(arguments, named_settings=given_settings(arguments), **more)


def kind_of(field: FieldInfo) -> Any:
    """Return the type of a field's value, without `None` and without bounds."""
    kind: Any = field.annotation
    if get_origin(kind) in (Union, UnionType):
        kind = get_args(kind)[0]
    return get_args(kind)[0] if get_origin(kind) is Annotated else kind


def _kind_in_words(kind: Any) -> str:
    kind = get_args(kind)[0] if get_origin(kind) is tuple else kind
    return (
        f"one of {', '.join(get_args(kind))}" if get_origin(kind) is Literal else _CALLED.get(kind, "a text")
    )


def extra_of(options: type[Options], name: str) -> dict[str, Any]:
    """Return what `option` says of a field; empty for a field that is no option."""
    extra = options.model_fields[name].json_schema_extra
    return extra if isinstance(extra, dict) else {}


def flag_of(options: type[Options], name: str) -> str:
    return extra_of(options, name).get("flag") or "--" + name.replace("_", "-")


def deciding(options: type[Options], *what: Decides) -> list[str]:
    """Return the names of the fields that decide this, in their order."""
    return [name for name in options.model_fields if extra_of(options, name).get("decides") in what]


def add_options(parser: argparse.ArgumentParser, options: type[Options], *names: str) -> None:
    """Add these options, or all; the class's own options come first."""
    for name in names or sorted(options.model_fields, key=lambda name: name not in options.__annotations__):
        if not (extra := extra_of(options, name)):
            continue
        field = options.model_fields[name]
        kind, several = kind_of(field), False
        if get_origin(kind) is tuple:
            kind, several = get_args(kind)[0], True
        how: dict[str, Any] = {"default": field.default, "dest": name, "help": field.description}
        choices = get_args(kind) if get_origin(kind) is Literal else extra["choices"] and extra["choices"]()
        if kind is bool:
            how["action"] = argparse.BooleanOptionalAction if field.default is None else "store_true"
        else:
            how |= {"metavar": extra["metavar"], "choices": choices and tuple(choices)}
            how["type"] = None if choices else extra["type"] or _TYPES.get(kind)
        if several:
            how["default"] = [*field.default]
            how |= {"nargs": extra["nargs"]} if extra["nargs"] else {"action": "append"}
        parser.add_argument(flag_of(options, name), **how)


class UnitTerms(CallTerms):
    """Limits of the units that are run now. A limit not given keeps the value that the study was last given."""

    budget: Amount | None = option(
        "pace", "most dollars that the whole study may cost, judging included (default: no limit)", "USD"
    )
    budget_tokens: Count | None = option(
        "pace", "most tokens that the whole study may use (default: no limit)", "N"
    )
    max_cost_per_unit: Amount | None = option(
        "pace", "most dollars of one unit: one that would cost more ends over_budget (default: no limit)", "USD")  # fmt: skip
    limit: Count | None = option(
        "call", "begin at most so many units now, each a variant's answer to one question (default: all)", "N"
    )
    units: Count = option("pace", "units in flight (default: 8); see also --concurrency", "N", 8)
    retry_failed: bool = switch("call", "also compute again what failed for reasons that do not pass")
    quiet: bool = switch("call", "print no progress")


class PooledTerms(UnitTerms):
    """Limits of units, and the pool of workers that runs them."""

    pool: Annotated[str | None, Can("send")] = option(
        "user", "who runs them: in-process, ray, or ray://HOST:10001 (docs/scale.md)", "POOL"
    )
    workers: Count | None = option(
        "pace", "with --pool ray: processes that share the units and calls in flight (default: one for each core here)", "N")  # fmt: skip
    units_per_worker: Count | None = option(
        "pace", "with --pool ray: units in flight in each worker (default: --units shared among them)", "M"
    )
    copy_shop: bool = switch(
        "pace", "with --pool ray: copy a shop in a folder to each node once, also where its path leads to it (without: only where it does not)")  # fmt: skip


class TracedTerms(CallTerms):
    """The collector that spans are sent to; no study remembers it."""

    otel: Annotated[str | None, Can("send")] = option(
        "user", "send a span of each unit, model call and tool call to this OTLP/HTTP collector; see docs/ci.md (default: nowhere)", "ENDPOINT")  # fmt: skip
    otel_text: Annotated[bool, Can("send")] = switch("user", "with --otel: what was asked and answered too")

    @model_validator(mode="after")
    def _is_collector(self) -> Self:
        self.spans()
        return self

    def spans(self) -> SpanTerms | None:
        """Return where spans are sent as plain data; `None` if they are not."""
        return span_terms(self.otel, text=self.otel_text)


class ProgramTerms(TracedTerms):
    """The present permissions of variants that are commands; no study remembers them."""

    trust_agent: Annotated[bool, Can("run")] = switch(
        "user", "run cmd: and Python variants as you, uncontained: with your files, your network and your other programs in reach")  # fmt: skip
    agent_sees: Annotated[tuple[str, ...], BeforeValidator(_existing_paths), Can("read")] = option(
        "user", "a file or folder that contained variants may read beside what they name; repeatable (default: none)", "PATH", ())  # fmt: skip
    in_process: bool = switch(
        "user", "run Python variants as part of this program, not in a process of their own: one that blocks or exits takes the run with it")  # fmt: skip


class RunTerms(PooledTerms, ProgramTerms):
    """All terms of a run of agents."""
