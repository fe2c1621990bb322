"""Draws the pages of a board: one per question set, one per system, and one for all bundles."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from drr.app.board.cost_figure import cost_figure
from drr.app.board.entries import (
    ListedBundle,
    ListedSystem,
    SetVersion,
    StatedScore,
    with_sealed_halves,
    with_tight_runs,
)
from drr.app.board.levels import level_table
from drr.app.board.ranking import CONTAINED, Ranking
from drr.app.bundles.findings import one_line_result, result_word
from drr.app.pages.frame import Frame, FramePlace, banner_of
from drr.app.report.by_field import by_field_table
from drr.app.report.grids import grid, section
from drr.app.report.standing import OF_A_BOARD
from drr.app.report.tables import RowHead
from drr.study.config import set_given_up
from drr.wording.excerpt import excerpt
from markupsafe import Markup

SCRIPTS = ("table.js", "board.js")
_NO_CARD = StatedScore(
    judge="", measured="accuracy not stated here (this board names no scorecard of it)", weak=None
)
_MODELS = 60
"""Most characters of the models' names in a row."""
_WARNING = 300
"""Most characters of a warning that came with a bundle."""
_MOST = 20
"""Most findings of one kind that a page shows."""
_TONES = {"consistent": "full", "consistent in part": "partial", "failed": "none"}
"""CSS classes of the verifier's verdicts."""


_FACETS: Mapping[str, Callable[[ListedSystem], Sequence[str]]] = {
    "model": lambda one: one.models,
    "architecture": lambda one: [one.architecture],
    "bundle": lambda one: [one.bundle.found.tier],
    "contained": lambda one: [CONTAINED[one.contained]],
    "reproduced": lambda one: [_reproduced(one)],
}
"""Filters for systems: name and function that returns a system's values."""


def _reproduced(one: ListedSystem) -> str:
    if not one.reproduced:
        return "not run again"
    words = {*map(result_word, one.reproduced)}
    return next(word for word in ("not reproduced", "reproduced", "no worse shown") if word in words)


def _head(one: ListedSystem, facets: Mapping[str, Sequence[str]]) -> RowHead:
    """Return the head of a system's row, with its filter values as indexes into the lists of choices."""
    places = {
        name: " ".join(str(values.index(value)) for value in _FACETS[name](one))
        for name, values in facets.items()
    }
    models = excerpt(", ".join(one.models), _MODELS)
    link = Markup('<a href="s/{}.html" title="{}">{}</a><br><small>{}</small>')
    return RowHead(
        link.format(one.key, one.bundle.name, one.variant, models),
        Markup("").join(Markup(' data-{}="{}"').format(*item) for item in places.items()),
    )


class PublishedParts(NamedTuple):
    """The parts of bundles that a board publishes beside the figures."""

    answers: bool = True
    parcels: bool = True


EVERYTHING = PublishedParts()


class BoardPages:
    """All pages of a board; each question set has a page of its own."""

    def __init__(
        self,
        bundles: Sequence[ListedBundle],
        systems: Sequence[ListedSystem],
        *,
        by: str | None = None,
        published: PublishedParts = EVERYTHING,
        scorecards: Mapping[str, StatedScore] = MappingProxyType({}),
    ) -> None:
        self.bundles = bundles
        self._scorecards = defaultdict(lambda: _NO_CARD, scorecards)
        self._published = published
        self.sets: dict[SetVersion, list[Ranking]] = {}
        alike: dict[tuple[bool, SetVersion, str], list[ListedSystem]] = {}
        for one in with_tight_runs(with_sealed_halves(systems)):
            judge = one.judge
            key = "" if judge is None else f"{judge['name']}\0{judge['id']}\0{judge['protocol']}"
            alike.setdefault((one.tight, one.set, key), []).append(one)
        for (_, answered, _), own in sorted(
            alike.items(), key=lambda item: (item[0][0], -len(item[1]), item[0])
        ):
            self.sets.setdefault(answered, []).append(Ranking.of(own, by))
        first = next(iter(self.sets), None)
        self.files = {one: "index.html" if one == first else f"set-{one.key}.html" for one in self.sets}
        places = [FramePlace(one.key, file, one.title) for one, file in self.files.items()]
        self._all = "bundles.html" if places else "index.html"
        places.append(FramePlace("bundles", self._all, f"All bundles ({len(bundles)})"))
        self._frame = Frame("Board", False, places, scripts=SCRIPTS)

    def pages(self) -> dict[str, str]:
        """Return the HTML of every page, by file name."""
        found = {file: self._set_page(one) for one, file in self.files.items()}
        placed = [(one, of) for rankings in self.sets.values() for of in rankings for one in of.systems]
        rows = [(bundle, [one for one, _ in placed if one.bundle is bundle]) for bundle in self.bundles]
        found[self._all] = self._draw("bundles.html", "bundles", rows=rows)
        found |= {f"s/{one.key}.html": self._system_page(one, of) for one, of in placed}
        failed = [one for one in self.bundles if one.found.failed]
        return found | {f"b/{one.key}.html": self._bundle_page(one) for one in failed}

    def _draw(
        self, template: str, place: str, root: str = "", banner: str | None = None, **more: object
    ) -> str:
        own = {"tone": _TONES, "most": _MOST, "published": self._published, "cards": self._scorecards}
        return self._frame.draw(f"board/{template}", root, banner=banner, place=place, **own, **more)

    def _set_page(self, answered: SetVersion) -> str:
        rankings = self.sets[answered]
        systems = [one for ranking in rankings for one in ranking.systems]
        facets = {
            name: sorted({value for one in systems for value in of(one)}) for name, of in _FACETS.items()
        }
        parts = []
        for ranking in rankings:
            heads = {one.key: _head(one, facets) for one in ranking.systems}
            table = ranking.table(heads)
            drawn = (grid(one, {}, "board") for one in (ranking.leading(table), table))
            parts.append((ranking, *drawn, cost_figure(ranking, heads)))
        return self._draw(
            "set.html",
            answered.key,
            banner=self._banner(systems),
            answered=answered,
            parts=parts,
            facets=[(name, values) for name, values in facets.items() if len(values) > 1],
            failed=sum(bool(one.found.failed) for one in self.bundles),
        )

    def _system_page(self, one: ListedSystem, ranking: Ranking) -> str:
        return self._draw(
            "system.html",
            one.set.key,
            "../",
            banner=self._banner([one]),
            system=one,
            bundle=one.bundle,
            faults=faults_of(one.bundle),
            ranking=ranking,
            differ=OF_A_BOARD,
            board=self.files[one.set],
            contained=CONTAINED[one.contained],
            badge=one_line_result,
            figures=sorted(one.shown_figures, key=ranking.order_of),
            groups=None if one.groups is None else section(by_field_table(one.groups), {}),
            levels=section(level_table(one), {}) if one.levels else None,
        )

    def _banner(self, systems: Sequence[ListedSystem]) -> str | None:
        """Return the warning above systems. The scorecards of the board's owner come before those of bundles."""
        judged = [(self._scorecards[one.judge["name"]].weak, one.weak) for one in systems if one.judge]
        called = [own or (weak and excerpt(weak, _WARNING)) for own, weak in judged]
        weak = " ".join(dict.fromkeys(filter(None, called))) or None
        by_rules = banner_of([one.written_by_rules for one in systems], False, weak)
        gone = dict.fromkeys(set_given_up(one.set.label) for one in systems)
        return " ".join(filter(None, [by_rules, *gone])) or None

    def _bundle_page(self, bundle: ListedBundle) -> str:
        faults = faults_of(bundle)
        return self._draw("system.html", "bundles", "../", system=None, bundle=bundle, faults=faults)


def faults_of(bundle: ListedBundle) -> list[tuple[str, list[tuple[str, int]]]]:
    """Return the verifier's findings by kind, each sentence with its count."""
    found = bundle.found
    shown = [
        (kind, Counter(f"{one['check']}: {one['what']}" for one in some))
        for kind, some in found.kinds.items()
    ]
    shown.append(("cannot be excluded", Counter(found.not_excluded)))
    return [(kind, sorted(some.items())) for kind, some in shown if some]
