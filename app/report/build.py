"""From a judged study to its tables: the paper's, and those the paper lacks."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from drr.app.report.paper import NOTE, printed
from drr.app.report.tables import Cell, Table
from drr.eval.evidence.answers import Answer
from drr.eval.labels import DIMENSIONS
from drr.eval.metrics import families
from drr.eval.metrics.document import variants_of
from drr.eval.stats.intervals import V, mean, paired, spread, with_holm
from drr.eval.tasks.judged import Judged

if TYPE_CHECKING:
    from drr.study.study import Study

FAITHFULNESS = (
    "fp",
    "fp_web",
    "fp_product",
    "fp_user",
    "fr",
    "n_cited",
    "n_cited_web",
    "n_cited_product",
    "n_cited_user",
)
BOUNDS = ("fp", "fp_micro", "fp_strict", "fp_reachable", "fp_seen", "fr_supported")
EFFORT = ("input_tokens", "output_tokens", "words", "tool_calls")
SIGNIFICANT = 0.05
BESIDE = ("page reads", "control calls", "unknown tools")
"""What stands in Figure 4 beside the nine tools."""
_LABELS = {
    "fp": "FP",
    "fp_web": "FP web",
    "fp_product": "FP product",
    "fp_user": "FP user",
    "fp_micro": "FP pooled",
    "fp_strict": "FP strict",
    "fp_reachable": "FP reachable",
    "fp_seen": "FP seen",
    "fr": "FR",
    "fr_supported": "FR supported",
    "n_cited": "N cited",
    "n_cited_web": "N web",
    "n_cited_product": "N product",
    "n_cited_user": "N user",
    "input_tokens": "input tokens",
    "output_tokens": "output tokens",
    "tool_calls": "tool calls",
}
BOLD_NOTE = (
    "Bold: better than the next by more than the noise (paired sign-flip test over queries, Holm over the table, p < 0.05); "
    "never by rank alone. In brackets the 95 % interval by bootstrap over queries."
)
Values = Mapping[str, Sequence[float | None]]


@dataclass(frozen=True)
class Material:
    """What all tables are drawn from."""

    study: Study
    judged: Judged
    document: Mapping[str, Any]
    with_paper: bool = False
    agreement: Mapping[str, Any] | None = None
    """Judges against judges and people; `None` where there are not two of them."""

    @property
    def banner(self) -> str | None:
        return self.document.get("banner")

    def per_report(self, metric: str) -> dict[str, dict[str, list[float | None]]]:
        """Variant to query to the trials' values."""
        found: dict[str, dict[str, list[float | None]]] = {}
        for variant, answers in variants_of(self.judged).items():
            for answer in answers:
                value = self._values(answer).get(metric)
                found.setdefault(variant, {}).setdefault(answer.query_id, []).append(value)
        return found

    def _values(self, answer: Answer) -> Mapping[str, float | None]:
        cache: dict[str, Mapping[str, float | None]] = self.__dict__.setdefault("_cache", {})
        if answer.key not in cache:
            merged: dict[str, float | None] = {}
            for family in families():
                merged.update(family.per_report(self.judged, answer))
            cache[answer.key] = merged
        return cache[answer.key]


def label(metric: str) -> str:
    return _LABELS.get(metric, metric.replace("_", " "))


def _agreement_pairs(material: Material) -> Table | None:
    """Pairwise verdicts of every two judges, people and models alike (Appendices D and E)."""
    pairs = (material.agreement or {}).get("pairwise", {}).get("pairs", [])
    names = ("exact", "kappa_no_ties", "kappa_with_ties", "ac1", "soft_disagreement")
    rows = [
        (
            f"{dimension.replace('_', ' ')}: {' and '.join(pair['judges'])}",
            [Cell.of(row.get(name)) for name in names],
        )
        for pair in pairs
        for dimension, row in pair["dimensions"].items()
    ]
    if not rows:
        return None
    columns = ["equal", "kappa, no ties", "kappa, ties kept", "AC1", "soft disagreements"]
    return Table(
        "agreement-pairwise",
        "Agreement on pairs (Appendices D, E)",
        columns,
        rows,
        [],
        material.banner,
        names,
    )


def _agreement_ratings(material: Material) -> Table | None:
    pairs = (material.agreement or {}).get("rating", {}).get("pairs", [])
    names = ("spearman", "pearson", "mard", "bias")
    rows = [
        (
            f"{dimension.replace('_', ' ')}: {' and '.join(pair['judges'])}",
            [Cell.of(row.get(name)) for name in names],
        )
        for pair in pairs
        for dimension, row in pair["dimensions"].items()
    ]
    if not rows:
        return None
    columns = ["Spearman", "Pearson", "MARD", "bias"]
    return Table(
        "agreement-ratings", "Agreement on grades (Appendix E)", columns, rows, [], material.banner, names
    )


def _as_printed(material: Material) -> Table | None:
    """The paper's own definitions and protocol, where `drr judge --profile paper` was run. Never mixed with ours."""
    document = material.document.get("as_printed")
    if not document:
        return None
    names = [n for n in (*FAITHFULNESS, *DIMENSIONS) if any(n in row for row in document["metrics"].values())]
    rows = [
        (variant, [Cell.of(values.get(n)) for n in names]) for variant, values in document["metrics"].items()
    ]
    notes = [f"{document['note']}."]
    notes += [
        f"{variant}, FP: {v['fp']['reason']}."
        for variant, v in document["metrics"].items()
        if "reason" in v.get("fp", {})
    ]
    return Table(
        "as-printed",
        "The paper's definitions, as printed",
        [label(n) for n in names],
        rows,
        notes,
        material.banner,
        names,
    )


def _order(rates: Mapping[str, float]) -> str:
    """`one 0.70 > two 0.50 = three 0.50`."""
    ranked = sorted(rates.items(), key=lambda item: (-item[1], item[0]))
    words = [f"{ranked[0][0]} {ranked[0][1]:.2f}"]
    for (_, before), (system, rate) in pairwise(ranked):
        words.append(f"{'=' if rate == before else '>'} {system} {rate:.2f}")
    return " ".join(words)


def _agreement_rankings(material: Material) -> Table | None:
    """How people and models order the systems on the pairs that both of them judged (Figure 6 beside Table 13)."""
    pairs = (material.agreement or {}).get("pairwise", {}).get("pairs", [])
    rows = []
    for pair in pairs:
        for dimension, ranking in pair["rankings"].items():
            name = f"{dimension.replace('_', ' ')}: {' and '.join(pair['judges'])}"
            orders = [
                Cell(_order({system: rates[side] for system, rates in ranking["systems"].items()}))
                for side in (0, 1)
            ]
            rows.append(
                (name, [*orders, Cell("yes" if ranking["same_order"] else "no"), Cell.of(ranking["kendall"])])
            )
    if not rows:
        return None
    note = (
        "Systems by win rate on the pairs that both judged, ties as half; = where the rates are equal. "
        "With few systems a rank correlation says little: read the win rates."
    )
    columns = ["order by the first", "order by the second", "same order", "Kendall tau-b"]
    title = "Rankings of the systems, judge beside judge (Appendix E)"
    return Table("agreement-rankings", title, columns, rows, [note], material.banner)


_AGREEMENT = (_agreement_pairs, _agreement_ratings, _agreement_rankings)


def _failure_labels(material: Material) -> Table | None:
    found = material.document.get("failures")
    if not found:
        return None
    variants = found["variants"]
    rows = [
        (label.replace("_", " "), [Cell.of(labels[label]["share"]) for labels in variants.values()])
        for label in found["labels"]
    ]
    notes = [
        "Share of the reports in which somebody can tell; rules and a judge propose, people correct (failure_labels.jsonl)."
    ]
    if found["corrections_of_no_answer"]:
        notes.append(f"Corrections of no answer here: {', '.join(found['corrections_of_no_answer'])}.")
    for variant, labels in variants.items():
        for label, row in labels.items():
            for example in row["examples"][:1]:
                told = f": {example['text']}" if example["text"] else ""
                notes.append(
                    f"{label.replace('_', ' ')}, {variant}, {example['answer']} (by {example['by']}){told}"
                )
    return Table(
        "failure-labels", "Failure labels (Appendix G)", list(variants), rows, notes, material.banner
    )


def all_tables(material: Material) -> list[Table]:
    """Those that this study has anything for."""
    builders: tuple[Callable[[Material], Table | None], ...] = (
        _faithfulness,
        _bounds,
        _quality,
        _effort,
        _tool_calls,
        _pairwise,
        _cost,
        _noise,
        _rules,
        _failure_labels,
        *_AGREEMENT,
        _as_printed,
        _coverage,
        _failures,
    )
    return [table for build in builders if (table := build(material)) is not None]


def _metric_table(
    material: Material,
    name: str,
    title: str,
    metrics: Sequence[str],
    *,
    digits: int = 2,
    sd: bool = False,
    best: bool = True,
) -> Table | None:
    metrics = [
        metric for metric in metrics if any(metric in row for row in material.document["metrics"].values())
    ]
    if not metrics:
        return None
    per_report = {metric: material.per_report(metric) for metric in metrics}
    # More citations are not better ones: counts are never bold.
    leaders = winners({m: v for m, v in per_report.items() if not m.startswith("n_cited")}) if best else {}
    rows = []
    for variant, values in material.document["metrics"].items():
        cells = [
            Cell.of(
                values.get(metric),
                digits,
                sd=spread(per_report[metric].get(variant, {})) if sd else None,
                bold=leaders.get(metric) == variant,
                printed=printed(variant, metric) if material.with_paper else None,
            )
            for metric in metrics
        ]
        rows.append((variant, cells))
    notes = [BOLD_NOTE] if best else []
    if material.with_paper:
        notes.append(f"In braces {NOTE}.")
    return Table(name, title, [label(metric) for metric in metrics], rows, notes, material.banner, metrics)


def winners(per_report: Mapping[str, Mapping[str, Values]]) -> dict[str, str]:
    """For each metric the variant that beats the next one beyond the noise, if there is one."""
    tests = {}
    leaders = {}
    for metric, by_variant in per_report.items():
        means = {variant: mean(values).value for variant, values in by_variant.items()}
        ranked = sorted((v for v in means if means[v] is not None), key=lambda v: -(means[v] or 0.0))
        if len(ranked) > 1:
            leaders[metric] = ranked[0]
            tests[metric] = paired(by_variant[ranked[0]], by_variant[ranked[1]])
    tested = with_holm(tests)
    return {
        metric: leaders[metric]
        for metric, test in tested.items()
        if test.p_holm is not None and test.p_holm < SIGNIFICANT and (test.difference.value or 0) > 0
    }


def _faithfulness(material: Material) -> Table | None:
    return _metric_table(material, "faithfulness", "Faithfulness (Table 1)", FAITHFULNESS)


def _bounds(material: Material) -> Table | None:
    title = "Faithfulness: bounds, pooled, and what the agent saw"
    return _metric_table(material, "faithfulness-bounds", title, BOUNDS)


def _quality(material: Material) -> Table | None:
    table = _metric_table(material, "quality", "Answer quality, 0-10 (Table 2)", DIMENSIONS)
    if table is None:
        return None
    per_dimension = {name: material.per_report(name) for name in DIMENSIONS}
    rows = []
    for variant, cells in table.rows:
        averages: dict[str, list[float | None]] = defaultdict(list)
        first = per_dimension[DIMENSIONS[0]].get(variant, {})
        for query, trials in first.items():
            for trial in range(len(trials)):
                scores = [per_dimension[name][variant][query][trial] for name in DIMENSIONS]
                known = [score for score in scores if score is not None]
                averages[query].append(sum(known) / len(known) if len(known) == len(DIMENSIONS) else None)
        rows.append((variant, [*cells, Cell.of(mean(averages).document())]))
    notes = [*table.notes, *_length_notes(material.document.get("length_correlation"))]
    return Table(
        table.name,
        table.title,
        [*table.columns, "average"],
        rows,
        notes,
        table.banner,
        [*table.keys, "average"],
    )


def _length_notes(correlations: Mapping[str, Any] | None) -> list[str]:
    if not correlations:
        return []
    shown = []
    for name, v in correlations.items():
        value = v.get("value") if isinstance(v, Mapping) else None
        if value is not None:
            shown.append(f"{name.replace('_', ' ')} {value:+.2f}{' (!)' if value > 0.5 else ''}")
    return (
        [
            f"Correlation of the score with report length: {', '.join(shown)}. (!) is above 0.5: length may be what is scored."
        ]
        if shown
        else []
    )


def _effort(material: Material) -> Table | None:
    return _metric_table(
        material, "effort", "Tokens, words, calls (Table 5)", EFFORT, digits=0, sd=True, best=False
    )


def tool_calls(judged: Judged) -> dict[str, dict[str, Values]]:
    """Variant to tool to query to counts of the trials; control calls and page reads under their own names."""
    from drr.tools.registry import TOOLS

    found: dict[str, dict[str, dict[str, list[float | None]]]] = {}
    for variant, answers in variants_of(judged).items():
        known = [answer for answer in answers if answer.calls is not None]
        names = [*TOOLS, *BESIDE]
        table: dict[str, dict[str, list[float | None]]] = {name: {} for name in names}
        for answer in known:
            counts = Counter(_group(call, TOOLS) for call in answer.calls or ())
            counts["page reads"] = page_reads(answer)
            for name in names:
                table[name].setdefault(answer.query_id, []).append(float(counts[name]))
        found[variant] = dict(table)
    return found  # type: ignore[return-value]


def page_reads(answer: Answer) -> int:
    """Web pages that were read, or tried, while the answer was made; freezing cited pages afterwards is not its doing."""
    if not (answer.variant.endswith("+ws") or "summariser" in answer.usage):
        return 0
    rows = answer.record.result.get("sources") or ()
    return len({row["url"] for row in rows if row["type"] == "web" and row["page_status"] is not None})


def _group(call: Mapping[str, Any], tools: Mapping[str, Any]) -> str:
    kind = call.get("kind", "api")
    if kind == "control":
        return "control calls"
    return str(call["name"]) if call.get("name") in tools else "unknown tools"


def _tool_calls(material: Material) -> Table | None:
    counts = tool_calls(material.judged)
    if not any(values for by_tool in counts.values() for values in by_tool.values()):
        return None
    names = list(next(iter(counts.values())))
    rows = [
        (variant, [Cell.of(mean(by_tool[name]).document(), 1) for name in names])
        for variant, by_tool in counts.items()
    ]
    notes = [
        "Calls per answer, mean over queries. Beside the nine tools: page reads (pages that a +ws variant read, or tried to, "
        "each once) and control calls (thoughts, launches, the end) are no tool calls and are in no total; "
        "unknown tools are names that the agent made up."
    ]
    return Table("tool-calls", "Tool calls per answer (Figure 4)", names, rows, notes, material.banner)


class CostPoint(NamedTuple):
    variant: str
    cost: V
    unit: str
    """`dollars`, or `tokens` where a price is unknown or everything is free."""
    quality: Mapping[str, Any]
    on_front: bool = False
    """No other variant is at most as dear and at least as good, and better in one of both."""


def cost_points(material: Material) -> list[CostPoint]:
    """Each variant's cost and overall quality; empty where there are no ratings or nothing is known of the cost."""
    dollars: dict[str, V] = {}
    tokens: dict[str, V] = {}
    for variant, answers in variants_of(material.judged).items():
        spent: dict[str, list[float | None]] = defaultdict(list)
        for answer in answers:
            parts = [role.get("cost_usd") for role in answer.usage.values()]
            known = [float(part) for part in parts if part is not None]
            spent[answer.query_id].append(sum(known) if known and len(known) == len(parts) else None)
        dollars[variant] = mean(spent)
        read, written = (
            material.per_report(name).get(variant, {}) for name in ("input_tokens", "output_tokens")
        )
        tokens[variant] = mean(
            {
                query: [
                    None if a is None or b is None else a + b
                    for a, b in zip(trials, written[query], strict=True)
                ]
                for query, trials in read.items()
            }
        )
    priced = all(v.value and not v.n_unscored for v in dollars.values())
    found = [
        CostPoint(variant, cost, "dollars" if priced else "tokens", quality)
        for variant, cost in (dollars if priced else tokens).items()
        if (quality := material.document["metrics"][variant].get("overall")) is not None
    ]
    return [
        point._replace(on_front=_undominated(point, found)) for point in found if point.cost.value is not None
    ]


def _undominated(point: CostPoint, among: Sequence[CostPoint]) -> bool:
    def place(p: CostPoint) -> tuple[float, float]:
        return (p.cost.value if p.cost.value is not None else np.inf, -p.quality["value"])

    if point.quality["value"] is None:
        return False
    own = place(point)
    others = [place(p) for p in among if p.quality["value"] is not None]
    return not any(o[0] <= own[0] and o[1] <= own[1] and o != own for o in others)


def _cost(material: Material) -> Table | None:
    points = cost_points(material)
    if not points:
        return None
    digits = 4 if points[0].unit == "dollars" else 0
    rows = [
        (
            p.variant,
            [Cell.of(p.cost.document(), digits), Cell.of(p.quality), Cell("yes" if p.on_front else "no")],
        )
        for p in points
    ]
    note = (
        "Undominated: no other variant is at most as dear and at least as good by these means; intervals that overlap "
        "may turn that round."
    )
    if points[0].unit == "tokens":
        note += " Tokens stand for cost, because a price is unknown or the model is free."
    columns = [f"{points[0].unit} per answer", "overall quality", "undominated"]
    return Table("cost-quality", "Cost against quality", columns, rows, [note], material.banner)


def _pairwise(material: Material) -> Table | None:
    results = material.document.get("pairwise") or []
    if not results:
        return None
    rows = []
    for row in results:
        p = row.get("p_holm")
        verdict = "unreliable (order decides)" if row.get("unreliable") else "" if p is None else f"{p:.3f}"
        cells = [
            *(
                Cell(float(row[name]), digits=0)
                for name in ("wins", "ties", "losses", "inconsistent", "errors")
            ),
            Cell.of(row["win_rate"], bold=p is not None and p < SIGNIFICANT and not row.get("unreliable")),
            Cell(verdict),
        ]
        rows.append((f"{row['dimension'].replace('_', ' ')}: {row['a']} over {row['b']}", cells))
    columns = ["wins", "ties", "losses", "inconsistent", "errors", "win rate", "p (Holm)"]
    notes = [
        "Both orders judged; opposite winners are a tie, counted as inconsistent. Win rate is (W + T/2)/n, interval by bootstrap "
        "over queries; p from an exact sign test on decided pairs, Holm over the table. At n = 50 significance needs 33 of 50 decided."
    ]
    return Table("pairwise", "Pairwise comparison (Figure 6)", columns, rows, notes, material.banner)


def _noise(material: Material) -> Table | None:
    """How much the same variant differs from itself on the same query: what a difference must exceed."""
    metrics = ("fp", "fr", *DIMENSIONS, "words", "tool_calls")
    rows = []
    for metric in metrics:
        cells = []
        for by_query in material.per_report(metric).values():
            inside = [[x for x in trials if x is not None] for trials in by_query.values()]
            repeated = [trials for trials in inside if len(trials) > 1]
            sd = (
                float(np.sqrt(np.mean([np.var(trials, ddof=1) for trials in repeated]))) if repeated else None
            )
            cells.append(Cell(sd, n=len(repeated)))
        if any(cell.value is not None for cell in cells):
            rows.append((label(metric), cells))
    if not rows:
        return None
    columns = list(variants_of(material.judged))
    note = "Standard deviation between trials of one query, pooled over the queries with more than one trial (n)."
    return Table("noise", "Noise floor of repeated trials", columns, rows, [note], material.banner)


def _rules(material: Material) -> Table | None:
    judged = material.judged
    if not judged.rules:
        return None
    by_variant = variants_of(judged)
    names: list[str] = []
    counts: dict[str, dict[str, Counter[str]]] = {}
    for variant, answers in by_variant.items():
        for answer in answers:
            found = judged.rules.get(answer.key) or {}
            for name, rule in (found.get("rules") or found).items():
                if isinstance(rule, Mapping) and "status" in rule:
                    names += [name] if name not in names else []
                    counts.setdefault(name, {}).setdefault(variant, Counter())[str(rule["status"])] += 1
    rows = []
    for name in names:
        cells = []
        for variant in by_variant:
            c = counts[name].get(variant, Counter())
            cells.append(Cell(f"{c['fail']} fail, {c['pass']} pass, {c['unverifiable']} unverifiable"))
        rows.append((name.replace("_", " "), cells))
    note = "Decided by code from the shop's records and the run's evidence; no model is asked."
    return Table("rules", "Rule checks", list(by_variant), rows, [note])


def _coverage(material: Material) -> Table | None:
    coverage = material.document["coverage"]
    rows = [
        (
            task,
            [
                Cell(float(row["judged"]), digits=0),
                Cell(float(row["failed"]), digits=0),
                Cell(row["failed_share"], digits=3),
            ],
        )
        for task, row in coverage["tasks"].items()
    ]
    if not rows:
        return None
    notes = [f"INVALID: {'; '.join(coverage['invalid_because'])}."] if coverage["invalid"] else []
    return Table(
        "coverage", "What was judged", ["units", "without an answer", "share"], rows, notes, material.banner
    )


def _failures(material: Material) -> Table | None:
    """Units that left no answer, by kind: they are in no mean above."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for record in material.study.records("answer", None):
        variant = str(record.spec.get("variant") or record.label)
        counts[variant]["done" if record.done else record.reason or record.status] += 1
    kinds = sorted({kind for counter in counts.values() for kind in counter} - {"done"})
    if not counts:
        return None
    columns = ["done", *kinds]
    rows = [
        (variant, [Cell(float(c[kind]), digits=0) for kind in columns])
        for variant, c in sorted(counts.items())
    ]
    return Table(
        "failures",
        "Answers and failures",
        columns,
        rows,
        ["A failed unit is in no mean; here it is counted."],
    )
