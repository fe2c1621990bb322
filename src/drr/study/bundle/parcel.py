"""The contents of a bundle: its rows, its manifest, and the tree of hashes over its lines."""

from __future__ import annotations

import re
import time
from base64 import b64decode
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import reduce
from hashlib import sha256
from math import inf
from pathlib import Path
from typing import Annotated, Any, Literal, NotRequired, TypeVar

from drr.env.errors import DrrError, Misuse, wrong_field
from drr.env.files import passing_folder
from drr.env.json_object import JsonObject, parsed
from drr.env.shop_world import USER_TOOLS
from drr.env.small_files import LINE, MOST_PARTS
from drr.env.world import is_paged
from drr.llm.meter import PICO, UsageRow, dollars
from drr.study.bundle.archive import HASHED, MANIFEST, unpack_archive
from drr.study.config import StudyConfig
from drr.study.form import naming_errors
from drr.study.unit import KINDS, Kind, Record, Status, Unit, canonical_json
from pydantic import Field, TypeAdapter, ValidationError
from typing_extensions import TypedDict  # pydantic reads it

SCHEMA = 1
BESIDE = ("criteria.jsonl", "failure_labels.jsonl", "foreign.jsonl", "key_points.jsonl", "persons.jsonl")
"""Files of a study beside its ledger that a bundle contains. All other files are left out."""
MARKS = "review"
"""The folder with the marks of a study's readers, one file for each reader."""
_MARKED = re.compile(rf"{MARKS}/[\w-]{{1,80}}\.jsonl")
MASK = "█"
"""Stands in a redacted bundle for each letter of a shopper's fields."""
Why = Literal["page", "person"]
WITHHELD: Mapping[Why, str] = {
    "page": "pages of third parties, and what was read of them",
    "person": "shoppers' records, what tools read of them, their changes, texts with masked fields, and labels of the study's readers",
}
_OWN_WEB = "sandbox"
Picos = Annotated[int, Field(gt=-(1 << 62), lt=1 << 62)]
"""A cost in picodollars whose sum a ledger can hold."""
_SECONDS, _BYTES_A_SECOND = 30, 2_000
"""Processor seconds that any bundle may take, and its bytes for each further second: ten times the slowest known bundle."""
Row = TypeVar("Row")


def is_beside(name: str) -> bool:
    return name in BESIDE or _MARKED.fullmatch(name) is not None


class RecordLine(TypedDict):
    """The record of a unit that has ended."""

    status: Status
    reason: str | None
    message: str | None
    transient: bool
    result: JsonObject
    blobs: dict[str, str]
    usage: dict[str, UsageRow]
    cost: Picos | None
    """The cost in picodollars; `None` if unknown."""
    seconds: float
    started_at: float
    finished_at: float


class UnitLine(TypedDict):
    """A unit with its record. Its key is the hash of its kind and key fields."""

    kind: Kind
    label: str
    current: bool
    key_fields: JsonObject
    spec: JsonObject
    record: RecordLine | None
    """The unit's record; `None` where the unit has not ended."""
    key: NotRequired[str]
    """The key, where fields that decide it are masked."""


class PromptLine(TypedDict):
    """A prompt that was given to agents or judges."""

    of: Literal["agents", "judges"]
    name: str
    sha256: str
    text: str


class KeptText(TypedDict):
    """A text, or its hash and the reason where it is withheld."""

    text: NotRequired[str]
    base64: NotRequired[str]
    sha256: NotRequired[str]
    why: NotRequired[Why]


class StudyRow(TypedDict):
    config: StudyConfig
    facts: dict[str, str | None]
    prices: dict[str, JsonObject]
    """Prices by model, in the form of a price file."""
    spent: dict[str, int]
    """The total spent, including failed tries."""


class BundleManifest(TypedDict):
    """The first file of a bundle, which states the facts and the hashes of all others."""

    schema: int
    made_by: str
    code: str
    """The hash of the program that made the bundle."""
    redacted: bool
    with_pages: bool
    questions: int
    """The number of questions. This and the following fields are derived from the other files."""
    set_sha256: str
    units: dict[str, dict[str, int]]
    """Numbers of units by kind and by status; `pending` units have not ended."""
    costs: dict[str, JsonObject]
    """Sums by kind: the known costs, the number of units of unknown cost, and the tokens."""
    spent_usd: float | None
    """The dollars spent; `None` where the price of a call is unknown."""
    withheld: dict[str, int]
    """Numbers of texts that the bundle has as hashes only, by reason."""
    files: dict[str, JsonObject]


def unit_of(line: UnitLine) -> Unit:
    unit = Unit(line["kind"], line["key_fields"], line["spec"], line["label"])
    if "key" in line and MASK in canonical_json(line["key_fields"]):
        vars(unit)["key"] = line["key"]
    return unit


@contextmanager
def unpacked(file: Path) -> Iterator[UnpackedBundle]:
    """Unpack a stranger's bundle in a temporary folder while the context lasts. `Misuse` is raised where there is no file."""
    if not file.is_file():
        raise Misuse(f"{file}: is no file; name a bundle")
    with passing_folder("bundle") as place:
        until = time.process_time() + _SECONDS + file.stat().st_size / _BYTES_A_SECOND
        unpack_archive(file, place)
        yield UnpackedBundle(place, until)


class UnpackedBundle:
    """The contents of an unpacked bundle."""

    def __init__(self, folder: Path, until: float = inf) -> None:
        """Open a folder. No line is read after this process has used `until` seconds of processor time."""
        self.folder = folder
        self._until = until

    def check_time(self) -> None:
        if time.process_time() > self._until:
            raise DrrError("it takes longer than any bundle of its size; nothing more of it is read")

    @property
    def root(self) -> str:
        """Return the hash that names the bundle, over all of its contents except the signatures."""
        return _leaf((self.folder / MANIFEST).read_bytes()).hex()

    def rows(self, name: str, form: type[Row]) -> Iterator[Row]:
        """Yield the rows of a file. Each must have this form, no further field, and the spelling of this program."""
        adapter = TypeAdapter(form)
        with (self.folder / name).open("rb") as file:
            for number, line in enumerate(iter(lambda: file.readline(LINE + 1), b""), 1):
                self.check_time()
                with naming_errors(f"{name} of the bundle, line {number}"):
                    if len(line) > LINE or line.count(b"[") + line.count(b"{") > MOST_PARTS:
                        raise ValueError("too long, or of too many parts")
                    plain = parsed(line)
                    if canonical_json(plain).encode() + b"\n" != line:
                        raise ValueError("not as this program writes it")
                    try:
                        row = adapter.validate_python(plain, strict=True)
                    except ValidationError as error:
                        raise ValueError(wrong_field(error)) from error
                    if row != plain:
                        raise ValueError("it has fields that we do not write")
                yield row

    def row(self, name: str, form: type[Row]) -> Row:
        """Return the only row of a file."""
        with naming_errors(f"{name} of the bundle"):
            (row,) = self.rows(name, form)
        return row

    def manifest(self) -> BundleManifest:
        schema = self.row(MANIFEST, JsonObject).get("schema")
        if schema != SCHEMA:
            raise DrrError(f"a bundle of schema {schema!r}; this program reads {SCHEMA}")
        return self.row(MANIFEST, BundleManifest)

    def study(self) -> StudyRow:
        return self.row("study.json", StudyRow)

    def files(self) -> dict[str, JsonObject]:
        """Return the size, number of lines and tree hash of each file."""
        found: dict[str, JsonObject] = {}
        for name in HASHED:
            path = self.folder / name
            with path.open("rb") as file:
                count = sum(1 for _ in file)
                file.seek(0)
                found[name] = {"bytes": path.stat().st_size, "lines": count, "tree": merkle_root(file)}
        return found

    def facts(self) -> JsonObject:
        """Return the facts that the manifest states, computed from the other files."""
        units: dict[str, Counter[str]] = {kind: Counter() for kind in KINDS}
        costs = {kind: Counter(picos=0, unknown=0, tokens=0) for kind in KINDS}
        for line in self.rows("units.jsonl", UnitLine):
            record, cost = line["record"], costs[line["kind"]]
            units[line["kind"]]["pending" if record is None else record["status"]] += 1
            if record is not None:
                cost["unknown"] += record["cost"] is None
                cost["picos"] += record["cost"] or 0
                cost["tokens"] += sum(
                    row["input_tokens"] + row["output_tokens"] for row in record["usage"].values()
                )
        asked = (self.folder / "queries.jsonl").read_bytes()
        spent, texts = self.study()["spent"], self.rows("texts.jsonl", KeptText)
        return {
            "questions": asked.count(b"\n"),
            "set_sha256": sha256(asked).hexdigest(),
            "units": {kind: dict(counts) for kind, counts in units.items()},
            "costs": {kind: {"usd": cost.pop("picos") / PICO, **cost} for kind, cost in costs.items()},
            "spent_usd": None if spent["unpriced"] else dollars(spent["cost"]),
            "withheld": dict(Counter(line["why"] for line in texts if "why" in line)),
            "files": self.files(),
        }


def withheld_texts(record: Record, *, redacted: bool, with_pages: bool) -> dict[str, Why]:
    """Return the hashes of an answer's texts that are withheld, each with the reason."""
    result, found = record.result, dict[str | None, Why]()
    web = record.key_fields.get("web") or {}
    strange = not with_pages and web.get("name", "other") != _OWN_WEB
    if record.kind != "answer":
        return {}
    for row in result.get("sources") or ():
        if strange and is_paged(row["type"]):
            found |= {row["sha256"]: "page", row["page_sha256"]: "page"}
        if redacted and row["type"] == "user":
            found |= {row["sha256"]: "person", row["record_sha256"]: "person"}
    for row in (result.get("fabricated") or ()) if strange else ():
        found[row["page_sha256"]] = "page"
    for call in result.get("tool_calls") or ():
        if strange and call.get("name") == "web_search":
            found[call.get("result_sha256")] = "page"
        if redacted and call.get("name") in USER_TOOLS:
            found[call.get("result_sha256")] = "person"
    return {digest: why for digest, why in found.items() if digest is not None}


def without_personal_records(result: Mapping[str, Any]) -> JsonObject:
    """Return a result without the titles of a shopper's records and without changes to these records."""
    shown = {**result, "state_changes": []} if result.get("state_changes") else {**result}
    if rows := result.get("sources"):
        shown["sources"] = [{**row, "title": None} if row["type"] == "user" else row for row in rows]
    return shown


def content_of(line: KeptText) -> bytes:
    if "base64" in line:
        return b64decode(line["base64"], validate=True)
    return line.get("text", "").encode("utf-8")


def digest_of(line: KeptText) -> str:
    """Return the hash of the original text, whether it is in the bundle or withheld."""
    return line["sha256"] if "why" in line else sha256(content_of(line)).hexdigest()


def _leaf(content: bytes) -> bytes:
    return sha256(b"\0" + content).digest()


def _node(left: bytes, right: bytes) -> bytes:
    return sha256(b"\1" + left + right).digest()


def merkle_root(lines: Iterable[bytes]) -> str:
    """Return the root hash over lines, as RFC 6962 defines it. Two lines hash to a node, two nodes of one height to the next."""
    peaks: list[tuple[int, bytes]] = []
    for line in lines:
        height, found = 0, _leaf(line)
        while peaks and peaks[-1][0] == height:
            height, found = height + 1, _node(peaks.pop()[1], found)
        peaks.append((height, found))
    if not peaks:
        return sha256(b"").hexdigest()
    return reduce(lambda right, left: _node(left, right), [one for _, one in reversed(peaks)]).hex()
