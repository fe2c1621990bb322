"""Builds the pages behind a report's numbers: one per system, per pair of systems and for the judges."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from drr.app.report.failing import FOLDER
from drr.app.report.judging_tables import ended_as, system_of
from drr.app.report.material import LONGEST_NAME, ReportData, answer_name, question_of
from drr.app.report.tables import AnswerRow, AnswerSection, Heading, Table, headings
from drr.env.files import file_name
from drr.eval.metrics import metrics
from drr.eval.metrics.base import Metric
from drr.eval.metrics.diagnosis import LABELS, diagnose, read_corrections
from drr.eval.stats.question import AskedQuestion
from drr.wording.excerpt import excerpt

JUDGES = f"{FOLDER}/~judges.html"
"""Page of the judges; the tilde keeps the name apart from every system's file."""
_NONE = "–"
_PRESENT = {True: "yes", False: "no", None: _NONE}


def page_paths(material: ReportData, tables: Sequence[Table]) -> dict[tuple[str, ...], str]:
    """Return the answer pages by their systems: one page per system and one per pair whose difference a table
    shows. The page of the judges has the empty tuple as its key."""
    found: dict[tuple[str, ...], str] = {
        (system,): f"{FOLDER}/{file_name(system)}.html" for system in material.variants
    }
    for table in tables:
        for systems in map(tuple, table.behind.values()):
            if len(systems) > 1 and set(systems) <= material.variants.keys():
                found.setdefault(systems, f"{FOLDER}/{'-minus-'.join(map(file_name, systems))}.html")
    if any(table.judges or () in table.behind.values() for table in tables):
        found[()] = JUDGES
    return found


def sections_behind(
    material: ReportData, systems: tuple[str, ...], tables: Sequence[Table]
) -> Iterator[AnswerSection]:
    """Yield the sections of one system's page, of a pair's (first minus second), or, without systems, of the judges' page."""
    if len(systems) == 1:
        yield from _OfSystem(material, systems[0]).sections(tables)
    elif systems:
        yield from _of_pair(material, (systems[0], systems[1]), tables)
    else:
        for table in tables:
            if table.sections is not None:
                yield from table.sections(material, table)


def metrics_of(material: ReportData, table: Table) -> list[Metric]:
    """Return the metrics of the table's columns, those for which each answer has a value."""
    known = metrics({name for row in material.document["metrics"].values() for name in row})
    return [known[column.key] for column in table.columns if column.key in known and not table.foreign]


def _shown(value: float | None, metric: Metric) -> str:
    return _NONE if value is None else metric.shown(value, alone=True)


class _OfSystem:
    """The sections of one system's page, with a row for each trial of each question that the system answered."""

    def __init__(self, material: ReportData, system: str) -> None:
        self._material, self._system = material, system
        self._answers = sorted(material.variants[system], key=lambda answer: (answer.query_id, answer.trial))

    def sections(self, tables: Sequence[Table]) -> Iterator[AnswerSection]:
        for table in tables:
            if table.each is not None:
                columns = table.each_columns or table.columns
                yield self._section(table.name, table.title, columns, map(table.each, self._answers))
            elif shown := metrics_of(self._material, table):
                values = [[_shown(self._material.value(a, m.name), m) for m in shown] for a in self._answers]
                yield self._section(table.name, table.title, [Heading.of(m) for m in shown], values)
            elif table.foreign or any(self._system in own for own in table.behind.values() if len(own) == 1):
                yield self._section(table.name, table.title, (), [()] * len(self._answers))
        yield from self._rules()
        yield from self._failure_labels()
        yield self._endings()
        queries = {answer.query_id: question_of(answer) for answer in self._answers}
        yield from _compared_pairs(
            (f"{queries.get(query, query)}, trial {trial}, against {other}", found)
            for (query, other, trial), found in _outcomes(self._material, self._system).items()
        )

    def _section(
        self, name: str, title: str, columns: Sequence[Heading], values: Iterable[Sequence[str]]
    ) -> AnswerSection:
        rows = [
            AnswerRow(answer_name(answer), own, self._material.links.report(answer.key))
            for answer, own in zip(self._answers, values, strict=True)
        ]
        return AnswerSection(name, title, columns, rows)

    def _rules(self) -> Iterator[AnswerSection]:
        found = [self._material.judged.rules.get(answer.key, {}) for answer in self._answers]
        rules = list(dict.fromkeys(name for own in found for name in own))
        if rules:
            values = [[str(own[name]["status"]) if name in own else _NONE for name in rules] for own in found]
            yield self._section("rules", "Rule checks", _spelled(rules), values)

    def _failure_labels(self) -> Iterator[AnswerSection]:
        if "failures" not in self._material.document:
            return
        corrections = read_corrections(self._material.study)
        found = [diagnose(self._material.judged, answer, corrections) for answer in self._answers]
        values = [[_PRESENT[own[label]["present"]] for label in LABELS] for own in found]
        yield self._section("failure-labels", "Failure labels", _spelled(LABELS), values)

    def _endings(self) -> AnswerSection:
        """Return the section on how each answer of the system ended, failed answers included."""
        study = self._material.study
        rows = [
            AnswerRow(
                f"{excerpt(str(record.spec.get('query', record.label)), LONGEST_NAME)}, trial {record.spec.get('trial', 0)}",
                (ended_as(study, record),),
                self._material.links.report(record.key),
            )
            for record in study.records("answer", None)
            if system_of(record) == self._system
        ]
        return AnswerSection("failures", "Answers and failures", headings("ended"), sorted(rows))


def _spelled(names: Iterable[str]) -> list[Heading]:
    return headings(*(name.replace("_", " ") for name in names))


def _outcomes(material: ReportData, system: str) -> dict[tuple[str, str, int], dict[str, str]]:
    """Return the outcome of each dimension by question, other system and trial; `won` means that this system won."""
    found: dict[tuple[str, str, int], dict[str, str]] = {}
    for one in material.comparisons:
        if system in (one.a, one.b):
            other = one.b if one.a == system else one.a
            winner = {"a": one.a, "b": one.b}.get(one.outcome, one.outcome)
            ended = "won" if winner == system else "lost" if winner == other else winner
            found.setdefault((one.query, other, one.trial), {})[one.dimension] = ended
    return found


def _compared_pairs(rows: Iterable[tuple[str, Mapping[str, str]]]) -> Iterator[AnswerSection]:
    found = list(rows)
    dimensions = list(dict.fromkeys(name for _, own in found for name in own))
    if found:
        shown = [AnswerRow(name, [own.get(one, _NONE) for one in dimensions]) for name, own in found]
        yield AnswerSection("pairwise", "Pairwise comparison", _spelled(dimensions), shown)


def _of_pair(material: ReportData, pair: tuple[str, str], tables: Sequence[Table]) -> Iterator[AnswerSection]:
    """Yield the sections of the page of two systems, with a row for each question that both systems answered."""
    first, second = ({a.asked: a for a in reversed(material.variants.get(system, []))} for system in pair)
    shared = sorted(asked for asked in first if asked in second)
    for table in tables:
        shown = metrics_of(material, table)
        if shown and pair in map(tuple, table.behind.values()):
            rows = [
                AnswerRow(
                    question_of(first[asked]),
                    [_minus(material, pair, asked, metric) for metric in shown],
                    material.links.beside(first[asked], second[asked]),
                )
                for asked in shared
            ]
            yield AnswerSection(table.name, table.title, [Heading.of(metric) for metric in shown], rows)
    queries = {answer.query_id: question_of(answer) for answer in first.values()}
    yield from _compared_pairs(
        (f"{queries.get(query, query)}, trial {trial}", found)
        for (query, other, trial), found in _outcomes(material, pair[0]).items()
        if other == pair[1]
    )


def _minus(material: ReportData, pair: tuple[str, str], asked: AskedQuestion, metric: Metric) -> str:
    """Return two systems' values on a question and their difference as text. Trials count by their mean, as in the tables."""
    values = material.per_report(metric.name)
    means = []
    for system in pair:
        known = [value for value in values[system].get(asked, ()) if value is not None]
        means.append(sum(known) / len(known) if known else None)
    both = " − ".join(_shown(value, metric) for value in means)
    if means[0] is None or means[1] is None:
        return f"– ({both})"
    return f"{means[0] - means[1]:+z,.{metric.digits}f} ({both})"
