"""The needs of a worker on another machine beside settings. Whole paths, and what must be the same there as here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

from drr.app.specs import AnswerSpec

if TYPE_CHECKING:
    from drr.app.answers import Answering
    from drr.env.json_object import JsonObject
    from drr.eval.tasks.desk import Desk
    from drr.study.folders import CarriedFolder
    from drr.study.unit import Unit

_PLACES = ("shop", "place", "contexts")
_GIVEN_MORE = "max_tokens"
"""Of a key that stands for what failed units were first given, and that more is given now."""


class Probe(TypedDict):
    """One unit of a variant with all that decides its answer: a worker must come to the same."""

    spec: AnswerSpec
    fields: JsonObject


def whole_path(place: str | None) -> str | None:
    """Make a path findable from any folder; what is no path, such as `servers:NAME`, stays."""
    return str(Path(place).absolute()) if place is not None and Path(place).exists() else place


def placed_plan(plan: Mapping[str, Any]) -> JsonObject:
    """Return a study's request as a worker in any folder finds it."""
    return {**plan, **{name: whole_path(plan[name]) for name in _PLACES if name in plan}}


def probes_of(units: Iterable[Unit]) -> list[Probe]:
    """One of each system."""
    first = {str(unit.spec["variant"]): unit for unit in reversed(list(units))}
    return [Probe(spec=unit.spec, fields=dict(unit.key_fields)) for unit in first.values()]  # type: ignore[typeddict-item]


def check_probes(answering: Answering, probes: Iterable[Probe]) -> None:
    """`DrrError` where this process would answer otherwise than its driver asked: it says in what."""
    for probe in probes:
        (unit,) = answering.units_of([probe["spec"]])
        check_same(unit.key_fields, probe["fields"])


def check_same(here: Mapping[str, Any], there: Mapping[str, Any]) -> None:
    from drr.env.errors import DrrError
    from drr.study.unit import canonical_json

    names = (here.keys() | there.keys()) - {_GIVEN_MORE}
    other = [n for n in sorted(names) if canonical_json(here.get(n)) != canonical_json(there.get(n))]
    if other:
        raise DrrError(f"what decides the results is not what the driver has: another {', '.join(other)}")


def desk_facts(desk: Desk) -> JsonObject:
    """List what must be the same wherever a study is judged."""
    return {
        "judge": desk.judge.shown,
        "extractor": desk.extractor.shown,
        "prompts": desk.prompts.hashes(),
        "shop": None if desk.shop is None else desk.shop.manifest.content_hash,
        "shop_url": desk.shop_url,
    }


def carried_shops(*places: str | None, always: bool = False) -> tuple[CarriedFolder, ...]:
    """Choose the places that are shops in folders of ours. An older shop without hashes of its files is not carried."""
    return tuple(
        found for place in dict.fromkeys(places) if place is not None and (found := _carried(place, always))
    )


def _carried(place: str, always: bool) -> CarriedFolder | None:
    from hashlib import sha256

    from drr.env.embedded.layout import MANIFEST, read_manifest_file
    from drr.study.folders import CarriedFolder

    folder = Path(place)
    if not (folder / MANIFEST).is_file():
        return None
    _, data, files = read_manifest_file(folder)
    if not files:
        return None
    mark = sha256((folder / MANIFEST).read_bytes()).hexdigest()
    names = {f"{data.name}/{name}": digest for name, digest in files.items()}
    return CarriedFolder(str(folder), MANIFEST, mark, names, always)
