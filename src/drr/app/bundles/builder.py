"""Builds a bundle from a study: one file with all data behind the figures, failed units included."""

from __future__ import annotations

import json
import os
import platform
import sys
from base64 import b64encode
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import distributions
from pathlib import Path, PurePath
from typing import Any, NamedTuple, cast

from drr.app.bundles.answers import NOT_BEGUN, not_begun
from drr.app.bundles.findings import differing_values
from drr.app.bundles.redaction import Mask, mask_of
from drr.app.judge.desk import shop_of, study_settings
from drr.app.models.setup import models_of, prompts_of
from drr.app.notices import notice
from drr.app.report.study_report import every_figure
from drr.app.study.outcome import code_id, program_version
from drr.app.study.study_plan import PERSONS
from drr.env.errors import DrrError, Misuse
from drr.env.files import check_plain, passing_folder, read_file
from drr.env.json_object import JsonObject
from drr.env.settings import Settings
from drr.env.shop import Shop
from drr.eval.asking.conversation import box_prompts
from drr.eval.evidence.answers import read_answers
from drr.eval.tasks.desk import profile_text, text_id
from drr.llm.budget import load_prices
from drr.study.bundle.archive import HASHED, MANIFEST, ROOT, SIGNATURES, pack_archive
from drr.study.bundle.parcel import (
    BESIDE,
    MARKS,
    SCHEMA,
    BundleManifest,
    KeptText,
    PromptLine,
    RecordLine,
    UnitLine,
    UnpackedBundle,
    Why,
    is_beside,
    withheld_texts,
    without_personal_records,
)
from drr.study.bundle.restore import restore_study
from drr.study.bundle.seal import sign
from drr.study.status import answers_without_usage
from drr.study.study import Study
from drr.study.unit import Record, Unit, canonical_json

_NO_BUNDLE = {"stress": "its answers saw a changed shop", "canaries": "its answers are a trial of judges"}
"""Configuration fields that mark kinds of studies without bundles, each with the reason."""
_START = 120
"""Number of first characters that identify a text inside another text, where the text may be shortened."""


@dataclass(frozen=True, kw_only=True)
class BundleConfig:
    """Options of a bundle, and its file."""

    study: Path
    out: Path
    redact: bool = False
    with_pages: bool = False
    shop: str | None = None
    """Shop of the study; by default the shop that the study names."""
    sign: Path | None = None
    """File of the key that signs the bundle."""
    named_settings: Mapping[str, object] = field(default_factory=dict)
    """Settings, by name."""
    trusted: Sequence[str] = ()


class Bundle(NamedTuple):
    """Facts about a bundle that was written."""

    root: str
    size: int
    manifest: BundleManifest
    uncounted: int
    """Number of answers with unknown cost, which were made by models that this program did not call."""
    aside: Counter[str]
    """Numbers of answers of earlier configurations, which count in no figure, by status."""


def write_bundle(config: BundleConfig) -> Bundle:
    """Write the bundle of a study and return facts about it; an error leaves no file."""
    with Study.read(config.study) as study, passing_folder("bundle") as place:
        _check(study)
        parcel, settings = UnpackedBundle(place), study_settings(study, config.named_settings, config.trusted)
        shop = shop_of(study, config.shop)
        if shop is None and (named := study.config.get("run", {}).get("shop")):
            notice(
                f"the shop {named!r} is not here (--shop says where): what rests on shoppers' profiles can be verified only with it"
            )
        records = [*study.records(None, None, current=False)]
        imported = sum(record.made_elsewhere for record in records)
        mask = mask_of(study, shop) if config.redact and imported else _as_it_is
        if config.redact and (config.study / PERSONS).is_file():
            notice("conversations and judgements keep what was told of persons; read them through")
        machine = {"system": platform.platform(), "python": sys.version, "cores": os.cpu_count()}
        packing = _Packing(study, config)
        files: dict[str, Iterable[Mapping[str, Any]]] = {
            "units.jsonl": packing.units(),
            "texts.jsonl": packing.texts(),
            "study.json": [_study_facts(study, settings)],
            "prompts.jsonl": _reworded(settings),
            "packages.json": [{"bill": _packages(), "machine": machine}],
            "shoppers.jsonl": [] if config.redact or shop is None else _profiles(study, shop),
            "beside.jsonl": files_beside_ledger(study.folder, redact=config.redact),
        }
        for name, rows in files.items():
            _write(parcel, name, (_masked(row, mask) for row in rows))
        questions = study.folder / "queries.jsonl"
        asked = read_file(questions).decode() if questions.is_file() else ""
        (parcel.folder / "queries.jsonl").write_bytes(mask(asked).encode())
        _write(parcel, "figures.json", [_figures(study, parcel)])
        manifest = cast(
            BundleManifest,
            {
                "schema": SCHEMA,
                "made_by": program_version(),
                "code": code_id(),
                "redacted": config.redact,
                "with_pages": config.with_pages,
                **parcel.facts(),
            },
        )
        _write(parcel, MANIFEST, [manifest])
        (parcel.folder / ROOT).write_text(f"{parcel.root}\n", encoding="ascii")
        (parcel.folder / SIGNATURES).touch()
        keys = models_of(settings).redact
        for name in (*HASHED, MANIFEST):
            with (parcel.folder / name).open(encoding="utf-8") as lines:
                if any(map(keys.count, lines)):
                    raise DrrError(
                        f"{study.folder}: a key of yours stands in its {name}; nothing was written"
                    )
        if config.sign is not None:
            sign(parcel, config.sign, "maker", {"made_by": manifest["made_by"]})
        size = pack_archive(parcel.folder, config.out)
        unknown = answers_without_usage(one for one in records if one.kind == "answer")
        return Bundle(parcel.root, size, manifest, unknown, _set_aside(study, records))


def _as_it_is(value: Any, of_judges: bool = False) -> Any:
    return value


def _masked(row: Mapping[str, Any], mask: Mask) -> Mapping[str, Any]:
    """Return a row with masked fields of shoppers. What a key or a hash names keeps both."""
    found: dict[str, Any] = mask(dict(row), row.get("kind") == "judgement")
    if "key_fields" in row and found["key_fields"] != row["key_fields"]:
        found["key"] = Unit(row["kind"], row["key_fields"], {}, "").key
    if "why" not in row and found.get("text") != row.get("text") and "name" not in row:
        found |= {"sha256": text_id(row["text"]), "why": "person"}
    return found


def _set_aside(study: Study, records: Iterable[Record]) -> Counter[str]:
    """Count the answers of earlier configurations by status, in the words of the manifest."""
    keys = study.ledger.units.aside()
    ended = Counter[str](one.status for one in records if one.key in keys)
    return ended + Counter[str](pending=len(keys) - ended.total())


def _check(study: Study) -> None:
    for name, what in _NO_BUNDLE.items():
        if name in study.config.get("run", {}):
            raise Misuse(f"{study.folder}: {what}; name a study that agents answered")
    study.look_for_losses()
    if study.losses:
        labels = ", ".join(sorted(loss.label for loss in study.losses.values())[:3])
        raise Misuse(f"{study.folder}: {labels} lack texts; restore them, or compute the answers again")


def _write(parcel: UnpackedBundle, name: str, rows: Iterable[Mapping[str, Any]]) -> None:
    with (parcel.folder / name).open("x", encoding="utf-8", newline="\n") as file:
        file.writelines(canonical_json(row) + "\n" for row in rows)


def _study_facts(study: Study, settings: Settings) -> JsonObject:
    """Return the study's configuration, the facts of its ledger, its costs, and present prices of the models used."""
    facts = {name: value for name, value in study.ledger.facts() if name != "schema"}
    if (left := not_begun(study)) > 0:
        facts[NOT_BEGUN] = str(left)
    records, prices = study.records(None, None, current=False), load_prices(settings.price_file)
    asked = {
        name: prices.of(name) for one in records for name in {row["model"] for row in one.usage.values()}
    }
    known = {name: one.model_dump(mode="json", exclude_none=True) for name, one in asked.items() if one}
    spent = study.ledger.accounts.total()
    account = {"cost": spent.cost, "tokens": spent.tokens, "unpriced": spent.unpriced}
    return {"config": _without_folders(dict(study.config)), "facts": facts, "spent": account, "prices": known}


def _without_folders(value: Any) -> Any:
    """Return a configuration without the user's folders: of each path only the last part stays."""
    if isinstance(value, Mapping):
        return {name: _without_folders(one) for name, one in value.items()}
    if isinstance(value, str) and "/" in value and "://" not in value:
        parts = value.split(",")
        return ",".join(PurePath(one).name if one[:1] in ("/", "~", ".") else one for one in parts)
    return value


def _figures(study: Study, parcel: UnpackedBundle) -> JsonObject:
    """Return the figures computed from the bundle. Print a notice where they differ from the study's figures."""
    with restore_study(parcel) as again:
        found = every_figure(again)
    if others := list(differing_values(every_figure(study), found)):
        notice(f"{len(others):,} figures of the bundle are not those of the study, the first is {others[0]}")
    return found


def _profiles(study: Study, shop: Shop) -> list[dict[str, str]]:
    """Return the profile of each shopper as judges read it. That of an import's shopper stays in the shop."""
    own = (answer for answer in read_answers(study) if not answer.record.made_elsewhere)
    users = {answer.user_id for answer in own if answer.user_id is not None}
    return [{"user": user, "profile": profile_text(shop, user)} for user in sorted(users)]


def _packages() -> JsonObject:
    """Return the list of installed packages, as the machine's bill of materials."""
    name, _, version = program_version().rpartition(" ")
    found = sorted({(one.name, one.version) for one in distributions()})
    components = [{"name": package, "version": number} for package, number in found]
    return {"metadata": {"component": {"name": name, "version": version}}, "components": components}


def _reworded(settings: Settings) -> Iterator[PromptLine]:
    """Yield the judges' prompts that differ from this program's. Agents' prompts are part of their conversations."""
    judges, own = prompts_of(settings, "eval"), box_prompts()
    for name in judges.names:
        if name not in own.names or judges[name].sha256 != own[name].sha256:
            text = judges[name].written
            yield {"of": "judges", "name": name, "sha256": text_id(text), "text": text}


class _Packing:
    def __init__(self, study: Study, config: BundleConfig) -> None:
        self._study, self._config = study, config
        self._texts: dict[str, None] = {}
        """Hashes of texts, in the order in which units name them."""
        self._why: dict[str, Why] = {}
        self._cut: dict[str, set[str]] = {}
        """Hashes of the texts to cut out of each conversation, by the conversation's hash."""

    def units(self) -> Iterator[UnitLine]:
        """Yield the units, ordered by kind and key, so that equal studies give equal bytes."""
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
        withheld = withheld_texts(record, redacted=self._config.redact, with_pages=self._config.with_pages)
        self._why |= withheld
        self._texts |= dict.fromkeys(record.blobs.values())
        if withheld and "transcript" in record.blobs:
            self._cut.setdefault(record.blobs["transcript"], set()).update(withheld)
        fields = {name: getattr(record, name) for name in RecordLine.__annotations__}
        result = without_personal_records(record.result) if self._config.redact else record.result
        return cast(RecordLine, {**fields, "result": result})

    def texts(self) -> Iterator[KeptText]:
        for digest in self._texts:
            if digest in self._why:
                yield {"sha256": digest, "why": self._why[digest]}
                continue
            content, cut = self._study.blobs.get(digest), self._cut.get(digest)
            try:
                yield (
                    {"text": content.decode()}
                    if cut is None
                    else self._conversation(digest, content.decode())
                )
            except UnicodeDecodeError:
                if cut is not None:
                    yield {"sha256": digest, "why": self._why[min(cut)]}
                else:
                    yield {"base64": b64encode(content).decode("ascii")}

    def _conversation(self, digest: str, text: str) -> KeptText:
        """Return a conversation without withheld texts; a conversation that contains a changed withheld text is withheld as a whole."""
        own = sorted(filter(None, (self._study.blobs.get(one).decode() for one in self._cut[digest])))
        why, cut = self._why[min(self._cut[digest])], text
        for content in sorted(own, key=len, reverse=True):
            cut = cut.replace(json.dumps(content, ensure_ascii=False)[1:-1], "[withheld]")
        if any(json.dumps(content[:_START], ensure_ascii=False)[1:-1] in cut for content in own):
            return {"sha256": digest, "why": why}
        return {"text": text} if cut == text else {"sha256": digest, "why": why, "text": cut}


def files_beside_ledger(folder: Path, *, redact: bool) -> Iterator[dict[str, str]]:
    """Yield name and text of the files next to the ledger, and of reviewers' marks. A redacted bundle leaves out marks and persons."""
    marks = folder / MARKS
    if marks.is_dir() and not redact:
        check_plain(marks)
    names = [name for name in BESIDE if not (redact and name == PERSONS)]
    marked = [] if redact else [f"{MARKS}/{path.name}" for path in marks.glob("*.jsonl")]
    for name in sorted([*names, *marked]):
        if (folder / name).is_file() and is_beside(name):
            yield {"name": name, "text": read_file(folder / name).decode()}
