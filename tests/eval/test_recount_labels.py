"""Agreement and calibration beside `recount`, on labels of several judges that are turned, repeated, missing and shuffled."""

from __future__ import annotations

import hashlib
import itertools
import json
import random
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from drr.app.cli import main
from drr.app.terminal import with_interval
from drr.env.shop import Shop
from drr.eval.agreement.judges import agreement
from drr.eval.agreement.people import among_people, cases
from drr.eval.agreement.statistics import support_statistics
from drr.eval.agreement.study import stability
from drr.eval.evidence.answers import read_answers
from drr.eval.labels import DIMENSIONS, Label, PairwiseLabel, RatingLabel, SupportLabel
from drr.eval.metrics.document import equation_2
from drr.eval.stats.faithfulness import JudgedClaim, JudgedClaims
from drr.eval.tasks.judged import Judged
from drr.study.study import Study

from tests.eval import recount
from tests.eval.nursery import Judge, message, sentences
from tests.eval.test_recount import FAITHFULNESS, SCORE, same
from tests.tools.small_shop import ANNA, FEEDER
from tests.wire import Reply, Request, Say, Wire

MODEL, PEOPLE = "model", ("anna", "ben", "zoe")
Own = dict[tuple[str, tuple[str, ...]], Any]


def pair(n: int, judge: str, label: Any, *, named: bool = True, **more: Any) -> PairwiseLabel:
    systems = {"system_a": "x", "system_b": "y"} if named else {}
    texts = {"query": f"question {n // 3}", "answer_a": f"a text {n}", "answer_b": f"b text {n}"}
    return PairwiseLabel(id=str(n), judge=judge, label=label, **texts, **systems, **more)


def labels(seed: int, named: bool) -> tuple[list[Label], Own]:
    """Labels in any order, pairs any way round; and what they say, each pair seen as (x, y)."""
    rng = random.Random(seed)
    found: list[Label] = []
    own: Own = {}
    for n, judge in itertools.product(range(14), (MODEL, *PEOPLE)):
        if rng.random() < 0.25:
            continue
        vote: Any = rng.choice(["A", "A", "B", "tie"])
        own[judge, ("pair", str(n))] = vote
        said = "both_bad" if vote == "tie" and rng.random() < 0.5 else vote
        one = pair(n, judge, said, named=named, dimension="depth")
        found.append(one.turned() if rng.random() < 0.5 else one)
        support: Any = rng.choice(["none", "partial", "full"])
        own[judge, ("support", str(n))] = support
        found.append(SupportLabel(id=str(n), judge=judge, claim=f"c{n}", evidence=f"e{n}", label=support))
        grade = float(rng.choice([0, 4, 5, 5.5, 10]))
        own[judge, ("rating", str(n))] = grade
        texts = {"query": f"q{n // 3}", "answer": f"a{n}", "dimension": "depth"}
        found.append(RatingLabel(id=str(n), judge=judge, label=grade, **texts))
    rng.shuffle(found)
    return found, own


def shared(own: Own, task: str, one: str, other: str) -> tuple[list[int], list[tuple[Any, Any]]]:
    items = [n for n in range(14) if (one, (task, str(n))) in own and (other, (task, str(n))) in own]
    return items, [(own[one, (task, str(n))], own[other, (task, str(n))]) for n in items]


@pytest.mark.parametrize(("seed", "named"), [(1, True), (2, True), (3, False)])
def test_every_figure_of_agreement(seed: int, named: bool) -> None:
    given, own = labels(seed, named)
    document = agreement(given, PEOPLE)
    for one, other in itertools.combinations((MODEL, *PEOPLE), 2):
        rows = {
            task: next(p for p in document[task]["pairs"] if p["judges"] == [one, other])
            for task in ("pairwise", "support", "rating")
        }
        row = rows["pairwise"]["dimensions"]["depth"]
        _, pairs = shared(own, "pair", one, other)
        untied = [pair for pair in pairs if "tie" not in pair]
        assert same(recount.kappa(pairs), row["kappa_with_ties"]["value"])
        assert same(recount.kappa(untied), row["kappa_no_ties"]["value"])
        assert (row["kappa_no_ties"]["n"], row["kappa_no_ties"]["n_dropped"]) == (
            len(untied),
            len(pairs) - len(untied),
        )
        assert same(recount.kappa(pairs, ["A", "tie", "B"], 2), row["weighted_kappa"]["value"])
        assert same(recount.ac1(pairs, ["A", "tie", "B"]), row["ac1"]["value"])
        assert same(recount.soft(pairs), row["soft_disagreement"]["value"])
        ties = recount.average([float("tie" in pair) for pair in pairs])
        assert same(ties, row["ties_share"]["value"]) and row["ties_share"]["n"] == len(pairs)
        support, classes = rows["support"], ["none", "partial", "full"]
        _, pairs = shared(own, "support", one, other)
        scores = [(recount.SCORE[a], recount.SCORE[b]) for a, b in pairs]
        assert same(recount.kappa(pairs, classes, 2), support["weighted_kappa"]["value"])
        assert same(recount.average([abs(a - b) for a, b in scores]), support["mad"]["value"])
        assert same(recount.average([a - b for a, b in scores]), support["bias"]["value"])
        row = rows["rating"]["dimensions"]["depth"]
        items, pairs = shared(own, "rating", one, other)
        inside = [
            (a[0] - b[0], a[1] - b[1])
            for (i, a), (j, b) in itertools.combinations(zip(items, pairs, strict=True), 2)
            if i // 3 == j // 3
        ]
        for name, without in (("pca", False), ("pca_no_human_ties", True)):
            value, chance = recount.pca(inside, without_human_ties=without)
            assert same(value, row[name]["value"]) and same(chance, row[name]["chance"])
        for name, value in (
            ("spearman", recount.spearman(pairs)),
            ("kendall", recount.tau_b(pairs)),
            ("pearson", recount.pearson(pairs)),
            ("mard", recount.average([abs(a - b) for a, b in pairs])),
            ("bias", recount.average([a - b for a, b in pairs])),
        ):
            assert same(value, row[name]["value"]), name
    for task, kind, level in (
        ("pairwise", "pair", "nominal"),
        ("support", "support", "ordinal"),
        ("rating", "rating", "interval"),
    ):
        raters = [[own.get((judge, (kind, str(n)))) for n in range(14)] for judge in (MODEL, *PEOPLE)]
        classes_of = ["none", "partial", "full"] if task == "support" else None
        assert same(recount.alpha(raters, level, classes_of), document[task]["alpha"]["value"])


@pytest.mark.parametrize("named", [True, False])
def test_whose_label_comes_first_changes_nothing(named: bool) -> None:
    given, _ = labels(5, named)

    def figures(order: list[Label]) -> Any:
        document = agreement(order, PEOPLE)
        return [
            {k: v["value"] if isinstance(v, dict) else v for k, v in pair["dimensions"]["depth"].items()}
            for task in ("pairwise", "rating")
            for pair in document[task]["pairs"]
        ]

    other = list(given)
    random.Random(6).shuffle(other)
    for one, two in zip(figures(given), figures(other), strict=True):
        assert one == pytest.approx(two)


def test_two_orders_are_the_same_only_if_their_ties_are() -> None:
    for said, same_order in (("A", False), ("B", False), ("tie", True)):
        found = agreement([pair(0, "anna", "tie"), pair(0, "ben", said)])["pairwise"]["pairs"][0]
        assert found["rankings"]["overall"]["same_order"] is same_order


def test_a_calibration_counts_a_turned_pair_once() -> None:
    labels = [pair(1, "anna", "A"), pair(1, "ben", "A").turned(), pair(1, "cleo", "B")]
    (case,) = cases(labels, "pairwise")
    assert case.consensus() == "A"
    assert [label.judge for label in case.labels] == ["anna", "ben", "cleo"]


@pytest.mark.parametrize(
    ("said", "consensus"),
    [
        ([("anna", "A"), ("anna", "A"), ("ben", "B")], "tie"),
        ([("anna", "A"), ("ben", "B"), ("anna", "B")], "tie"),
        ([("unnamed", "A"), ("unnamed", "A"), ("unnamed", "B")], "A"),
    ],
)
def test_labels_under_one_name_are_all_kept_and_count_as_one_person(
    said: list[tuple[str, str]], consensus: str
) -> None:
    (case,) = cases([pair(1, judge, label) for judge, label in said], "pairwise")
    assert case.consensus() == consensus


def test_scores_of_several_people_under_one_name_are_averaged() -> None:
    def grade(answer: str, value: float, judge: str = "people") -> RatingLabel:
        return RatingLabel(id=f"{answer}{value}", judge=judge, query="q", answer=answer, label=value)

    found = cases([grade("x", 2), grade("x", 5), grade("x", 8), grade("y", 1)], "rating")
    assert [case.consensus() for case in found] == [5.0, 1.0]
    assert [(len(case.labels), case.repeated) for case in found] == [(3, 2), (1, 0)]
    (case,) = cases([grade("x", 2), grade("x", 6), grade("x", 10, "anna")], "rating")
    assert case.by_person() == {"people": 4.0, "anna": 10.0} and case.consensus() == 7.0


def test_where_people_are_divided_deviation_and_bias_are_against_their_mean() -> None:
    """Before, full and partial together were full: a judge midway was said to be half a class too low."""

    def say(judge: str, label: Any) -> SupportLabel:
        return SupportLabel(id="1", judge=judge, claim="c", evidence="e", label=label)

    (case,) = cases([say("anna", "full"), say("ben", "partial")], "support")
    assert (case.consensus(), case.mean_support()) == ("full", 0.75)
    found = support_statistics(["partial"], [str(case.consensus())], [case.question], [case.mean_support()])
    assert (found["bias"]["value"], found["mad"]["value"]) == (-0.25, 0.25)


def test_intervals_of_support_are_over_questions_where_these_are_known() -> None:
    """Before, over claims: those of one report are alike, and the interval was too narrow."""
    rng = random.Random(3)
    given: list[Label] = []
    for number in range(60):
        query = f"q{number % 6}"
        usual = "full" if number % 6 < 3 else "none"
        for judge in ("anna", "ben"):
            said = usual if rng.random() < 0.8 else "partial"
            one = SupportLabel(
                id=str(number), judge=judge, claim=f"c{number}", evidence="e", query=query, label=said
            )
            given.append(one)
    (pair,) = agreement(given)["support"]["pairs"]
    x = [one.label for one in given if isinstance(one, SupportLabel) and one.judge == "anna"]
    y = [one.label for one in given if isinstance(one, SupportLabel) and one.judge == "ben"]
    order = sorted(range(60), key=str)
    expected = support_statistics([x[n] for n in order], [y[n] for n in order], [f"q{n % 6}" for n in order])
    alone = support_statistics(x, y, [str(n) for n in range(60)])
    assert pair["kappa"] == expected["kappa"]
    assert pair["kappa"]["value"] == pytest.approx(alone["kappa"]["value"])
    assert pair["kappa"]["ci_low"] != alone["kappa"]["ci_low"]


def test_labels_crossed_give_each_class_its_precision_and_recall() -> None:
    given, own = labels(7, named=True)
    document = agreement(given, PEOPLE)
    pair = next(p for p in document["support"]["pairs"] if p["judges"] == [MODEL, "anna"])
    _, both = shared(own, "support", MODEL, "anna")
    found = pair["classes"]
    for said in ("none", "partial", "full"):
        assert found["confusion"][said] == {
            true: both.count((said, true)) for true in ("none", "partial", "full")
        }
        of_judge, of_people = [b for a, b in both if a == said], [a for a, b in both if b == said]
        row = found["classes"][said]
        assert same(recount.average([float(b == said) for b in of_judge]), row["precision"]["value"])
        assert same(recount.average([float(a == said) for a in of_people]), row["recall"]["value"])
        assert (row["precision"]["n"], row["recall"]["n"]) == (len(of_judge), len(of_people))
    two = [(a != "none", b != "none") for a, b in both]
    assert same(recount.average([float(a == b) for a, b in two]), found["binary"]["exact"]["value"])
    assert same(recount.average([float(b) for a, b in two if a]), found["binary"]["precision"]["value"])
    pairs = next(p for p in document["pairwise"]["pairs"] if p["judges"] == [MODEL, "anna"])
    _, votes = shared(own, "pair", MODEL, "anna")
    decided = [(a, b) for a, b in votes if "tie" not in (a, b)]
    binary = pairs["classes"]["depth"]["binary"]
    assert same(
        recount.average([float(b == "A") for a, b in decided if a == "A"]), binary["precision"]["value"]
    )
    assert binary["exact"]["n"] == len(decided)


def test_win_rates_are_each_judges_and_the_peoples_together() -> None:
    given, own = labels(8, named=True)
    rows = {row["judge"]: row for row in agreement(given, PEOPLE)["win_rates"]}
    assert set(rows) == {MODEL, *PEOPLE, "all people"}
    score = {"A": 1.0, "tie": 0.5, "B": 0.0}
    for judge in (MODEL, *PEOPLE, "all people"):
        by_question: dict[int, list[float]] = {}
        for n in range(14):
            who = PEOPLE if judge == "all people" else (judge,)
            votes = [score[own[one, ("pair", str(n))]] for one in who if (one, ("pair", str(n))) in own]
            if votes:
                by_question.setdefault(n // 3, []).append(sum(votes) / len(votes))
        wanted = recount.average([sum(v) / len(v) for v in by_question.values()])
        row = rows[judge]
        assert (row["dimension"], row["a"], row["b"]) == ("depth", "x", "y")
        assert same(wanted, row["win_rate"]["value"]) and row["win_rate"]["ci_low"] is not None
        assert row["wins"] + row["ties"] + row["losses"] == row["win_rate"]["n"]


def test_people_without_a_name_are_held_beside_each_other() -> None:
    def grade(answer: int, value: float) -> RatingLabel:
        return RatingLabel(id="1", query="q", answer=f"answer {answer}", label=value)

    found = cases([grade(n, n % 5) for n in range(10) for _ in range(2)], "rating")
    among = among_people(found, "rating")
    assert among is not None and among["alpha"]["value"] == pytest.approx(1.0)
    assert among_people(cases([grade(n, n) for n in range(5)], "rating"), "rating") is None


def test_a_kappa_of_nothing_is_printed_without_a_sign() -> None:
    tiny = {"value": -1e-17, "ci_low": -1e-17, "ci_high": 0.5, "n": 4, "n_unscored": 0}
    assert with_interval(tiny, 2) == "0.00 [0.00, 0.50] n=4"


PAGES = {"alive": "Feeders need weekly care of many sorts.", "dead": None, "late": "Other words on feeders."}


EVIDENCE = [{"url": f"https://{name}.example/p", "type": "web", "text": text} for name, text in PAGES.items()]


def number(*words: str) -> int:
    return int(hashlib.sha256("\0".join(words).encode()).hexdigest()[:12], 16)


def lines(rng: random.Random) -> list[dict[str, Any]]:
    sources = [*(f"https://{name}.example/p" for name in PAGES), f"http://ecommerce.example/{FEEDER}"]
    made = []
    for q in range(4):
        for system in ("alpha", "beta", "gamma"):
            for trial in range(rng.choice([0, 1, 1, 2])):
                claims = [
                    f"{system} {q} {trial} says that feeders need care of sort {'abcdef'[i]}"
                    + "".join(f" [{n}]" for n in rng.sample(range(1, 5), rng.choice([0, 1, 2])))
                    for i in range(rng.choice([0, 3, 5]))
                ]
                listed = "\n".join(f"[{n}] {url}" for n, url in enumerate(sources, 1))
                row = {"id": f"{system}-{q}-{trial}", "system": system, "trial": trial, "user_id": ANNA}
                row |= {"query": f"Which feeder, question {q}?", "evidence": EVIDENCE}
                said = "\n".join(claims)
                made.append({**row, "report_markdown": f"# {system} {q} {trial}\n\n{said}\n\n{listed}\n"})
    return made


def failing(task: str, request: Request) -> Reply | None:
    said = message(request)
    broken = "beta 2" in said if task == "claims" else number(task, said[-300:-60]) % 15 == 0
    return Say("no verdict at all") if broken else None


SCRIPT = Judge(
    claims=sentences,
    support=lambda claim, evidence: ["full_support", "partial_support", "no_support"][number(claim) % 3],
    rating=lambda text: number(text[:30]) % 11,
    winner=lambda a, b: "tie" if number(a, b) % 4 == 0 else "A" if number(a) > number(b) else "B",
    instead=failing,
)


class Ledger:
    """What was judged, read from the records alone."""

    def __init__(self, folder: Path) -> None:
        with Study.open(folder) as study:
            self.answers = {a.key: a for a in read_answers(study)}
            records = list(study.records("judgement", None))
        self.claims: dict[str, Any] = {}
        self.grades: dict[tuple[str, str], int | None] = {}
        self.pairs: dict[tuple[str, str, str], str | None] = {}
        verdicts: dict[str, dict[str, dict[str, str]]] = defaultdict(lambda: defaultdict(dict))
        for record in records:
            fields, result = record.key_fields, record.result if record.done else None
            if fields["task"] == "claims":
                self.claims[fields["answer"]] = result["claims"] if result else None
            elif fields["task"] == "rating":
                self.grades[fields["answer"], fields["dimension"]] = result["rating"] if result else None
            elif fields["task"] == "pairwise":
                winner = result["winner"] if result else None
                self.pairs[fields["first"], fields["second"], fields["dimension"]] = winner
            elif fields["task"] == "support":
                for verdict in result["verdicts"].values() if result else ():
                    if verdict["against"] == "page":
                        here = verdicts[fields["answer"]][verdict["claim_id"]]
                        here[verdict["type"]] = verdict["status"]
        self.cited = {
            key: None
            if claims is None
            else [{t: verdicts[key][c["id"]].get(t) for t in c["types"]} for c in claims]
            for key, claims in self.claims.items()
        }

    def by_query(
        self, variant: str, value: Callable[[str], float | None]
    ) -> tuple[dict[str, list[float | None]], int, int]:
        grouped: dict[str, list[float | None]] = defaultdict(list)
        for key, answer in self.answers.items():
            if answer.variant == variant:
                grouped[answer.query_id].append(value(key))
        every = [x for trials in grouped.values() for x in trials]
        scored = sum(x is not None for x in every)
        return grouped, scored, len(every) - scored


def out(capsys: pytest.CaptureFixture[str]) -> Any:
    return json.loads(capsys.readouterr().out)


@pytest.mark.long
@pytest.mark.parametrize("limit", [None, 70])
def test_every_figure_of_a_judged_study(
    limit: int | None, tmp_path: Path, shop: Shop, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = str(tmp_path / "study")
    path = tmp_path / "r.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines(random.Random(1))))
    assert main(["import", folder, str(path), "--shop", shop.spec, "--quiet"]) == 0
    capsys.readouterr()
    with Wire(SCRIPT) as wire:
        model = ["--judge", "anthropic:claude-sonnet-5-5", "--base-url", wire.url]
        stop = [] if limit is None else ["--limit", str(limit)]
        assert main(["judge", folder, *model, *stop, "--quiet", "--json"]) == 1
    document, ledger = out(capsys), Ledger(tmp_path / "study")
    for variant, metrics in document["metrics"].items():
        for name, of_report in FAITHFULNESS.items():
            if name not in ("fr", "fp_seen"):
                values, n, lost = ledger.by_query(
                    variant,
                    lambda key, f=of_report: None if (c := ledger.cited.get(key)) is None else f(c),  # type: ignore[misc]
                )
                assert same(recount.macro(values), metrics[name]["value"]), name
                assert (n, lost) == (metrics[name]["n"], metrics[name]["n_unscored"]), name
        values, n, lost = ledger.by_query(
            variant,
            lambda key: recount.average([float(bool(c["resolved"])) for c in ledger.claims.get(key) or ()]),
        )
        assert same(recount.macro(values), metrics["fr"]["value"])
        for dimension in DIMENSIONS:
            values, n, lost = ledger.by_query(
                variant,
                lambda key, d=dimension: ledger.grades.get((key, d)),  # type: ignore[misc]
            )
            row = metrics.get(dimension, {"value": None, "n": 0, "n_unscored": n + lost})
            assert same(recount.macro(values), row["value"])
            assert (n, lost) == (row["n"], row["n_unscored"]), "what waits to be judged is unscored"
    seconds = {"first": "b", "second": "a", "tie": "tie", None: None}
    firsts = {"first": "a", "second": "b", "tie": "tie", None: None}
    tests = []
    for row in document["pairwise"]:
        scores: dict[str, list[float | None]] = defaultdict(list)
        outcomes = []
        for (one, two, dimension), winner in ledger.pairs.items():
            a, b = ledger.answers[one], ledger.answers[two]
            back = (two, one, dimension)
            if (a.variant, b.variant, dimension) == (
                row["a"],
                row["b"],
                row["dimension"],
            ):
                outcomes.append(recount.reconcile(firsts[winner], seconds[ledger.pairs.get(back)]))
                scores[a.query_id].append(SCORE.get(outcomes[-1]))
        assert [outcomes.count(x) for x in ("a", "b", "inconsistent", "error")] == [
            row[x] for x in ("wins", "losses", "inconsistent", "errors")
        ]
        assert same(recount.macro(scores), row["win_rate"]["value"])
        means = [recount.average([x for x in trials if x is not None]) for trials in scores.values()]
        tests.append(
            recount.sign_test(
                sum(m is not None and m > 0.5 for m in means), sum(m is not None and m < 0.5 for m in means)
            )
        )
        assert same(tests[-1], row["p_sign"])
    assert [row["p_holm"] for row in document["pairwise"]] == pytest.approx(recount.holm(tests), nan_ok=True)
    assert main(["compare", folder, "alpha", "beta", "--json"]) == 0
    for dimension, row in out(capsys)["metrics"].items():
        if dimension in DIMENSIONS:
            sides = [
                ledger.by_query(v, lambda key, d=dimension: ledger.grades.get((key, d)))[0]  # type: ignore[misc]
                for v in ("alpha", "beta")
            ]
            left, right = ({q: recount.macro({q: t}) for q, t in side.items()} for side in sides)
            both = [q for q in left if left[q] is not None and right.get(q) is not None]
            differences = [left[q] - right[q] for q in both]  # type: ignore[operator]
            assert same(recount.average(differences), row["value"])
            assert (row["n"], row["n_unscored"]) == (len(both), len({*left, *right}) - len(both))
            assert same(recount.sign_flip(differences) if both else None, row["p"])


def test_a_failed_call_is_no_label_of_a_repetition() -> None:
    def told(*statuses: str) -> Judged:
        judged = Judged(None, [])
        judged.support["answer"] = {str(i): {"status": s} for i, s in enumerate(statuses)}
        return judged

    found = stability(
        [
            told("full", "judge_error", "none", "unreachable"),
            told("full", "judge_error", "full", "unreachable"),
        ]
    )
    assert found is not None
    assert [found["support"][k] for k in ("value", "n", "n_dropped")] == [0.5, 2, 2]


def test_equation_2_counts_the_reports_behind_it() -> None:
    claims = [JudgedClaim("1", {"web": "full", "product": "none"})]
    found = equation_2([JudgedClaims("a", 0, claims), JudgedClaims("b", 0, None), JudgedClaims("c", 0, [])])
    assert [found[k] for k in ("value", "n", "n_unscored")] == [0.5, 1, 2]
