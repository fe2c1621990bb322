"""The contents of a bundle: its rows, its manifest, and reading them from an unpacked bundle of anybody."""

from __future__ import annotations

import json
from base64 import b64decode
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal, NotRequired, cast

from drr.env.bounded import LINE, MOST_PARTS
from drr.env.errors import DrrError
from drr.env.json_object import JsonObject, parsed
from drr.llm.meter import UsageRow, dollars
from drr.study.bundle.archive import HASHED, MANIFEST, ROOT
from drr.study.bundle.tree import leaf, tree
from drr.study.config import StudyConfig
from drr.study.form import kind_of, of, reading, status_of, table, texts, usages
from drr.study.unit import KINDS, Kind, Status, Unit, canonical_json
from typing_extensions import TypedDict  # a row's own type extends it

SCHEMA = 1
Why = Literal["page", "person"]
WITHHELD: Mapping[Why, str] = {
    "page": "pages of third parties, and what was read of them",
    "person": "shoppers' records, what tools read of them, their changes, and labels of the study's readers",
}


class RecordLine(TypedDict):
    """A unit's ending."""

    status: Status
    reason: str | None
    message: str | None
    transient: bool
    result: JsonObject
    blobs: dict[str, str]
    usage: Mapping[str, UsageRow]
    cost: int | None
    """Picodollars; `None` is unknown."""
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


class PaidRow(TypedDict):
    """All that was paid, failed tries included."""

    cost: int
    tokens: int
    unpriced: int


class StudyRow(TypedDict):
    config: StudyConfig
    facts: dict[str, str | None]
    prices: dict[str, JsonObject]
    """Prices by model, of a token in millionths of a dollar per million."""
    spent: PaidRow


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


class BundleManifest(TypedDict):
    """The first file of a bundle, which stands for all others."""

    schema: int
    made_by: str
    code: str
    """Hash of the program that made it."""
    questions: int
    set_sha256: str
    units: dict[str, dict[str, int]]
    """Kind to ending to count; `pending` has none."""
    costs: dict[str, CostRow]
    spent_usd: float | None
    """`None`: a call's price is unknown."""
    withheld: dict[str, int]
    """Texts that are here as hashes, by reason."""
    withheld_says: list[str]
    files: dict[str, HashedFile]


def unit_of(line: UnitLine) -> Unit:
    return Unit(line["kind"], line["key_fields"], line["spec"], line["label"])


class UnitTally:
    """The manifest's counts, unit by unit."""

    def __init__(self) -> None:
        self.units = {kind: Counter[str]() for kind in KINDS}
        self.costs: dict[str, CostRow] = {kind: {"usd": 0.0, "unknown": 0, "tokens": 0} for kind in KINDS}
        self._picos = Counter[str]()

    def add(self, line: UnitLine) -> None:
        kind, record = line["kind"], line["record"]
        self.units[kind]["pending" if record is None else record["status"]] += 1
        if record is None:
            return
        cost = self.costs[kind]
        cost["unknown"] += record["cost"] is None
        self._picos[kind] += record["cost"] or 0
        cost["usd"] = dollars(self._picos[kind]) or 0.0
        cost["tokens"] += sum(row["input_tokens"] + row["output_tokens"] for row in record["usage"].values())


def files_of(folder: Path) -> dict[str, HashedFile]:
    """Hash the files of an unpacked bundle."""
    found: dict[str, HashedFile] = {}
    for name in HASHED:
        with (folder / name).open("rb") as file:
            count = Counter[str]()

            def counted(lines: Iterable[bytes], count: Counter[str] = count) -> Iterator[bytes]:
                for line in lines:
                    count["lines"] += 1
                    yield line

            root = tree(counted(file))
        found[name] = {
            "bytes": (folder / name).stat().st_size,
            "lines": count["lines"],
            "tree": root,
        }
    return found


class Parcel:
    """An unpacked bundle."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def root(self) -> str:
        """The name of the bundle, made of all that it holds but for its signatures."""
        return leaf((self.folder / MANIFEST).read_bytes()).hex()

    @property
    def named_root(self) -> str:
        return (self.folder / ROOT).read_bytes()[:200].decode("ascii", "replace")

    def manifest(self) -> BundleManifest:
        found = self.document(MANIFEST)
        if found.get("schema") != SCHEMA:
            raise DrrError(f"a bundle of schema {found.get('schema')!r}; this program reads {SCHEMA}")
        with reading(f"{MANIFEST} of the bundle"):
            of(found["made_by"], str)
            of(found["files"], dict)
        return cast(BundleManifest, found)

    def document(self, name: str) -> JsonObject:
        with reading(f"{name} of the bundle"):
            lines = list(self.lines(name))
            return table(json.dumps(lines[0])) if len(lines) == 1 else table("[]")

    def lines(self, name: str) -> Iterator[Any]:
        with (self.folder / name).open("rb") as file:
            for number, line in enumerate(iter(lambda: file.readline(LINE + 1), b""), 1):
                if len(line) > LINE or line.count(b"[") + line.count(b"{") > MOST_PARTS:
                    raise DrrError(f"{name} of the bundle, line {number}: too long, or of too many parts")
                try:
                    yield parsed(line)
                except ValueError as error:
                    raise DrrError(f"{name} of the bundle, line {number}: {error}") from error

    def study(self) -> StudyRow:
        found = self.document("study.json")
        with reading("study.json of the bundle"):
            of(found["config"], dict)
            of(found["prices"], dict)
            for value in of(found["facts"], dict).values():
                of(value, str, type(None))
            for name in ("cost", "tokens", "unpriced"):
                of(found["spent"][name], int)
        return cast(StudyRow, found)

    def units(self) -> Iterator[UnitLine]:
        for number, line in enumerate(self.lines("units.jsonl"), 1):
            with reading(f"units.jsonl of the bundle, line {number}"):
                _check_unit(line)
            yield line

    def prompts(self) -> list[PromptLine]:
        with reading("prompts.jsonl of the bundle"):
            return [cast(PromptLine, texts(json.dumps(line))) for line in self.lines("prompts.jsonl")]

    def profiles(self) -> dict[str, str]:
        """Profiles as judges were told them, by shopper."""
        with reading("shoppers.jsonl of the bundle"):
            rows = [texts(json.dumps(line)) for line in self.lines("shoppers.jsonl")]
            return {row["user"]: row["profile"] for row in rows}

    def texts(self) -> Iterator[KeptText]:
        for number, line in enumerate(self.lines("texts.jsonl"), 1):
            with reading(f"texts.jsonl of the bundle, line {number}"):
                yield cast(KeptText, texts(json.dumps(line)))


def content_of(line: KeptText) -> bytes:
    if "base64" in line:
        return b64decode(line["base64"], validate=True)
    return line.get("text", "").encode("utf-8")


def digest_of(line: KeptText) -> str:
    """The hash of the text as it was, be it here or withheld."""
    return line["sha256"] if "sha256" in line else sha256(content_of(line)).hexdigest()


def _check_unit(line: Any) -> None:
    kind_of(line["kind"])
    of(line["label"], str)
    of(line["current"], bool)
    of(line["key_fields"], dict)
    of(line["spec"], dict)
    record = of(line["record"], dict, type(None))
    if record is None:
        return
    status_of(record["status"])
    for name in ("reason", "message"):
        of(record[name], str, type(None))
    of(record["transient"], bool)
    of(record["result"], dict)
    texts(json.dumps(record["blobs"]))
    usages(json.dumps(record["usage"]))
    if abs(of(record["cost"], int, type(None)) or 0) >= 1 << 62:
        raise ValueError("a cost beyond all sums")
    for name in ("seconds", "started_at", "finished_at"):
        of(record[name], float, int)
    canonical_json(record)
