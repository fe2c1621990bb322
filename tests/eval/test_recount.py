"""The program's statistics beside `recount` on made-up data: missing judgements, one class, no items, failed calls, unequal trials."""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import pytest
from drr.eval.labels import DIMENSIONS
from drr.eval.stats import agreement as ag
from drr.eval.stats import correlation, differences, faithfulness
from drr.eval.stats import intervals as stats
from drr.eval.stats.asked import Comparison
from drr.eval.stats.intervals import V
from drr.eval.stats.pairs import pair_results, positions, wins_needed
from drr.eval.stats.ratings import davidson, length_coefficient
from drr.eval.tasks import judged

from tests.eval import recount

SUPPORT = ["none", "partial", "full"]
WINNERS = ["A", "B", "tie"]
SCORE = {"a": 1.0, "b": 0.0, "tie": 0.5, "inconsistent": 0.5}


def same(mine: float | None, program: float | None, tolerance: float = 1e-9) -> bool:
    if mine is None or program is None:
        return mine is program
    return math.isfinite(program) and abs(mine - program) <= tolerance


def counted(v: V, kept: int, of: int) -> bool:
    return (v.n, v.n_unscored) == (kept, of - kept)


def some(rng: random.Random, classes: Sequence[Any], n: int) -> list[Any]:
    """Random labels: some missing, sometimes one class only, sometimes all missing."""
    of, missing = classes[: rng.choice([1, 2, 5])], rng.choice([0, 0, 0.2, 0.9, 1])
    return [None if rng.random() < missing else rng.choice(of) for _ in range(n)]


@pytest.mark.parametrize("n", [0, 1, 2, 3, 15])
def test_two_judges_of_classes(n: int) -> None:
    rng = random.Random(n)
    for _ in range(6):
        for classes in (SUPPORT, WINNERS):
            a, b = some(rng, classes, n), some(rng, classes, n)
            b = a if rng.random() < 0.2 else b
            pairs, untied = recount.both(a, b), recount.both(a, b, ["tie"])
            for given in (None, classes):
                kappa, ac1 = ag.cohen_kappa(a, b, categories=given), ag.gwet_ac1(a, b, categories=given)
                assert same(recount.kappa(pairs, given), kappa.value), (a, b)
                assert same(recount.ac1(pairs, given), ac1.value), (a, b)
                assert counted(kappa, len(pairs), n) and counted(ac1, len(pairs), n)
            weighted = ag.cohen_kappa(a, b, categories=classes, weights="quadratic")
            assert same(recount.kappa(pairs, classes, 2), weighted.value), (a, b)
            without = ag.cohen_kappa(a, b, drop={"tie"})
            assert same(recount.kappa(untied), without.value) and counted(without, len(untied), n)
            soft, unequal = ag.soft_disagreement(a, b), sum(x != y for x, y in pairs)
            assert same(recount.soft(pairs), soft.value) and soft.n == unequal
            exact = ag.exact_agreement(a, b)
            assert same(recount.average([float(x == y) for x, y in pairs]), exact.value)


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
def test_alpha_of_one_to_four_raters(level: Any) -> None:
    rng = random.Random(level)
    for n in (0, 1, 2, 3, 12):
        for _ in range(3):
            raters = [some(rng, [0.0, 1.0, 2.5, 7.0, 10.0], n) for _ in range(rng.choice([1, 2, 3, 4]))]
            v = ag.krippendorff_alpha(raters, level=level)
            assert same(recount.alpha(raters, level), v.value), raters
            judged = sum(sum(x is not None for x in item) > 1 for item in zip(*raters, strict=True))
            assert counted(v, judged, n)
    named = [["none", "full", None, "partial"], ["partial", "full", "none", "none"]]
    if level == "ordinal":
        assert same(
            recount.alpha(named, level, SUPPORT),
            ag.krippendorff_alpha(named, level=level, categories=SUPPORT).value,
        )


@pytest.mark.parametrize("n", [0, 1, 2, 3, 4, 20])
def test_two_judges_of_numbers(n: int) -> None:
    rng = random.Random(100 + n)
    for _ in range(5):
        x, y = some(rng, [0.1, 0.2, 0.3, 0.7, 1e6], n), some(rng, [5, 6, 7, 9, 10], n)
        pairs = recount.both(x, y)
        for program, mine in (
            (correlation.pearson, recount.pearson),
            (correlation.spearman, recount.spearman),
            (correlation.kendall_tau_b, recount.tau_b),
        ):
            v = program(x, y, unit="report")
            assert same(mine(pairs), v.value, 1e-8) and counted(v, len(pairs), n), (x, y)
        m, h = some(rng, [-1, 0, 0.5, 2], n), some(rng, [0, 1, 0, -2], n)
        pairs = recount.both(m, h)
        for without in (False, True):
            v, chance = correlation.preference_agreement(m, h, without_human_ties=without)
            mine_value, mine_chance = recount.pca(pairs, without_human_ties=without)
            assert same(mine_value, v.value) and same(mine_chance, chance), (m, h)
            assert counted(v, len([1 for _, one in pairs if one or not without]), n)
        distance, lean = correlation.mean_absolute_deviation(m, h), correlation.bias(m, h)
        assert same(recount.average([abs(a - b) for a, b in pairs]), distance.value)
        assert same(recount.average([a - b for a, b in pairs]), lean.value)
        assert counted(distance, len(pairs), n) and counted(lean, len(pairs), n)


def test_exact_tests() -> None:
    rng = random.Random(1)
    for n in (0, 1, 2, 7):
        for _ in range(5):
            p = [rng.choice([None, 0.001, 0.01, 0.01, 0.04, 0.4, 1.0]) for _ in range(n)]
            assert differences.holm(p) == pytest.approx(recount.holm(p), nan_ok=True)
    for wins in range(0, 40, 3):
        for losses in range(0, 40, 4):
            assert same(recount.sign_test(wins, losses), differences.sign_test(wins, losses))
    for size in (1, 2, 5, 9):
        tenths = [rng.randint(-4, 4) for _ in range(size)]
        assert same(recount.sign_flip(tenths), differences.sign_flip(np.array([t / 10 for t in tenths])))


def reports(rng: random.Random) -> Iterable[tuple[str, int, list[dict[str, Any]] | None]]:
    for q in range(rng.choice([0, 1, 2, 5])):
        for trial in range(rng.choice([1, 2, 3])):
            statuses = rng.choice([[*faithfulness.STATUSES, None], ["full", "partial", "none"]])
            claims = [
                {
                    kind: rng.choice(statuses)
                    for kind in faithfulness.ALL_TYPES
                    if rng.random() < rng.choice([0, 0.5])
                }
                for _ in range(rng.choice([0, 1, 3, 8]))
            ]
            yield f"q{q}", trial, None if rng.random() < 0.1 else claims


UNKNOWN = (None, "judge_error", "unquoted")


def column(kind: str) -> Callable[[list[dict[str, Any]]], float | None]:
    return lambda claims: recount.average(recount.type_scores(claims, kind))


def zero_filled(kind: str) -> Callable[[list[dict[str, Any]]], float | None]:
    return lambda claims: column(kind)(claims) if any(kind in claim for claim in claims) else 0.0


def cited(*kinds: str) -> Callable[[list[dict[str, Any]]], float | None]:
    return lambda claims: float(sum(kind in claim for claim in claims for kind in kinds))


FAITHFULNESS: dict[str, Callable[[list[dict[str, Any]]], float | None]] = {
    "fp": recount.fp,
    "fp_strict": recount.fp,
    "fp_seen": recount.fp,
    "fp_reachable": lambda claims: recount.fp(claims, strict=False),
    "fp_3types": lambda claims: recount.fp(claims, ("web", "product", "user")),
    "fp_web": column("web"),
    "fp_product": column("product"),
    "fp_user": column("user"),
    "fp_web_zero_filled": zero_filled("web"),
    "fp_product_zero_filled": zero_filled("product"),
    "fr": recount.fr,
    "fr_supported": recount.fr_supported,
    "n_claims": lambda claims: float(len(claims)),
    "n_cited": cited("web", "product"),
    "n_cited_web": cited("web"),
    "n_cited_product": cited("product"),
    "n_cited_user": cited("user"),
}


def test_faithfulness_of_random_verdicts() -> None:
    rng = random.Random(3)
    for _ in range(12):
        made = list(reports(rng))
        program = faithfulness.corpus_values(
            [
                faithfulness.JudgedClaims(
                    query,
                    trial,
                    None
                    if claims is None
                    else [faithfulness.JudgedClaim(str(i), c, c) for i, c in enumerate(claims)],
                )
                for query, trial, claims in made
            ]
        )
        for name, of_report in FAITHFULNESS.items():
            values: dict[str, list[float | None]] = defaultdict(list)
            for query, _, claims in made:
                values[query].append(None if claims is None else of_report(claims))
            scored = sum(x is not None for trials in values.values() for x in trials)
            assert same(recount.macro(values), program[name].value), (name, made)
            assert counted(program[name], scored, len(made)), (name, made)
        units = [
            c[kind] for _, _, claims in made for c in claims or [] for kind in ("web", "product") if kind in c
        ]
        scores = [s for s in (recount.points(status, strict=True) for status in units) if s is not None]
        unread = [status in {*recount.UNREADABLE, "not_frozen"} for status in units if status not in UNKNOWN]
        assert same(recount.average(scores), program["fp_micro"].value)
        assert same(sum(unread) / len(unread) if unread else None, program["unreadable_rate"].value)
        assert set(program) == {*FAITHFULNESS, "fp_micro", "unreadable_rate"}


def test_grades_with_failures_trials_and_unknown_lengths() -> None:
    rng = random.Random(8)
    for queries in (0, 1, 2, 4):
        made = [
            judged.RatedReport(
                f"q{q}",
                trial,
                {d: rng.choice([None, 5, 5] if q % 2 else range(11)) for d in DIMENSIONS},
                rng.choice([None, 100, 200, 300]),
            )
            for q in range(queries)
            for trial in range(rng.choice([1, 3]))
        ]
        program, lengths = judged.corpus_values(made), judged.length_correlations(made)
        for dimension in DIMENSIONS:
            values: dict[str, list[float | None]] = defaultdict(list)
            for report in made:
                values[report.query].append(report.ratings[dimension])
            scored = sum(r.ratings[dimension] is not None for r in made)
            assert same(recount.macro(values), program[dimension].value)
            assert counted(program[dimension], scored, len(made))
            pairs = recount.both([r.ratings[dimension] for r in made], [r.words for r in made])
            assert same(recount.spearman(pairs), lengths[dimension]["value"])
            assert lengths[dimension]["n"] == len(pairs)


def comparisons(seed: int, *, queries: int = 8, trials: Sequence[int] = (1, 2, 3)) -> list[Comparison]:
    """Three variants that do not win equally often, with ties, failures and orders that contradict each other."""
    rng = random.Random(seed)
    made = []
    for q in range(queries):
        lean = rng.random()
        for trial in range(rng.choice(trials)):
            for a, b, edge in (("x", "y", 0.1), ("x", "z", 0.3), ("y", "z", 0.1)):
                weights = [lean + edge, 1 - lean, 0.3]
                first, second = rng.choices(["a", "b", "tie"], weights, k=2)
                second = first if rng.random() < 0.7 else second
                words = rng.randint(100, 400), rng.randint(100, 400)
                verdicts: list[Any] = [None if rng.random() < 0.05 else v for v in (first, second)]
                made.append(Comparison(f"q{q}", "depth", a, b, *verdicts, *words, trial))
    return made


def test_pairs_of_unequal_trials() -> None:
    for seed in range(4):
        made = comparisons(seed)
        results = pair_results(made)
        p = []
        for result in results:
            group = [c for c in made if (c.a, c.b) == (result["a"], result["b"])]
            outcomes = [recount.reconcile(c.a_first, c.b_first) for c in group]
            assert (result["wins"], result["losses"]) == (outcomes.count("a"), outcomes.count("b"))
            assert (result["inconsistent"], result["errors"]) == (
                outcomes.count("inconsistent"),
                outcomes.count("error"),
            )
            assert result["ties"] == outcomes.count("tie") + result["inconsistent"]
            values: dict[str, list[float | None]] = defaultdict(list)
            for c, outcome in zip(group, outcomes, strict=True):
                values[c.query].append(SCORE.get(outcome))
            assert same(recount.macro(values), result["win_rate"]["value"])
            assert (result["win_rate"]["n"], result["win_rate"]["n_unscored"]) == (
                result["n"],
                result["errors"],
            )
            means = [recount.average([x for x in trials if x is not None]) for trials in values.values()]
            wins, losses = (
                sum(m is not None and m > 0.5 for m in means),
                sum(m is not None and m < 0.5 for m in means),
            )
            p.append(recount.sign_test(wins, losses))
            assert same(p[-1], result["p_sign"])
            assert result["wins_needed"] == wins_needed(wins + losses)
        assert [r["p_holm"] for r in results] == pytest.approx(recount.holm(p))
        gate = positions(made)["depth"]
        valid = [c for c in made if c.a_first and c.b_first]
        assert same(recount.average([float(c.a_first == c.b_first) for c in valid]), gate.consistency.value)
        shown = [c.a_first == "a" for c in made if c.a_first in ("a", "b")]
        shown += [c.b_first == "b" for c in made if c.b_first in ("a", "b")]
        assert same(recount.average([float(x) for x in shown]), gate.first_rate.value)
        ahead = defaultdict(float)
        for c in made:
            ahead[c.query] += (
                (c.a_first == "a") - (c.a_first == "b") + (c.b_first == "b") - (c.b_first == "a")
            )
        assert same(recount.sign_flip(list(ahead.values())), gate.p_first)


def test_the_same_verdict_in_every_trial_says_no_more_than_one_trial() -> None:
    once = comparisons(5, trials=(1,))
    again = [
        Comparison(c.query, c.dimension, c.a, c.b, c.a_first, c.b_first, c.words_a, c.words_b, trial)
        for c in once
        for trial in range(9 if c.query == "q0" else 1)
    ]
    for name, v in davidson(once).strengths.items():
        w = davidson(again).strengths[name]
        assert (w.value, w.ci_low, w.ci_high) == pytest.approx((v.value, v.ci_low, v.ci_high))
    assert length_coefficient(again).value == pytest.approx(length_coefficient(once).value)


def test_what_few_questions_say_of_one_variant_is_sure_of_none() -> None:
    """Only q0 and q1 know z, and the strengths are around their mean."""
    made = [
        Comparison(f"q{i}", "depth", "x", "y", "a" if i % 3 else "b", "a" if i % 3 else "b")
        for i in range(20)
    ]
    assert all(v.ci_low < v.value < v.ci_high for v in davidson(made).strengths.values())
    made += [Comparison(f"q{i}", "depth", "x", "z", "b", "b") for i in range(2)]
    rating = davidson(made)
    assert rating.strengths["z"].value > 2
    assert {v.ci_low for v in rating.strengths.values()} == {None}


def near(v: V, own: tuple[float, float]) -> bool:
    assert v.ci_low is not None and v.ci_high is not None
    return (v.ci_low, v.ci_high) == pytest.approx(own, abs=1e-4 * (own[1] - own[0]))


@pytest.mark.long
def test_an_interval_draws_whole_queries_with_trials_averaged_first() -> None:
    rng = random.Random(4)
    queries = []
    for _ in range(25):
        centre, letter, faithful = rng.gauss(0, 3), rng.choice(WINNERS), rng.random() < 0.6
        queries.append(
            [
                (round(x), round(x + rng.gauss(0, 2)), letter, letter if faithful else rng.choice(WINNERS))
                for x in (centre + rng.gauss(0, 1) for _ in range(rng.choice([1, 2, 5])))
            ]
        )
    flat = [item for query in queries for item in query]
    clusters = [str(i) for i, query in enumerate(queries) for _ in query]
    x, y, a, b = (list(one) for one in zip(*flat, strict=True))

    def own(
        statistic: Callable[[list[tuple[Any, ...]]], float | None],
    ) -> tuple[float, float]:
        return recount.student(queries, lambda drawn: statistic([i for q in drawn for i in q]))

    assert near(
        stats.mean({str(i): [float(item[0]) for item in q] for i, q in enumerate(queries)}),
        recount.student(
            queries, lambda drawn: recount.average([sum(i[0] for i in q) / len(q) for q in drawn])
        ),
    )
    assert near(
        correlation.bias(x, y, clusters=clusters),
        own(lambda items: recount.average([i[0] - i[1] for i in items])),
    )
    assert near(
        ag.cohen_kappa(a, b, clusters=clusters), own(lambda items: recount.kappa([i[2:] for i in items]))
    )
    alone = recount.student(flat, lambda items: recount.kappa([i[2:] for i in items]))
    assert not near(ag.cohen_kappa(a, b, clusters=clusters), alone)
    assert near(
        correlation.pearson(x, y, unit="report", clusters=clusters),
        own(lambda items: recount.pearson([i[:2] for i in items])),
    )
