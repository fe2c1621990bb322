"""Frozen sets: the questions of one or more shops under a name and a hash.

A sealed part publishes only hashes at first. Its owner keeps the seed, which a published commitment proves when it is revealed.
"""

from __future__ import annotations

import json
import secrets
import shutil
import tempfile
import tomllib
from collections.abc import Mapping, Sequence
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from drr.app.models.setup import prompts_of
from drr.app.study.fresh_shops import make_shop
from drr.app.study.seals import (
    LEAST_SEALED,
    SEALED,
    PartSeal,
    SealedQuestions,
    SeededShop,
    SetSeal,
    canonical_bytes,
    encrypt_questions,
    is_worded,
)
from drr.env.errors import DrrError, Misuse, wrong_field
from drr.env.files import check_entries, read_file, write_file
from drr.env.json_object import JsonObject
from drr.env.progress import Progress
from drr.env.query import read_queries
from drr.env.settings import Settings
from drr.env.shop import open_shop
from drr.env.web.made_web import MADE, with_own_web
from drr.env.web.sandbox import BOX, open_sandbox
from drr.querygen.builtin import FILE
from drr.querygen.dataset import Publication, questions_to_publish, write_dataset
from drr.querygen.files import write_queries
from drr.study.config import GIVEN_UP
from pydantic import BaseModel, ConfigDict, Field, ValidationError

if TYPE_CHECKING:
    from drr.app.study.study_plan import StudyPlan

SET = "set.json"


class SetPart(BaseModel):
    """A shop of a frozen set, with its web pages and its questions."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.+-]{0,99}$")
    """Name of the part, which is also the name of its folder in the set."""
    count: int
    shop: str
    """Content hash of the shop; `web` is that of the web pages, `questions` the hash of the questions with their truth."""
    web: str
    questions: str
    published: str | None = None
    """Hash of the questions as they are published; `None` for a sealed part."""
    made: SeededShop | None = None
    """Seed and axes; `None` for a sealed part and for a shop that was not made from a seed."""
    commitment: str | None = None
    """Commitment to the seed of a sealed part; `None` for an open part."""


class FrozenSet(BaseModel):
    """The manifest of a frozen set, stored as `set.json`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    schema_version: Literal[1] = 1
    name: str = Field(pattern=r"^[a-z0-9][a-z0-9.-]{0,60}-v[0-9]+$")
    content_hash: str = ""
    """Hash of all other fields."""
    license: str
    date: str
    parts: list[SetPart]
    baselines: dict[str, float] = Field(default_factory=dict)
    """Mean rewards of scripted agents on all questions, which stand beside every figure of the set."""
    versions: dict[str, str]
    """Version of the program, and hashes of its prompts, rules and rewards."""

    @property
    def count(self) -> int:
        return sum(part.count for part in self.parts)

    def hashed(self) -> FrozenSet:
        own = self.model_dump(mode="json", exclude={"content_hash"})
        if not self.baselines:  # as before sets had any
            del own["baselines"]
        return self.model_copy(update={"content_hash": _hash(own)})

    def label(self, part: SetPart, settings: Settings) -> str:
        """Return the label of a part, under which a study remembers the set that it answers. Versions that differ from the set's are named in the label."""
        now = _versions(settings)
        others = [name for name in now if name != "drr" and now[name] != self.versions.get(name)]
        own = f" with other {', '.join(others)} {_hash(now)[:8]}" if others else ""
        beside = ", ".join(f"{name} {value:.3f}" for name, value in self.baselines.items())
        beside += " by earlier rewards" if beside and "rewards" in others else ""
        return f"{self.name}/{part.name} {self.content_hash[:16]}{own}{f' ({beside})' if beside else ''}"


class SetTerms(NamedTuple):
    """The terms that the owner gives a set: name, license, date, and whether its truth is published."""

    name: str
    license: str
    date: str
    with_truth: bool = False
    baselines: Mapping[str, float] = {}


def freeze(
    made: Sequence[Path], sealed: Sequence[Path], folder: Path, terms: SetTerms, settings: Settings
) -> tuple[FrozenSet, str | None]:
    """Freeze shops with their questions into a new folder; return the manifest, and the key of encrypted questions.

    The seal of sealed parts is written beside the folder. The key is written nowhere.
    """
    if folder.exists():
        raise Misuse(f"{folder}: is there already, and a frozen set never changes; name a new folder")
    places = [*made, *sealed]
    names = [place.resolve().name for place in places]
    if len(set(names)) < len(names):
        raise Misuse(f"{', '.join(names)}: two parts have one name; rename a folder")
    parts = [_part(place, settings) for place in places]
    seals = {part.name: _seal(part) for part in parts[len(made) :]}
    try:
        frozen = FrozenSet(
            name=terms.name,
            license=terms.license,
            date=terms.date,
            baselines=dict(terms.baselines),
            parts=[
                _with_commitment(one, seals.get(one.name), where)
                for one, where in zip(parts, places, strict=True)
            ],
            versions=_versions(settings),
        )
    except ValidationError as error:
        raise Misuse(f"{terms.name}: {wrong_field(error)}; a set is named like mine-v1") from error
    folder.mkdir(parents=True)
    if seals:
        kept = SetSeal(name=terms.name, parts=seals).model_dump_json(indent=2) + "\n"
        write_file(folder.with_name(f"{folder.name}.seal.json"), kept, 0o600)
    if made:
        _publish(made, folder, terms)
    published = {part.name: _hash_of_questions(folder / part.name) for part in parts[: len(made)]}
    parts = [one.model_copy(update={"published": published.get(one.name)}) for one in frozen.parts]
    frozen = frozen.model_copy(update={"parts": parts}).hashed()
    (folder / SET).write_text(frozen.model_dump_json(indent=2) + "\n", encoding="utf-8")
    return frozen, encrypt_questions([place for place in sealed if is_worded(place)], folder, seals)


def _part(folder: Path, settings: Settings) -> SetPart:
    """Return the part for a folder of `drr shop make`, or for any shop with its web and questions."""
    check_entries(folder, deep=False)
    with open_shop(str(folder / "shop"), settings) as shop:
        shop_hash = shop.manifest.content_hash
    made = _read_made(folder) if (folder / MADE).is_file() else None
    return SetPart(
        name=folder.resolve().name,
        count=len(read_queries(folder / "queries.jsonl")),
        shop=shop_hash,
        web=open_sandbox(_web(folder)).content_hash if made is None else made["web"],
        questions=_hash_of_questions(folder),
        made=None if made is None else SeededShop(seed=made["seed"], axes=made["axes"]),
    )


def _web(*folders: Path) -> Path:
    """Return the first web folder in these folders; a part without one has the web that comes with the program."""
    return next((one / "web" for one in folders if (one / "web").is_dir()), BOX)


def _seal(part: SetPart) -> PartSeal:
    if part.made is None or part.made.seed < LEAST_SEALED:
        raise Misuse(
            f"{part.name}: its seed would be found by trying, as the set tells the hash of its shop; make it of a "
            f"random seed of {len(str(LEAST_SEALED))} digits or more"
        )
    return PartSeal(made=part.made, nonce=secrets.token_hex(32))


def _with_commitment(part: SetPart, seal: PartSeal | None, place: Path) -> SetPart:
    if seal is None:
        return part
    own = seal.made.committed(seal.nonce, part.questions if is_worded(place) else None)
    return part.model_copy(update={"made": None, "commitment": own})


def _read_made(folder: Path) -> JsonObject:
    try:
        made: JsonObject = json.loads(read_file(folder / MADE))
        whole = made["questions"] == _hash_of_questions(folder) or is_worded(folder)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Misuse(f"{folder}: is no folder of `drr shop make` ({error})") from error
    if not whole:
        raise Misuse(f"{folder}: its questions were changed since they were made; make the shop again")
    return made


def _publish(made: Sequence[Path], folder: Path, terms: SetTerms) -> None:
    """Write all open questions as one dataset, and each part's questions with its web into a folder of the part."""
    publication = Publication(terms.name, terms.date, terms.license, terms.with_truth)
    asked = {place.resolve().name: read_queries(place / "queries.jsonl") for place in made}
    write_dataset(folder, [one for part in asked.values() for one in part], publication, source=str(folder))
    for place in made:
        part = folder / place.resolve().name
        part.mkdir()
        if _web(place) != BOX and not (place / MADE).is_file():  # else it is made with the shop
            shutil.copytree(place / "web", part / "web")
        own = questions_to_publish(asked[part.name], with_truth=terms.with_truth)
        write_queries(part / "queries.jsonl", own, public=True)


def _hash_of_questions(part: Path) -> str:
    return sha256(read_file(part / "queries.jsonl")).hexdigest()


def _versions(settings: Settings) -> dict[str, str]:
    from drr.eval.checks import RULES
    from drr.eval.rewards.components import COMPONENTS

    prompts = {room: prompts_of(settings, room).hashes() for room in ("agents", "eval")}
    parts = {
        "prompts": prompts,
        "rules": {name: rule.version for name, rule in RULES.items()},
        "rewards": {one.name: one.version for one in COMPONENTS},
    }
    return {"drr": version("deepresearch-retail"), **{name: _hash(part) for name, part in parts.items()}}


def _hash(document: object) -> str:
    return sha256(canonical_bytes(document).encode()).hexdigest()


def place_of_set(named: Path) -> Path:
    """Return the folder of the set of that name that comes with the program; any other path is returned unchanged."""
    own = FILE.with_name(named.name)
    return own if not named.exists() and named.parent == Path() and own.is_dir() else named


def best_script(label: str) -> str:
    """Return what the best script known earns of the set of a label that comes with the program, else nothing. It may become known after freezing."""
    name, _, rest = label.partition("/")
    text = tomllib.loads(FILE.with_name("best_scripts.toml").read_text("utf-8")).get(name)
    is_it = text and read_set(place_of_set(Path(name))).content_hash[:16] in rest.split()
    return str(text) if is_it else ""


def read_set(folder: Path) -> FrozenSet:
    """Read the manifest of a set; raise `DrrError` if it was changed after freezing."""
    path = folder if folder.is_file() else folder / SET
    try:
        frozen = FrozenSet.model_validate_json(read_file(path))
    except OSError as error:
        if str(folder) in GIVEN_UP:
            raise Misuse(f"{folder}: was given up, last at v0.3.0; the set of today is retail-v3") from error
        raise Misuse(f"{path}: cannot be read ({error.strerror}); name the folder of a set") from error
    except ValidationError as error:
        raise Misuse(f"{path}: is no manifest of a set ({wrong_field(error)})") from error
    if frozen.hashed() != frozen:
        raise DrrError(f"{path}: was changed after it was frozen; get {frozen.name} again")
    return frozen


def reveal(
    folder: Path,
    seal: Path | None,
    settings: Settings,
    progress: Progress,
    key: str = "",
    out: Path | None = None,
) -> list[str]:
    """Make the shops of a sealed set anew from their seeds; return the differences found, or an empty list.

    The key opens the encrypted parts, with their seals; their questions are written into `out`.
    """
    frozen = read_set(folder)
    sealed = {part.name: part for part in frozen.parts if part.commitment is not None}
    kept: dict[str, PartSeal] = {}
    if seal is not None:
        try:
            kept |= SetSeal.model_validate_json(read_file(seal)).parts
        except (OSError, ValidationError) as error:
            raise Misuse(
                f"{seal}: is no seal of `drr queries freeze --sealed` ({type(error).__name__})"
            ) from error
    closed = [name for name in sealed if (folder / name / SEALED).is_file()] if key else []
    for name in closed:
        kept[name] = opened = SealedQuestions.opened(folder / name / SEALED, key)
        if out is not None:
            (out / name).mkdir(parents=True, exist_ok=True)
            (out / name / "queries.jsonl").write_text(opened.questions, encoding="utf-8")
    wrong = [f"{frozen.name} has no sealed part {name}" for name in kept if name not in sealed]
    for name, own in kept.items():
        if name in sealed:
            wrong += _differences_of_part(
                sealed[name], own, settings, progress, worded=(folder / name / SEALED).is_file()
            )
    return wrong if kept else [f"{folder}: has no part that this key opens"]


def _differences_of_part(
    part: SetPart, seal: PartSeal, settings: Settings, progress: Progress, *, worded: bool
) -> list[str]:
    if part.commitment != seal.made.committed(seal.nonce, part.questions if worded else None):
        return [f"{part.name}: the seed {seal.made.seed} is not the one that it was sealed with"]
    with tempfile.TemporaryDirectory() as place:
        made = make_shop(seal.made.seed, seal.made.axes, Path(place) / "made", settings, progress)
    found = {"shop": made["shop"], "web": made["web"], "questions": made["questions"]}
    if isinstance(seal, SealedQuestions):
        found["questions"] = sha256(seal.questions.encode()).hexdigest()
    elif worded:
        del found["questions"]
    promised = part.model_dump(include=set(found))
    return [
        f"{part.name}: the {what} made of the seed is not that of the set"
        for what in found
        if found[what] != promised[what]
    ]


def plan_of_set(
    call: StudyPlan, own: StudyPlan, shop: str | None, settings: Settings, *, is_new: bool
) -> StudyPlan:
    """Return the plan with questions, web and label of the set's part for its shop. Raise `Misuse` if the study answers another set."""
    if call.frozen is None:
        if own.set is not None and call.queries is not None:
            raise Misuse(f"{call.study}: answers the set {own.set}; other questions need another study")
        return call
    frozen = read_set(folder := place_of_set(call.frozen))
    part = _of_shop(frozen, shop, settings)
    label = frozen.label(part, settings)
    if not is_new:
        check_same_set(call.folder, own.set, call.frozen, label)
    place = (folder.parent if folder.is_file() else folder) / part.name
    own_web = with_own_web(Settings(sandbox=call.named_settings.get("sandbox")), shop).sandbox
    beside = [Path(shop).resolve().parent] if part.made and shop else []
    queries, web = call.queries or place / "queries.jsonl", (own_web or _web(place, *beside)).resolve()
    if part.published is None and call.queries is None:
        raise Misuse(f"{folder}: {part.name} is sealed; give --queries, and the shop of the revealed seed")
    if place.is_dir():
        check_entries(place, deep=False)
    if sha256(read_file(queries.resolve())).hexdigest() not in (part.published, part.questions):
        other = f"is not the file of the {part.count} questions of {frozen.name} {part.name}"
        raise DrrError(f"{queries}: {other}; --limit N stops after N answers of those, else leave --set out")
    if open_sandbox(web).content_hash != part.web:
        raise DrrError(
            f"{web}: is not the web of {frozen.name} {part.name}; leave --sandbox out, and keep web/ beside shop/"
        )
    named = {**call.named_settings, "sandbox": web}
    return call.model_copy(update={"queries": queries, "named_settings": named, "set": label})


def _of_shop(frozen: FrozenSet, place: str | None, settings: Settings) -> SetPart:
    known = ", ".join(part.name for part in frozen.parts)
    if place is None:
        raise Misuse(f"{frozen.name}: --shop says which part of it is answered: {known}")
    with open_shop(place, settings) as shop:
        own = shop.manifest.content_hash
    found = next((part for part in frozen.parts if part.shop == own), None)
    if found is None:
        raise Misuse(f"{place}: is no shop of {frozen.name}, whose parts are {known}; see docs/fresh.md")
    return found


def check_same_set(one: Path, own: str | None, other: Path, its: str | None) -> None:
    """Raise `Misuse` if two places answer different sets, or only one of them answers a set."""
    if own != its:
        raise Misuse(
            f"{one} answers {own or 'no frozen set'}, {other} is {its or 'of no frozen set'}: "
            "their figures stand in no table together"
        )
