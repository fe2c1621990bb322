"""Making a bundle of a study: everything that stands behind its figures, in one file."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import distributions
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from drr.app.bundles.complete import NOT_BEGUN, not_begun
from drr.app.bundles.figures import differing, every_figure, opened
from drr.app.giving import PERSONS
from drr.app.judging import shop_of, study_settings
from drr.app.models import models_of, prompts_of
from drr.app.notices import notice
from drr.app.studies import code_id, made_by
from drr.env.errors import Misuse
from drr.env.json_object import JsonObject
from drr.env.settings import Settings
from drr.env.shop import Shop
from drr.eval.asking.conversation import box_prompts
from drr.eval.evidence.answers import read_answers
from drr.eval.tasks.desk import profile_text, text_id
from drr.llm.budget import Prices, load_prices
from drr.study.bundle.archive import pack
from drr.study.bundle.making import Contents, lay_out
from drr.study.bundle.parcel import BundleManifest, Parcel, PromptLine
from drr.study.bundle.seal import sign
from drr.study.status import uncounted
from drr.study.study import Study

_NO_BUNDLE = {"stress": "its answers saw a changed shop", "canaries": "its answers are a trial of judges"}
"""Fields by which studies of other kinds are known."""


@dataclass(frozen=True, kw_only=True)
class BundleConfig:
    """Choices for a bundle, and its place."""

    study: Path
    out: Path
    redact: bool = False
    with_pages: bool = False
    shop: str | None = None
    """The shop that the study was run on; by default the one that it names."""
    sign: Path | None = None
    """The key that signs it."""
    given: Mapping[str, object] = field(default_factory=dict)
    """Settings, by name."""
    trusted: Sequence[str] = ()


class Bundle(NamedTuple):
    """A bundle that was made."""

    root: str
    size: int
    manifest: BundleManifest
    uncounted: int
    """Answers whose cost nobody knows, as no model of ours was asked for them."""
    aside: int
    """Answers of earlier configurations, which count in no figure."""


def make(config: BundleConfig) -> Bundle:
    """Write the bundle of a study, whole or not at all."""
    with Study.read(config.study) as study, TemporaryDirectory(prefix="drr-bundle-") as place:
        for name, what in _NO_BUNDLE.items():
            if name in study.config.get("run", {}):
                raise Misuse(f"{config.study}: {what}; name a study that agents answered")
        study.look_for_losses()
        if study.losses:
            labels = ", ".join(sorted(loss.label for loss in study.losses.values())[:3])
            raise Misuse(f"{config.study}: {labels} lack texts; restore them, or compute the answers again")
        settings = study_settings(study, config.given, config.trusted)
        shop = shop_of(study, config.shop)
        if shop is None and study.config.get("run", {}).get("shop"):
            notice("the shop is not here: what rests on shoppers' profiles can be verified only with it")
        imported = sum(record.made_elsewhere for record in study.records("answer", None, current=False))
        if config.redact and imported:
            notice(f"{imported:,} imported answers keep all their texts; read them through")
        if config.redact and (config.study / PERSONS).is_file():
            notice("conversations and judgements keep what was told of persons; read them through")
        machine = {"system": platform.platform(), "python": sys.version, "cores": os.cpu_count()}
        contents = Contents(
            made_by=made_by(),
            code=code_id(),
            redact=config.redact,
            persons=PERSONS,
            with_pages=config.with_pages,
            facts={NOT_BEGUN: str(left)} if (left := not_begun(study)) > 0 else {},
            keys=models_of(settings).redact,
            prices=_prices(study, load_prices(settings.price_file)),
            beside={
                "prompts.jsonl": _reworded(settings),
                "packages.json": [{"bill": _packages(), "machine": machine}],
                "shoppers.jsonl": [] if config.redact or shop is None else _profiles(study, shop),
            },
            figures=lambda parcel: _figures(study, parcel),
        )
        parcel = Parcel(Path(place))
        manifest = lay_out(study, parcel.folder, contents)
        if config.sign is not None:
            sign(parcel, config.sign, "maker", {"made_by": manifest["made_by"]})
        return Bundle(
            parcel.root,
            pack(parcel.folder, config.out),
            manifest,
            uncounted(study.records("answer", None, current=False)),
            len(study.ledger.units.aside()),
        )


def _figures(study: Study, parcel: Parcel) -> JsonObject:
    """Sum what lies in the bundle. Where it sums to anything else than the study does, a person is told."""
    with opened(parcel) as again:
        found = every_figure(again)
    if others := list(differing(every_figure(study), found)):
        notice(f"{len(others):,} figures of the bundle are not those of the study, the first is {others[0]}")
    return found


def _packages() -> JsonObject:
    """List what is installed here, and so runs beside this program."""
    name, _, version = made_by().rpartition(" ")
    found = sorted({(one.name, one.version) for one in distributions()})
    components = [{"name": package, "version": number} for package, number in found]
    return {"metadata": {"component": {"name": name, "version": version}}, "components": components}


def _reworded(settings: Settings) -> Iterator[PromptLine]:
    """Yield the prompts of judges that are not this program's. Those of agents stand in their conversations."""
    judges, own = prompts_of(settings, "eval"), box_prompts()
    for name in judges.names:
        if name not in own.names or judges[name].sha256 != own[name].sha256:
            text = judges[name].written
            yield {"of": "judges", "name": name, "sha256": text_id(text), "text": text}


def _prices(study: Study, prices: Prices) -> JsonObject:
    """The prices of today of the models that were asked."""
    records = study.records(None, None, current=False)
    names = sorted({row["model"] for record in records for row in record.usage.values()})
    known = {name: price for name in names if (price := prices.of(name)) is not None}
    return {name: price.model_dump(mode="json", exclude_none=True) for name, price in known.items()}


def _profiles(study: Study, shop: Shop) -> list[dict[str, str]]:
    """Collect what judges were told of each shopper."""
    users = {answer.user_id for answer in read_answers(study) if answer.user_id is not None}
    return [{"user": user, "profile": profile_text(shop, user)} for user in sorted(users)]
