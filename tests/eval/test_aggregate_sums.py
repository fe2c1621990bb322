"""`drr papers aggregate` equals a slow recomputation of each protocol from its definition, over random rows."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from drr.eval.stats import protocols
from drr.eval.stats.aggregate import aggregate

from tests.commands import Drr
from tests.late import Late

stats = Late("scipy.stats")

Row = dict[str, Any]
Maybe = float | None


def mean(values: list[Any]) -> Maybe:
    known = [v for v in values if v is not None]
    return sum(known) / len(known) if known else None


def score(rng: random.Random, low: int, high: int) -> Any:
    return rng.choice([None, rng.randint(low, high), round(rng.uniform(low, high), 2)])


def pqr_row(rng: random.Random) -> Row:
    dims = rng.sample(["GOAL", "CONT", "PRES", "ACTI"], rng.randint(1, 4))
    criteria = {}
    for dim in dims:
        if rng.random() < 0.9:
            criteria[dim] = [
                {
                    "weight": round(rng.uniform(0.05, 0.5), 2),
                    "scores": rng.choice(
                        [
                            None,
                            [score(rng, 0, 10) for _ in range(rng.randint(0, 3))],
                            [rng.randint(0, 10)] * 3,
                        ]
                    ),
                }
                for _ in range(rng.randint(0, 3))
            ]
    return {"weights": {dim: round(rng.random(), 2) for dim in dims}, "criteria": criteria}


def pqr_slow(rows: list[Row]) -> tuple[Any, Any, Any, int]:
    told, printed, lost = [], [], 0
    for row in rows:
        k = 0
        for own in row["criteria"].values():
            for one in own:
                k += 1 if not one["scores"] else sum(s is None for s in one["scores"])

        def of(pick: Callable[[list[Any]], Maybe], row: Row = row) -> dict[str, Maybe]:
            found: dict[str, Maybe] = {}
            for dim in row["weights"]:
                top = bottom = 0.0
                for one in row["criteria"].get(dim, []):
                    value = pick(one["scores"] or [])
                    if value is not None:
                        top, bottom = top + one["weight"] * value, bottom + one["weight"]
                found[dim] = top / bottom if bottom else None
            return found

        def whole(dims: dict[str, Maybe], row: Row = row) -> Maybe:
            if None in dims.values():
                return None
            return sum(row["weights"][d] * float(v or 0) for d, v in dims.items())

        dims = of(mean)
        rounds = max((len(c["scores"] or []) for own in row["criteria"].values() for c in own), default=0)
        by_round = [whole(of(lambda s, r=r: s[r] if r < len(s) else None)) for r in range(rounds)]  # type: ignore[misc]
        zeroed: dict[str, Maybe] = {d: v or 0.0 for d, v in dims.items()}
        told.append(
            {
                "dimensions": dims, "p": whole(dims), "p_by_round": by_round or None, "n_unscored": k,
                "as_printed": {"dimensions": zeroed, "p": whole(zeroed)},
            }
        )  # fmt: skip
        lost += k
        printed.append(whole(zeroed))
    return {"p": mean([t["p"] for t in told])}, {"p": mean(printed)}, told, lost


def reliability_row(rng: random.Random) -> Row:
    verdicts = ["supported", "unsupported", "unknown", None]
    return {
        "claims": [
            {"cited": rng.random() < 0.7, "verdict": rng.choice(verdicts)} for _ in range(rng.randint(0, 6))
        ]
    }


def reliability_slow(rows: list[Row]) -> tuple[Any, Any, Any, int]:
    told, printed, lost = [], [], 0
    for row in rows:
        cited = [c["verdict"] for c in row["claims"] if c["cited"]]
        answered = [v for v in cited if v is not None]
        lost += len(cited) - len(answered)
        cc = 10 * len(cited) / len(row["claims"]) if row["claims"] else None
        for into, fa in (
            (told, 10 * answered.count("supported") / len(answered) if answered else None),
            (printed, 10 * cited.count("supported") / len(cited) if cited else 0.0),
        ):
            into.append({"fa": fa, "cc": cc, "r": None if fa is None or cc is None else (fa + cc) / 2})
    names = ("fa", "cc", "r")
    return *({n: mean([r[n] for r in rows]) for n in names} for rows in (told, printed)), told, lost  # type: ignore[return-value]


def fact_row(rng: random.Random) -> Row:
    verdicts = ["supported", "supported", "unsupported", "unknown", None]
    return {
        "task": rng.randint(1, 8),
        "system": rng.choice("ST"),
        "sources": [
            {"error": rng.random() < 0.4, "verdicts": rng.choices(verdicts, k=rng.randint(0, 3))}
            for _ in range(rng.randint(0, 3))
        ],
    }


def fact_slow(rows: list[Row]) -> tuple[Any, Any, Any, int]:
    told, lost, by_system = [], 0, {}
    printed = {}
    for row in rows:
        seen = [v for s in row["sources"] if not s["error"] for v in s["verdicts"]]
        told.append({name: seen.count(name) for name in ("supported", "unsupported", "unknown")})
        lost += seen.count(None)
    for system in {row["system"] for row in rows}:
        own = [(r, t) for r, t in zip(rows, told, strict=True) if r["system"] == system]
        tasks = {r["task"] for r, _ in own if any(not s["error"] for s in r["sources"])}
        yes, no = (sum(t[name] for _, t in own) for name in ("supported", "unsupported"))
        by_system[system] = {
            "citations_per_task": (yes + no) / len(tasks) if tasks else None,
            "valid_per_task": yes / len(tasks) if tasks else None,
            "rate": yes / (yes + no) if yes + no else None,
        }
        printed[system] = {
            **by_system[system],
            "rate": yes / (yes + no) if yes + no else 0.0 if tasks else None,
        }
    return {"by_system": by_system}, {"by_system": printed}, told, lost


def dr3_row(rng: random.Random) -> Row:
    row: Row = {
        "ir_uf": rng.choices([1, 0.5, 0, None], k=rng.randint(0, 4)),
        "ir_sc": rng.choices([1, 0.5, 0, None], k=4),
        "required": rng.choices("abcd", k=rng.randint(0, 4)),
        "cited": rng.choices("abcdef", k=rng.randint(0, 4)),
        "fa": rng.choices([True, False, None], k=3),
        "if": rng.choices([True, False, None], k=3),
        "dq": rng.choice([None, 1, 7, 8.5]),
    }
    return {name: value for name, value in row.items() if rng.random() < 0.9}


def dr3_slow(rows: list[Row]) -> tuple[Any, Any, Any, int]:
    told, printed, lost = [], [], 0
    for row in rows:
        lost += sum(row.get(name, []).count(None) for name in ("ir_uf", "ir_sc", "fa", "if"))

        def part(name: str, worth: Callable[[Any], float], row: Row = row) -> Maybe:
            value = mean([None if one is None else worth(one) for one in row.get(name, [])])
            return None if value is None else 100 * value

        needed = set(row.get("required", []))
        cc = 100 * len(needed & set(row["cited"])) / len(needed) if needed and "cited" in row else None
        figures = {
            "ir_uf": part("ir_uf", lambda one: one == 1), "ir_sc": part("ir_sc", lambda one: one == 1),
            "cc": cc, "fa": part("fa", float), "if": part("if", float),
            "dq": None if row.get("dq") is None else row["dq"] * 10,
        }  # fmt: skip
        beside = {"ir_uf_mean": part("ir_uf", float), "ir_sc_mean": part("ir_sc", float)}
        there = mean(list(figures.values()))
        told.append({**figures, **beside, "avg": None if None in figures.values() else there})
        printed.append({**figures, **beside, "avg": there})
    names = ("ir_uf", "ir_sc", "cc", "fa", "if", "dq", "avg", "ir_uf_mean", "ir_sc_mean")
    return *({n: mean([r[n] for r in rows]) for n in names} for rows in (told, printed)), told, lost  # type: ignore[return-value]


def reporteval_row(rng: random.Random) -> Row:
    row: Row = {
        "quality": {n: score(rng, 0, 4) for n in rng.sample(["clarity", "coherence", "overall"], 2)},
        "pairs": [score(rng, 0, 4) for _ in range(rng.randint(0, 4))],
        "support": rng.choices([-1, 0, 1, None], k=rng.randint(0, 4)),
    }
    return {name: value for name, value in row.items() if rng.random() < 0.9}


def reporteval_slow(rows: list[Row]) -> tuple[Any, Any, Any, int]:
    told, lost = [], 0
    for row in rows:
        pairs = [p for p in row.get("pairs", []) if p is not None]
        support = [s for s in row.get("support", []) if s is not None]
        lost += list(row.get("quality", {}).values()).count(None)
        lost += row.get("pairs", []).count(None) + row.get("support", []).count(None)
        told.append(
            {
                "quality": row.get("quality"),
                "non_redundancy": mean(pairs),
                "worst_pair": sorted(pairs)[0] if pairs else None,
                "average_support": mean(support),
                "strong_support": support.count(1) / len(support) if support else None,
            }
        )
    grades = {n for t in told for n in t["quality"] or {}}
    values = {n: mean([t[n] for t in told]) for n in list(told[0]) if n != "quality"}
    values["quality"] = {g: mean([(t["quality"] or {}).get(g) for t in told]) for g in grades}
    return values, values, told, lost


def rubric_row(rng: random.Random) -> Row:
    kinds = rng.sample(["recall", "analysis", "form"], 2)
    return {
        "task": rng.randint(1, 400),
        "system": rng.choice("ST"),
        "items": {kind: rng.randint(0, 9) for kind in kinds},
        "shares": {kind: rng.choice([None, round(rng.random(), 3)]) for kind in kinds},
    }


def rubric_slow(rows: list[Row]) -> tuple[Any, Any, Any, int]:
    def weighted(parts: list[tuple[int, float]]) -> Maybe:
        whole = sum(n for n, _ in parts)
        return sum(n * s for n, s in parts) / whole if whole else None

    def parts(row: Row, kind: str | None = None) -> list[tuple[int, float]]:
        return [(row["items"][k], s) for k, s in row["shares"].items() if s is not None and kind in (None, k)]

    by_system = {}
    for system in {row["system"] for row in rows}:
        own = [row for row in rows if row["system"] == system]
        kinds = {kind for row in own for kind in row["items"]}
        macro: dict[str, Maybe] = {}
        for kind in kinds:
            by_task: dict[int, list[float]] = {}
            for row in own:
                if row["shares"].get(kind) is not None:
                    by_task.setdefault(row["task"], []).append(row["shares"][kind])
            macro[kind] = mean([mean(values) for values in by_task.values()])
        totals: dict[int, list[float]] = {}
        for row in own:
            total = weighted(parts(row))
            if total is not None:
                totals.setdefault(row["task"], []).append(total)
        macro["total"] = mean([mean(values) for values in totals.values()])
        micro = {kind: weighted([p for row in own for p in parts(row, kind)]) for kind in kinds}
        micro["total"] = weighted([p for row in own for p in parts(row)])
        lost = sum(set(row["shares"].values()) == {None} for row in own)
        by_system[system] = {"macro": macro, "micro": micro, "n_unscored": lost}
    told = [{"total": weighted(parts(row))} for row in rows]
    values = {"by_system": by_system}
    return values, values, told, sum(one["n_unscored"] for one in by_system.values())


def agreement_row(rng: random.Random) -> Row:
    query = rng.randint(1, 12)
    sides = "A" if query == 12 else "AB"
    return {
        "query": query,
        "criterion": f"c{rng.randint(1, 5)}",
        "judge": {side: score(rng, 0, 10) for side in sides},
        "human": {side: rng.randint(0, 4) for side in sides},
    }


def agreement_slow(rows: list[Row]) -> tuple[Any, Any, Any, int]:
    def sign(x: float) -> int:
        return (x > 0) - (x < 0)

    signs, apart, lost = [], [], 0
    totals: dict[tuple[int, str], list[tuple[float, float]]] = {}
    for row in rows:
        judge, human = row["judge"], row["human"]
        lost += list(judge.values()).count(None) + list(human.values()).count(None)
        if "B" in judge and None not in (*judge.values(), *human.values()):
            signs.append((sign(judge["A"] - judge["B"]), sign(human["A"] - human["B"])))
        for side in judge:
            if judge[side] is not None and human[side] is not None:
                apart.append(abs(judge[side] - human[side]))
                totals.setdefault((row["query"], side), []).append((judge[side], human[side]))
    reports = [(mean([j for j, _ in own]), mean([h for _, h in own])) for own in totals.values()]
    pairs = [(a, b) for n, a in enumerate(reports) for b in reports[:n]]
    agreed = [sign(a[0] - b[0]) * sign(a[1] - b[1]) > 0 for a, b in pairs]  # type: ignore[operator]
    t = sum(m == 0 for m, _ in signs) / len(signs)
    u = sum(h == 0 for _, h in signs) / len(signs)
    x, y = [r[0] for r in reports], [r[1] for r in reports]
    values = {
        "pca": sum(m == h for m, h in signs) / len(signs),
        "pca_chance": t * u + (1 - t) * (1 - u) / 2,
        "mard": mean(apart),
        "mad_by_report": mean([abs(a - b) for a, b in reports]),  # type: ignore[operator]
        "par": mean(agreed),
        "pearson": float(stats.pearsonr(x, y).statistic),
        "spearman": float(stats.spearmanr(x, y).statistic),
    }
    return values, values, [], lost


def swap_row(rng: random.Random) -> Row:
    persons = ["anna", "ben", 3]
    return {
        "task": rng.randint(1, 60),
        "criteria_of": rng.choice(persons),
        "report_of": rng.choice(persons),
        "p": rng.choice([None, round(rng.uniform(0, 10), 2), round(rng.uniform(0, 10), 2)]),
    }


def swap_slow(rows: list[Row]) -> tuple[Any, Any, Any, int]:
    by_task = {}
    for task in {row["task"] for row in rows}:
        own = [row for row in rows if row["task"] == task]
        persons = {row["criteria_of"] for row in own}

        def p(x: Any, y: Any, own: list[Row] = own) -> Maybe:
            return mean([r["p"] for r in own if (r["criteria_of"], r["report_of"]) == (x, y)])

        delta: dict[str, Maybe] = {}
        for x in persons:
            others = mean([p(x, y) for y in {row["report_of"] for row in own} - {x}])
            matched = p(x, x)
            delta[str(x)] = None if matched is None or others is None else matched - others
        known = [d for d in delta.values() if d is not None]
        a = [p(x, x) for x in persons if p(x, x) is not None]
        by_task[str(task)] = {
            "delta": delta,
            "cfa_min": min(known) if known else None,
            "a_min": min(a) if a else None,  # type: ignore[type-var]
        }
    values = {"by_task": by_task}
    return values, values, [], sum(row["p"] is None for row in rows)


SLOWLY: dict[str, tuple[Callable[[random.Random], Row], Callable[[list[Row]], tuple[Any, Any, Any, int]]]] = {
    "pqr": (pqr_row, pqr_slow),
    "pqr-r": (reliability_row, reliability_slow),
    "fact": (fact_row, fact_slow),
    "dr3": (dr3_row, dr3_slow),
    "reporteval": (reporteval_row, reporteval_slow),
    "rubric": (rubric_row, rubric_slow),
    "agreement": (agreement_row, agreement_slow),
    "swap": (swap_row, swap_slow),
}


@pytest.mark.parametrize("protocol", protocols())
def test_every_protocol_equals_a_slow_recomputation(protocol: str, tmp_path: Path) -> None:
    make, slowly = SLOWLY[protocol]
    file = tmp_path / "rows.jsonl"
    for seed in range(4):
        rng = random.Random(seed)
        rows = [make(rng) for _ in range(150)]
        file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        found = aggregate(protocol, file)
        values, printed, told, lost = slowly(rows)
        assert (found["n"], found["bad_rows"]) == (150, [])
        assert found["n_unscored"] == lost
        same(found["values"], values)
        same(found["as_printed"], printed)
        same(found["rows"], told)


@pytest.mark.parametrize("protocol", protocols())
def test_an_interval_holds_its_value_and_every_table_can_be_printed(
    protocol: str, tmp_path: Path, drr: Drr
) -> None:
    file = tmp_path / "rows.jsonl"
    rng = random.Random(3)
    file.write_text("".join(json.dumps(SLOWLY[protocol][0](rng)) + "\n" for _ in range(80)), encoding="utf-8")
    found = aggregate(protocol, file, intervals=True)
    values = found["values"] if protocol != "swap" else {}
    spans = list(held(found["intervals"], values))
    assert all(low <= value <= high for low, value, high in spans)
    assert spans or protocol == "swap"
    assert protocol in drr.out("aggregate", protocol, file, "--ci")


def held(intervals: Any, values: Any) -> Iterator[tuple[float, float, float]]:
    for name, span in intervals.items():
        if name not in values:
            continue
        if "ci_low" not in span:
            yield from held(span, values[name])
        elif span["ci_low"] is not None:
            yield span["ci_low"] - 1e-9, values[name], span["ci_high"] + 1e-9


def same(found: Any, expected: Any, where: str = "") -> None:
    if isinstance(expected, dict):
        assert set(found) == set(expected), where
        for key, value in expected.items():
            same(found[key], value, f"{where}.{key}")
    elif isinstance(expected, list):
        assert len(found) == len(expected), where
        for number, (one, other) in enumerate(zip(found, expected, strict=True)):
            same(one, other, f"{where}[{number}]")
    elif expected is None:
        assert found is None, where
    else:
        assert found == pytest.approx(expected, abs=1e-9), where
