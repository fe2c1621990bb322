"""Tells which file holds which table, and which column holds which field: by a mapping, a preset or usual names."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from fnmatch import fnmatch
from pathlib import Path
from typing import Annotated, Any, Literal

from drr.data_ingest.catalogue.rows import ObjectFile, TableFile, open_table
from drr.env.entities import OrderStatus
from drr.env.errors import Misuse, wrong_field
from drr.env.small_files import read_toml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

Kind = Literal["products", "orders", "users"]
PRESETS = ("shopify", "google-merchant", "schema-org")
Columns = Annotated[list[str], BeforeValidator(lambda value: [value] if isinstance(value, str) else value)]
"""Names of columns, of which the first that is not empty in a row counts."""
_NONE: Any = Field(default_factory=list)


class _TableMap(BaseModel):
    """Options and id of a table's files."""

    model_config = ConfigDict(extra="forbid")

    file: Columns = _NONE
    """Names of files, which may hold `*`."""
    encoding: str | None = None
    separator: str | None = None
    same: str | None = None
    """The column that is equal in rows that belong together, as in Shopify's exports."""
    carry: Columns = _NONE
    """Fields that an empty cell takes from the row before, where `same` is equal."""
    skip: str | None = None
    """Rows in which this column is empty are no records."""
    id: Columns = _NONE


class ProductMap(_TableMap):
    """Columns of a table of products."""

    title: Columns = _NONE
    variant: Columns = _NONE
    """Columns that tell a variant from others of its parent; they join its title."""
    price: Columns = _NONE
    currency: Columns = _NONE
    """Columns of currencies, or the one currency of the shop as three capitals."""
    rate: float | None = Field(default=None, gt=0)
    """Dollars for one unit of the shop's currency."""
    decimal: Literal[".", ","] | None = None
    category: Columns = _NONE
    description: Columns = _NONE
    features: Columns = _NONE
    brand: Columns = _NONE
    image: Columns = _NONE
    rating: Columns = _NONE
    ratings: Columns = _NONE
    parent: Columns = _NONE
    language: Columns = _NONE
    """Columns of languages, or the one language to keep, such as `en`."""
    details: Columns = _NONE
    """Further columns that agents shall see."""


class OrderMap(_TableMap):
    """Columns of a table of orders."""

    product: Columns = _NONE
    user: Columns = _NONE
    date: Columns = _NONE
    dates: str | None = None
    """The form of dates as in `strptime`, e.g. `%d/%m/%Y`."""
    quantity: Columns = _NONE
    status: Columns = _NONE
    statuses: dict[str, OrderStatus | Literal[""]] = Field(default_factory=dict)
    """Meanings of the shop's words for a status; "" for one that tells nothing. A column's name stands for any text in it."""


class UserMap(_TableMap):
    """Columns of a table of users."""

    email: Columns = _NONE
    first_name: Columns = _NONE
    last_name: Columns = _NONE
    phone: Columns = _NONE
    street: Columns = _NONE
    city: Columns = _NONE
    state: Columns = _NONE
    zip: Columns = _NONE
    country: Columns = _NONE


class CatalogueMap(BaseModel):
    """The mapping of a catalogue."""

    model_config = ConfigDict(extra="forbid")

    products: ProductMap = Field(default_factory=ProductMap)
    orders: OrderMap = Field(default_factory=OrderMap)
    users: UserMap = Field(default_factory=UserMap)


_NOT_FIELDS = {*_TableMap.model_fields, "rate", "decimal", "dates", "statuses"} - {"id"}
_NEEDED: Mapping[Kind, Sequence[Sequence[str]]] = {
    "orders": (("product",), ("user",), ("date",)),
    "products": (("id",), ("title",)),
    "users": (("id",), ("email", "first_name", "last_name", "phone", "street", "city")),
}
"""The fields without which a file is no such table, in the order of asking: orders may repeat titles, products have no buyer."""


@dataclass(frozen=True)
class MappedFile:
    """A file, the table that it holds, and the columns of each field."""

    source: TableFile
    kind: Kind
    table: ProductMap | OrderMap | UserMap
    columns: Mapping[str, list[str]]

    @property
    def name(self) -> str:
        return self.source.path.name


def read_map(path: Path | None) -> dict[str, Any]:
    """Return the tables of a mapping file, checked."""
    if path is None:
        return {}
    try:
        found = read_toml(path)
    except OSError as error:
        raise Misuse(f"{path}: cannot be read ({error.strerror})") from error
    except ValueError as error:
        raise Misuse(f"{path}: not TOML ({error}); mend it") from error
    return check_map(found, str(path))


def check_map(found: Mapping[str, object], where: str = "the mapping") -> dict[str, Any]:
    """Return the tables of a mapping, checked."""
    try:
        CatalogueMap.model_validate(found)
    except ValidationError as error:
        advice = "docs/your-data.md lists what a mapping may say"
        raise Misuse(f"{where}: {wrong_field(error)}; {advice}") from error
    return dict(found)


def preset(name: str) -> dict[str, Any]:
    return tomllib.loads((Path(__file__).with_name("presets") / f"{name}.toml").read_text(encoding="utf-8"))


def mapped_files(paths: Sequence[Path], mapping: Mapping[str, Any], name: str | None) -> list[MappedFile]:
    """Open all files and tell what each holds. Raises `Misuse` for a file that tells no table."""
    if len({path.name for path in paths}) < len(paths):
        raise Misuse("two files have the same name; rename one")
    found = [_mapped(path, mapping, name) for path in paths]
    if not any(one.kind == "products" for one in found):
        raise Misuse(
            "no file holds products: a table with an id and a title; say it in the mapping: [products] file = ..."
        )
    for kind, table in mapping.items():
        for pattern in CatalogueMap.model_validate({kind: table}).model_dump()[kind]["file"]:
            if not any(one.kind == kind and fnmatch(one.name, pattern) for one in found):
                raise Misuse(f"the mapping's [{kind}] names {pattern}, and no such file is given")
    return found


def _mapped(path: Path, mapping: Mapping[str, Any], name: str | None) -> MappedFile:
    own = CatalogueMap.model_validate(mapping)
    named: list[Kind] = [
        kind for kind in _NEEDED if any(fnmatch(path.name, one) for one in getattr(own, kind).file)
    ]
    options = mapping[named[0]] if named else _shared(mapping)
    source = open_table(path, options.get("encoding"), options.get("separator"))
    tried = []
    for kind in named or _NEEDED:
        for given in filter(None, (name, "usual")):
            base = preset(given).get(kind, {})
            columns = dict(_found(source, kind, mapping.get(kind, {}), base, several=given != "usual"))
            missing = [" or ".join(some) for some in _NEEDED[kind] if not any(map(columns.get, some))]
            if not missing:
                whole = _joined(base if given != "usual" else {}, mapping.get(kind, {}))
                table = getattr(CatalogueMap.model_validate({kind: whole}), kind)
                return MappedFile(source, kind, table, columns)
        tried.append(f"{kind} ({', '.join(missing)} missing)")
    raise Misuse(
        f"{path}: its {len(source.columns)} columns tell no table: {'; '.join(tried)}. Say in the mapping which column "
        'is what, e.g. [orders] user = "Kundennummer"'
    )


def _joined(base: Mapping[str, Any], mapping: Mapping[str, Any]) -> dict[str, Any]:
    statuses = {**base.get("statuses", {}), **mapping.get("statuses", {})}
    return {**base, **mapping, **({"statuses": statuses} if statuses else {})}


def _shared(mapping: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of tables without a file of their own: they hold of any file."""
    return {key: value for table in mapping.values() if not table.get("file") for key, value in table.items()}


def _found(
    source: TableFile, kind: Kind, mapping: Mapping[str, Any], names: Mapping[str, Any], *, several: bool
) -> Iterator[tuple[str, list[str]]]:
    """Yield each field with its columns: those of the mapping, or those of the names that are there."""
    known: dict[str, str] = {}
    for column in source.columns:
        known.setdefault(_plain(column), column)
    for field in type(getattr(CatalogueMap(), kind)).model_fields:
        if field in _NOT_FIELDS:
            continue
        listed = mapping.get(field, names.get(field, []))
        listed = [listed] if isinstance(listed, str) else listed
        if field not in mapping:
            there = list(dict.fromkeys(known[name] for one in listed if (name := _plain(one)) in known))
            columns = there if several else there[:1]
        elif field in ONE_VALUE:
            columns = [one for one in listed if one in source.columns]
        else:
            columns = listed
        for column in columns:
            _check(source, kind, field, column)
        yield field, columns


ONE_VALUE = ("currency", "language")
"""Fields of which a shop has one value; a mapping may say that value in place of a column."""


def _check(source: TableFile, kind: Kind, field: str, column: str) -> None:
    count = list(source.columns).count(column)
    if count > 1:
        raise Misuse(f"{source.path}: has {count} columns {column!r}; rename all but one")
    if not count and not isinstance(source, ObjectFile):
        near = get_close_matches(column, source.columns, 1, 0.7)
        raise Misuse(
            f"{source.path}: has no column {column!r}, which the mapping names as [{kind}] {field}"
            + (f"; did you mean {near[0]!r}?" if near else "")
        )


def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", "", name.casefold())
