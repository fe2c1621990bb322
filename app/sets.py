"""Frozen sets: a fresh shop's questions under a name and a hash.

A sealed set tells its hashes first. The seed stays with its owner, and is proved by a commitment when it is revealed.
"""

from __future__ import annotations

import json
import secrets
import shutil
import tempfile
from dataclasses import replace
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from drr.app.making import MADE, make_shop
from drr.app.models import prompts_of
from drr.data_ingest.fresh import ShopAxes
from drr.env.errors import DrrError, Misuse, wrong_field
from drr.env.files import read_file, write_file
from drr.env.json_object import JsonObject
from drr.env.progress import Progress
from drr.env.query import read_queries
from drr.env.settings import Settings
from drr.env.web.sandbox import open_sandbox
from drr.querygen.dataset import Publication, write_dataset
from pydantic import BaseModel, ConfigDict, Field, ValidationError

if TYPE_CHECKING:
    from drr.app.running import RunConfig
    from drr.study.config import StudyConfig

SET = "set.json"


class SeededShop(BaseModel):
    """All that a fresh shop is made of."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    seed: int
    axes: ShopAxes

    def committed(self, nonce: str) -> str:
        """Compute the commitment to this seed; without the nonce nobody can try seeds against it."""
        return sha256(f"{nonce}:{_canonical(self.model_dump())}".encode()).hexdigest()


class FrozenSet(BaseModel):
    """`set.json`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    schema_version: Literal[1] = 1
    name: str = Field(pattern=r"^[a-z0-9][a-z0-9.-]{0,60}-v[0-9]+$")
    content_hash: str = ""
    """The hash of all the rest."""
    license: str
    date: str
    count: int
    shop: str
    """Content hashes of the shop and the web, and the hash of the questions with their truth."""
    web: str
    questions: str
    published: str | None = None
    """The hash of the questions as they are published; none of a sealed set."""
    made: SeededShop | None = None
    commitment: str | None = None
    """The commitment to the seed of a sealed set."""
    versions: dict[str, str]
    """The program's version, and hashes of prompts, rules and rewards."""

    def hashed(self) -> FrozenSet:
        own = self.model_dump(mode="json", exclude={"content_hash"})
        return self.model_copy(update={"content_hash": sha256(_canonical(own).encode()).hexdigest()})

    @property
    def label(self) -> str:
        """The name with the beginning of the hash, by which a study remembers its set."""
        return f"{self.name} {self.content_hash[:16]}"


class SetSeal(BaseModel):
    """The file that the owner of a sealed set keeps."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    made: SeededShop
    nonce: str


class SetTerms(NamedTuple):
    """The owner's words on a set."""

    name: str
    license: str
    date: str
    sealed: bool = False
    with_truth: bool = False


def freeze(made_in: Path, folder: Path, terms: SetTerms, settings: Settings) -> FrozenSet:
    """Freeze what `drr shop make` made into a new folder; of a sealed set the seal lies beside it."""
    made = _made(made_in)
    if folder.exists():
        raise Misuse(f"{folder}: is there already, and a frozen set never changes; name a new folder")
    seeded = SeededShop(seed=made["seed"], axes=made["axes"])
    nonce = secrets.token_hex(32)
    seal = folder.with_name(f"{folder.name}.seal.json")
    try:
        frozen = FrozenSet(
            name=terms.name,
            license=terms.license,
            date=terms.date,
            count=made["counts"]["questions"],
            shop=made["shop"],
            web=made["web"],
            questions=made["questions"],
            made=None if terms.sealed else seeded,
            commitment=seeded.committed(nonce) if terms.sealed else None,
            versions=_versions(settings),
        )
    except ValidationError as error:
        raise Misuse(f"{terms.name}: {wrong_field(error)}; a set is named like retail-v1") from error
    if terms.sealed:
        kept = SetSeal(name=terms.name, made=seeded, nonce=nonce)
        write_file(seal, kept.model_dump_json(indent=2) + "\n", 0o600)
        folder.mkdir(parents=True)
    else:
        frozen = frozen.model_copy(update={"published": _publish(made_in, folder, terms)})
    frozen = frozen.hashed()
    (folder / SET).write_text(frozen.model_dump_json(indent=2) + "\n", encoding="utf-8")
    return frozen


def _made(folder: Path) -> JsonObject:
    try:
        made: JsonObject = json.loads(read_file(folder / MADE))
        whole = made["questions"] == sha256(read_file(folder / "queries.jsonl")).hexdigest()
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Misuse(f"{folder}: is no folder of `drr shop make` ({error})") from error
    if not whole:
        raise Misuse(f"{folder}: its questions were changed since they were made; make the shop again")
    return made


def _publish(made_in: Path, folder: Path, terms: SetTerms) -> str:
    publication = Publication(terms.name, terms.date, terms.license, None, terms.with_truth)
    write_dataset(folder, read_queries(made_in / "queries.jsonl"), publication, source=str(made_in))
    shutil.copytree(made_in / "web", folder / "web")
    return sha256(read_file(folder / "queries.jsonl")).hexdigest()


def _versions(settings: Settings) -> dict[str, str]:
    from drr.eval.checks import RULES
    from drr.eval.rewards import COMPONENTS

    prompts = {room: prompts_of(settings, room).hashes() for room in ("agents", "eval")}
    parts = {
        "prompts": prompts,
        "rules": {name: rule.version for name, rule in RULES.items()},
        "rewards": {one.name: one.version for one in COMPONENTS},
    }
    hashes = {name: sha256(_canonical(part).encode()).hexdigest() for name, part in parts.items()}
    return {"drr": version("deepresearch-retail"), **hashes}


def _canonical(document: object) -> str:
    return json.dumps(document, sort_keys=True, separators=(",", ":"))


def read_set(folder: Path) -> FrozenSet:
    """Read the manifest of a set; one that was changed is an error."""
    path = folder if folder.is_file() else folder / SET
    try:
        frozen = FrozenSet.model_validate_json(read_file(path))
    except OSError as error:
        raise Misuse(f"{path}: cannot be read ({error.strerror}); name the folder of a set") from error
    except ValidationError as error:
        raise Misuse(f"{path}: is no manifest of a set ({wrong_field(error)})") from error
    if frozen.hashed() != frozen:
        raise DrrError(f"{path}: was changed after it was frozen; get {frozen.name} again")
    return frozen


def reveal(folder: Path, seal: Path, settings: Settings, progress: Progress) -> list[str]:
    """Make the shop of a sealed set anew; return what does not belong together, nothing where all does."""
    frozen = read_set(folder)
    try:
        kept = SetSeal.model_validate_json(read_file(seal))
    except (OSError, ValidationError) as error:
        raise Misuse(
            f"{seal}: is no seal of `drr queries freeze --sealed` ({type(error).__name__})"
        ) from error
    if frozen.commitment != kept.made.committed(kept.nonce):
        return [f"the seed {kept.made.seed} is not the one that {frozen.name} was sealed with"]
    with tempfile.TemporaryDirectory() as place:
        made = make_shop(kept.made.seed, kept.made.axes, Path(place) / "made", settings, progress)
    found = {"shop": made["shop"], "web": made["web"], "questions": made["questions"]}
    promised = frozen.model_dump(include=set(found))
    return [
        f"the {part} made of the seed is not that of {frozen.name}"
        for part in found
        if found[part] != promised[part]
    ]


def of_set(config: RunConfig, saved: StudyConfig) -> tuple[RunConfig, str | None]:
    """Take questions and web of the set that is asked for. `Misuse` where the study holds figures of another."""
    own = saved.get("run", {}).get("set")
    if config.frozen is None:
        if own is not None and config.queries is not None:
            raise Misuse(f"{config.study}: answers the set {own}; other questions need another study")
        return config, own
    frozen, folder = read_set(config.frozen), config.frozen
    folder = folder.parent if folder.is_file() else folder
    if saved:
        check_same_set(config.study, own, config.frozen, frozen.label)
    queries, web = folder / "queries.jsonl", (folder / "web").resolve()
    if frozen.published is None:
        given = config.given.get("sandbox")
        if config.queries is None or given is None:
            raise Misuse(
                f"{folder}: {frozen.name} is sealed; make its shop of the revealed seed, and give --queries and --sandbox"
            )
        queries, web = config.queries, Path(str(given))
    found = (sha256(read_file(queries)).hexdigest(), open_sandbox(web).content_hash)
    if found != (frozen.published or frozen.questions, frozen.web):
        raise DrrError(f"{queries}, {web}: are not questions and web of {frozen.name}; get them again")
    return replace(config, queries=queries, given={**config.given, "sandbox": web}), frozen.label


def check_same_set(one: Path, own: str | None, other: Path, its: str | None) -> None:
    """`Misuse` where figures of two places answer different sets, or one of them none."""
    if own != its:
        raise Misuse(
            f"{one} answers {own or 'no frozen set'}, {other} is {its or 'of no frozen set'}: "
            "their figures stand in no table together"
        )
