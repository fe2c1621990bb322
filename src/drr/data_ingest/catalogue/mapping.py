"""Tells which file holds which table, and which column holds which field: by a mapping, a preset or usual names."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from difflib import get_close_matches
from fnmatch import fnmatch
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, Literal

from drr.data_ingest.catalogue.rates import DatedRates
from drr.data_ingest.catalogue.rows import Batch, TableFile, open_table
from drr.data_ingest.catalogue.values import Cell, text_of
from drr.data_ingest.catalogue.written_dates import language_named
from drr.env.entities import OrderStatus
from drr.env.errors import DrrError, Misuse, wrong_field
from drr.env.languages import language_code
from drr.env.small_files import read_toml
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    create_model,
    field_validator,
)

Kind = Literal["products", "orders", "users"]
PRESETS = ("shopify", "google-merchant", "schema-org")
Names = Annotated[list[str], BeforeValidator(lambda value: [value] if isinstance(value, str) else value)]
"""Names of columns, of which the first that is not empty in a row counts."""
_NONE: Any = Field(default_factory=list)
_WHOLE = ("variant", "details", "status")
"""Fields that are the cells of all their columns."""
_ONE_VALUE = frozenset(("currency", "language"))
"""Fields of which a shop has one value; a mapping may say that value in place of a column."""
_NEEDED: Mapping[Kind, Sequence[Sequence[str]]] = {
    "orders": (("product",), ("user",), ("date",)),
    "products": (("id",), ("title",)),
    "users": (("id",), ("email", "first_name", "last_name", "phone", "street", "city")),
}
"""The fields without which a file is no such table, in the order of asking: orders may repeat titles, products have no buyer."""

_OF_ALL = ("encoding", "separator")
"""Options that may stand above the tables, for all files whose table does not say otherwise."""
_MOST, _CUT = 20, 40
"""Most columns that an error lists, and most characters of each."""
_OF_PERSONS = ("email", "first_name", "last_name", "phone", "street")


class TableOptions(BaseModel):
    """Options by which the files of a table are read."""

    model_config = ConfigDict(extra="forbid")

    file: Names = _NONE
    """Names of files, which may hold `*`."""
    encoding: str | None = None
    separator: str | None = Field(None, min_length=1, max_length=1)
    same: str | None = None
    """The column that is equal in rows that belong together, as in Shopify's exports."""
    carry: Names = _NONE
    """Fields that an empty cell takes from the row before, where `same` is equal."""


class ProductOptions(TableOptions):
    skip: str | None = None
    """The field without which a row is no product."""
    rate: float | None = Field(None, ge=1e-9, le=1e9, strict=True)
    """Dollars for one unit of the shop's currency."""
    decimal: Literal[".", ","] | None = None

    @field_validator("skip")
    @classmethod
    def _known(cls, field: str | None) -> str | None:
        if field is not None and field not in USUAL["products"]:
            raise ValueError(f"{field!r} is no field of products: {', '.join(USUAL['products'])}")
        return field


class OrderOptions(TableOptions):
    dates: str | None = None
    """The form of dates as in `strptime`, e.g. `%d/%m/%Y`."""
    statuses: dict[str, OrderStatus | Literal[""]] = Field(default_factory=dict)
    """Meanings of the shop's words for a status; "" for one that tells nothing. A column's name stands for any text in it."""


def preset(name: str) -> dict[str, dict[str, Any]]:
    return tomllib.loads((Path(__file__).with_name("presets") / f"{name}.toml").read_text(encoding="utf-8"))


USUAL = preset("usual")


_OPTIONS = {"products": ProductOptions, "orders": OrderOptions, "users": TableOptions}
_TABLES: Any = {
    kind: create_model(kind, __base__=options, **dict.fromkeys(USUAL[kind], (Names, _NONE)))  # type: ignore[call-overload]
    for kind, options in _OPTIONS.items()
}
_PARTS: Any = {kind: (table, Field(default_factory=table)) for kind, table in _TABLES.items()}
_PARTS |= {name: (one.annotation, one) for name, one in TableOptions.model_fields.items() if name in _OF_ALL}
_PARTS["rates"] = (DatedRates | None, None)
_PARTS["regions"] = (list[Annotated[str, StringConstraints(min_length=1, max_length=60)]], [])
CatalogueMap: Any = create_model("CatalogueMap", __config__=ConfigDict(extra="forbid"), **_PARTS)
"""The mapping of a catalogue. Fields of its tables are those of `usual.toml`."""


@dataclass(frozen=True)
class MappedFile:
    """A file, the table that it holds, and the columns of each field."""

    source: TableFile
    kind: Kind
    table: Any
    columns: Mapping[str, list[str]]

    @property
    def name(self) -> str:
        return self.source.path.name

    @property
    def listing(self) -> str:
        """Return the mapping in use, as a mapping's lines say it."""
        columns = (
            f"{field} = {json.dumps(names if names[1:] else names[0], ensure_ascii=False)}"
            for field, names in self.columns.items()
            if names
        )
        return f"{self.kind}: {', '.join(columns)}"

    @property
    def untaken(self) -> str:
        """List the columns that no field takes; empty where all are read."""
        taken = {self.table.same, *chain.from_iterable(self.columns.values())}
        return _names(
            [one for one in self.source.columns if one not in taken and not self._is_within(one, taken)]
        )

    def _is_within(self, column: str, taken: Set[str | None]) -> bool:
        steps = column.split(".") if self.source.holds_text else []
        return any(".".join(steps[:k]) in taken for k in range(1, len(steps)))

    def batches(self, fields: Sequence[str]) -> Iterator[Batch]:
        """Yield the rows with the cells of these fields; a field without a column is left out."""
        there = {field: self.columns[field] for field in fields if self.columns.get(field)}
        same = [self.table.same] if self.table.same in self.source.columns else []
        carried = [column for field in self.table.carry for column in there.get(field, ()) if same]
        last: dict[str, tuple[Cell, Cell]] = {}
        for batch in self.source.batches(list(dict.fromkeys(chain(same, *there.values())))):
            columns = batch.cells
            for name in carried:
                columns[name] = list(_carried(columns[same[0]], columns[name], last, name))
            yield batch._replace(
                cells={field: _cells(field, columns, names) for field, names in there.items()}
            )


def _carried(
    group: Sequence[Cell], cells: Sequence[Cell], last: dict[str, tuple[Cell, Cell]], name: str
) -> Iterator[Cell]:
    before, kept = last.get(name, (None, None))
    for one, cell in zip(group, cells, strict=True):
        if one != before or text_of(cell):
            before, kept = one, cell
        yield kept
    last[name] = before, kept


def _cells(field: str, columns: Mapping[str, Sequence[Cell]], names: Sequence[str]) -> Sequence[Cell]:
    if field in _WHOLE:
        return list(zip(*(columns[name] for name in names), strict=True))
    if len(names) == 1:
        return columns[names[0]]
    rows = zip(*(columns[name] for name in names), strict=True)
    return [next((cell for cell in row if text_of(cell)), None) for row in rows]


def read_map(given: Path | Mapping[str, object] | None) -> dict[str, Any]:
    """Return the tables of a mapping, checked. It is a TOML file, or the tables that one holds."""
    where = str(given) if isinstance(given, Path) else "the mapping"
    try:
        found = read_toml(given) if isinstance(given, Path) else dict(given or {})
        CatalogueMap.model_validate(found)
    except ValidationError as error:
        raise Misuse(f"{where}: {wrong_field(error)}; docs/your-data.md tells what it may say") from error
    except OSError as error:
        raise Misuse(f"{where}: cannot be read ({error.strerror})") from error
    except ValueError as error:
        raise Misuse(
            f"{where}: cannot be read as TOML ({error}); save it as UTF-8, and quote names with blanks or umlauts: "
            '"in Arbeit" = "Processing"'
        ) from error
    return found


def map_files(paths: Sequence[Path], mapping: Mapping[str, Any], name: str | None) -> list[MappedFile]:
    """Open all files and tell what each holds. Raises `Misuse` for a file that tells no table."""
    if len({path.name for path in paths}) < len(paths):
        raise Misuse("two files have the same name; rename one")
    found = [_mapped(path, mapping, preset(name) if name else {}) for path in paths]
    if not any(one.kind == "products" for one in found):
        raise Misuse("no file holds products (id and title); say which in the mapping: [products] file = ...")
    for kind in _TABLES:
        for pattern in getattr(CatalogueMap.model_validate(mapping), kind).file:
            if not any(one.kind == kind and fnmatch(one.name, pattern) for one in found):
                raise Misuse(f"the mapping's [{kind}] names {pattern}, and no such file is given")
        _check_columns([one for one in found if one.kind == kind])
    _check_language(mapping, [one for one in found if one.kind == "products"])
    return found


def _check_language(mapping: Mapping[str, Any], files: Sequence[MappedFile]) -> None:
    """Raise `Misuse` for a language that is neither a column nor a code."""
    own: Any = CatalogueMap.model_validate(mapping)
    for name in own.products.language:
        if language_code(name) is None and all(name in one.source.lacking([name]) for one in files):
            code = language_named(name)
            advice = f'say language = "{code}"' if code else 'say its code, such as "de"'
            raise Misuse(
                f"the mapping's [products] language {name!r} is neither a column nor a code; {advice}"
            )


def _check_columns(files: Sequence[MappedFile]) -> None:
    """Raise `Misuse` for a column that no row of a table's files has."""
    for field, names in files[0].columns.items() if files else ():
        gone = [{*one.source.lacking(one.columns[field])} for one in files]
        for column in names:
            if all(column in some for some in gone):
                raise _no_column(files[0].source, files[0].kind, field, column)


def _mapped(path: Path, mapping: Mapping[str, Any], base: Mapping[str, Any]) -> MappedFile:
    own: Any = CatalogueMap.model_validate(mapping)
    tried, failed, source = [], list[DrrError](), None
    named = [kind for kind in _NEEDED if any(fnmatch(path.name, one) for one in getattr(own, kind).file)]
    stated = [one for kind, one in mapping.items() if kind in _TABLES]
    tables = [mapping[kind] for kind in named] or [one for one in stated if not one.get("file")]
    shared = {key: value for one in tables for key, value in one.items()}
    for kind in named or _NEEDED:
        given, usual = mapping.get(kind, {}), base.get(kind, {})
        whole = {**usual, **given}
        if "statuses" in usual:
            whole["statuses"] = {**usual["statuses"], **given.get("statuses", {})}
        table, options = _TABLES[kind].model_validate(whole), given or shared
        for field in _ONE_VALUE & given.keys() & usual.keys():  # a stated value hides no column of the preset
            getattr(table, field).extend(getattr(_TABLES[kind].model_validate(usual), field))
        try:
            encoding, separator = (options.get(name, getattr(own, name)) for name in _OF_ALL)
            source = open_table(
                path, encoding, separator, language_code(next(iter(own.products.language), None))
            )
            columns = dict(_columns(source, kind, table, given))
        except DrrError as error:
            if named or len(stated) < 2:
                raise
            tried.append(f"{kind} ({str(error).removeprefix(f'{path}: ')})")
            failed.append(error)
            continue
        missing = [" or ".join(some) for some in _NEEDED[kind] if not any(map(columns.get, some))]
        personal = [] if named or kind != "products" else _personal(source)
        if not missing and not personal:
            return MappedFile(source, kind, table, columns)
        why = f"{', '.join(missing)} missing" if missing else f"{', '.join(personal)} would be a person's"
        tried.append(f"{kind} ({why})")
    if len(failed) == len(tried) and len(set(map(str, failed))) == 1:
        raise failed[0]
    raise Misuse(
        f"{path}: its columns tell no table: {'; '.join(tried)}; say in the mapping which is what{_seen(source)}"
    )


def _seen(source: TableFile | None) -> str:
    """List a file's columns. A first row with an address or a number may be a person's, and is kept back."""
    if source is None:
        return ""
    if any("@" in name or name[:1] in "+0123456789" for name in source.columns[:_MOST]):
        return "; the first row seems to name no columns"
    return f"; columns: {_names(source.columns)}"


def _names(columns: Sequence[str]) -> str:
    names = ["".join(filter(str.isprintable, one))[:_CUT] for one in columns[:_MOST]]
    more = len(columns) - len(names)
    return f"{', '.join(names)}{f', and {more} more' if more > 0 else ''}"


def _personal(source: TableFile) -> list[str]:
    """Return the columns that tell of people: a file with any may have their names where products have titles."""
    columns = dict(_columns(source, "users", _TABLES["users"](), {}))
    return list(chain.from_iterable(columns[field] for field in _OF_PERSONS))


def _columns(
    source: TableFile, kind: Kind, table: Any, given: Mapping[str, Any]
) -> Iterator[tuple[str, list[str]]]:
    """Yield each field with its columns. A preset's are those that are there; of usual names the first that is there counts."""
    known = {_plain(column): column for column in reversed(source.columns)}
    for field, usual in USUAL[kind].items():
        columns = getattr(table, field)
        if field not in given:
            columns = list(dict.fromkeys(known[name] for name in map(_plain, columns) if name in known))
            columns = columns or [known[name] for name in map(_plain, usual) if name in known][:1]
        elif field in _ONE_VALUE:
            # beside a stated value, the usual column tells which rows have another
            columns = [column for column in columns if column in source.columns]
            columns = columns or [known[name] for name in map(_plain, usual) if name in known][:1]
        for column in columns:
            count = source.columns.count(column)
            if count > 1:
                raise Misuse(f"{source.path}: has {count} columns {column!r}; rename all but one")
        # another file may have what no row of this one has, unless no such table is without it
        if (not source.open_ended or (field,) in _NEEDED[kind]) and (gone := source.lacking(columns)):
            raise _no_column(source, kind, field, gone[0])
        yield field, columns


def _no_column(source: TableFile, kind: Kind, field: str, column: str) -> Misuse:
    close = get_close_matches(column, source.columns, 1, 0.7)
    near = f"; did you mean {close[0]!r}?" if close else _seen(source)
    return Misuse(f"{source.path}: has no column {column!r}, the mapping's [{kind}] {field}{near}")


def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", "", name.casefold())
