"""The tables of settings: what knowing the person gains each agent, row by row and as paired differences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from drr.app.report.material import Material
from drr.app.report.tables import Cell, Heading, Table
from drr.eval.metrics import metrics
from drr.eval.metrics.base import Metric
from drr.eval.metrics.setting_rows import AgentSettings, SettingDifference
from drr.eval.metrics.settings_document import FURTHER, GRADES
from drr.persons.setting import parts_of

SIGNIFICANT = 0.05
NOTE = (
    "A minus row: the paired difference on the questions that both answered, with its 95 % interval, as `drr compare` has it; bold where it is "
    "beyond the noise (sign-flip test, Holm over every difference of the study's settings, p < 0.05). Criteria are those of the task and the "
    "person, the same under every setting."
)
SAME = Heading("same reports", "same_reports", "Reports of both settings that are equal byte for byte.")
TOLD = Heading("tokens told", "tokens_told", "Tokens of what was told of the person with the question.")


def setting_tables(material: Material) -> Iterator[Table]:
    """Where systems answered under settings, and were scored by criteria."""
    titles = {
        "settings": ("What knowing the person gains (PDR-Bench's Tables 2 and 8)", GRADES),
        "settings-dimensions": ("What knowing the person gains: dimensions of Q and R", FURTHER),
    }
    known, figures = metrics(), material.document["metrics"]
    if "settings" not in material.document or not any("pqr_p" in row for row in figures.values()):
        return
    for key, (title, names) in titles.items():
        shown = [known[name] for name in names if any(name in row for row in figures.values())]
        if shown:
            yield _table(material, key, title, shown)


def _table(material: Material, key: str, title: str, shown: Sequence[Metric]) -> Table:
    rows: list[tuple[str, Sequence[Cell]]] = []
    for own in material.document["settings"]["agents"].values():
        rows += [(system, _figures(material, own, system, shown)) for system in own["systems"]]
        rows += [(_name(one), _differences(one, shown)) for one in own["differences"]]
    columns = [*(Heading(metric.label, metric.name, metric.explanation) for metric in shown), TOLD, SAME]
    return Table(key, title, columns, rows, notes_of(material), material.banner)


def notes_of(material: Material) -> list[str]:
    settings = material.document["settings"]
    mixed = [agent for agent, own in settings["agents"].items() if not own["same_questions"]]
    notes = [NOTE, *settings["told"]]
    if mixed:
        notes.append(
            f"{', '.join(mixed)}: not every setting answered the same questions, so that rows are means of different ones; compare by the minus rows."
        )
    return notes


def _figures(material: Material, own: AgentSettings, system: str, shown: Sequence[Metric]) -> list[Cell]:
    row = material.document["metrics"][system]
    told = Cell.of(own["tokens_told"].get(system), 0)
    return [*(Cell.of(row.get(metric.name), metric.digits) for metric in shown), told, Cell(None)]


def _name(one: SettingDifference) -> str:
    """`react: persona minus task`."""
    a, b = parts_of(one["a"]), parts_of(one["b"])
    return f"{a.agent}: {a.setting.name} minus {b.setting.name}"


def _differences(one: SettingDifference, shown: Sequence[Metric]) -> list[Cell]:
    cells = [difference_cell(one, metric) for metric in shown]
    return [*cells, Cell(None), Cell(f"{one['same_reports']} of {one['reports']}")]


def difference_cell(one: SettingDifference, metric: Metric) -> Cell:
    tested = one["metrics"].get(metric.name)
    p = None if tested is None else tested["p_holm"]
    return Cell.of(tested, metric.digits, signed=True, bold=p is not None and p < SIGNIFICANT)
