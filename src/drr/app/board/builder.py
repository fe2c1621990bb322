"""Builds a board: verifies every bundle, makes pages of its answers, and writes everything into one folder."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple
from uuid import UUID

from drr.app.board.entries import ListedBundle, ListedSystem, StatedScore, index_row, systems_of
from drr.app.board.levels import calls_per_solved
from drr.app.board.page import SCRIPTS, BoardPages, PublishedParts
from drr.app.board.ranking import Ranking
from drr.app.bundles.builder import BundleConfig, write_bundle
from drr.app.bundles.findings import BundleFindings
from drr.app.bundles.verifier import VerifyTerms, verify
from drr.app.notices import notice
from drr.app.pages.folders import BOARD_MARK, fresh_folder
from drr.app.pages.frame import templates
from drr.app.report.contrasts import graded_metrics
from drr.app.viewer.reader import Reader
from drr.app.viewer.static import write_static
from drr.env.errors import Misuse
from drr.env.files import file_name, read_file
from drr.env.json_object import JsonObject
from drr.env.progress import Progress, Quiet
from drr.eval.metrics import metric_name, metrics
from drr.eval.stats.intervals import SHARE, mean
from drr.study.bundle.archive import LARGEST
from drr.study.bundle.parcel import unpacked
from drr.study.bundle.restore import plain_config, restore_study
from drr.study.cache import KeptValue, mark_of

_COLLECTION = "deepresearch-retail"


def system_path(system: ListedSystem) -> str:
    """Return the path of the system's file. The name is a UUID made from the bundle, so equal bundles give equal files."""
    digest = sha256(f"{system.bundle.found.root}\0{system.key}".encode()).digest()
    return f"data/{_COLLECTION}/{_model(system)}/{UUID(bytes=digest[:16], version=4)}.json"


def _model(system: ListedSystem) -> str:
    """Return `developer/model` of the model that wrote most tokens."""
    developer, *rest = re.split("[:/]", system.models[0] if system.models else "none")
    if not rest:
        return f"{_COLLECTION}/{file_name(developer)}"
    return f"{file_name(developer)}/{file_name('_'.join(rest))}"


def every_eval(system: ListedSystem) -> str:
    """Return the system's figures as JSON text in the format of Every Eval Ever."""
    text = (
        templates()
        .get_template("board/every_eval.json")
        .render(
            system=system,
            model=_model(system),
            at=int(system.ended),
            collection=_COLLECTION,
            figures=system.shown_figures,
        )
    )
    return json.dumps(json.loads(text), indent=1, sort_keys=True, allow_nan=False) + "\n"


_MOST = 1000
"""Most verdicts kept in the cache; the oldest are dropped."""


@dataclass(frozen=True, kw_only=True)
class BoardConfig:
    """Options of a board: the bundles, the terms of verification, and the folder of the pages."""

    bundles: Sequence[Path]
    """Bundle files, or folders of studies, from which bundles are made."""
    out: Path
    by: str | None = None
    """Name of the metric that ranks; by default the first lead metric with values."""
    group_by: str | None = None
    """Field of the questions by which each system's figures are grouped."""
    answers: bool = True
    """True to write a page for each answer."""
    parcels: bool = True
    """True to publish the bundles; those of a sealed round hold its truth."""
    terms: VerifyTerms = field(default_factory=VerifyTerms)
    scorecards: Mapping[str, StatedScore] = field(default_factory=dict)
    """Scorecards of the board's owner, by judge."""


class WrittenBoard(NamedTuple):
    page: Path
    bundles: Sequence[ListedBundle]
    systems: Sequence[ListedSystem]


def build_board(config: BoardConfig, progress: Progress) -> WrittenBoard:
    """Write the board's folder and return its contents; an error leaves no folder. Raises `Misuse` for a missing path or an unknown metric."""
    by = None if config.by is None else metric_name(config.by)
    if by is not None and not metrics([by]):
        raise Misuse(f"{config.by}: is no metric; `drr report --explain` lists them")
    ranking = [by] if by else graded_metrics()
    for path in config.bundles:
        if not path.exists():
            raise Misuse(f"{path}: is not there; name a bundle, or the folder of a study")
    with fresh_folder(config.out, BOARD_MARK, "drr board", SCRIPTS, public=True) as draft:
        for name in ("parcels", "answers", "s", "b"):
            (draft / name).mkdir()
        taken: dict[str, ListedBundle] = {}
        systems: list[ListedSystem] = []
        with progress.stage("bundles", total=len(config.bundles), unit="bundles") as stage:
            for path in sorted(config.bundles, key=lambda path: (path.name, path)):
                bundle = _verified(path, draft / "parcels" / "incoming", config.terms)
                first = taken.setdefault(bundle.found.root or bundle.key, bundle)
                if first is bundle:
                    systems += _taken_in(bundle, draft, ranking, config)
                else:
                    notice(f"{path}: is the bundle of {first.name} again; it is listed once")
                stage.advance()
        (draft / "parcels" / "incoming").unlink(missing_ok=True)
        bundles = list(taken.values())
        published = PublishedParts(answers=config.answers and config.parcels, parcels=config.parcels)
        cards = config.scorecards
        pages = BoardPages(bundles, systems, by=by, published=published, scorecards=cards)
        for file, page in pages.pages().items():
            (draft / file).write_text(page, encoding="utf-8")
        (draft / "index.json").write_text(_feed(pages), encoding="utf-8")
        for one in systems:
            place = draft / "every-eval-ever" / system_path(one)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(every_eval(one), encoding="utf-8")
    return WrittenBoard(config.out / "index.html", bundles, systems)


def _verified(path: Path, copy: Path, terms: VerifyTerms) -> ListedBundle:
    """Return a bundle with its verdict, from a private copy that nobody can change meanwhile."""
    if path.is_dir():
        write_bundle(BundleConfig(study=path, out=copy, shop=terms.shop, named_settings=terms.named_settings))
    else:
        shutil.copyfile(path, copy)
    digest = sha256(read_file(copy, LARGEST)).hexdigest()
    found = _kept(copy, digest, terms)
    for fault in found.failed:
        fault["what"] = fault["what"].replace(str(copy), path.name)
    return ListedBundle(key=digest[:12], name=path.name, found=found)


def _kept(copy: Path, digest: str, terms: VerifyTerms) -> BundleFindings:
    """Return the cached verdict on the same bytes under the same terms, else verify the copy. Failed verdicts are not cached."""
    kept = KeptValue("verified", digest, _MOST)
    before = mark_of(terms.rests_on)
    if (known := kept.read(before)) is not None:
        return BundleFindings.of(known)
    found = verify(copy, terms)
    if not found.failed and mark_of(terms.rests_on) == before:
        kept.write(before, found.plain())
    return found


def _taken_in(
    bundle: ListedBundle, draft: Path, ranking: Sequence[str], config: BoardConfig
) -> list[ListedSystem]:
    """Return the systems of a bundle, none for one that fails. A published bundle is stored in the draft."""
    incoming, systems = draft / "parcels" / "incoming", list[ListedSystem]()
    if not bundle.found.failed:
        with bundle.found.unless_broken("pages", ""):
            systems = list(_systems(bundle, incoming, draft, ranking, config))
    if bundle.found.failed:
        return []
    if config.parcels:
        incoming.replace(draft / "parcels" / f"{bundle.key}.bundle")
    return systems


def _systems(
    bundle: ListedBundle, file: Path, draft: Path, ranking: Sequence[str], config: BoardConfig
) -> Iterator[ListedSystem]:
    """Yield the systems of a consistent bundle, and write pages of its answers where they are published."""
    with unpacked(file) as parcel:
        bundle.found.place, folder = str(parcel.folder), parcel.folder / "study" / file_name(bundle.name)
        with restore_study(parcel, folder, plain_config(parcel)) as study:
            yield from systems_of(
                bundle, parcel, study, ranking, is_published=config.parcels, group_by=config.group_by
            )
            if config.answers and config.parcels:
                place = draft / "answers" / bundle.key
                write_static(Reader(study), place, Quiet(), "../../index.html", public=True)


def _feed(pages: BoardPages) -> str:
    """Return the board as one JSON document."""
    document = {
        "schema": 1,
        "sets": [
            {
                "set": one.label or None,
                "questions_sha256": one.questions,
                "questions": one.asked,
                "shops": list(one.shops),
                "page": pages.files[one],
                "judgings": [_ranking_row(ranking) for ranking in rankings],
            }
            for one, rankings in pages.sets.items()
        ],
        "bundles": [{"file": one.name, **one.found.document()} for one in pages.bundles],
    }
    return json.dumps(document, indent=1, sort_keys=True, allow_nan=False) + "\n"


def _ranking_row(ranking: Ranking) -> JsonObject:
    systems = [
        {**index_row(one), **_of_levels(one), "rank": ranking.ranks.get(one.key)} for one in ranking.systems
    ]
    by = None if ranking.metric is None else ranking.metric.name
    standing = ranking.standing.document()
    return {"judge": ranking.systems[0].judge, "ranked_by": by, "standing": standing, "systems": systems}


def _of_levels(one: ListedSystem) -> JsonObject:
    """Return what only a system of a set with levels has."""
    if not one.levels:
        return {}
    solved = mean(one.tight_solved, ends=SHARE).document() if one.tight_solved else None
    return {"tight": one.tight, "solved_tight": solved, "calls_per_solved": calls_per_solved(one)}
