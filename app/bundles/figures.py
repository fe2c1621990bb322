"""Every figure of a bundle, as `drr report` sums the study that is made again from it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import cast

from drr.app.reporting import ReportConfig, figures_of
from drr.env.json_object import JsonObject
from drr.eval.judging.read import has_figures, judgings
from drr.study.study import Study
from drr.study.unit import canonical_json


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
