"""Every figure of a bundle, as `drr report` sums the study that is made again from it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import cast

from drr.app.reporting import ReportConfig, figures_of
from drr.env.json_object import JsonObject
from drr.eval.judging.read import has_figures, judgings
from drr.study.bundle.parcel import Parcel
from drr.study.bundle.rebuilding import BundleTexts, rebuilt
from drr.study.config import StudyConfig
from drr.study.study import Study
from drr.study.unit import canonical_json


@contextmanager
def opened(parcel: Parcel, folder: Path | None = None, config: StudyConfig | None = None) -> Iterator[Study]:
    """The study of an unpacked bundle, made again. Folder and configuration are its own if no others are given."""
    with (
        rebuilt(parcel, folder or parcel.folder / "study", config) as study,
        closing(cast(BundleTexts, study.blobs)),
    ):
        yield study


def plain_config(parcel: Parcel) -> StudyConfig:
    """A configuration without the addresses and places that a bundle names."""
    settings = parcel.study()["config"].get("settings", {})
    return {"schema": 1, "run": {}, "settings": {"shop_url": settings.get("shop_url")}}


def every_figure(study: Study) -> JsonObject:
    """The document of each judge that judged, by name; of none by an empty one."""
    judges = sorted({one.judge for one in judgings(study) if has_figures(study, one.judge)})
    documents = {judge: figures_of(study, ReportConfig(judge=judge or None))[1] for judge in judges or [""]}
    return cast(JsonObject, json.loads(canonical_json({"schema": 1, "documents": documents})))


def differing(stated: object, found: object, place: str = "") -> Iterator[str]:
    """Name the figures that are not what is said of them, with both."""
    if isinstance(stated, Mapping) and isinstance(found, Mapping):
        for name in sorted(stated.keys() | found.keys()):
            yield from differing(stated.get(name), found.get(name), f"{place}.{name}" if place else str(name))
    elif isinstance(stated, list) and isinstance(found, list) and len(stated) == len(found):
        for number, (one, other) in enumerate(zip(stated, found, strict=True)):
            yield from differing(one, other, f"{place}[{number}]")
    elif canonical_json(stated) != canonical_json(found):
        yield f"{place}: the bundle says {_short(stated)}, its contents give {_short(found)}"


def _short(value: object) -> str:
    text = canonical_json(value)
    return text if len(text) <= 60 else f"{text[:60]}…"
