"""Builds the tables of a paper under the paper's own numbers, in the paper's form and with printed figures.

Printed figures are marked as of another setting, and are left out of a report on answers that rules wrote or judged.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from drr.app.papers.printed import Exhibit, PrintedPaper, paper_of
from drr.app.report.material import ReportData
from drr.app.report.tables import Cell, Table, headings, metric_cells, metric_headings
from drr.env.person_setting import parts_of
from drr.eval.asking.rules import is_rules
from drr.eval.metrics import document_rows, figures, metric
from drr.eval.metrics.base import Metric
from drr.eval.metrics.coverage import rank_of
from drr.eval.stats.intervals import VRow

_ABSENT = "nothing in this study shows it"
_RULES = "What the paper prints is left out: rules wrote or judged what stands here."
_OWN = (
    "Means over the questions that every row answered, with their 95 % interval. Differences and what they are worth "
    "stand in the tables below, which have all systems."
)


def with_papers_tables(material: ReportData, found: Sequence[Table]) -> list[Table]:
    """Return the tables of a report together with the tables of the paper that was asked for."""
    if material.paper is None:
        return list(found)
    pages = _Pages(material, paper_of(material.paper), {table.name: table.title for table in found})
    return [pages.contents(), *pages.own(), *pages.beside(found)]


@dataclass(frozen=True)
class _Pages:
    material: ReportData
    paper: PrintedPaper
    titles: Mapping[str, str]

    def contents(self) -> Table:
        rows = [(one.source, [Cell(one.title), self._state(one)]) for one in self.paper.exhibit]
        notes = [_RULES] if self.material.banner else []
        title = f"{self.paper.title}: its tables and figures"
        columns = headings("shows", "here, or why not")
        return Table("paper", title, columns, rows, notes, self.material.banner, is_exhibit=True)

    def _state(self, exhibit: Exhibit) -> Cell:
        here = [self.titles[name] for name in self._present(exhibit)]
        if here and self._systems(exhibit):
            here.insert(0, self._title(exhibit))
        if here or exhibit.pages:
            return Cell("; ".join(here) or exhibit.pages)
        why = exhibit.missing or (f"it needs {exhibit.needs}" if exhibit.needs else _ABSENT)
        return Cell(f"– ({why})")

    def _present(self, exhibit: Exhibit) -> list[str]:
        if exhibit.people and not self._people():
            return []
        return [name for name in exhibit.here if name in self.titles]

    def _people(self) -> bool:
        """Return whether the study has labels by anyone other than its judges."""
        agreement = self.material.agreement
        if agreement is None:
            return False
        pairs = [
            *agreement["pairwise"]["pairs"],
            *agreement["rating"]["pairs"],
            *agreement["criteria"]["pairs"],
        ]
        return not agreement["cost"].keys() >= {judge for pair in pairs for judge in pair["judges"]}

    def own(self) -> Iterator[Table]:
        """Yield the paper's tables that show systems under some settings only, filled with the study's figures."""
        for exhibit in self.paper.exhibit:
            if (table := self._own(exhibit)) is not None:
                yield table
                yield from self._printed(exhibit)

    def _systems(self, exhibit: Exhibit) -> list[str]:
        """Return the systems that are the rows of a table of the paper. The order is by agent, then by setting with the least context first."""
        if not exhibit.metrics:
            return []
        named = {name: parts_of(name) for name in self.material.document["metrics"]}
        shown = [name for name, one in named.items() if one.setting.kind in exhibit.settings]
        return sorted(shown, key=lambda name: (named[name].agent, *rank_of(named[name].setting)))

    def _title(self, exhibit: Exhibit) -> str:
        return f"{exhibit.source} of {self.paper.title}, ours"

    def _own(self, exhibit: Exhibit) -> Table | None:
        figures = self.material.document["metrics"]
        systems = self._systems(exhibit)
        shown = [metric(name) for name in exhibit.metrics if any(name in figures[one] for one in systems)]
        if not shown:
            return None
        columns = metric_headings(shown)
        rows, notes = self._rows(systems, shown)
        about = (self._name(exhibit), self._title(exhibit))
        return Table(*about, columns, rows, notes, self.material.banner, is_exhibit=True)

    def _rows(
        self, systems: Sequence[str], shown: Sequence[Metric]
    ) -> tuple[list[tuple[str, list[Cell]]], list[str]]:
        asked = {system: self.material.asked[system] for system in systems}
        counts = ", ".join(f"{system} {len(asked[system])}" for system in systems)
        if len({frozenset(queries) for queries in asked.values()}) > 1:
            refused = [Cell("refused"), *(Cell(None) for _ in shown[1:])]
            note = f"Refused: the rows were not asked the same questions ({counts}); ask each all of them."
            return [(system, refused) for system in systems], [note]
        shared = self._shared(systems)
        counted = f"{len(shared)} of {len(asked[systems[0]])} questions were answered under every row."
        values = {system: self._values(system, shared) for system in systems}
        rows = [(system, metric_cells(values[system], shown)) for system in systems]
        return rows, [_OWN, counted]

    def _shared(self, systems: Sequence[str]) -> set[str]:
        answered = [{answer.query_id for answer in self.material.variants[one]} for one in systems]
        return set.intersection(*answered)

    def _values(self, system: str, shared: set[str]) -> Mapping[str, VRow]:
        answers = self.material.variants[system]
        kept = [answer for answer in answers if answer.query_id in shared]
        if len(kept) == len(answers):
            return self.material.document["metrics"][system]
        part = replace(self.material.judged, answers=kept)
        return document_rows(figures(part, kept))

    def beside(self, found: Sequence[Table]) -> Iterator[Table]:
        """Yield the report's tables, each followed by the printed table of the paper for the same contents."""
        waiting = [one for one in self.paper.exhibit if not (one.metrics and one.settings)]
        for table in found:
            yield table
            for exhibit in [one for one in waiting if table.name in self._present(one)]:
                waiting.remove(exhibit)
                yield from self._printed(exhibit)

    def _by_rules(self, exhibit: Exhibit) -> bool:
        """Return whether rules instead of models wrote or judged the exhibit's figures. A table of several judges counts as by rules if one judge is."""
        agreement, alignment = self.material.agreement, self.material.document.get("alignment", ())
        several = any(name.startswith("agreement-") for name in exhibit.here)
        ruled = any(is_rules(run["judge"]) for one in alignment for run in one["runs"])
        return bool(
            self.material.banner
            or (several and agreement is not None and agreement["banner"])
            or ("alignment" in exhibit.here and ruled)
        )

    def _printed(self, exhibit: Exhibit) -> Iterator[Table]:
        if not exhibit.rows or self._by_rules(exhibit):
            return
        columns = headings(*exhibit.columns)
        rows = [
            (
                ", ".join(exhibit.names(row)),
                # Without a value, so that no file takes the figure for the study's own.
                [Cell(None, missing=one or "–", printed=one or None) for one in exhibit.figures(row)],
            )
            for row in exhibit.rows
        ]
        notes = [f"Another setting, not comparable: {self.paper.setting}."]
        notes += [note.sentence() for note in exhibit.notes]
        title = f"{exhibit.source} of {self.paper.title}, as the paper prints it (another setting)"
        yield Table(f"{self._name(exhibit)}-printed", title, columns, rows, notes, is_exhibit=True)

    def _name(self, exhibit: Exhibit) -> str:
        return f"{self.paper.paper}-{re.sub('[^a-z0-9]+', '-', exhibit.source.lower())}"
