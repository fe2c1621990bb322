"""The contents of a bundle: its rows, its manifest, and reading them from an unpacked bundle of anybody."""

from __future__ import annotations

import re
import time
from base64 import b64decode
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Literal, NotRequired, TypeVar

from drr.env.bounded import LINE, MOST_PARTS
from drr.env.errors import DrrError, Misuse, wrong_field
from drr.env.json_object import JsonObject, parsed
from drr.llm.meter import PICO, UsageRow, dollars
from drr.study.bundle.archive import HASHED, MANIFEST, unpack
from drr.study.bundle.tree import leaf, tree
from drr.study.config import StudyConfig
from drr.study.form import reading
from drr.study.unit import KINDS, Kind, Status, Unit, canonical_json
from pydantic import Field, TypeAdapter, ValidationError
from typing_extensions import TypedDict  # a row's own type extends it, and pydantic reads it

SCHEMA = 1
BESIDE = ("criteria.jsonl", "failure_labels.jsonl", "foreign.jsonl", "key_points.jsonl", "persons.jsonl")
"""The files beside a ledger that go in. What else somebody laid into a study stays out."""
MARKS = "review"
"""The folder of what a study's readers marked, a file for each."""
_MARKED = re.compile(rf"{MARKS}/[\w-]{{1,80}}\.jsonl")
Why = Literal["page", "person"]
WITHHELD: Mapping[Why, str] = {
    "page": "pages of third parties, and what was read of them",
    "person": "shoppers' records, what tools read of them, their changes, and labels of the study's readers",
}
Picos = Annotated[int, Field(gt=-(1 << 62), lt=1 << 62)]
"""Picodollars, of which a ledger can hold the sum."""
_SECONDS, _BYTES_A_SECOND = 30, 2_000
"""Time of a processor for a bundle, and what it grows with: ten times that of the slowest known."""
Row = TypeVar("Row")


def is_beside(name: str) -> bool:
    return name in BESIDE or _MARKED.fullmatch(name) is not None


class RecordLine(TypedDict):
    """A unit's ending."""

    status: Status
    reason: str | None
    message: str | None
    transient: bool
    result: JsonObject
    blobs: dict[str, str]
    usage: dict[str, UsageRow]
    cost: Picos | None
    """`None` is unknown."""
    seconds: float
    started_at: float
    finished_at: float


class UnitLine(TypedDict):
    """A unit; its key is the hash of its kind and key fields."""

    kind: Kind
    label: str
    current: bool
    key_fields: JsonObject
    spec: JsonObject
    record: RecordLine | None
    """`None`: it has not ended."""


class PromptLine(TypedDict):
    """A prompt that agents or judges were given."""

    of: Literal["agents", "judges"]
    name: str
    sha256: str
    text: str


class KeptText(TypedDict):
    """A text; its hash is given where a part of it, or all, is withheld."""

    text: NotRequired[str]
    base64: NotRequired[str]
    sha256: NotRequired[str]
    why: NotRequired[Why]


class StudyRow(TypedDict):
    config: StudyConfig
    facts: dict[str, str | None]
    prices: dict[str, JsonObject]
    """Prices by model, as a file of prices has them."""
    spent: dict[str, int]
    """All that was paid, failed tries included."""


class CostRow(TypedDict):
    """Costs of the ended units of a kind."""

    usd: float
    """Sum of what is known."""
    unknown: int
    """Units whose cost nobody knows."""
    tokens: int


class HashedFile(TypedDict):
    bytes: int
    lines: int
    tree: str


class BundleFacts(TypedDict):
    """The part of a manifest that follows from the other files."""

    questions: int
    set_sha256: str
    units: dict[str, dict[str, int]]
    """Kind to ending to count; `pending` has none."""
    costs: dict[str, CostRow]
    spent_usd: float | None
    """`None`: a call's price is unknown."""
    withheld: dict[str, int]
    """Texts that are here as hashes, by reason."""
    files: dict[str, HashedFile]


class BundleManifest(BundleFacts):
    """The first file of a bundle, which stands for all others."""

    schema: int
    made_by: str
    code: str
    """Hash of the program that made it."""
    redacted: bool
    with_pages: bool


def unit_of(line: UnitLine) -> Unit:
    return Unit(line["kind"], line["key_fields"], line["spec"], line["label"])


@contextmanager
def unpacked(file: Path) -> Iterator[Parcel]:
    """A bundle of anybody, unpacked in a folder for the while. `Misuse` where there is no file."""
    if not file.is_file():
        raise Misuse(f"{file}: is no file; name a bundle")
    with TemporaryDirectory(prefix="drr-bundle-") as place:
        until = time.process_time() + _SECONDS + file.stat().st_size / _BYTES_A_SECOND
        unpack(file, Path(place))
        yield Parcel(Path(place), until)


class Parcel:
    """An unpacked bundle."""

    def __init__(self, folder: Path, until: float = inf) -> None:
        """`until`: no line is read when this process has taken so many seconds of a processor."""
        self.folder = folder
        self._until = until

    def check_time(self) -> None:
        if time.process_time() > self._until:
            raise DrrError("it takes longer than any bundle of its size; nothing more of it is read")

    @property
    def root(self) -> str:
        """The name of the bundle, made of all that it holds but for its signatures."""
        return leaf((self.folder / MANIFEST).read_bytes()).hex()

    def lines(self, name: str) -> Iterator[Any]:
        """Yield the lines of a file, each written as we write it."""
        with (self.folder / name).open("rb") as file:
            for number, line in enumerate(iter(lambda: file.readline(LINE + 1), b""), 1):
                self.check_time()
                if len(line) > LINE or line.count(b"[") + line.count(b"{") > MOST_PARTS:
                    raise DrrError(f"{name} of the bundle, line {number}: too long, or of too many parts")
                try:
                    found = parsed(line)
                    ours = canonical_json(found).encode() + b"\n"
                except ValueError as error:
                    raise DrrError(f"{name} of the bundle, line {number}: {error}") from error
                if ours != line:
                    raise DrrError(f"{name} of the bundle, line {number}: not as this program writes it")
                yield found

    def rows(self, name: str, form: type[Row]) -> Iterator[Row]:
        """Yield the rows of a file, which are of this form and have nothing beside it."""
        adapter = TypeAdapter(form)
        for number, line in enumerate(self.lines(name), 1):
            with reading(f"{name} of the bundle, line {number}"):
                try:
                    row = adapter.validate_python(line, strict=True)
                except ValidationError as error:
                    raise ValueError(wrong_field(error)) from error
                if row != line:
                    raise ValueError("it has fields that we do not write")
            yield row

    def row(self, name: str, form: type[Row]) -> Row:
        """Return the only row of a file."""
        with reading(f"{name} of the bundle"):
            (row,) = self.rows(name, form)
        return row

    def manifest(self) -> BundleManifest:
        schema = self.row(MANIFEST, JsonObject).get("schema")
        if schema != SCHEMA:
            raise DrrError(f"a bundle of schema {schema!r}; this program reads {SCHEMA}")
        return self.row(MANIFEST, BundleManifest)

    def study(self) -> StudyRow:
        return self.row("study.json", StudyRow)

    def units(self) -> Iterator[UnitLine]:
        return self.rows("units.jsonl", UnitLine)

    def texts(self) -> Iterator[KeptText]:
        return self.rows("texts.jsonl", KeptText)

    def files(self) -> dict[str, HashedFile]:
        """Hash the files."""
        found: dict[str, HashedFile] = {}
        for name in HASHED:
            path = self.folder / name
            with path.open("rb") as file:
                count = sum(1 for _ in file)
                file.seek(0)
                found[name] = {"bytes": path.stat().st_size, "lines": count, "tree": tree(file)}
        return found

    def facts(self) -> BundleFacts:
        """Sum up what the files hold, as the manifest has it."""
        units = Counter[tuple[str, str]]()
        picos, unknown, tokens = Counter[str](), Counter[str](), Counter[str]()
        for line in self.units():
            kind, record = line["kind"], line["record"]
            units[kind, "pending" if record is None else record["status"]] += 1
            if record is not None:
                unknown[kind] += record["cost"] is None
                picos[kind] += record["cost"] or 0
                used = record["usage"].values()
                tokens[kind] += sum(row["input_tokens"] + row["output_tokens"] for row in used)
        asked = (self.folder / "queries.jsonl").read_bytes()
        spent = self.study()["spent"]
        withheld = Counter[str](line["why"] for line in self.texts() if "why" in line)
        return {
            "questions": asked.count(b"\n"),
            "set_sha256": sha256(asked).hexdigest(),
            "units": {one: {how: n for (kind, how), n in units.items() if kind == one} for one in KINDS},
            "costs": {
                kind: {"usd": picos[kind] / PICO, "unknown": unknown[kind], "tokens": tokens[kind]}
                for kind in KINDS
            },
            "spent_usd": None if spent["unpriced"] else dollars(spent["cost"]),
            "withheld": dict(withheld),
            "files": self.files(),
        }


def content_of(line: KeptText) -> bytes:
    if "base64" in line:
        return b64decode(line["base64"], validate=True)
    return line.get("text", "").encode("utf-8")


def digest_of(line: KeptText) -> str:
    """The hash of the text as it was, be it here or withheld."""
    return line["sha256"] if "why" in line else sha256(content_of(line)).hexdigest()
