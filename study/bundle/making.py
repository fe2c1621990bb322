"""Laying out a study as the files of a bundle. All units go in, whatever became of them, and every text behind them."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any, cast

from drr.env.errors import DrrError
from drr.env.files import check_plain, read_file
from drr.env.json_object import JsonObject
from drr.env.shop_world import USER_TOOLS
from drr.env.world import is_paged
from drr.llm.meter import PICO
from drr.llm.secrets import Redactor
from drr.study.bundle.archive import HASHED, MANIFEST, ROOT, SIGNATURES
from drr.study.bundle.parcel import (
    BESIDE,
    MARKS,
    SCHEMA,
    BundleManifest,
    KeptText,
    Parcel,
    RecordLine,
    UnitLine,
    Why,
    is_beside,
)
from drr.study.study import Study
from drr.study.unit import Record, canonical_json

_OWN_WEB = "sandbox"
_START = 120
"""Signs by which a text is known that stands in another, be it shortened there."""


@dataclass(frozen=True, kw_only=True)
class Contents:
    """Choices for a bundle, and what goes in that is not of the study itself."""

    made_by: str
    code: str
    """Hash of the program."""
    redact: bool
    """Shoppers' records stay out."""
    facts: Mapping[str, str]
    """Facts of it beside those of its ledger."""
    persons: str
    """Name of the study's file of persons, which stays out with them."""
    with_pages: bool
    """Pages of third parties go in."""
    keys: Redactor
    """Keys that must not stand in it."""
    prices: JsonObject
    """Prices of the models, by name."""
    beside: Mapping[str, Iterable[Mapping[str, Any]]]
    """Rows of the files that are not made of the study, by file."""
    figures: Callable[[Parcel], JsonObject]
    """Made of the parcel alone, when all else lies in it."""


def lay_out(study: Study, folder: Path, contents: Contents) -> BundleManifest:
    """Write the files of a bundle into an empty folder. `DrrError` where a text is lost, or holds a key."""
    packing, parcel = _Packing(study, folder, contents), Parcel(folder)
    packing.write("units.jsonl", packing.units())
    packing.write("texts.jsonl", packing.texts())
    spent = study.ledger.accounts.total()
    facts = {name: value for name, value in study.ledger.facts() if name != "schema"}
    facts |= contents.facts
    account = {"cost": spent.cost, "tokens": spent.tokens, "unpriced": spent.unpriced}
    about = {"config": _unplaced(dict(study.config)), "facts": facts, "spent": account}
    packing.write("study.json", [{**about, "prices": contents.prices}])
    for name, rows in contents.beside.items():
        packing.write(name, rows)
    rows = beside(study.folder, redact=contents.redact, persons=contents.persons)
    packing.write("beside.jsonl", rows)
    questions = study.folder / "queries.jsonl"
    (folder / "queries.jsonl").write_bytes(read_file(questions) if questions.is_file() else b"")
    packing.write("figures.json", [contents.figures(parcel)])
    manifest: BundleManifest = {
        "schema": SCHEMA,
        "made_by": contents.made_by,
        "code": contents.code,
        "redacted": contents.redact,
        "with_pages": contents.with_pages,
        **parcel.facts(),
    }
    packing.write(MANIFEST, [manifest])
    (folder / ROOT).write_text(f"{parcel.root}\n", encoding="ascii")
    (folder / SIGNATURES).touch()
    for name in (*HASHED, MANIFEST):
        with (folder / name).open(encoding="utf-8") as lines:
            if any(map(contents.keys.count, lines)):
                raise DrrError(f"{study.folder}: a key of yours stands in its {name}; nothing was written")
    return manifest


def withheld_of(record: Record, *, redacted: bool, with_pages: bool) -> dict[str, Why]:
    """Find the texts of an answer that do not go in."""
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


class _Packing:
    def __init__(self, study: Study, folder: Path, terms: Contents) -> None:
        self._study, self._folder, self._terms = study, folder, terms
        self._texts: dict[str, None] = {}
        """Hashes in the order in which units name them."""
        self._why: dict[str, Why] = {}
        self._cut: dict[str, set[str]] = {}
        """Conversations, with the texts that are cut out of them."""

    def write(self, name: str, rows: Iterable[Mapping[str, Any]]) -> None:
        with (self._folder / name).open("x", encoding="utf-8", newline="\n") as file:
            file.writelines(canonical_json(row) + "\n" for row in rows)

    def units(self) -> Iterator[UnitLine]:
        """Yield the units by kind and key, so that equal studies are equal bytes."""
        for unit, current in self._study.ledger.units.known():
            record = self._study.record(unit.key)
            yield {
                "kind": unit.kind,
                "label": unit.label,
                "current": current,
                "key_fields": dict(unit.key_fields),
                "spec": dict(unit.spec),
                "record": None if record is None else self._record(record),
            }

    def _record(self, record: Record) -> RecordLine:
        terms = self._terms
        withheld = withheld_of(record, redacted=terms.redact, with_pages=terms.with_pages)
        self._why |= withheld
        self._texts |= dict.fromkeys(record.blobs.values())
        if withheld and "transcript" in record.blobs:
            self._cut.setdefault(record.blobs["transcript"], set()).update(withheld)
        fields = {name: getattr(record, name) for name in RecordLine.__annotations__ if name != "cost"}
        fields["cost"] = None if record.cost_usd is None else round(record.cost_usd * PICO)
        result = impersonal(record.result) if terms.redact else record.result
        return cast(RecordLine, {**fields, "result": result})

    def texts(self) -> Iterator[KeptText]:
        for digest in self._texts:
            if digest in self._why:
                yield {"sha256": digest, "why": self._why[digest]}
                continue
            content, why = self._study.blobs.get(digest), self._cut.get(digest)
            try:
                yield self._conversation(digest, content.decode()) if why else {"text": content.decode()}
            except UnicodeDecodeError:
                if why:
                    yield {"sha256": digest, "why": self._why[min(why)]}
                else:
                    yield {"base64": b64encode(content).decode("ascii")}

    def _conversation(self, digest: str, text: str) -> KeptText:
        """Cut withheld texts out of a conversation. Where one stands there in another form, all of it is withheld."""
        own = sorted(filter(None, (self._study.blobs.get(one).decode() for one in self._cut[digest])))
        why, cut = self._why[min(self._cut[digest])], text
        for content in sorted(own, key=len, reverse=True):
            cut = cut.replace(json.dumps(content, ensure_ascii=False)[1:-1], "[withheld]")
        if any(json.dumps(content[:_START], ensure_ascii=False)[1:-1] in cut for content in own):
            return {"sha256": digest, "why": why}
        return {"text": text} if cut == text else {"sha256": digest, "why": why, "text": cut}


def impersonal(result: Mapping[str, Any]) -> JsonObject:
    """A result without titles of a shopper's records and without what was changed of them."""
    shown = {**result, "state_changes": []} if result.get("state_changes") else {**result}
    if rows := result.get("sources"):
        shown["sources"] = [{**row, "title": None} if row["type"] == "user" else row for row in rows]
    return shown


def _unplaced(value: Any) -> Any:
    """A configuration without the folders of whoever ran it: of paths the last part stays."""
    if isinstance(value, Mapping):
        return {name: _unplaced(one) for name, one in value.items()}
    if isinstance(value, str) and "/" in value and "://" not in value:
        parts = value.split(",")
        return ",".join(PurePath(one).name if one[:1] in ("/", "~", ".") else one for one in parts)
    return value


def beside(folder: Path, *, redact: bool, persons: str) -> Iterator[dict[str, str]]:
    """Files of lines that lie beside the ledger, and the marks of readers. What is of people stays out where they do."""
    marks = folder / MARKS
    if marks.is_dir() and not redact:
        check_plain(marks)
    names = [name for name in BESIDE if not (redact and name == persons)]
    marked = [] if redact else [f"{MARKS}/{path.name}" for path in marks.glob("*.jsonl")]
    for name in sorted([*names, *marked]):
        if (folder / name).is_file() and is_beside(name):
            yield {"name": name, "text": read_file(folder / name).decode()}
